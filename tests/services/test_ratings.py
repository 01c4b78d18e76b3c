"""Ratings: the model's known values, what a round is, and that a correction gives what rating anew would give."""

import asyncio
import math
from collections.abc import Iterator, Sequence
from importlib.metadata import version

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import Engine
from sqlmodel import Session, SQLModel, create_engine, select

from engine.kernel.ports import Bounds
from engine.kernel.refusal import Refusal
from services.kit.database import Database
from services.kit.read_model import ReadModel
from services.tournament.ratings import (
    POOLED,
    TABLES,
    Parameters,
    Ranked,
    RatedRound,
    Rating,
    RatingChangeRow,
    RatingModelRow,
    RatingRow,
    Ratings,
    Standing,
    Table,
    plackett_luce,
    rate,
)
from tests.kit.databases import Store

MODEL = plackett_luce()
GAME = "just4fun"


def table(*players: str, places: Sequence[int] = ()) -> Table:
    """Players in the order of their places, 1, 2, 3 ... unless said otherwise."""
    return Table(tuple(map(Ranked, players, places or range(1, len(players) + 1))))


def rated(number: int, *tables: Table, position: int = 0, game: str = GAME) -> RatedRound:
    return RatedRound("cup", number, position or 10 * number, game, tables)


@pytest.fixture
def session(store: Store) -> Iterator[Session]:
    database = Database(store.url, "ratings", {}, lambda error: error, password_file=store.password_file)
    with fresh(database.engine) as opened:
        yield opened
    database.engine.dispose()


def fresh(engine: Engine | None = None) -> Session:
    """The tables, in memory if nothing is said, with a model."""
    engine = engine or create_engine("sqlite://")
    SQLModel.metadata.create_all(engine, tables=[model.__table__ for model in TABLES])  # type: ignore[attr-defined]  # of one form, which is not told
    session = Session(engine)
    Ratings().prepare(session)
    return session


def everything(session: Session) -> list[dict[str, object]]:
    """Ratings and what each round changed."""
    rows = [*session.exec(select(RatingRow)), *session.exec(select(RatingChangeRow))]
    return sorted((row.model_dump() for row in rows), key=str)


