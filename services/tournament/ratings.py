"""How strong players have shown themselves to be: a read model of results, folded round by round in the log's order.

All tables of a round are rated from the ratings before it, so the order inside a round does not matter. The order of
rounds does (A beat B, B beat C, C beat A ends differently when told the other way round), so the sequence is kept, with
what each round changed: a corrected round takes its old place, and all from there on is rated again. That gives what
rating everything anew would give, to the last digit.

Ratings are floats, the only ones that the house keeps. Each is rounded to ``DECIMALS`` when a round is rated, and the
next round starts from the rounded number: what is shown is what is reckoned with, and the last bits in which machines
and orders of adding differ are gone. No standing, pairing or refusal depends on one.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from itertools import chain
from math import isfinite
from typing import Any, Final

import msgspec
from openskill.models import PlackettLuce
from sqlalchemy import BigInteger, Index, delete, func, insert
from sqlmodel import Field, Session, SQLModel, and_, col, or_, select

from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value
from services.kit.database import ByteText, upsert

VERSION: Final = 1
"""Of the tables below; part of the version of the read model that holds them."""

POOLED: Final = ""
"""Stands for all games together."""

DECIMALS: Final = 6

PAGE_MAX: Final = 500
PAGE_DEFAULT: Final = 100
PLAYERS_AT_ONCE: Final = 500
"""A database takes only so many parameters in one question."""


class Parameters(Value, frozen=True):
    """Of the model: the library's own defaults, written down, so that another release changes no rating unseen."""

    mu: float = 25.0
    sigma: float = 25 / 3
    beta: float = 25 / 6
    kappa: float = 0.0001
    tau: float = 25 / 300


PARAMETERS: Final = Parameters()


class Ranked(Value, frozen=True):
    """One player at one table. ``place`` is 1 for the best; ties share a place."""

    player: str
    place: int
    human: bool = True


class Table(Value, frozen=True):
    """One table as it ended. Byes and no-shows are not among ``seats``."""

    seats: tuple[Ranked, ...]
    complete: bool = True
    void: bool = False

    @property
    def counts(self) -> bool:
        """Only a complete, valid meeting of at least two people says anything about them."""
        return self.complete and not self.void and len(self.seats) > 1 and all(seat.human for seat in self.seats)


class RatedRound(Value, frozen=True):
    """One closed round. ``position`` is where the log first closed it, and so its place in the sequence.

    Raises ``ValueError`` if a player is at two tables that count, or if the game is not named.
    """

    tournament: str
    round: int
    position: int
    game: str
    tables: tuple[Table, ...]

    def __post_init__(self) -> None:
        if self.game == POOLED:
            raise ValueError("a round is one of a game")
        players = _players(self.tables)
        if len(set(players)) != len(players):
            raise ValueError("a player is rated once a round")


class Rating(Value, frozen=True):
    """``mu`` is the estimate, ``sigma`` its uncertainty, ``games`` the tables behind it."""

    mu: float = PARAMETERS.mu
    sigma: float = PARAMETERS.sigma
    games: int = 0


class Standing(Value, frozen=True):
    """One line of a leaderboard."""

    player: str
    rating: Rating


class RatedRoundRow(SQLModel, table=True):
    """The sequence of rounds; ``tables`` is JSON."""

    __tablename__ = "rated_round"
    tournament: str = Field(primary_key=True)
    round: int = Field(primary_key=True)
    position: int = Field(unique=True, sa_type=BigInteger)
    game: str
    tables: str


class RatingChangeRow(SQLModel, table=True):
    """A player's rating behind the round at ``position``; ``game`` is ``POOLED`` for all of them."""

    __tablename__ = "rating_change"
    game: str = Field(primary_key=True)
    player: str = Field(primary_key=True, sa_type=ByteText)
    position: int = Field(primary_key=True, index=True, sa_type=BigInteger)
    mu: float
    sigma: float
    games: int


