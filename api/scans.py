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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from threading import BoundedSemaphore
from typing import Any, Protocol

from anyio import CapacityLimiter, to_thread

from api.decks import DeckLine, Teacher, deck_line, teach
from engine.cards import Card
from vision.deck import LearntDeck
from vision.photo import Photo, PhotoError, read_photo
from vision.reader import DeckError
from vision.scene import Scene

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

    def scan(self, photo: Photo, packs: int = 2, jokers: int = 4, deck: LearntDeck | None = None) -> Scene:
        """Return what the photo shows, given how many packs and jokers are in play, and the deck if it was learnt."""

    def survey(self, photo: Photo) -> Scene:
        """Return every place that may show a card."""

    def deck(self, path: Path) -> LearntDeck:
        """Return the deck of a file."""


class Reader(Protocol):
    """What reads the cards of a photo file; safe to call from several threads."""

    def read(self, data: bytes, packs: int, jokers: int, deck: Path | None = None) -> Scene:
        """Return what the photo in ``data`` shows, of the deck in a file if one is given."""

    def survey(self, data: bytes) -> Scene:
        """Return every place of the photo in ``data`` that may show a card."""

    def teach(self, data: bytes, names: Sequence[Card | None], deck: Path) -> DeckLine:
        """Add the photo in ``data`` to the deck in a file."""


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
        self._deck = lru_cache(DECKS)(lambda path, _written: scanner.deck(path))

    def read(self, data: bytes, packs: int, jokers: int, deck: Path | None = None) -> Scene:
        """Return what the photo in ``data`` shows.

        Args:
            data: the photo file.
            packs: packs in play.
            jokers: jokers in play.
            deck: the file of the deck that is played with, where it was learnt.

        Raises:
            PhotoError: if it is no photo that can be read.
            DeckError: if the deck cannot be used.
        """
        with self._turn:
            photo = read_photo(data)
            if deck is None:
                return self._scanner.scan(photo, packs=packs, jokers=jokers)
            return self._scanner.scan(photo, packs=packs, jokers=jokers, deck=self._known(deck))

    def survey(self, data: bytes) -> Scene:
        """Return every place of the photo in ``data`` that may show a card.

        Raises:
            PhotoError: if it is no photo that can be read.
        """
        with self._turn:
            return self._scanner.survey(read_photo(data))

    def teach(self, data: bytes, names: Sequence[Card | None], deck: Path) -> DeckLine:
        """Add the photo in ``data`` to the deck in a file, or begin it.

        Raises:
            PhotoError: if it is no photo that can be read.
            DeckError: if there are not as many names as places, or the file is no deck.
        """
        with self._turn:
            return deck_line(teach(self._scanner, read_photo(data), names, deck))

    def _known(self, path: Path) -> LearntDeck:
        try:
            written = path.stat().st_mtime_ns
        except FileNotFoundError:
            raise DeckError(f"The deck {path.stem!r} was forgotten in the meantime.") from None
        return self._deck(path, written)


class Worker:
    """One process that reads photos, one after the other. It loads its weights while others go on."""

    def __init__(self) -> None:
        self._start()

    @property
    def pid(self) -> int | None:
        """The id of the process."""
        return self._process.pid

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs,), daemon=True, name="meldsight-scan")
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
        self.stop()
        self._start()

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


class Workers:
    """Several workers, each with one photo at a time.

    Args:
        count: how many.
    """

    def __init__(self, count: int) -> None:
        self._free: SimpleQueue[Worker] = SimpleQueue()
        self._all = [Worker() for _ in range(count)]
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

    def read(self, data: bytes, packs: int, jokers: int, deck: Path | None = None) -> Scene:
        """See ``Here.read``.

        Raises:
            ScanError: if reading it takes too long, or brings the worker down.
        """
        scene: Scene = self._ask("read", data, packs, jokers, deck, within_s=LIMIT_S)
        return scene

    def survey(self, data: bytes) -> Scene:
        """See ``Here.survey``.

        Raises:
            ScanError: if reading it takes too long, or brings the worker down.
        """
        scene: Scene = self._ask("survey", data, within_s=LIMIT_S)
        return scene

    def teach(self, data: bytes, names: Sequence[Card | None], deck: Path) -> DeckLine:
        """See ``Here.teach``.

        Raises:
            ScanError: if learning takes too long, or brings the worker down.
        """
        line: DeckLine = self._ask("teach", data, names, deck, within_s=TEACHING_S)
        return line

    def _ask(self, task: str, *arguments: Any, within_s: float) -> Any:
        worker = self._free.get()
        try:
            return worker.ask(task, *arguments, within_s=within_s)
        finally:
            self._free.put(worker)

    def stop(self) -> None:
        """End all processes."""
        for worker in self._all:
            worker.stop()


def work(pipe: Connection) -> None:
    """Read photos until the service is gone: the main function of a worker."""
    # Ctrl+C reaches the whole group; the service decides when its workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        import resource

        os.nice(YIELDS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    from vision.scanner import ModelError
    from vision.scanner import Scanner as Weights

    try:
        reader = Here(Weights.load(), at_once=1)
    except ModelError as error:
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
    """

    def __init__(self, reader: Reader, places: int) -> None:
        self._reader = reader
        # Each photo waits in a thread of its own, so that a worker that comes free has the next one at once.
        self._threads = CapacityLimiter(places)
        self._free = places

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a place from before a photo is received until its answer is ready.

        Raises:
            BusyError: if every place is taken.
        """
        if not self._free:
            raise BusyError("Many photos are being read just now; try again in a moment.")
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1

    async def scan(self, data: bytes, packs: int, jokers: int, deck: Path | None = None) -> Scene:
        """Return what the photo in ``data`` shows; nothing of it is kept.

        Raises:
            PhotoError: if ``data`` is no photo that can be read.
            DeckError: if the deck cannot be used.
            ScanError: if reading it does not come to an end.
        """
        return await to_thread.run_sync(self._reader.read, data, packs, jokers, deck, limiter=self._threads)

    async def survey(self, data: bytes) -> Scene:
        """Return every place of the photo in ``data`` that may show a card; nothing of it is kept.

        Raises:
            PhotoError: if ``data`` is no photo that can be read.
            ScanError: if reading it does not come to an end.
        """
        return await to_thread.run_sync(self._reader.survey, data, limiter=self._threads)

    async def teach(self, data: bytes, names: Sequence[Card | None], deck: Path) -> DeckLine:
        """Add the photo in ``data`` to a deck; only the places that were named are kept.

        Raises:
            PhotoError: if ``data`` is no photo that can be read.
            DeckError: if the names do not fit the photo, or the file is no deck.
            ScanError: if learning does not come to an end.
        """
        return await to_thread.run_sync(self._reader.teach, data, names, deck, limiter=self._threads)
