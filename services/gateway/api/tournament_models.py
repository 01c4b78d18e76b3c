"""What the API tells of events: the fields of the wire under their own names.

Exact figures are texts: "5/2". Instants are UTC, as the log has them. Numbers of stages count from 0, as do seats;
rounds, tables and places from 1.
"""

from typing import Any, Literal

from pydantic import BaseModel, Field, RootModel

from services.gateway.api.shapes import QuietFrame


class Told(BaseModel, extra="forbid"):
    """An answer; a program may rely on every field."""


class EventInShort(Told):
    """An event in short. This is what its stream tells after each change."""

    tournament_id: str
    name: str
    phase: str = Field(description="created, registration, ready, running or finished.")
    revision: int
    created_at: str
    entrants: int = Field(description="Those who are in.")
    round: int = Field(description="The newest round that is published; 0 before the first.")
    round_phase: str = Field(description="Of the newest round: published, running, closed; empty before the first.")
    stage: int
    stage_name: str
    drafted: bool = Field(description="Whether a draft waits to be published.")
    check_in_open: bool = Field(description="Whether people may check in before the first round.")


class Events(Told):
    """All events, the newest first."""

    tournaments: list[EventInShort]


class Entrant(Told):
    """Somebody who has entered."""

    entry: int = Field(description="The number within the event.")
    player: str = Field(description="The opaque player id.")
    name: str = Field(description="The public name.")
    standing: str = Field(description="waiting, in, withdrawn, dropped or disqualified.")
    present: bool
    ranked: bool
    seed: int = Field(description="1 is the best; 0 is none.")
    fixed_table: int = Field(description="The table they always have; 0 for none.")


class Penalty(Told):
    """A penalty that stands."""

    number: int
    entry: int
    kind: str = Field(description="warning, points, table_loss or disqualification.")
    points: str
    round: int = Field(description="The round it counts from.")


class Apart(Told):
    """Two who are kept apart."""

    entries: list[int]
    points: int = Field(description="Points of spread that it is worth; 0: whenever it can be.")
    first: int = Field(description="The first round it holds in.")
    last: int = Field(description="The last; 0: to the end.")


class EventTold(EventInShort):
    """An event that has changed, or as it is now."""

    event: Literal["tournament"]


class EventInFull(Told):
    """An event with its configuration and its people."""

    tournament: EventInShort
    config: dict[str, Any]
    entrants: list[Entrant]
    penalties: list[Penalty]
    commitment: str = Field(description="The promise that all seeds of the event must keep, hex.")
    apart: list[Apart]


class Place(Told):
    """One seat at a table."""

    entry: int
    name: str
    player: str
    place: int = Field(description="1 for the best; 0 without a result.")
    score: int
    points: str = Field(description="Tournament points of this table, once the round is closed; else empty.")
    no_show: bool


class Table(Told):
    """One table of a round; places in seat order."""

    number: int
    match_id: str
    phase: str = Field(description="waiting, open, done or void.")
    places: list[Place]
    disputed: bool
    adjudicated: bool
    ended: str
    time_called: bool
    extended_ms: int


class Quality(Told):
    """How good a pairing is."""

    repeats: int = Field(description="Meetings that have been before.")
    repeats_bound: int = Field(description="The fewest that counting allows.")
    spread: str = Field(description="The sum over tables of the points between the best and the last.")
    spread_bound: str = Field(description="The same if nobody minded meeting again.")
    broken: int = Field(description="Pairs that were to be kept apart and meet.")
    misplaced: int = Field(description="Entrants who are not at the table that they always have.")


class Round(Told):
    """One published round."""

    round: int
    phase: str = Field(description="published, running, closed or cancelled.")
    game: str
    tables: list[Table]
    byes: list[Entrant]
    absent: list[Entrant]
    quality: Quality | None
    seed: str
    ends_at: str = Field(description="When the clock runs out; empty without one or while it is paused.")
    left_ms: int = Field(description="What is left on a paused clock.")
    engine: str


