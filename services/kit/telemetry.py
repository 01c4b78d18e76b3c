"""What the operator sees: one JSON object a log line on stderr, and Prometheus metrics.

Log lines carry ``match`` and ``revision``, never an event, a command or a seed: the operator is a viewer too. Metrics
have no label that holds an id, so none of them tells of one match, and whatever is counted here happens in public.
"""

import asyncio
import logging
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import structlog
from prometheus_client import Counter, Gauge, Histogram

from services.kit.tracing import trace_fields

CALLS = Counter("tavolata_calls_total", "gRPC calls by method and outcome", ["service", "method", "outcome"])
CALL_SECONDS = Histogram("tavolata_call_seconds", "Duration of unary gRPC calls", ["service", "method"])
CALLS_OPEN = Gauge(
    "tavolata_calls_open", "gRPC calls that are running; of a stream, while it is open", ["service", "method"]
)
REFUSALS = Counter(
    "tavolata_refusals_total", "Answers that say no, by code; internal_error is a fault of ours", ["code"]
)

MOVES = Counter("tavolata_moves_total", "Commands of seats that have become facts", ["game"])
COMMITS = Counter("tavolata_commits_total", "Commits appended to the log", ["game"])
CONFLICTS = Counter("tavolata_conflicts_total", "Appends that found somebody else first", ["game"])
PROJECTED = Counter("tavolata_projected_total", "Lines that a consumer has taken in", ["consumer"])
WATCHERS = Counter("tavolata_watchers_total", "Streams opened to viewers", ["kind"])
WATCHES_OPEN = Gauge("tavolata_watches_open", "Matches whose facts are watched just now, by everybody together")
MATCHES_OPEN = Gauge("tavolata_matches_open", "Matches whose seed is not revealed", ["game"])
ROUNDS = Gauge("tavolata_rounds", "Rounds of all events, by state", ["state"])
TABLES = Gauge("tavolata_tables", "Tables of rounds that are published or running, by state", ["state"])
REDACTION_FAILURES = Counter(
    "tavolata_redaction_failures_total",
    "Views that could not be made, or that facts and position tell apart",
    ["game", "check"],
)
DAMAGED = Counter("tavolata_damaged_total", "Matches and events of the log that do not hold, once each", ["kind"])

LAG_LINES = Gauge("tavolata_lag_lines", "Lines of the log that a consumer has not taken in", ["consumer", "partition"])
LAG_SECONDS = Gauge("tavolata_lag_seconds", "How long a consumer has been behind", ["consumer", "partition"])
LOG_ANSWERS = Gauge("tavolata_log_answers", "Whether the log has answered the last look at its end", ["consumer"])

APPEND_SECONDS = Histogram(
    "tavolata_append_seconds",
    "From asking the log to keep a commit until it is kept",
    ["log"],
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0),
)
LOG_LINES_DOWN = Gauge("tavolata_log_connections_down", "Connections to the log that are lost just now")
LOG_RECONNECTS = Counter("tavolata_log_reconnects_total", "Connections to the log that came back")
LOG_READER_RESTARTS = Counter("tavolata_log_reader_restarts_total", "Readers of the log that began again", ["stream"])
LOG_BYTES = Gauge("tavolata_log_bytes", "Bytes of a stream on one disk", ["stream"])
LOG_BYTES_MAX = Gauge("tavolata_log_bytes_max", "Bytes that a stream may have; none where it has no bound", ["stream"])
LOG_REPLICAS = Gauge("tavolata_log_replicas", "Replicas of a stream: current, behind or offline", ["stream", "state"])


def configure_logging(level: str, service: str = "") -> None:
    """Once a process, by its ``main``. Every line says which ``service`` speaks; other libraries' warnings come out in
    the same form.
    """

    def named(logger: object, method: str, fields: Any) -> Any:
        if service:
            fields["service"] = service
        return fields

    number = logging.getLevelNamesMapping()[level.upper()]
    processors: list[Any] = [
        named,
        trace_fields,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        where_it_broke,
    ]
    structlog.configure(
        processors=[*processors, structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processor=structlog.processors.JSONRenderer(),
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *processors],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)


def tell_of_lost_errors(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """For ``set_exception_handler``: asyncio itself would write the error's words, and the arguments of the task."""
    structlog.get_logger().error("lost_error", what=context["message"], exc_info=context.get("exception"))


def where_it_broke(logger: object, method: str, fields: Any) -> Any:
    """Of ``exc_info`` types and places, never the words: those may quote what was being worked on, a card for instance.
    A processor of structlog.
    """
    given = fields.pop("exc_info", None)
    error = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        fields["broke"] = list(_broke(error))
    return fields


def _broke(error: BaseException) -> Iterator[str]:
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _broke(cause)
    yield type(error).__name__
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"{frame.filename}:{frame.lineno} {frame.name}"
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _broke(each)