class TestModel:
    @pytest.mark.parametrize(
        ("places", "mus", "sigmas"),
        [
            ([1, 2, 3, 4], [27.795, 26.553, 24.689, 20.962], [8.264, 8.180, 8.084, 8.084]),
            ([1, 1, 3, 4], [25.932, 25.932, 25.932, 22.205], None),
        ],
    )
    def test_four_new_players(self, places: list[int], mus: list[float], sigmas: list[float] | None) -> None:
        after = rate(MODEL, {}, [table(*"abcd", places=places)])
        assert [round(after[player].mu, 3) for player in "abcd"] == mus
        if sigmas:
            assert [round(after[player].sigma, 3) for player in "abcd"] == sigmas

    @pytest.mark.parametrize(
        ("order", "mu"),
        [([("a", "b"), ("b", "c"), ("c", "a")], 24.559), ([("c", "a"), ("b", "c"), ("a", "b")], 25.441)],
    )
    def test_the_order_of_rounds_matters(self, order: list[tuple[str, str]], mu: float) -> None:
        ratings: dict[str, Rating] = {}
        for winner, loser in order:
            ratings |= rate(MODEL, ratings, [table(winner, loser)])
        assert round(ratings["a"].mu, 3) == mu
        assert all(rating.games == 2 for rating in ratings.values())

    def test_the_order_inside_a_round_does_not(self) -> None:
        tables = [table("a", "b", "c"), table("d", "e"), table("f", "g", "h", "i", places=[1, 2, 2, 4])]
        before = {"a": Rating(31.0, 5.0, 3), "e": Rating(19.5, 6.25, 9)}
        assert rate(MODEL, before, tables) == rate(MODEL, before, tables[::-1])
        assert rate(MODEL, {}, [table("a", "b"), table("c", "d")])["a"] == rate(MODEL, {}, [table("a", "b")])["a"]

    @pytest.mark.parametrize(
        "spoilt",
        [
            Table(table("a", "b").seats, complete=False),
            Table(table("a", "b").seats, void=True),
            Table((Ranked("a", 1), Ranked("b", 2, human=False))),
            table("a"),
            Table(()),
        ],
    )
    def test_only_complete_valid_tables_of_people_count(self, spoilt: Table) -> None:
        assert rate(MODEL, {}, [spoilt, table("c", "d")]).keys() == {"c", "d"}

    def test_what_is_reckoned_is_rounded(self) -> None:
        after = rate(MODEL, {}, [table("a", "b", "c")])
        assert all(rating == Rating(round(rating.mu, 6), round(rating.sigma, 6), 1) for rating in after.values())

    @given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9)), min_size=2, max_size=8), st.randoms())
    @settings(max_examples=40, deadline=None)
    def test_a_sole_winner_never_falls_and_seats_have_no_meaning(
        self, rated: list[tuple[int, int]], random: object
    ) -> None:
        players = [f"p{number}" for number in range(len(rated))]
        before = {player: Rating(float(mu), float(sigma)) for player, (mu, sigma) in zip(players, rated, strict=True)}
        after = rate(MODEL, before, [table(*players)])
        assert after["p0"].mu >= before["p0"].mu
        seats = list(table(*players).seats)
        random.shuffle(seats)  # type: ignore[attr-defined]  # of one form, which is not told
        assert rate(MODEL, before, [Table(tuple(seats))]) == after

    @given(st.permutations(range(5)))
    @settings(max_examples=20, deadline=None)
    def test_permuting_the_players_permutes_the_result(self, order: list[int]) -> None:
        names = [f"p{number}" for number in range(5)]
        before = {name: Rating(20.0 + 3 * number, 4.0 + number) for number, name in enumerate(names)}
        other = {f"p{order[number]}": before[name] for number, name in enumerate(names)}
        after = rate(MODEL, before, [table(*names, places=[1, 2, 2, 4, 5])])
        moved = rate(MODEL, other, [table(*(f"p{order[number]}" for number in range(5)), places=[1, 2, 2, 4, 5])])
        for number, name in enumerate(names):
            one, two = after[name], moved[f"p{order[number]}"]
            assert math.isclose(one.mu, two.mu, abs_tol=2e-6)
            assert math.isclose(one.sigma, two.sigma, abs_tol=2e-6)

    def test_a_player_is_rated_once_a_round(self) -> None:
        with pytest.raises(ValueError, match="once a round"):
            rated(1, table("a", "b"), table("c", "a"))
        rated(1, table("a", "b"), Table(table("c", "a").seats, void=True))


