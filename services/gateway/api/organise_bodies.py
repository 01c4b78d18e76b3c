"""What an organiser sends: bodies of requests, every field with its bound.

What the rules allow is asked of the tournament service; here stands only what a request can be at all.
"""

import json
from typing import Annotated, Any, Final, TypeAlias

from fastapi import Path, Query
from pydantic import BaseModel, Field

from engine.tournament.limits import (
    CONFIG_BYTES_MAX,
    ENTRANTS_MAX,
    ENTRIES_AT_ONCE,
    REASON_LENGTH_MAX,
    TABLE_SIZE_MAX,
)

EVENT_PATTERN: Final = r"^[A-Za-z0-9_-]{0,40}$"
NUMBER_MAX: Final = 10**6
"""Of a round or a table."""
SCORE_MAX: Final = 2**53 - 1
"""The greatest whole number that every reader of JSON keeps."""
SUPPOSED_MAX: Final = 1_000
"""Results in one supposition."""

Actor: TypeAlias = Annotated[
    str, Field(pattern=r"^(organiser:.|player:[1-9])", max_length=80, description="organiser:<who> or player:<entry>.")
]
Reason: TypeAlias = Annotated[str, Field(max_length=REASON_LENGTH_MAX, description="Why; it stands in the log.")]
Expected: TypeAlias = Annotated[
    int, Field(ge=0, le=2**31, description="If not 0: refuse unless the event stands at this revision.")
]
PlayerId: TypeAlias = Annotated[str, Path(max_length=64, pattern=r"^[A-Za-z0-9_:.-]+$", description="An opaque id.")]
PageToken: TypeAlias = Annotated[str, Query(max_length=64, description="From the answer before; empty at first.")]


class Creation(BaseModel, extra="forbid"):
    """A new event."""

    id: str = Field("", pattern=EVENT_PATTERN, description="Made from the key if it is left out.")
    config_toml: str = Field(max_length=CONFIG_BYTES_MAX)
    organiser: str = Field(min_length=1, max_length=64, description="Who creates it; stands in the log.")


class ConfigurationCheck(BaseModel, extra="forbid"):
    """A configuration to look at."""

    config_toml: str = Field(max_length=CONFIG_BYTES_MAX)
    entrants: int = Field(0, ge=0, le=ENTRANTS_MAX, description="How many are expected; 0 is the cap, or unknown.")


class Asked(BaseModel, extra="forbid"):
    """A command as the log has it."""

    type: str = Field(max_length=64)
    v: int = Field(1, ge=1, le=1_000)
    data: dict[str, Any] = Field(default_factory=dict)

    def as_json(self) -> str:
        """With every odd text escaped and every number as it came: what is no command is for the service to refuse."""
        return json.dumps(self.model_dump())


class OrganiserAction(BaseModel, extra="forbid"):
    """One command, and who asks."""

    actor: Actor
    command: Asked
    expected_revision: Expected = 0


class Configuring(BaseModel, extra="forbid"):
    """Another configuration from now on: the whole of it."""

    actor: Actor
    config_toml: str = Field(max_length=CONFIG_BYTES_MAX)
    reason: Reason = ""
    expected_revision: Expected = 0


class DraftRequest(BaseModel, extra="forbid"):
    """Who asks for a draft."""

    actor: Actor
    reason: Reason = ""


class Applicant(BaseModel, extra="forbid"):
    """Somebody who is to enter: by an id that the house knows, or by name."""

    player: str = Field("", max_length=64, description="Opaque; bot:<level>:<number> for a bot.")
    name: str = Field("", max_length=100)
    contact: str = Field("", max_length=200, description="Tells two of one name apart; kept in no log.")
    alias: str = Field("", max_length=40, description="The name for public pages; empty is the name itself.")


class Applicants(BaseModel, extra="forbid"):
    """People who enter, in this order."""

    actor: Actor
    people: list[Applicant] = Field(min_length=1, max_length=ENTRIES_AT_ONCE)
    unranked: bool = Field(False, description="They fill tables and are not ranked.")
    reason: Reason = ""


class SupposedTable(BaseModel, extra="forbid"):
    """Scores in seat order, without those who did not come."""

    round: int = Field(0, ge=0, le=NUMBER_MAX, description="0 is the newest closed.")
    table: int = Field(ge=1, le=NUMBER_MAX)
    scores: list[Annotated[int, Field(ge=-SCORE_MAX, le=SCORE_MAX)]] = Field(max_length=TABLE_SIZE_MAX)


class Supposition(BaseModel, extra="forbid"):
    """What would have been if these were the results, or parts of the configuration others."""

    results: list[SupposedTable] = Field(default_factory=list, max_length=SUPPOSED_MAX)
    config: dict[str, Any] = Field(default_factory=dict)

    def config_json(self) -> str:
        return json.dumps(self.config) if self.config else ""


class AccessRequest(BaseModel, extra="forbid"):
    """For whom, and for how long."""

    entries: list[Annotated[int, Field(ge=1, le=ENTRANTS_MAX)]] = Field(
        default_factory=list, max_length=ENTRANTS_MAX, description="Their numbers; all if empty."
    )
    hours: int = Field(12, ge=1, le=24, description="How long a link holds.")
    round: int = Field(0, ge=0, le=NUMBER_MAX, description="With `table`: of that round; 0 without.")
    table: int = Field(
        0,
        ge=0,
        le=NUMBER_MAX,
        description="For who sits at this table now, each for that one seat, whoever the match was opened with; "
        "0 for all that people play in the event.",
    )
