"""Messages put together from parts that are encoded already: what many are sent is encoded once for all of them.

A field that is a message stands on the wire as its key, its length and its bytes, so it can be written without being
read. https://protobuf.dev/programming-guides/encoding/
"""

from typing import Final

LENGTH_DELIMITED: Final = 2


def message_field(number: int, message: bytes) -> bytes:
    """A message in a field, or one more in a repeated field."""
    return _varint(number << 3 | LENGTH_DELIMITED) + _varint(len(message)) + message


def number_field(number: int, value: int) -> bytes:
    """A number that is not negative, or a truth."""
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    if value < 0x80:
        return _SMALL[value]
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


_SMALL: Final = tuple(bytes((value,)) for value in range(0x80))
