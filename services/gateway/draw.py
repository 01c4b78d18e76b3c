"""A program that draws one picture: an SVG on standard input becomes a PNG on standard output.

    python -m services.gateway.draw WIDTH

In a process of its own because the library holds the interpreter's lock for all of the half second that a full board
takes, in which a gateway would tell nobody anything. Exit code 3 says that this machine has no font that is known
here: a picture without its words would say less than none.
"""

import sys
from pathlib import Path
from typing import Final

import resvg_py

NO_FONTS: Final = 3

FOLDERS: Final = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path("/Library/Fonts"),
    Path("/System/Library/Fonts"),
    Path("C:/Windows/Fonts"),
)

FAMILIES: Final = {
    "DejaVuSans.ttf": "DejaVu Sans",
    "NotoSans-Regular.ttf": "Noto Sans",
    "LiberationSans-Regular.ttf": "Liberation Sans",
    "Ubuntu-R.ttf": "Ubuntu",
    "Roboto-Regular.ttf": "Roboto",
    "FreeSans.ttf": "FreeSans",
    "segoeui.ttf": "Segoe UI",
    "Arial.ttf": "Arial",
    "arial.ttf": "Arial",
    "NotoSansCJK-Regular.ttc": "Noto Sans CJK KR",
    "NanumGothic.ttf": "NanumGothic",
}
"""File → the family in it, best first. What a picture asks for by name is drawn with that if it is there; where it is
not, this stands for ``sans-serif``, which otherwise would be a family that may not be there either, and nothing drawn.
"""


def family() -> str | None:
    """The family that stands for ``sans-serif`` here."""
    there = {file.name for folder in FOLDERS if folder.is_dir() for file in folder.rglob("*.tt[fc]")}
    return next((name for file, name in FAMILIES.items() if file in there), None)


def main() -> None:
    plain = family()
    if plain is None:
        raise SystemExit(NO_FONTS)
    svg = sys.stdin.buffer.read().decode()
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg, width=int(sys.argv[1]), sans_serif_family=plain, font_family=plain
    )  # fmt: skip
    sys.stdout.buffer.write(drawn)


if __name__ == "__main__":
    main()
