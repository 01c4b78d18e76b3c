"""What the operator sees: one JSON object a log line on stderr, and Prometheus metrics.

Log lines carry ``match`` and ``revision``, never an event, a command or a seed: the operator is a viewer too.
"""

import logging
import sys
from typing import Any

import structlog
from prometheus_client import Counter, Histogram

CALLS = Counter("tavolata_calls_total", "gRPC calls by method and outcome", ["service", "method", "outcome"])
CALL_SECONDS = Histogram("tavolata_call_seconds", "Duration of unary gRPC calls", ["service", "method"])
COMMITS = Counter("tavolata_commits_total", "Commits appended to the log", ["game"])
CONFLICTS = Counter("tavolata_conflicts_total", "Appends that found somebody else first", ["game"])
PROJECTED = Counter("tavolata_projected_total", "Lines that a consumer has taken in", ["consumer"])
WATCHERS = Counter("tavolata_watchers_total", "Streams opened to viewers", ["kind"])


def configure_logging(level: str) -> None:
    """Once a process, by its ``main``. Other libraries' warnings come out in the same form."""
    number = logging.getLevelNamesMapping()[level.upper()]
    processors: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(),
    ]
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processor=structlog.processors.JSONRenderer(),
            foreign_pre_chain=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
