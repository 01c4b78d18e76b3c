"""Who may do what on NATS, written down once, and as the configuration that every server of the house includes.

A service may do what its work takes and no more: append to its own subjects, ask of a stream what ``append``, ``read``
and ``follow`` ask, and hear what is stored there. Streams are made, changed, emptied, copied and deleted by the
operator alone, who in turn appends nothing. Nobody publishes ``live.>``: the server does, from what it has stored.

**Every user has an account of its own**, and the log is one by itself. Permissions alone would be a fence with a hole:
a question names the subject that its answer goes to, and within one account the server sends it there, whoever may
publish there: into a stream, into the feed, or to what deletes a stream. From one account to another only that passes
which the log exports and the user imports, and an answer comes back into the account that asked.

``*`` stands for one whole token, so ``MATCHES_*`` is no pattern, and every partition is listed. An account that has no
JetStream answers ``$JS.API.>`` itself, and says so; so users ask under ``log.api.>``. The system account has no user.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from services.kit.family import MATCHES, TOURNAMENTS, Family
from services.kit.jetstream.beats import BEATS, BOOKMARKS, beat_subject, bookmark_subject
from services.kit.jetstream.credentials import API_OF_USERS, inbox_of
from services.kit.jetstream.streams import Stream, live

OPERATOR: Final = "operator"
READER: Final = "reader"
SPECTATOR: Final = "spectator"

LOG: Final = "LOG"
"""The account that the streams are in, and so the folder of a server's store."""
FEED: Final = "feed.>"

BURST: Final = "DIRECT.GET."
"""The one question that has many answers."""
BURST_MS: Final = 10_000
"""How long the server remembers where the answers of a burst go; an honest one takes a second."""

NOTHING: Final = '{deny: ">"}'
"""An empty list of what is allowed would allow everything."""


class User(msgspec.Struct, frozen=True):
    """One user, by what passes between its account and the others. Subjects may have wildcards.

    ``appends``: subjects of streams. ``asks``: questions to JetStream, ``STREAM.INFO.<stream>``. ``hears``: what the
    account of the log publishes. ``tells`` and ``listens``: the feed, told by one user and listened to by others.
    """

    name: str
    appends: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    hears: tuple[str, ...] = ()
    tells: tuple[str, ...] = ()
    listens: tuple[str, ...] = ()


def users(games: Iterable[str], partitions: int) -> tuple[User, ...]:
    """Everybody who has a place on the log of a house that plays ``games``, in the order of the file."""
    matches = _streams(MATCHES, partitions)
    events = _streams(TOURNAMENTS, partitions)
    return (
        User("deck", asks=_reads(matches)),
        *(
            User(
                f"rules-{game}",
                appends=(*_lines(matches, game), beat_subject(game), *_bookmarks(matches, game)),
                asks=(*_reads(matches), f"STREAM.MSG.GET.{BEATS}", f"STREAM.MSG.GET.{BOOKMARKS}"),
                hears=_bells(matches, game),
            )
            for game in sorted(games)
        ),
        User("scoring", asks=_reads(matches), hears=_bells(matches)),
        User(SPECTATOR, asks=_reads(matches), hears=_bells(matches), tells=(FEED,)),
        User(
            "tournament",
            appends=_lines(events),
            asks=(*_reads(events), *_reads(matches)),
            hears=(*_bells(events), *_bells(matches)),
        ),
        User(OPERATOR),
        User(READER, listens=(FEED,)),
    )


def authorization(everybody: Iterable[User], keys: Mapping[str, str], *, strangers: str = "") -> str:
    """The file that a server includes. ``keys`` has the public key of each user; whoever shows none is ``strangers``,
    the name of a user, or is refused.
    """
    everybody = tuple(everybody)
    lines = ["# Users and what they may do, by their public keys: `tavolata keys init` writes it anew."]
    if strangers:
        lines.append(f"no_auth_user: {keys[strangers]}")
    lines += ["system_account: SYS", "accounts {", "  SYS: {}", *_log_account(everybody, keys[OPERATOR])]
    for user in everybody:
        if user.name != OPERATOR:
            lines += _account(user, keys[user.name], everybody)
    return "\n".join([*lines, "}"]) + "\n"


