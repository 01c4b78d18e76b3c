"""What the tests of services share."""

from tests.kit.nats import clean_nats, nats_server, own_nats

__all__ = ["clean_nats", "nats_server", "own_nats"]
