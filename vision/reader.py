"""Reading corner indices: upright crops from the full photo, a small classifier, calibrated probabilities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.corners import Corners
from vision.crops import Pyramid, reader_crops
from vision.geometry import right_of
from vision.graph import Graph

Probabilities = NDArray[np.float64]

CLASSES = 54
"""The 53 kinds of card in the order of ``engine.cards.KINDS``, then "not an index"."""
REJECT = 53
SURE = 0.98
"""Least chance of what a crop says for one look to be enough."""
SECOND_LOOKS = ((np.deg2rad(6), 1.0), (np.deg2rad(-6), 1.0), (0.0, 1.1), (0.0, 0.91))
"""Turns in radians and scales of further looks: about as far as a detector errs."""


class Reader:
    """The classifier; safe to share between threads.

    Args:
        graph: (N, 64, 48, 6), two RGB pictures of each index, to (N, 54) logits.
        temperature: what logits are divided by so that probabilities are calibrated.
    """

    def __init__(self, graph: Graph, temperature: float) -> None:
        self._graph = graph
        self._temperature = temperature

    def read(self, image: NDArray[np.uint8], corners: Corners) -> Probabilities:
        """Return what each corner says; one that is not read for sure is looked at again, turned and scaled a little.

        Args:
            image: (H, W, 3) RGB, the photo that the corners were found in.
            corners: N corners.

        Returns:
            (N, 54) probabilities, each row adding up to one.
        """
        pyramid = Pyramid(image)
        readings = self._read(pyramid, corners)
        unsure = np.flatnonzero(readings.max(axis=1, initial=0.0) < SURE)
        if len(unsure):
            again = [self._read(pyramid, _seen_anew(corners[unsure], turn, scale)) for turn, scale in SECOND_LOOKS]
            readings[unsure] = np.mean([readings[unsure], *again], axis=0)
        return readings

    def _read(self, pyramid: Pyramid, corners: Corners) -> Probabilities:
        if not len(corners):
            return np.zeros((0, CLASSES))
        outputs = self._graph.run(reader_crops(pyramid, corners.rank, corners.suit))
        logits = np.asarray(outputs[0], np.float64) / self._temperature
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _seen_anew(corners: Corners, turn: float, scale: float) -> Corners:
    """Corners turned by ``turn`` radians about their middles and measured larger by ``scale``."""
    middle, half = corners.centre.astype(np.float64), (corners.suit - corners.rank).astype(np.float64) / 2
    turned = scale * (np.cos(turn) * half - np.sin(turn) * right_of(half))
    rank, suit = (middle - turned).astype(np.float32), (middle + turned).astype(np.float32)
    return replace(corners, rank=rank, suit=suit)
