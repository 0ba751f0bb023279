"""Scans: a bounded number at once, a bounded number waiting, each within a time and in a process of its own.

Photos come from anywhere, and the decoders that open them are the part most likely to crash, hang or eat memory. So
they are opened and read by workers: processes that the service outlives, and replaces.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import BoundedSemaphore
from typing import Protocol

from anyio import CapacityLimiter, to_thread

from api.logs import log_as
from api.metrics import Metrics
from vision.photo import Photo, PhotoError, read_photo
from vision.scene import Scene
from vision.stages import measured, stage

LIMIT_S = 30
"""How long one photo may be read, in seconds."""
START_S = 120
"""How long a worker may take to load its weights, in seconds."""
MEMORY_BYTES = 6 * 2**30
"""Address space of a worker: the largest photo, the graphs, and room."""
YIELDS = 5
"""How much a worker gives way to the service itself, as ``nice`` counts."""

_log = logging.getLogger("meldsight")


class Scanner(Protocol):
    """What reads the cards of a photo; safe to call from several threads."""

    def scan(self, photo: Photo, packs: int = 2, jokers: int = 4) -> Scene:
        """Return what the photo shows, given how many packs and jokers are in play."""


@dataclass(frozen=True, slots=True)
class ReadPhoto:
    """A photo that was read."""

    scene: Scene
    seconds: Mapping[str, float]
    """What each stage took: ``wait``, for a worker to be free, and those of ``vision.stages.STAGES``."""

    @property
    def fell_back(self) -> bool:
        """Whether networks ran here because the detector tier did not answer."""
        return "fallback" in self.seconds


class Reader(Protocol):
    """What reads the cards of a photo file; safe to call from several threads."""

    def read(self, data: bytes, packs: int, jokers: int) -> ReadPhoto:
        """Return what the photo in ``data`` shows."""

    def problem(self) -> str | None:
        """Return in a sentence what keeps photos from being read; none where nothing does."""


class BusyError(RuntimeError):
    """More came at once than the service takes."""

    retry_after_s = 2


class ScanError(RuntimeError):
    """A photo that a worker could not read to the end."""


class Here:
    """Reads photos in this process.

    Args:
        scanner: what reads the cards.
        at_once: photos that are decoded and read at the same time.
    """

    def __init__(self, scanner: Scanner, at_once: int) -> None:
        self._scanner = scanner
        self._turn = BoundedSemaphore(at_once)

    def read(self, data: bytes, packs: int, jokers: int) -> ReadPhoto:
        """Return what the photo in ``data`` shows.

        Raises:
            PhotoError: if it is no photo that can be read.
        """
        start = time.perf_counter()
        with self._turn, measured() as seconds:
            seconds["wait"] = time.perf_counter() - start
            with stage("decode"):
                photo = read_photo(data)
            return ReadPhoto(self._scanner.scan(photo, packs=packs, jokers=jokers), seconds)

    def problem(self) -> None:
        """Nothing keeps this process from reading, or it would not answer either."""


class Worker:
    """One process that reads photos, one after the other. It loads its weights while others go on.

    Args:
        detector: address of a detector tier that runs the networks; the process runs them unless given.
    """

    def __init__(self, detector: str | None = None) -> None:
        self._is_stopped = False
        self._detector = detector
        self._start()

    @property
    def pid(self) -> int | None:
        """The id of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.is_alive()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, self._detector), daemon=True, name="meldsight-scan")
        self._process.start()
        theirs.close()
        self._is_ready = False

    def wait(self) -> None:
        """Wait until the weights are loaded.

        Raises:
            ModelError: if they cannot be.
        """
        if not self._is_ready:
            answer = self._pipe.recv() if self._pipe.poll(START_S) else ScanError("The scanner did not start in time.")
            if isinstance(answer, Exception):
                raise answer
            self._is_ready = True

    def read(self, data: bytes, packs: int, jokers: int) -> ReadPhoto:
        """Return what the photo in ``data`` shows. A worker that fails is replaced.

        Raises:
            PhotoError: if it is no photo that can be read.
            ScanError: if reading it takes too long, or brings the worker down.
        """
        try:
            self.wait()
            self._pipe.send((data, packs, jokers))
            if not self._pipe.poll(LIMIT_S):
                raise ScanError(f"This photo could not be read within {LIMIT_S} seconds; take another.")
            answer = self._pipe.recv()
        except (EOFError, OSError):
            if self._is_stopped:
                raise ScanError("The service is ending; this photo was not read.") from None
            _log.exception("a worker came down")
            self._replace()
            raise ScanError("This photo could not be read: it brought its reader down. Take another.") from None
        except ScanError:
            self._replace()
            raise
        if isinstance(answer, ReadPhoto):
            return answer
        raise answer

    def _replace(self) -> None:
        self._end()
        self._start()

    def stop(self) -> None:
        """End the process for good; whoever waits for it is told so."""
        self._is_stopped = True
        self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()


