"""Who may do what on NATS, written down once, and as the configuration that every server of the house includes.

A service may do what its work takes and no more: append to its own subjects, and ask of a stream what ``append``,
``read`` and ``follow`` ask. Nobody publishes ``live.>``: the server does, from what it has stored. Streams are made,
changed, emptied, copied and deleted by the operator alone, who in turn appends nothing.

``*`` stands for one whole token, so ``MATCHES_*`` is no pattern, and every partition is listed. A user that is not
listed here is nobody. All of it is one account, the server's own ``$G``: that is where the logs of houses lie that were
made before there were users. The system account has no user at all.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from services.kit.family import MATCHES, TOURNAMENTS, Family
from services.kit.jetstream.beats import BEATS, beat_subject
from services.kit.jetstream.credentials import inbox_of
from services.kit.jetstream.streams import Stream

OPERATOR: Final = "operator"
READER: Final = "reader"

NOTHING: Final = '{deny: ">"}'
"""An empty list of what is allowed would allow everything."""


class User(msgspec.Struct, frozen=True):
    """``publishes`` and ``hears`` are subjects with wildcards; its own inboxes are heard besides."""

    name: str
    publishes: tuple[str, ...] = ()
    hears: tuple[str, ...] = ()


def users(games: Iterable[str], partitions: int) -> tuple[User, ...]:
    """Everybody who has a place on the log of a house that plays ``games``, in the order of the file."""
    matches = _streams(MATCHES, partitions)
    events = _streams(TOURNAMENTS, partitions)
    return (
        User("deck", publishes=_reads(matches)),
        *(
            User(
                f"rules-{game}",
                publishes=(
                    *(stream.subject(game, "*") for stream in matches),
                    *_reads(matches),
                    *_follows(matches, game),
                    beat_subject(game),
                    f"$JS.API.STREAM.MSG.GET.{BEATS}",
                ),
            )
            for game in sorted(games)
        ),
        User("scoring", publishes=(*_reads(matches), *_follows(matches))),
        User("spectator", publishes=("feed.>", *_reads(matches), *_follows(matches))),
        User(
            "tournament",
            publishes=(
                *(stream.subject("*", "*") for stream in events),
                *_reads(events),
                *_follows(events),
                *_reads(matches),
                *_follows(matches),
            ),
        ),
        User(OPERATOR, publishes=("$JS.API.>", "$JS.SNAPSHOT.>"), hears=("live.>", "feed.>", "$JS.EVENT.>")),
        User(READER, hears=("feed.>",)),
    )


def authorization(everybody: Iterable[User], keys: Mapping[str, str], *, strangers: str = "") -> str:
    """The file that a server includes. ``keys`` has the public key of each user; whoever shows none is ``strangers``,
    the name of a user, or is refused.
    """
    lines = ["# Users and what they may do, by their public keys: `tavolata keys init` writes it anew."]
    if strangers:
        lines.append(f"no_auth_user: {keys[strangers]}")
    lines += ["authorization {", "  users: ["]
    for user in everybody:
        key = keys[user.name]
        lines += [
            f"    # {user.name}",
            f"    {{ nkey: {key}, permissions: {{",
            f"      publish: {_allowed(user.publishes)}",
            f"      subscribe: {_allowed((f'{inbox_of(key)}.>', *user.hears))}",
            "    } }",
        ]
    return "\n".join([*lines, "  ]", "}"]) + "\n"


def _streams(family: Family, partitions: int) -> tuple[Stream, ...]:
    return tuple(Stream(family, partition) for partition in range(partitions))


def _reads(streams: Iterable[Stream]) -> tuple[str, ...]:
    """What ``streams``, ``append`` and ``read`` ask."""
    return tuple(
        f"$JS.API.{question}.{stream.name}"
        for stream in streams
        for question in ("STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET")
    )


def _follows(streams: Iterable[Stream], game: str = "*") -> tuple[str, ...]:
    """What ``follow`` asks beside that. The filter of a consumer stands in the subject that makes it; whose consumer it
    is does not, but its name is drawn and nobody but the operator may list them.
    """
    return tuple(
        f"$JS.API.CONSUMER.{question}"
        for stream in streams
        for question in (
            f"CREATE.{stream.name}.*.{stream.subject(game, '*')}",
            f"MSG.NEXT.{stream.name}.*",
            f"DELETE.{stream.name}.*",
        )
    )


def _allowed(subjects: Iterable[str]) -> str:
    listed = [msgspec.json.encode(subject).decode() for subject in subjects]
    return f"{{allow: [{', '.join(listed)}]}}" if listed else NOTHING
