"""What the tests of services share."""

from tests.kit.databases import store
from tests.kit.nats import nats_server, own_nats
from tests.kit.postgres import postgres, postgres_server

__all__ = ["nats_server", "own_nats", "postgres", "postgres_server", "store"]
