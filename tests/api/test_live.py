"""Live connections: every change is told, also to a phone that was away, and a dead connection is noticed."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest
import uvicorn

from api.routes import games

Message = tuple[str, Any, int | None]
"""Kind, data and number."""


class Hearing:
    """An open live connection, read line by line."""

    def __init__(self, port: int, phone: Any, game: str, last: int | None = None) -> None:
        self.connection = HTTPConnection("127.0.0.1", port, timeout=10)
        cookie = "; ".join(f"{name}={value}" for name, value in phone.http.cookies.items())
        headers = {"Cookie": cookie} | ({"Last-Event-ID": str(last)} if last is not None else {})
        self.connection.request("GET", f"/api/games/{game}/live", headers=headers)
        self.answer: HTTPResponse = self.connection.getresponse()

    def line(self) -> str:
        return self.answer.readline().decode()

    def next(self) -> Message:
        """The next message; signs of life are passed over."""
        told: dict[str, str] = {}
        while True:
            line = self.line()
            assert line, "the connection ended"
            name, _, value = line.rstrip("\n").partition(": ")
            if not line.strip() and "event" in told:
                return told["event"], json.loads(told["data"]), int(told["id"]) if "id" in told else None
            if name:
                told[name] = value

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


@pytest.fixture
def port(app: Any) -> Iterator[int]:
    """The service on a real socket."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app, log_level="critical", access_log=False, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield int(listener.getsockname()[1])
        server.should_exit = True
        thread.join()


def test_what_one_phone_records_the_others_hear(port: int, ana: Any, ben: Any) -> None:
    game = ana.start()
    code = ana.http.post(f"/api/games/{game}/invite", json={}).json()["code"]
    assert ben.http.post("/api/join", json={"code": code}).status_code == 200
    heard = Hearing(port, ben, game)
    assert heard.answer.headers["content-type"].startswith("text/event-stream")
    shown = ana.board(game)["revision"]
    assert heard.next() == ("board", ben.board(game), shown)
    number = ana.hand(game, 1, "Ana", "9C KD 3S")["number"]
    kind, entry, last = heard.next()
    assert (kind, entry["number"], entry["event"]["cards"], last) == ("entry", number, "9C KD 3S", number + 1)
    assert heard.next() == ("board", ben.board(game), shown + 1)
    heard.close()


def test_a_phone_that_was_away_hears_all_that_it_missed_and_once(port: int, ana: Any) -> None:
    game = ana.start()
    heard = Hearing(port, ana, game)
    *_, last = heard.next()
    heard.close()
    missed = [ana.hand(game, 1, player, cards)["number"] for player, cards in (("Ana", "9C"), ("Ben", "3S"))]
    heard = Hearing(port, ana, game, last)
    assert [heard.next()[1]["number"] for _ in missed] == missed
    assert heard.next()[0] == "board"
    # What it is told next is new: nothing comes twice.
    assert ana.http.put(f"/api/games/{game}/rounds/1/melds/Cy", json={"melds": ["8C 8D 8H"]}).status_code == 204
    kind, board, number = heard.next()
    assert (kind, board["round"]["melds"], number) == ("board", {"Cy": ["8C 8D 8H"]}, board["revision"])
    heard.close()


def test_a_phone_that_joins_or_gets_another_role_is_heard_of(port: int, ana: Any, ben: Any) -> None:
    game = ana.start()
    host = Hearing(port, ana, game)
    host.next()
    code = ana.http.post(f"/api/games/{game}/invite", json={}).json()["code"]
    ben.http.post("/api/join", json={"code": code})
    assert host.next() == ("members", {}, None)
    joined = Hearing(port, ben, game)
    assert joined.next()[1]["role"] == "player"
    device = next(each["device"] for each in ana.get(f"/api/games/{game}/members").json() if each["role"] == "player")
    changed = ana.http.patch(f"/api/games/{game}/members/{device}", json={"role": "viewer"})
    assert changed.status_code == 200
    assert joined.next()[1]["role"] == "viewer"
    assert [joined.next()[0], host.next()[0]] == ["members", "members"]
    for each in (host, joined):
        each.close()


def test_a_phone_of_another_evening_hears_of_the_whole_game(port: int, ana: Any) -> None:
    game = ana.start()
    ana.hand(game, 1, "Ana", "9C")
    heard = Hearing(port, ana, game, 0)
    revision = ana.board(game)["revision"]
    assert [heard.next()[1]["number"] for _ in range(revision)] == list(range(revision))
    heard.close()
    # A number that this game has not reached yet, as after a restored backup: it is told to look again.
    heard = Hearing(port, ana, game, 999)
    assert heard.next() == ("board", ana.board(game), revision)
    heard.close()


def test_a_sign_of_life_tells_that_the_connection_stands(port: int, ana: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "HEARTBEAT_S", 0.05)
    game = ana.start()
    heard = Hearing(port, ana, game)
    heard.next()
    lines = [heard.line() for _ in range(6)]
    assert lines.count(": still here\n") >= 2
    heard.close()


def test_who_is_removed_or_whose_game_is_gone_hears_the_end(port: int, ana: Any, ben: Any) -> None:
    game = ana.start()
    code = ana.http.post(f"/api/games/{game}/invite", json={}).json()["code"]
    ben.http.post("/api/join", json={"code": code})
    first, second = Hearing(port, ben, game), Hearing(port, ana, game)
    first.next(), second.next()
    members = ana.get(f"/api/games/{game}/members").json()
    device = next(member["device"] for member in members if member["role"] != "host")
    assert ana.http.delete(f"/api/games/{game}/members/{device}").status_code == 204
    assert first.next()[0] == "ended"
    assert second.next()[0] == "members"
    assert ana.http.delete(f"/api/games/{game}").status_code == 204
    assert second.next()[0] == "ended"
    assert first.line() == second.line() == "", "and then the connection ends"
    refused = Hearing(port, ben, game)
    assert refused.answer.status == 404
    for each in (first, second, refused):
        each.close()
