"""Who may what: the one place that says it. What stands in no row may be done by nobody.

| who | may |
|---|---|
| anybody | watch what spectators are shown, read events, scores and ratings, check exports |
| seat | speak for its seat, look as it |
| player | the same for each seat that a match's opening gives them, of one event or of all; practise with bots |
| organiser | run their event: every command, its drafts and log, its people's tokens; open and direct its matches |
| referee | direct the matches of an event, or one, and look as the referee there |
| caster | see what the referee sees, but behind delays and deals |
| service | what its name is for: rules services draw, the tournament opens and directs, bots play the seats of bots |

The organiser of all events (``*``) opens single matches and erases people, too. A rule is asked with the call and its
request, before anything is done. Who sits in a seat, only its match knows: such rules are ``INSIDE``, and the servicer
asks ``may_speak`` or ``may_look`` itself; ``Guard`` lets no answer out of one that forgot.

Whether there is such a match or event is told to those who may ask, and to nobody else: to all others it is as if it
were somebody else's.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias, assert_never

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Seat
from services.kit.access.caller import Caller
from services.kit.access.grants import (
    ALL,
    BOT_PREFIX,
    BOTS,
    CasterGrant,
    Grant,
    OrganiserGrant,
    PlayerGrant,
    RefereeGrant,
    SeatGrant,
    ServiceGrant,
)

PRACTICE: Final = "practice-"
"""How the id of a match begins that a player has opened against bots."""

EXHIBITION: Final = "exhibition-"
"""The same of one that bots play among themselves."""

PlayerAt: TypeAlias = Callable[[str, Seat], Awaitable[str]]
"""Match, seat → the player whom the opening put there; empty if nobody knows."""

GameOf: TypeAlias = Callable[[str], Awaitable[str]]
"""Match → the key of its game."""

RULES_OF: Final = "rules-"
"""Before the key of a game, the service that plays it."""

Rule: TypeAlias = Callable[[Caller, Any], None]
"""A caller and the request, ``None`` if there are many. Raises ``Refusal``."""

_OF_EVENT: Final = re.compile(r"(.+)-r[0-9]+-t[0-9]+(-x[0-9]+)?")


def event_of(match: str) -> str:
    """The event whose table a match is played at, which its id says (``match_id`` in ``engine/tournament/state.py``);
    empty for a single match.
    """
    found = _OF_EVENT.fullmatch(match)
    return found[1] if found else ""


# -- asked by servicers ------------------------------------------------------------------------------------------------


async def may_speak(caller: Caller, match: str, seat: Seat, player_at: PlayerAt) -> None:
    """Whether the caller may act for a seat, ask for its choices, and look as it. Raises ``Refusal``."""
    caller.was_asked = True
    if caller.is_open:
        return
    match caller.grant():
        case SeatGrant(its_match, its_seat):
            is_theirs = (its_match, its_seat) == (match, seat)
        case PlayerGrant(player, event):
            is_theirs = event in (ALL, event_of(match)) and await player_at(match, seat) == player
        case ServiceGrant(service):
            is_theirs = service == BOTS and (await player_at(match, seat)).startswith(BOT_PREFIX)
        case OrganiserGrant() | RefereeGrant() | CasterGrant():
            is_theirs = False
        case grant:
            assert_never(grant)
    if not is_theirs:
        raise Refusal("not_your_seat", "This token does not speak for that seat.", Kind.DENIED)


def may_look_as_referee(caller: Caller, match: str, *, live: bool) -> None:
    """Whether the caller may see every hand: ``live``, or as late as a spectator. Raises ``Refusal``."""
    caller.was_asked = True
    if caller.is_open:
        return
    grant = caller.grant()
    sees = isinstance(grant, RefereeGrant) or (isinstance(grant, CasterGrant) and not live)
    if not (sees and _covers(grant, match)):
        raise Refusal("not_your_match", "This token does not show every hand of that match.", Kind.DENIED)


async def may_draw(caller: Caller, match: str, game_of: GameOf) -> None:
    """Whether the caller draws for this match: who could draw for another game would see what is to come there.

    Raises ``Refusal``, and what ``game_of`` raises.
    """
    caller.was_asked = True
    if not caller.is_open and caller.grant() != ServiceGrant(f"{RULES_OF}{await game_of(match)}"):
        raise Refusal("not_your_match", "The rules of another game play this match.", Kind.DENIED)


def may_watch(caller: Caller) -> None:
    """What spectators see: anybody."""
    caller.was_asked = True


# -- rules -------------------------------------------------------------------------------------------------------------


def anybody(caller: Caller, request: Any) -> None:
    caller.was_asked = True


def inside(caller: Caller, request: Any) -> None:
    """The servicer asks, for it depends on who sits where."""


def any_organiser(caller: Caller, request: Any) -> None:
    refusal = Refusal("not_an_organiser", "Organisers may do that.", Kind.DENIED)
    _ask(caller, lambda grant: isinstance(grant, OrganiserGrant), refusal)


def organiser_of_all(caller: Caller, request: Any) -> None:
    refusal = Refusal("not_an_organiser", "The organiser of all events may do that.", Kind.DENIED)
    _ask(caller, lambda grant: _runs(grant, ALL), refusal)


def organiser(caller: Caller, request: Any) -> None:
    """Of the event that the request names."""
    may_run(caller, request.tournament_id)


def may_run(caller: Caller, event: str) -> None:
    """Whether the caller runs this event. Raises ``Refusal``."""
    refusal = Refusal("not_your_event", "This token does not run that event.", Kind.DENIED)
    _ask(caller, lambda grant: _runs(grant, event), refusal)


def reader_of_round(caller: Caller, request: Any) -> None:
    """Rounds are public; their drafts are the organiser's."""
    if request.draft:
        organiser(caller, request)
    else:
        anybody(caller, request)


