"""One checker per invariant: a name, the sentence that must be true, and the search for what makes it false.

A checker gets the evidence of a run and the log folded again, and yields what it finds. It knows nothing of faults: the
sentences hold in any weather. Where it can, a checker asks the bytes, not the code that made them.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeAlias

import msgspec

from engine.kernel.chance import Draw, Roll
from engine.kernel.commit import GENESIS
from engine.kernel.facts import Fact
from engine.kernel.history import BrokenLog
from engine.kernel.match import Request
from engine.kernel.official import RevealSeed
from engine.kernel.refusal import Refusal
from engine.kernel.value import Revision, instant_of, viewer_named
from engine.luck.verifier import VerificationFailed, verify
from services.scoring.scoreboard import Scoreboard
from tests.sim.plan import games
from tests.sim.records import Evidence
from tests.sim.refold import Refold, refold


class Finding(msgspec.Struct, frozen=True):
    """What makes a sentence false, and where; revision 0 is no revision in particular."""

    match: str
    revision: Revision
    what: str


Matches: TypeAlias = dict[str, Refold]
Check: TypeAlias = Callable[[Evidence, Matches], Iterator[Finding]]


class Checker(msgspec.Struct, frozen=True):
    name: str
    sentence: str
    check: Check


class Violation(msgspec.Struct, frozen=True):
    """A checker's first finding in a run."""

    checker: Checker
    finding: Finding


CHECKERS: dict[str, Checker] = {}


def first_violation(evidence: Evidence) -> Violation | None:
    """The first sentence that is not true, in the order below: a broken chain explains whatever comes after it."""
    matches = refold(evidence)
    for checker in CHECKERS.values():
        finding = next(checker.check(evidence, matches), None)
        if finding is not None:
            return Violation(checker, finding)
    return None


def says(sentence: str) -> Callable[[Check], Check]:
    """Makes a function the checker of a sentence."""

    def enrol(check: Check) -> Check:
        name = check.__name__
        CHECKERS[name] = Checker(name, sentence, check)
        return check

    return enrol


class _Line(msgspec.Struct, frozen=True):
    match: str
    revision: Revision
    id: str
    actor: str
    prev: str


# -- the log, and the house that writes it -----------------------------------------------------------------------------


