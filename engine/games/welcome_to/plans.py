"""City plans: how far a sheet has come, whether a claim holds, and which estates can serve one (3.3, 4.7)."""

from collections.abc import Iterator
from typing import assert_never

from engine.games.welcome_to.model import EMPTY, ROUNDABOUT, Claim, Estate, Options, Sheet, State
from engine.games.welcome_to.printed import HOUSES, PARK_POINTS, PLANS, POOLS, STREETS, Plan
from engine.games.welcome_to.streets import free_estates, free_sizes, size_of
from engine.games.welcome_to.writing import mark

PARK_BOXES = tuple(len(track) - 1 for track in PARK_POINTS)


def progress(plan: Plan, sheet: Sheet, options: Options) -> tuple[int, int]:
    """``(have, need)``: the plan can be claimed when they are equal.

    A plan that uses houses is out of reach, and its ``have`` 0, when another one has used some that it needs.
    """
    match plan.kind:
        case "estates":
            return len(plan.sizes) - len(missing_sizes(plan, sheet)), len(plan.sizes)
        case "all_houses":
            return _houses(sheet, options, [(plan.street, house) for house in range(HOUSES[plan.street])])
        case "street_ends":
            return _houses(sheet, options, [(street, house) for street in STREETS for house in (0, HOUSES[street] - 1)])
        case "bis_on_one_street":
            return min(plan.count, max(map(len, sheet.bis))), plan.count
        case "temps":
            return min(plan.count, sheet.temps), plan.count
        case "parks_on_streets":
            return _nearest([(sheet.parks[street], PARK_BOXES[street]) for street in STREETS], plan.count)
        case "pools_on_streets":
            return _nearest([(len(sheet.pools[street]), len(POOLS[street])) for street in STREETS], plan.count)
        case "parks_and_pools":
            return _parks_and_pools(sheet, plan.street)
        case "parks_pools_roundabout":
            return _nearest([_with_roundabout(sheet, street) for street in STREETS], 1)
        case _:
            assert_never(plan.kind)


def missing_sizes(plan: Plan, sheet: Sheet) -> tuple[int, ...]:
    """The sizes of the estates that a plan still lacks, sorted."""
    lacking = list(plan.sizes)
    for estate in free_estates(sheet):
        if (size := size_of(estate)) in lacking:
            lacking.remove(size)
    return tuple(lacking)


def _houses(sheet: Sheet, options: Options, houses: list[tuple[int, int]]) -> tuple[int, int]:
    """UNKNOWN-3: whether a roundabout stands for a house is an option. Used houses serve no second plan (3.3)."""
    if any(house in sheet.used[street] for street, house in houses):
        return 0, len(houses)
    vacant = (EMPTY,) if options.roundabout_counts_as_house else (EMPTY, ROUNDABOUT)
    return sum(sheet.numbers[street][house] not in vacant for street, house in houses), len(houses)


def _parks_and_pools(sheet: Sheet, street: int) -> tuple[int, int]:
    return sheet.parks[street] + len(sheet.pools[street]), PARK_BOXES[street] + len(POOLS[street])


def _with_roundabout(sheet: Sheet, street: int) -> tuple[int, int]:
    have, need = _parks_and_pools(sheet, street)
    return have + (ROUNDABOUT in sheet.numbers[street]), need + 1


def _nearest(streets: list[tuple[int, int]], count: int) -> tuple[int, int]:
    """Have and need of the ``count`` streets that lack least: parks of one and pools of another do not add up (3.3)."""
    chosen = sorted(streets, key=lambda street: (street[1] - street[0], street))[:count]
    return sum(have for have, _ in chosen), sum(need for _, need in chosen)


# -- claims ------------------------------------------------------------------------------------------------------------


def holds(state: State, sheet: Sheet, claim: Claim) -> bool:
    """Whether ``sheet``, with what earlier claims of the turn have marked, meets the claim with exactly its estates."""
    plan = PLANS[state.plans[claim.plan]]
    if plan.kind != "estates":
        have, need = progress(plan, sheet, state.options)
        return have == need and not claim.estates
    free = free_estates(sheet)
    return (
        len(set(claim.estates)) == len(claim.estates)
        and all(estate in free for estate in claim.estates)
        and tuple(sorted(map(size_of, claim.estates))) == plan.sizes
    )


def plans_met(state: State, sheet: Sheet) -> list[int]:
    """The plans that ``sheet`` could claim, each by itself."""
    met = []
    free = free_sizes(sheet)
    count = len(free)
    for plan, card in enumerate(state.plans):
        if sheet.plans[plan]:
            continue
        if sizes := PLANS[card].sizes:
            if count >= len(sizes) and all(free.count(size) >= sizes.count(size) for size in sizes):
                met.append(plan)
        else:
            have, need = progress(PLANS[card], sheet, state.options)
            if have == need:
                met.append(plan)
    return met


def claims_of(state: State, sheet: Sheet, plan: int) -> Iterator[Claim]:
    """Every claim of one plan that ``sheet`` meets, sorted."""
    if sheet.plans[plan]:
        return
    card = PLANS[state.plans[plan]]
    have, need = progress(card, sheet, state.options)
    if have < need:
        return
    if card.kind != "estates":
        yield Claim(plan)
        return
    for chosen in _choose(free_estates(sheet), card.sizes):
        yield Claim(plan, chosen)


def _choose(estates: tuple[Estate, ...], sizes: tuple[int, ...]) -> Iterator[tuple[Estate, ...]]:
    """Every set of estates of exactly these sizes, each sorted, in sorted order."""
    if not sizes:
        yield ()
        return
    for at, estate in enumerate(estates):
        size = size_of(estate)
        if size in sizes:
            rest = list(sizes)
            rest.remove(size)
            for others in _choose(estates[at + 1 :], tuple(rest)):
                yield (estate, *others)


def all_claims(state: State, sheet: Sheet, first: int = 0) -> Iterator[tuple[Claim, ...]]:
    """Every set of claims that ``sheet`` meets, none among them, in sorted order; no house twice (UNKNOWN-17)."""
    yield ()
    for plan in range(first, len(state.plans)):
        for claim in claims_of(state, sheet, plan):
            for others in all_claims(state, mark(sheet, claim, state.plans[plan]), plan + 1):
                yield (claim, *others)


def may_reshuffle(state: State, claims: tuple[Claim, ...]) -> bool:
    """UNKNOWN-8: with the first plan of all, or, as an option, with whichever plan is completed first. Never solo."""
    if not claims or state.solo:
        return False
    if state.options.reshuffle_each_plan:
        return any(not state.lowered[claim.plan] for claim in claims)
    return not any(state.lowered)