def opener(caller: Caller, request: Any) -> None:
    refusal = Refusal("not_your_match", "This token does not open that match.", Kind.DENIED)
    _ask(caller, lambda grant: _opens(grant, request), refusal)


def director(caller: Caller, request: Any) -> None:
    refusal = Refusal("not_your_match", "This token does not direct that match.", Kind.DENIED)
    _ask(caller, lambda grant: _directs(grant, request.match_id), refusal)


def rules_service(caller: Caller, request: Any) -> None:
    def is_rules(grant: Grant) -> bool:
        return isinstance(grant, ServiceGrant) and grant.service.startswith(RULES_OF)

    _ask(
        caller, is_rules, Refusal("not_your_service", "The rules services ask the deck, and nobody else.", Kind.DENIED)
    )


def _rules_of(service: str, methods: Mapping[str, Rule]) -> dict[str, Rule]:
    return {f"/tavolata.{service}/{method}": rule for method, rule in methods.items()}


RULES: Final[Mapping[str, Rule]] = {
    **_rules_of("deck.v1.DeckService", {
        "GetCommitment": rules_service,
        "DrawMany": rules_service,
        "RevealSeed": rules_service,
    }),
    **_rules_of("match.v1.MatchService", {
        "OpenMatch": opener,
        "Act": inside,
        "Play": inside,
        "Direct": director,
        "GetChoices": inside,
    }),
    **_rules_of("spectator.v1.SpectatorService", {
        "WatchFacts": inside,
        "WatchMany": inside,
        "WatchPositions": inside,
        "GetSnapshot": inside,
        "ExportMatch": anybody,
    }),
    **_rules_of("scoring.v1.ScoringService", {
        "ListMatches": anybody,
        "GetMatch": anybody,
        "WatchMatches": anybody,
    }),
    **_rules_of("house.v1.HouseService", {"DescribeHouse": anybody}),
    **_rules_of("tournament.v1.TournamentService", {
        "CreateTournament": organiser,
        "CheckConfiguration": any_organiser,
        "Command": organiser,
        "DraftRound": organiser,
        "RegisterPeople": organiser,
        "ErasePerson": organiser_of_all,
        "ListTournaments": anybody,
        "GetTournament": anybody,
        "GetRound": reader_of_round,
        "GetStandings": anybody,
        "GetStatus": anybody,
        "WatchTournament": anybody,
        "ExplainStanding": anybody,
        "ExplainPairing": anybody,
        "WhatIf": organiser,
        "ExportTournament": anybody,
        "ListRatings": anybody,
        "FindPlayers": anybody,
        "NamePlayers": anybody,
        "GetEntrant": anybody,
        "GetBracket": anybody,
        "ListActions": organiser,
        "IssueTokens": organiser,
    }),
}  # fmt: skip
"""Method as it stands on the wire → its rule."""


def nobody(caller: Caller, request: Any) -> None:
    """What stands in no row."""
    _ask(caller, lambda grant: False, Refusal("not_allowed", "Nobody may do that.", Kind.DENIED))


# -- what a grant covers -----------------------------------------------------------------------------------------------


def _ask(caller: Caller, allows: Callable[[Grant], bool], refusal: Refusal) -> None:
    caller.was_asked = True
    if not caller.is_open and not allows(caller.grant()):
        raise refusal


def _runs(grant: Grant, event: str) -> bool:
    return isinstance(grant, OrganiserGrant) and grant.event in (ALL, event)


def _opens(grant: Grant, request: Any) -> bool:
    """The table of an event is nobody's to practise at, whatever the event is called; nor is one of a deal, which would
    stay open until all of its tables have ended.
    """
    match, players = request.match_id, list(request.players)
    bots = [each.startswith(BOT_PREFIX) for each in players]
    is_single = not event_of(match) and not request.HasField("deal")
    match grant:
        case OrganiserGrant(event):
            return event == ALL or event == event_of(match)
        case ServiceGrant(service):
            is_exhibition = service == BOTS and match.startswith(EXHIBITION) and is_single
            return service == "tournament" or (is_exhibition and bool(bots) and all(bots))
        case PlayerGrant(player, event):
            is_practice = event == ALL and match.startswith(PRACTICE) and is_single
            return is_practice and players[:1] == [player] and all(bots[1:])
        case SeatGrant() | RefereeGrant() | CasterGrant():
            return False
        case _:
            assert_never(grant)


def _directs(grant: Grant, match: str) -> bool:
    match grant:
        case OrganiserGrant(event):
            return event == ALL or event == event_of(match)
        case RefereeGrant():
            return _covers(grant, match)
        case ServiceGrant(service):
            return service == "tournament"
        case SeatGrant() | PlayerGrant() | CasterGrant():
            return False
        case _:
            assert_never(grant)


def _covers(grant: Grant, match: str) -> bool:
    if not isinstance(grant, RefereeGrant | CasterGrant):
        return False
    if grant.match:
        return grant.match == match
    return grant.event == ALL or grant.event == event_of(match)
