"""The database: migrations, versions, copies, and what happens when it cannot write."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from api.app import create_app
from api.settings import Settings
from api.store import database, tables
from api.store.database import Database, StoreError, check_file
from tests.api.conftest import NoScanner, Phone


def test_the_migrations_make_the_tables_that_the_program_uses(url: str) -> None:
    opened = Database(url)
    with opened.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), tables.METADATA) == []
    opened.close()


def test_the_version_is_that_of_the_newest_migration() -> None:
    migrations = Path(database.__file__).parent / "migrations"
    assert ScriptDirectory(str(migrations)).get_current_head() == tables.VERSION


def test_a_sqlite_file_is_written_as_power_cuts_demand(tmp_path: Path) -> None:
    opened = Database(f"sqlite:///{tmp_path / 'games.sqlite'}")
    with opened.writing() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
        assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
        with closing(sqlite3.connect(opened.path, timeout=0)) as other, pytest.raises(sqlite3.OperationalError):
            other.execute("BEGIN IMMEDIATE")
    strict = [row[-1] for row in closing_rows(opened.path, "PRAGMA table_list") if row[1] in tables.METADATA.tables]
    assert strict == [1] * len(tables.METADATA.tables)


def closing_rows(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_a_database_of_a_newer_program_is_refused_and_left_alone(url: str) -> None:
    opened = Database(url)
    with opened.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    opened.close()
    with pytest.raises(StoreError, match=r"newer version .* \(its form is 9999"):
        Database(url)
    if opened.is_sqlite:
        assert closing_rows(opened.path, "SELECT version_num FROM alembic_version") == [("9999",)]


def test_before_a_migration_a_copy_is_made(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Database(url)
    with opened.writing() as connection:
        connection.execute(tables.DEVICES.insert().values(id="d_1", name="Ana's phone", joined="2026"))
    opened.close()
    # As if the next program had one more migration: the found form is known, and not the newest.
    monkeypatch.setattr(database, "VERSION", "0002")
    again = Database(url)
    if again.is_sqlite:
        (copy,) = again.path.parent.glob("games-before_0002_*.sqlite")
        assert closing_rows(copy, "SELECT id FROM devices") == [("d_1",)]
        return
    with again.reading() as connection:
        schemas = [name for name in sa.inspect(connection).get_schema_names() if name.startswith("before_0002_")]
        copied = [connection.execute(sa.text(f"SELECT id FROM {name}.devices")).scalars().all() for name in schemas]
    assert ["d_1"] in copied
    again.close()


def test_programs_that_start_at_once_migrate_once(url: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(Database, [url] * 4))
    with opened[0].reading() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all() == ["0001"]
    for each in opened:
        each.close()


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("mysql://host/games", "SQLite or PostgreSQL"),
        ("nonsense", "is given as"),
        ("sqlite:////proc/x/y.sqlite", "cannot be opened"),
    ],
)
def test_a_database_that_cannot_be_is_said_in_a_sentence(bad: str, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        Database(bad)


def test_a_full_disk_leaves_nothing_half_written(app: Any, ana: Any, request: pytest.FixtureRequest) -> None:
    game = ana.start()
    ana.hand(game, 1, "Ana", "9C")
    stop = fill_disk(app.state.database)
    request.addfinalizer(stop)
    answers = []
    for number in range(200):
        answers.append(ana.record(game, "bonus_given", round=1, player="Ben", points=number, reason="x" * 190))
        if answers[-1].status_code != 201:
            break
    refused = answers[-1]
    assert refused.status_code == 507, refused.text
    assert "disk" in refused.json()["detail"]
    assert "nothing was recorded" in refused.json()["detail"]
    taken = len(answers) - 1
    board = ana.board(game)
    assert board["revision"] == 4 + taken
    lines = ana.get(f"/api/games/{game}/events").json()["entries"]
    assert len(lines) == 4 + taken
    stop()
    again = ana.record(game, "bonus_given", round=1, player="Ben", points=1)
    assert again.status_code == 201, again.text


def fill_disk(opened: Database) -> Any:
    """Make a database refuse to grow; returns what makes room again."""
    if opened.is_sqlite:

        def pages(most: int) -> Any:
            return lambda connection: connection.exec_driver_sql(f"PRAGMA max_page_count = {most}")

        full, roomy = pages(1), pages(1_000_000)
        sa.event.listen(opened.engine, "begin", full)

        def make_room() -> None:
            if sa.event.contains(opened.engine, "begin", full):
                sa.event.remove(opened.engine, "begin", full)
                sa.event.listen(opened.engine, "begin", roomy)

        return make_room
    with opened.writing() as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$"
        )
        # The last write of an entry fails, after the others were made.
        connection.exec_driver_sql(
            "CREATE TRIGGER full_disk BEFORE INSERT ON answers FOR EACH ROW EXECUTE FUNCTION full_disk()"
        )

    def drop() -> None:
        with opened.writing() as connection:
            connection.exec_driver_sql("DROP TRIGGER IF EXISTS full_disk ON answers")

    return drop


def test_a_copy_made_while_others_write_is_whole(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'games.sqlite'}"
    opened = Database(url)
    ana = Phone(create_app(Settings(database_url=url), NoScanner()))
    game = ana.start()
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(
            lambda: [ana.record(game, "bonus_given", round=1, player="Ben", points=1) for _ in range(10)]
        )
        opened.copy_to(tmp_path / "copy.sqlite")
        assert all(answer.status_code == 201 for answer in writing.result())
    check_file(tmp_path / "copy.sqlite")
    ((revision, events),) = closing_rows(
        tmp_path / "copy.sqlite", "SELECT revision, (SELECT count(*) FROM events) FROM games"
    )
    assert revision == events
    with pytest.raises(StoreError, match="there already"):
        opened.copy_to(tmp_path / "copy.sqlite")


def test_a_file_that_is_no_whole_database_is_said_to_be_none(tmp_path: Path) -> None:
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0" + bytes(4000))
    with pytest.raises(StoreError, match=r"no database|damaged"):
        check_file(broken)
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as connection:
        connection.execute("CREATE TABLE games (id TEXT)")
    with pytest.raises(StoreError, match="it has no"):
        check_file(tmp_path / "other.sqlite")
