"""Complete tables of a deal, as an honest house exports them, or one that deals other cards to some."""

from engine.games import find_game
from engine.kernel.chance import commitment
from engine.kernel.commit import HOST
from engine.kernel.deal import Deal
from engine.kernel.official import OpenMatch
from tests.kit.given import SEED
from tests.kit.table import Table


def deal_export(match: str, deal: Deal | None, seed: bytes = SEED) -> list[bytes]:
    """The lines of a match whose seats leave after the first cards."""
    table = Table(find_game("just4fun"), match, seed)
    table.say(HOST, OpenMatch(2, {}, (), (), 0, commitment(seed).hex(), deal=deal), "open")
    table.settle().leave(0)
    return table.close().lines
