"""``tracing`` with OpenTelemetry. Only a process that has somewhere to send its traces to imports this.

The interceptors are our own: they are short, they leave streams alone, and they write nothing into a span but what
``tracing`` allows. A span that has ended is nobody's parent: a task that was started by a request and goes on after it
(a stream that many read, a clock of a match) is not part of it for ever.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Link, Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

EXPORT_S: Final = 2.0
"""For the collector to take what is sent; spans that it does not take are lost, and nothing else is."""

LINKS_MAX: Final = 100
"""Of one batch of a replay; the library takes 128."""

HEADER: Final = "traceparent"

_propagator: Final = TraceContextTextMapPropagator()


def exporter_to(endpoint: str, ca_file: Path | None) -> SpanExporter:
    """OTLP over gRPC; ``https`` is checked against ``ca_file``, or what the system trusts."""
    if endpoint.startswith("http://"):
        return OTLPSpanExporter(endpoint, insecure=True, timeout=EXPORT_S)
    authority = ca_file.read_bytes() if ca_file is not None else None
    return OTLPSpanExporter(endpoint, credentials=grpc.ssl_channel_credentials(authority), timeout=EXPORT_S)


class Spans:
    """Of one process, called ``service``."""

    def __init__(self, service: str, exporter: SpanExporter) -> None:
        self._provider = TracerProvider(resource=Resource.create({"service.name": service}), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("tavolata")
        self.client_interceptor = _ClientSpans(self)
        self.server_interceptor = _ServerSpans(self)

    def close(self) -> None:
        """Blocks for as long as the last export takes."""
        self._provider.shutdown()

    @contextmanager
    def part(
        self, name: str, attributes: Mapping[str, str | int], kind: SpanKind = SpanKind.INTERNAL
    ) -> Iterator[Span | None]:
        if not self._is_open():
            yield None
            return
        with self._opened(name, kind, None, attributes) as span:
            yield span

    @contextmanager
    def request(self, name: str) -> Iterator[Span]:
        with self._opened(name, SpanKind.SERVER, Context(), {}) as span:
            yield span

    @contextmanager
    def call(self, method: str, metadata: Sequence[tuple[str, str | bytes]]) -> Iterator[Span]:
        """A call that came in with this metadata."""
        given = {name: value for name, value in metadata if name == HEADER and isinstance(value, str)}
        with self._opened(
            method, SpanKind.SERVER, _propagator.extract(given, Context()), {"rpc.system": "grpc"}
        ) as span:
            yield span

    def note(self, attributes: Mapping[str, str | int]) -> None:
        trace.get_current_span().set_attributes(attributes)

    def rename(self, name: str) -> None:
        trace.get_current_span().update_name(name)

    def end(self) -> None:
        trace.get_current_span().end()

    def traceparent(self) -> str | None:
        carrier: dict[str, str] = {}
        if self._is_open():
            _propagator.inject(carrier)
        return carrier.get(HEADER)

    def took(self, consumer: str, traceparents: Sequence[str], started_ns: int, *, live: bool) -> None:
        contexts = [_propagator.extract({HEADER: each}, Context()) for each in traceparents]
        name, ended_ns = f"{consumer} takes", time.time_ns()
        if live:
            for context in contexts:
                self._tracer.start_span(name, context, SpanKind.CONSUMER, start_time=started_ns).end(ended_ns)
        elif contexts:
            links = [Link(trace.get_current_span(context).get_span_context()) for context in contexts[:LINKS_MAX]]
            replay = self._tracer.start_span(
                f"{consumer} takes again", Context(), SpanKind.CONSUMER, links=links, start_time=started_ns
            )
            replay.end(ended_ns)

    def fields(self) -> dict[str, str]:
        context = trace.get_current_span().get_span_context()
        return {"trace_id": trace.format_trace_id(context.trace_id)} if context.is_valid else {}

    def _is_open(self) -> bool:
        return trace.get_current_span().is_recording()

    @contextmanager
    def _opened(
        self, name: str, kind: SpanKind, context: Context | None, attributes: Mapping[str, str | int]
    ) -> Iterator[Span]:
        """The current span until the end of the block. What goes wrong is told by its type alone."""
        span = self._tracer.start_span(name, context, kind, attributes)
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            try:
                yield span
            except Exception as error:
                span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise
            finally:
                if span.is_recording():
                    span.end()


class _ClientSpans(grpc.aio.UnaryUnaryClientInterceptor):
    """A span for each unary call that a request makes, and its context beside the call."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        method = _method_of(client_call_details.method)
        with self._spans.part(method, {"rpc.system": "grpc"}, SpanKind.CLIENT) as span:
            if span is None:
                return await continuation(client_call_details, request)
            metadata = grpc.aio.Metadata(*(client_call_details.metadata or ()))
            header = self._spans.traceparent()
            assert header is not None
            metadata.add(HEADER, header)
            call = await continuation(client_call_details._replace(metadata=metadata), request)
            code = await call.code()
            span.set_attribute("rpc.grpc.status_code", code.value[0])
            if code is not grpc.StatusCode.OK:
                span.set_status(Status(StatusCode.ERROR))
            return call


class _ServerSpans(grpc.aio.ServerInterceptor):
    """A span for each unary call that comes in, under the one of whoever called."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        handler = await continuation(handler_call_details)
        if handler is None or handler.unary_unary is None or handler_call_details.method.startswith("/grpc."):
            return handler
        inner, method = handler.unary_unary, _method_of(handler_call_details.method)

        async def call(request: Any, context: Any) -> Any:
            with self._spans.call(method, context.invocation_metadata() or ()):
                return await inner(request, context)

        return grpc.unary_unary_rpc_method_handler(call, handler.request_deserializer, handler.response_serializer)


def _method_of(method: str | bytes) -> str:
    """``tavolata.match.v1.MatchService/Act``."""
    return (method.decode() if isinstance(method, bytes) else method).removeprefix("/")
