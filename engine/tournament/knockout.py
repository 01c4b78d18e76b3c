"""A stage of single elimination as an event plays it: its plan, its first pods, and who goes on from a round.

The plan is laid out for those who were there for the first round, and stays. ``drafting`` makes rounds of it, and
``bracket`` what people are shown.
"""

from engine.kernel.refusal import Refusal
from engine.kernel.value import Value
from engine.tournament.config import Stage
from engine.tournament.formats.advance import Advanced, DrawnPlace, advance
from engine.tournament.formats.elimination import ladder, seeded_byes
from engine.tournament.formats.pods import Round, snake
from engine.tournament.played import Entry
from engine.tournament.record import entrants_in, result_of
from engine.tournament.state import RoundState, Tournament


class Step(Value, frozen=True):
    """One round of the plan; the last is the final."""

    count: int
    """Who takes part, byes included."""
    sizes: tuple[int, ...]
    """Tables."""
    advance: int
    """Of each table; 0 in the final."""
    wildcards: int
    """Places of the next round that are filled besides."""
    byes: int = 0

    @property
    def next_count(self) -> int:
        """Who goes on from the tables of the round; 0 after the final."""
        return len(self.sizes) * self.advance + self.wildcards


def plan_of(stage: Stage, count: int) -> tuple[Step, ...]:
    """The rounds of ``count`` entrants, down to the final. A field that is small enough already needs no byes.

    Raises ``Refusal``: as ``ladder`` and ``seeded_byes``.
    """
    begins_with_byes = 0 < stage.byes_to < count
    first = stage.byes_to if begins_with_byes else count
    steps = tuple(
        Step(each.count, each.sizes, each.advance, each.wildcards)
        for each in ladder(first, stage.ladder_tables, stage.advance, min(stage.final, first))
    )
    if not begins_with_byes:
        return steps
    byes = seeded_byes(count, stage.byes_to, stage.smallest, stage.largest)
    pods = snake(range(count - byes.byes), byes.tables)
    return (Step(count, tuple(map(len, pods)), 1, 0, byes.byes), *steps)


def plan_begun(stage: Stage, first: RoundState) -> tuple[Step, ...]:
    """The plan of a stage whose first round this is."""
    drafted = first.drafted
    return plan_of(stage, sum(len(pod.entries) for pod in drafted.pods) + len(drafted.byes))


def next_pods(
    state: Tournament, stage: Stage, rounds: tuple[RoundState, ...], active: tuple[Entry, ...]
) -> tuple[Round, tuple[Entry, ...]]:
    """The pods and byes of the next round, for those who are there, best seed first. Raises ``Refusal``: as
    ``plan_of``, ``survivors_undecided``, and ``too_few``.
    """
    if not rounds:
        step = plan_of(stage, len(active))[0]
        return snake(active[step.byes :], len(step.sizes)), tuple(sorted(active[: step.byes]))
    waiting, outcome = going_on(state, stage, rounds, active)
    if outcome.undecided:
        table = outcome.undecided[0].table
        raise Refusal("survivors_undecided", f"Table {table} is drawn; a referee names who goes on.")
    seeds = {each.entry: each.seed for each in entrants_in(state, state.stage)}
    going = sorted((*waiting, *outcome.everybody), key=seeds.__getitem__)
    sizes = stage.ladder_tables(len(going)) or ((len(going),) if going else ())
    if not sizes:
        raise Refusal("too_few", "Nobody is left to play on.")
    if len(going) < stage.smallest and len(going) > 1:
        sizes = (len(going),)
    return snake(going, len(sizes)), ()


def going_on(
    state: Tournament, stage: Stage, rounds: tuple[RoundState, ...], active: tuple[Entry, ...]
) -> tuple[tuple[Entry, ...], Advanced]:
    """Who goes on from the newest of ``rounds``, of those who are there: who had a bye, and the others. Raises
    ``Refusal``.
    """
    before = rounds[-1]
    step = plan_begun(stage, rounds[0])[len(rounds) - 1]
    entrants = entrants_in(state, before.drafted.stage)
    results = [result_of(state, before, table) for table in before.tables]
    outcome = advance(
        [result for result in results if result is not None],
        entrants,
        step.advance,
        step.next_count,
        drawn=DrawnPlace.SEED if stage.on_draw == "seed" else DrawnPlace.SHARE,
        decided={table.number: table.survivors for table in before.tables if table.survivors},
        withdrawn={each.entry for each in entrants} - set(active),
    )
    return tuple(entry for entry in before.drafted.byes if entry in active), outcome
