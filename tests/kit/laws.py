"""The laws that every game keeps, one function a law; each takes a played match and fails with a sentence.

They know no game. ``tests/conformance/test_laws.py`` holds every discovered game to them, and a new game may call one
alone. Where a law speaks of all states or all commands, a match is sampled evenly, so that the whole file stays quick.
"""

import random
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any

import msgspec
import pytest

from engine.kernel.chance import Chance
from engine.kernel.codec import Named, Recorded
from engine.kernel.commit import seat_actor
from engine.kernel.facts import fact_of
from engine.kernel.game import AnyGame, Menu, Over, Seats
from engine.kernel.history import History
from engine.kernel.limits import COMMAND_BYTES_MAX, COMMIT_BYTES_MAX, PATH_STEPS_MAX
from engine.kernel.match import AnyMatch, MatchState, Request
from engine.kernel.official import MatchEnded
from engine.kernel.ports import Stored
from engine.kernel.refusal import Refusal
from engine.kernel.value import Referee, Seat, SeatView
from engine.luck.verifier import verify
from tests.kit.given import NOON
from tests.kit.table import Played, some_viewers, viewers

STATES = 10
"""Sampled states of one match."""
COMMANDS = 60
"""Legal commands tried in one state, evenly spread over all of them."""
LEGAL = 1_000
"""Legal commands read in one state. Of a game that has more, the first so many are looked at, and what lies beyond is
asked of ``decide``: a menu may lead there, and so may the clock."""
LINES_TOGETHER = 7
"""Folded at once; a number that divides no turn."""
MENUS = 500
"""Menus opened in one state; a larger tree is walked at random."""

Law = Callable[[Played], None]


# -- the log -----------------------------------------------------------------------------------------------------------


def histories_fold_to_the_same_states(played: Played) -> None:
    """Folding the stored lines gives the states that deciding gave: ``evolve`` accepts what was decided."""
    history = History(played.match, played.commits[0].match)
    for position, (line, state) in enumerate(zip(played.lines, played.states, strict=True), 1):
        history.accept(line, position)
        assert history.state == state, f"revision {position} folds to another state than it was decided with"
    lines = [Stored(position, line) for position, line in enumerate(played.lines, 1)]
    together = History(played.match, played.commits[0].match)
    for start in range(0, len(lines), LINES_TOGETHER):
        together.catch_up(lines[start : start + LINES_TOGETHER])
        assert together.state == played.states[together.revision - 1], "lines folded together give another state"
    assert together.revision == len(lines)


def decoding_undoes_encoding(played: Played) -> None:
    """Commands, events and states survive their stored forms; a line fits its limit."""
    for index, commit in enumerate(played.commits):
        command = played.match.command_of(commit.command)
        assert played.match.record_command(command) == commit.command
        for recorded, event in zip(commit.events, played.events(index), strict=True):
            assert played.match.record_event(event) == recorded
            assert played.match.event_of(played.match.record_event(event)) == event
        assert len(played.lines[index]) <= COMMIT_BYTES_MAX
        assert len(commit.command.data) <= COMMAND_BYTES_MAX or commit.actor == "luck"
    for _, state in played.sample(STATES):
        encoded = msgspec.json.encode(state.game)
        assert msgspec.json.decode(encoded, type=type(state.game)) == state.game, "a state is lost in its own encoding"


def an_export_verifies(played: Played) -> None:
    """Anybody can check it from the lines alone."""
    report = verify(played.lines, lambda _: played.match.game)
    assert report.commits == len(played.lines)
    assert report.ranks == played.states[-1].ended.ranks  # type: ignore[union-attr]  # a match that holds has ended


# -- commands ----------------------------------------------------------------------------------------------------------


def exactly_the_pending_seats_have_legal_commands(played: Played) -> None:
    """``legal`` is non-empty for a pending seat and empty for all others; the same seen from that seat."""
    game = played.match.game
    for revision, state in _positions(played):
        pending = played.match.pending(state)
        waiting = pending.seats if isinstance(pending, Seats) else ()
        assert list(waiting) == sorted(set(waiting)), f"revision {revision}: pending seats unsorted or repeated"
        assert waiting or not isinstance(pending, Seats), f"revision {revision}: waits for nobody"
        assert not set(waiting) & set(state.left), f"revision {revision}: waits for a seat that has left"
        for seat in range(played.seats):
            legal = _legal(game, state.game, seat, 5 * COMMANDS)
            assert bool(legal) == (seat in waiting), f"revision {revision}, seat {seat}: {len(legal)} legal commands"
            own = _legal(game, game.view(state.game, SeatView(seat)), seat, 5 * COMMANDS)
            assert own == legal, f"revision {revision}, seat {seat}: its view allows other commands"