class RatingRow(SQLModel, table=True):
    """A player's rating now: the newest of the changes."""

    __tablename__ = "rating"
    __table_args__ = (Index("rating_best", "game", "mu", "player"),)
    game: str = Field(primary_key=True)
    player: str = Field(primary_key=True, sa_type=ByteText)
    mu: float
    sigma: float
    games: int


class RatingModelRow(SQLModel, table=True):
    """What the ratings were reckoned with: one row."""

    __tablename__ = "rating_model"
    name: str = Field(primary_key=True)
    version: str
    parameters: str


TABLES: Final[Sequence[type[SQLModel]]] = (RatedRoundRow, RatingChangeRow, RatingRow, RatingModelRow)
"""For the ``ReadModel`` that holds them."""


def plackett_luce(parameters: Parameters = PARAMETERS) -> PlackettLuce:
    """The model of the house: it orders players best at tables of any size (measured against four others)."""
    return PlackettLuce(**msgspec.structs.asdict(parameters))


def rate(model: PlackettLuce, before: Mapping[str, Rating], tables: Iterable[Table]) -> dict[str, Rating]:
    """The ratings of those who played at tables that count, after one round; the others are as they were.

    A player who is not in ``before`` is new. A sole winner's ``mu`` never falls. The order of tables and seats is
    without meaning.
    """
    after = {}
    for table in tables:
        if not table.counts:
            continue
        seats = sorted(table.seats, key=lambda seat: (seat.place, seat.player))
        olds = [before.get(seat.player, Rating()) for seat in seats]
        teams = [[model.rating(mu=old.mu, sigma=old.sigma)] for old in olds]
        for seat, old, [new] in zip(seats, olds, model.rate(teams, ranks=[seat.place for seat in seats]), strict=True):
            after[seat.player] = Rating(round(new.mu, DECIMALS), round(new.sigma, DECIMALS), old.games + 1)
    return after


class Ratings:
    """The ratings in a read model. Its methods are called inside the read model's transactions."""

    def __init__(self, parameters: Parameters = PARAMETERS) -> None:
        self._model = plackett_luce(parameters)
        self._reckoned_with = RatingModelRow(
            name="PlackettLuce", version=version("openskill"), parameters=msgspec.json.encode(parameters).decode()
        )

    def prepare(self, session: Session) -> None:
        """Before the first ``put``: ratings that were reckoned otherwise are reckoned again from the first round."""
        mine = self._reckoned_with.model_dump()
        known = session.exec(select(RatingModelRow)).first()
        if known is not None and known.model_dump() == mine:
            return
        session.execute(delete(RatingModelRow))
        session.execute(insert(RatingModelRow), [mine])
        self._replay(session, 0)

    def put(self, session: Session, rated: RatedRound) -> None:
        """Append a round, or correct the one that is known by this tournament and number; a repeat is harmless.

        A correction keeps the place that the round has in the sequence, whatever its ``position``; one without tables
        takes the round back. From that place on everything is rated again, and nothing before it.
        """
        tables = msgspec.json.encode(rated.tables).decode()
        row = session.get(RatedRoundRow, (rated.tournament, rated.round))
        if row is None:
            row = RatedRoundRow(
                tournament=rated.tournament, round=rated.round, position=rated.position, game=rated.game, tables=tables
            )
        elif (row.game, row.tables) == (rated.game, tables):
            return
        row.game, row.tables = rated.game, tables
        session.add(row)
        session.flush()
        self._replay(session, row.position)

    def ratings(self, session: Session, game: str, players: Sequence[str]) -> dict[str, Rating]:
        """By player; whoever has not been rated in ``game`` (or ``POOLED``) is left out."""
        found = {}
        for some in _slices(players):
            wanted = select(RatingRow).where(RatingRow.game == game, col(RatingRow.player).in_(some))
            found.update({row.player: _rating(row) for row in session.exec(wanted)})
        return found

    def leaderboard(
        self, session: Session, game: str, *, page_size: int = 0, page_token: str = ""
    ) -> tuple[list[Standing], str]:
        """A page by ``mu``, best first, and the token of the next (empty: this is the last).

        Raises ``Refusal`` (``bad_page_token``).
        """
        size = min(page_size or PAGE_DEFAULT, PAGE_MAX)
        wanted = select(RatingRow).where(RatingRow.game == game)
        if page_token:
            mu, player = _place_of(page_token)
            wanted = wanted.where(or_(col(RatingRow.mu) < mu, and_(RatingRow.mu == mu, col(RatingRow.player) > player)))
        rows = session.exec(wanted.order_by(col(RatingRow.mu).desc(), col(RatingRow.player)).limit(size + 1)).all()
        page = [Standing(row.player, _rating(row)) for row in rows[:size]]
        return page, f"{page[-1].rating.mu!r}|{page[-1].player}" if len(rows) > size else ""

    def _replay(self, session: Session, position: int) -> None:
        """Rate every round from ``position`` on, from what stood before it."""
        undone = select(RatingChangeRow.game, RatingChangeRow.player).where(RatingChangeRow.position >= position)
        touched: dict[str, set[str]] = {}
        for game, player in session.exec(undone.distinct()):
            touched.setdefault(game, set()).add(player)
        session.execute(delete(RatingChangeRow).where(col(RatingChangeRow.position) >= position))
        standing = {game: _before(session, game, position, players) for game, players in touched.items()}
        rounds = select(RatedRoundRow).where(RatedRoundRow.position >= position).order_by(col(RatedRoundRow.position))
        for row in session.exec(rounds):
            tables = msgspec.json.decode(row.tables, type=tuple[Table, ...])
            for game in (row.game, POOLED):
                known = standing.setdefault(game, {})
                strangers = set(_players(tables)) - touched.setdefault(game, set())
                known.update(_before(session, game, position, strangers))
                touched[game] |= strangers
                after = rate(self._model, known, tables)
                known.update(after)
                if after:
                    session.execute(insert(RatingChangeRow), _rows(game, after, position=row.position))
        for game, players in touched.items():
            upsert(session, RatingRow, _rows(game, standing[game]))
            for some in _slices(sorted(players - standing[game].keys())):
                unrated = and_(col(RatingRow.game) == game, col(RatingRow.player).in_(some))
                session.execute(delete(RatingRow).where(unrated))


