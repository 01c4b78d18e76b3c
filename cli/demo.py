"""The demo: a small tournament played by bots through the same calls as anybody's, on a house of its own or one that
is open already.

Swiss rounds of tables of four, a cut, a final; every match is watched by a spectator to its end, exported and verified;
the event is exported and verified, and every result in its log is compared with the match that it names.

On a house of its own, master keys and event id are derived from the seed text, match ids follow from the event, and
bots draw their lots by match, seat and move. So the same text gives the same event whatever the timing.
"""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
from tavolata.tournament.v1 import tournament_pb2 as pb

from cli.demo_plan import TARGET, DemoPlan
from cli.output import console, print_json
from cli.tournament.archive import report_text, write_archive
from cli.tournament.audit import TournamentReport, final_state, verify_tournament
from cli.tournament.organiser import Organiser, patiently
from cli.tournament.present import standings_table
from cli.tournament.simulate import Progress, bot_people, check_bots, event_name
from engine.games import find_game, game_of_rules
from engine.kernel.commit import actor_seat
from engine.kernel.official import EVENTS, MatchEnded, SeedRevealed
from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Revision, Spectator
from engine.luck.verifier import Report, VerificationFailed, verify
from engine.tournament.config import config_of
from engine.tournament.state import Tournament
from services.kit.config import settings
from services.kit.key import MasterKey, load_or_make, write
from services.kit.paper.archive import Archive, archive_of
from services.kit.paper.figures import standings_fields, standings_title
from services.kit.wire.house import HouseClients, connect
from services.local.folder import check_folder
from services.local.house import House
from services.local.plan import plan_house

ROUNDS = 3


class Seen:
    """One table as its spectator has followed it."""

    def __init__(self, round_number: int, table: int, match_id: str) -> None:
        self.round = round_number
        self.table = table
        self.match_id = match_id
        self.revision: Revision = 0
        self.moves = 0
        self.ended: MatchEnded | None = None
        self.complete = False


async def run_demo(plan: DemoPlan, *, as_json: bool) -> None:
    """Raises ``Refusal``, ``Unavailable`` or ``VerificationFailed`` if anything is not as it must be."""
    seed = plan.seed or secrets.token_hex(4)
    text = configuration(plan.games, seed)
    check_bots(config_of(text), plan.bots)
    check_folder(plan.data)
    event = f"demo-{event_name(seed)}"
    async with _house(plan) as url, connect(url) as clients:
        started = monotonic()
        tables = await _play(clients, event, text, plan)
        seconds = monotonic() - started
        archive = await archive_of(clients.tournament, event)
        exports = [await patiently(partial(clients.spectator.export, table.match_id)) for table in tables]
    files = write_archive(archive, plan.data / "exports", ",")
    matches = _write(tables, exports, plan.data / "exports" / "matches")
    reports = [_verify(file) for file in matches]
    event_report = verify_tournament(archive.log)
    compare(final_state(archive.log), tables)
    told = Told(seed, seconds, tables, matches, reports, archive, event_report, files)
    if as_json:
        print_json(told.fields())
    else:
        told.show("" if plan.server else f"tavolata up --data {plan.data}, then ", plan.server)


@asynccontextmanager
async def _house(plan: DemoPlan) -> AsyncIterator[str]:
    """The front door of the house that is played at."""
    if plan.server:
        yield plan.server
        return
    if plan.seed:
        _derive_keys(plan.data, plan.seed)
    async with House(plan_house(plan.data, 0, bots=True), durability=settings().durability) as house:
        yield house.url


def configuration(games: Sequence[str], seed: str) -> str:
    """The games in turn, then a final of the first of them, at tables of four if all of them have as many seats."""
    seats = [find_game(game).seats for game in games]
    largest = min(TARGET, *(each.stop - 1 for each in seats))
    smallest = max(2, largest - 1, *(each.start for each in seats))
    sizes = f"smallest = {smallest}\ntarget = {largest}\nlargest = {largest}"
    return f"""
name = "Demo {event_name(seed)}"

[scoring]
scheme = "{"5-3-2-1" if smallest > 2 else "normalised-place"}"
order = ["TP", "SOS", "PSB", "RAW", "LOT"]

[[stages]]
name = "Swiss"
format = "swiss"
games = {msgspec.json.encode(games).decode()}
rounds = {ROUNDS}
{sizes}

[[stages]]
name = "Final"
format = "elimination"
games = ["{games[0]}"]
entrants = {largest}
final = {largest}
cut_ties = "lot"
{sizes}
"""


def _derive_keys(data: Path, seed: str) -> None:
    """The deck's and the tournaments', each of its own."""
    for service, label in (("deck", b"tavolata-demo-key"), ("tournament", b"tavolata-demo-tournament-key")):
        path = data / service / "master.key"
        key = MasterKey("demo", hashlib.sha256(label + b"\x00" + seed.encode()).hexdigest())
        if not path.exists():
            write(path, key)
        elif key not in load_or_make(path).keys:
            raise Refusal(
                "other_key",
                f"{data} has another master key than --seed {seed} asks for; take another --data folder.",
                Kind.INVALID,
            )


# -- playing and watching ----------------------------------------------------------------------------------------------


