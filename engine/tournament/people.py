"""Decisions about who takes part: registration, the waiting list, check-in, seeds, wishes, leaving, penalties."""

from engine.kernel.limits import PLAYER_LENGTH_MAX
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.exact import exact_of, exact_text
from engine.tournament.limits import ENTRANTS_MAX, ENTRIES_AT_ONCE, ROUNDS_MAX
from engine.tournament.played import Entry
from engine.tournament.state import EntrantState, Phase, Standing, Tournament

BOT = "bot:"
"""Before the level, in the player id of a bot, and what tells it apart from others: ``bot:greedy:17``."""

PENALTIES = ("warning", "points", "table_loss", "disqualification")


def register(state: Tournament, command: c.Register) -> tuple[e.Event, ...]:
    """New entrants, the first of them up to the cap, the others waiting. Raises ``Refusal``."""
    players = command.players
    since = _since(state)
    _check_players(state, players)
    if len(state.entrants) + len(players) > ENTRANTS_MAX:
        raise Refusal("too_many_entrants", f"An event has at most {ENTRANTS_MAX} entrants.", Kind.INVALID)
    room = _room(state) if command.ranked else len(players)
    if room < len(players) and not state.config.registration.waiting_list:
        raise Refusal("event_full", f"The event has room for {room} more, and no waiting list.")
    first = len(state.entrants) + 1
    parts = ((first, players[:room], False), (first + room, players[room:], True))
    return tuple(e.Registered(number, part, command.ranked, waiting, since) for number, part, waiting in parts if part)


def admit(state: Tournament, command: c.Admit) -> tuple[e.Event, ...]:
    """Somebody who waits has a place: whoever had it has left, or the cap is a higher one now. Raises ``Refusal``."""
    entrant = entrant_of(state, command.entry)
    if entrant.standing is not Standing.WAITING:
        raise Refusal("not_waiting", f"Entrant {command.entry} is {entrant.standing.value}, and waits for no place.")
    since = 1 if state.newest is None else _since(state)
    if not _places_left(state):
        raise Refusal("event_full", "No place has become free.")
    return (e.Admitted(command.entry, since),)


def withdraw(state: Tournament, command: c.Withdraw) -> tuple[e.Event, ...]:
    """Before the first round; the first who waits moves up. Raises ``Refusal``."""
    entrant = entrant_of(state, command.entry)
    if state.phase is Phase.RUNNING and entrant.standing is not Standing.WAITING:
        raise Refusal("has_begun", "A round has been published; from now on entrants drop.")
    if entrant.standing not in (Standing.IN, Standing.WAITING):
        raise Refusal("not_in", f"Entrant {command.entry} is {entrant.standing.value}.")
    waiting = next((each for each in state.entrants if each.standing is Standing.WAITING), None)
    if entrant.standing is Standing.IN and entrant.ranked and waiting is not None:
        return (e.Withdrawn(command.entry), e.Admitted(waiting.entry, waiting.since))
    return (e.Withdrawn(command.entry),)


def check_in(state: Tournament, command: c.CheckIn) -> tuple[e.Event, ...]:
    """Raises ``Refusal``; those who are present already are left out, and that nobody is left is no error."""
    _at_once(command.entries)
    if not command.entries:
        entries = tuple(each.entry for each in state.entrants if each.standing is Standing.IN and not each.present)
    else:
        entrants = [entrant_of(state, entry) for entry in command.entries]
        for entrant in entrants:
            if entrant.standing is not Standing.IN:
                raise Refusal("not_in", f"Entrant {entrant.entry} is {entrant.standing.value}; it cannot check in.")
        entries = tuple(dict.fromkeys(each.entry for each in entrants if not each.present))
    if not state.check_in_open and state.phase is not Phase.RUNNING:
        raise Refusal("check_in_closed", "The check-in is not open.")
    return (e.CheckedIn(entries),) if entries else (e.Commented(),)


def check_out(state: Tournament, command: c.CheckOut) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    _at_once(command.entries)
    for entry in command.entries:
        if not entrant_of(state, entry).present:
            raise Refusal("not_checked_in", f"Entrant {entry} is not checked in.")
    if not command.entries or len(set(command.entries)) < len(command.entries):
        raise Refusal("bad_entries", "Name each entrant once.", Kind.INVALID)
    return (e.CheckedOut(command.entries),)


