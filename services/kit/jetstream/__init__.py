"""The event log on JetStream.

``log`` is the port; ``append``, ``read`` and ``follow`` each hold one of its mechanisms; ``streams`` knows names and
configuration, ``connection`` how to ask a question and get an answer.
"""

from services.kit.jetstream.log import UNHURRIED_S, JetStreamLog

__all__ = ["UNHURRIED_S", "JetStreamLog"]
