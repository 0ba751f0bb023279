"""What operators see: whether the service lives and is ready, its metrics, its logs; and what they do not see."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from api import readiness
from api.app import app_with, create_app
from api.errors import UsageError
from api.logs import log_as
from api.readiness import disk_problem
from api.scans import Here, Workers
from api.service import run as serve
from api.settings import Settings
from tests.api.conftest import BASE, NoScanner, Phone, new_key
from vision.scene import Scene

TOKEN = "metrics-token-of-the-test"
SECRET = "correct-horse-battery"


@pytest.fixture
def watched(tmp_path: Path, hand: Any, scanner_of: Any) -> Any:
    """A guarded service with metrics and without a canary."""
    url = f"sqlite:///{tmp_path / 'games.sqlite'}"
    settings = Settings(database_url=url, join_secret=SECRET, metrics_token=TOKEN, canary_minutes=0)
    return create_app(settings, scanner_of(hand.scene))


def stranger(app: Any) -> TestClient:
    return TestClient(app, BASE, raise_server_exceptions=False)


def samples(app: Any) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every series that the service shows, by name and the values of its labels."""
    answer = stranger(app).get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


# Health and readiness ------------------------------------------------------------------------------------


def test_a_stranger_learns_that_it_lives_and_is_ready_and_nothing_else(watched: Any) -> None:
    client = stranger(watched)
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok", "parts": ["database", "workers", "disk"]}
    assert "set-cookie" not in client.get("/readyz").headers


def test_probes_are_slowed_like_everybody(watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from api.limits import Buckets

    monkeypatch.setattr(Buckets, "wait", lambda *_: 1.0)
    for path in ("/healthz", "/readyz", "/metrics"):
        assert stranger(watched).get(path).status_code == 429


def test_a_database_that_is_gone_is_named(app: Any) -> None:
    """On both kinds: the tables are taken away under the service."""
    from sqlalchemy import text

    with app.state.database.writing() as connection:
        connection.execute(text("DROP TABLE alembic_version"))
    answer = stranger(app).get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "10"
    assert answer.json()["failing"]["database"] == "The database of the games does not answer."


def test_a_database_that_hangs_is_named(watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "ANSWER_S", 0.05)
    monkeypatch.setattr("api.store.database.Database.ping", lambda _: time.sleep(1))
    # The service is made anew, since it remembers what it asks.
    app = create_app(Settings(database_url=str(watched.state.database.engine.url), canary_minutes=0), NoScanner())
    answer = stranger(app).get("/readyz")
    assert answer.json()["failing"] == {"database": "The database of the games does not answer."}


def test_a_full_disk_is_named(watched: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert disk_problem(tmp_path) is None
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=49_999_999))
    answer = stranger(watched).get("/readyz")
    assert answer.json()["failing"] == {"disk": "Less than 50 MB are free on the disk of the games."}


def test_a_worker_that_is_down_is_named(tmp_path: Path) -> None:
    workers = Workers(2)
    try:
        url = f"sqlite:///{tmp_path / 'games.sqlite'}"
        app = app_with(Settings(database_url=url, canary_minutes=0), workers)
        assert stranger(app).get("/readyz").status_code == 200
        pid = workers.pids[0]
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + 20
        while (answer := stranger(app).get("/readyz")).status_code == 200:
            assert time.monotonic() < deadline
        assert answer.json()["failing"] == {"workers": "1 of 2 workers that read photos are down."}
    finally:
        workers.stop()


# Metrics -------------------------------------------------------------------------------------------------


