"""The checkers are worth their time: whatever is spoiled in a run that holds, the checker that forbids it says so.

``SPOILED`` changes the evidence of a good run, once for every checker. Below it whole runs are made with one part of
the house built badly, as somebody might build it one day.
"""

import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import msgspec
import pytest

from engine.kernel.chance import Draw, Roll
from engine.kernel.commit import decode_line, encode_line, line_hash
from engine.kernel.official import BankChanged, ClockStarted
from engine.kernel.ports import Appended, Position, Stored
from services.deck.app import Deck
from services.kit.key import KeyRing
from services.kit.memory_log import MemoryLog
from services.rules.app import MatchHost
from services.rules.presence import Gap, Presence
from services.spectator.app import Gallery
from services.spectator.feed import Feed
from services.spectator.tables import TABLES
from tests.sim.checkers import CHECKERS
from tests.sim.faults import LogServer, SimReadModel
from tests.sim.plan import CALM, Plan, Rates, plan_of
from tests.sim.process import Process, Service, for_ever, nothing
from tests.sim.records import Answer, Beat, Deal, Evidence, SeedGiven
from tests.sim.refold import refold
from tests.sim.seeds import report, violation_of
from tests.sim.virtual_loop import DAWN, VirtualLoop
from tests.sim.world import Publisher, World, run_plan

GOOD_SEED = 6
"""Dice duels and Just 4 Fun side by side, with viewers."""

DARK_S = (4.0, 30.0)
"""Nobody reaches the log: clocks that ran then are given their time back."""

Spoil = Callable[[Evidence], None]


@cache
def good() -> Evidence:
    plan = msgspec.structs.replace(plan_of(GOOD_SEED), rates=CALM, dark_s=DARK_S)
    run = run_plan(plan)
    assert violation_of(run) is None
    run.evidence.record.has_ended = _has_ended
    return run.evidence


def _has_ended(match: str) -> bool:
    """The run is over, and so are its matches."""
    return True


def a_match(evidence: Evidence, game: str = "just4fun") -> str:
    return next(str(plan.match_id) for plan in evidence.planned.matches if plan.game == game)


def drop_a_line(evidence: Evidence) -> None:
    del evidence.lines[a_match(evidence)][3]


def forge_a_time(evidence: Evidence) -> None:
    lines = evidence.lines[a_match(evidence)]
    commit = decode_line(lines[4])
    lines[4] = encode_line(
        msgspec.structs.replace(commit, at=commit.at[:-2] + ("1Z" if commit.at[-2] != "1" else "2Z"))
    )


def tell_events_otherwise(evidence: Evidence) -> None:
    """With a chain that holds again: only deciding finds it."""
    lines = evidence.lines[a_match(evidence, "duel")]
    commits = [decode_line(line) for line in lines]
    place = next(place for place, commit in enumerate(commits) if commit.command.type == "duel.pick")
    commits[place] = msgspec.structs.replace(commits[place], events=())
    _chain_again(lines, commits)


def accept_twice(evidence: Evidence) -> None:
    lines = evidence.lines[a_match(evidence)]
    commits = [decode_line(line) for line in lines]
    commits[6] = msgspec.structs.replace(commits[6], id=commits[4].id, actor=commits[4].actor)
    _chain_again(lines, commits)


def _chain_again(lines: list[bytes], commits: list[Any]) -> None:
    for place, commit in enumerate(commits):
        prev = line_hash(lines[place - 1]) if place else commit.prev
        lines[place] = encode_line(msgspec.structs.replace(commit, prev=prev))


def leave_unfinished(evidence: Evidence) -> None:
    evidence.lines[a_match(evidence)].pop()


def acknowledge_nothing(evidence: Evidence) -> None:
    evidence.record.answers.append(Answer(a_match(evidence), "seat:0", "never-sent", "accepted", 7, 0))


def name_another_revision(evidence: Evidence) -> None:
    told = next(answer for answer in evidence.record.answers if answer.said == "accepted" and answer.revision > 1)
    evidence.record.answers.append(msgspec.structs.replace(told, said="duplicate", revision=1, in_log=told.revision))


def refuse_a_fact(evidence: Evidence) -> None:
    told = next(answer for answer in evidence.record.answers if answer.said == "accepted")
    evidence.record.answers.append(
        msgspec.structs.replace(told, said="not_your_turn", revision=0, in_log=told.revision)
    )


def deal_again(evidence: Evidence) -> None:
    dealt = evidence.record.deals[0]
    evidence.record.deals.append(Deal(dealt.match, dealt.draw_id, dealt.asked, (*dealt.values, 1)))


