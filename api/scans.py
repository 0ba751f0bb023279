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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, Protocol

from anyio import CapacityLimiter, to_thread

from api.decks import DeckLine, Taught, Teacher, teach
from api.logs import log_as
from api.metrics import Metrics
from engine.cards import Card
from vision.deck import LearntDeck
from vision.limits import Limits
from vision.photo import Photo, PhotoError, read_photo
from vision.reader import DeckError
from vision.scene import Scene
from vision.stages import measured, stage

if TYPE_CHECKING:
    from api.shelf import Shelf

LIMIT_S = 30
"""How long one photo may be read, in seconds."""
TEACHING_S = 150
"""How long one photo may be learnt from, in seconds."""
DECKS = 4
"""Decks that a worker keeps at hand."""
START_S = 120
"""How long a worker may take to load its weights, in seconds."""
MEMORY_BYTES = 6 * 2**30
"""Address space of a worker: the largest photo, the graphs, and room."""
YIELDS = 5
"""How much a worker gives way to the service itself, as ``nice`` counts."""

_log = logging.getLogger("meldsight")


class Scanner(Teacher, Protocol):
    """What reads the cards of a photo; safe to call from several threads."""

    def scan(self, photo: Photo, limits: Limits, deck: LearntDeck | None = None) -> Scene:
        """Return what the photo shows, given how many equal cards there can be, and the deck if it was learnt."""

    def survey(self, photo: Photo) -> Scene:
        """Return every place that may show a card."""

    def deck(self, path: Path) -> LearntDeck:
        """Return the deck of a file."""


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

    def read(self, data: bytes, limits: Limits, deck: Path | None = None) -> ReadPhoto:
        """Return what the photo in ``data`` shows, of the deck in a file if one is given."""

    def survey(self, data: bytes) -> Scene:
        """Return every place of the photo in ``data`` that may show a card."""

    def teach(self, data: bytes, names: Sequence[Card | None], name: str, before: Path | None) -> Taught:
        """Return a deck with the photo in ``data`` added to it, given the file of what it was."""

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
        # A file of another content has another name.
        self._deck = lru_cache(DECKS)(lambda path: scanner.deck(path))

    def read(self, data: bytes, limits: Limits, deck: Path | None = None) -> ReadPhoto:
        """Return what the photo in ``data`` shows.

        Args:
            data: the photo file.
            limits: how many equal cards there can be.
            deck: the file of the deck that is played with, where it was learnt.

        Raises:
            PhotoError: if it is no photo that can be read.
            DeckError: if the deck cannot be used.
        """
        start = time.perf_counter()
        with self._turn, measured() as seconds:
            seconds["wait"] = time.perf_counter() - start
            with stage("decode"):
                photo = read_photo(data)
            if deck is None:
                scene = self._scanner.scan(photo, limits=limits)
            else:
                scene = self._scanner.scan(photo, limits=limits, deck=self._known(deck))
            return ReadPhoto(scene, seconds)

    def survey(self, data: bytes) -> Scene:
        """Return every place of the photo in ``data`` that may show a card.

        Raises:
            PhotoError: if it is no photo that can be read.
        """
        with self._turn:
            return self._scanner.survey(read_photo(data))

    def teach(self, data: bytes, names: Sequence[Card | None], name: str, before: Path | None) -> Taught:
        """Return a deck with the photo in ``data`` added to it; nothing is written down here.

        Args:
            data: the photo file.
            names: what the places of its survey are.
            name: the deck.
            before: the file of what it was; none where it is begun.

        Raises:
            PhotoError: if it is no photo that can be read.
            DeckError: if there are not as many names as places, or the file is no deck.
        """
        with self._turn:
            return teach(self._scanner, read_photo(data), names, name, before)

    def problem(self) -> None:
        """Nothing keeps this process from reading, or it would not answer either."""

    def _known(self, path: Path) -> LearntDeck:
        if not path.is_file():
            raise DeckError(f"The deck {path.parent.name!r} was forgotten in the meantime.")
        return self._deck(path)


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

    def ask(self, task: str, *arguments: Any, within_s: float) -> Any:
        """Return what a method of ``Here`` answers in the process. A worker that fails is replaced.

        Args:
            task: the method's name.
            arguments: what it is given.
            within_s: how long it may take, in seconds.

        Raises:
            PhotoError: if it is no photo that can be read.
            DeckError: if it is about a deck that cannot be used.
            ScanError: if it takes too long, or brings the worker down.
        """
        try:
            self.wait()
            self._pipe.send((task, arguments))
            if not self._pipe.poll(within_s):
                raise ScanError(f"This photo could not be read within {within_s:g} seconds; take another.")
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
        if isinstance(answer, Exception):
            raise answer
        return answer

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

    def read(self, data: bytes, limits: Limits, deck: Path | None = None) -> ReadPhoto:
        """See ``Here.read``.


        Raises:
            ScanError: if reading it takes too long, or brings the worker down.
        """
        done, waited = self._ask("read", data, limits, deck, within_s=LIMIT_S)
        return ReadPhoto(done.scene, {**done.seconds, "wait": waited})

    def survey(self, data: bytes) -> Scene:
        """See ``Here.survey``.

        Raises:
            ScanError: if reading it takes too long, or brings the worker down.
        """
        scene: Scene = self._ask("survey", data, within_s=LIMIT_S)[0]
        return scene

    def teach(self, data: bytes, names: Sequence[Card | None], name: str, before: Path | None) -> Taught:
        """See ``Here.teach``.

        Raises:
            ScanError: if learning takes too long, or brings the worker down.
        """
        taught: Taught = self._ask("teach", data, names, name, before, within_s=TEACHING_S)[0]
        return taught

    def _ask(self, task: str, *arguments: Any, within_s: float) -> tuple[Any, float]:
        """Return what a free worker answers, and how many seconds it took until one was free."""
        start = time.perf_counter()
        worker = self._free.get()
        waited = time.perf_counter() - start
        try:
            return worker.ask(task, *arguments, within_s=within_s), waited
        finally:
            self._free.put(worker)

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
    tasks: dict[str, Callable[..., Any]] = {"read": reader.read, "survey": reader.survey, "teach": reader.teach}
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(None)
        while True:
            task, arguments = pipe.recv()
            try:
                pipe.send(tasks[task](*arguments))
            except (PhotoError, DeckError) as error:
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

    async def scan(self, data: bytes, limits: Limits, deck: Path | None = None) -> ReadPhoto:
        """Return what the photo in ``data`` shows, and how it was read; nothing of it is kept.

        Raises:
            PhotoError: if ``data`` is no photo that can be read.
            DeckError: if the deck cannot be used.
            ScanError: if reading it does not come to an end.
        """
        try:
            done = await to_thread.run_sync(self._reader.read, data, limits, deck, limiter=self._threads)
        except PhotoError:
            self._metrics.scan_ended("not_a_photo")
            raise
        except Exception:
            self._metrics.scan_ended("failed")
            raise
        self._metrics.scan_ended("read", done.seconds)
        return done

    async def survey(self, data: bytes) -> Scene:
        """Return every place of the photo in ``data`` that may show a card; nothing of it is kept.

        Raises:
            PhotoError: if ``data`` is no photo that can be read.
            ScanError: if reading it does not come to an end.
        """
        return await to_thread.run_sync(self._reader.survey, data, limiter=self._threads)

    async def teach(self, data: bytes, names: Sequence[Card | None], name: str, shelf: Shelf) -> DeckLine:
        """Add the photo in ``data`` to a deck; only the places that were named are kept.

        Args:
            data: the photo file.
            names: what the places of its survey are.
            name: the deck.
            shelf: where it is kept.

        Raises:
            PhotoError: if ``data`` is no photo that can be read.
            DeckError: if the names do not fit the photo, or the file is no deck.
            ScanError: if learning does not come to an end.
            TooManyDecksError: if it would be one deck too many.
            CrowdedDeckError: if others were quicker each time.
        """

        def learn(before: Path | None) -> Taught:
            return self._reader.teach(data, names, name, before)

        return (await to_thread.run_sync(shelf.add, name, learn, limiter=self._threads)).line