class Line(Told):
    """One line of the standings."""

    place: int = Field(description="Shared by equals: 1, 2, 2, 4; 0 for those who are not ranked.")
    entry: int
    name: str
    values: dict[str, str] = Field(description="By key.")
    decided_by: str
    movement: int = Field(description="Places won since the round before; negative for lost.")
    standing: str
    stage: int
    chance: str = Field(description="clinched, eliminated or alive; empty where it cannot be known.")


class StandingsKept(Told):
    """The order of a stage, or the final one."""

    stage: int
    after_round: int
    final: bool
    cut: int = Field(description="How many go on to the next stage; 0 if there is no line.")
    keys: list[str] = Field(description="In the order of their weight.")
    lines: list[Line]


class Standings(StandingsKept):
    """The order of a stage, or the final one, as it is shown."""

    keys_shown: list[str] = Field(description="Those that people need: a lot only where it has decided something.")


class SlowTable(Told):
    """A table that is playing."""

    number: int
    match_id: str
    playing_ms: int


class Status(Told):
    """How an event is getting on, and when its round may end."""

    tournament: EventInShort
    waiting: int
    open: int
    done: int
    disputed: int
    slowest: list[SlowTable]
    expected_end: str = Field(description="When half of all such rounds would be over; empty if nothing plays.")
    earliest_end: str = Field(description="5 % of such rounds would be over before.")
    latest_end: str = Field(description="95 % of such rounds would be over by then.")
    ends_at: str
    left_ms: int
    waits_for: str
    trouble: str


class Seat(Told):
    """A seat in a published round."""

    round: int
    round_phase: str
    table: int
    seat: int
    match_id: str
    phase: str


class Appearance(Told):
    """One entrant in one round."""

    round: int
    stage: int
    game: str
    phase: str
    kind: str = Field(description="table, bye or absent.")
    table: Table | None
    seat: int
    points: str


class EntrantInFull(Told):
    """One entrant: where to sit, how they stand, and every round so far."""

    entrant: Entrant
    seat: Seat | None
    line: Line | None
    keys: list[str]
    stage: int
    history: list[Appearance]


class Going(Told):
    """One who goes on."""

    entry: int
    by: str = Field(description="place, wildcard or bye.")
    from_table: int
    to_table: int


class BracketRound(Told):
    """One round of an elimination; without tables while it is to come."""

    round: int
    phase: str = Field(description="planned, published, running or closed.")
    entrants: int
    sizes: list[int]
    advance: int
    wildcards: int
    tables: list[Table]
    byes: list[Entrant]
    going: list[Going]
    undecided: list[int]


class Bracket(Told):
    """An elimination to be drawn."""

    stage: int
    name: str
    rounds: list[BracketRound]


class ArchiveOfEvent(Told):
    """Everything of an event but its log."""

    schema_: str = Field(alias="schema", description="tavolata.tournament")
    version: int = Field(description="Counts up when a field changes its meaning or goes.")
    tournament: EventInShort
    config: dict[str, Any]
    commitment: str
    entrants: list[Entrant]
    penalties: list[Penalty]
    rounds: list[Round]
    standings: list[StandingsKept]


class Rating(Told):
    """One player's rating."""

    player: str
    name: str
    mu_milli: int = Field(description="The estimate of strength, in thousandths.")
    sigma_milli: int = Field(description="Its uncertainty, in thousandths.")
    games: int


class Ratings(Told):
    """A page of ratings, the best first."""

    ratings: list[Rating]
    next_page_token: str
    model: str


class WhyStanding(BaseModel):
    """Every figure in its terms, which add up to it; and what decided against the line before."""

    place: int
    entry: int
    keys: list[dict[str, Any]]
    behind: dict[str, Any] | None


class WhyPairing(BaseModel):
    """What a table costs, and what the nearest alternatives would have cost. Figures are in 1/unit points."""

    entry: int
    table: int
    paired_by: dict[str, Any]
    meetings: list[dict[str, Any]]
    total: dict[str, int]
    alternatives: list[dict[str, Any]]
    passed_over: list[dict[str, Any]]
    unit: int


class EventAway(Told):
    """The house cannot be reached; what is missed will be told."""

    event: Literal["away"]


class EventFrame(RootModel[EventTold | EventAway | QuietFrame]):
    """A line of NDJSON; as a server-sent event, ``event`` is its name and the rest its data."""
