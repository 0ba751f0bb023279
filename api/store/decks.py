"""The decks that were learnt, as the services of one database keep them."""

from __future__ import annotations

import hashlib

import sqlalchemy as sa

from api.store.database import Database
from api.store.tables import DECKS

MOST_DECKS = 30
"""Decks that are kept at once."""

_LOCK = 0x4D454C46


class TooManyDecksError(ValueError):
    """One deck more than are kept."""


def digest_of(content: bytes) -> str:
    """Return the hash that a deck is kept under.

    >>> digest_of(b"")[:12]
    'e3b0c44298fc'
    """
    return hashlib.sha256(content).hexdigest()


class Decks:
    """The decks of one database, each as its file holds it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def names(self) -> list[str]:
        """Return the decks' names, in order."""
        with self._database.reading() as connection:
            # Databases differ in how they order letters.
            return sorted(connection.execute(sa.select(DECKS.c.name)).scalars())

    def digest(self, name: str) -> str | None:
        """Return the hash of a deck's content; none if there is no such deck."""
        with self._database.reading() as connection:
            return _digest(connection, name)

    def content(self, name: str) -> bytes | None:
        """Return a deck's content; none if there is no such deck."""
        with self._database.reading() as connection:
            return connection.execute(sa.select(DECKS.c.content).where(DECKS.c.name == name)).scalar_one_or_none()

    def check_room(self, name: str) -> None:
        """Refuse a deck that would be one too many.

        Raises:
            TooManyDecksError: if it would.
        """
        with self._database.reading() as connection:
            if _digest(connection, name) is None:
                _check_room(connection)

    def put(self, name: str, content: bytes, before: str | None) -> bool:
        """Write a deck down, if it is still what it was when somebody set about changing it.

        Args:
            name: the deck.
            content: what it becomes.
            before: the hash of what it was; none where there was no such deck.

        Returns:
            Whether it was written down; it is not where another was quicker.

        Raises:
            TooManyDecksError: if it would be one too many.
        """
        with self._database.writing() as connection:
            # One after the other, at whichever service they come in: so each sees what the one before has written.
            self._database.queue(connection, _LOCK)
            if _digest(connection, name) != before:
                return False
            values = {"digest": digest_of(content), "content": content}
            if before is None:
                _check_room(connection)
                connection.execute(DECKS.insert().values(name=name, **values))
            else:
                connection.execute(DECKS.update().where(DECKS.c.name == name).values(**values))
            return True

    def forget(self, name: str) -> bool:
        """Remove a deck; return whether there was one."""
        with self._database.writing() as connection:
            self._database.queue(connection, _LOCK)
            return connection.execute(DECKS.delete().where(DECKS.c.name == name)).rowcount > 0


def _digest(connection: sa.Connection, name: str) -> str | None:
    return connection.execute(sa.select(DECKS.c.digest).where(DECKS.c.name == name)).scalar_one_or_none()


def _check_room(connection: sa.Connection) -> None:
    if connection.execute(sa.select(sa.func.count()).select_from(DECKS)).scalar_one() >= MOST_DECKS:
        raise TooManyDecksError(f"There are {MOST_DECKS} decks already; forget one first.")
