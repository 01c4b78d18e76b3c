"""What the tests of services share."""

from tests.kit.nats import nats_server, own_nats

__all__ = ["nats_server", "own_nats"]
