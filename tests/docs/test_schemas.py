"""The schemas of docs/api are what the engine's types say now, and what is played fits them; nothing else does.

Games are found, so a new one has its file, its matches and its wrong records looked at here without a line.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest

from engine.games import all_games
from engine.kernel import official
from engine.kernel.codec import Codec, Recorded, Undecodable
from engine.kernel.commit import decode_line
from engine.kernel.facts import fact_of
from engine.kernel.game import AnyGame
from engine.kernel.limits import ID_LENGTH_MAX
from engine.kernel.refusal import Refusal
from engine.kernel.value import SeatView, Spectator, check_id
from engine.tournament import commands as c
from engine.tournament.commands import COMMANDS
from engine.tournament.events import EVENTS
from tests.kit import schemas
from tests.kit.cases import Case, cases_of
from tests.kit.duel import DUEL
from tests.kit.schemas import COMMIT, FACT, TOURNAMENT, Json, changed, registry, validator
from tests.kit.table import Played, play
from tests.kit.tournaments import Desk, event, swiss

GAMES = tuple(all_games())
SEATS_PLAYED = 3
LINES_READ = 30
"""Of one match, evenly spread: a validation takes some milliseconds."""


def read(value: Any) -> Any:
    """A value as a program that is not ours reads it."""
    return msgspec.json.decode(msgspec.json.encode(value))


@cache
def played(game: AnyGame) -> tuple[Played, ...]:
    """One match with a clock that runs out and a seat that leaves, one of the fewest seats to the end."""
    few = game.seats[0]
    return (
        play(game, max(few, min(SEATS_PLAYED, game.seats[-1])), {}, 1, leavers=1, sleepers=True),
        play(game, few, {}, 2),
    )


def spread(lines: tuple[Any, ...]) -> Iterator[Any]:
    step = max(1, len(lines) // LINES_READ)
    yield from lines[::step]
    yield lines[-1]


def cup() -> Desk:
    """An event of two rounds by the clock, from its registration to its end."""
    desk = Desk(event(swiss(rounds=2), clocks={"round_ms": 3_000_000}))
    desk.gather(9)
    desk.play()
    desk.begin()
    desk.do(c.PauseClock("fire alarm"))
    desk.do(c.ResumeClock())
    desk.finish_tables()
    desk.do(c.Finish())
    return desk


class TestFiles:
    def test_they_say_what_the_types_say(self) -> None:
        assert not changed(), "python -m tests.kit.schemas --write"

    def test_every_game_has_one(self) -> None:
        kept = {path.name for path in schemas.FOLDER.glob("*.json")}
        assert kept == {f"{key}.json" for key in all_games()} | {COMMIT, FACT, TOURNAMENT}

    @pytest.mark.parametrize("name", schemas.schemas())
    def test_each_is_a_schema_whose_references_lead_somewhere(self, name: str) -> None:
        schema = schemas.schemas()[name]
        assert schema["$schema"] == schemas.DIALECT
        validator(name).check_schema(schema)
        resolver = registry().resolver(name)
        for reference in set(references(schema)):
            assert resolver.lookup(reference).contents

    @pytest.mark.parametrize("key", GAMES)
    def test_every_command_and_event_has_its_name_and_is_one_of_them(self, key: str) -> None:
        game, defs = all_games()[key], schemas.schemas()[f"{key}.json"]["$defs"]
        for family, codec in (("command", game.commands), ("event", game.events)):
            assert [each["$ref"] for each in defs[family]["oneOf"]] == [f"#/$defs/{name}" for name in codec.types]
            assert all(name in defs for name in codec.types)

    def test_a_class_and_a_field_are_described_in_the_words_of_their_source(self) -> None:
        defs = schemas.schemas()["just4fun.json"]["$defs"]
        assert defs["HandDrawn"]["description"].endswith("Only that seat may see them (J-22).")
        assert defs["Options"]["properties"]["owner_may_add_to_locked"]["description"] == "J-07."
        assert "description" not in defs["HandDrawn"]["properties"]["cards"]


class TestWhatIsPlayed:
    @pytest.mark.parametrize("key", GAMES)
    def test_every_line_fits_its_game_and_what_all_games_share(self, key: str) -> None:
        own, shared = validator(f"{key}.json"), validator(COMMIT)
        for match in played(all_games()[key]):
            for line in spread(match.lines):
                own.validate(msgspec.json.decode(line))
                shared.validate(msgspec.json.decode(line))

    @pytest.mark.parametrize("key", GAMES)
    def test_every_fact_fits_also_where_it_has_holes(self, key: str) -> None:
        own, shared = validator(f"{key}.json#/$defs/fact"), validator(FACT)
        match = played(all_games()[key])[0]
        for commit in spread(match.commits):
            for viewer in (Spectator(), SeatView(1)):
                fact = read(fact_of(match.match, commit, viewer))
                own.validate(fact)
                shared.validate(fact)

    @pytest.mark.parametrize("case", [case for key in GAMES for case in cases_of(all_games()[key])], ids=str)
    def test_options_fit_as_a_host_writes_them_and_as_a_line_has_them(self, case: Case) -> None:
        options = validator(f"{case.game.key}.json#/$defs/options")
        options.validate(case.options)
        options.validate(read(msgspec.convert(case.options, case.game.options)))
        assert not options.is_valid(case.options | {"no_such_option": 1})

    def test_a_line_of_one_game_is_none_of_another(self) -> None:
        first, second, *_ = GAMES
        line = msgspec.json.decode(played(all_games()[first])[0].lines[0])
        assert not validator(f"{second}.json").is_valid(line)

    def test_an_event_fits_line_by_line(self) -> None:
        own, shared = validator(TOURNAMENT), validator(COMMIT)
        for line in cup().lines:
            own.validate(msgspec.json.decode(line))
            shared.validate(msgspec.json.decode(line))


class TestWhatIsWrong:
    """Whatever the codec refuses in the shape of a record, the schema refuses."""

    @pytest.mark.parametrize("key", GAMES)
    def test_a_record_of_a_game_is_refused(self, key: str) -> None:
        game = all_games()[key]
        commits = [commit for match in played(game) for commit in match.commits]
        self.refuses(game.commands, f"{key}.json#/$defs/command", [commit.command for commit in commits])
        self.refuses(game.events, f"{key}.json#/$defs/event", [each for commit in commits for each in commit.events])

    def test_a_record_of_the_kernel_is_refused(self) -> None:
        commits = [commit for match in played(all_games()[GAMES[0]]) for commit in match.commits]
        events = [each for commit in commits for each in commit.events]
        self.refuses(official.COMMANDS, f"{COMMIT}#/$defs/command", [commit.command for commit in commits])
        self.refuses(official.EVENTS, f"{COMMIT}#/$defs/event", events)

    def test_a_record_of_a_tournament_is_refused(self) -> None:
        commits = [decode_line(line) for line in cup().lines]
        events = [each for commit in commits for each in commit.events]
        self.refuses(COMMANDS, f"{TOURNAMENT}#/$defs/command", [commit.command for commit in commits])
        self.refuses(EVENTS, f"{TOURNAMENT}#/$defs/event", events)

    def refuses(self, codec: Codec[Any], reference: str, recorded: list[Recorded]) -> None:
        """One of each type as it is, and with every fault."""
        checked = validator(reference)
        samples = {each.type: read(each) for each in recorded if each.type in codec.types}
        assert samples
        for sample in samples.values():
            checked.validate(sample)
            for wrong in faults(sample):
                assert not checked.is_valid(wrong), wrong
                with pytest.raises(Undecodable):
                    codec.decode(msgspec.json.decode(msgspec.json.encode(wrong), type=Recorded))

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("match", "two words"),
            ("match", "x" * (ID_LENGTH_MAX + 1)),
            ("match", ""),
            ("revision", 0),
            ("revision", "1"),
            ("id", ""),
            ("actor", "seat:01"),
            ("actor", "nobody"),
            ("at", "2026-11-29T22:52:41Z"),
            ("rules", "none"),
            ("command", None),
            ("command", {"type": "tavolata.open_match", "v": 1}),
            ("events", [{"type": "tavolata.seat_left", "v": 1, "data": {}}]),
            ("prev", "00"),
            ("more", 1),
        ],
    )
    def test_a_line_is_refused(self, field: str, value: Any) -> None:
        line = msgspec.json.decode(played(all_games()[GAMES[0]])[0].lines[0])
        own = validator(f"{GAMES[0]}.json")
        assert own.is_valid(line)
        assert not own.is_valid(line | {field: value})
        assert field not in line or not own.is_valid({name: each for name, each in line.items() if name != field})

    @pytest.mark.parametrize("opens", ["command", "events"])
    def test_a_match_is_not_opened_with_options_of_another_game(self, opens: str) -> None:
        line = msgspec.json.decode(played(all_games()[GAMES[0]])[0].lines[0])
        record = line["command"] if opens == "command" else line["events"][0]
        record["data"]["options"] = {"no_such_option": 1}
        assert not validator(f"{GAMES[0]}.json").is_valid(line)
        assert validator(COMMIT).is_valid(line)

    @pytest.mark.parametrize("text", ["m1", "A-z_09", "x" * ID_LENGTH_MAX, "x" * (ID_LENGTH_MAX + 1), "", "a.b", "é"])
    def test_an_id_is_what_the_engine_takes_for_one(self, text: str) -> None:
        fact = read(fact_of(*first_of(played(all_games()[GAMES[0]])[0]))) | {"match": text}
        try:
            check_id("match id", text)
            fits = True
        except Refusal:
            fits = False
        assert validator(FACT).is_valid(fact) == fits


class TestAnotherGame:
    def test_a_game_that_is_found_is_described(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(schemas, "all_games", lambda: all_games() | {DUEL.key: DUEL})
        made = schemas.schemas()
        match = play(DUEL, 3, {}, 1)
        for line, commit in zip(match.lines, match.commits, strict=True):
            validator("duel.json", made).validate(msgspec.json.decode(line))
            validator("duel.json#/$defs/fact", made).validate(read(fact_of(match.match, commit, Spectator())))
        pick = {"type": "duel.pick", "v": 1, "data": {"number": 2, "bold": True}}
        assert validator("duel.json#/$defs/command", made).is_valid(pick)
        assert all(not validator("duel.json#/$defs/command", made).is_valid(wrong) for wrong in faults(pick))
        assert "duel.json" in schemas.changed()


def first_of(match: Played) -> tuple[Any, Any, Spectator]:
    return match.match, match.commits[0], Spectator()


def faults(record: Json) -> Iterator[Json]:
    """A field too few, one too many, each of another type; another version, another name."""
    yield record | {"v": record["v"] + 1}
    yield record | {"type": "nobody.knows_this"}
    yield record | {"data": record["data"] | {"no_such_field": 1}}
    for field, value in record["data"].items():
        wrong: Any = 1 if isinstance(value, str | list | dict | bool) else [{}]
        yield record | {"data": record["data"] | {field: wrong}}


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for part in schema.values():
            yield from references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from references(part)
