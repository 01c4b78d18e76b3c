"""What is dear is made once for all who ask, and large answers come through."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.refusal import Refusal
from engine.tournament.commands import Comment
from engine.tournament.ranking import ranking
from engine.tournament.state import Standing
from services.kit.wire.limits import ANSWER_BYTES_MAX, MESSAGE_BYTES_MAX
from services.tournament import standings
from services.tournament.desk import Applicant
from services.tournament.people import IDS_AT_ONCE
from services.tournament.shared import Shared
from tests.services.tournaments import ORGANISER, T, World, ask, entered, played, published, state


def counting(answers: list[str]) -> Callable[[], Coroutine[Any, Any, str]]:
    async def make() -> str:
        await asyncio.sleep(0)
        answers.append("made")
        return f"answer {len(answers)}"

    return make


async def test_all_who_ask_at_once_get_one_answer_and_so_does_who_asks_later() -> None:
    shared: Shared[str] = Shared(2)
    made: list[str] = []
    assert await asyncio.gather(*(shared.of("a", counting(made)) for _ in range(50))) == ["answer 1"] * 50
    assert await shared.of("a", counting(made)) == "answer 1"


async def test_only_the_newest_are_kept() -> None:
    shared: Shared[str] = Shared(2)
    made: list[str] = []
    for key in ("a", "b", "a", "c", "a"):
        await shared.of(key, counting(made))
    assert len(made) == 3
    assert await shared.of("b", counting(made)) == "answer 4"


async def test_who_hangs_up_leaves_the_others_their_answer() -> None:
    shared: Shared[str] = Shared(2)
    made: list[str] = []
    one, two = (asyncio.create_task(shared.of("a", counting(made))) for _ in range(2))
    await asyncio.sleep(0)
    one.cancel()
    assert await two == "answer 1"


async def test_a_refusal_is_not_kept() -> None:
    shared: Shared[str] = Shared(2)

    async def refuse() -> str:
        raise Refusal("unknown_round", "There is no round 7.")

    with pytest.raises(Refusal, match="unknown_round"):
        await shared.of("a", refuse)
    assert await shared.of("a", counting([])) == "answer 1"


async def test_standings_are_reckoned_once_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path)
    reckoned: list[int] = []
    reckon = ranking

    def counted(now: Any, stage: int) -> Any:
        reckoned.append(stage)
        return reckon(now, stage)

    monkeypatch.setattr(standings, "ranking", counted)
    async with world.host() as host:
        await entered(host)
        await published(host)
        await played(world, host, 1)
        kept = await host.ledgers.fresh(T)
        answers = await asyncio.gather(*(host.rankings.standings(kept, None, 0) for _ in range(20)))
        assert reckoned == [0]
        assert all(answer is answers[0] for answer in answers)
        await ask(host, Comment("somebody has spilt the coffee"))
        assert await host.rankings.standings(kept, None, 0) == answers[0]
        assert reckoned == [0, 0]


async def test_how_many_take_part_is_counted_at_every_revision(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.host() as host:
        await entered(host)
        kept = host.ledgers.known(T)
        assert kept.entrants_in == 8
        await ask(host, Comment("hello"))
        assert kept.entrants_in == sum(each.standing is Standing.IN for each in state(host).entrants)


async def test_the_names_of_more_people_than_one_question_takes_are_found(tmp_path: Path) -> None:
    world = World(tmp_path)
    count = IDS_AT_ONCE + 20
    async with world.host() as host:
        await entered(host, count)
        players = [each.player for each in state(host).entrants]
        names = await host.names(players)
        assert [names[player] for player in players] == [f"Person {number}" for number in range(1, count + 1)]
        gone = players[IDS_AT_ONCE]
        await host.desk.erase(gone)
        assert (await host.names([gone, "bot:greedy"])) == {gone: "erased player", "bot:greedy": "Bot (greedy)"}


def test_the_largest_event_fits_into_one_answer() -> None:
    entrant = pb.Entrant(entry=12_000, player="p" * 17, name="\u00e9" * 100, standing="disqualified", present=True)
    place = pb.Place(entry=12_000, name="\u00e9" * 100, player="p" * 17, place=16, score=-(10**9), points="10000/16")
    line = pb.Line(place=12_000, entry=12_000, name="\u00e9" * 100, values=["10000/16"] * 12, decided_by="LOT")
    for each in (entrant, place, line):
        assert 12_000 * (each.ByteSize() + 8) < ANSWER_BYTES_MAX
    club = pb.RegisterPeopleRequest(
        tournament_id=T, actor=ORGANISER, people=[pb.Person(name="n" * 100, contact="c" * 200, alias="a" * 40)] * 2_000
    )
    assert club.ByteSize() < MESSAGE_BYTES_MAX
    assert Applicant(name="Ana", contact="ana@home").__repr__() == "Applicant()"
