"""Every route, walked: none answers a stranger, none shows or changes another's game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api import door, routes
from api.app import create_app
from api.settings import Settings
from tests.api.conftest import BASE, NoScanner, Phone, new_key

SECRET = "correct-horse-battery"

BODIES: dict[tuple[str, str], Any] = {
    ("post", "/api/games/{game}/events"): {"kind": "hand_scored", "round": 1, "player": "Ana", "cards": "9C"},
    ("put", "/api/games/{game}/rounds/{number}/melds/{player}"): {"melds": ["8C 8D 8H"]},
    ("post", "/api/games/{game}/invite"): {"role": "player"},
    ("patch", "/api/games/{game}/members/{device}"): {"role": "viewer"},
}
"""What each route that changes a game takes: a request that would be right from its host."""

BY_GAME = {
    "/api/scan": "?game={game}",
    "/api/scan/frames": "?game={game}",
    "/api/corrections": "?game={game}",
    "/api/rules/{name}": "?game={game}",
}
"""Routes that take a game in the query."""


def operations(app: Any) -> list[tuple[str, str]]:
    """Every method and path that the service answers, from what it says of itself."""
    paths = app.openapi()["paths"]
    return [(method, path) for path, methods in paths.items() for method in methods]


@pytest.fixture
def table(tmp_path: Any) -> tuple[Any, Phone, Phone, str]:
    """A guarded service, its host, another device that has joined it, and the host's game."""
    url = f"sqlite:///{tmp_path / 'games.sqlite'}"
    app = create_app(Settings(database_url=url, join_secret=SECRET), NoScanner())
    ana, mallory = Phone(app, secret=SECRET), Phone(app, secret=SECRET)
    game = ana.start()
    ana.hand(game, 1, "Ben", "9C")
    return app, ana, mallory, game


def filled(path: str, game: str, device: str) -> str:
    for name, value in {"game": game, "number": "1", "player": "Ana", "device": device, "name": "shanghai"}.items():
        path = path.replace("{" + name + "}", value)
    return path


def test_the_walk_meets_every_route_that_is_written(table: Any) -> None:
    """A route that is kept out of the OpenAPI would not be walked."""
    written = [
        line
        for path in Path(routes.__file__).parent.glob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip().startswith("@router.")
    ]
    assert len(operations(table[0])) == len(written) >= 25


def test_no_route_answers_a_stranger(table: Any) -> None:
    app, ana, _, game = table
    device = ana.get("/api/me").json()["device"]
    stranger = TestClient(app, BASE, raise_server_exceptions=False)
    for method, path in operations(app):
        if path in door.OPEN_PATHS | door.PROBE_PATHS:
            continue
        body = BODIES.get((method, path), {})
        answer = stranger.request(method, filled(path, game, device), json=body)
        # Without a token of their own the metrics are there for nobody.
        wanted = 404 if path == door.METRICS_PATH else 401
        assert answer.status_code == wanted, (method, path, answer.text)
        assert "set-cookie" not in answer.headers


def test_no_route_shows_or_changes_anothers_game(table: Any) -> None:
    app, ana, mallory, game = table
    before = ana.get(f"/api/games/{game}/export.json").json()
    members = ana.get(f"/api/games/{game}/members").json()
    device = ana.get("/api/me").json()["device"]
    headers = {"If-Match": f'"{ana.board(game)["revision"]}"'}
    walked = 0
    for method, path in operations(app):
        if "{game}" not in path and path not in BY_GAME:
            continue
        address = filled(path, game, device) + BY_GAME.get(path, "").replace("{game}", game)
        body = BODIES.get((method, path))
        answer = mallory.http.request(method, address, json=body, headers={**headers, "Idempotency-Key": new_key()})
        assert answer.status_code == 404, (method, path, answer.text)
        assert "Ben" not in answer.text
        walked += 1
    for path, body in (
        ("/api/check", {"game": game, "melds": ["8C 8D 8H"]}),
        ("/api/score", {"game": game, "cards": ["9C"]}),
    ):
        assert mallory.http.post(path, json=body).status_code == 404
    assert walked >= 14
    assert mallory.get("/api/games").json() == []
    assert mallory.get("/api/history").json()["games"] == []
    assert ana.get(f"/api/games/{game}/export.json").json() == before
    assert ana.get(f"/api/games/{game}/members").json() == members


def test_every_body_of_the_walk_is_right_from_the_host(table: Any) -> None:
    """The walk proves something only if it is the device that is refused, not the request."""
    _, ana, mallory, game = table
    code = ana.http.post(f"/api/games/{game}/invite", json={}).json()["code"]
    mallory.http.post("/api/join", json={"code": code})
    device = mallory.get("/api/me").json()["device"]
    for (method, path), body in BODIES.items():
        headers = {"Idempotency-Key": new_key(), "If-Match": f'"{ana.board(game)["revision"]}"'}
        answer = ana.http.request(method, filled(path, game, device), json=body, headers=headers)
        assert answer.is_success, (method, path, answer.text)


def test_the_openapi_has_examples(table: Any) -> None:
    written = json.dumps(table[0].openapi())
    assert written.count('"examples"') >= 15


def test_a_device_that_asks_without_end_is_slowed(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from api.limits import Buckets

    _, ana, mallory, _ = table
    monkeypatch.setattr(Buckets, "wait", lambda _, key: 3.2 if key == ana.joined.json()["device"] else 0.0)
    answer = ana.get("/api/games")
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "4"
    assert mallory.get("/api/games").status_code == 200
