"""How a line to NATS is opened and given up: the same for whoever opens one.

A server that is killed hangs up. One that is paused, or behind a network that swallows everything, does not: its
connections look alive, and even new ones are taken, by its kernel. So the line is asked for a sign of life every
``PING_S``, and a server that does not say who it is within ``CONNECT_S`` is left for the next one in the list.
"""

from typing import Any, Final

RECONNECT_WAIT_S: Final = 0.1
"""Between two attempts to reach the same server; there is no last one."""

PING_S: Final = 1
PINGS_MAX: Final = 2
"""Unanswered pings, after which the line is dropped: three seconds, while an election takes four to nine."""

CONNECT_S: Final = 2
"""For a server to take a connection and to say who it is."""


def dialled(url: str) -> dict[str, Any]:
    """For ``nats.connect``: one of the servers in ``url`` (comma between them), again and for ever."""
    return {
        "servers": url.split(","),
        "connect_timeout": CONNECT_S,
        "ping_interval": PING_S,
        "max_outstanding_pings": PINGS_MAX,
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": RECONNECT_WAIT_S,
    }