def _streams(family: Family, partitions: int) -> tuple[Stream, ...]:
    return tuple(Stream(family, partition) for partition in range(partitions))


def _lines(streams: Iterable[Stream], game: str = "*") -> tuple[str, ...]:
    return tuple(stream.subject(game, "*") for stream in streams)


def _bookmarks(streams: Iterable[Stream], game: str) -> tuple[str, ...]:
    return tuple(bookmark_subject(game, stream.partition) for stream in streams)


def _reads(streams: Iterable[Stream]) -> tuple[str, ...]:
    """What ``streams``, ``append``, ``read`` and ``follow`` ask."""
    return tuple(
        f"{question}.{stream.name}"
        for stream in streams
        for question in ("STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET")
    )


def _bells(streams: Iterable[Stream], game: str = "*") -> tuple[str, ...]:
    return tuple(live(subject) for subject in _lines(streams, game))


# -- the file ----------------------------------------------------------------------------------------------------------


def _log_account(everybody: tuple[User, ...], operator: str) -> Iterator[str]:
    answers: dict[str, list[str]] = defaultdict(list)
    heard: dict[str, list[str]] = defaultdict(list)
    for user in everybody:
        for subject in (*user.appends, *(f"$JS.API.{question}" for question in user.asks)):
            answers[subject].append(user.name)
        for subject in user.hears:
            heard[subject].append(user.name)
    yield f"  {LOG}: {{"
    yield "    jetstream: enabled"
    yield f"    mappings: {{{_text(f'{API_OF_USERS}.>')}: {_text('$JS.API.>')}}}"
    publishes = ("$JS.API.>", f"{API_OF_USERS}.>", "$JS.SNAPSHOT.>")
    yield f"    users: [{_user(operator, publishes, ('live.>', '$JS.EVENT.>'))}]"
    yield "    exports: ["
    for subject, names in answers.items():
        burst = f', response_type: stream, threshold: "{BURST_MS}ms"' if f".{BURST}" in subject else ""
        yield f"      {{service: {_text(subject)}{burst}, accounts: {_texts(names)}}}"
    for subject, names in heard.items():
        yield f"      {{stream: {_text(subject)}, accounts: {_texts(names)}}}"
    yield "    ]"
    yield "  }"


def _account(user: User, key: str, everybody: tuple[User, ...]) -> Iterator[str]:
    asks = {question: f"{API_OF_USERS}.{question}" for question in user.asks}
    yield f"  {_text(user.name)}: {{"
    yield f"    users: [{_user(key, (*user.appends, *asks.values(), *user.tells), (*user.hears, *user.listens))}]"
    yield "    imports: ["
    for subject in user.appends:
        yield f"      {{service: {{account: {LOG}, subject: {_text(subject)}}}}}"
    for question, asked in asks.items():
        yield f"      {{service: {{account: {LOG}, subject: {_text(f'$JS.API.{question}')}}}, to: {_text(asked)}}}"
    for subject in user.hears:
        yield f"      {{stream: {{account: {LOG}, subject: {_text(subject)}}}}}"
    for subject in user.listens:
        (teller,) = (other.name for other in everybody if subject in other.tells)
        yield f"      {{stream: {{account: {_text(teller)}, subject: {_text(subject)}}}}}"
    yield "    ]"
    yield "    exports: ["
    for subject in user.tells:
        listeners = [other.name for other in everybody if subject in other.listens]
        yield f"      {{stream: {_text(subject)}, accounts: {_texts(listeners)}}}"
    yield "    ]"
    yield "  }"


def _user(key: str, publishes: Iterable[str], hears: Iterable[str]) -> str:
    publish, subscribe = list(publishes), [f"{inbox_of(key)}.>", *hears]
    allowed = f"{{allow: {_texts(publish)}}}" if publish else NOTHING
    return f"{{nkey: {key}, permissions: {{publish: {allowed}, subscribe: {{allow: {_texts(subscribe)}}}}}}}"


def _text(subject: str) -> str:
    return msgspec.json.encode(subject).decode()


def _texts(subjects: Iterable[str]) -> str:
    return f"[{', '.join(_text(subject) for subject in subjects)}]"