def set_seeds(state: Tournament, command: c.SetSeeds) -> tuple[e.Event, ...]:
    """Raises ``Refusal`` once a round has been published: the seeds are among its inputs."""
    if state.newest is not None:
        raise Refusal("has_begun", "Seeds are set before the first round is published.")
    for entry in command.order:
        entrant_of(state, entry)
    if len(set(command.order)) < len(command.order):
        raise Refusal("bad_entries", "Name each entrant once.", Kind.INVALID)
    named = set(command.order)
    rest = tuple(each.entry for each in state.entrants if each.entry not in named)
    return (e.SeedsSet((*command.order, *rest)),)


def keep_apart(state: Tournament, command: c.KeepApart) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    if not 1 <= command.first <= ROUNDS_MAX or not (command.last == 0 or command.first <= command.last <= ROUNDS_MAX):
        raise Refusal("bad_rounds", "Rounds are numbered from 1, the first not behind the last.", Kind.INVALID)
    if not 0 <= command.points <= 1_000_000:
        raise Refusal("bad_points", "Keeping two apart is worth 0 to 1000000 points.", Kind.INVALID)
    return (e.KeptApart(_pair(state, command.entries), command.points, command.first, command.last),)


def let_meet(state: Tournament, command: c.LetMeet) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    pair = _pair(state, command.entries)
    if all(each.entries != pair for each in state.apart):
        raise Refusal("not_kept_apart", f"Entrants {pair[0]} and {pair[1]} are not kept apart.")
    return (e.MayMeet(pair),)


def fix_table(state: Tournament, command: c.FixTable) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    entrant_of(state, command.entry)
    if not 0 <= command.table <= 100_000:
        raise Refusal("bad_table", "A table has a number from 1 to 100000; 0 frees the entrant.", Kind.INVALID)
    return (e.TableFixed(command.entry, command.table),)


def enter_heats(state: Tournament, command: c.EnterHeats) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    entrant_of(state, command.entry)
    stage = state.stage_now
    if stage.format != "heats":
        raise Refusal("not_heats", "This stage is not played in heats.")
    heats = tuple(sorted(set(command.heats)))
    if not heats or not all(1 <= heat <= stage.rounds for heat in heats):
        raise Refusal("bad_heats", f"The heats are numbered 1 to {stage.rounds}.", Kind.INVALID)
    return (e.HeatsEntered(command.entry, heats),)


def drop(state: Tournament, command: c.Drop) -> tuple[e.Event, ...]:
    """Raises ``Refusal``. What was played stays, and a match that is being played goes on; a place in a stage that has
    not begun goes to the next in line.
    """
    entrant = entrant_of(state, command.entry)
    if entrant.standing is not Standing.IN:
        raise Refusal("not_in", f"Entrant {command.entry} is {entrant.standing.value}.")
    if state.newest is None:
        raise Refusal("not_begun", "No round has been published; whoever goes now withdraws.")
    return (e.Dropped(command.entry), *place_given_up(state, command.entry))


def come_back(state: Tournament, command: c.Return) -> tuple[e.Event, ...]:
    """Raises ``Refusal``. Not into a stage whose cut was made meanwhile without them."""
    entrant = entrant_of(state, command.entry)
    if entrant.standing is not Standing.DROPPED:
        raise Refusal("not_dropped", f"Entrant {command.entry} has not dropped; it is {entrant.standing.value}.")
    present = () if entrant.present else (e.CheckedIn((command.entry,)),)
    return (e.Returned(command.entry), *present)


def penalise(state: Tournament, command: c.Penalise) -> tuple[e.Event, ...]:
    """Raises ``Refusal``. Points count for standings and for pairing alike."""
    standing = entrant_of(state, command.entry).standing
    is_out = command.kind == "disqualification" and standing is Standing.DISQUALIFIED
    if standing in (Standing.WAITING, Standing.WITHDRAWN) or is_out:
        raise Refusal("not_in", f"Entrant {command.entry} is {standing.value}.")
    if command.kind not in PENALTIES:
        names = ", ".join(PENALTIES)
        raise Refusal("bad_penalty", f"A penalty is one of {names}, not {clip(command.kind)}.", Kind.INVALID)
    try:
        points = exact_of(command.points)
    except ValueError as error:
        raise Refusal("bad_points", f"{error}.", Kind.INVALID) from error
    if (command.kind == "points") != (points > 0) or points < 0:
        raise Refusal("bad_points", "A point penalty takes more than 0 points, the others none.", Kind.INVALID)
    newest = state.newest
    number = command.round or (newest.number if newest is not None else 1)
    if not 1 <= number <= max(len(state.rounds), 1):
        raise Refusal("unknown_round", f"There is no round {number}.", Kind.MISSING)
    if command.kind == "table_loss":
        _played_in(state, command.entry, number)
    given = e.PenaltyGiven(len(state.penalties) + 1, command.entry, command.kind, exact_text(points), number)
    out = place_given_up(state, command.entry) if command.kind == "disqualification" else ()
    return (given, *out)


