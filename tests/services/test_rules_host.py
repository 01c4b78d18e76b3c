"""The rules host on both logs: what a caller is told is what the log holds, whatever happens in between."""

from typing import Any

import pytest

from engine.games import game_of_rules
from engine.games.just4fun.model import ExchangeHand, PlaceToken
from engine.kernel.limits import COMMAND_BYTES_MAX, OPTIONS_BYTES_MAX, PATH_STEPS_MAX
from engine.kernel.official import SeedRevealed
from engine.kernel.ports import Log, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.luck.verifier import verify
from services.deck.app import Deck
from services.kit.clock import SystemClock
from services.kit.key import KeyRing
from services.rules.app import MatchHost, Receipt
from tests.kit.duel import DUEL
from tests.services.hosts import (
    FailingDeck,
    M,
    Rules,
    commits,
    folded,
    leave,
    log,
    next_move,
    play_out,
    refused,
    rules,
    written,
)
from tests.services.small_house import KEY

__all__ = ["log", "rules"]


class TestOpening:
    async def test_a_match_opens_and_is_dealt(self, rules: Rules, log: Log) -> None:
        receipt = await rules().open(M, seats=3, nonces=["00", "", "ff"], players=["a", "b", "c"])
        assert receipt == Receipt(1, duplicate=False)
        state = (await folded(log)).state
        assert state.opened.nonces == ("00", "", "ff")
        assert all(len(hand) == 4 for hand in state.game.hands)

    async def test_opening_twice_alike_is_one_opening(self, rules: Rules, log: Log) -> None:
        await rules().open(M, seats=2, options_json='{"layout": "random"}')
        lines = await log.read(M, after=0)
        assert await rules().open(M, seats=2, options_json='{"layout": "random"}') == Receipt(1, duplicate=True)
        assert await log.read(M, after=0) == lines

    @pytest.mark.parametrize(
        ("code", "wrong"),
        [
            ("bad_seats", {"seats": 9}),
            ("bad_options", {"options_json": '{"layout": "spiral"}'}),
            ("bad_options", {"options_json": '{"no_such_option": 1}'}),
            ("malformed_options", {"options_json": "{"}),
            ("malformed_options", {"options_json": "[]"}),
            ("options_too_large", {"options_json": '{"layout": "' + "x" * OPTIONS_BYTES_MAX + '"}'}),
            ("bad_nonce", {"nonces": ["xyz"]}),
            ("too_many_nonces", {"nonces": ["00", "00", "00"]}),
            ("bad_player", {"players": ["\n"]}),
            ("bad_turn_ms", {"turn_ms": 10**15}),
            ("bad_first_player", {"options_json": '{"first_player": 7}'}),
        ],
    )
    async def test_what_cannot_be_opened_is_refused(
        self, code: str, wrong: dict[str, Any], rules: Rules, log: Log
    ) -> None:
        async with refused(log, code, Kind.INVALID):
            await rules().open(M, **({"seats": 2} | wrong))

    async def test_opening_otherwise_what_is_open_is_refused(self, rules: Rules, log: Log) -> None:
        await rules().open(M, seats=2)
        async with refused(log, "match_exists", Kind.EXISTS):
            await rules().open(M, seats=3)

    async def test_nothing_is_opened_while_the_deck_is_away(self, rules: Rules, log: Log) -> None:
        deck = FailingDeck(Deck(KeyRing(KEY), log))
        deck.away = True
        with pytest.raises(Unavailable, match="deck_unavailable"):
            await rules(luck=deck).open(M, seats=2)
        assert await log.read(M, after=0) == ()


