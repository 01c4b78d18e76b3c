"""What the tests of services share."""

from tests.kit.databases import store
from tests.kit.logs import log_place, nats_place, running_cluster, servers_and_family, three_nodes
from tests.kit.nats import nats_server, own_nats
from tests.kit.postgres import postgres, postgres_server

__all__ = [
    "log_place",
    "nats_place",
    "nats_server",
    "own_nats",
    "postgres",
    "postgres_server",
    "running_cluster",
    "servers_and_family",
    "store",
    "three_nodes",
]
