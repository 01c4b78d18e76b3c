"""Who the players are: the one place of the house that knows a name.

Every log, read model and page carries an opaque player id; a name is looked up here when somebody may see it. So a
person can be forgotten while all logs keep their chains: ``erase`` empties the row, and what it held is overwritten in
the file, or, on a server, the table is written anew without it.

This is no read model. No log rebuilds it, so its table is never dropped, a commit is on disk before it is answered, and
the file is one to back up. Only its owner may read it. Several replicas may use one table on a server.
"""

import secrets
import unicodedata
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from heapq import nsmallest
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Index
from sqlalchemy.exc import DatabaseError
from sqlmodel import Field, Session, SQLModel, col, select

from engine.kernel.limits import PLAYER_LENGTH_MAX
from engine.kernel.ports import Clock, Unavailable
from engine.kernel.refusal import Kind, Refusal
from engine.kernel.value import Value, clip, instant_text
from services.kit.database import Database, Trouble, make_private, make_tables, sqlite_file, table_of, trouble, words
from services.tournament.names import folded, nearness

T = TypeVar("T")

NAME_LENGTH_MAX: Final = 100
CONTACT_LENGTH_MAX: Final = 200
ALIAS_LENGTH_MAX: Final = 40
"""Characters; an alias stands in narrow columns."""

FOUND_MAX: Final = 20
"""People in one answer to a part of a name: a list to choose from, not one to carry away."""

IDS_AT_ONCE: Final = 500
"""A database takes only so many parameters in one question."""

TRIES_MAX: Final = 5
"""Times that people are looked for again because another replica has entered one of them meanwhile."""

ERASED_NAME: Final = "erased player"

PRAGMAS: Final = {
    "journal_mode": "DELETE",  # a write-ahead log would keep what was erased
    "synchronous": "FULL",
    "secure_delete": "ON",  # what is erased is overwritten, not only let go
    "busy_timeout": "5000",
}


class PersonRow(SQLModel, table=True):
    """One player. The keys are what names are compared by; ``NULL`` once erased, so that nobody is the same person."""

    __tablename__ = "person"
    __table_args__ = (Index("person_same", "name_key", "contact_key", unique=True),)
    player: str = Field(primary_key=True)
    name: str
    contact: str
    alias: str
    created_at: str
    erased: bool
    name_key: str | None = Field(index=True)
    contact_key: str | None


class Person(Value, frozen=True):
    """``player`` is the opaque id. ``contact`` and ``alias`` may be empty; all three are once ``erased``.

    The representation tells the id alone, so that a name cannot land in a log.
    """

    player: str
    name: str
    contact: str
    alias: str
    created_at: str
    erased: bool

    @property
    def public_name(self) -> str:
        """What a page shows to anybody."""
        return _public_name(self.name, self.alias, self.erased)

    def is_called(self, name: str, contact: str) -> bool:
        """As ``add`` compares people; nobody can say any more what an erased one was called."""
        return self.erased or (_key(self.name), _key(self.contact)) == (_key(name), _key(contact))

    def __repr__(self) -> str:
        return f"Person({self.player})"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("player", self.player)]


