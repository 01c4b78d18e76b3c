"""The bots of docs/examples play matches to their end, against the contract of the page and an unkind line.

The house here is a match in memory behind the standard library's HTTP server. It drops streams, answers late, and
swallows the answer to a command that it has taken, as a real one may.
"""

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from engine.games import all_games
from engine.kernel.codec import Recorded
from engine.kernel.commit import actor_seat, decode_line, seat_actor
from engine.kernel.facts import fact_of
from engine.kernel.game import AnyGame, Over, Seats
from engine.kernel.ledger import Duplicate
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat, check_id, viewer_named
from tests.kit.duel import DUEL
from tests.kit.schemas import validator
from tests.kit.table import Table

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
MATCH = "m-test"
STATUS = {Kind.INVALID: 400, Kind.DENIED: 403, Kind.MISSING: 404, Kind.ILLEGAL: 409, Kind.STALE: 409, Kind.EXISTS: 409}
STREAM_LINES = 60
"""After so many lines a stream ends, so that whoever reads it has to come again."""
REVISIONS_PLAYED = 80
"""Then seat 1 has to go, and a match of two is over: nobody waits for the longest game."""
RUNS_S = 60.0


class House:
    """One match, its rules and its luck, and what goes wrong on the way to it."""

    def __init__(self, game: AnyGame, seats: int) -> None:
        self.table = Table(game, MATCH).open(seats).settle()
        self.news = threading.Condition()
        self.asked: list[str] = []
        """The kinds of questions, in their order."""
        self.repeats = 0

    def position(self, viewer: str) -> dict[str, Any]:
        with self.news:
            pending = self.table.pending
            return {
                "match": MATCH,
                "revision": self.table.history.revision,
                "waiting": {Seats: "seats", Over: "over"}.get(type(pending), "house"),
                "pending_seats": list(pending.seats) if isinstance(pending, Seats) else [],
                "viewer": viewer,
            }

    def choices(self, seat: Seat, path: tuple[str, ...]) -> dict[str, Any]:
        with self.news:
            match, state = self.table.match, self.table.state
            match.may_move(state, seat_actor(seat))
            menu: dict[str, Any] = json.loads(msgspec.json.encode(match.game.choices(state.game, seat, path)))
            return {"revision": self.table.history.revision} | menu

    def act(self, key: str, body: dict[str, Any]) -> int:
        check_id("command id", key)
        recorded = msgspec.json.decode(json.dumps(body["command"]).encode(), type=Recorded)
        with self.news:
            answer = self.table.say(seat_actor(body["seat"]), recorded, key, body.get("expected_revision", 0))
            if isinstance(answer, Duplicate):
                self.repeats += 1
                return answer.revision
            self.table.settle()
            if self.table.history.revision >= REVISIONS_PLAYED and not isinstance(self.table.pending, Over):
                self.table.leave(1)
                self.table.settle()
            if isinstance(self.table.pending, Over):
                self.table.close()
            self.news.notify_all()
            return answer.revision

    def stream(self, viewer: str, after: int | None) -> Iterator[dict[str, Any]]:
        """Facts behind a revision, or from now on, and the position whenever there are no more for the moment."""
        if after is None:
            with self.news:
                after = self.table.history.revision
                now = self.position(viewer)
            yield {"event": "position"} | now
        while True:
            with self.news:
                while self.table.history.revision == after and not self.table.state.seed:
                    self.news.wait()
                lines, over = self.table.lines[after:], bool(self.table.state.seed)
                facts = [fact_of(self.table.match, decode_line(line), viewer_named(viewer)) for line in lines]
            for fact in facts:
                yield {"event": "fact"} | json.loads(msgspec.json.encode(fact))
            after += len(facts)
            if over:
                yield {"event": "end", "revision": after}
                return
            yield {"event": "position"} | self.position(viewer)

    def has_asked(self, kind: str) -> int:
        """How often, with this time."""
        with self.news:
            self.asked.append(kind)
            return self.asked.count(kind)


