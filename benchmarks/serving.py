"""A service in a process of its own, which benchmarks kill or fill, and a phone that asks it."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import resource
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import uvicorn
from numpy.typing import NDArray
from pydantic import SecretStr

from api import door, service
from api.app import app_with, create_app
from api.scans import Workers
from api.settings import Settings
from engine.cards import Card
from vision.deck import LearntDeck, Lesson, learn
from vision.limits import Limits
from vision.photo import Photo
from vision.reader import CLASSES, DeckError, Reader
from vision.scene import Scene

# Forked from a process that has imported everything, a service starts in a moment.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["api.app", "uvicorn", "psycopg", "sqlalchemy.dialects.sqlite"])


class NoScanner:
    """Sees no cards: photos are not what is tried here."""

    def scan(self, photo: Photo, limits: Limits = Limits(), deck: LearntDeck | None = None) -> Scene:  # noqa: ARG002
        """Return an empty scene."""
        return Scene(photo.size_wh)

    def survey(self, photo: Photo) -> Scene:
        """Return an empty scene."""
        return Scene(photo.size_wh)

    def lesson(self, photo: Photo, names: Sequence[Card | None]) -> Lesson:  # noqa: ARG002
        """Return nothing to be learnt, or refuse names, as there are no places."""
        if names:
            raise DeckError(f"{len(names)} cards are named, but 0 places were found.")
        return Lesson.none()

    def learn(self, name: str, lesson: Lesson) -> LearntDeck:
        """Return a deck of which nothing was learnt."""
        return learn(name, lesson, Reader(self, 1.0))

    def deck(self, path: Path) -> LearntDeck:
        """Refuse a deck, since none is learnt."""
        raise DeckError(f"The deck {path.stem!r} is not learnt yet.")

    def run(self, pictures: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """As a graph: say nothing of any crop."""
        return [np.zeros((len(pictures), CLASSES), np.float32)]


def serve(
    url: str, data: Path, port: int, most_bytes: int, is_patient: bool, workers: int, detector: str | None
) -> None:
    """Serve until killed; see ``Service.start``."""
    if is_patient:
        door.REQUESTS_AT_ONCE = 1_000_000
    if most_bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, resource.RLIM_INFINITY))
    # Without workers nothing is read, and no test picture right.
    settings = Settings(database_url=SecretStr(url), data=data, **({} if workers else {"canary_minutes": 0}))
    if workers:
        reader = Workers(workers, detector)
        reader.wait()
        app = app_with(settings, reader)
    else:
        app = create_app(settings, NoScanner())
    config = uvicorn.Config(
        app, port=port, log_level="critical", access_log=False, timeout_graceful_shutdown=service.GOODBYE_S
    )
    service.Server(config, app.state.live).run()


KEPT_S = 3
"""How long a phone takes an idle connection to be open, in seconds."""


def free_port() -> int:
    """Return a port of this computer that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def named(start: bytes) -> list[int]:
    """Return the ids of the processes whose command line begins so."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if entry.read_bytes().startswith(start):
                found.append(int(entry.parent.name))
        except OSError:
            continue  # it has ended meanwhile
    return found


class Service:
    """A service on loopback.

    Args:
        url: its database.
        data: its folder.
        detector: address of the detector tier that its workers ask, if they do.
    """

    def __init__(self, url: str, data: Path, detector: str | None = None) -> None:
        self._detector = detector
        self.port = free_port()
        self._url = url
        self._data = data

    def start(self, most_bytes: int = 0, *, is_patient: bool = False, workers: int = 0) -> None:
        """Start it, and wait until it answers.

        Args:
            most_bytes: the largest file that it may write; 0 for no limit.
            is_patient: whether one device may ask as often as it likes.
            workers: processes that read photos; 0 for a service that sees no cards.
        """
        arguments = (self._url, self._data, self.port, most_bytes, is_patient, workers, self._detector)
        self._process = _CONTEXT.Process(target=serve, args=arguments, daemon=not workers)
        self._process.start()
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if not self._process.is_alive():
                raise RuntimeError("The service has ended by itself.")
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("The service did not start within two minutes.")

    @property
    def pids(self) -> list[int]:
        """The service's process, and its workers'."""
        own = int(self._process.pid or 0)
        children = Path(f"/proc/{own}/task/{own}/children").read_text(encoding="ascii").split()
        return [own, *map(int, children)]

    def stop(self) -> None:
        """End it as a restart does: SIGTERM, and what it is answering is finished."""
        self._process.terminate()
        self._process.join()

    def kill(self) -> None:
        """End it as a power cut would: SIGKILL, whatever it is doing."""
        self._process.kill()
        self._process.join()


class Phone:
    """A device that has joined an open service."""

    def __init__(self, port: int, name: str, timeout_s: float = 10, cookie: str = "") -> None:
        self._port = port
        self._timeout_s = timeout_s
        self._connection: http.client.HTTPConnection | None = None
        self._used = 0.0
        self.cookie = cookie
        if not cookie:
            _, _, headers = self._exchange("POST", "/api/join", {"name": name}, {})
            self.cookie = headers["Set-Cookie"].split(";")[0]

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Return the status and the JSON of an answer.

        Raises:
            OSError: if there is none.
            http.client.HTTPException: if it is cut short.
        """
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        status, data, _ = self._exchange(method, path, body, {"Cookie": self.cookie, **named})
        return status, json.loads(data) if data else None

    def insist(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Return the answer as ``ask`` does; where a connection is gone, ask again on another."""
        deadline = time.monotonic() + 30
        while True:
            try:
                return self.ask(method, path, body, **headers)
            except (OSError, http.client.HTTPException):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def listen(self, path: str, last: int, stop: Event) -> Iterator[tuple[str, Any, int | None]]:
        """Yield kind, data and number of what a live connection tells, until it ends, or at the next sign of life after
        it is told to stop.

        Raises:
            OSError: if it is cut.
            http.client.HTTPException: if it is refused.
        """
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._timeout_s)) as connection:
            connection.request("GET", path, headers={"Cookie": self.cookie, "Last-Event-ID": str(last)})
            with closing(connection.getresponse()) as answer:
                if answer.status != HTTPStatus.OK:
                    raise http.client.HTTPException(f"{answer.status} to a listener")
                told: dict[str, str] = {}
                while not stop.is_set():
                    line = answer.readline().decode()
                    if not line:
                        return
                    name, _, value = line.rstrip("\n").partition(": ")
                    if name:
                        told[name] = value
                    elif "event" in told:
                        yield told["event"], json.loads(told["data"]), int(told["id"]) if "id" in told else None
                        told = {}

    def close(self) -> None:
        """Let go of the connection; the next request takes another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _exchange(
        self, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        if time.monotonic() - self._used > KEPT_S:
            # The service closes what is idle for longer, and a browser would notice.
            self.close()
        self._used = time.monotonic()
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._timeout_s)
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        kind = {} if isinstance(body, bytes | None) else {"Content-Type": "application/json"}
        try:
            self._connection.request(method, path, sent, {**kind, **headers})
            answer = self._connection.getresponse()
            return answer.status, answer.read(), answer.headers
        except (OSError, http.client.HTTPException):
            self.close()
            raise