def revoke(state: Tournament, command: c.RevokePenalty) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    found = next((each for each in state.penalties if each.number == command.number), None)
    if found is None:
        raise Refusal("unknown_penalty", f"There is no penalty {command.number}.", Kind.MISSING)
    if found.revoked:
        raise Refusal("penalty_revoked", f"Penalty {command.number} has been revoked already.")
    return (e.PenaltyRevoked(command.number),)


def entrant_of(state: Tournament, entry: Entry) -> EntrantState:
    """Raises ``Refusal`` for a number that nobody has."""
    if not 1 <= entry <= len(state.entrants):
        raise Refusal("unknown_entrant", f"The event has no entrant {entry}.", Kind.MISSING)
    return state.entrants[entry - 1]


def place_given_up(state: Tournament, entry: Entry) -> tuple[e.Event, ...]:
    """That the next in line has the place of somebody who made the cut, while the stage has not begun; else nothing."""
    if not state.cuts or state.stage_rounds(state.stage) or entry not in state.cuts[-1].entries:
        return ()
    following = (each for each in state.cuts[-1].in_line if state.entrants[each - 1].standing is Standing.IN)
    return (e.PlaceDeclined(entry, next(following, 0)),)


def _since(state: Tournament) -> int:
    """The first round that whoever registers now can play."""
    if state.phase is Phase.CREATED:
        raise Refusal("registration_closed", "The registration has not been opened.")
    if state.phase is Phase.REGISTRATION:
        return 1
    late_until = state.config.registration.late_until
    if state.stage or (state.phase is Phase.READY and not late_until):
        raise Refusal("registration_closed", "The registration is closed.")
    following = len(state.stage_rounds(0)) + 1
    if following > late_until:
        raise Refusal(
            "too_late",
            f"Late entrants could begin with round {late_until} at the latest; {following - 1} have been published."
            if late_until
            else "This event takes no late entrants.",
        )
    return state.next_round


def _check_players(state: Tournament, players: tuple[str, ...]) -> None:
    _at_once(players)
    if not players:
        raise Refusal("bad_player", "Name at least one player.", Kind.INVALID)
    for player in players:
        if not player or len(player) > PLAYER_LENGTH_MAX or not player.isprintable():
            sentence = f"A player id is printable text of 1 to {PLAYER_LENGTH_MAX} characters."
            raise Refusal("bad_player", sentence, Kind.INVALID)
    known = set(players)
    if len(known) < len(players):
        raise Refusal("registered_twice", "A player is named twice.", Kind.EXISTS)
    for each in state.entrants:
        if each.player in known and each.standing is not Standing.WITHDRAWN:
            raise Refusal("registered_twice", f"Player {clip(each.player)} is entrant {each.entry}.", Kind.EXISTS)


def _room(state: Tournament) -> int:
    """Places for those who come now: none while others wait for one."""
    return 0 if any(each.standing is Standing.WAITING for each in state.entrants) else _places_left(state)


def _places_left(state: Tournament) -> int:
    """Under the cap; a great many without one."""
    cap = state.config.registration.cap
    if not cap:
        return ENTRANTS_MAX
    return max(0, cap - sum(each.ranked and each.standing is Standing.IN for each in state.entrants))


def _at_once(named: tuple[object, ...]) -> None:
    if len(named) > ENTRIES_AT_ONCE:
        raise Refusal("too_many_at_once", f"Name at most {ENTRIES_AT_ONCE} entrants at once.", Kind.INVALID)


def _pair(state: Tournament, entries: tuple[Entry, Entry]) -> tuple[Entry, Entry]:
    first, second = sorted(entries)
    entrant_of(state, first)
    entrant_of(state, second)
    if first == second:
        raise Refusal("bad_entries", "Two different entrants make a pair.", Kind.INVALID)
    return first, second


def _played_in(state: Tournament, entry: Entry, number: int) -> None:
    if not state.rounds or all(entry not in table.entries for table in state.rounds[number - 1].tables):
        raise Refusal("not_at_table", f"Entrant {entry} sits at no table of round {number}.")
