"""What the processes of one database tell each other: PostgreSQL's NOTIFY, heard on a connection of its own.

A notice only says that something is new; what it is stands in the database. So a notice may be lost without harm: after
every break all is taken as changed. It goes out after the commit, in a transaction of its own that waits for no disk:
inside the entry's it would make all commits of the database wait for each other's flush.

A file of SQLite has one service, which has nobody to tell.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Collection
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from api.store.database import Database

if TYPE_CHECKING:
    import psycopg

CHANNEL = "meldsight"
AGAIN_S = 1
"""How long after a break the next connection is tried, in seconds."""
LOOK_S = 0.5
"""How often the listening thread looks whether it is to end, in seconds."""

_ALIVE = {"connect_timeout": 5, "keepalives_idle": 5, "keepalives_interval": 5, "keepalives_count": 2}
"""A database that has gone without a word is noticed within 15 seconds."""

_log = logging.getLogger("meldsight")


class Notices:
    """The notices of one database, as one process sends and hears them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own = secrets.token_hex(8)
        self._hearers: list[tuple[Collection[str], Callable[[str, str], None], Callable[[], None]]] = []
        self._ended = Event()
        self._thread: Thread | None = None

    def subscribe(
        self, topics: Collection[str], hear: Callable[[str, str], None], catch_up: Callable[[], None]
    ) -> None:
        """Hear what other processes tell, from another thread.

        Args:
            topics: what to hear of.
            hear: is given the topic and the id of what has changed.
            catch_up: is called when anything may have changed unheard: at the start, and after each break.
        """
        self._hearers.append((topics, hear, catch_up))

    def send(self, topic: str, about: str) -> None:
        """Tell the other processes that something has changed; called after it is committed.

        Args:
            topic: a word.
            about: the id of what has changed.
        """
        if self._database.is_sqlite:
            return
        try:
            with self._database.engine.begin() as connection:
                connection.execute(sa.text("SET LOCAL synchronous_commit = off"))
                connection.execute(sa.select(sa.func.pg_notify(CHANNEL, f"{self._own} {topic} {about}")))
        except SQLAlchemyError as error:
            # It is on record all the same; whoever listens at another process sees it at the next sign of life.
            said = " ".join(str(getattr(error, "orig", error)).split())
            _log.warning("The other services could not be told of a change: %s", said)

    def start(self) -> None:
        """Begin to hear, where there may be others."""
        if not self._database.is_sqlite:
            self._thread = Thread(target=self._listen, name="meldsight-notices", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Hear no more."""
        self._ended.set()
        if self._thread:
            self._thread.join()

    def _listen(self) -> None:
        from psycopg import Error

        is_told = False
        while not self._ended.is_set():
            try:
                with self._connected() as connection:
                    is_told = False
                    self._hear(connection)
            except Error as error:
                if not is_told:
                    _log.warning("The notices of the database are cut off: %s", " ".join(str(error).split()))
                is_told = True
                self._ended.wait(AGAIN_S)

    def _connected(self) -> psycopg.Connection[Any]:
        import psycopg

        engine = self._database.engine
        arguments, options = engine.dialect.create_connect_args(engine.url)
        return psycopg.connect(*arguments, **{**_ALIVE, **options}, autocommit=True)

    def _hear(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute(f"LISTEN {CHANNEL}")
        # Only now nothing can be missed any more.
        for _, _, catch_up in self._hearers:
            catch_up()
        while not self._ended.is_set():
            for notice in connection.notifies(timeout=LOOK_S):
                sender, _, said = notice.payload.partition(" ")
                topic, _, about = said.partition(" ")
                if sender == self._own:
                    continue
                for topics, hear, _ in self._hearers:
                    if topic in topics:
                        hear(topic, about)
