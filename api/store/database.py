"""The database: opening it, keeping its form up to date, transactions that are on disk when they end, copies.

A file of SQLite keeps every acknowledged entry through a power cut: write-ahead log, flushed at each commit
(``synchronous=FULL``). Transactions that write take the write lock at their start, so that they wait for each other
instead of failing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from api.store.tables import FIRST_TABLES, VERSION

BUSY_S = 5
"""How long a transaction waits for another, in seconds."""

_MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION_LOCK = 0x4D454C44
"""Key of PostgreSQL's advisory lock: two programs that start at once migrate one after the other."""
_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, "53100", "58030"})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, "53", "40", "57", "08"})
"""What SQLite (the primary codes) and PostgreSQL (the states, or their classes) say when that is so."""


class StoreError(RuntimeError):
    """A database that cannot be used; one sentence says why."""


class StoreFullError(StoreError):
    """What was sent could not be written; nothing of it is kept."""


class StoreBusyError(StoreError):
    """The database does not answer just now; nothing of what was sent is kept."""

    retry_after_s = 2


def now() -> str:
    """Return the time as the database writes times."""
    return ago(0)


def ago(seconds: int) -> str:
    """Return the time so many seconds before now, as the database writes times: later ones sort behind."""
    return (datetime.now(UTC) - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Database:
    """One database, in the form that this program needs.

    Args:
        url: ``sqlite:///path`` or ``postgresql://…``.

    Raises:
        StoreError: if it cannot be opened, or a newer program has made it.
    """

    def __init__(self, url: str) -> None:
        self._url = _read(url)
        self.is_sqlite = self._url.get_backend_name() == "sqlite"
        self.engine = _engine(self._url)
        try:
            if self.is_sqlite:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._bring_up_to_date()
        except OSError as error:
            raise StoreError(f"{self.shown} cannot be opened: {error.strerror}.") from error
        except DBAPIError as error:
            self.engine.dispose()
            raise StoreError(f"{self.shown} cannot be opened: {' '.join(str(error.orig).split())}.") from error
        except StoreError:
            self.engine.dispose()
            raise

    @property
    def path(self) -> Path:
        """The file, where it is one."""
        return Path(self._url.database or "")

    @property
    def shown(self) -> str:
        """The database as messages name it: without a password."""
        return str(self.path) if self.is_sqlite else self._url.render_as_string(hide_password=True)

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()

    def ping(self) -> None:
        """Ask the database for anything that it must have.

        Raises:
            StoreBusyError: if it does not answer.
        """
        try:
            with self.engine.connect() as connection:
                connection.execute(sa.text("SELECT version_num FROM alembic_version")).one()
        except sa.exc.SQLAlchemyError as error:
            raise StoreBusyError("The scores cannot be reached just now.") from error

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a transaction that sees one state of the database and writes nothing."""
        with _told(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Open a transaction that is on disk when it ends, or leaves nothing behind.

        Raises:
            StoreFullError: if there is no room for it.
            StoreBusyError: if the database is not to be had.
        """
        with _told(), self.engine.connect() as connection:
            if self.is_sqlite:
                connection = connection.execution_options(is_writing=True)
            with connection.begin():
                yield connection

    def queue(self, connection: sa.Connection, key: int) -> None:
        """Wait for the transactions that queued by this key before; in SQLite all that write wait anyway."""
        if not self.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy of a SQLite database to a new file, while others may go on writing.

        Raises:
            StoreError: if the copy is not whole.
        """
        copy_file(self.path, target)

    def _bring_up_to_date(self) -> None:
        with self.reading() as connection:
            if _version(connection) == VERSION:
                return
        with self.writing() as connection:
            self.queue(connection, _MIGRATION_LOCK)
            found = _version(connection)
            if found != VERSION:
                self._migrate(connection, found)

    def _migrate(self, connection: sa.Connection, found: str | None) -> None:
        # Alembic takes a while to import, and is needed only here.
        from alembic.migration import MigrationContext
        from alembic.operations import Operations
        from alembic.script import ScriptDirectory

        scripts = ScriptDirectory(str(_MIGRATIONS))
        if found is not None and found not in {script.revision for script in scripts.walk_revisions()}:
            raise StoreError(
                f"{self.shown} was made by a newer version of Meldsight (its form is {found}, and this program knows "
                f"{VERSION}): install that version, or use another database."
            )
        if found is not None:
            self._keep_copy(connection, found)
        context = MigrationContext.configure(connection)
        with Operations.context(context):
            for script in reversed(list(scripts.iterate_revisions("head", found or "base"))):
                script.module.upgrade()
        context.stamp(scripts, "head")

    def _keep_copy(self, connection: sa.Connection, found: str) -> None:
        """Copy everything before a migration touches it: a file next to the file, a schema beside the schema."""
        name = f"before_{VERSION}_{datetime.now(UTC):%Y%m%d%H%M%S%f}"
        if self.is_sqlite:
            copy_file(self.path, self.path.with_name(f"{self.path.stem}-{name}{self.path.suffix}"))
            return
        quote = connection.dialect.identifier_preparer.quote
        connection.execute(sa.text(f"CREATE SCHEMA {quote(name)}"))
        for table in sa.inspect(connection).get_table_names():
            connection.execute(sa.text(f"CREATE TABLE {quote(name)}.{quote(table)} AS TABLE {quote(table)}"))
        connection.execute(sa.text(f"COMMENT ON SCHEMA {quote(name)} IS 'Meldsight in form {found}'"))


def copy_file(source: Path, target: Path) -> None:
    """Write a consistent copy of a SQLite file to a new file, and check it.

    Raises:
        StoreError: if there is something at the target already, or the copy is not whole.
    """
    if target.exists():
        raise StoreError(f"{target} is there already; nothing was written.")
    draft = target.with_name(f".{target.name}.part")
    try:
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(draft)) as new:
            old.backup(new)
            # A copy that somebody carries away has no log beside it.
            new.execute("PRAGMA journal_mode=DELETE")
        check_file(draft)
        draft.rename(target)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{source} could not be copied to {target}: {error}.") from error
    finally:
        draft.unlink(missing_ok=True)


def check_file(path: Path) -> None:
    """Refuse a file that is no whole database of this program.

    Raises:
        StoreError: with a sentence that says what is wrong.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            (found,) = connection.execute("PRAGMA integrity_check").fetchone()
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        raise StoreError(f"{path} is no database of Meldsight: {error}.") from error
    if found != "ok":
        raise StoreError(f"{path} is damaged: {found}.")
    if missing := FIRST_TABLES - tables:
        raise StoreError(f"{path} is no database of Meldsight: it has no {', '.join(sorted(missing))}.")


def file_of(url: str) -> Path | None:
    """Return the file of a database; none where it is a server.

    Raises:
        StoreError: if Meldsight knows no such database.

    >>> file_of("sqlite:///evenings/games.sqlite").as_posix(), file_of("postgresql://host/games")
    ('evenings/games.sqlite', None)
    """
    made = _read(url)
    return Path(made.database or "") if made.get_backend_name() == "sqlite" else None


def _read(url: str) -> sa.URL:
    try:
        made = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise StoreError("The database is given as sqlite:///path or postgresql://user:password@host/name.") from None
    if made.get_backend_name() == "postgresql" and made.drivername == "postgresql":
        made = made.set(drivername="postgresql+psycopg")
    if made.drivername not in ("sqlite", "postgresql+psycopg"):
        raise StoreError(f"{made.drivername} is no database that Meldsight knows: use SQLite or PostgreSQL.")
    return made


def _engine(url: sa.URL) -> sa.Engine:
    if url.get_backend_name() != "sqlite":
        try:
            return sa.create_engine(url, pool_size=20, max_overflow=20, pool_pre_ping=True)
        except ModuleNotFoundError:
            raise StoreError("PostgreSQL needs one more package: pip install 'meldsight[postgres]'.") from None
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_S}, pool_size=20, max_overflow=20)

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        # The driver opens no transaction by itself; begin() below does.
        connection.isolation_level = None
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        is_writing = connection.get_execution_options().get("is_writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")

    return engine


def _version(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


@contextmanager
def _told() -> Iterator[None]:
    """Say in a sentence what keeps the database from writing; other faults are the program's, and pass."""
    try:
        yield
    except DBAPIError as error:
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
        state = getattr(error.orig, "sqlstate", None) or ""
        if _FULL & {code, state}:
            raise StoreFullError(
                "The disk of this computer is full: nothing was recorded. Make room, then send it again."
            ) from error
        if _BUSY & {code, state[:2]} or error.connection_invalidated:
            raise StoreBusyError("The scores cannot be reached just now: nothing was recorded. Try again.") from error
        raise
