"""What tests of the service share: the command line, a database of each kind, phones that ask, games on the table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api import cli
from api.app import create_app
from api.settings import Settings
from tests import postgres
from vision.scene import Scene

BASE = "http://127.0.0.1:8000"
_keys = count(1)


class NoScanner:
    """Sees no cards."""

    def scan(self, photo: Any, **_: int) -> Scene:
        return Scene(photo.size_wh)


class Phone:
    """A device that has joined, and what it asks."""

    def __init__(self, app: Any, **joining: str) -> None:
        self.http = TestClient(app, BASE, raise_server_exceptions=False)
        self.joined = self.http.post("/api/join", json=joining)

    def get(self, path: str) -> Any:
        return self.http.get(path)

    def start(self, rules: str = "shanghai", players: tuple[str, ...] = ("Ana", "Ben", "Cy"), **more: Any) -> str:
        """Start a game; returns its id."""
        answer = self.http.post(
            "/api/games",
            json={"rules": rules, "players": list(players), **more},
            headers={"Idempotency-Key": new_key()},
        )
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def board(self, game: str) -> Any:
        answer = self.get(f"/api/games/{game}")
        assert answer.status_code == 200, answer.text
        assert answer.headers["etag"] == f'"{answer.json()["revision"]}"'
        return answer.json()

    def record(
        self, game: str, kind: str, *, seen: int | None = None, key: str | None = None, query: str = "", **event: Any
    ) -> Any:
        """Send one event; without ``seen`` as a phone that shows the newest state."""
        if seen is None:
            seen = self.board(game)["revision"]
        headers = {"Idempotency-Key": key or new_key(), "If-Match": f'"{seen}"'}
        return self.http.post(f"/api/games/{game}/events{query}", json={"kind": kind, **event}, headers=headers)

    def hand(self, game: str, round: int, player: str, cards: str, **more: Any) -> Any:
        """Record a hand that must be taken."""
        answer = self.record(game, "hand_scored", round=round, player=player, cards=cards, **more)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def next_round(self, game: str, round: int) -> None:
        answer = self.record(game, "round_started", round=round)
        assert answer.status_code == 201, answer.text


def new_key() -> str:
    """A key that no request has had."""
    return f"test-key-{next(_keys):08}"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    if postgres.programs() is None:
        pytest.skip(postgres.MISSING)
    server = postgres.Server()
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'games.sqlite'}"
    return str(request.getfixturevalue("postgres_server").new_database())


@pytest.fixture
def app(url: str) -> Iterator[Any]:
    """A service that everybody may join."""
    made = create_app(Settings(database_url=url), NoScanner())
    yield made
    made.state.database.close()


@pytest.fixture
def phone(app: Any) -> Callable[..., Phone]:
    """Makes phones that have joined."""
    return lambda **joining: Phone(app, **joining)


@pytest.fixture
def ana(phone: Callable[..., Phone]) -> Phone:
    return phone(name="Ana's phone")


@pytest.fixture
def ben(phone: Callable[..., Phone]) -> Phone:
    return phone(name="Ben's phone")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run ``meldsight`` with a scanner that knows the scene; returns status, output and errors."""

    def command(*arguments: str, scanner: Any = None) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["meldsight", *arguments])
        monkeypatch.setattr(cli, "_scanner", lambda: scanner)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, out, err

    return command