def give_the_seed(evidence: Evidence) -> None:
    evidence.record.seeds.append(SeedGiven(a_match(evidence), "00", ended=False))


def send_the_seed(evidence: Evidence) -> None:
    match_id = a_match(evidence)
    seed = refold(evidence)[match_id].states[-1].seed
    sight = next(sight for sight in evidence.record.sights if sight.match == match_id)
    sight.facts[2] = msgspec.structs.replace(sight.facts[2], words=(f"The seed is {seed}.",))


def export_too_little(evidence: Evidence) -> None:
    evidence.record.exports[a_match(evidence)].pop()


def skip_a_fact(evidence: Evidence) -> None:
    del evidence.record.sights[0].facts[3]


def send_a_fact_twice(evidence: Evidence) -> None:
    facts = evidence.record.sights[0].facts
    facts.insert(3, facts[3])


def stop_sending(evidence: Evidence) -> None:
    evidence.record.sights[0].facts.pop()


def send_as_to_the_referee(evidence: Evidence) -> None:
    for sight in evidence.record.sights:
        sight.facts = list(refold(evidence)[sight.match].facts("referee"))


def show_the_wrong_revision(evidence: Evidence) -> None:
    shown = evidence.record.shown[0]
    wrong = shown.snapshot.revision % len(evidence.lines[shown.snapshot.match_id]) + 1
    snapshot = msgspec.structs.replace(shown.snapshot, revision=wrong)
    evidence.record.shown[0] = msgspec.structs.replace(shown, snapshot=snapshot)


def feed_a_gap(evidence: Evidence) -> None:
    del evidence.record.feed[2]


def feed_secrets(evidence: Evidence) -> None:
    for place, (subject, payload) in enumerate(evidence.record.feed):
        match_id, revision = subject.rpartition(".")[2], msgspec.json.decode(payload)["revision"]
        fact = refold(evidence)[match_id].fact("referee", revision)
        evidence.record.feed[place] = subject, msgspec.json.encode(fact)


def stop_feeding(evidence: Evidence) -> None:
    evidence.record.feed.pop()


def score_too_early(evidence: Evidence) -> None:
    standing = evidence.record.standings[0]
    evidence.record.standings[0] = msgspec.structs.replace(standing, revision=standing.revision - 1)


def fail(evidence: Evidence) -> None:
    evidence.record.failures.append("chore_failed")


def leave_a_lock(evidence: Evidence) -> None:
    evidence.record.leftovers.append("a lock")


def hurry_a_clock(evidence: Evidence) -> None:
    """Whatever is rung is rung before its time."""
    _alter(evidence, ClockStarted.name, lambda data: {**data, "deadline": "2999-01-01T00:00:00.000000Z"})


def take_from_a_bank(evidence: Evidence) -> None:
    _alter(evidence, BankChanged.name, lambda data: {**data, "bank_us": data["bank_us"] - 1})


def be_there_after_all(evidence: Evidence) -> None:
    """A beat a second, all the time: nobody was ever away."""
    seconds = range(DAWN, DAWN + 60_000_000, 1_000_000)
    for key in sorted({plan.game for plan in evidence.planned.matches}):
        evidence.record.beats += [Beat(key, at, at) for at in seconds]


