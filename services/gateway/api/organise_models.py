"""What an organiser is told, for the document of the API."""

from typing import Any

from pydantic import Field

from services.gateway.api.tournament_models import Entrant, EventInFull, Line, Round, Status, Told


class Warned(Told):
    """Something that is allowed and may disappoint."""

    code: str
    sentence: str


class CreatedEvent(Told):
    """The event exists."""

    id: str
    revision: int
    warnings: list[Warned]


class CheckedConfiguration(Told):
    """The configuration holds."""

    config: dict[str, Any] = Field(description="The whole of it, defaults written out.")
    warnings: list[Warned]


class ChangedFigure(Told):
    """A number that had been published and is another one."""

    round: int = Field(description="The round it was published after.")
    entry: int = Field(description="Whose.")
    what: str = Field(description="place, TP, SOS ...")
    before: str = Field(description="What was published; empty for nothing.")
    after: str = Field(description="What holds now; empty for nothing.")


class CommandReceipt(Told):
    """The command is a fact."""

    revision: int
    events: list[str] = Field(description="The types of its events, in order.")
    changes: list[ChangedFigure]


class DraftedRound(Told):
    """The draft is there."""

    revision: int
    round: int


class EnteredPeople(Told):
    """They are in, or on the waiting list, in the order asked."""

    revision: int
    entrants: list[Entrant]


class Pod(Told):
    """Who would have sat together."""

    table: int
    entries: list[int] = Field(description="In seat order.")


class OtherRound(Told):
    """A published round that would have been paired otherwise."""

    round: int
    pods: list[Pod]
    moved: int = Field(description="How many would have sat at a table with others than they did.")


class SupposedStandings(Told):
    """The standings then."""

    stage: int
    after_round: int
    final: bool
    cut: int
    keys: list[str]
    lines: list[Line]


class SupposedEvent(Told):
    """What would have been."""

    standings: SupposedStandings
    changes: list[ChangedFigure]
    rounds: list[OtherRound]


class ErasedPerson(Told):
    """The person is forgotten."""

    player: str
    before: bool = Field(description="Whether they had been forgotten before.")


class OrganiserDesk(EventInFull):
    """An event as its organiser has it in view."""

    status: Status
    round: Round | None = Field(description="The newest that is published, or the one that was asked for.")
    draft: Round | None = Field(description="What is drafted and not public yet.")


class LoggedAction(Told):
    """One action of the log."""

    revision: int
    at: str
    actor: str = Field(description="organiser:<who>, player:<entry>, or house.")
    command: str
    sentence: str = Field(description="What was done, for people.")
    reason: str = Field(description="Why, in the words of the actor; may be empty.")
    events: list[str]
    changes: int | None = Field(description="How many published figures it changed; null where that takes too long.")


class LogPage(Told):
    """A page of the log, the newest first."""

    actions: list[LoggedAction]
    next: str = Field(description="For the next page; empty at the end.")


class Configuration(Told):
    """The rules of an event as a file to be changed."""

    config_toml: str


class Template(Configuration):
    """A configuration to begin with."""

    name: str
    about: str


class Templates(Told):
    """What the handbook explains."""

    templates: list[Template]


class PlayerLink(Told):
    """A way in for one person: whoever follows it plays their seats."""

    entry: int
    player: str
    name: str
    link: str = Field(description="Leads to a page of this house; the token stands behind #, where no server sees it.")


class PlayerLinks(Told):
    """In the order of the entrants' numbers; bots have none."""

    links: list[PlayerLink]
