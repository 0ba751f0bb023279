"""Workers: photos are read in processes that the service outlives."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from api import scans
from api.scans import ScanError, Workers
from vision.limits import Limits
from vision.photo import NotAPhotoError
from vision.scene import Scene


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    made = Workers(1)
    made.wait()
    yield made
    made.stop()


def test_a_worker_reads_what_a_scanner_reads(workers: Workers, hand: Any) -> None:
    scene = workers.read(hand.picture, Limits()).scene
    assert isinstance(scene, Scene)
    assert scene.size_wh == hand.scene.size_wh


def test_a_photo_that_is_none_is_said_to_be_none(workers: Workers) -> None:
    with pytest.raises(NotAPhotoError):
        workers.read(b"dear sir", Limits())


def test_a_worker_that_comes_down_is_replaced(workers: Workers, hand: Any) -> None:
    (worker,) = workers._all
    before = worker._process.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    with pytest.raises(ScanError, match="brought its reader down"):
        workers.read(hand.picture, Limits())
    assert isinstance(workers.read(hand.picture, Limits()).scene, Scene)
    assert worker._process.pid != before


def test_a_photo_that_takes_too_long_is_given_up(workers: Workers, hand: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (worker,) = workers._all
    worker.wait()
    assert worker._process.pid is not None
    os.kill(worker._process.pid, signal.SIGSTOP)
    monkeypatch.setattr(scans, "LIMIT_S", 0.2)
    start = time.monotonic()
    with pytest.raises(ScanError, match="within"):
        workers.read(hand.picture, Limits())
    assert time.monotonic() - start < scans.START_S
    monkeypatch.undo()
    assert isinstance(workers.read(hand.picture, Limits()).scene, Scene)


def test_a_worker_that_is_stopped_stays_so_and_tells_who_waits(hand: Any, caplog: pytest.LogCaptureFixture) -> None:
    """The service ends while a photo is read: no fault, and no process that nobody ends."""
    made = Workers(1)
    made.wait()
    (worker,) = made._all
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as thread:
        reading = thread.submit(made.read, hand.picture, Limits())
        while not made._free.empty():
            time.sleep(0.01)
        time.sleep(0.2)
        made.stop()
        with pytest.raises(ScanError, match="ending"):
            reading.result(30)
    assert not worker.is_alive
    assert made.problem() == "1 of 1 workers that read photos are down."
    assert caplog.text == ""