class TestSequence:
    def test_a_round_counts_for_its_game_and_for_all(self, session: Session) -> None:
        ratings = Ratings()
        ratings.put(session, rated(1, table("a", "b")))
        ratings.put(session, rated(2, table("b", "a"), game="memcel"))
        of_game = [ratings.ratings(session, game, ["a", "b", "nobody"]) for game in (GAME, "memcel", POOLED)]
        first = rate(MODEL, {}, [table("a", "b")])
        assert of_game == [
            first,
            rate(MODEL, {}, [table("b", "a")]),
            rate(MODEL, first, [table("b", "a")]),
        ]

    def test_a_correction_is_as_if_it_had_been_so(self, session: Session) -> None:
        """A beat B, B beat C, C beat A; then it is found that it was B who beat A."""
        ratings = Ratings()
        for number, pair in enumerate([("a", "b"), ("b", "c"), ("c", "a")], 1):
            ratings.put(session, rated(number, table(*pair)))
        assert round(ratings.ratings(session, GAME, ["a"])["a"].mu, 3) == 24.559
        ratings.put(session, rated(1, table("b", "a"), position=999))
        with fresh() as other:
            for number, pair in enumerate([("b", "a"), ("b", "c"), ("c", "a")], 1):
                ratings.put(other, rated(number, table(*pair)))
            assert everything(session) == everything(other)

    def test_only_what_lies_behind_a_correction_is_rated_again(
        self, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ratings = Ratings()
        for number in range(1, 6):
            ratings.put(session, rated(number, table("a", "b")))
        calls: list[object] = []

        def counted(*asked: object) -> dict[str, Rating]:
            calls.append(asked)
            return rate(*asked)  # type: ignore[arg-type]  # of one form, which is not told

        monkeypatch.setattr("services.tournament.ratings.rate", counted)
        ratings.put(session, rated(4, table("b", "a")))
        assert len(calls) == 4, "rounds 4 and 5, for the game and for all games"
        ratings.put(session, rated(4, table("b", "a")))
        assert len(calls) == 4, "a repeat has nothing to rate"

    def test_a_round_that_is_taken_back_leaves_nothing(self, session: Session) -> None:
        ratings = Ratings()
        ratings.put(session, rated(1, table("a", "b")))
        before = everything(session)
        ratings.put(session, rated(2, table("a", "c")))
        ratings.put(session, rated(2))
        assert everything(session) == before
        assert ratings.ratings(session, POOLED, ["c"]) == {}

    def test_other_parameters_rate_all_rounds_again(self, session: Session) -> None:
        Ratings().put(session, rated(1, table("a", "b")))
        old = everything(session)
        bolder = Parameters(beta=2.0)
        Ratings(bolder).prepare(session)
        after = rate(plackett_luce(bolder), {}, [table("a", "b")])
        assert Ratings().ratings(session, GAME, ["a", "b"]) == after
        stored = session.exec(select(RatingModelRow)).one()
        assert (stored.name, stored.version) == ("PlackettLuce", version("openskill"))
        assert '"beta":2.0' in stored.parameters
        Ratings().prepare(session)
        assert everything(session) == old

    @given(st.data())
    @settings(max_examples=25, deadline=None)
    def test_any_order_of_corrections_gives_what_rating_anew_gives(self, data: st.DataObject) -> None:
        numbers = st.integers(1, 5)
        pairs = st.permutations("abcdef").map(lambda order: [order[:3], order[3:5]])
        story = data.draw(st.lists(st.tuples(numbers, pairs, st.sampled_from(["go", "bridge"])), max_size=10))
        ratings, final = Ratings(), {}
        with fresh() as told, fresh() as anew:
            for number, tables, game in story:
                final[number] = rated(number, *(table(*players) for players in tables), game=game)
                ratings.put(told, final[number])
            for number in sorted(final):
                ratings.put(anew, final[number])
            assert everything(told) == everything(anew)


class TestLeaderboard:
    def test_pages_follow_one_another_best_first(self, session: Session) -> None:
        ratings = Ratings()
        tables = [table(f"w{number}", f"l{number}") for number in range(6)]
        ratings.put(session, rated(1, *tables, table("x", "y", "z")))
        whole, rest = ratings.leaderboard(session, GAME)
        assert rest == ""
        assert [standing.player for standing in whole][:3] == ["x", "w0", "w1"]
        assert [standing.rating.mu for standing in whole] == sorted((s.rating.mu for s in whole), reverse=True)
        paged: list[Standing] = []
        token = ""
        while True:
            page, token = ratings.leaderboard(session, GAME, page_size=4, page_token=token)
            paged += page
            if not token:
                break
            assert len(page) == 4
        assert paged == whole
        assert len(whole) == 15

    def test_equals_stand_in_the_order_of_their_bytes_in_every_database(self, session: Session) -> None:
        """Not as a server's language would have it, so that a house may move and its pages stay."""
        winners = ["a", "B", "_", "é", "C"]
        tables = [table(player, f"zz-{number}") for number, player in enumerate(winners)]
        Ratings().put(session, rated(1, *tables, position=2**40))
        found, token = [], ""
        for _ in winners:
            [standing], token = Ratings().leaderboard(session, GAME, page_size=1, page_token=token)
            found.append(standing.player)
        assert found == ["B", "C", "_", "a", "é"]

    @pytest.mark.parametrize("token", ["x", "x|y", "|", "nan|y", "inf|y"])
    def test_a_token_of_somebody_else_is_refused(self, session: Session, token: str) -> None:
        with pytest.raises(Refusal, match="bad_page_token"):
            Ratings().leaderboard(session, GAME, page_token=token)


def test_they_live_in_a_read_model(store: Store) -> None:
    """With its position in the same transaction, and rebuilt with it."""

    async def live() -> None:
        model = ReadModel(store.url, "tournament", 1, TABLES, password_file=store.password_file)
        ratings, bounds = Ratings(), [Bounds("epoch", 100)]
        assert await model.prepare(bounds) == [0]
        await model.run(ratings.prepare)
        for _ in range(2):
            await model.apply(0, 10, lambda session: ratings.put(session, rated(1, table("a", "b"))))
        board, _ = await model.run(lambda session: ratings.leaderboard(session, POOLED))
        assert [(standing.player, standing.rating.games) for standing in board] == [("a", 1), ("b", 1)]
        assert await model.prepare(bounds, rebuild=True) == [0]
        assert await model.run(lambda session: ratings.leaderboard(session, POOLED)) == ([], "")
        await model.close()

    asyncio.run(live())
