"""Ports of this machine: which are free, and what is said about one that is not."""

import random
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

from engine.kernel.refusal import Kind, Refusal

LOOPBACK = "127.0.0.1"
DRAWN_FROM = (10_240, 32_768)


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now. A port in TIME_WAIT is free, as it is for a server."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError:
            return False
    return True


def free_ports(count: int) -> list[int]:
    """Different ports of loopback that are free now.

    They are drawn from below the range out of which the system serves connections: until a service listens on its
    port, every connection that somebody opens could take it away.
    """
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(*DRAWN_FROM)  # noqa: S311 - to be unlike other houses', not to be secret
        if port not in found and is_free(LOOPBACK, port):
            found.append(port)
    return found


def port_in_use(port: int) -> Refusal:
    return Refusal("port_in_use", f"Port {port} of this machine is in use by another program.", Kind.EXISTS)


def address_in(text: str) -> IPv4Address | IPv6Address | None:
    """An address, of IPv4 also where a socket of IPv6 tells it (``::ffff:192.0.2.1``); ``None`` for what is none."""
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def is_loopback(name: str) -> bool:
    """Whether only this machine can reach what goes by this name."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    found = address_in(name.strip("[]"))
    return found is not None and found.is_loopback


def check_bind(bind: str, *, is_open: bool) -> None:
    """Raises ``Refusal`` for an open house that others could walk into."""
    host = bind.rpartition(":")[0]
    if is_open and not is_loopback(host):
        raise Refusal(
            "open_to_the_world",
            f"Without keys anybody who reaches {host} could play every seat and run every event; make keys with "
            "`tavolata keys init`, or stay on 127.0.0.1.",
            Kind.DENIED,
        )
