"""Token buckets: how often somebody may ask."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST_KEYS = 10_000


class Buckets:
    """One bucket for each device or address; each holds ``burst`` requests and refills at ``per_second``.

    >>> times = iter([0.0, 0.0, 0.0, 1.0])
    >>> buckets = Buckets(per_second=0.5, burst=2, clock=lambda: next(times))
    >>> [buckets.wait("a") for _ in range(4)]
    [0.0, 0.0, 2.0, 1.0]
    """

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._levels: dict[str, tuple[float, float]] = {}

    def wait(self, key: str) -> float:
        """Return how many seconds a request has to wait; it is taken from the bucket if that is none."""
        at = self._clock()
        level, before = self._levels.get(key, (float(self._burst), at))
        level = min(self._burst, level + (at - before) * self._per_second)
        if level < 1:
            self._levels[key] = level, at
            return (1 - level) / self._per_second
        if len(self._levels) >= MOST_KEYS:
            self._levels = {each: known for each, known in self._levels.items() if not self._is_full(known, at)}
        self._levels[key] = level - 1, at
        return 0.0

    def _is_full(self, known: tuple[float, float], at: float) -> bool:
        return known[0] + (at - known[1]) * self._per_second >= self._burst
