"""What must be true of clocks, asked of the times in the commits and of the beats that were taken down."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec

from engine.kernel.commit import Commit
from engine.kernel.official import (
    EVENTS,
    BankChanged,
    ClockStarted,
    Leave,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    TimeCalled,
    TimeExtended,
    TimeGivenBack,
    TurnExpired,
)
from engine.kernel.value import Instant, instant_of
from tests.sim.checkers import Finding, Matches, says
from tests.sim.records import Beat, Evidence
from tests.sim.refold import Refold

SLACK_US = 15_000_000
"""What a host may take between asking who was there and the commit: three seconds, and a few slow conflicts."""

ANSWER_US = 1_000_000
"""How old what was heard of a beat may be."""


class _Clock(msgspec.Struct):
    """A bookkeeper of its own, by the sentences of the decision record and not by the kernel's code."""

    turn_us: int
    increment_us: int
    banks: list[int]
    began: Instant = 0
    deadline: Instant = 0
    paused: Instant = 0
    called: bool = False
    given_back: Instant = 0


def _clock(refolded: Refold) -> _Clock:
    opened = msgspec.json.decode(refolded.commits[0].events[0].data)
    bank_us = opened.get("bank_ms", 0) * 1000
    return _Clock(opened["turn_ms"] * 1000, opened.get("increment_ms", 0) * 1000, [bank_us] * opened["seats"])


def _told(commit: Commit) -> list[Any]:
    return [EVENTS.decode(event) for event in commit.events if event.type in EVENTS.types]


def _take(clock: _Clock, event: Any) -> None:
    match event:
        case BankChanged(seat, bank_us):
            clock.banks[seat] = bank_us
        case TimeExtended(seats, ms):
            for seat in seats:
                clock.banks[seat] += ms * 1000
        case ClockStarted(_, deadline, began):
            clock.deadline = instant_of(deadline)
            clock.began = instant_of(began) if began else clock.deadline - clock.turn_us
        case MatchPaused(since):
            clock.paused = instant_of(since)
        case MatchResumed():
            clock.paused = 0
        case TimeCalled():
            clock.called = True
        case TimeGivenBack(_, until):
            clock.given_back = instant_of(until)
        case _:
            pass


@says("Time runs out for nobody before the deadline, and while a match is paused no clock runs and no seat moves.")
def stands_still(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for match_id, refolded in matches.items():
        clock = _clock(refolded)
        for commit in refolded.commits:
            expired = any(isinstance(event, TurnExpired) for event in _told(commit))
            if expired and instant_of(commit.at) < clock.deadline:
                yield Finding(match_id, commit.revision, "time ran out before the deadline")
            by_a_seat = commit.actor.startswith("seat:") and commit.command.type != Leave.name
            if clock.paused and (expired or by_a_seat):
                yield Finding(match_id, commit.revision, f"{commit.actor} acts in a pause")
            for event in _told(commit):
                _take(clock, event)


@says("A seat pays from its bank exactly for what it took beyond the turn time, and is given the increment.")
def pays_for_time(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for match_id, refolded in matches.items():
        clock = _clock(refolded)
        for commit in refolded.commits:
            told = _told(commit)
            if any(isinstance(event, MatchEnded) for event in told):
                break
            owed, began = {}, clock.began
            if commit.actor.startswith("seat:") and commit.command.type != Leave.name:
                seat = int(commit.actor.partition(":")[2])
                used = max(0, instant_of(commit.at) - clock.began - clock.turn_us)
                owed = {seat: max(0, clock.banks[seat] - used) + clock.increment_us}
            for event in told:
                if isinstance(event, MatchResumed):
                    began += instant_of(commit.at) - clock.paused
                if isinstance(event, TimeGivenBack):
                    began += instant_of(event.until) - instant_of(event.since)
                _take(clock, event)
            for seat, bank in owed.items():
                if clock.banks[seat] != bank:
                    yield Finding(match_id, commit.revision, f"seat {seat} has {clock.banks[seat]} us, not {bank}")
            is_moved = any(isinstance(event, MatchResumed | TimeGivenBack) for event in told)
            if is_moved and any(isinstance(event, ClockStarted) for event in told) and clock.began != began:
                yield Finding(match_id, commit.revision, "the turn was not moved by the time that stood still")


@says("What nobody was there for is given back once, before the clock runs out; where somebody was there, nothing is.")
def gives_back(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for match_id, refolded in matches.items():
        beats = [beat for beat in evidence.record.beats if beat.game == refolded.match.game.key]
        clock = _clock(refolded)
        for commit in refolded.commits:
            at = instant_of(commit.at)
            for event in _told(commit):
                if isinstance(event, TimeGivenBack):
                    since, until = instant_of(event.since), instant_of(event.until)
                    if not clock.given_back <= since < until <= at:
                        yield Finding(match_id, commit.revision, "that time is given back twice, or has not passed")
                    if any(since + ANSWER_US < beat.at and beat.taken < until - ANSWER_US for beat in beats):
                        yield Finding(match_id, commit.revision, "somebody was there")
                since = max(clock.began, clock.given_back)
                is_late = isinstance(event, TurnExpired) and not clock.called
                if is_late and _longest_absence(beats, since, at) > SLACK_US:
                    yield Finding(match_id, commit.revision, "time ran out while nobody was there")
                _take(clock, event)


def _longest_absence(beats: list[Beat], since: Instant, until: Instant) -> int:
    """The longest time between two instants, microseconds, in which nobody was there; 0 before anybody ever was."""
    times = sorted(beat.at for beat in beats if beat.at <= until)
    spans = pairwise([*times, until])
    return max((end - max(begin, since) for begin, end in spans), default=0)
