"""The attendant of the bots: what goes wrong in one event keeps no bot from the others."""

from collections.abc import AsyncGenerator
from types import SimpleNamespace

import pytest
from tavolata.tournament.v1 import tournament_pb2 as pb

from bots.attendant import Asked, _Attendant, asked_of
from engine.kernel.ports import Failed, Unavailable
from engine.kernel.refusal import Kind, Refusal


class Lobby:
    """A tournament service with three events, of which some cannot be read."""

    def __init__(self, errors: dict[str, Exception]) -> None:
        self.errors = errors
        self.asked: list[str] = []

    async def watch(self) -> AsyncGenerator[pb.Tournament, None]:
        for name in ("a", "b", "c"):
            yield pb.Tournament(tournament_id=name, round_phase="running")
        yield pb.Tournament(tournament_id="d", round_phase="closed")

    async def round(self, tournament: str) -> pb.GetRoundResponse:
        self.asked.append(tournament)
        if tournament in self.errors:
            raise self.errors[tournament]
        return pb.GetRoundResponse()


@pytest.mark.parametrize(
    "error", [Failed("broken_log", "It is damaged."), Refusal("unknown_round", "There is none.", Kind.MISSING)]
)
async def test_an_event_that_cannot_be_read_is_passed_over(error: Exception) -> None:
    lobby = Lobby({"b": error})
    await _Attendant(SimpleNamespace(tournament=lobby)).tables()  # type: ignore[arg-type]  # all that is asked of it
    assert lobby.asked == ["a", "b", "c"]


async def test_a_service_that_is_away_is_looked_for_again_from_the_start() -> None:
    lobby = Lobby({"b": Unavailable("service_unavailable", "It is away.")})
    with pytest.raises(Unavailable):
        await _Attendant(SimpleNamespace(tournament=lobby)).tables()  # type: ignore[arg-type]  # all that is asked of it


@pytest.mark.parametrize(
    ("player", "level", "pace_ms"),
    [
        ("bot:greedy", "greedy", 0),
        ("bot:greedy:17", "greedy", 0),
        ("bot:greedy@1200", "greedy", 1200),
        ("bot:greedy@1200:17", "greedy", 1200),
        ("bot:greedy:17@1200", "greedy", 0),
        ("bot:random@0", "random", 0),
        ("bot:random@60000", "random", 60_000),
    ],
)
def test_level_and_pace_are_in_the_id(player: str, level: str, pace_ms: int) -> None:
    assert asked_of(player) == Asked(level, pace_ms)


@pytest.mark.parametrize("pace", ["", "60001", "100000", "-1", "+1", "1.5", "1e3", "01", " 1", "\u0661", "1@2", "slow"])
def test_a_pace_that_is_none_is_refused(pace: str) -> None:
    with pytest.raises(Refusal, match="bad_pace: The pace of a bot is 0 to 60000 milliseconds"):
        asked_of(f"bot:greedy@{pace}")
