"""Golden playthroughs: one match as text, revision by revision, as each viewer sees it.

``engine/games/<game>/playthroughs/*.txt`` begin with a header that says how the match is played; the rest follows from
it. They are read by people, above all when a rule or a redaction changes: the difference shows who sees what now. To
add one, write a header (the lines up to the first blank one) and run ``python -m tests.kit.playthrough --write``, which
makes all of them anew; without ``--write`` it names those that have changed.

    game: just4fun/1
    seats: 2
    options: {}
    seed: 1
    driver: random
    leavers: 0
    clock: false

Viewers who see the same share a line; ``all`` are all of them; ``=>`` is what has become of it.
"""

import random
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from engine.games import game_of_rules
from engine.kernel.chance import Chance
from engine.kernel.codec import Named
from engine.kernel.commit import Commit
from engine.kernel.facts import fact_of
from engine.kernel.game import AnyGame, Automatic, Over, Seats
from engine.kernel.value import Seat, viewer_name
from tests.kit.cases import games_folder
from tests.kit.table import Driver, Played, pick, play, viewers

WIDTH = 2_000
"""Characters of one line of a playthrough; a longer one is cut, as a shuffle of a large deck would be."""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the match is played."""

    game: str
    seats: int
    options: dict[str, Any]
    seed: int
    driver: str
    leavers: int = 0
    clock: bool = False


def _default(game: AnyGame, state: Any, seat: Seat, dice: random.Random) -> Named:
    command: Named = game.default(state, seat)
    return command


DRIVERS: dict[str, Driver] = {"random": pick, "default": _default}


def files() -> list[Path]:
    return sorted(games_folder().glob("*/playthroughs/*.txt"))


def header_of(text: str) -> Header:
    """Raises ``ValueError`` naming what does not fit."""
    head, _, _ = text.partition("\n\n")
    fields: dict[str, Any] = {}
    for line in head.strip().splitlines():
        key, _, value = line.partition(":")
        fields[key] = value.strip() if key in ("game", "driver") else msgspec.json.decode(value)
    return msgspec.convert(fields, Header)


def playthrough(header: Header) -> str:
    """The whole text of a file with this header."""
    game = game_of_rules(header.game)
    played = play(
        game,
        header.seats,
        header.options,
        header.seed,
        leavers=header.leavers,
        sleepers=header.clock,
        driver=DRIVERS[header.driver],
    )
    return "\n".join(line[:WIDTH].rstrip() for line in (*_head(header), *_body(played))) + "\n"


def _head(header: Header) -> Iterator[str]:
    for key, value in msgspec.structs.asdict(header).items():
        yield f"{key}: {value if isinstance(value, str) else msgspec.json.encode(value).decode()}"


def _body(played: Played) -> Iterator[str]:
    scores = ""
    for commit, state in zip(played.commits, played.states, strict=True):
        command = commit.command
        yield ""
        yield f"-- revision {commit.revision}: {commit.actor} {command.type} {bytes(command.data).decode()}"
        yield from _seen(played, commit)
        yield f"   => waits for {_waits_for(played, state)}"
        now = "  ".join(f"seat {score.seat}: {score.total}" for score in played.match.game.scores(state.game))
        if now != scores:
            yield f"   => scores {now}"
        scores = now


def _seen(played: Played, commit: Commit) -> Iterator[str]:
    """Each event and sentence in its order; one that is not the same for all once for each who sees it otherwise."""
    everybody = viewers(played.seats)
    facts = [fact_of(played.match, commit, viewer) for viewer in everybody]
    events = zip(
        *([f"{event.type} {bytes(event.data).decode()}" for event in fact.events] for fact in facts), strict=True
    )
    words = zip_longest(*([f"“{sentence}”" for sentence in fact.words] for fact in facts), fillvalue="(silence)")
    for row in (*events, *words):
        groups: dict[str, list[str]] = {}
        for viewer, shown in zip(everybody, row, strict=True):
            groups.setdefault(shown, []).append(viewer_name(viewer))
        for shown, names in groups.items():
            yield f"   {'all' if len(groups) == 1 else ' '.join(names)}: {shown}"


def _waits_for(played: Played, state: Any) -> str:
    match played.match.pending(state):
        case Seats(seats):
            return " ".join(f"seat:{seat}" for seat in seats)
        case Automatic():
            return "the house"
        case Chance(label, spec):
            return f"luck: {label}, {type(spec).__name__.lower()} of {spec.count}"
        case Over(ranks, reason):
            ranked = " ".join(map(str, ranks))
            return f"{'nobody' if state.seed else 'the seed'}: over by {reason}, ranks {ranked}"


def main() -> int:
    changed = 0
    for path in files():
        text = path.read_text("utf-8")
        now = playthrough(header_of(text))
        if now != text:
            changed += 1
            print(path.relative_to(games_folder()))
            if "--write" in sys.argv:
                path.write_text(now, "utf-8")
    return 1 if changed and "--write" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