class People:
    """The table of persons at ``url`` (SQLite or PostgreSQL). Made by ``open``; ``close`` it.

    Everything raises ``Unavailable`` (``people_unavailable``, ``people_full``) if the database cannot be used now, and
    ``Refusal`` (``people_damaged``) if its file is no database any more.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @classmethod
    async def open(cls, url: str, clock: Clock, *, password_file: Path | None = None) -> "People":
        """Makes the table, and the file with mode 0600, if there is none. ``password_file`` is of a server.

        Raises ``Refusal`` (``people_file_open``) for a file that others may read: who has read it is to be found out.
        """
        file = sqlite_file(url)
        if file is not None:
            try:
                make_private(file)
            except OSError as error:
                raise Unavailable("people_unavailable", f"{file} cannot be opened: {error.strerror}.") from error
            if file.stat().st_mode & 0o077:
                raise Refusal("people_file_open", f"{file} may be read by others; it must have mode 0600.", Kind.DENIED)
        people = cls(Database(url, "people", PRAGMAS, _told, password_file=password_file), clock)
        try:
            await people._database.run(lambda session: make_tables(session, [table_of(PersonRow)]))
        except BaseException:
            await people.close()
            raise
        return people

    async def close(self) -> None:
        await self._database.close()

    async def run(self, work: Callable[[Session], T]) -> T:
        """``work`` in one transaction, for whoever copies the table as it is."""
        return await self._database.run(work)

    async def add(self, name: str, contact: str = "", alias: str = "") -> Person:
        """A new player; or, for a name and a contact that are there already, the player who has them, as he is.

        Names are compared without regard to case, width and spaces. Two people of one name need a contact to be told
        apart. Raises ``Refusal`` (``bad_name``, ``bad_contact``, ``bad_alias``).
        """
        return (await self.add_all([(name, contact, alias)]))[0]

    async def add_all(self, people: Sequence[tuple[str, str, str]]) -> list[Person]:
        """The same for many (name, contact, alias), all of them or none: a disk takes one transaction a whole club."""
        each = [_checked(*one) for one in people]
        created_at = instant_text(self._clock.now())

        def work(session: Session) -> list[Person]:
            # All replicas in one order: two that wait for each other's rows would be told to begin again for ever.
            found = {}
            for details in sorted(each, key=lambda details: details.keys):
                found[details.keys] = _person(_same(session, details) or _inserted(session, details, created_at))
            return [found[details.keys] for details in each]

        for _ in range(TRIES_MAX):
            with suppress(_TooLate):  # another replica was first: now it is found
                return await self._database.run(work)
        # Not the error itself: some databases name in it whom they have found.
        raise Unavailable("people_unavailable", "Others enter the same people; send the same command again.")

    async def find(self, players: Sequence[str]) -> dict[str, Person]:
        """By id; ids that nobody has are left out."""

        def work(session: Session) -> dict[str, Person]:
            found = {}
            for ids in _slices(players):
                for row in session.exec(select(PersonRow).where(col(PersonRow.player).in_(ids))):
                    found[row.player] = _person(row)
            return found

        return await self._database.run(work)

    async def public_names(self, players: Sequence[str]) -> dict[str, str]:
        """What pages show, by id, for thousands at a time; ids that nobody has are left out."""

        def work(session: Session) -> dict[str, str]:
            names: dict[str, str] = {}
            for ids in _slices(players):
                asked = select(PersonRow.player, PersonRow.name, PersonRow.alias, PersonRow.erased)
                for player, name, alias, erased in session.exec(asked.where(col(PersonRow.player).in_(ids))):
                    names[player] = _public_name(name, alias, erased)
            return names

        return await self._database.run(work)

    async def find_by_public_name(self, text: str, among: Container[str], limit: int = FOUND_MAX) -> dict[str, str]:
        """Public names with ``text`` in them, as ``names.folded`` compares, by id; only players who are ``among``.

        Whose name begins so comes first, then who has such a word, then the others, each by name; at most ``limit``,
        and never more than ``FOUND_MAX``. What stands behind an alias is not looked at, and erased people are not
        found; nor is anybody by an empty text. Every row is read, so that nothing about names is kept twice: 60 ms for
        10,000 people.
        """
        wanted = folded(text)
        if not wanted:
            return {}

        def work(session: Session) -> dict[str, str]:
            found = []
            asked = select(PersonRow.player, PersonRow.name, PersonRow.alias).where(col(PersonRow.erased).is_(False))
            for player, name, alias in session.exec(asked):
                shown = _public_name(name, alias, erased=False)
                comparable = folded(shown)
                near = nearness(comparable, wanted)
                if near is not None and player in among:
                    found.append((near, comparable, player, shown))
            first = nsmallest(max(0, min(limit, FOUND_MAX)), found)
            return {player: shown for _, _, player, shown in first}

        return await self._database.run(work)

    async def update(self, player: str, *, name: str, contact: str, alias: str) -> Person:
        """Replace what is known of a player.

        Raises ``Refusal``: as ``add`` does, ``unknown_player``, ``player_erased``, and ``same_person`` if another
        player has this name and contact.
        """
        details = _checked(name, contact, alias)

        def work(session: Session) -> Person:
            row = _row(session, player)
            if row.erased:
                raise Refusal("player_erased", f"Player {player} has been erased; nothing is known of them again.")
            same = _same(session, details)
            if same is not None and same.player != player:
                raise _is_same_person(same.player)
            _write(row, details)
            session.add(row)
            return _person(row)

        try:
            return await self._database.run(work)
        except _TooLate as error:
            raise _is_same_person("another player") from error

    async def erase(self, player: str) -> Person:
        """Forget name, contact and alias for ever; the id stays, known as erased. A repeat is harmless.

        Raises ``Refusal`` (``unknown_player``).
        """

        def work(session: Session) -> Person:
            row = _row(session, player)
            row.name = row.contact = row.alias = ""
            row.name_key = row.contact_key = None
            row.erased = True
            session.add(row)
            return _person(row)

        erased = await self._database.run(work)
        await self._database.overwrite(PersonRow)
        return erased


class _Details(Value, frozen=True):
    name: str
    contact: str
    alias: str

    @property
    def keys(self) -> tuple[str, str]:
        return _key(self.name), _key(self.contact)


class _TooLate(Exception):
    """Another process was first since we looked: it has written a row with these keys, or is about to."""


def new_player() -> str:
    """An id that tells nothing: ``p`` and 16 hex digits of the operating system's randomness."""
    return f"p{secrets.token_hex(8)}"


