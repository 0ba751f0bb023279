"""The codes that were typed of late: how many more an address may try, and when guessing ends every code."""

from __future__ import annotations

import sqlalchemy as sa

from api.store.database import Database, ago, now
from api.store.games import invitation_of
from api.store.tables import GUESSES, INVITATIONS

MINUTES = 10
"""How long a code can be typed, and so how long a wrong one counts."""
TRIES_PER_MINUTE = 5
WRONG_TRIES = 20
"""After so many wrong ones within the life of a code, every code ends: a guesser has had 20 of 2^30."""

_LOCK = 0x4D454C45


class TriesError(RuntimeError):
    """Too many codes tried from one address."""

    retry_after_s = 60


class Guesses:
    """The codes that were typed at the services of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, address: str, code: str) -> bool:
        """Return whether a code opens a game, and count a wrong one.

        Raises:
            TriesError: if too many wrong ones came from this address within a minute; then the code is not looked at.
        """
        with self._database.writing() as connection:
            # One after the other, at whichever service they come in: of many sent at once each counts those before.
            self._database.queue(connection, _LOCK)
            _forget(connection)
            of_late = (GUESSES.c.address == address) & (GUESSES.c.at > ago(60))
            if _count(connection, of_late) >= TRIES_PER_MINUTE:
                raise TriesError("Too many codes were tried; wait a minute, then type it again.")
            if connection.execute(invitation_of(code=code)).first():
                return True
            connection.execute(GUESSES.insert().values(address=address, at=now(), counts=1))
            if _count(connection, GUESSES.c.counts == 1) >= WRONG_TRIES:
                connection.execute(INVITATIONS.update().values(code=None))
                connection.execute(GUESSES.update().values(counts=0))
            return False

    def forget(self) -> None:
        """Drop what counts no more; it holds addresses."""
        with self._database.writing() as connection:
            _forget(connection)


def _forget(connection: sa.Connection) -> None:
    connection.execute(GUESSES.delete().where(GUESSES.c.at <= ago(60 * MINUTES)))


def _count(connection: sa.Connection, which: sa.ColumnElement[bool]) -> int:
    return connection.execute(sa.select(sa.func.count()).select_from(GUESSES).where(which)).scalar_one()