class Door(BaseHTTPRequestHandler):
    """The contract, over ``house``."""

    house: House

    def do_GET(self) -> None:
        self.answer(self.read)

    def do_POST(self) -> None:
        self.answer(self.write)

    def answer(self, take: Any) -> None:
        address = urlsplit(self.path)
        query = parse_qs(address.query, strict_parsing=bool(address.query))
        try:
            root = f"/api/matches/{MATCH}"
            if not address.path.startswith(root):
                raise Refusal("unknown_match", "There is no such match.", Kind.MISSING)
            take(address.path.removeprefix(root), query)
        except Refusal as refusal:
            problem = {"type": "about:blank", "title": refusal.kind.value, "status": STATUS[refusal.kind]}
            more = {"code": refusal.code, "detail": refusal.sentence, "revision": self.house.table.history.revision}
            self.say(problem | more, STATUS[refusal.kind], "application/problem+json")

    def read(self, path: str, query: dict[str, list[str]]) -> None:
        match path:
            case "":
                self.say(self.house.position(query["viewer"][0]))
            case "/choices":
                if self.house.has_asked("choices") % 60 == 3:
                    self.say({"status": 503, "code": "log_unavailable", "detail": "In a moment."}, 503)
                    return
                self.say(self.house.choices(int(query["seat"][0]), tuple(query.get("path", ()))))
            case "/stream":
                assert self.headers["Accept"] == "application/x-ndjson"
                self.send_response(200)
                self.send_header("Content-Type", "application/x-ndjson")
                self.end_headers()
                events = self.house.stream(query["viewer"][0], int(query["after"][0]) if "after" in query else None)
                for event, _ in zip(events, range(STREAM_LINES), strict=False):
                    self.wfile.write(json.dumps(event, separators=(",", ":")).encode() + b"\n")
            case _:
                raise Refusal("unknown_page", "There is no such page.", Kind.MISSING)

    def write(self, path: str, query: dict[str, list[str]]) -> None:
        assert (path, self.headers["Content-Type"]) == ("/commands", "application/json")
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        revision = self.house.act(self.headers["Idempotency-Key"], body)
        if self.house.has_asked("commands") % 20 != 2:  # or the line drops, and nobody hears what became of it
            self.say({"revision": revision})

    def say(self, value: dict[str, Any], status: int = 200, kind: str = "application/json") -> None:
        content = json.dumps(value, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nobody reads it."""


@contextmanager
def served(game: AnyGame, seats: int) -> Iterator[tuple[House, str]]:
    house = House(game, seats)
    door = type("DoorOfHouse", (Door,), {"house": house})
    with ThreadingHTTPServer(("127.0.0.1", 0), door) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield house, f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def python_bot(url: str, seat: Seat, *luck: str) -> list[str]:
    """Without site-packages and without the environment: the standard library has to do."""
    return [sys.executable, "-I", "-S", str(EXAMPLES / "bot.py"), url, MATCH, str(seat), *luck]


def shell_bot(url: str, seat: Seat, *luck: str) -> list[str]:
    return ["bash", str(EXAMPLES / "bot.sh"), url, MATCH, str(seat), *luck]


def run(*commands: list[str]) -> list[str]:
    """What each says, when all have ended."""
    with ThreadPoolExecutor() as each:
        ran = list(each.map(ran_to_the_end, commands))
    assert [done.returncode for done in ran] == [0] * len(ran), ran
    return [done.stdout for done in ran]


def ran_to_the_end(command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, timeout=RUNS_S, check=False)


def moves(house: House) -> list[tuple[Seat, int]]:
    """Whose move each was, and its revision, in the order of the log."""
    commits = map(decode_line, house.table.lines)
    told = ((actor_seat(each.actor), each.revision) for each in commits)
    return [(seat, revision) for seat, revision in told if seat is not None]


class TestPython:
    @pytest.mark.parametrize("game", [*all_games().values(), DUEL], ids=lambda game: game.key)
    def test_it_plays_any_game_to_the_end_over_a_line_that_drops(self, game: AnyGame) -> None:
        with served(game, max(2, game.seats[0])) as (house, url):
            said = run(python_bot(url, 0), python_bot(url, 1))
        assert house.table.state.seed
        assert house.repeats, "no answer was lost"
        told = [int(line.split()[1].rstrip(":")) for text in said for line in text.splitlines() if "revision" in line]
        assert sorted(told) == [revision for _, revision in moves(house)], "each move is made once, and told once"

    def test_it_is_killed_and_goes_on_where_it_was(self) -> None:
        with served(DUEL, 2) as (house, url):
            with subprocess.Popen(python_bot(url, 0), stdout=subprocess.PIPE) as first:
                assert first.stdout is not None
                assert first.stdout.readline().startswith(b"revision ")
                first.kill()
            run(python_bot(url, 0), python_bot(url, 1))
        assert house.table.state.seed
        assert [seat for seat, _ in moves(house)].count(0) == 2, "one move a round"

    def test_it_says_what_is_wrong_with_a_match_that_is_not_there(self) -> None:
        with served(DUEL, 2) as (_, url):
            command = [*python_bot(url, 0)[:-2], "nowhere", "0"]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=RUNS_S, check=False)
        assert ran.returncode == 1
        assert ran.stderr.endswith("There is no such match.\n")


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="needs curl and bash")
def test_the_shell_plays_to_the_end_over_a_line_that_drops() -> None:
    with served(DUEL, 2) as (house, url):
        said = run(shell_bot(url, 0), shell_bot(url, 1))
    assert house.table.state.seed
    assert house.repeats, "no answer was lost"
    for seat, text in enumerate(said):
        assert text.count('"revision"') == [mover for mover, _ in moves(house)].count(seat)


@pytest.mark.parametrize("game", [*all_games().values()], ids=lambda game: game.key)
def test_the_command_of_a_menu_fits_the_schema_of_its_game(game: AnyGame) -> None:
    house = House(game, max(2, game.seats[0]))
    pending = house.table.pending
    assert isinstance(pending, Seats)
    path: tuple[str, ...] = ()
    while (menu := house.choices(pending.seats[0], path))["command"] is None:
        assert menu.keys() == {"revision", "prompt", "choices", "command"}
        assert all(choice.keys() == {"key", "label", "place"} for choice in menu["choices"])
        path = (*path, menu["choices"][0]["key"])
    validator(f"{game.key}.json#/$defs/command").validate(menu["command"])