def _players(tables: Iterable[Table]) -> list[str]:
    return list(chain.from_iterable((seat.player for seat in table.seats) for table in tables if table.counts))


def _before(session: Session, game: str, position: int, players: Iterable[str]) -> dict[str, Rating]:
    """The newest ratings before a position; whoever had none is left out."""
    found = {}
    for some in _slices(sorted(players)):
        newest = (
            select(RatingChangeRow.player, func.max(RatingChangeRow.position).label("position"))
            .where(
                RatingChangeRow.game == game,
                RatingChangeRow.position < position,
                col(RatingChangeRow.player).in_(some),
            )
            .group_by(RatingChangeRow.player)
            .subquery()
        )
        same = and_(RatingChangeRow.player == newest.c.player, RatingChangeRow.position == newest.c.position)
        wanted = select(RatingChangeRow).join(newest, same).where(RatingChangeRow.game == game)
        found.update({row.player: _rating(row) for row in session.exec(wanted)})
    return found


def _rows(game: str, ratings: Mapping[str, Rating], **more: int) -> list[dict[str, Any]]:
    return [
        {"game": game, "player": player, **more, **msgspec.structs.asdict(rating)}
        for player, rating in sorted(ratings.items())
    ]


def _rating(row: RatingRow | RatingChangeRow) -> Rating:
    return Rating(row.mu, row.sigma, row.games)


def _place_of(page_token: str) -> tuple[float, str]:
    mu, bar, player = page_token.partition("|")
    with suppress(ValueError):
        if bar and isfinite(float(mu)):  # databases do not agree on what lies behind no number
            return float(mu), player
    raise Refusal("bad_page_token", "The page token is not one of this service.", Kind.INVALID)


def _slices(players: Sequence[str]) -> Iterable[Sequence[str]]:
    return (players[start : start + PLAYERS_AT_ONCE] for start in range(0, len(players), PLAYERS_AT_ONCE))
