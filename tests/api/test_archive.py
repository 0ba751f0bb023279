"""``meldsight games``: listing, exporting, backing up and bringing back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.app import create_app
from api.archive import archive
from api.settings import Settings
from tests.api.conftest import NoScanner, Phone

Run = Callable[..., Any]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MELDSIGHT_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def run(data: Path) -> Run:
    """Runs a command that must succeed, and returns what it prints."""
    data.mkdir()

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(archive, arguments)
        assert result.exception is None, result.exception
        return result.output

    return run


def refusal(*arguments: str) -> str:
    """The sentence with which a command refuses."""
    result = CliRunner().invoke(archive, arguments)
    assert result.exception is not None
    return str(result.exception)


@pytest.fixture
def ana(data: Path) -> Phone:
    return Phone(create_app(Settings(data=data), NoScanner()))


def test_games_are_listed(run: Run, ana: Phone) -> None:
    assert run("list") == "There are no games yet.\n"
    game = ana.start(name="Saturday")
    assert run("list").startswith(f"{game}  ")
    assert "Saturday: round 1 of 7" in run("list")


def test_a_backup_brings_back_what_was_there(run: Run, ana: Phone, data: Path, tmp_path: Path) -> None:
    game = ana.start()
    ana.hand(game, 1, "Ben", "9C KD 3S")
    before = ana.board(game)
    run("backup", str(tmp_path / "copy.sqlite"))
    ana.hand(game, 1, "Cy", "JK")
    ana.start(name="Later")
    printed = run("restore", str(tmp_path / "copy.sqlite"))
    assert printed.startswith("1 games are back. What was there before is kept as")
    again = create_app(Settings(data=data), NoScanner())
    phone = Phone(again)
    phone.http.cookies = ana.http.cookies
    assert phone.board(game) == before
    (aside,) = data.glob("games-before-restore-*.sqlite")
    run("restore", str(aside))
    assert "Later" in run("list")


def test_a_backup_goes_into_its_own_folder_unless_told(run: Run, ana: Phone, data: Path) -> None:
    ana.start()
    run("backup")
    assert len(list((data / "backups").glob("games-*.sqlite"))) == 1


def test_a_file_that_is_no_backup_changes_nothing(run: Run, ana: Phone, tmp_path: Path) -> None:
    game = ana.start()
    (tmp_path / "broken.sqlite").write_bytes(b"nothing")
    assert "no database" in refusal("restore", str(tmp_path / "broken.sqlite"))
    assert "no file" in refusal("restore", str(tmp_path / "missing.sqlite"))
    assert game in run("list")


def test_a_backup_of_a_newer_program_is_refused_and_nothing_is_lost(run: Run, ana: Phone, tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    game = ana.start()
    copy = tmp_path / "copy.sqlite"
    run("backup", str(copy))
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "newer version" in refusal("restore", str(copy))
    assert game in run("list")


def test_an_exported_game_can_be_brought_back_and_taken_over(run: Run, ana: Phone, tmp_path: Path) -> None:
    game = ana.start(name="Saturday")
    ana.hand(game, 1, "Ben", "9C KD 3S")
    before = ana.board(game)
    run("export", "--to", str(tmp_path / "out"))
    file = tmp_path / "out" / f"meldsight-{game}.json"
    assert "in this database already" in refusal("restore", str(file))
    ana.http.delete(f"/api/games/{game}")
    printed = run("restore", str(file))
    assert ana.get(f"/api/games/{game}").status_code == 404
    code = printed.partition("Type ")[2][:6]
    assert ana.http.post("/api/join", json={"code": code}).json()["game"] == game
    assert ana.board(game) == before


def test_a_lost_host_is_replaced(run: Run, ana: Phone, data: Path) -> None:
    game = ana.start()
    other = Phone(create_app(Settings(data=data), NoScanner()))
    code = run("host", game).partition("Type ")[2][:6]
    other.http.post("/api/join", json={"code": code})
    assert other.board(game)["role"] == "host"
    assert "no game" in refusal("host", "nothing")


def test_an_export_that_was_tampered_with_is_refused(run: Run, ana: Phone, tmp_path: Path) -> None:
    game = ana.start()
    run("export", game, "--to", str(tmp_path))
    file = tmp_path / f"meldsight-{game}.json"
    exported = json.loads(file.read_text())
    for change in (
        {"format": 9},
        {"entries": exported["entries"][1:]},
        {"entries": [{"at": "", "by": "", "event": {"kind": "nonsense"}}]},
        {"entries": None},
    ):
        file.write_text(json.dumps(exported | change | {"id": "another"}))
        assert str(file) in refusal("restore", str(file))
    assert "no game" in refusal("export", "nothing")
