"""Telling the phones of a table that something has changed, also those that listen at another service.

A listener is only woken; what is new it reads from the record. So nothing is lost where a phone was away, nothing piles
up where one is slow, and what another program has written to the same database is seen a little later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from api.scans import BusyError
from api.store.notices import Notices

TOPICS = frozenset({"board", "members"})
MOST_LISTENERS = 64
"""Open live connections of one game."""


class Listener:
    """One open connection."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._topics: set[str] = set()

    def wake(self, topic: str) -> None:
        """Tell the listener, from any thread, that there is something new."""
        self._loop.call_soon_threadsafe(self._add, topic)

    def _add(self, topic: str) -> None:
        self._topics.add(topic)
        self._woken.set()

    async def topics(self, seconds: float) -> frozenset[str]:
        """Wait until there is something new, and return what it is about; nothing if the time is over."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return frozenset()
        self._woken.clear()
        found = frozenset(self._topics)
        self._topics.clear()
        return found


class Live:
    """The open connections of a service, by game.

    Args:
        notices: what other services tell of the same games.
    """

    def __init__(self, notices: Notices) -> None:
        self._listeners: dict[str, set[Listener]] = {}
        self._lock = Lock()
        self._notices = notices
        self.is_over = False
        notices.subscribe(TOPICS, self._wake, self._wake_all)

    def tell(self, game: str, topic: str) -> None:
        """Wake everybody who listens to a game, here and at the other services.

        Args:
            game: its id.
            topic: ``board`` or ``members``.
        """
        self._wake(topic, game)
        self._notices.send(topic, game)

    def end(self) -> None:
        """Let every connection end, so that the phones go to another service."""
        self.is_over = True
        self._wake_all()

    def _wake(self, topic: str, game: str) -> None:
        with self._lock:
            listeners = tuple(self._listeners.get(game, ()))
        for listener in listeners:
            listener.wake(topic)

    def _wake_all(self) -> None:
        with self._lock:
            games = tuple(self._listeners)
        for game in games:
            for topic in TOPICS:
                self._wake(topic, game)

    def check_room(self, game: str) -> None:
        """Refuse one more listener where there are many.

        Raises:
            BusyError: if too many listen already.
        """
        with self._lock:
            if len(self._listeners.get(game, ())) >= MOST_LISTENERS:
                raise BusyError("Many devices watch this game already; close one, then try again.")

    @property
    def listeners(self) -> int:
        """Open connections of all games."""
        with self._lock:
            return sum(map(len, self._listeners.values()))

    @contextmanager
    def listening(self, game: str) -> Iterator[Listener]:
        """Listen to a game; called in the event loop."""
        listener = Listener()
        with self._lock:
            listeners = self._listeners.setdefault(game, set())
            listeners.add(listener)
        try:
            yield listener
        finally:
            with self._lock:
                listeners.discard(listener)
                if not listeners:
                    self._listeners.pop(game, None)
