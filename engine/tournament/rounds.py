"""Decisions about rounds: draft, edit, publish, start, the clock, cancel, the cut, the end."""

from engine.kernel.limits import TURN_MS_MAX
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Instant, instant_text
from engine.luck.seed_chain import ROUNDS_DRAWN_MAX, follows
from engine.tournament import commands as c
from engine.tournament import events as e
from engine.tournament.drafting import absent_of, draft_round, quality_of_draft, stage_is_over
from engine.tournament.limits import ROUNDS_MAX
from engine.tournament.people import entrant_of, place_given_up
from engine.tournament.played import Entry
from engine.tournament.ranking import cut_of, final_order
from engine.tournament.state import Phase, RoundPhase, RoundState, Tournament


def draft(state: Tournament, command: c.DraftRound) -> tuple[e.Event, ...]:
    """The pods of the next round, from the next link of the seed chain. Raises ``Refusal``."""
    if state.phase is Phase.CREATED:
        raise Refusal("not_running", "Open the registration first.")
    if state.phase is Phase.REGISTRATION:
        raise Refusal("registration_open", "Close the registration before the first round is drafted.")
    if state.draft is not None:
        raise Refusal("draft_exists", f"Round {state.draft.round} is drafted; publish or discard it.", Kind.EXISTS)
    newest = state.newest
    if newest is not None and newest.phase is not RoundPhase.CLOSED:
        raise Refusal("round_open", f"Round {newest.number} is not closed yet.")
    if state.next_round > ROUNDS_MAX or state.drafts >= ROUNDS_DRAWN_MAX:
        raise Refusal("too_many_rounds", f"An event has at most {ROUNDS_MAX} rounds and {ROUNDS_DRAWN_MAX} drafts.")
    if not follows(state.last_seed or state.commitment, command.seed):
        raise Refusal("seed_differs", "This is not the seed that was promised for this draft.", Kind.INVALID)
    if stage_is_over(state):
        raise Refusal("stage_over", "All rounds of this stage are played; make the cut, or finish the event.")
    return (draft_round(state, command.seed),)


def swap(state: Tournament, command: c.SwapInDraft) -> tuple[e.Event, ...]:
    """Two change places, with each other's table, seat or bye. Raises ``Refusal``."""
    draft = _draft_of(state)
    first, second = command.entries
    drafted = {*draft.byes, *(entry for pod in draft.pods for entry in pod.entries)}
    for entry in command.entries:
        entrant_of(state, entry)
        if entry not in drafted:
            raise Refusal("not_in_draft", f"Entrant {entry} is not in the draft of round {draft.round}.")
    if first == second:
        raise Refusal("bad_entries", "Two different entrants change places.", Kind.INVALID)
    other = {first: second, second: first}
    pods = tuple(e.Pod(pod.table, tuple(other.get(entry, entry) for entry in pod.entries)) for pod in draft.pods)
    byes = tuple(sorted(other.get(entry, entry) for entry in draft.byes))
    return (e.DraftEdited(pods, byes, quality_of_draft(state, draft, pods)),)


def discard(state: Tournament) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    _draft_of(state)
    return (e.DraftDiscarded(),)


def publish(state: Tournament) -> tuple[e.Event, ...]:
    """The draft becomes the round, for ever. Raises ``Refusal``."""
    draft = _draft_of(state)
    return (e.RoundPublished(draft.round, absent_of(state, draft)),)


def start(state: Tournament, at: Instant) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    now = _newest(state, RoundPhase.PUBLISHED)
    return (e.RoundStarted(now.number, instant_text(at), _ends_at(state, at)),)


def cancel(state: Tournament) -> tuple[e.Event, ...]:
    """The newest round, while no draft stands on it. Raises ``Refusal``."""
    if state.draft is not None:
        raise Refusal("draft_exists", "Discard the draft of the next round first.")
    newest = state.newest
    if newest is None:
        raise Refusal("no_round", "There is no round to cancel.", Kind.MISSING)
    if newest.drafted.stage != state.stage:
        raise Refusal("stage_over", f"Round {newest.number} belongs to a stage that the cut has ended.")
    return (e.RoundCancelled(newest.number),)


