"""Three containers of the image that the log is kept by are one cluster, with the configuration of the deployment, and
what every log keeps to holds on it, at three replicas of each line.

Each test has an account of its own there, which is a log of its own: a cluster takes seconds to start.
"""

import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import Final

import msgspec
import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network

from engine.kernel.ports import Log
from services.kit.family import MATCHES, Family
from services.kit.jetstream import JetStreamLog
from tests.kit.containers import NATS, hardened, run, wait_for
from tests.services.test_log_contract import MakeLog, TestAppending, TestFollowing, TestReading, log
from tests.tidy.tree import ROOT

__all__ = ["TestAppending", "TestFollowing", "TestReading", "log"]

pytestmark = pytest.mark.docker

NODES: Final = (1, 2, 3)
ACCOUNTS: Final = 100
CONFIGURATION: Final = ROOT / "deploy" / "nats" / "nats.conf"
