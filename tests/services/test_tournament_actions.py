"""Every action of an event on pages: who, when, what and why, and of an open draft nothing that it may not tell."""

from pathlib import Path

import pytest
from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.refusal import Refusal
from engine.tournament.commands import Comment, CorrectResult, Drop, PublishRound, SwapInDraft
from engine.tournament.played import Seated
from services.kit.wire.tournament import TournamentClient
from services.tournament import actions as module
from tests.services.test_tournament_secrets import service
from tests.services.tournaments import ORGANISER, T, World, ask, commits, entered, log_of, played, published, state


async def every_action(
    client: TournamentClient, *, size: int = 0, actor: str = "", house: bool = False
) -> list[pb.Action]:
    """Page by page to the end."""
    found: list[pb.Action] = []
    token = ""
    while True:
        page = await client.actions(T, page_size=size, page_token=token, actor=actor, house=house)
        found.extend(page.actions)
        token = page.next_page_token
        if not token:
            return found


async def test_every_action_is_told_newest_first(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with service(world) as (host, client):
        await entered(host)
        await published(host)
        await played(world, host, 1)
        await ask(host, Drop(7, "went home"), actor="organiser:ruth")
        told = await every_action(client)
        assert [(each.command, each.actor) for each in told][:3] == [
            ("tournament.drop", "organiser:ruth"),
            ("tournament.start_round", ORGANISER),
            ("tournament.publish_round", ORGANISER),
        ]
        assert (told[0].sentence, told[0].reason) == ("Person 7 (7) dropped out.", "went home")
        assert list(told[0].events) == ["tournament.dropped"]
        assert told[-1].sentence == "Cup of the house was created."
        everything = await every_action(client, house=True)
        lines = commits(await log_of(world))
        assert [(each.revision, each.at, each.actor) for each in reversed(everything)] == [
            (commit.revision, commit.at, commit.actor) for commit in lines
        ]
        assert [each.revision for each in await every_action(client, actor="organiser:ruth")] == [told[0].revision]
        assert {each.actor for each in await every_action(client, actor="house")} == {"house"}


async def test_pages_of_any_size_make_up_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE", 3)
    monkeypatch.setattr(module, "LOOKED_AT_MAX", 5)
    async with service(World(tmp_path)) as (host, client):
        await entered(host)
        for number in range(12):
            await ask(host, Comment(f"note {number}"))
        whole = [each.revision for each in await every_action(client, house=True)]
        assert whole == list(range(host.ledgers.known(T).ledger.revision, 0, -1))
        for size in (1, 4, 100):
            assert [each.revision for each in await every_action(client, size=size, house=True)] == whole
        first = await client.actions(T, actor="organiser:nobody")
        assert (len(first.actions), first.next_page_token) == (0, str(whole[0] - 5))
        for bad in ("x", "0", "-1", str(whole[0] + 1), "9" * 40, "\u0663"):
            with pytest.raises(Refusal, match="bad_page_token"):
                await client.actions(T, page_token=bad)


async def test_a_correction_tells_how_many_published_figures_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    async with service(world) as (host, client):
        await entered(host, 4)
        await published(host)
        await played(world, host, 1)
        seats = state(host).rounds[0].tables[0].entries
        upset = tuple(Seated(entry, place, 50 - place) for place, entry in enumerate(reversed(seats), 1))
        done = await ask(host, CorrectResult(1, 1, upset, reason="recounted"))
        await ask(host, Comment("nothing"))
        note, correction = (await client.actions(T, page_size=2)).actions
        assert (note.changes, correction.changes) == (0, len(done.changes))
        assert len(done.changes) > 4
        assert correction.sentence == "The result of table 1 of round 1 was corrected."
        monkeypatch.setattr(module, "COUNTED_MAX", 3)
        assert not any(each.HasField("changes") for each in (await client.actions(T)).actions)


async def test_an_open_draft_tells_that_it_is_there_and_nothing_else(tmp_path: Path) -> None:
    async with service(World(tmp_path)) as (host, client):
        await entered(host)
        await ask(host, Comment("before"))
        await host.desk.draft_round(T, "draft-1", ORGANISER, "Person 1 beside Person 5")
        await ask(host, SwapInDraft((1, 8), "Person 1 beside Person 8"))
        await ask(host, Comment("Person 2 sits at table 1"))
        open_draft = (await client.actions(T, page_size=4)).actions
        assert [(each.sentence, each.reason) for each in open_draft] == [
            ("A comment was made.", ""),
            ("Two changed places in the draft.", ""),
            ("The next round was drafted.", ""),
            ("A comment was made.", "before"),
        ]
        told = b"".join(each.SerializeToString() for each in open_draft)
        draft = await client.round(T, draft=True)
        assert b"Person" not in told
        assert draft.seed.encode() not in told
        await ask(host, PublishRound())
        assert [(each.sentence, each.reason) for each in (await client.actions(T, page_size=4)).actions[1:]] == [
            ("A comment was made.", "Person 2 sits at table 1"),
            ("Person 1 (1) and Person 8 (8) changed places in the draft.", "Person 1 beside Person 8"),
            ("The next round was drafted.", "Person 1 beside Person 5"),
        ]
