"""Reading corner indices: upright crops from the full photo, a small classifier, calibrated probabilities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.corners import Corners
from vision.crops import index_crops
from vision.detector import session

Probabilities = NDArray[np.float64]

CLASSES = 54
"""The 53 kinds of card in the order of ``engine.cards.KINDS``, then "not an index"."""
REJECT = 53


class Reader:
    """The classifier's ONNX graph, run by ONNX Runtime; safe to share between threads.

    Args:
        path: the graph: (N, 3, 64, 48) float32 RGB, 0 to 1, to (N, 54) logits.
        temperature: what logits are divided by so that probabilities are calibrated.
    """

    def __init__(self, path: Path, temperature: float) -> None:
        self._session = session(path)
        self._input = self._session.get_inputs()[0].name
        self._temperature = temperature

    def read(self, image: NDArray[np.uint8], corners: Corners) -> NDArray[np.float64]:
        """Return what each corner says.

        Args:
            image: (H, W, 3) RGB, the photo that the corners were found in.
            corners: N corners.

        Returns:
            (N, 54) probabilities, each row adding up to one.
        """
        if not len(corners):
            return np.zeros((0, CLASSES))
        crops = index_crops(image, corners.rank, corners.suit)
        batch = np.ascontiguousarray(crops.transpose(0, 3, 1, 2), np.float32) / np.float32(255)
        logits = np.asarray(self._session.run(None, {self._input: batch})[0], np.float64) / self._temperature
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))
