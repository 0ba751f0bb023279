"""Reading corner indices: upright crops from the full photo, a small classifier, calibrated probabilities."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vision.corners import Corners
from vision.crops import reader_crops
from vision.geometry import right_of
from vision.graph import Graph
from vision.photo import Photo

if TYPE_CHECKING:
    from vision.deck import LearntDeck

Probabilities = NDArray[np.float64]


class DeckError(ValueError):
    """A deck that cannot be used."""


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
        version: what tells these weights from others, so that a deck learnt with others is not used with them.
    """

    def __init__(self, graph: Graph, temperature: float, version: str = "") -> None:
        self._graph = graph
        self._temperature = temperature
        self.version = version

    def read(self, photo: Photo, corners: Corners, deck: LearntDeck | None = None) -> Probabilities:
        """Return what each corner says; one that is not read for sure is looked at again, turned and scaled a little.

        Args:
            photo: the upright photo that the corners were found in.
            corners: N corners.
            deck: the deck that is played with, where it was learnt.

        Returns:
            (N, 54) probabilities, each row adding up to one.

        Raises:
            DeckError: if the deck was learnt with other weights.
        """
        if deck is not None and deck.weights != self.version:
            raise DeckError(f"The deck {deck.name!r} was learnt with other weights; it must be learnt anew.")
        readings = self._read(photo, corners, deck)
        unsure = np.flatnonzero(readings.max(axis=1, initial=0.0) < SURE)
        if len(unsure):
            again = [self._read(photo, _seen_anew(corners[unsure], turn, scale), deck) for turn, scale in SECOND_LOOKS]
            readings[unsure] = np.mean([readings[unsure], *again], axis=0)
        return readings

    def logits(self, crops: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return what crops say, calibrated.

        Args:
            crops: (N, 64, 48, 6) as ``vision.crops.reader_crops`` cuts them.

        Returns:
            (N, 54) logits.
        """
        return np.asarray(self._graph.run(crops)[0], np.float64) / self._temperature

    def _read(self, photo: Photo, corners: Corners, deck: LearntDeck | None) -> Probabilities:
        if not len(corners):
            return np.zeros((0, CLASSES))
        logits = self.logits(reader_crops(photo, corners.rank, corners.suit))
        return chances(logits) if deck is None else deck.chances(logits)


def chances(logits: NDArray[np.float64]) -> Probabilities:
    """Return the probabilities that logits stand for.

    >>> chances(np.log([[1.0, 3.0]])).round(2).tolist()
    [[0.25, 0.75]]
    """
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _seen_anew(corners: Corners, turn: float, scale: float) -> Corners:
    """Corners turned by ``turn`` radians about their middles and measured larger by ``scale``."""
    middle, half = corners.centre.astype(np.float64), (corners.suit - corners.rank).astype(np.float64) / 2
    turned = scale * (np.cos(turn) * half - np.sin(turn) * right_of(half))
    rank, suit = (middle - turned).astype(np.float32), (middle + turned).astype(np.float32)
    return replace(corners, rank=rank, suit=suit)
