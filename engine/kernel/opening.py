"""How a match begins: everything that is agreed before the first card, checked once.

What is in the opening commit holds for the whole match: the rules version, the options written out, the deck's promise
and what each seat adds to it.
"""

from typing import Any, TypeVar

import msgspec

from engine.kernel.game import AnyGame, Game, Setup
from engine.kernel.limits import (
    BANK_MS_MAX,
    DELAY_MS_MAX,
    INCREMENT_MS_MAX,
    NONCE_BYTES_MAX,
    PLAYER_LENGTH_MAX,
    SEATS_MAX,
    TURN_MS_MAX,
)
from engine.kernel.official import DEFAULT, FORFEIT, MatchOpened, OpenMatch
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import clip

O = TypeVar("O", bound=msgspec.Struct)  # noqa: E741 - as in ``game``


def opening(game: AnyGame, command: OpenMatch) -> MatchOpened:
    """The first event of a match. Raises ``Refusal`` naming what is wrong."""
    if command.seats not in game.seats or command.seats > SEATS_MAX:
        first, last = game.seats.start, game.seats.stop - 1
        raise Refusal("bad_seats", f"{game.title} has {first} to {last} seats, not {command.seats}.", Kind.INVALID)
    if not 0 <= command.turn_ms <= TURN_MS_MAX:
        raise Refusal("bad_turn_ms", f"A turn clock has 0 to {TURN_MS_MAX} milliseconds.", Kind.INVALID)
    _check_clock(command)
    if not 0 <= command.delay_ms <= DELAY_MS_MAX:
        raise Refusal("bad_delay_ms", f"Spectators are kept 0 to {DELAY_MS_MAX} milliseconds behind.", Kind.INVALID)
    if command.deal is not None and any(command.nonces):
        raise Refusal("deal_with_nonces", "All tables of a deal have the same luck: no seat adds to it.", Kind.INVALID)
    if not is_digest(command.commitment):
        raise Refusal("bad_commitment", "The commitment is not 64 hex digits.", Kind.INVALID)
    options = options_of(game, command.options)
    game.initial(Setup(command.seats, options))
    return MatchOpened(
        game=game.key,
        version=game.version,
        seats=command.seats,
        options=msgspec.json.decode(msgspec.json.encode(options)),  # as a reader of the line will see them
        players=_players(command),
        turn_ms=command.turn_ms,
        commitment=command.commitment,
        nonces=_nonces(command),
        bank_ms=command.bank_ms,
        increment_ms=command.increment_ms,
        on_timeout=command.on_timeout,
        deal=command.deal,
        delay_ms=command.delay_ms,
    )


def options_of(game: Game[O, Any, Any, Any], options: dict[str, Any]) -> O:
    """The options of a game from JSON, defaults filled in. Raises ``Refusal`` naming the one that is wrong."""
    try:
        return msgspec.convert(options, game.options)
    except (msgspec.ValidationError, ValueError) as error:
        raise Refusal("bad_options", f"The options do not fit {game.title}: {error}.", Kind.INVALID) from error


def is_digest(text: str) -> bool:
    """Whether this is a SHA-256 or a seed: 64 lower-case hex digits."""
    return len(text) == 64 and _is_hex(text)


def _check_clock(command: OpenMatch) -> None:
    """What the banks are, and what happens at a time-out."""
    if not 0 <= command.bank_ms <= BANK_MS_MAX:
        raise Refusal("bad_clock", f"A time bank has 0 to {BANK_MS_MAX} milliseconds.", Kind.INVALID)
    if not 0 <= command.increment_ms <= INCREMENT_MS_MAX:
        raise Refusal("bad_clock", f"An increment has 0 to {INCREMENT_MS_MAX} milliseconds.", Kind.INVALID)
    if command.increment_ms and not command.bank_ms:
        raise Refusal("bad_clock", "An increment is added to a time bank, and there is none.", Kind.INVALID)
    if command.on_timeout not in (DEFAULT, FORFEIT):
        sentence = f"At a time-out a match says {DEFAULT} or {FORFEIT}, not {clip(command.on_timeout)}."
        raise Refusal("bad_clock", sentence, Kind.INVALID)
    if command.on_timeout == FORFEIT and not (command.turn_ms or command.bank_ms):
        raise Refusal("bad_clock", "Without a clock nobody can forfeit by it.", Kind.INVALID)


def _nonces(command: OpenMatch) -> tuple[str, ...]:
    nonces = _by_seat("nonce", command.nonces, command.seats)
    for seat, nonce in enumerate(nonces):
        if not _is_hex(nonce) or len(nonce) > 2 * NONCE_BYTES_MAX:
            sentence = f"The nonce of seat {seat} is not hex of at most {NONCE_BYTES_MAX} bytes."
            raise Refusal("bad_nonce", sentence, Kind.INVALID)
    return nonces


def _players(command: OpenMatch) -> tuple[str, ...]:
    players = _by_seat("player", command.players, command.seats)
    for seat, player in enumerate(players):
        if len(player) > PLAYER_LENGTH_MAX or not player.isprintable():
            sentence = f"The player id of seat {seat} is not printable text of at most {PLAYER_LENGTH_MAX} characters."
            raise Refusal("bad_player", sentence, Kind.INVALID)
    return players


def _by_seat(what: str, given: tuple[str, ...], seats: int) -> tuple[str, ...]:
    if len(given) > seats:
        raise Refusal(f"too_many_{what}s", f"{len(given)} {what}s were given for {seats} seats.", Kind.INVALID)
    return given + ("",) * (seats - len(given))


def _is_hex(text: str) -> bool:
    return len(text) % 2 == 0 and all(digit in "0123456789abcdef" for digit in text)
