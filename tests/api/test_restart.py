"""Services behind nginx are restarted one after the other while phones record and listen."""

from __future__ import annotations

import http.client
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.serving import Phone, Service, free_port
from tests import nginx

PLAYERS = ("Ana", "Ben", "Cy")
LEAST = 10
"""What each phone records at least."""
DEADLINE_S = 120


class Recorder(threading.Thread):
    """A phone that records bonuses of 1, 2, 3… points for its player, each until it is acknowledged."""

    def __init__(self, phone: Phone, game: str, player: str, revision: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.phone, self.game, self.player, self.revision, self.stop = phone, game, player, revision, stop
        self.acknowledged: dict[int, int] = {}
        """Number of the entry, by its points."""
        self.refused: list[Any] = []
        self.sent = 0

    def run(self) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline and not (self.stop.is_set() and len(self.acknowledged) >= LEAST):
            points = len(self.acknowledged) + 1
            self.sent += 1
            try:
                status, answer = self.phone.ask(
                    "POST",
                    f"/api/games/{self.game}/events",
                    {"kind": "bonus_given", "round": 1, "player": self.player, "points": points, "reason": "test"},
                    Idempotency_Key=f"{self.player}-bonus-{points}",
                    If_Match=f'"{self.revision}"',
                )
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
                continue
            if status == 201:
                self.acknowledged[points] = answer["number"]
                self.revision = answer["revision"]
                time.sleep(0.02)
            elif status == 503:
                time.sleep(0.1)
            else:
                self.refused.append((status, answer))
                return


class Watcher(threading.Thread):
    """A phone that listens, and connects again with what it heard last, as EventSource does."""

    def __init__(self, phone: Phone, game: str, first: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.phone, self.game, self.last, self.stop = phone, game, first, stop
        self.heard: list[int] = []
        self.connections = 0

    def run(self) -> None:
        while not self.stop.is_set():
            try:
                for kind, data, number in self.phone.listen(f"/api/games/{self.game}/live", self.last, self.stop):
                    if kind == "entry":
                        self.heard.append(data["number"])
                    self.last = self.last if number is None else number
                self.connections += 1
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)


@pytest.fixture
def services(postgres_server: Any, tmp_path: Path) -> Iterator[list[Service]]:
    """Two services on one PostgreSQL, in processes of their own."""
    url = postgres_server.new_database()
    made = [Service(url, tmp_path) for _ in range(2)]
    for service in made:
        service.start()
    yield made
    for service in made:
        service.stop()


@pytest.fixture
def proxy(services: list[Service], tmp_path: Path) -> Iterator[int]:
    """The port of nginx in front of the services."""
    if nginx.program() is None:
        pytest.skip(nginx.MISSING)
    port = free_port()
    folder = tmp_path / "nginx"
    folder.mkdir()
    running = nginx.Proxy(folder, port, [service.port for service in services])
    yield port
    running.stop()


def test_nothing_is_lost_or_doubled_while_services_restart(services: list[Service], proxy: int) -> None:
    phones = [Phone(proxy, f"{player}'s phone") for player in PLAYERS]
    status, game = phones[0].insist(
        "POST", "/api/games", {"rules": "shanghai", "players": list(PLAYERS)}, Idempotency_Key="start-the-game"
    )
    assert status == 201, game
    first = game["revision"]
    _, invitation = phones[0].insist("POST", f"/api/games/{game['id']}/invite", {})
    for phone in phones[1:]:
        assert phone.insist("POST", "/api/join", {"code": invitation["code"]})[0] == 200

    done, over = threading.Event(), threading.Event()
    recorders = [
        Recorder(phone, game["id"], player, first, done) for phone, player in zip(phones, PLAYERS, strict=True)
    ]
    # Each by one connection for what it records and another for what it hears.
    watchers = [Watcher(Phone(proxy, "", cookie=phone.cookie), game["id"], first, over) for phone in phones]
    for thread in (*recorders, *watchers):
        thread.start()
    for service in services:
        before = sum(len(recorder.acknowledged) for recorder in recorders)
        service.stop()
        deadline = time.monotonic() + DEADLINE_S
        while sum(len(recorder.acknowledged) for recorder in recorders) < before + 2 * len(PLAYERS):
            assert time.monotonic() < deadline, "with one of two services away, nothing was recorded"
            assert not any(recorder.refused for recorder in recorders)
            time.sleep(0.02)
        service.start()
    done.set()
    for recorder in recorders:
        recorder.join(DEADLINE_S)
    assert [recorder.refused for recorder in recorders] == [[]] * len(PLAYERS)

    _, told = phones[0].insist("GET", f"/api/games/{game['id']}/events")
    entries = [line for line in told["entries"] if line["event"]["kind"] == "bonus_given"]
    on_record = Counter((line["event"]["player"], line["event"]["points"], line["number"]) for line in entries)
    acknowledged = Counter(
        (recorder.player, points, number) for recorder in recorders for points, number in recorder.acknowledged.items()
    )
    assert on_record == acknowledged, "each once, and nothing else"

    revision = told["revision"]
    deadline = time.monotonic() + DEADLINE_S
    while any(len(watcher.heard) < revision - first for watcher in watchers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [watcher.heard for watcher in watchers] == [list(range(first, revision))] * len(PLAYERS)
    assert sum(watcher.connections for watcher in watchers) >= len(PLAYERS), "live connections were ended and made anew"
    over.set()
    for phone in phones:
        phone.close()


def test_the_first_of_several_that_is_away_is_not_seen_by_who_asks(services: list[Service], proxy: int) -> None:
    phone = Phone(proxy, "Ana's phone")
    services[0].stop()
    statuses = {phone.ask("GET", "/api/me")[0] for _ in range(8)}
    services[1].stop()
    status, answer = phone.ask("GET", "/api/me")
    assert (status, answer["status"]) == (503, 503)
    assert "No service answers just now" in answer["detail"]
    for service in services:
        service.start()
    assert phone.ask("GET", "/api/me")[0] == 200
    assert statuses == {200}
    phone.close()


def test_what_is_too_large_is_refused_in_a_sentence(proxy: int) -> None:
    phone = Phone(proxy, "Ana's phone")
    for path, size in (("/api/games", 64_001), ("/api/scan", 15_000_001)):
        connection = http.client.HTTPConnection("127.0.0.1", proxy, timeout=20)
        connection.putrequest("POST", path)
        for name, value in (("Content-Length", str(size)), ("Cookie", phone.cookie)):
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Content-Type"]) == (413, "application/problem+json")
        assert b"This is too large" in answer.read()
        connection.close()
    phone.close()
