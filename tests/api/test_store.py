"""The database: migrations, versions, copies, and what happens when it cannot write."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
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
from api.store.database import Database, StoreError, check_file, copy_file
from tests.api.conftest import NoScanner, Phone

ROOT = Path(__file__).parents[2]


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


LATER_TABLES = {"0001": ("guesses", "decks"), "0002": ("decks",)}
"""What each earlier form does not have."""


def earlier_form(url: str, form: str = "0001") -> None:
    """Make a database in an earlier form, with one device."""
    opened = Database(url)
    with opened.writing() as connection:
        connection.execute(tables.DEVICES.insert().values(id="d_1", name="Ana's phone", joined="2026"))
        for table in LATER_TABLES[form]:
            connection.execute(sa.text(f"DROP TABLE {table}"))
        connection.execute(sa.text(f"UPDATE alembic_version SET version_num = '{form}'"))
    opened.close()


def copies(opened: Database) -> list[Any]:
    """The devices in each copy that was made before a migration."""
    if opened.is_sqlite:
        files = opened.path.parent.glob(f"games-before_{tables.VERSION}_*.sqlite")
        return [[name for (name,) in closing_rows(copy, "SELECT id FROM devices")] for copy in files]
    with opened.reading() as connection:
        names = [name for name in sa.inspect(connection).get_schema_names() if name.startswith("before_")]
        return [connection.execute(sa.text(f"SELECT id FROM {name}.devices")).scalars().all() for name in names]


@pytest.mark.parametrize("form", LATER_TABLES)
def test_before_a_migration_a_copy_is_made(url: str, form: str) -> None:
    earlier_form(url, form)
    again = Database(url)
    assert ["d_1"] in copies(again)
    with again.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), tables.METADATA) == []
        assert connection.execute(sa.text("SELECT id FROM devices")).scalars().all() == ["d_1"]
    again.close()


@pytest.mark.parametrize("form", LATER_TABLES)
def test_a_copy_in_an_earlier_form_can_be_brought_back(tmp_path: Path, form: str) -> None:
    earlier_form(f"sqlite:///{tmp_path / 'games.sqlite'}", form)
    copy_file(tmp_path / "games.sqlite", tmp_path / "copy.sqlite")
    check_file(tmp_path / "copy.sqlite")
    Database(f"sqlite:///{tmp_path / 'copy.sqlite'}").close()
    assert closing_rows(tmp_path / "copy.sqlite", "SELECT version_num FROM alembic_version") == [(tables.VERSION,)]


OPEN = """
import sys
from api.store.database import Database
import alembic.migration, alembic.operations, alembic.script
print("ready", flush=True)
sys.stdin.readline()
Database(sys.argv[1]).close()
"""


@pytest.mark.parametrize("found", ["nothing", "the first form"])
def test_processes_that_start_at_once_migrate_once(url: str, found: str) -> None:
    """Were the steps taken twice, the second would find the tables there already and fail."""
    if found == "the first form":
        earlier_form(url)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, url],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    ended = [(*process.communicate(timeout=60), process.returncode) for process in processes]
    assert ended == [("", "", 0)] * 2
    opened = Database(url)
    with opened.reading() as connection:
        versions = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all()
        assert versions == [tables.VERSION]
        assert compare_metadata(MigrationContext.configure(connection), tables.METADATA) == []
    opened.close()


def shapes(opened: Database) -> dict[str, Any]:
    """Of each table its columns and keys."""
    found = sa.inspect(opened.engine)
    return {
        name: repr((found.get_columns(name), found.get_foreign_keys(name), found.get_unique_constraints(name)))
        for name in found.get_table_names()
    }


@pytest.mark.parametrize("form", LATER_TABLES)
def test_a_migration_leaves_the_tables_alone_that_services_of_an_earlier_form_use(url: str, form: str) -> None:
    opened = Database(url)
    earlier_form(url, form)
    before = shapes(opened)
    assert not set(LATER_TABLES[form]) & set(before)
    Database(url).close()
    after = shapes(opened)
    assert set(LATER_TABLES[form]) == set(after) - set(before)
    assert {name: after[name] for name in before} == before
    opened.close()


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