async def _play(clients: HouseClients, event: str, text: str, plan: DemoPlan) -> list[Seen]:
    """The event from its creation to its end; every table watched to its own."""
    tables: list[Seen] = []
    published: asyncio.Queue[int] = asyncio.Queue()
    with Progress() as progress:

        def tell(now: pb.Tournament) -> None:
            progress.event(now)
            published.put_nowait(now.round)

        organiser = Organiser(clients, event, "demo", tell)
        async with asyncio.TaskGroup() as watching:

            async def usher() -> None:
                """A spectator for every table as soon as its round is published; ends with the organiser's -1."""
                seen = 0
                while (newest := await published.get()) >= 0:
                    for number in range(seen + 1, newest + 1):
                        for table in (await patiently(partial(clients.tournament.round, event, number))).tables:
                            tables.append(Seen(number, table.number, table.match_id))
                            watching.create_task(_watch(clients, tables[-1], progress))
                    seen = max(seen, newest)

            watching.create_task(usher())
            await organiser.open(text, bot_people(plan.players, plan.bots))
            await organiser.run()
            published.put_nowait(-1)
    return tables


async def _watch(clients: HouseClients, table: Seen, progress: Progress) -> None:
    """Follow a table to its end as anybody may, over whatever breaks on the way; every revision once, no gaps."""
    progress.table("began")
    while not table.complete:
        try:
            async with aclosing(clients.spectator.facts(table.match_id, Spectator(), after=table.revision)) as facts:
                async for fact in facts:
                    assert fact.revision == table.revision + 1, "a revision is missing or came twice"
                    table.revision = fact.revision
                    if actor_seat(fact.actor) is not None:
                        table.moves += 1
                        progress.table("moved")
                    for recorded in fact.events:
                        if recorded.type == MatchEnded.name:
                            ended = EVENTS.decode(recorded)
                            assert isinstance(ended, MatchEnded)
                            table.ended = ended
                        table.complete |= recorded.type == SeedRevealed.name
        except Refusal as refusal:
            if refusal.code != "unknown_match":
                raise
            await asyncio.sleep(0.1)  # the round is published, its match not open yet
        except Unavailable:
            await asyncio.sleep(0.2)
    progress.table("ended")


# -- files and checks --------------------------------------------------------------------------------------------------


def _write(tables: Sequence[Seen], exports: Sequence[list[bytes]], folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for table, lines in zip(tables, exports, strict=True):
        path = folder / f"{table.match_id}.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        files.append(path)
    return files


def _verify(file: Path) -> Report:
    with file.open("rb") as lines:
        return verify(lines, game_of_rules)


def compare(state: Tournament, tables: Sequence[Seen]) -> None:
    """Raises ``VerificationFailed`` if a result of the event is another one than its match has played."""
    for seen in tables:
        played = state.rounds[seen.round - 1]
        table = played.tables[played.place_of(seen.table)]
        assert table.result is not None
        assert seen.ended is not None
        places = dict(zip(table.entries, seen.ended.ranks, strict=True))
        scores = dict(zip(table.entries, seen.ended.totals, strict=True))
        for seated in table.result.seated:
            if (seated.place, seated.score) != (places[seated.entry], scores[seated.entry]):
                raise VerificationFailed(
                    0, "result_differs", f"The event has another result of {seen.match_id} than the match."
                )


class Told(msgspec.Struct, frozen=True):
    """All that was played and checked, for people and for programs."""

    seed: str
    seconds: float
    tables: list[Seen]
    matches: list[Path]
    reports: list[Report]
    archive: Archive
    event: TournamentReport
    files: list[Path]

    @property
    def moves(self) -> int:
        return sum(table.moves for table in self.tables)

    def fields(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "seconds": round(self.seconds, 2),
            "moves": self.moves,
            "tournament": msgspec.to_builtins(self.event),
            "standings": [standings_fields(each) for each in self.archive.standings],
            "matches": [
                {
                    "match": table.match_id,
                    "round": table.round,
                    "table": table.table,
                    "game": report.game,
                    "ranks": table.ended.ranks if table.ended else (),
                    "totals": table.ended.totals if table.ended else (),
                    "reason": table.ended.reason if table.ended else "",
                    "commits": report.commits,
                    "draws": report.draws,
                    "root": report.root_hash,
                    "export": str(file),
                }
                for table, report, file in zip(self.tables, self.reports, self.matches, strict=True)
            ],
            "files": [str(file) for file in self.files],
        }

    def show(self, before: str, server: str) -> None:
        """``before``: what has to be done before the house at ``server`` can be asked."""
        final = self.archive.standings[-1]
        console.print(standings_table(final, standings_title(final)))
        event, first = self.event.tournament, self.matches[-1]
        log = self.files[0]
        console.print(
            f"{len(self.tables)} matches, {self.moves} moves in {self.seconds:.1f} s "
            f"({self.moves / self.seconds:.0f} a second), seed {self.seed}\n"
            f"matches:  every export verified: {sum(each.commits for each in self.reports)} commits chained, "
            f"{sum(each.decisions for each in self.reports)} decisions decided again, "
            f"{sum(each.draws for each in self.reports)} draws drawn again\n"
            f"event:    {report_text(self.event)}\n"
            f"files:    {len(self.files)} in {log.parent}/, {len(self.matches)} matches in {first.parent}/",
            markup=False,
            soft_wrap=True,
        )
        for file in self.files:
            console.print(f"          {file.name}", markup=False, soft_wrap=True)
        console.print(
            f"verify:   tavolata tournament verify {log}; tavolata verify {first}\n"
            f"replay:   tavolata replay {first} --at 20 --svg board.svg\n"
            f"ask:      {before}tavolata tournament explain {event} {self.event.final[0][0]}"
            f"{f' --server {server}' if server else ''}",
            markup=False,
            soft_wrap=True,
        )
