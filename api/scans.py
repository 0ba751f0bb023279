"""Scans in worker threads: a bounded number at once, a bounded number waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from anyio import CapacityLimiter, to_thread

from engine.rules import Rules
from vision.photo import Photo, read_photo
from vision.scene import Scene


class Scanner(Protocol):
    """What reads the cards of a photo; safe to call from several threads."""

    def scan(self, photo: Photo, packs: int = 2, jokers: int = 4) -> Scene:
        """Return what the photo shows, given how many packs and jokers are in play."""


class BusyError(RuntimeError):
    """More photos came at once than the service takes."""

    retry_after_s = 2


class Scans:
    """The scans of one service.

    Args:
        scanner: what reads the cards.
        rules: whose packs and jokers are in play.
        at_once: photos that are decoded and read at the same time.
        places: photos that are being sent, waiting or being read.
    """

    def __init__(self, scanner: Scanner, rules: Rules, at_once: int, places: int) -> None:
        self._scanner = scanner
        self._rules = rules
        self._workers = CapacityLimiter(at_once)
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

    async def scan(self, data: bytes) -> Scene:
        """Return what the photo in ``data`` shows; nothing of it is kept.

        Raises:
            PhotoError: if ``data`` is no photo that can be read.
        """
        return await to_thread.run_sync(self._scan, data, limiter=self._workers)

    def _scan(self, data: bytes) -> Scene:
        return self._scanner.scan(read_photo(data), packs=self._rules.packs, jokers=self._rules.jokers)
