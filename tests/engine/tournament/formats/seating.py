"""Table sizes for the tests of the formats: as the house has them, written down a second time."""

from engine.kernel.refusal import Refusal
from engine.tournament.formats.pods import Sizes


def tables_of(smallest: int, target: int, largest: int) -> Sizes:
    """Sizes that differ by one at most, with the least squared distance from ``target``."""

    def sizes(count: int) -> tuple[int, ...]:
        fits = [k for k in range(1, count + 1) if smallest * k <= count <= largest * k]
        if not fits:
            raise Refusal("not_seatable", f"{count} cannot be seated.")
        vectors = [(count // k + 1,) * (count % k) + (count // k,) * (k - count % k) for k in fits]
        return min(vectors, key=lambda vector: sum((size - target) ** 2 for size in vector))

    return sizes


THREE_OR_FOUR = tables_of(3, 4, 4)
PAIRS = tables_of(2, 2, 2)
