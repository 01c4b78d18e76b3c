"""What must be true when a round is over, each sentence with a name.

Of matches the simulation's checkers are asked, which know the bytes and not the code that made them. Beside them stand
those that a simulated house has no place for: three nodes, a tournament, and a calm round to compare with.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, TypeAlias

from cli.tournament.audit import final_state, verify_tournament
from engine.kernel.commit import CLOCK, decode_line
from engine.kernel.official import TurnExpired
from engine.kernel.value import Value
from engine.luck.verifier import VerificationFailed
from engine.tournament.changes import figure_text
from engine.tournament.played import Entry
from engine.tournament.ranking import ranking
from engine.tournament.state import Tournament
from tests.chaos.evidence import Aftermath, Place
from tests.sim.checkers import CHECKERS as OF_MATCHES
from tests.sim.checkers import Checker as OfMatches
from tests.sim.refold import refold

Check: TypeAlias = Callable[[Aftermath], Iterator[str]]

BORROWED: Final = (
    "chain",
    "once",
    "acknowledged",
    "decides_again",
    "completes",
    "verifies",
    "reads_all",
    "redacts",
    "hides",
    "scores",
    "stands",
)
"""Of the simulation's checkers, those whose sentence a real house can be asked about."""


class Checker(Value, frozen=True):
    name: str
    sentence: str


class Violation(Value, frozen=True):
    """``found`` has at most ``FOUND_MAX`` of what makes the sentence false."""

    checker: Checker
    found: tuple[str, ...]


FOUND_MAX: Final = 5

CHECKERS: dict[str, tuple[Checker, Check]] = {}


def violations(aftermath: Aftermath) -> list[Violation]:
    """Every sentence that is not true."""
    found: list[Violation] = []
    for checker, check in (*_borrowed(), *CHECKERS.values()):
        told = _told(check, aftermath)
        if told:
            found.append(Violation(checker, told))
    return found


def _borrowed() -> Iterator[tuple[Checker, Check]]:
    for name in BORROWED:
        borrowed = OF_MATCHES[name]

        def check(aftermath: Aftermath, borrowed: OfMatches = borrowed) -> Iterator[str]:
            for finding in borrowed.check(aftermath.matches, refold(aftermath.matches)):
                yield f"{finding.match} revision {finding.revision}: {finding.what}"

        yield Checker(name, borrowed.sentence), check


def _told(check: Check, aftermath: Aftermath) -> tuple[str, ...]:
    """A log that does not fold is a finding of whoever folds it: games believe their log, and fall over a false one."""
    told: list[str] = []
    try:
        told.extend(islice(check(aftermath), FOUND_MAX))
    except Exception as error:
        told.append(f"it cannot be folded: {type(error).__name__} {error}")
    return tuple(told)


def says(sentence: str) -> Callable[[Check], Check]:
    """Makes a function the checker of a sentence."""

    def enrol(check: Check) -> Check:
        CHECKERS[check.__name__] = (Checker(check.__name__, sentence), check)
        return check

    return enrol


@says("All nodes keep the same log: as many lines, and every byte the same.")
def replicas_agree(aftermath: Aftermath) -> Iterator[str]:
    first = {copy.stream: copy for copy in reversed(aftermath.copies)}
    for copy in aftermath.copies:
        other = first[copy.stream]
        if copy.last != other.last:
            yield f"{copy.stream} ends at {copy.last} on {copy.node}, at {other.last} on {other.node}"
        elif copy.digest != other.digest:
            yield f"{copy.stream} has other bytes on {copy.node} than on {other.node}"


@says("The log of the event holds: chained, decided again to the same bytes, every draft drawn again.")
def event_verifies(aftermath: Aftermath) -> Iterator[str]:
    try:
        report = verify_tournament(aftermath.event_log)
    except VerificationFailed as error:
        yield f"line {error.line_number}: {error}"
        return
    if not report.finished:
        yield f"it ends in phase {report.phase}"


@says("Every result of the event is what was played at its table.")
def results_are_played(aftermath: Aftermath) -> Iterator[str]:
    matches = refold(aftermath.matches)
    for each in _folded(aftermath).rounds:
        for table in each.tables:
            refolded = matches.get(table.match)
            ended = refolded.states[-1].ended if refolded is not None else None
            if ended is None or table.result is None:
                yield f"{table.match} has no end or no result"
                continue
            played = dict(zip(table.entries, zip(ended.ranks, ended.totals, strict=True), strict=True))
            counted = {seated.entry: (seated.place, seated.score) for seated in table.result.seated}
            if counted != played:
                yield f"{table.match} was played {played} and counts as {counted}"


@says("The standings that are shown are those of the event's log folded again.")
def standings_are_reckoned(aftermath: Aftermath) -> Iterator[str]:
    reckoned = _reckoned(_folded(aftermath))
    for shown in aftermath.standings:
        if reckoned.get(shown.entry) != shown:
            yield f"entrant {shown.entry} is shown as {shown.place} {shown.values}, not {reckoned.get(shown.entry)}"
    if len(reckoned) != len(aftermath.standings):
        yield f"{len(aftermath.standings)} are shown, {len(reckoned)} are ranked"


@says("The final standings are those of the same event in a house that nothing happened to.")
def standings_are_the_twins(aftermath: Aftermath) -> Iterator[str]:
    calm = {place.entry: place for place in aftermath.twin}
    for place in aftermath.standings:
        if calm.get(place.entry) != place:
            yield f"entrant {place.entry} is {place.place}, and was {calm.get(place.entry)} in the calm round"
    if len(calm) != len(aftermath.standings):
        yield f"{len(aftermath.standings)} are ranked, and {len(calm)} in the calm round"


@says("Nobody's time runs out while the house is away.")
def nobody_is_flagged(aftermath: Aftermath) -> Iterator[str]:
    """Bots move at once, so a turn that expired in a round with long turns was taken by a fault of the house."""
    for match, lines in aftermath.matches.lines.items():
        for line in lines:
            commit = decode_line(line)
            if commit.actor == CLOCK and any(event.type == TurnExpired.name for event in commit.events):
                yield f"{match} revision {commit.revision}: a turn expired at {commit.at}"


def _folded(aftermath: Aftermath) -> Tournament:
    """Whatever holds of the log: that it does not hold, ``event_verifies`` says."""
    try:
        return final_state(aftermath.event_log)
    except VerificationFailed as error:
        return final_state(aftermath.event_log[: max(1, error.line_number - 1)])


def _reckoned(state: Tournament) -> dict[Entry, Place]:
    figures = {
        line.entry: tuple(figure_text(figure) for _, figure in line.keys)
        for stage in range(len(state.config.stages))
        for line in ranking(state, stage).lines
    }
    places: dict[Entry, Place] = {}
    for group in state.final:
        place = len(places) + 1
        places |= {entry: Place(entry, place, figures.get(entry, ())) for entry in group}
    return places
