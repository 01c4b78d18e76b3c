"""Lines that a person types, read by the event loop itself.

``input()`` in a thread cannot be called off: Ctrl-C would wait for one more Enter.
"""

import asyncio
import os
import sys

CHUNK_BYTES = 4096


class Typed:
    """Standard input, line by line; from a terminal, a pipe or a file."""

    def __init__(self) -> None:
        self._descriptor = sys.stdin.fileno()
        self._bytes = b""

    async def line(self) -> str | None:
        """The next line without its end; ``None`` when there is no more."""
        while b"\n" not in self._bytes:
            chunk = await self._chunk()
            if not chunk:
                line, self._bytes = self._bytes, b""
                return line.decode(errors="replace").strip() if line else None
            self._bytes += chunk
        line, _, self._bytes = self._bytes.partition(b"\n")
        return line.decode(errors="replace").strip()

    async def _chunk(self) -> bytes:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            loop.add_reader(self._descriptor, ready.set)
        except OSError:
            return os.read(self._descriptor, CHUNK_BYTES)  # a file or /dev/null: nothing to wait for
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._descriptor)
        return os.read(self._descriptor, CHUNK_BYTES)
