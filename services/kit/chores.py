"""What is done in the background fails in the background: how that is told."""

import asyncio
from typing import Any

import structlog

logger = structlog.get_logger()


def log_failure(task: asyncio.Task[Any]) -> None:
    """A done callback: an error that nobody awaits is a fault of ours, or a damaged log, and is logged as one."""
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("chore_failed", exc_info=error)


def reason_of(error: Exception) -> str:
    """The code of an expected error, for a log line."""
    return getattr(error, "code", type(error).__name__)
