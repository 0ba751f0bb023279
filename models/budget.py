"""How far a training run has come, how fast it learns there, and how it goes on after a stop."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass


@dataclass
class Budget:
    """A run's allowance of epochs, or of minutes where these are given: the earlier ends it."""

    epochs: int
    minutes: float | None = None
    epoch: int = 0
    """Epochs done."""
    seconds: float = 0.0
    """Time trained before the last ``start``."""

    def __post_init__(self) -> None:
        self._since = time.monotonic()

    @property
    def spent(self) -> float:
        """Seconds trained, in all sittings."""
        return self.seconds + time.monotonic() - self._since

    def progress(self, within: float = 0.0) -> float:
        """Return the share of the run that is done, 0 to 1, ``within`` of the present epoch being done."""
        done = (self.epoch + within) / self.epochs
        if self.minutes is not None:
            done = max(done, self.spent / (60 * self.minutes))
        return min(done, 1.0)


def learning_rate(peak: float, progress: float, steps: int, warm_up: int) -> float:
    """Return the learning rate: up to the peak in ``warm_up`` steps, then down half a cosine to a fiftieth.

    >>> learning_rate(1.0, 0.0, 100, 100), round(learning_rate(1.0, 1.0, 500, 100), 3)
    (1.0, 0.02)
    """
    cosine = 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress))
    return peak * cosine * min(1.0, (steps + 1) / (warm_up + 1) if warm_up else 1.0)