assert len(new_player()) <= PLAYER_LENGTH_MAX


def _checked(name: str, contact: str, alias: str) -> _Details:
    name, contact, alias = (" ".join(text.split()) for text in (name, contact, alias))
    if not name or not _fits(name, NAME_LENGTH_MAX):
        raise Refusal("bad_name", f"A name is printable text of 1 to {NAME_LENGTH_MAX} characters.", Kind.INVALID)
    if not _fits(contact, CONTACT_LENGTH_MAX):
        raise Refusal(
            "bad_contact", f"A contact is printable text of at most {CONTACT_LENGTH_MAX} characters.", Kind.INVALID
        )
    if not _fits(alias, ALIAS_LENGTH_MAX):
        raise Refusal(
            "bad_alias", f"An alias is printable text of at most {ALIAS_LENGTH_MAX} characters.", Kind.INVALID
        )
    return _Details(name, contact, alias)


def _fits(text: str, length_max: int) -> bool:
    return len(text) <= length_max and text.isprintable()


def _public_name(name: str, alias: str, erased: bool) -> str:
    return ERASED_NAME if erased else alias or name


def _slices(players: Sequence[str]) -> Iterator[Sequence[str]]:
    return (players[start : start + IDS_AT_ONCE] for start in range(0, len(players), IDS_AT_ONCE))


def _key(text: str) -> str:
    """What two spellings of one name have in common."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def _same(session: Session, details: _Details) -> PersonRow | None:
    name_key, contact_key = details.keys
    same = select(PersonRow).where(PersonRow.name_key == name_key, PersonRow.contact_key == contact_key)
    return session.exec(same).first()


def _inserted(session: Session, details: _Details, created_at: str) -> PersonRow:
    row = PersonRow(
        player=new_player(),
        name="",
        contact="",
        alias="",
        created_at=created_at,
        erased=False,
        name_key=None,
        contact_key=None,
    )
    _write(row, details)
    session.add(row)
    return row


def _write(row: PersonRow, details: _Details) -> None:
    row.name, row.contact, row.alias = details.name, details.contact, details.alias
    row.name_key, row.contact_key = details.keys


def _row(session: Session, player: str) -> PersonRow:
    """To be changed: on a server no other replica changes it meanwhile, and so nobody is named again once erased."""
    row = session.get(PersonRow, player, with_for_update=True)
    if row is None:
        raise Refusal("unknown_player", f"There is no player {clip(player)}.", Kind.MISSING)
    return row


def _person(row: PersonRow) -> Person:
    return Person(row.player, row.name, row.contact, row.alias, row.created_at, row.erased)


def _is_same_person(player: str) -> Refusal:
    return Refusal("same_person", f"This name and contact are those of {player}.", Kind.EXISTS)


def _told(error: DatabaseError) -> Exception:
    """The database's words hold no name: values that are written do not stand in its errors."""
    match trouble(error):
        case Trouble.EXISTS | Trouble.RACE:
            return _TooLate()
        case Trouble.FULL:
            return Unavailable("people_full", "There is no room for the list of people.")
        case Trouble.AWAY:
            return Unavailable("people_unavailable", f"The list of people cannot be used: {words(error)}.")
        case Trouble.DAMAGED:
            return Refusal(
                "people_damaged",
                f"The list of people is damaged ({words(error)}); restore it from a copy.",
                Kind.INVALID,
            )
