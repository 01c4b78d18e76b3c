"""Something that stands around a method of a server, whichever of the four kinds it is."""

from collections.abc import Callable
from typing import Any, TypeAlias

import grpc

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
"""grpcio's class takes parameters for type checkers only."""

Around = Callable[[Any], Any]
"""A behaviour → the behaviour that calls it."""


def around(handler: Any, unary: Around, streaming: Around) -> Handler:
    """The same method, with ``unary`` or ``streaming`` around it, as its answer is one or many."""
    if handler.response_streaming:
        make = (
            grpc.stream_stream_rpc_method_handler if handler.request_streaming else grpc.unary_stream_rpc_method_handler
        )
        behaviour = streaming(handler.unary_stream or handler.stream_stream)
    else:
        make = (
            grpc.stream_unary_rpc_method_handler if handler.request_streaming else grpc.unary_unary_rpc_method_handler
        )
        behaviour = unary(handler.unary_unary or handler.stream_unary)
    return make(behaviour, handler.request_deserializer, handler.response_serializer)
