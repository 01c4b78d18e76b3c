"""From a match to what the read model holds about it: a pure projection."""

import msgspec

from engine.kernel.game import Objective, ScoreLine
from engine.kernel.history import AnyHistory
from engine.kernel.value import Revision, Seat, Value
from services.scoring.tables import VERSION


class SeatStanding(Value, frozen=True):
    """One seat's live score; ``rank`` 0 while the match is running."""

    seat: Seat
    player: str
    total: int
    rank: int
    left: bool
    lines: tuple[ScoreLine, ...]
    objectives: tuple[Objective, ...]


class Standing(Value, frozen=True):
    """One match as of a revision."""

    match_id: str
    game: str
    ended: bool
    revision: Revision
    opened_at: str
    changed_at: str
    reason: str
    seats: tuple[SeatStanding, ...]


class Scoreboard:
    """The ``Projection`` of a match to its standing, as of its last commit."""

    name = "scoring"
    version = VERSION

    def project(self, history: AnyHistory) -> Standing:
        state = history.state
        ended = state.ended
        scores = history.match.game.scores(state.game)
        return Standing(
            match_id=history.match_id,
            game=history.match.game.key,
            ended=ended is not None,
            revision=history.revision,
            opened_at=history.opened_at,
            changed_at=history.changed_at,
            reason="" if ended is None else ended.reason,
            seats=tuple(
                SeatStanding(
                    seat=score.seat,
                    player=state.opened.players[score.seat],
                    total=score.total,
                    rank=0 if ended is None else ended.ranks[score.seat],
                    left=score.seat in state.left,
                    lines=score.lines,
                    objectives=score.objectives,
                )
                for score in scores
            ),
        )


def match_row(standing: Standing) -> dict[str, object]:
    return {field: getattr(standing, field) for field in Standing.__struct_fields__ if field != "seats"}


def seat_rows(standing: Standing, before: Standing | None) -> list[dict[str, object]]:
    """Of the seats that stand otherwise than ``before``."""
    known = {} if before is None else {seat.seat: seat for seat in before.seats}
    return [
        {"match_id": standing.match_id, **msgspec.to_builtins(seat)}
        for seat in standing.seats
        if seat != known.get(seat.seat)
    ]
