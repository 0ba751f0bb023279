"""PostgreSQL dumped and restored with its own programs, as docs/operating.md says: no game, entry or deck is lost."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest

from api.app import create_app
from api.settings import Settings
from api.store.decks import Decks
from tests import postgres
from tests.api.conftest import NoScanner, Phone


@pytest.fixture
def programs() -> Path:
    """The folder of ``pg_dump`` and ``pg_restore``."""
    folder = postgres.programs()
    if folder is None or not (folder / "pg_dump").is_file():
        pytest.skip("pg_dump is not installed here (on Debian: apt-get install postgresql)")
    return folder


def service(url: str) -> Any:
    return create_app(Settings(database_url=url, canary_minutes=0), NoScanner())


def test_a_dump_brings_every_game_back(postgres_server: postgres.Server, programs: Path, tmp_path: Path) -> None:
    before = postgres_server.new_database()
    app = service(before)
    ana = Phone(app)
    game = ana.start()
    ana.hand(game, 1, "Ana", "")
    ana.hand(game, 1, "Ben", "9C KD")
    wrong = ana.hand(game, 1, "Cy", "3S")
    assert ana.record(game, "hand_corrected", of=wrong["number"], cards="3S JK").status_code == 201
    other = ana.start(rules="liverpool")
    told = {each: ana.get(f"/api/games/{each}/export.json").json() for each in (game, other)}

    Decks(app.state.database).put("ours", b"what was learnt of it", None)

    file = tmp_path / "meldsight.dump"
    run(programs, "pg_dump", "--format=custom", "--no-owner", f"--schema={schema(before)}", f"--file={file}", before)
    # What comes after the dump is not in it.
    ana.next_round(game, 2)
    with psycopg.connect(before, autocommit=True) as connection:
        connection.execute("CREATE DATABASE restored")
    after = before.replace("/postgres?", "/restored?")
    run(programs, "pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", f"--dbname={after}", file)
    app.state.database.close()

    restored = service(after)
    again = Phone(restored)
    again.http.cookies = ana.http.cookies
    assert {each: again.get(f"/api/games/{each}/export.json").json() for each in told} == told
    assert again.board(game)["totals"] == {"Ana": 0, "Ben": 20, "Cy": 55}
    assert Decks(restored.state.database).content("ours") == b"what was learnt of it"
    # It is a database to go on with, not only to look at.
    again.next_round(game, 2)
    again.hand(game, 2, "Ana", "4D")
    assert again.board(game)["totals"]["Ana"] == 5
    assert again.get("/readyz").status_code == 200
    restored.state.database.close()


def schema(url: str) -> str:
    return url.rsplit("%3D", 1)[1]


def run(programs: Path, program: str, *arguments: object) -> None:
    command = [str(programs / program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | {"LC_ALL": "C"})
    assert done.returncode == 0, done.stderr