def legal_commands_are_sorted_and_unique(played: Played) -> None:
    """By type in the codec's order, then by field; no command twice."""
    game = played.match.game
    order = {kind: place for place, kind in enumerate(game.commands.types.values())}
    for revision, state, seat in _turns(played):
        keys = [(order[type(command)], _sortable(command)) for command in _legal(game, state.game, seat)]
        assert all(a < b for a, b in pairwise(keys)), f"revision {revision}, seat {seat}: unsorted"


def every_legal_command_is_accepted_from_its_seat_alone(played: Played) -> None:
    """A refusal of any other seat leaves the state as it was."""
    match = played.match
    for revision, state, seat in _turns(played):
        legal = _legal(match.game, state.game, seat)
        before = msgspec.json.encode(state)
        pending = match.pending(state)
        assert isinstance(pending, Seats)
        for command in legal[:: max(1, len(legal) // COMMANDS)]:
            _decide(match, state, seat, command)
        for other in set(range(played.seats)) - set(pending.seats):
            with pytest.raises(Refusal) as refused:
                _decide(match, state, other, legal[0])
            assert refused.value.code in ("not_your_turn", "seat_has_left"), refused.value.code
        assert msgspec.json.encode(state) == before, f"revision {revision}: deciding changed the state"


def a_refusal_changes_nothing(played: Played) -> None:
    """Commands of other moments are either accepted or refused with a sentence; the log does not move."""
    match, game = played.match, played.match.game
    commands = list(map(match.command_of, _moves(played)))
    for index, _ in played.sample(STATES):
        history = History(match, played.commits[0].match)
        for position, line in enumerate(played.lines[: index + 1], 1):
            history.accept(line, position)
        before = (history.revision, history.head, msgspec.json.encode(history.state))
        for command in commands[:: max(1, len(commands) // 20)]:
            for seat in range(played.seats):
                recorded = game.commands.encode(command)
                try:
                    history.propose(Request("law", seat_actor(seat), history.at, recorded))
                except Refusal as refusal:
                    _well_worded(refusal)
                assert (history.revision, history.head, msgspec.json.encode(history.state)) == before


def menus_lead_to_legal_commands_and_to_all_of_them(played: Played) -> None:
    """Every path through ``choices`` ends in an accepted command, and every legal command has a path."""
    game = played.match.game
    for revision, state, seat in _turns(played, STATES // 2):
        where = f"revision {revision}, seat {seat}"
        legal = _legal(game, state.game, seat)
        reached: list[Named] = []
        whole = True
        for count, (path, menu) in enumerate(_menus(game, state.game, seat, random.Random(revision))):
            keys = [choice.key for choice in menu.choices]
            assert len(keys) == len(set(keys)), f"{where}: {path} offers a key twice"
            assert all(choice.key and choice.label for choice in menu.choices), f"{where}: {path} offers a blank"
            assert menu.choices or menu.command, f"{where}: {path} is a dead end"
            assert menu.prompt, f"{where}: {path} asks nothing"
            assert len(path) <= PATH_STEPS_MAX, f"{where}: {path} is too long"
            if menu.command is not None:
                reached.append(game.commands.decode(msgspec.json.decode(menu.command, type=Recorded)))
            if count > MENUS:
                whole = False
                break
        if len(legal) == LEGAL:
            for command in reached[:: max(1, len(reached) // COMMANDS)]:
                _decide(played.match, state, seat, command)
            continue
        known = set(map(_key, legal))
        assert {_key(command) for command in reached} <= known, f"{where}: a menu offers what is not legal"
        assert not whole or {_key(command) for command in reached} == known, f"{where}: no menu leads to some command"


def menus_are_the_same_from_the_seat(played: Played) -> None:
    """What is offered needs no more than the seat may know; a path that is none is refused."""
    game = played.match.game
    for revision, state, seat in _turns(played):
        view = game.view(state.game, SeatView(seat))
        for path, menu in islice(_menus(game, state.game, seat, random.Random(revision)), 20):
            assert game.choices(view, seat, path) == menu, f"revision {revision}, seat {seat}: {path} differs"
            for bad in ("no such key", "", "-1", "9" * 5000, "\x00"):
                with pytest.raises(Refusal) as refused:
                    game.choices(state.game, seat, (*path, bad))
                _well_worded(refused.value)


def the_default_is_legal(played: Played) -> None:
    """What the clock plays is a command the seat could have played, and tells nothing the seat may not know."""
    game = played.match.game
    for revision, state, seat in _turns(played):
        default = game.default(state.game, seat)
        _decide(played.match, state, seat, default)
        legal = _legal(game, state.game, seat)
        assert default in legal or len(legal) == LEGAL, f"revision {revision}, seat {seat}: {default} is not legal"
        assert game.default(game.view(state.game, SeatView(seat)), seat) == default


def what_a_game_picks_is_legal(played: Played) -> None:
    """Whatever the lot says, from the lowest to the highest; and from no more than the seat may know."""
    game = played.match.game
    for revision, state, seat in _turns(played):
        legal = _legal(game, state.game, seat)
        view = game.view(state.game, SeatView(seat))
        for lot in (lambda count: 0, lambda count: count // 2, lambda count: count - 1):
            picked = game.pick(state.game, seat, lot)
            _decide(played.match, state, seat, picked)
            assert picked in legal or len(legal) == LEGAL, f"revision {revision}, seat {seat}: {picked} is not legal"
            assert game.pick(view, seat, lot) == picked, f"revision {revision}, seat {seat}: its view picks another"


# -- the end -----------------------------------------------------------------------------------------------------------


def play_ends_with_every_seat_ranked(played: Played) -> None:
    """Within ``turns_max`` (``play`` sees to that); ranks as at the games: 1, 2, 2, 4; totals as scored."""
    ends = [event for index in range(len(played.commits)) for event in played.events(index) if _is_end(event)]
    assert len(ends) == 1, "a match ends once"
    state = played.states[-1]
    assert state.ended is not None
    ranks = state.ended.ranks
    assert len(ranks) == played.seats
    assert all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks), f"{ranks} are no ranks"
    assert state.ended.totals == tuple(score.total for score in played.match.game.scores(state.game))
    assert state.ended.reason
    over = played.match.game.pending(state.game)
    assert over == Over(ranks, state.ended.reason), "the game does not stay over"


# -- showing -----------------------------------------------------------------------------------------------------------


def a_view_folds_like_the_state(played: Played) -> None:
    """``view(evolve(s, e), v) == evolve(view(s, v), redact(e, v))``, event by event."""
    match = played.match
    for viewer in viewers(played.seats):
        state: MatchState[Any] | None = None
        view: MatchState[Any] | None = None
        for index in range(len(played.commits)):
            for event in played.events(index):
                state = match.evolve(state, event)
                view = match.evolve(view, match.redact(event, viewer))
                assert match.view(state, viewer) == view, f"revision {index + 1}: {viewer} loses track at {event.name}"


def looking_twice_shows_no_more(played: Played) -> None:
    """``view`` and ``redact`` are idempotent, keep the type, and hide nothing from a referee."""
    match = played.match
    for viewer in viewers(played.seats):
        for _, state in played.sample(STATES):
            view = match.view(state, viewer)
            assert match.view(view, viewer) == view
            assert match.view(state, Referee()) == state
            assert type(view.game) is type(state.game)
            msgspec.json.encode(view)
        for index in range(len(played.commits)):
            for event in played.events(index):
                shown = match.redact(event, viewer)
                assert type(shown) is type(event)
                assert match.redact(shown, viewer) == shown
                assert match.redact(event, Referee()) == event
                assert match.event_of(match.record_event(shown)) == shown, "a redacted event has no stored form"


def everybody_knows_who_is_to_move(played: Played) -> None:
    """``pending`` of a view names the same seats, the same label of luck or the same end as that of the state."""
    match = played.match
    for revision, state in _positions(played):
        truth = match.pending(state)
        for viewer in viewers(played.seats):
            seen = match.pending(match.view(state, viewer))
            if isinstance(truth, Chance) and isinstance(seen, Chance):
                assert (seen.label, type(seen.spec)) == (truth.label, type(truth.spec))
            else:
                assert seen == truth, f"revision {revision}: {viewer} thinks it waits for {seen}"


def scores_are_public_and_add_up(played: Played) -> None:
    """By seat; the same for every viewer; the lines of a breakdown add up to its total."""
    game = played.match.game
    for revision, state in _positions(played):
        scores = game.scores(state.game)
        assert [score.seat for score in scores] == list(range(played.seats))
        for score in scores:
            assert sum(line.points for line in score.lines) == score.total, f"revision {revision}: {score}"
            for keys in ([line.key for line in score.lines], [goal.key for goal in score.objectives]):
                assert len(keys) == len(set(keys))
        for viewer in viewers(played.seats):
            assert game.scores(game.view(state.game, viewer)) == scores, (
                f"revision {revision}: {viewer} scores otherwise"
            )


def boards_are_pictures_of_the_view(played: Played) -> None:
    """Well-formed, ids unique, deterministic; every place that a menu names is there for the seat it is offered to."""
    game = played.match.game
    for number, (revision, state) in enumerate(played.sample(STATES)):
        for viewer in some_viewers(played.seats, number):
            board = game.board(game.view(state.game, viewer), viewer)
            where = f"revision {revision + 1}, {viewer}"
            root = ET.fromstring(board)
            assert root.tag in ("svg", "{http://www.w3.org/2000/svg}svg"), where
            ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
            assert len(ids) == len(set(ids)), f"{where}: an id stands twice"
            assert "<script" not in board
            assert game.board(game.view(state.game, viewer), viewer) == board, f"{where}: two pictures of one view"
            if isinstance(viewer, SeatView):
                _places_are_on(game, state.game, viewer.seat, set(ids))


def every_event_has_words_or_is_silent_for_all(played: Played) -> None:
    """A sentence ends like one; asking for an unknown language is no error."""
    match = played.match
    for index, commit in enumerate(played.commits):
        for viewer in viewers(played.seats):
            fact = fact_of(match, commit, viewer)
            assert all(sentence == sentence.strip() and sentence[-1] in ".!?" for sentence in fact.words), fact.words
            fact_of(match, commit, viewer, "xx")
        assert len(commit.events) == len(played.events(index))


# -- helpers -----------------------------------------------------------------------------------------------------------


def _positions(played: Played) -> Iterator[tuple[int, MatchState[Any]]]:
    for index, state in played.sample(3 * STATES):
        yield index + 1, state


def _turns(played: Played, count: int = STATES) -> Iterator[tuple[int, MatchState[Any], Seat]]:
    """Sampled states with a seat that is to move."""
    for index, state in played.sample(count):
        pending = played.match.pending(state)
        if isinstance(pending, Seats):
            yield index + 1, state, pending.seats[index % len(pending.seats)]


def _moves(played: Played) -> list[Recorded]:
    own = played.match.game.commands.types
    return [commit.command for commit in played.commits if commit.command.type in own]


def _legal(game: AnyGame, state: Any, seat: Seat, most: int = LEGAL) -> list[Named]:
    return list(islice(game.legal(state, seat), most))


def _decide(match: AnyMatch, state: MatchState[Any], seat: Seat, command: Named) -> None:
    match.decide(state, Request("law", seat_actor(seat), NOON, match.record_command(command)))


def _key(command: Named) -> tuple[str, bytes]:
    return command.name, msgspec.json.encode(command)


def _sortable(value: Any) -> Any:
    """A struct as nested tuples in which nothing sorts before something, and types never mix."""
    if isinstance(value, msgspec.Struct):
        return tuple(_sortable(field) for field in msgspec.structs.astuple(value))
    if isinstance(value, (tuple, list)):
        return tuple(_sortable(item) for item in value)
    return (value is not None, str(type(value)), value if value is not None else 0)


def _well_worded(refusal: Refusal) -> None:
    assert refusal.code.replace("_", "").isalnum(), refusal.code
    assert refusal.code == refusal.code.lower(), refusal.code
    assert refusal.sentence.endswith("."), refusal.sentence
    assert len(refusal.sentence) < 400, "a refusal repeats its input at length"
    assert refusal.sentence.isprintable(), repr(refusal.sentence)


def _menus(game: AnyGame, state: Any, seat: Seat, dice: random.Random) -> Iterator[tuple[tuple[str, ...], Menu]]:
    """Every menu of a state, in depth first; the branches in random order, for those who stop before the end."""
    stack: list[tuple[str, ...]] = [()]
    while stack:
        path = stack.pop()
        menu = game.choices(state, seat, path)
        yield path, menu
        keys = [choice.key for choice in menu.choices]
        dice.shuffle(keys)
        stack.extend((*path, key) for key in keys)


def _places_are_on(game: AnyGame, state: Any, seat: Seat, ids: set[str]) -> None:
    if next(iter(game.legal(state, seat)), None) is None:
        return
    for path, menu in islice(_menus(game, state, seat, random.Random(0)), 20):
        for choice in menu.choices:
            assert not choice.place or choice.place in ids, (
                f"seat {seat}: {path} offers {choice.place}, not on the board"
            )


def _is_end(event: Named) -> bool:
    return isinstance(event, MatchEnded)
