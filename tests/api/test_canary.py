"""The canary: a reader that goes blind, hangs or fails is found out, and one that is right again is believed."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api import canary
from api.app import app_with
from api.canary import Canary, Picture, load_picture
from api.metrics import Metrics
from api.scans import Here, ReadPhoto, ScanError
from api.settings import Settings
from engine.cards import parse_cards
from tests.api.conftest import BASE
from vision.limits import Limits
from vision.scanner import MODELS, ModelError, Scanner
from vision.scene import Scene

PICTURE = load_picture()


class Moody:
    """A reader that sees what it is told to see."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.error: Exception | None = None
        self.go_on = threading.Event()
        self.go_on.set()
        self.calls = 0

    def read(self, data: bytes, limits: Limits) -> ReadPhoto:
        assert (data, limits) == (PICTURE.data, Limits(packs=2, jokers=4))
        self.calls += 1
        assert self.go_on.wait(60)
        if self.error:
            raise self.error
        return ReadPhoto(self.scene, {})

    def problem(self) -> None:
        return None


@pytest.fixture
def right(fan: Any) -> Scene:
    """What the picture shows."""
    return fan(PICTURE.cards).scene


def made(reader: Any, picture: Picture = PICTURE, **more: Any) -> tuple[Canary, Metrics]:
    metrics = Metrics()
    return Canary(reader, picture, 5, lambda: False, metrics, **more), metrics


def looks(metrics: Metrics, outcome: str) -> float | None:
    return metrics.registry.get_sample_value("meldsight_canary_reads_total", {"outcome": outcome})


@pytest.mark.skipif(not (MODELS / "detector.onnx").is_file(), reason="there are no weights in models/")
def test_the_weights_in_the_repository_read_the_picture_right() -> None:
    bird, metrics = made(Here(Scanner.load(), 1))
    asyncio.run(bird.look())
    assert bird.problem() is None
    assert looks(metrics, "right") == 1


def test_the_picture_is_small_and_shows_equal_cards_and_jokers() -> None:
    """Two equal cards and both ends of cards are what a reader that pairs wrongly miscounts."""
    assert len(PICTURE.data) < 150_000
    assert len(set(PICTURE.cards)) < len(PICTURE.cards) - 1
    assert 8 <= len(PICTURE.cards) <= 15


def test_a_picture_that_is_missing_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"canary\.json is missing"):
        load_picture(tmp_path)


def test_before_the_first_look_nothing_is_promised(right: Scene) -> None:
    assert "not been read yet" in str(made(Moody(right))[0].problem())


@pytest.mark.parametrize(
    ("seen", "words"),
    [("", "no cards"), ("9C", "not seen"), (None, "not on it")],
)
def test_a_reader_that_sees_other_cards_is_found_out(fan: Any, right: Scene, seen: str | None, words: str) -> None:
    cards = (*PICTURE.cards, *parse_cards("2C")) if seen is None else parse_cards(seen)
    reader = Moody(fan(cards).scene)
    bird, metrics = made(reader)
    asyncio.run(bird.look())
    assert words in str(bird.problem())
    assert looks(metrics, "wrong") == 1
    reader.scene = right
    asyncio.run(bird.look())
    assert bird.problem() is None


@pytest.mark.parametrize("error", [ScanError("This photo could not be read."), RuntimeError("secret")])
def test_a_reader_that_raises_is_found_out(right: Scene, error: Exception) -> None:
    reader = Moody(right)
    reader.error = error
    bird, metrics = made(reader)
    asyncio.run(bird.look())
    assert type(error).__name__ in str(bird.problem())
    assert "secret" not in str(bird.problem())
    assert looks(metrics, "failed") == 1


def test_a_reader_that_hangs_is_found_out_and_not_asked_again_meanwhile(
    right: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canary, "LIMIT_S", 0.05)
    reader = Moody(right)
    reader.go_on.clear()
    bird, metrics = made(reader)

    async def looked() -> None:
        await bird.look()
        await bird.look()
        assert "within" in str(bird.problem())
        assert reader.calls == 1
        reader.go_on.set()
        monkeypatch.setattr(canary, "LIMIT_S", 30)
        await bird.look()

    asyncio.run(looked())
    assert bird.problem() is None
    assert (looks(metrics, "late"), looks(metrics, "right")) == (2, 1)


def test_a_look_that_has_not_come_for_too_long_is_a_failure(right: Scene) -> None:
    now = 0.0
    bird, _ = made(Moody(right), clock=lambda: now)
    asyncio.run(bird.look())
    now = 5 * 60 + canary.SLACK_S
    assert bird.problem() is None
    now += 1
    assert "too long" in str(bird.problem())


def test_a_failure_is_known_within_a_minute() -> None:
    """From a right look to the end of the next one, photos under way and its limit included."""
    assert 60 * Settings().canary_minutes + canary.QUIET_S + canary.LIMIT_S < 60
    assert canary.AGAIN_S + canary.QUIET_S + canary.LIMIT_S < 60


def test_photos_go_first_for_a_while(right: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        nonlocal now
        waits.append(seconds)
        now += seconds
        if reader.calls:
            raise asyncio.CancelledError

    now = 0.0
    reader = Moody(right)
    bird = Canary(reader, PICTURE, 5, lambda: True, Metrics(), clock=lambda: now)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(bird.watch())
    assert sum(waits[:-1]) == canary.QUIET_S
    assert waits[-1] == 5 * 60
    assert reader.calls == 1


def ends_with(client: TestClient, status: int) -> Any:
    """The answer of ``/readyz`` once it has this status."""
    deadline = time.monotonic() + 30
    while (answer := client.get("/readyz")).status_code != status:
        assert time.monotonic() < deadline, answer.text
        time.sleep(0.02)
    return answer.json()


def test_the_service_is_ready_only_while_it_reads_right(
    right: Scene, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canary, "AGAIN_S", 0.02)
    reader = Moody(right)
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'games.sqlite'}", canary_minutes=0.001)
    with TestClient(app_with(settings, reader), BASE) as client:
        assert set(ends_with(client, 200)["parts"]) == {"database", "workers", "disk", "canary"}
        reader.scene = Scene((1200, 900))
        told = ends_with(client, 503)
        assert told["detail"] == told["failing"]["canary"] == "The test picture was read as showing no cards."
        assert list(told["failing"]) == ["canary"]
        reader.scene = right
        ends_with(client, 200)