def test_metrics_are_for_who_shows_the_token(watched: Any, app: Any) -> None:
    inside = Phone(watched, secret=SECRET)
    for headers in ({}, {"Authorization": "Bearer metrics-token-of-the-tesu"}, {"Authorization": TOKEN}):
        answer = inside.http.get("/metrics", headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert "meldsight_" not in answer.text
    assert samples(watched)
    # Where no token is set there is nothing, not even for a device that has joined.
    assert Phone(app).get("/metrics").status_code == 404
    assert stranger(app).get("/metrics", headers={"Authorization": "Bearer None"}).status_code == 404


def test_a_short_token_is_refused() -> None:
    with pytest.raises(ValueError, match="metrics token must have 16 characters"):
        Settings(metrics_token="secret")


def test_scans_are_counted_by_what_became_of_them(watched: Any, hand: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    phone = Phone(watched, secret=SECRET)
    assert phone.http.post("/api/scan", content=hand.picture).status_code == 200
    assert phone.http.post("/api/scan", content=b"dear sir").status_code == 422
    seen = samples(watched)
    assert seen["meldsight_scans_total", ("read",)] == 1
    assert seen["meldsight_scans_total", ("not_a_photo",)] == 1
    assert seen["meldsight_scans_total", ("failed",)] == 0
    assert seen["meldsight_cards_read_total", ()] == 3
    assert seen["meldsight_scan_stage_seconds_count", ("decode",)] == 1
    assert seen["meldsight_scan_stage_seconds_count", ("wait",)] == 1
    assert seen["meldsight_scans_in_flight", ()] == 0
    assert seen["meldsight_scan_places_free", ()] == 12
    assert seen["meldsight_request_seconds_count", ("POST", "/api/scan", "2xx")] == 1
    assert seen["meldsight_request_seconds_count", ("POST", "/api/scan", "4xx")] == 1

    def broken(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(Here, "read", broken)
    assert phone.http.post("/api/scan", content=hand.picture).status_code == 500
    assert samples(watched)["meldsight_scans_total", ("failed",)] == 1


def test_a_photo_that_finds_no_place_is_counted(tmp_path: Path, hand: Any) -> None:
    class Crowded:
        def scan(self, *_: Any, **__: int) -> Scene:
            turned.append(phone.http.post("/api/scan", content=hand.picture).status_code)
            return Scene((4, 3))

    turned: list[int] = []
    url = f"sqlite:///{tmp_path / 'games.sqlite'}"
    app = create_app(Settings(database_url=url, scan_places=1, metrics_token=TOKEN, canary_minutes=0), Crowded())
    phone = Phone(app)
    assert phone.http.post("/api/scan", content=hand.picture).status_code == 200
    assert turned == [503]
    assert samples(app)["meldsight_scans_total", ("turned_away",)] == 1


def test_doubted_cards_are_counted(tmp_path: Path, doubtful_hand: Any, scanner_of: Any) -> None:
    url = f"sqlite:///{tmp_path / 'games.sqlite'}"
    settings = Settings(database_url=url, metrics_token=TOKEN, canary_minutes=0)
    app = create_app(settings, scanner_of(doubtful_hand.scene))
    assert Phone(app).http.post("/api/scan", content=doubtful_hand.picture).status_code == 200
    seen = samples(app)
    assert (seen["meldsight_cards_read_total", ()], seen["meldsight_cards_doubted_total", ()]) == (5, 1)


def confirmed(app: Any) -> tuple[float, float, float]:
    seen = samples(app)
    return (
        seen["meldsight_hands_confirmed_total", ("as_read",)],
        seen["meldsight_hands_confirmed_total", ("corrected",)],
        seen["meldsight_hands_corrected_later_total", ()],
    )


def test_corrections_are_counted_where_the_service_can_know_of_them(watched: Any) -> None:
    ana = Phone(watched, secret=SECRET)
    game = ana.start()
    ana.hand(game, 1, "Ana", "9C KD", scanned="KD 9C")
    assert confirmed(watched) == (1, 0, 0)
    ben = ana.hand(game, 1, "Ben", "9C 9C", scanned="9C ?")
    assert confirmed(watched) == (1, 1, 0)
    # Tapped in, or typed: no scan, so no word on how well it reads.
    ana.hand(game, 1, "Cy", "")
    assert confirmed(watched) == (1, 1, 0)
    assert ana.record(game, "hand_corrected", of=ben["number"], cards="9C 8C").status_code == 201
    assert confirmed(watched) == (1, 1, 1)
    assert ana.record(game, "hand_corrected", of=ben["number"], cards="9C", scanned="9C").status_code == 201
    assert confirmed(watched) == (2, 1, 1)
    # A reader that sees nothing at all is corrected too.
    assert ana.record(game, "hand_corrected", of=ben["number"], cards="9C", scanned="").status_code == 201
    assert confirmed(watched) == (2, 2, 1)


def test_what_was_scanned_is_not_recorded_and_a_repeated_entry_counts_once(watched: Any) -> None:
    ana = Phone(watched, secret=SECRET)
    game = ana.start()
    key, seen = new_key(), ana.board(game)["revision"]
    for _ in range(2):
        answer = ana.record(game, "hand_scored", key=key, seen=seen, round=1, player="Ana", cards="9C", scanned="9C TD")
        assert answer.status_code == 201
    assert "TD" not in ana.get(f"/api/games/{game}/export.json").text
    assert confirmed(watched) == (0, 1, 0)
    refused = ana.record(game, "hand_scored", round=1, player="Ben", cards="9C", scanned="dear sir")
    assert refused.status_code == 422
    assert confirmed(watched) == (0, 1, 0)


def test_series_name_no_player_no_game_and_no_invented_method(watched: Any) -> None:
    ana = Phone(watched, secret=SECRET)
    game = ana.start(players=("Xanthippe", "Ben", "Cy"))
    ana.http.put(f"/api/games/{game}/rounds/1/melds/Xanthippe", json={"melds": ["8C 8D 8H"]})
    ana.get(f"/{game}")
    ana.http.request("BREW", "/api/games")
    text = stranger(watched).get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    assert "/api/games/{game}/rounds/{number}/melds/{player}" in text
    for private in ("Xanthippe", game, "BREW", ana.joined.json()["device"]):
        assert private not in text


def test_two_services_in_one_process_count_apart(watched: Any, tmp_path: Path, hand: Any, scanner_of: Any) -> None:
    url = f"sqlite:///{tmp_path / 'others.sqlite'}"
    other = create_app(Settings(database_url=url, metrics_token=TOKEN, canary_minutes=0), scanner_of(hand.scene))
    assert Phone(other).http.post("/api/scan", content=hand.picture).status_code == 200
    assert samples(other)["meldsight_scans_total", ("read",)] == 1
    assert samples(watched)["meldsight_scans_total", ("read",)] == 0


# Logs ----------------------------------------------------------------------------------------------------


@pytest.fixture
def lines() -> Iterator[Any]:
    """Logs as JSON; returns a function that gives the lines so far."""
    root, own = logging.getLogger(), logging.getLogger("meldsight")
    before = root.handlers, root.level, own.level
    stream = io.StringIO()
    log_as("json", stream)
    yield lambda: stream.getvalue().splitlines()
    root.handlers, root.level = before[0], before[1]
    own.setLevel(before[2])


def test_each_request_is_one_line(watched: Any, lines: Any) -> None:
    ana = Phone(watched, secret=SECRET)
    ana.get("/api/games?code=K7M2QX")
    ana.get("/app.js")
    stranger(watched).get("/api/games")
    told = [json.loads(line) for line in lines() if '"meldsight.requests"' in line]
    assert [(each["method"], each["route"], each["status"]) for each in told] == [
        ("POST", "/api/join", 200),
        ("GET", "/api/games", 200),
        ("GET", "page", 200),
        ("GET", "door", 401),
    ]
    assert all(set(each) >= {"time", "level", "ms", "device"} for each in told)
    assert [bool(each["device"]) for each in told] == [False, True, True, False]
    assert told[1]["device"] == told[2]["device"] != ana.joined.json()["device"]


def test_nothing_of_the_players_is_written(watched: Any, lines: Any, hand: Any) -> None:
    ana = Phone(watched, secret=SECRET, name="Xanthippe's phone")
    game = ana.start(players=("Xanthippe", "Ben", "Cy"), name="Secret evening")
    ana.hand(game, 1, "Xanthippe", "9C KD", scanned="9C TD")
    invited = ana.http.post(f"/api/games/{game}/invite", json={}).json()
    stranger(watched).post("/api/join", json={"code": invited["code"]})
    stranger(watched).post("/api/join", json={"secret": "wrong-secret-of-somebody"})
    ana.http.post(f"/api/scan?game={game}&player=Xanthippe", content=hand.picture)
    ana.http.post("/api/scan", content=b"dear sir, this is private")
    stranger(watched).get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    written = "\n".join(lines())
    assert written.count("\n") >= 7
    token = ana.http.cookies["meldsight"]
    link = invited["link"].split("=")[-1]
    for private in (
        *(SECRET, TOKEN, token, token[:12], invited["code"], link, "wrong-secret"),
        *(game, "Xanthippe", "evening", "9C", "TD", "private", "dear sir", "player=", "PNG"),
        ana.joined.json()["device"],
    ):
        assert private not in written, private


def test_a_fault_says_where_and_not_what(watched: Any, lines: Any, hand: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the private thing")

    monkeypatch.setattr(Here, "read", broken)
    ana = Phone(watched, secret=SECRET)
    assert ana.http.post("/api/scan", content=hand.picture).status_code == 500
    (fault,) = [json.loads(line) for line in lines() if '"error"' in line]
    assert (fault["message"], fault["error"]) == ("POST /api/scan failed", "RuntimeError")
    assert fault["raised"][-1].startswith("api/test_operating.py:")
    assert "private" not in "\n".join(lines())


def test_json_logs_print_no_secret_so_one_must_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDSIGHT_LOG", "json")
    with pytest.raises(UsageError, match="MELDSIGHT_JOIN_SECRET"):
        serve("0.0.0.0", 0, None)
