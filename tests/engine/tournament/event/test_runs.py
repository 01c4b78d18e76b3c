"""Lines that are taken in together: what breaks a log breaks it at the same line, and leaves what came before."""

import pytest

from engine.kernel.ledger import BrokenLog
from engine.kernel.ports import Stored
from engine.tournament import commands as c
from engine.tournament.aggregate import TournamentLedger, tournament_ledger
from engine.tournament.record import met, seats_taken
from engine.tournament.remembered import Remembered
from tests.kit.tournaments import Desk, event, swiss


def played() -> Desk:
    desk = Desk(event(swiss(3)))
    desk.gather(9)
    for _ in range(2):
        desk.play()
    return desk


def stored(lines: list[bytes]) -> list[Stored]:
    return [Stored(position, line) for position, line in enumerate(lines, 1)]


@pytest.mark.parametrize("number", [1, 2, 9, 20])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"prev":"', b'"prev":"0'),
        (b'"match":"cup"', b'"match":"cap"'),
        (b'"rules":"tournament/1"', b'"rules":"tournament/2"'),
        (b'"revision":', b'"revision":1'),
        (b'{"match"', b' {"match"'),
        (b'"type":"tournament.', b'"type":"tournement.'),
    ],
)
def test_a_line_that_is_not_the_next_one_is_found(number: int, old: bytes, new: bytes) -> None:
    lines = played().lines
    lines[number - 1] = lines[number - 1].replace(old, new, 1)
    together, one_by_one = tournament_ledger("cup"), tournament_ledger("cup")
    with pytest.raises(BrokenLog) as expected:
        _accept(one_by_one, stored(lines))
    with pytest.raises(BrokenLog) as found:
        together.catch_up(stored(lines))
    assert (found.value.revision, found.value.reason) == (expected.value.revision, expected.value.reason)
    assert expected.value.revision <= number + 1
    assert _standing(together) == _standing(one_by_one)


def test_a_table_that_is_not_there_breaks_the_line_that_names_it() -> None:
    """A line that holds and cannot be folded: the chain is whole, and round 7 is not."""
    desk = played()
    report = desk.lines[-2]
    assert b'"tournament.result_reported"' in report
    ledger = tournament_ledger("cup")
    bad = report.replace(b'"round":2,', b'"round":7,')
    with pytest.raises(IndexError):
        ledger.catch_up(stored([*desk.lines[:-2], bad]))
    assert ledger.revision == len(desk.lines) - 2
    ledger.catch_up(stored(desk.lines)[-2:])
    assert ledger.state == desk.state


def test_ids_of_lines_that_came_together_are_known() -> None:
    desk = played()
    ledger = tournament_ledger("cup")
    ledger.catch_up(stored(desk.lines))
    assert ledger.revision_of("organiser:ana", "ask-1") == 1
    assert ledger.state == desk.state


def test_who_has_met_whom_and_sat_where_is_counted_from_the_tables() -> None:
    desk = played()
    desk.begin()
    entry = desk.table(1).entries[0]
    desk.do(c.MarkNoShow(3, 1, entry))
    meetings: dict[tuple[int, int], int] = {}
    seats: dict[int, list[int]] = {}
    for each in desk.state.rounds:
        for table in each.tables:
            came = sorted(set(table.entries) - set(table.no_shows))
            for a in came:
                for b in came:
                    if a < b:
                        meetings[a, b] = meetings.get((a, b), 0) + 1
            for seat, sits in enumerate(table.entries):
                seats.setdefault(sits, []).append(seat)
    assert met(desk.state) == meetings
    assert seats_taken(desk.state) == {
        sits: tuple(taken.count(seat) for seat in range(max(taken) + 1)) for sits, taken in seats.items()
    }


def test_what_is_remembered_is_found_by_identity_and_forgotten_in_turn() -> None:
    remembered: Remembered[int] = Remembered(2)
    one, equal, other = [1], [1], [2]
    made = []

    def make() -> int:
        made.append(0)
        return len(made)

    assert [remembered.of((each,), make) for each in (one, equal, one)] == [1, 2, 1]
    assert remembered.of((other,), make) == 3  # the oldest, which is not the first, goes
    assert [remembered.of((each,), make) for each in (one, equal)] == [1, 4]


def _accept(ledger: TournamentLedger, lines: list[Stored]) -> None:
    for each in lines:
        ledger.accept(each.line, each.position)


def _standing(ledger: TournamentLedger) -> tuple[object, ...]:
    state = ledger.state if ledger.revision else None
    return ledger.revision, ledger.position, ledger.head, ledger.opened_at, ledger.changed_at, state