@says("The revisions of every match are 1, 2, 3 ... and each line holds the hash of the line before.")
def chain(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for match_id, lines in evidence.lines.items():
        before = GENESIS
        for revision, line in enumerate(lines, 1):
            head = msgspec.json.decode(line, type=_Line)
            if (head.match, head.revision) != (match_id, revision):
                yield Finding(match_id, revision, f"revision {head.revision} of {head.match} stands here")
            if head.prev != before:
                yield Finding(match_id, revision, "prev is not the hash of the line before")
            before = hashlib.sha256(line).hexdigest()


@says("A command id of an actor is accepted once in a match, and never again.")
def once(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for match_id, lines in evidence.lines.items():
        seen: dict[tuple[str, str], int] = {}
        for revision, line in enumerate(lines, 1):
            head = msgspec.json.decode(line, type=_Line)
            earlier = seen.setdefault((head.actor, head.id), revision)
            if earlier != revision:
                yield Finding(match_id, revision, f"{head.id} of {head.actor} is in revision {earlier}, too")


@says("Decided again at the same instant, every commit of the log makes the same events.")
def decides_again(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for match_id, refolded in matches.items():
        try:
            states = [None, *refolded.states]
        except BrokenLog as error:
            yield Finding(match_id, error.revision, error.reason)
            continue
        for before, commit in zip(states, refolded.commits, strict=False):
            try:
                request = Request(commit.id, commit.actor, instant_of(commit.at), commit.command)
                events = refolded.match.decide(before, request).events
            except Refusal as refusal:
                yield Finding(match_id, commit.revision, f"it is refused now: {refusal}")
                break
            if events != commit.events:
                yield Finding(match_id, commit.revision, "it makes other events now")


@says("No service makes an error of its own, whatever the world does.")
def stands(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for failure in evidence.record.failures:
        yield Finding("", 0, failure)


@says("Every match that was to be played is complete: its seed is revealed.")
def completes(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for plan in evidence.planned.matches:
        refolded = matches.get(plan.match_id)
        if refolded is None:
            yield Finding(plan.match_id, 0, "it was never opened")
        elif not refolded.complete:
            yield Finding(plan.match_id, len(refolded.lines), f"the last line is {refolded.commits[-1].command.type}")


# -- what callers are told ---------------------------------------------------------------------------------------------


@says("What a caller was told is a fact stands in the log, at the revision that it was told.")
def acknowledged(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for answer in evidence.record.answers:
        if answer.said not in ("accepted", "duplicate"):
            continue
        refolded = matches.get(answer.match)
        found = [
            commit.revision
            for commit in (refolded.commits if refolded is not None else ())
            if (commit.actor, commit.id) == (answer.actor, answer.command_id)
        ]
        if found != [answer.revision]:
            told = f"{answer.command_id} of {answer.actor} was told revision {answer.revision}"
            yield Finding(answer.match, answer.revision, f"{told}; the log has it at {found}")


@says("A repeat of a command that is in the log is answered as a duplicate that names the original revision.")
def repeats(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for answer in evidence.record.answers:
        if answer.in_log and (answer.said, answer.revision) != ("duplicate", answer.in_log):
            said = f"{answer.said} {answer.revision or ''}".strip()
            what = f"{answer.command_id} of {answer.actor} is revision {answer.in_log}; its repeat was told: {said}"
            yield Finding(answer.match, answer.in_log, what)


# -- luck --------------------------------------------------------------------------------------------------------------


@says("Asked for the same under the same draw id, the deck gives the same answer, whoever asks, and however often.")
def deals_once(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    """A seat that leaves may change what is asked for under an id; that the log has each id once is ``once``'s."""
    given: dict[tuple[str, str, Roll | Draw], tuple[int, ...]] = {}
    for deal in evidence.record.deals:
        if given.setdefault((deal.match, deal.draw_id, deal.asked), deal.values) != deal.values:
            yield Finding(deal.match, 0, f"{deal.draw_id} was answered in two ways")


@says("No seed leaves the deck before the log says that its match has ended.")
def keeps_the_seed(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for given in evidence.record.seeds:
        if not given.ended:
            yield Finding(given.match, 0, "the deck gave the seed while the match was running")


@says("Before the commit that reveals it, a match's seed stands in nothing that anybody can read.")
def seals_the_seed(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for match_id, refolded in matches.items():
        if not refolded.complete:
            continue
        closing = msgspec.json.decode(refolded.commits[-1].command.data, type=RevealSeed)
        seed = closing.seed.encode()
        last = len(refolded.lines)
        for revision, line in enumerate(refolded.lines[:-1], 1):
            if seed in line:
                yield Finding(match_id, revision, "the line holds the seed")
        for sight in evidence.record.sights:
            if sight.match == match_id and seed in msgspec.json.encode(
                [fact for fact in sight.facts if fact.revision < last]
            ):
                yield Finding(match_id, 0, f"{sight.viewer} was sent the seed")
        for _, payload in evidence.record.feed:
            fact = msgspec.json.decode(payload, type=_Told)
            if fact.match == match_id and fact.revision < last and seed in payload:
                yield Finding(match_id, fact.revision, "the feed holds the seed")


class _Told(msgspec.Struct, frozen=True):
    match: str
    revision: Revision


@says("Every complete match is given out byte for byte, and whoever has nothing but the export can verify it.")
def verifies(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for match_id, refolded in matches.items():
        if not refolded.complete:
            continue
        if evidence.at_rest and evidence.record.exports.get(match_id) != refolded.lines:
            yield Finding(match_id, 0, "the export is not the log's lines")
        try:
            verify(refolded.lines, lambda rules: games()[rules.partition("/")[0]])
        except VerificationFailed as error:
            yield Finding(match_id, error.line_number, str(error))


# -- what is shown -----------------------------------------------------------------------------------------------------


@says("A viewer reads every revision once and in order, whatever breaks on the way.")
def reads_all(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for sight in evidence.record.sights:
        last = len(evidence.lines.get(sight.match, ()))
        revisions = [fact.revision for fact in sight.facts]
        if revisions != list(range(1, last + 1 if evidence.at_rest else len(revisions) + 1)):
            wrong = next((place for place, told in enumerate(revisions, 1) if place != told), len(revisions) + 1)
            yield Finding(sight.match, wrong, f"{sight.who} as {sight.viewer} does not read it in its place")


@says("A viewer is sent what redaction from scratch makes of the log, and no more.")
def redacts(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for sight in evidence.record.sights:
        for fact in sight.facts:
            if not matches[sight.match].could_be_told(sight.viewer, fact):
                yield Finding(sight.match, fact.revision, f"{sight.who} was sent something else as {sight.viewer}")
    for shown in evidence.record.shown:
        snapshot = shown.snapshot
        refolded = matches[snapshot.match_id]
        viewer = viewer_named(shown.viewer)
        view = refolded.match.view(refolded.states[snapshot.revision - 1], viewer)
        if snapshot.view != msgspec.json.encode(view.game):
            yield Finding(snapshot.match_id, snapshot.revision, f"the snapshot for {shown.viewer} shows something else")


class _Hand(msgspec.Struct):
    seat: int
    cards: tuple[int, ...]


class _Pick(msgspec.Struct):
    seat: int
    number: int


class _Charms(msgspec.Struct):
    charms: tuple[int, ...]


@says("Nobody is sent a card or a pick that is another seat's secret.")
def hides(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    """Asks the sent bytes by the rules of the two games that are known here, not by the games' own ``redact``."""
    for sight in evidence.record.sights:
        if sight.viewer == "referee":
            continue
        own = int(sight.viewer.partition(":")[2] or -1)
        for fact in sight.facts:
            for event in fact.events:
                if _tells(event.type, event.data, own):
                    yield Finding(sight.match, fact.revision, f"{sight.who} as {sight.viewer} sees {event.type}")


def _tells(event: str, data: msgspec.Raw, own: int) -> bool:
    match event:
        case "just4fun.hand_drawn":
            hand = msgspec.json.decode(data, type=_Hand)
            return hand.seat != own and any(hand.cards)
        case "duel.picked":
            pick = msgspec.json.decode(data, type=_Pick)
            return pick.seat != own and pick.number != 0
        case "duel.charms_dealt":
            charms = msgspec.json.decode(data, type=_Charms).charms
            return any(charm for seat, charm in enumerate(charms) if seat != own)
        case _:
            return False


@says("The public feed tells every revision of every match, in order, as a bystander sees it; a repeat is the same.")
def feeds(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    heard: Counter[str] = Counter()
    for subject, payload in evidence.record.feed:
        told = msgspec.json.decode(payload, type=_Told)
        refolded = matches[told.match]
        if subject != f"feed.match.{refolded.match.game.key}.{told.match}":
            yield Finding(told.match, told.revision, f"it was told on {subject}")
        if told.revision > heard[told.match] + 1:
            yield Finding(told.match, told.revision, f"it came behind {heard[told.match]}")
        heard[told.match] = max(heard[told.match], told.revision)
        if not refolded.could_be_told("spectator", msgspec.json.decode(payload, type=Fact)):
            yield Finding(told.match, told.revision, "the feed tells something else")
    for match_id, lines in evidence.lines.items():
        if evidence.at_rest and heard[match_id] != len(lines):
            yield Finding(match_id, heard[match_id] + 1, "the feed ends before it")


@says("At rest, the scores are those of the log folded again.")
def scores(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    standings = {standing.match_id: standing for standing in evidence.record.standings}
    for match_id, refolded in matches.items():
        if evidence.at_rest and standings.get(match_id) != Scoreboard().project(refolded.history):
            yield Finding(match_id, len(refolded.lines), "the read model holds something else")


# -- the house ---------------------------------------------------------------------------------------------------------


@says("When all is done, nothing is held and nothing runs.")
def lets_go(evidence: Evidence, matches: Matches) -> Iterator[Finding]:
    for leftover in evidence.record.leftovers:
        yield Finding("", 0, leftover)
