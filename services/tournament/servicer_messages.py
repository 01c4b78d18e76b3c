"""What is shown of an event, as messages."""

from collections.abc import Mapping

from tavolata.tournament.v1 import tournament_pb2 as pb

from engine.kernel.value import Instant, instant_text
from engine.tournament.changes import Change
from engine.tournament.played import Entry
from engine.tournament.state import Apart, EntrantState, Penalty, TableState, Tournament
from engine.tournament.whatif import OtherRound
from engine.tournament.wording import Who
from services.tournament.actions import Action
from services.tournament.brackets import BracketShown, RoundOfBracket
from services.tournament.entrants import EntrantShown
from services.tournament.ledgers import Kept
from services.tournament.ratings import Standing as Rated
from services.tournament.rounds import RoundShown, TableShown
from services.tournament.standings import Shown, Standings
from services.tournament.status import Status
from services.tournament.warnings import Warned
from services.tournament.whereabouts import FoundPlayer, SeatTaken

Names = Mapping[str, str]
"""Player id → public name."""


def tournament(kept: Kept) -> pb.Tournament:
    state = kept.state
    newest = state.newest
    return pb.Tournament(
        tournament_id=kept.id,
        name=state.config.name,
        phase=state.phase.value,
        revision=kept.ledger.revision,
        created_at=kept.ledger.opened_at,
        entrants=kept.entrants_in,
        round=0 if newest is None else newest.number,
        round_phase="" if newest is None else newest.phase.value,
        stage=state.stage,
        stage_name=state.stage_now.name,
        drafted=state.draft is not None,
        check_in_open=state.check_in_open,
    )


def entrant(each: EntrantState, names: Names) -> pb.Entrant:
    return pb.Entrant(
        entry=each.entry,
        player=each.player,
        name=names[each.player],
        standing=each.standing.value,
        present=each.present,
        ranked=each.ranked,
        seed=each.seed,
        fixed_table=each.fixed_table,
    )


def penalty(each: Penalty) -> pb.Penalty:
    return pb.Penalty(number=each.number, entry=each.entry, kind=each.kind, points=each.points, round=each.round)


def apart(each: Apart) -> pb.Apart:
    return pb.Apart(entries=each.entries, points=each.points, first=each.first, last=each.last)


def warning(warned: Warned) -> pb.Warning:
    return pb.Warning(code=warned.code, sentence=warned.sentence)


def change(each: Change) -> pb.Change:
    return pb.Change(round=each.round, entry=each.entry, what=each.what, before=each.before, after=each.after)


def round_response(state: Tournament, shown: RoundShown, names: Names) -> pb.GetRoundResponse:
    def entrants(entries: tuple[Entry, ...]) -> list[pb.Entrant]:
        return [entrant(state.entrants[entry - 1], names) for entry in entries]

    drafted = shown.drafted
    return pb.GetRoundResponse(
        round=drafted.round,
        phase=shown.phase,
        game=drafted.game,
        tables=[_table(state, table, names) for table in shown.tables],
        byes=entrants(drafted.byes),
        absent=entrants(shown.absent),
        quality=pb.Quality(
            repeats=drafted.quality.repeats,
            repeats_bound=drafted.quality.repeats_bound,
            spread=drafted.quality.spread,
            spread_bound=drafted.quality.spread_bound,
            broken=drafted.quality.broken,
            misplaced=drafted.quality.misplaced,
        ),
        seed=drafted.seed,
        ends_at=_when(shown.ends_at),
        left_ms=shown.left_ms,
        engine=drafted.engine,
    )


def _table(state: Tournament, shown: TableShown, names: Names) -> pb.Table:
    now: TableState = shown.state
    players = [state.entrants[seat.entry - 1].player for seat in shown.seats]
    return pb.Table(
        number=now.number,
        match_id=shown.match,
        phase=now.phase.value,
        places=[
            pb.Place(
                entry=seat.entry,
                name=names[player],
                player=player,
                place=seat.place,
                score=seat.score,
                points=seat.points,
                no_show=seat.no_show,
            )
            for seat, player in zip(shown.seats, players, strict=True)
        ],
        disputed=now.disputed,
        adjudicated=now.adjudicated,
        ended="" if now.result is None else now.result.reason,
        time_called=now.time_called,
        extended_ms=now.extended_ms,
    )


