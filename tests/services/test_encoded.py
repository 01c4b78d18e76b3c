"""Messages that are put together from encoded parts are those that protobuf would have made."""

from hypothesis import given
from hypothesis import strategies as st
from tavolata.spectator.v1 import spectator_pb2 as pb

from services.kit.wire.encoded import message_field, number_field

FACTS = st.lists(st.binary(max_size=300), max_size=4)


@given(st.integers(min_value=0, max_value=2**64 - 1), FACTS, st.booleans())
def test_a_message_of_parts_is_the_message(tag: int, data: list[bytes], complete: bool) -> None:
    facts = [pb.Fact(match_id="m", revision=number, words=[each.hex()]) for number, each in enumerate(data)]
    told = number_field(pb.Told.TAG_FIELD_NUMBER, tag)
    told += b"".join(message_field(pb.Told.FACTS_FIELD_NUMBER, fact.SerializeToString()) for fact in facts)
    told += number_field(pb.Told.COMPLETE_FIELD_NUMBER, 1) if complete else b""
    whole = message_field(pb.WatchManyResponse.TOLD_FIELD_NUMBER, told) * 2
    expected = pb.WatchManyResponse(told=[pb.Told(tag=tag, facts=facts, complete=complete)] * 2)
    assert pb.WatchManyResponse.FromString(whole) == expected
    if tag:
        assert whole == expected.SerializeToString()
