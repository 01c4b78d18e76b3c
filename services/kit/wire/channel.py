"""Channels and calls: every call has a deadline and says who calls, and a stream that is left is cancelled.

A name may stand for several machines: each is spoken to in turn, and one that does not answer is left out until it does
again. Which ones there are, the name is asked anew when a connection breaks; servers end theirs after a while, so that
one that has been added is found, too.

An abandoned aio call is neither collected nor cancelled by grpcio (grpc#43462), hence ``stream``.
"""

from collections.abc import AsyncGenerator
from typing import Any

import grpc

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from services.kit.access.carried import carried
from services.kit.tracing import client_interceptors
from services.kit.wire.errors import error_of
from services.kit.wire.limits import ANSWER_BYTES_MAX, MESSAGE_BYTES_MAX
from services.kit.wire.tls import tls

CALL_SECONDS = 10.0
"""The deadline of a unary call unless the caller says otherwise."""

EXPORT_SECONDS = 120.0
"""The deadline of a stream that ends by itself. One that goes on for ever has none: its connection is looked after."""

_OPTIONS = (
    ("grpc.max_receive_message_length", ANSWER_BYTES_MAX),
    ("grpc.max_send_message_length", MESSAGE_BYTES_MAX),
    ("grpc.service_config", '{"loadBalancingConfig": [{"round_robin": {}}]}'),
    ("grpc.dns_min_time_between_resolutions_ms", 2_000),  # a name is not asked more often than that
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),  # a machine that is gone without a word is found out within 15 s
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.enable_retries", 0),  # retries are ours: they carry the same command id
)


def open_channel(address: str) -> grpc.aio.Channel:
    """One a target for the life of a process; closed by who opened it."""
    target, made = f"dns:///{address}", tls()
    if made is None:
        return grpc.aio.insecure_channel(target, options=_OPTIONS, interceptors=client_interceptors())
    return grpc.aio.secure_channel(target, made.channel(), options=_OPTIONS, interceptors=client_interceptors())


async def unary(method: Any, request: Any, timeout: float = CALL_SECONDS) -> Any:
    """One call. Raises ``Refusal``, ``Unavailable`` or ``Failed``."""
    try:
        return await method(request, timeout=timeout, metadata=says_who())
    except grpc.aio.AioRpcError as error:
        raise error_of(error) from None


async def stream(method: Any, request: Any, timeout: float | None = None) -> AsyncGenerator[Any, None]:
    """The responses of one streaming call, cancelled when the iterator is closed. Raises like ``unary``."""
    said = says_who()
    call = method(request, timeout=timeout, metadata=said)
    try:
        async for response in call:
            yield response
    except grpc.aio.AioRpcError as error:
        told = error_of(error)
        if isinstance(told, Refusal) and told.code == "token_expired" and says_who() != said:
            raise token_renewed() from None
        raise told from None
    finally:
        call.cancel()


def token_renewed() -> Unavailable:
    """What it means that a token has expired where there is a newer one by now."""
    return Unavailable("token_renewed", "The stream outlived its token; ask again with the new one.")


def says_who() -> tuple[tuple[str, str], ...]:
    """The metadata of a call: the token that this task carries."""
    token = carried()
    return (("authorization", f"Bearer {token}"),) if token else ()
