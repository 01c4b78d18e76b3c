"""The law of secrets: two matches that differ only in what a viewer may not know look the same to that viewer.

A twin of a match is dealt other luck wherever the viewer could not tell: an outcome is exchanged for another one whose
events, redacted for the viewer, are equal. Then the same seats say the same words. As long as the twin accepts them and
no command opens what was hidden, both matches are one to the viewer, and so must everything be that leaves the house:
facts, views, boards, scores, menus, who is to move, and refusals, which would be the quietest leak.
"""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from engine.kernel.chance import Chance, Draw, Roll, spec_of
from engine.kernel.codec import Named
from engine.kernel.commit import Commit, seat_actor
from engine.kernel.facts import Fact, fact_of
from engine.kernel.match import AnyMatch, Decision, MatchState, Request
from engine.kernel.official import ResolveLuck
from engine.kernel.refusal import Refusal
from engine.kernel.value import Seat, SeatView, Viewer, instant_of
from tests.kit.laws import LEGAL
from tests.kit.table import Played, viewers

TRIES = 6
"""Other outcomes tried for one draw."""


def twins_cannot_be_told_apart(played: Played) -> None:
    for viewer in viewers(played.seats)[:-1]:
        _follow(played, viewer, random.Random(str(viewer)))


def _follow(played: Played, viewer: Viewer, dice: random.Random) -> None:
    match = played.match
    twin: MatchState[Any] | None = None
    for index, commit in enumerate(played.commits):
        seen = fact_of(match, commit, viewer)
        if twin is not None:
            _refuses_alike(match, played.states[index - 1], twin, viewer, commit)
        differs = twin is not None and twin != played.states[index - 1]
        for decision in _twin_decisions(match, twin, commit, differs, dice):
            other = _as_fact(match, commit, decision, viewer)
            if other.events == seen.events:
                break
        else:
            return  # something hidden was opened, or the words are illegal in the twin: they part here, openly
        assert other == seen, f"revision {index + 1}: equal events, unequal facts for {viewer}"
        twin = decision.state
        _looks_alike(match, played.states[index], twin, viewer, f"revision {index + 1}, {viewer}")


def _twin_decisions(
    match: AnyMatch, twin: MatchState[Any] | None, commit: Commit, differs: bool, dice: random.Random
) -> Iterator[Decision[Any]]:
    """The same command in the twin; for luck also other outcomes.

    Twins that are still one try those first, twins that differ already try the same outcome first: a twin that differs
    little is not found out early.
    """
    command = match.command_of(commit.command)
    commands: list[Named] = [command]
    if isinstance(command, ResolveLuck) and twin is not None:
        pending = match.pending(twin)
        if not isinstance(pending, Chance):
            return
        others = list(_other_values(pending.spec, command.outcome, dice))
        outcomes = [command.outcome, *others] if differs else [*others, command.outcome]
        commands = [ResolveLuck(command.draw_id, spec_of(pending.spec), values) for values in outcomes]
    for one in commands:
        try:
            yield match.decide(twin, Request(commit.id, commit.actor, instant_of(commit.at), match.record_command(one)))
        except Refusal:
            continue


def _other_values(asked: Draw | Roll, values: tuple[int, ...], dice: random.Random) -> Iterator[tuple[int, ...]]:
    """The outcome with one card or face exchanged."""
    for _ in range(TRIES):
        place = dice.randrange(len(values)) if values else 0
        match asked:
            case Draw(cards):
                remaining = list(cards)
                for card in values[:place] + values[place + 1 :]:
                    if card in remaining:
                        remaining.remove(card)
                if remaining and values:
                    yield (*values[:place], dice.choice(remaining), *values[place + 1 :])
            case Roll(sides):
                yield (*values[:place], 1 + dice.randrange(sides), *values[place + 1 :])


def _as_fact(match: AnyMatch, commit: Commit, decision: Decision[Any], viewer: Viewer) -> Fact:
    return fact_of(match, msgspec.structs.replace(commit, command=decision.command, events=decision.events), viewer)


def _refuses_alike(
    match: AnyMatch, state: MatchState[Any], twin: MatchState[Any], viewer: Viewer, commit: Commit
) -> None:
    """A command of the viewer's own is refused in both matches with the same words, or in neither."""
    own = match.game.commands.types
    if isinstance(viewer, SeatView) and commit.command.type in own:
        answers = {_answer(match, one, viewer.seat, commit) for one in (state, twin)}
        assert len(answers) == 1, (
            f"revision {commit.revision}: a refusal tells {viewer} what it may not know: {answers}"
        )


def _answer(match: AnyMatch, state: MatchState[Any], seat: Seat, commit: Commit) -> str:
    try:
        match.decide(state, Request("law", seat_actor(seat), instant_of(commit.at), commit.command))
    except Refusal as refusal:
        return str(refusal)
    return "accepted"


def _looks_alike(match: AnyMatch, state: MatchState[Any], twin: MatchState[Any], viewer: Viewer, where: str) -> None:
    if state == twin:
        return  # what looks at them is pure
    game = match.game
    view, other = match.view(state, viewer), match.view(twin, viewer)
    assert view == other, f"{where}: equal facts, unequal views"
    assert game.scores(state.game) == game.scores(twin.game), f"{where}: the scores tell the twins apart"
    waits, others_wait = match.pending(state), match.pending(twin)
    if isinstance(waits, Chance) and isinstance(others_wait, Chance):
        same = (waits.label, type(waits.spec), waits.spec.count) == (
            others_wait.label,
            type(others_wait.spec),
            others_wait.spec.count,
        )
    else:
        same = waits == others_wait
    assert same, f"{where}: who is to move tells the twins apart"
    if isinstance(viewer, SeatView):
        legal = (list(islice(game.legal(one.game, viewer.seat), LEGAL)) for one in (state, twin))
        assert next(legal) == next(legal), f"{where}: what is legal tells the twins apart"