class TestMoving:
    async def test_a_match_is_played_to_its_end_and_verifies(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2, nonces=["aa", "bb"])
        played = await play_out(log, host)
        assert played[-1].events[0].type == SeedRevealed.name
        assert verify([stored.line for stored in await log.read(M, after=0)], game_of_rules).seats == 2

    async def test_a_repeat_is_answered_with_the_first_revision_by_any_host(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        seat, command = await next_move(log)
        first = await host.act(M, "once", seat, command)
        await host.act(M, "twice", *await next_move(log))
        lines = await log.read(M, after=0)
        for again in (host, rules()):
            assert await again.act(M, "once", seat, command) == Receipt(first.revision, duplicate=True)
        assert await log.read(M, after=0) == lines

    async def test_a_repeat_is_recognised_after_the_end(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        seat, command = await next_move(log)
        first = await host.act(M, "move-0", seat, command)
        await play_out(log, host)
        assert await rules().act(M, "move-0", seat, command) == Receipt(first.revision, duplicate=True)

    async def test_an_id_stands_for_one_command(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        seat, command = await next_move(log)
        await host.act(M, "once", seat, command)
        async with refused(log, "id_reused", Kind.INVALID):
            await host.act(M, "once", seat, written(ExchangeHand()))

    async def test_what_is_not_allowed_is_refused_and_changes_nothing(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2, options_json='{"first_player": 0}')
        seat, command = await next_move(log)
        wrong: list[tuple[str, Kind, int, str]] = [
            ("not_your_turn", Kind.ILLEGAL, 1 - seat, command),
            ("unknown_seat", Kind.INVALID, 7, command),
            ("malformed_command", Kind.INVALID, seat, "{"),
            ("malformed_command", Kind.INVALID, seat, "7"),
            ("malformed_command", Kind.INVALID, seat, '{"type": "just4fun.fly", "data": {}}'),
            ("malformed_command", Kind.INVALID, seat, '{"type": "just4fun.place_token", "data": {"field": "x"}}'),
            ("malformed_command", Kind.INVALID, seat, '{"type": "just4fun.place_token", "v": 2, "data": {}}'),
            ("malformed_command", Kind.INVALID, seat, '{"type": "just4fun.exchange_hand", "data": {"seat": 1}}'),
            ("malformed_command", Kind.INVALID, seat, "[" * 10_000),
            ("command_too_large", Kind.INVALID, seat, " " * (COMMAND_BYTES_MAX + 1)),
            ("not_yours_to_do", Kind.DENIED, seat, '{"type": "luck.resolve", "data": {}}'),
            ("not_yours_to_do", Kind.DENIED, seat, '{"type": "tavolata.expire", "data": {"turn": 1}}'),
            ("not_yours_to_do", Kind.DENIED, seat, '{"type": "luck.reveal_seed", "data": {"seed": ""}}'),
            ("not_your_seat", Kind.DENIED, seat, leave(1 - seat)),
            ("unknown_seat", Kind.INVALID, 9, leave(9)),
        ]
        for code, kind, speaker, text in wrong:
            async with refused(log, code, kind):
                await host.act(M, "wrong", speaker, text)

    async def test_a_sum_that_is_no_sum_is_refused(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        history = await folded(log)
        [seat] = history.pending.seats  # type: ignore[union-attr]  # the match waits for seats
        card = history.state.game.hands[seat][0]
        with pytest.raises(Refusal):
            await host.act(M, "wrong", seat, written(PlaceToken(card + 1, (card,))))
        assert len(await commits(log)) == history.revision

    async def test_a_stale_revision_is_refused(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        seat, command = await next_move(log)
        revision = (await commits(log))[-1].revision
        async with refused(log, "stale_revision", Kind.STALE):
            await host.act(M, "late", seat, command, expected_revision=revision - 1)
        receipt = await host.act(M, "in-time", seat, command, expected_revision=revision)
        assert receipt.revision == revision + 1

    async def test_a_match_that_there_is_not_is_missing(self, rules: Rules, log: Log) -> None:
        async with refused(log, "unknown_match", Kind.MISSING):
            await rules().act("nowhere", "x", 0, written(ExchangeHand()))
        async with refused(log, "unknown_match", Kind.MISSING):
            await rules().choices("nowhere", 0, ())

    async def test_a_match_of_another_game_is_not_ours(self, rules: Rules, log: Log) -> None:
        other = MatchHost(DUEL, log, Deck(KeyRing(KEY), log), SystemClock())
        await other.open(M, seats=2)
        host = rules()
        for call in (
            host.act(M, "x", 0, written(ExchangeHand())),
            host.choices(M, 0, ()),
            host.open(M, seats=2),
        ):
            async with refused(log, "other_game", Kind.ILLEGAL):
                await call
        await other.close()

    @pytest.mark.parametrize("bad", ["", "a.b", "a b", "*", ">", "x" * 65, "é"])
    async def test_ids_that_cannot_be_are_refused(self, bad: str, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        code = "id_too_long" if len(bad) > 64 else "id_malformed"
        for call in (host.open(bad, seats=2), host.act(bad, "x", 0, "{}"), host.act(M, bad, 0, "{}")):
            async with refused(log, code, Kind.INVALID):
                await call

    async def test_a_seat_that_leaves_is_gone_for_good(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=3)
        await host.act(M, "bye", 1, leave(1))
        assert (await folded(log)).state.left == (1,)
        async with refused(log, "seat_has_left", Kind.ILLEGAL):
            await host.act(M, "bye-again", 1, leave(1))
        async with refused(log, "seat_has_left", Kind.DENIED):
            await host.act(M, "back", 1, written(ExchangeHand()))


class TestChoices:
    async def test_menus_lead_to_a_command_that_is_accepted(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        seat, _ = await next_move(log)
        path: list[str] = []
        while True:
            revision, menu = await host.choices(M, seat, path)
            if menu.command is not None:
                break
            path.append(menu.choices[0].key)
        assert revision == (await commits(log))[-1].revision
        accepted = await host.act(M, "chosen", seat, bytes(menu.command).decode(), expected_revision=revision)
        assert accepted.revision == revision + 1

    async def test_a_path_that_leads_nowhere_is_refused(self, rules: Rules, log: Log) -> None:
        host = rules()
        await host.open(M, seats=2)
        seat, _ = await next_move(log)
        async with refused(log, "no_such_choice", Kind.ILLEGAL):
            await host.choices(M, seat, ("nowhere",))
        async with refused(log, "path_too_long", Kind.INVALID):
            await host.choices(M, seat, ("x",) * (PATH_STEPS_MAX + 1))
        async with refused(log, "not_your_turn", Kind.ILLEGAL):
            await host.choices(M, 1 - seat, ())

    async def test_a_host_that_was_asleep_offers_what_is_legal_now(self, rules: Rules, log: Log) -> None:
        asleep, awake = rules(), rules()
        await asleep.open(M, seats=2)
        await awake.act(M, "move", *await next_move(log))
        seat, _ = await next_move(log)
        assert (await asleep.choices(M, seat, ()))[0] == (await commits(log))[-1].revision