def _alter(evidence: Evidence, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    for lines in evidence.lines.values():
        commits = [decode_line(line) for line in lines]
        for place, commit in enumerate(commits):
            events = tuple(
                msgspec.structs.replace(
                    event, data=msgspec.Raw(msgspec.json.encode(change(msgspec.json.decode(event.data))))
                )
                if event.type == name
                else event
                for event in commit.events
            )
            commits[place] = msgspec.structs.replace(commit, events=events)
        _chain_again(lines, commits)


SPOILED: tuple[tuple[Spoil, str], ...] = (
    (drop_a_line, "chain"),
    (forge_a_time, "chain"),
    (tell_events_otherwise, "decides_again"),
    (accept_twice, "once"),
    (leave_unfinished, "completes"),
    (acknowledge_nothing, "acknowledged"),
    (name_another_revision, "repeats"),
    (refuse_a_fact, "repeats"),
    (deal_again, "deals_once"),
    (give_the_seed, "keeps_the_seed"),
    (send_the_seed, "seals_the_seed"),
    (export_too_little, "verifies"),
    (skip_a_fact, "reads_all"),
    (send_a_fact_twice, "reads_all"),
    (stop_sending, "reads_all"),
    (send_as_to_the_referee, "redacts"),
    (send_as_to_the_referee, "hides"),
    (show_the_wrong_revision, "redacts"),
    (feed_a_gap, "feeds"),
    (feed_secrets, "feeds"),
    (stop_feeding, "feeds"),
    (score_too_early, "scores"),
    (hurry_a_clock, "stands_still"),
    (take_from_a_bank, "pays_for_time"),
    (be_there_after_all, "gives_back"),
    (fail, "stands"),
    (leave_a_lock, "lets_go"),
)


@pytest.mark.parametrize(("spoil", "name"), SPOILED, ids=lambda each: each if isinstance(each, str) else each.__name__)
def test_a_checker_finds_what_was_spoiled(spoil: Spoil, name: str) -> None:
    evidence = deepcopy(good())
    checker = CHECKERS[name]
    assert next(checker.check(evidence, refold(evidence)), None) is None
    spoil(evidence)
    assert next(checker.check(evidence, refold(evidence)), None) is not None


def test_every_checker_is_put_to_the_test() -> None:
    assert {name for _, name in SPOILED} == set(CHECKERS)


# -- houses built badly ------------------------------------------------------------------------------------------------


class _AnythingGoes(MemoryLog):
    async def append(self, game: str, match: str, line: bytes, *, expected: Position) -> Appended:
        lines = await self.read(match, after=0)
        return await super().append(game, match, line, expected=lines[-1].position if lines else 0)


class NoExpectedPosition(World):
    """A log that appends whatever comes."""

    def make_log(self, loop: VirtualLoop) -> LogServer:
        return LogServer(_AnythingGoes(self.plan.partitions), self.wire, self.weather, self.trace, loop.time)


class _FreshLuck(Deck):
    async def draw(self, match: str, draw_id: str, asked: Roll | Draw) -> tuple[int, ...]:
        self.dice = getattr(self, "dice", random.Random(1))
        if isinstance(asked, Roll):
            return tuple(self.dice.randint(1, asked.sides) for _ in range(asked.count))
        return tuple(self.dice.sample(asked.cards, asked.count))


class LuckWithoutMemory(World):
    """A deck that rolls anew for each call."""

    def build_deck(self, process: Process) -> Service[Deck]:
        return Service(_FreshLuck(KeyRing(self.key), self.log_of(process)), nothing, for_ever)


class NobodyTakesUp(World):
    """Hosts that answer their callers and never look at the log for what others left."""

    def build_host(self, key: str, process: Process) -> Service[MatchHost]:
        host = super().build_host(key, process).cases
        return Service(host, nothing, for_ever)


class _TellsLater(Gallery):
    async def _take(self, partition: int, batch: Sequence[Stored]) -> None:
        await self._checkpoint.apply(partition, batch[-1].position, lambda session: None)
        await super()._take(partition, batch)


class PositionBeforeEffect(World):
    """A feed that writes down how far it has come before it has told anybody."""

    def build_gallery(self, process: Process) -> Service[Gallery]:
        checkpoint = SimReadModel(process, self.weather, self.disks["feed"], "feed", 1, TABLES)
        feed = Feed(Publisher(process, self.weather, self.record), self.log_of(process))
        gallery = _TellsLater(self.log_of(process), feed, checkpoint, self.clock)
        return Service(gallery, gallery.prepare, gallery.run)


class _NeverAway(Presence):
    async def gap(self) -> Gap | None:
        return None


class TimeLostForGood(World):
    """Hosts that say they are there again, and give nothing back."""

    def build_host(self, key: str, process: Process) -> Service[MatchHost]:
        service = super().build_host(key, process)
        service.cases._presence = _NeverAway(key, self.beats_of(process), self.clock, service.cases._open_matches.reach)
        return service


@pytest.mark.parametrize(
    ("world", "names"),
    [
        (NoExpectedPosition, {"chain"}),
        (LuckWithoutMemory, {"stands", "deals_once", "verifies"}),
        (NobodyTakesUp, {"completes"}),
        (PositionBeforeEffect, {"feeds"}),
        (TimeLostForGood, {"gives_back"}),
    ],
)
def test_a_house_built_badly_is_found_out(world: type[World], names: set[str]) -> None:
    rates = Rates(crash=0.02, lost=0.02, answer_lost=0.05, ghost=0.2, slow=0.02)
    for seed in range(20):
        plan: Plan = msgspec.structs.replace(plan_of(seed), rates=rates, dark_s=DARK_S)
        run = run_plan(plan, world=world)
        violation = violation_of(run)
        if violation is not None:
            assert violation.checker.name in names
            told = report(run, violation)
            assert f"make sim SEED={seed}" in told
            assert violation.checker.sentence in told
            assert run.trace.last[-1] in told
            return
    pytest.fail(f"twenty seeds, and nobody has noticed: {world.__doc__}")
