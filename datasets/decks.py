"""What a deck is to the renderer: faces as pictures, with the exact place of every corner index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.cards import Card

FACE_HEIGHT = 720
"""Height of every face picture in pixels; the width follows the deck's card ratio."""


@dataclass(frozen=True)
class CornerIndex:
    """One corner index on a face, in pixels of the face picture."""

    box: tuple[float, float, float, float]
    """x_min, y_min, x_max, y_max around the ink of rank and suit."""
    rank: tuple[float, float]
    """Centre of the rank glyph; for a joker, of the upper half of its index as the index is read."""
    suit: tuple[float, float]
    """Centre of the suit glyph; for a joker, of the lower half of its index as the index is read."""


@dataclass(frozen=True)
class Face:
    """One side of a card."""

    image: NDArray[np.uint8]
    """(FACE_HEIGHT, W, 3) RGB; outside the rounded corners it repeats the card's ground."""
    indices: tuple[CornerIndex, ...]
    """Two or four corner indices; none on a back or on a joker without index."""


class Deck(Protocol):
    """A deck design."""

    @property
    def name(self) -> str:
        """Unique name, such as ``gnome/anglo`` or ``drawn/17``."""

    @property
    def corner_radius(self) -> float:
        """Radius of the card's rounded corners in face pixels."""

    @property
    def joker_styles(self) -> int:
        """How many different jokers the deck has; at least one."""

    def face(self, card: Card, style: int = 0) -> Face:
        """Return the face of a card; ``style`` chooses among the jokers, modulo their number."""

    def back(self) -> Face:
        """Return the back of the cards."""


def corner_count(deck: Deck) -> int:
    """Return how many corner indices the number cards of a deck have: two or four."""
    return len(deck.face(Card("7S")).indices)
