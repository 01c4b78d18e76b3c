"""How a complete match stood at its end, kept beside its lines, so that its last board needs none of them folded.

What is kept is the folded state and not what anybody was shown of it: it is looked at through the same ``view`` as one
that has just been folded, so every viewer is shown what the lines would show, and no more.

It follows from the lines, and whoever keeps it has folded them. It counts for nothing where the code has another idea
of a state than the one that kept it (``shape``) or where it was not kept with these lines (``seal``).
"""

import asyncio
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec

from engine.kernel.history import AnyHistory, History
from engine.kernel.match import AnyMatch, MatchState
from engine.kernel.ports import Stored
from services.kit.following import match_of_rules, rules_of

ENDS_VERSION: Final = 1
"""Raised by whoever makes a fold come out otherwise without new rules or new fields: all is folded again then."""

SLICE: Final = 32
"""Commits that are folded before others have their turn."""


class Damaged(Exception):
    """What is kept is not what was written. The text says what is wrong."""


class End(msgspec.Struct, frozen=True, array_like=True):
    """As it is kept. ``state`` is empty if this code cannot keep the states of the game."""

    shape: bytes
    seal: bytes
    state: bytes


class Ended(NamedTuple):
    """A match that somebody has folded to its end. ``root`` is the hash of its last line."""

    match: AnyMatch
    root: str
    state: MatchState[Any]


def kept_of(ended: Ended) -> End:
    """What is to be kept. A state that would not come back as it is stays out."""
    game_state: type[msgspec.Struct] = type(ended.state.game)
    shape, decoder = _form(game_state)
    data = msgspec.msgpack.encode(ended.state)
    try:
        comes_back = decoder.decode(data) == ended.state
    except msgspec.MsgspecError:
        comes_back = False
    data = data if comes_back else b""
    return End(shape, _seal(ended.root, shape, data), data)


def is_of_this_code(end: End | None, game_state: type[msgspec.Struct]) -> bool:
    """Whether this code would keep nothing else. ``game_state`` is the type of the game's own states."""
    return end is not None and end.shape == _form(game_state)[0]


def state_of(end: End | None, game_state: type[msgspec.Struct], root: str) -> MatchState[Any] | None:
    """The state that was kept; ``None`` if the lines must be folded. Raises ``Damaged``."""
    if end is None or not end.state or not is_of_this_code(end, game_state):
        return None
    if end.seal != _seal(root, end.shape, end.state):
        raise Damaged("its end was not kept with these lines")
    try:
        return _form(game_state)[1].decode(end.state)
    except msgspec.MsgspecError as error:
        raise Damaged(f"its end cannot be read: {error}") from error


async def folded(match_id: str, lines: Sequence[Stored]) -> Ended:
    """Fold a whole match, some commits at a time. Raises ``BrokenLog``, and ``Refusal`` for rules that are not here."""
    match = match_of_rules(rules_of(match_id, lines[0]))
    history: AnyHistory = History(match, match_id, proposes=False)
    for start in range(0, len(lines), SLICE):
        history.catch_up(lines[start : start + SLICE])
        await asyncio.sleep(0)
    return Ended(match, history.head, history.state)


@cache
def _form(game_state: type[msgspec.Struct]) -> tuple[bytes, msgspec.msgpack.Decoder[MatchState[Any]]]:
    """What names and types the fields of a state have, as a hash, and how it is decoded."""
    kind = MatchState[game_state]  # type: ignore[valid-type]  # known when it runs
    shape = f"{ENDS_VERSION} {msgspec.inspect.type_info(kind)!r}"
    return sha256(shape.encode()).digest()[:8], msgspec.msgpack.Decoder(kind)


def _seal(root: str, shape: bytes, state: bytes) -> bytes:
    return sha256(root.encode() + shape + state).digest()
