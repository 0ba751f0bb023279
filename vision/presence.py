"""The chance that there is an index where the detector finds one, from what both networks say of the place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Presence:
    """A logistic function of the detector's confidence and of the reader's chance that it is no index.

    Neither is calibrated by itself: a detector gives small indices low confidence though nearly all of them are there.
    ``models.calibrate`` fits the three numbers to scenes that no network was trained on.
    """

    bias: float
    detector: float
    """Weight of the log-odds of the detector's confidence."""
    reader: float
    """Weight of the log-odds of the reader's chance that it is an index."""

    def of(self, confidence: NDArray[np.floating], reject: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the chance that there is an index.

        Args:
            confidence: (N,) the detector's, 0 to 1.
            reject: (N,) the reader's chance that it is no index.

        >>> Presence(0.0, 1.0, 1.0).of(np.array([0.5, 0.9]), np.array([0.5, 0.5])).round(3)
        array([0.5, 0.9])
        """
        odds = self.bias + self.detector * log_odds(confidence) + self.reader * log_odds(1 - np.asarray(reject))
        return np.asarray(1 / (1 + np.exp(-odds)))


def log_odds(chance: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the logarithm of a chance against its opposite, kept finite.

    >>> log_odds(np.array([0.5, 1.0])).round(2)
    array([0.  , 9.21])
    """
    chance = np.clip(np.asarray(chance, np.float64), 1e-4, 1 - 1e-4)
    return np.asarray(np.log(chance / (1 - chance)))
