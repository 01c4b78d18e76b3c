"""The shapes of what the API takes and says of matches. What is said is described here, and made where it is known."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from engine.kernel.limits import (
    BANK_MS_MAX,
    DEAL_TABLES_MAX,
    DELAY_MS_MAX,
    EXTENSION_MS_MAX,
    INCREMENT_MS_MAX,
    PLAYER_LENGTH_MAX,
    REASON_LENGTH_MAX,
    SEATS_MAX,
    TURN_MS_MAX,
)


class Shape(BaseModel, extra="forbid"):
    """Nothing beside what is named."""


# -- what is asked -----------------------------------------------------------------------------------------------------


class DealOf(Shape):
    """The match is a table of it: its id is `<group>-t<number>`."""

    group: str = Field(pattern=r"^[A-Za-z0-9_-]{1,56}$")
    tables: int = Field(ge=2, le=DEAL_TABLES_MAX)


class Opening(Shape):
    """What is agreed before the first card."""

    match: str = Field("", pattern=r"^[A-Za-z0-9_-]{0,64}$", description="Made from the key if it is left out.")
    game: str = Field(max_length=64, examples=["just4fun"])
    seats: int = Field(ge=1, le=SEATS_MAX)
    options: dict[str, Any] = Field(default_factory=dict, description="Those of the game.")
    nonces: list[str] = Field(
        default_factory=list, max_length=SEATS_MAX, description="What each seat adds to the luck."
    )
    players: list[str] = Field(default_factory=list, max_length=SEATS_MAX, description="Opaque ids, by seat.")
    turn_ms: int = Field(0, ge=0, le=TURN_MS_MAX)
    bank_ms: int = Field(0, ge=0, le=BANK_MS_MAX)
    increment_ms: int = Field(0, ge=0, le=INCREMENT_MS_MAX)
    on_timeout: Literal["", "default", "forfeit"] = ""
    delay_ms: int = Field(0, ge=0, le=DELAY_MS_MAX, description="How far bystanders are kept behind.")
    deal: DealOf | None = None


class Named(Shape):
    """A command as the log has it."""

    type: str = Field(max_length=128, examples=["tavolata.leave"])
    v: int = Field(ge=0, le=1_000, examples=[1])
    data: dict[str, Any] = Field(examples=[{"seat": 0}])


class Move(Shape):
    """One command of one seat."""

    seat: int = Field(ge=0, lt=SEATS_MAX)
    command: Named
    expected_revision: int = Field(0, ge=0, le=2**31, description="If not 0: refuse unless the match stands here.")


class KeyedMove(Move):
    """A line of several commands."""

    key: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="Its Idempotency-Key.")


class Direction(Shape):
    """What the director of a match may do to it."""

    act: Literal["pause", "resume", "extend", "call_time", "seat_out"]
    seat: int | None = Field(None, ge=0, lt=SEATS_MAX, description="Who goes, or who gets more time; all, if left out.")
    ms: int = Field(0, ge=0, le=EXTENSION_MS_MAX, description="More time, for `extend`.")
    reason: str = Field("", max_length=REASON_LENGTH_MAX, description="Stands in the log for everybody to read.")


# -- what is said ------------------------------------------------------------------------------------------------------


class Opened(Shape):
    match: str
    revision: int


class Done(Shape):
    """The command is a fact of this revision."""

    revision: int = Field(examples=[21])


class Clock(Shape):
    """Read at one instant, `now`."""

    paused: bool
    called: bool
    deadline: str = Field(description="When the first of the pending seats is late; empty if no clock runs.")
    left_ms: list[int] = Field(description="By seat; empty if time is neither limited nor called.")
    now: str


class ScoreLine(Shape):
    key: str
    label: str
    points: int


class Objective(Shape):
    key: str
    label: str
    have: int
    need: int
    met: bool


class SeatScore(Shape):
    seat: int
    total: int
    lines: list[ScoreLine]
    objectives: list[Objective]


class PositionOf(Shape):
    """A match at one revision, as one viewer may know it, without its picture."""

    match: str
    game: str
    revision: int
    newest: int = Field(description="The newest revision that this viewer may know of.")
    at: str
    waiting: Literal["seats", "house", "over"]
    pending_seats: list[int]
    players: list[str] = Field(description=f"By seat, at most {PLAYER_LENGTH_MAX} characters each.")
    left: list[int]
    scores: list[SeatScore]
    words: list[str] = Field(description="What was said at this revision.")
    ranks: list[int] = Field(description="By seat once the match is over; empty before.")
    reason: str
    complete: bool
    past_is_open: bool = Field(description="Whether earlier revisions can be asked for now.")
    clock: Clock | None


class Position(PositionOf):
    """A match at one revision, as one viewer may know it."""

    svg: str


class Patch(PositionOf):
    """The position after the one at `before`: its picture is the text of that one after the edits."""

    before: int
    edits: list[tuple[int, int, str]] = Field(
        description="Keep so many characters of the old picture, pass over so many, write the text; keep the rest.",
        examples=[[[120, 4, "blue"]]],
    )


class Event(Shape):
    type: str
    v: int
    data: dict[str, Any]


class Fact(Shape):
    """One revision as one viewer may know it."""

    match: str
    revision: int
    at: str
    actor: str = Field(examples=["seat:0"])
    events: list[Event]
    words: list[str]


class Facts(Shape):
    match: str
    facts: list[Fact]
    newest: int


class Choice(Shape):
    key: str = Field(description="The next step of the path.")
    label: str
    place: str = Field(description="The id of the element of the picture that it stands for, or empty.")


class Choices(Shape):
    revision: int
    prompt: str
    choices: list[Choice]
    command: Named | None = Field(description="What the path so far comes to, if it is complete.")


class Wrong(Shape):
    where: str
    what: str


class Problem(BaseModel):
    """RFC 9457. `code` does not change; `detail` is a sentence for people."""

    type: Literal["about:blank"]
    title: str
    status: int
    code: str = Field(examples=["not_your_turn"])
    detail: str = Field(examples=["It is not the turn of seat 0."])
    revision: int = Field(0, description="Where the match or event stands now, if that is known.")
    errors: list[Wrong] = Field(default_factory=list, description="All that is wrong with the request.")


class DoneLine(Shape):
    """What became of one line of several commands."""

    key: str
    revision: int | None = None
    problem: Problem | None = None


# -- what a stream says ------------------------------------------------------------------------------------------------


class FactFrame(Fact):
    event: Literal["fact"]


class PositionFrame(Position):
    event: Literal["position", "reset"] = Field(description="`reset`: forget what you had, and go on from here.")


class PatchFrame(Patch):
    event: Literal["patch"]


class EndFrame(Shape):
    """The match is complete. Nothing follows: do not come again."""

    event: Literal["end"]
    match: str
    revision: int


class AwayFrame(Shape):
    """The house cannot be reached; what is missed will be told, and first the position."""

    event: Literal["away"]
    match: str


class ProblemFrame(Shape):
    """Nothing more can be told of this match."""

    event: Literal["problem"]
    match: str = ""
    code: str
    detail: str


class QuietFrame(Shape):
    """`heartbeat`: still here. `goodbye`: the gateway stops; come again. As server-sent events these are comments."""

    event: Literal["heartbeat", "goodbye"]


Frame = FactFrame | PositionFrame | PatchFrame | EndFrame | AwayFrame | ProblemFrame | QuietFrame
"""A line of NDJSON; as a server-sent event, ``event`` is its name and the rest its data."""