def standings_response(state: Tournament, standings: Standings, names: Names) -> pb.GetStandingsResponse:
    return pb.GetStandingsResponse(
        stage=standings.stage,
        after_round=standings.after_round,
        keys=standings.keys,
        lines=[line(each, names[state.entrants[each.entry - 1].player]) for each in standings.lines],
        final=standings.final,
        cut=standings.cut,
    )


def line(shown: Shown, name: str) -> pb.Line:
    return pb.Line(
        place=shown.place,
        entry=shown.entry,
        name=name,
        values=shown.values,
        decided_by=shown.decided_by,
        movement=shown.movement,
        standing=shown.standing,
        stage=shown.stage,
        chance=shown.chance,
    )


def status_response(kept: Kept, status: Status) -> pb.GetStatusResponse:
    return pb.GetStatusResponse(
        tournament=tournament(kept),
        waiting=status.waiting,
        open=status.open,
        done=status.done,
        disputed=status.disputed,
        slowest=[
            pb.SlowTable(number=each.number, match_id=each.match, playing_ms=each.playing_ms) for each in status.slowest
        ],
        expected_end=_when(status.expected_end),
        earliest_end=_when(status.earliest_end),
        latest_end=_when(status.latest_end),
        ends_at=_when(status.ends_at),
        left_ms=status.left_ms,
    )


def other_round(each: OtherRound) -> pb.OtherRound:
    pods = [pb.Pod(table=pod.table, entries=pod.entries) for pod in each.pods]
    return pb.OtherRound(round=each.round, pods=pods, moved=each.moved)


def rating(standing: Rated, names: Names) -> pb.Rating:
    return pb.Rating(
        player=standing.player,
        name=names[standing.player],
        mu_milli=round(standing.rating.mu * 1000),
        sigma_milli=round(standing.rating.sigma * 1000),
        games=standing.rating.games,
    )


def found_player(found: FoundPlayer) -> pb.FoundPlayer:
    return pb.FoundPlayer(
        player=found.player,
        name=found.name,
        entered=[
            pb.Entered(
                tournament_id=each.tournament,
                name=each.name,
                entry=each.entry,
                standing=each.standing,
                now=None if each.now is None else seat(each.now),
            )
            for each in found.entered
        ],
    )


def seat(taken: SeatTaken) -> pb.Seat:
    return pb.Seat(
        round=taken.round,
        round_phase=taken.round_phase,
        table=taken.table,
        seat=taken.seat,
        match_id=taken.match,
        phase=taken.phase,
    )


def action(each: Action, who: Who) -> pb.Action:
    return pb.Action(
        revision=each.revision,
        at=each.at,
        actor=each.actor,
        command=each.command.name,
        sentence=each.sentence(who),
        reason=each.reason,
        events=each.events,
        changes=each.changes,
    )


def entrant_response(state: Tournament, shown: EntrantShown, names: Names) -> pb.GetEntrantResponse:
    return pb.GetEntrantResponse(
        entrant=entrant(shown.entrant, names),
        seat=None if shown.seat is None else seat(shown.seat),
        line=None if shown.line is None else line(shown.line, names[shown.entrant.player]),
        keys=shown.keys,
        stage=shown.stage,
        history=[
            pb.Appearance(
                round=each.round.number,
                stage=each.round.drafted.stage,
                game=each.round.drafted.game,
                phase=each.round.phase.value,
                kind=each.kind,
                table=None if each.table is None else _table(state, each.table, names),
                seat=each.seat,
                points=each.points,
            )
            for each in shown.history
        ],
    )


def bracket_response(state: Tournament, shown: BracketShown, names: Names) -> pb.GetBracketResponse:
    return pb.GetBracketResponse(
        stage=shown.stage, name=shown.name, rounds=[_bracket_round(state, each, names) for each in shown.rounds]
    )


def _bracket_round(state: Tournament, shown: RoundOfBracket, names: Names) -> pb.BracketRound:
    drawn = shown.drawn
    return pb.BracketRound(
        round=0 if drawn.played is None else drawn.played.number,
        phase="planned" if drawn.played is None else drawn.played.phase.value,
        entrants=drawn.entrants,
        sizes=drawn.sizes,
        advance=drawn.advance,
        wildcards=drawn.wildcards,
        tables=[_table(state, table, names) for table in shown.tables],
        byes=[entrant(state.entrants[entry - 1], names) for entry in shown.byes],
        going=[
            pb.Going(entry=each.entry, by=each.by, from_table=each.from_table, to_table=each.to_table)
            for each in drawn.going
        ],
        undecided=drawn.undecided,
    )


def _when(at: Instant) -> str:
    return instant_text(at) if at else ""