class Workers:
    """Several workers, each with one photo at a time.

    Args:
        count: how many.
        detector: address of a detector tier that runs the networks; the workers run them unless given.
    """

    def __init__(self, count: int, detector: str | None = None) -> None:
        self._free: SimpleQueue[Worker] = SimpleQueue()
        self._all = [Worker(detector) for _ in range(count)]
        for worker in self._all:
            self._free.put(worker)

    @property
    def pids(self) -> list[int | None]:
        """The ids of the processes."""
        return [worker.pid for worker in self._all]

    def wait(self) -> None:
        """Wait until all are ready.

        Raises:
            ModelError: if the weights cannot be loaded.
            ScanError: if that takes too long.
        """
        for worker in self._all:
            worker.wait()

    def read(self, data: bytes, packs: int, jokers: int) -> ReadPhoto:
        """Return what the photo in ``data`` shows.

        Raises:
            PhotoError: if it is no photo that can be read.
            ScanError: if reading it takes too long, or brings the worker down.
        """
        start = time.perf_counter()
        worker = self._free.get()
        waited = time.perf_counter() - start
        try:
            done = worker.read(data, packs, jokers)
        finally:
            self._free.put(worker)
        return ReadPhoto(done.scene, {**done.seconds, "wait": waited})

    def problem(self) -> str | None:
        """Return in a sentence which workers are down; none where all run."""
        down = sum(not worker.is_alive for worker in self._all)
        return f"{down} of {len(self._all)} workers that read photos are down." if down else None

    def stop(self) -> None:
        """End all processes."""
        for worker in self._all:
            worker.stop()


def work(pipe: Connection, detector: str | None) -> None:
    """Read photos until the service is gone: the main function of a worker."""
    # A process of its own has loggers of its own; it inherits the environment that says how they write.
    log_as(os.environ.get("MELDSIGHT_LOG"))
    # Ctrl+C reaches the whole group; the service decides when its workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        import resource

        os.nice(YIELDS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    from vision.scanner import ModelError
    from vision.scanner import Scanner as Weights
    from vision.tier import TierError

    try:
        reader = Here(Weights.load(tier=detector), at_once=1)
    except (ModelError, TierError) as error:
        pipe.send(error)
        return
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(None)
        while True:
            data, packs, jokers = pipe.recv()
            try:
                pipe.send(reader.read(data, packs, jokers))
            except PhotoError as error:
                pipe.send(error)
            except (MemoryError, RuntimeError, ValueError, ArithmeticError, LookupError) as error:
                _log.exception("a photo could not be read")
                pipe.send(ScanError(f"This photo could not be read ({type(error).__name__}); take another."))


class Scans:
    """The scans of one service.

    Args:
        reader: what reads the photos; how many at once is its own matter.
        places: photos that are being sent, waiting or being read.
        metrics: where each is counted.
    """

    def __init__(self, reader: Reader, places: int, metrics: Metrics) -> None:
        self._reader = reader
        # Each photo waits in a thread of its own, so that a worker that comes free has the next one at once.
        self._threads = CapacityLimiter(places)
        self._places = places
        self._metrics = metrics
        self.free = places
        """Places that nobody holds."""

    @property
    def in_flight(self) -> int:
        """Places that are held."""
        return self._places - self.free

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a place from before a photo is received until its answer is ready.

        Raises:
            BusyError: if every place is taken.
        """
        if not self.free:
            self._metrics.scan_ended("turned_away")
            raise BusyError("Many photos are being read just now; try again in a moment.")
        self.free -= 1
        try:
            yield
        finally:
            self.free += 1

    async def scan(self, data: bytes, packs: int, jokers: int) -> ReadPhoto:
        """Return what the photo in ``data`` shows, and how it was read; nothing of it is kept.

        Raises:
            PhotoError: if ``data`` is no photo that can be read.
            ScanError: if reading it does not come to an end.
        """
        try:
            done = await to_thread.run_sync(self._reader.read, data, packs, jokers, limiter=self._threads)
        except PhotoError:
            self._metrics.scan_ended("not_a_photo")
            raise
        except Exception:
            self._metrics.scan_ended("failed")
            raise
        self._metrics.scan_ended("read", done.seconds)
        return done