def pause(state: Tournament, at: Instant) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    now = _newest(state, RoundPhase.RUNNING)
    if not now.ends_at:
        raise Refusal("no_clock", f"The clock of round {now.number} is not running.")
    return (e.ClockPaused(now.number, max(1, (now.ends_at - at) // 1000)),)


def resume(state: Tournament, at: Instant) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    now = _newest(state, RoundPhase.RUNNING)
    if not now.left_ms:
        raise Refusal("no_clock", f"The clock of round {now.number} is not paused.")
    return (e.ClockResumed(now.number, instant_text(at + now.left_ms * 1000)),)


def extend(state: Tournament, command: c.ExtendClock) -> tuple[e.Event, ...]:
    """More time for the round, or for one table beyond it. Raises ``Refusal``."""
    now = _newest(state, RoundPhase.RUNNING)
    if not (now.ends_at or now.left_ms):
        raise Refusal("no_clock", f"Round {now.number} has no clock.")
    if not 0 < command.ms <= TURN_MS_MAX:
        raise Refusal("bad_duration", f"A clock is extended by 1 to {TURN_MS_MAX} milliseconds.", Kind.INVALID)
    if command.table and now.place_of(command.table) < 0:
        raise Refusal("unknown_table", f"Round {now.number} has no table {command.table}.", Kind.MISSING)
    return (e.ClockExtended(now.number, command.table, command.ms),)


def call_time(state: Tournament, command: c.CallTime, at: Instant) -> tuple[e.Event, ...]:
    """Raises ``Refusal`` if it is too soon for any of the tables."""
    now = _newest(state, RoundPhase.RUNNING)
    if command.round != now.number or not command.tables:
        raise Refusal("not_yet", f"Round {command.round} is not waiting for this.")
    for number in command.tables:
        place = now.place_of(number)
        if place < 0 or now.tables[place].settled or now.tables[place].time_called:
            raise Refusal("not_yet", f"Table {number} is not waiting for this.")
        if not now.ends_at or at < now.ends_at + now.tables[place].extended_ms * 1000:
            raise Refusal("not_yet", f"Table {number} has time left.")
    return (e.TimeCalled(now.number, command.tables),)


def make_cut(state: Tournament, command: c.MakeCut) -> tuple[e.Event, ...]:
    """End the stage; the best play the next. Raises ``Refusal``, also for a tie at the line that has no rule."""
    if state.stage + 1 >= len(state.config.stages):
        raise Refusal("last_stage", "This is the last stage of the event; finish it.")
    _at_rest(state)
    _nothing_disputed(state)
    if not stage_is_over(state):
        raise Refusal("stage_running", "This stage has rounds left to play.")
    return (cut_of(state, command.tied),)


def revoke_cut(state: Tournament) -> tuple[e.Event, ...]:
    """Raises ``Refusal`` once a round of the new stage has been published."""
    if not state.cuts or state.stage_rounds(state.stage):
        raise Refusal("no_cut", "A cut can be revoked before the next round is published.")
    return (e.CutRevoked(state.stage),)


def decline(state: Tournament, entry: Entry) -> tuple[e.Event, ...]:
    """Before the stage's first round is published. Raises ``Refusal``."""
    entrant_of(state, entry)
    if not state.cuts or state.stage_rounds(state.stage):
        raise Refusal("no_place", "A place can be declined after a cut and before the next round is published.")
    given_up = place_given_up(state, entry)
    if not given_up:
        raise Refusal("no_place", f"Entrant {entry} has no place to decline.")
    return given_up


def finish(state: Tournament) -> tuple[e.Event, ...]:
    """The final order. Raises ``Refusal`` while anything is open: a late result is never lost."""
    if state.phase is not Phase.RUNNING:
        raise Refusal("not_running", "No round has been played.")
    _at_rest(state)
    _nothing_disputed(state)
    return (e.Finished(final_order(state)),)


def reopen(state: Tournament) -> tuple[e.Event, ...]:
    """Raises ``Refusal``."""
    if state.phase is not Phase.FINISHED:
        raise Refusal("not_finished", "The event is not finished.")
    return (e.Reopened(),)


def _at_rest(state: Tournament) -> None:
    if state.draft is not None:
        raise Refusal("draft_exists", f"Round {state.draft.round} is drafted; discard it first.")
    newest = state.newest
    if newest is not None and newest.phase is not RoundPhase.CLOSED:
        raise Refusal("round_open", f"Round {newest.number} is not closed yet.")


def _nothing_disputed(state: Tournament) -> None:
    """The last result of a round closes it, so a dispute may well come after."""
    for played in state.rounds:
        if played.phase is RoundPhase.CLOSED and played.unsettled:
            table = next(each.number for each in played.tables if each.disputed)
            raise Refusal("disputed", f"The result of table {table} of round {played.number} is disputed.")


def _draft_of(state: Tournament) -> e.RoundDrafted:
    if state.draft is None:
        raise Refusal("no_draft", "No round is drafted.", Kind.MISSING)
    return state.draft


def _newest(state: Tournament, phase: RoundPhase) -> RoundState:
    newest = state.newest
    if newest is None:
        raise Refusal("no_round", "No round is being played.", Kind.MISSING)
    if newest.phase is not phase:
        raise Refusal(f"not_{phase.value}", f"Round {newest.number} is {newest.phase.value}.")
    return newest


def _ends_at(state: Tournament, at: Instant) -> str:
    """Of the round that starts now: its clock, or the horizon of an arena."""
    stage = state.stage_now
    ms = stage.horizon_ms if stage.format == "arena" else state.config.clocks.round_ms
    return instant_text(at + ms * 1000) if ms else ""
