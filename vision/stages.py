"""How long each stage between a photo file and a scene takes, for whoever wants to know."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

STAGES = ("decode", "detect", "read", "arrange", "fallback")
"""From bytes to pixels, to corner indices, to what they say, to cards and groups; and, as a part of the second and
third, what is computed here because a detector tier did not answer."""

_seconds: ContextVar[dict[str, float] | None] = ContextVar("seconds", default=None)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Do one stage of reading a photo; where nobody measures, nothing is written down.

    Args:
        name: one of ``STAGES``.
    """
    start = time.perf_counter()
    try:
        yield
    finally:
        seconds = _seconds.get()
        if seconds is not None:
            seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start


@contextmanager
def measured() -> Iterator[dict[str, float]]:
    """Measure the stages inside; yields their seconds by name, complete once the block has ended.

    Each thread measures for itself.

    >>> with measured() as seconds:
    ...     with stage("decode"):
    ...         pass
    >>> list(seconds)
    ['decode']
    """
    seconds: dict[str, float] = {}
    token = _seconds.set(seconds)
    try:
        yield seconds
    finally:
        _seconds.reset(token)
