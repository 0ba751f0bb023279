"""Several services on one PostgreSQL: a request may reach any of them, and what one does the others know."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import uvicorn
from fastapi.testclient import TestClient

from api.app import create_app
from api.routes import games
from api.settings import Settings
from api.store import devices, notices
from engine.cards import KINDS
from tests.api.conftest import BASE, NoScanner, Phone
from tests.api.test_decks import Teacher, add
from tests.api.test_live import Hearing


@dataclass(frozen=True)
class Replica:
    """One service on a socket."""

    app: Any
    port: int


@contextmanager
def serving(url: str, scanner: Any = None, **settings: Any) -> Iterator[Replica]:
    app = create_app(Settings(database_url=url, **settings), scanner or NoScanner())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app, log_level="critical", access_log=False, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield Replica(app, int(listener.getsockname()[1]))
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def database(postgres_server: Any) -> str:
    return str(postgres_server.new_database())


@pytest.fixture
def two(database: str) -> Iterator[tuple[Replica, Replica]]:
    """Two services that hear each other."""
    with serving(database) as first, serving(database) as second:
        wait_until(lambda: listening(database) >= 2)
        yield first, second


def listening(database: str) -> int:
    """How many connections listen in this database, in this place of it or in others."""
    return len(pids(database))


def pids(database: str) -> list[int]:
    with psycopg.connect(database) as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = %s",
            [f"LISTEN {notices.CHANNEL}"],
        )
        return [pid for (pid,) in rows]


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline, "it did not come to be so within 20 seconds"
        time.sleep(0.02)


def at(replica: Replica, phone: Phone) -> Phone:
    """The same phone, asking another service."""
    other = Phone.__new__(Phone)
    other.http = TestClient(replica.app, BASE, cookies=dict(phone.http.cookies), raise_server_exceptions=False)
    return other


def table(first: Replica, second: Replica) -> tuple[Phone, Phone, str]:
    """A game whose host asks the first service, and a player who asks the second."""
    ana, ben = Phone(first.app, name="Ana's phone"), Phone(second.app, name="Ben's phone")
    game = ana.start()
    code = ana.http.post(f"/api/games/{game}/invite", json={}).json()["code"]
    assert ben.http.post("/api/join", json={"code": code}).json()["game"] == game
    return ana, ben, game


def test_a_phone_hears_what_is_recorded_at_another_service(two: tuple[Replica, Replica]) -> None:
    ana, ben, game = table(*two)
    heard = Hearing(two[1].port, ben, game)
    heard.next()
    number = ana.hand(game, 1, "Ana", "9C KD 3S")["number"]
    kind, entry, _ = heard.next()
    assert (kind, entry["number"], entry["event"]["cards"]) == ("entry", number, "9C KD 3S")
    assert heard.next()[:2] == ("board", ben.board(game))
    assert ana.http.put(f"/api/games/{game}/rounds/1/melds/Cy", json={"melds": ["8C 8D 8H"]}).status_code == 204
    assert heard.next()[1]["round"]["melds"] == {"Cy": ["8C 8D 8H"]}
    device = next(each["device"] for each in ana.get(f"/api/games/{game}/members").json() if not each["me"])
    assert ana.http.patch(f"/api/games/{game}/members/{device}", json={"role": "viewer"}).status_code == 200
    assert heard.next()[1]["role"] == "viewer"
    assert heard.next() == ("members", {}, None)
    # A third phone joins by the first service, with the code that the first has made.
    code = ana.http.post(f"/api/games/{game}/invite", json={}).json()["code"]
    Phone(two[0].app, code=code)
    assert heard.next() == ("members", {}, None)
    assert ana.http.delete(f"/api/games/{game}").status_code == 204
    assert heard.next()[0] == "ended"
    heard.close()


def test_nothing_comes_twice_where_it_was_recorded(two: tuple[Replica, Replica]) -> None:
    ana, ben, game = table(*two)
    heard = Hearing(two[0].port, ana, game)
    heard.next()
    device = next(each["device"] for each in ana.get(f"/api/games/{game}/members").json() if not each["me"])
    for role in ("viewer", "player"):
        assert ana.http.patch(f"/api/games/{game}/members/{device}", json={"role": role}).status_code == 200
        assert heard.next() == ("members", {}, None)
    ben.hand(game, 1, "Ben", "9C")
    assert [heard.next()[0], heard.next()[0]] == ["entry", "board"]
    heard.close()


def test_what_is_recorded_while_the_listening_connection_is_cut_is_heard(
    two: tuple[Replica, Replica], database: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(notices, "AGAIN_S", 0.5)
    ana, ben, game = table(*two)
    heard = Hearing(two[1].port, ben, game)
    heard.next()
    cut = pids(database)
    with psycopg.connect(database, autocommit=True) as connection:
        for pid in cut:
            connection.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    assert not set(cut) & set(pids(database))
    missed = ana.hand(game, 1, "Ana", "9C")["number"]
    # The members may have changed too while nothing was heard. They come first where it is heard again before the hand.
    told = {kind: what for kind, what, _ in (heard.next() for _ in range(3))}
    assert set(told) == {"entry", "board", "members"}
    assert told["entry"]["number"] == missed
    wait_until(lambda: listening(database) >= 2)
    later = ana.hand(game, 1, "Cy", "3S")["number"]
    kind, entry, _ = heard.next()
    assert (kind, entry["number"]) == ("entry", later)
    assert "The notices of the database are cut off" in caplog.text
    heard.close()


def test_a_device_that_is_put_out_at_one_service_is_out_at_the_others_at_once(
    two: tuple[Replica, Replica], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "REMEMBERED_S", 3600)
    here = Phone(two[0].app, name="Ana's phone")
    there = at(two[1], here)
    assert there.get("/api/me").json()["name"] == "Ana's phone"
    assert here.http.patch("/api/me", json={"name": "Ana"}).status_code == 200
    wait_until(lambda: there.get("/api/me").json()["name"] == "Ana")
    assert here.http.delete("/api/me").status_code == 204
    wait_until(lambda: there.get("/api/me").status_code == 401)


def test_a_service_that_cannot_be_told_learns_within_the_time_a_token_is_remembered(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "REMEMBERED_S", 0.2)
    # Neither listens: a service begins to when it serves.
    deaf = [create_app(Settings(database_url=database), NoScanner()) for _ in range(2)]
    here = Phone(deaf[0], name="Ana's phone")
    there = at(Replica(deaf[1], 0), here)
    assert there.get("/api/me").status_code == 200
    assert here.http.delete("/api/me").status_code == 204
    wait_until(lambda: there.get("/api/me").status_code == 401)
    for app in deaf:
        app.state.database.close()


def test_a_key_that_came_to_one_service_is_answered_alike_by_another(two: tuple[Replica, Replica]) -> None:
    ana = Phone(two[0].app, name="Ana's phone")
    game = ana.start()
    seen = ana.board(game)["revision"]
    answers = [
        phone.record(game, "hand_scored", seen=seen, key="one-and-the-same", round=1, player="Ana", cards="9C")
        for phone in (ana, at(two[1], ana), ana)
    ]
    assert [answer.status_code for answer in answers] == [201] * 3
    assert len({answer.text for answer in answers}) == 1
    assert at(two[1], ana).board(game)["revision"] == seen + 1


def test_an_entry_stands_though_the_others_could_not_be_told(
    two: tuple[Replica, Replica], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(games, "HEARTBEAT_S", 0.2)
    ana, ben, game = table(*two)
    heard = Hearing(two[1].port, ben, game)
    heard.next()
    # A longer name than PostgreSQL takes.
    monkeypatch.setattr(notices, "CHANNEL", "x" * 100)
    number = ana.hand(game, 1, "Ana", "9C")["number"]
    assert "could not be told" in caplog.text
    kind, entry, _ = heard.next()
    assert (kind, entry["number"]) == ("entry", number), "and at the next sign of life they hear of it"
    heard.close()


def test_a_deck_that_was_learnt_at_one_service_is_read_with_and_forgotten_at_another(
    database: str, tmp_path: Path, hand: Any
) -> None:
    teachers = Teacher(hand.scene), Teacher(hand.scene)
    folders = tmp_path / "8001", tmp_path / "8002"
    with (
        serving(database, teachers[0], data=folders[0], canary_minutes=0) as first,
        serving(database, teachers[1], data=folders[1], canary_minutes=0) as second,
    ):
        wait_until(lambda: listening(database) >= 2)
        ana = Phone(first.app, name="Ana's phone")
        there = at(second, ana)
        codes = [card.code for card in KINDS[:52]] + ["-", "-"]
        for start in range(0, len(codes), 3):
            # As behind a proxy: one photo here, the next one there.
            phone = there if start % 2 else ana
            answer = add(phone, hand.picture, " ".join(codes[start : start + 3]))
            assert answer.status_code == 200, answer.text
            assert answer.json()["confirmed"] == [code for code in codes[: start + 3] if code != "-"]
        assert ana.get("/api/decks").json() == there.get("/api/decks").json() == [answer.json()]
        for phone in (ana, there):
            assert phone.http.post("/api/scan?deck=ours", content=hand.picture).status_code == 200
        assert [teacher.played for teacher in teachers] == [["ours"], ["ours"]]
        assert all(list(folder.rglob("ours/*.npz")) for folder in folders)
        assert there.http.delete("/api/decks/ours").status_code == 204
        assert ana.get("/api/decks").json() == []
        assert ana.http.post("/api/scan?deck=ours", content=hand.picture).status_code == 404
        # The first is told, and the pictures go there too.
        wait_until(lambda: not any(list(folder.rglob("*.npz")) for folder in folders))
