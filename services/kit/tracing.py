"""Traces from a request to whoever it is shown to, if somebody collects them.

One request is one trace: the gateway's span, a client's and a server's span for each unary call, the append, and what
each consumer of the log does with the line. The context travels as W3C ``traceparent``: between services as metadata of
the call, through the log as a header of the line. Streams have no spans: they last for hours and say nothing. Spans
carry names, codes, games and revisions, and nothing else.

Without an endpoint every function here does nothing, and the libraries for it are not even imported. Which traces are
kept is the library's setting, ``OTEL_TRACES_SAMPLER``; all are by default.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from engine.kernel.ports import Stored
from services.kit.config import Settings

if TYPE_CHECKING:
    from services.kit.spans import Spans

_spans: "Spans | None" = None
"""As there is one log and one set of metrics of a process, so there is one of these."""


class Traced(Stored, frozen=True):
    """A line as it comes out of the log, with the trace context of whoever appended it."""

    traceparent: str


def start_tracing(service: str, settings: Settings) -> None:
    """Once a process. Nothing is sent anywhere before this, or without an endpoint."""
    global _spans
    if settings.otlp_endpoint:
        from services.kit.spans import Spans, exporter_to

        _spans = Spans(service, exporter_to(settings.otlp_endpoint, settings.tls_ca_file))


async def stop_tracing() -> None:
    """Send what has not been sent yet; a collector that is away is not waited for."""
    global _spans
    spans, _spans = _spans, None
    if spans is not None:
        await asyncio.to_thread(spans.close)


def is_tracing() -> bool:
    return _spans is not None


def span(name: str, **attributes: str | int) -> AbstractContextManager[Any]:
    """A part of the request that is being served here; nothing where no request is."""
    return nullcontext() if _spans is None else _spans.part(name, attributes)


def request_span(name: str) -> AbstractContextManager[Any]:
    """A request from outside, whose own trace context is nobody's here: strangers do not choose what is kept."""
    return nullcontext() if _spans is None else _spans.request(name)


def note(**attributes: str | int) -> None:
    """Said of the span that is open here, if there is one."""
    if _spans is not None:
        _spans.note(attributes)


def rename(name: str) -> None:
    """The open span is called otherwise: what was asked for is known now."""
    if _spans is not None:
        _spans.rename(name)


def end() -> None:
    """The open span ends here, before its block does."""
    if _spans is not None:
        _spans.end()


def traceparent() -> str | None:
    """The context of the span that is open here, for whoever goes on elsewhere."""
    return None if _spans is None else _spans.traceparent()


def took(consumer: str, lines: Sequence[Stored], started_ns: int, *, live: bool) -> None:
    """A consumer has taken in these lines since ``started_ns`` (of the time of day).

    Live, each is the end of the request that made it. In a replay the batch is a trace of its own that points to those
    of the lines.
    """
    if _spans is not None:
        _spans.took(consumer, [each.traceparent for each in lines if isinstance(each, Traced)], started_ns, live=live)


def trace_fields(logger: object, method: str, fields: Any) -> Any:
    """Of a line of the log: in which trace it was written. A processor of structlog."""
    if _spans is not None:
        fields.update(_spans.fields())
    return fields


def client_interceptors() -> Sequence[Any]:
    """Of a channel."""
    return () if _spans is None else (_spans.client_interceptor,)


def server_interceptors() -> Sequence[Any]:
    """Of a server, before all others."""
    return () if _spans is None else (_spans.server_interceptor,)
