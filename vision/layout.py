"""From cards to groups (hands, melds) and the order in which a person reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import unit
from vision.scene import Quad

OVERLAP = 0.04
"""Cards that have more than this share of the smaller in common lie upon each other."""
SLIGHT = 0.2
"""A card that has at most this share in common with any other may have been laid out beside them."""
IN_LINE_DEGREES = 25.0
"""Neighbours in a hand or meld are turned against each other by less."""
BESIDE_DEGREES = 15.0
"""The same for cards that are laid out with gaps."""
TIDY = 3
"""Cards in line that make a hand or a meld of their own, whatever lies across them."""
BESIDE = 0.35
"""Cards laid out with gaps are off their line by less than this share of a card ..."""
STEP_WH = (1.7, 1.5)
"""... and less than this far apart, in card widths along a row, in card heights down a column."""
THROWN = 0.6
"""Cards thrown down at any angle belong together up to this gap, in card widths."""

Matrix = NDArray[np.bool_]


@dataclass(frozen=True)
class _Table:
    """How N cards lie to each other."""

    overlap: NDArray[np.float64]
    """(N, N) share of the smaller card that two have in common."""
    offset: NDArray[np.float64]
    """(N, N, 2) from the middle of the first card to that of the second, in widths and heights of the first."""
    turn: NDArray[np.float64]
    """(N, N) angle between two cards in degrees, 0 to 90, whichever way up they lie."""
    gap: NDArray[np.float64]
    """(N, N) distance between two cards in widths of the first; infinite where they are far from each other."""

    @classmethod
    def of(cls, outlines: NDArray[np.float32]) -> _Table:
        """Measure cards, (N, 4, 2) in pixels, each in its own order from its top-left corner."""
        count = len(outlines)
        right = (outlines[:, 1] - outlines[:, 0] + outlines[:, 2] - outlines[:, 3]) / 2.0
        down = (outlines[:, 3] - outlines[:, 0] + outlines[:, 2] - outlines[:, 1]) / 2.0
        middles = outlines.mean(axis=1)
        # A card seen from its edge has no area; a thousandth of a pixel makes it one.
        frames = np.stack([right, down], axis=2).astype(np.float64) + 1e-3 * np.eye(2)
        offset = np.einsum("nij,nmj->nmi", np.linalg.inv(frames), middles[None] - middles[:, None])
        ways = unit(down)
        turn = np.degrees(np.arccos(np.clip(np.abs(ways @ ways.T), 0, 1)))
        overlap, gap = np.zeros((count, count)), np.full((count, count), np.inf)
        width = np.linalg.norm(right, axis=1)
        near = (np.abs(offset) < (2.4, 1.8)).all(axis=2)  # further off, no two cards are within THROWN
        for first, second in np.argwhere(np.triu(near & near.T, 1)):
            shared = _overlap(outlines[first], outlines[second])
            apart = 0.0 if shared else _gap(outlines[first], outlines[second])
            overlap[first, second] = overlap[second, first] = shared
            gap[first, second], gap[second, first] = apart / width[first], apart / width[second]
        return cls(overlap, offset, turn, gap)

    def beside(self) -> Matrix:
        """(N, N) whether two cards may be neighbours that are laid out in a row or a column with gaps."""
        off, (wide, tall) = np.abs(self.offset), STEP_WH
        row = (off[..., 0] < wide) & (off[..., 1] < BESIDE)
        column = (off[..., 1] < tall) & (off[..., 0] < BESIDE)
        return np.asarray((self.turn < BESIDE_DEGREES) & (row & row.T | column & column.T))


def _overlap(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """Share of the smaller of two convex quadrilaterals that they have in common."""
    shared, _ = cv2.intersectConvexConvex(first, second)
    least = min(abs(cv2.contourArea(first)), abs(cv2.contourArea(second)))
    return float(shared) / least if least > 0 else 0.0


def _gap(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """Distance of two convex quadrilaterals that do not overlap, in pixels."""
    return min(
        -cv2.pointPolygonTest(outline, (float(x), float(y)), True)
        for outline, other in ((first, second), (second, first))
        for x, y in (*other, *(other + np.roll(other, 1, axis=0)) / 2)
    )


def _together(links: Matrix) -> Matrix:
    """(N, N) whether a chain of links leads from one card to another.

    >>> _together(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], bool)).all()
    np.True_
    """
    reach = links | links.T | np.eye(len(links), dtype=bool)
    while (further := reach @ reach).sum() > reach.sum():
        reach = further
    return np.asarray(reach)


def _groups(table: _Table) -> Matrix:
    """(N, N) whether two cards belong to one hand or meld.

    Cards that lie upon each other and in line make a hand or a meld. Cards that lie across each other are a heap;
    but a hand or meld of three is none, nor part of one, because another touches it. Cards that are alone, or hardly
    upon each other, may have been laid out in rows and columns, or thrown down, with gaps between them.
    """
    upon = table.overlap > OVERLAP
    in_line = table.turn < IN_LINE_DEGREES
    line = _together(upon & in_line)
    tidy = line.sum(axis=1) >= TIDY
    across = upon & ~in_line & ~(tidy[:, None] & tidy)
    together = _together(line | across)
    heap = (together & across.any(axis=1)).any(axis=1)
    size = together.sum(axis=1)
    loose = heap | (size < TIDY) | (table.overlap.max(axis=1, initial=0) < SLIGHT)
    laid = table.beside() & loose[:, None] & loose
    thrown = heap | (size == 1)
    askew = heap[:, None] | heap | (table.turn >= BESIDE_DEGREES)
    close = (table.gap < THROWN) & askew & thrown[:, None] & thrown
    return _together(together | laid | close)


def group_cards(quads: Sequence[Quad]) -> list[list[int]]:
    """Group cards: one group is one hand or one meld.

    Args:
        quads: one a card, each in the card's own order from its top-left corner.

    Returns:
        Groups of places in ``quads``, top-left group first, each in reading order.

    >>> def card(x):
    ...     return ((x, 0.0), (x + 63, 0.0), (x + 63, 88.0), (x, 88.0))
    >>> group_cards([card(30), card(0), card(400)])
    [[1, 0], [2]]
    """
    outlines = np.array(quads, np.float32).reshape(-1, 4, 2)
    together = _groups(_Table.of(outlines))
    groups = [np.flatnonzero(row).tolist() for place, row in enumerate(together) if not row[:place].any()]
    ordered = [_read(group, outlines) for group in groups]
    return sorted(ordered, key=lambda group: _place(np.concatenate([outlines[place] for place in group]), outlines))


def _place(points: NDArray[np.float32], outlines: NDArray[np.float32]) -> tuple[int, float]:
    """Row and left edge of a group: rows are a card high, so that a slightly lower neighbour is not a row below."""
    tall = float(np.median([np.linalg.norm(outline[3] - outline[0]) for outline in outlines]))
    return int(points[:, 1].mean() // max(tall, 1.0)), float(points[:, 0].min())


def _read(group: list[int], outlines: NDArray[np.float32]) -> list[int]:
    """Order a group along the row or the column that its cards form, as seen by who holds them upright."""
    upper = np.array([outlines[place][0] for place in group])
    down = np.mean([outlines[place][3] - outlines[place][0] for place in group], axis=0)
    length = float(np.linalg.norm(down))
    if length < 1e-6:
        return sorted(group, key=lambda place: float(outlines[place][0][0]))
    down = down / length
    right = np.array([down[1], -down[0]])
    across, along = upper @ right, upper @ down
    key = across if np.ptp(across) >= 0.8 * np.ptp(along) else along
    return [group[place] for place in np.argsort(key, kind="stable")]
