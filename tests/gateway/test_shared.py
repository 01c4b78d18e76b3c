"""Who asks what somebody else is asking waits for the same answer; what is answered is kept while it holds."""

import asyncio
from typing import Final

import pytest

from engine.kernel.refusal import Kind, Refusal
from services.gateway import shared as module
from services.gateway.answers import Answer
from services.gateway.shared import SharedAnswers

CUP: Final = ("cup", "standings")
LONG: Final = 60.0


class House:
    """Answers when the test lets it, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.text = "first"
        self.refusal: Refusal | None = None
        self.lets = asyncio.Event()
        self.lets.set()

    async def find(self) -> Answer:
        self.asked += 1
        text, refusal = self.text, self.refusal
        await self.lets.wait()
        if refusal is not None:
            raise refusal
        return Answer(text.encode(), "text/plain", text)


@pytest.fixture
async def house() -> House:
    return House()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_two_hundred_who_ask_at_once_are_one_question(house: House) -> None:
    shared = SharedAnswers()
    answers = await asyncio.gather(*(shared.ask(CUP, house.find, as_of=3, seconds=LONG) for _ in range(200)))
    assert (house.asked, {answer.tag for answer in answers}) == (1, {"first"})
    await shared.ask(CUP, house.find, as_of=3, seconds=LONG)
    await shared.ask(("cup", "status"), house.find, as_of=3, seconds=LONG)
    assert house.asked == 2, "kept, and another question is asked"


async def test_after_a_change_it_is_asked_again_and_nobody_waits_for_what_was_before(house: House) -> None:
    shared = SharedAnswers()
    house.lets.clear()
    early = asyncio.create_task(shared.ask(CUP, house.find, as_of=3, seconds=LONG))
    await settle()
    house.text = "second"
    late = asyncio.create_task(shared.ask(CUP, house.find, as_of=4, seconds=LONG))
    await settle()
    house.lets.set()
    assert ((await early).tag, (await late).tag, house.asked) == ("first", "second", 2)
    assert (await shared.ask(CUP, house.find, as_of=4, seconds=LONG)).tag == "second"
    assert house.asked == 2


async def test_an_answer_that_comes_late_does_not_replace_a_newer_one(house: House) -> None:
    shared = SharedAnswers()
    slow = House()
    slow.text = "slow"
    slow.lets.clear()
    waiting = asyncio.create_task(shared.ask(CUP, slow.find, as_of=3, seconds=LONG))
    await settle()
    shared.forget("cup")
    assert (await shared.ask(CUP, house.find, as_of=3, seconds=LONG)).tag == "first"
    slow.lets.set()
    assert (await waiting).tag == "slow"
    assert (await shared.ask(CUP, house.find, as_of=3, seconds=LONG)).tag == "first"
    assert (slow.asked, house.asked, shared.kept_bytes) == (1, 1, Answer(b"first", "", "").size)


async def test_what_somebody_here_has_changed_is_asked_anew_and_the_rest_is_not(house: House) -> None:
    shared = SharedAnswers()
    other = ("fair", "standings")
    for question in (CUP, other):
        await shared.ask(question, house.find, seconds=LONG)
    shared.forget("cup")
    await shared.ask(other, house.find, seconds=LONG)
    assert house.asked == 2
    await shared.ask(CUP, house.find, seconds=LONG)
    assert house.asked == 3
    shared.forget_all()
    for question in (CUP, other):
        await shared.ask(question, house.find, seconds=LONG)
    assert house.asked == 5


async def test_when_too_many_have_changed_all_count_as_changed(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHANGES_MAX", 2)
    shared = SharedAnswers()
    await shared.ask(CUP, house.find, seconds=LONG)
    for event in ("cup", "a", "b"):
        shared.forget(event)
    await shared.ask(CUP, house.find, seconds=LONG)
    assert house.asked == 2
    await shared.ask(CUP, house.find, seconds=LONG)
    assert house.asked == 2


async def test_a_refusal_goes_to_all_who_waited_and_is_not_kept(house: House) -> None:
    shared = SharedAnswers()
    house.refusal = Refusal("unknown_tournament", "There is no such event.", Kind.MISSING)
    told = await asyncio.gather(
        *(shared.ask(CUP, house.find, seconds=LONG) for _ in range(20)), return_exceptions=True
    )  # fmt: skip
    assert (house.asked, told) == (1, [house.refusal] * 20)
    house.refusal = None
    assert (await shared.ask(CUP, house.find, seconds=LONG)).tag == "first"
    assert house.asked == 2


async def test_what_may_change_without_a_word_is_not_kept_beyond_its_time(house: House) -> None:
    shared = SharedAnswers()
    await shared.ask(CUP, house.find, seconds=0.02)
    await shared.ask(CUP, house.find, seconds=0.02)
    assert house.asked == 1
    await asyncio.sleep(0.03)
    await shared.ask(CUP, house.find, seconds=0.02)
    assert house.asked == 2


async def test_who_goes_away_leaves_the_others_their_answer(house: House) -> None:
    shared = SharedAnswers()
    house.lets.clear()
    first, second = (asyncio.create_task(shared.ask(CUP, house.find)) for _ in range(2))
    await settle()
    first.cancel()
    house.lets.set()
    assert (await second).tag == "first"
    assert house.asked == 1


async def test_what_was_not_wanted_for_longest_makes_room(house: House) -> None:
    house.text = "x" * 1_000
    one = (await house.find()).size
    house.asked = 0
    shared = SharedAnswers(bytes_max=4 * one)
    for number in (0, 1, 2, 3, 0, 4):
        await shared.ask(("cup", number), house.find, seconds=LONG)
    assert (house.asked, shared.kept_bytes) == (5, 4 * one)
    await shared.ask(("cup", 0), house.find, seconds=LONG)
    assert house.asked == 5, "wanted again, so kept"
    await shared.ask(("cup", 1), house.find, seconds=LONG)
    assert (house.asked, shared.kept_bytes) == (6, 4 * one)


async def test_an_answer_that_would_push_out_the_others_is_not_kept(house: House) -> None:
    shared = SharedAnswers(bytes_max=4_000)
    await shared.ask(CUP, house.find, seconds=LONG)
    house.text = "x" * 1_000
    for _ in range(2):
        assert (await shared.ask(("cup", "log"), house.find, seconds=LONG)).tag == house.text
    await shared.ask(CUP, house.find, seconds=LONG)
    assert house.asked == 3
