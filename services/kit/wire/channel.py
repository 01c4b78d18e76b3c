"""Channels and calls: every call has a deadline, and a stream that is left is cancelled.

An abandoned aio call is neither collected nor cancelled by grpcio (grpc#43462), hence ``stream``.
"""

from collections.abc import AsyncGenerator
from typing import Any

import grpc

from services.kit.tracing import client_interceptors
from services.kit.wire.errors import error_of
from services.kit.wire.limits import ANSWER_BYTES_MAX, MESSAGE_BYTES_MAX

CALL_SECONDS = 10.0
"""The deadline of a unary call unless the caller says otherwise."""

EXPORT_SECONDS = 120.0
"""The deadline of a stream that ends by itself. One that goes on for ever has none: its connection is looked after."""

_OPTIONS = (
    ("grpc.max_receive_message_length", ANSWER_BYTES_MAX),
    ("grpc.max_send_message_length", MESSAGE_BYTES_MAX),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.max_pings_without_data", 0),  # a stream that is silent for an hour is still looked after
    ("grpc.lb_policy_name", "round_robin"),  # where a name stands for several replicas
    ("grpc.dns_min_time_between_resolutions_ms", 2_000),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.enable_retries", 0),  # retries are ours: they carry the same command id
)


def open_channel(address: str) -> grpc.aio.Channel:
    """One a target for the life of a process; closed by who opened it."""
    return grpc.aio.insecure_channel(address, options=_OPTIONS, interceptors=client_interceptors())


async def unary(method: Any, request: Any, timeout: float = CALL_SECONDS) -> Any:
    """One call. Raises ``Refusal``, ``Unavailable`` or ``Failed``."""
    try:
        return await method(request, timeout=timeout)
    except grpc.aio.AioRpcError as error:
        raise error_of(error) from None


async def stream(method: Any, request: Any, timeout: float | None = None) -> AsyncGenerator[Any, None]:
    """The responses of one streaming call, cancelled when the iterator is closed. Raises like ``unary``."""
    call = method(request, timeout=timeout)
    try:
        async for response in call:
            yield response
    except grpc.aio.AioRpcError as error:
        raise error_of(error) from None
    finally:
        call.cancel()
