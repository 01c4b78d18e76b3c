"""Pictures as PNG: drawn by a program of their own, few at a time, and kept while they are asked for."""

import asyncio
import hashlib
import re
import sys
from collections import OrderedDict
from typing import Final

from engine.kernel.game import Svg
from engine.kernel.ports import Unavailable
from services.gateway.draw import NO_FONTS

KEPT_BYTES_MAX: Final = 32 * 2**20
PIXELS_MAX: Final = 8_000_000
"""Of one picture; a board of very many seats is drawn smaller than it is asked for."""
AT_ONCE: Final = 1
"""A picture uses a whole core; the rest of the machine is for the matches."""
WAITING_MAX: Final = 50
SECONDS_MAX: Final = 20.0

_SIZE: Final = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


def size_of(svg: Svg) -> tuple[int, int]:
    """Width and height, in the units of the picture."""
    found = _SIZE.search(svg)
    assert found is not None, "every picture of a game has its size"
    return int(found[1]), int(found[2])


def width_for(svg: Svg, asked: int) -> int:
    """The width in pixels that is drawn if ``asked`` is asked for."""
    across, down = size_of(svg)
    while asked * asked * down // across > PIXELS_MAX:
        asked = asked * 9 // 10
    return asked


def name_of(svg: Svg, width: int) -> str:
    """What tells a picture from all others, before it is drawn."""
    return hashlib.sha256(f"{width}\0{svg}".encode()).hexdigest()[:24]


class Drawings:
    def __init__(self) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        """The one that was asked for last comes last."""
        self._kept_bytes = 0
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def png(self, svg: Svg, width: int) -> bytes:
        """``width`` in pixels. Raises ``Unavailable`` (``picture_unavailable``, ``no_fonts``)."""
        name = name_of(svg, width)
        if name in self._kept:
            self._kept.move_to_end(name)
            return self._kept[name]
        if self._waiting >= WAITING_MAX:
            raise _unavailable()
        self._waiting += 1
        try:
            async with self._at_once:
                # Somebody may have had the same drawn while this one waited.
                return self._kept[name] if name in self._kept else self._keep(name, await _draw(svg, width))
        finally:
            self._waiting -= 1

    def _keep(self, name: str, drawn: bytes) -> bytes:
        self._kept[name] = drawn
        self._kept_bytes += len(drawn)
        while self._kept_bytes > KEPT_BYTES_MAX:
            self._kept_bytes -= len(self._kept.popitem(last=False)[1])
        return drawn


async def _draw(svg: Svg, width: int) -> bytes:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.gateway.draw", str(width),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with asyncio.timeout(SECONDS_MAX):
            drawn, _ = await process.communicate(svg.encode())
    except TimeoutError:
        raise _unavailable() from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode == NO_FONTS:
        raise Unavailable("no_fonts", "This machine has no font to write on a picture with; the board is there as SVG.")
    if process.returncode:
        raise _unavailable()
    return drawn


def _unavailable() -> Unavailable:
    return Unavailable("picture_unavailable", "The picture cannot be drawn just now; ask again in a moment.")
