"""From cards to groups (hands, melds) and the order in which a person reads them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene import Quad

ALONE = 0.4
"""A card that lies alone belongs to others nearer than this many card widths."""


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


def _aligned(first: NDArray[np.float32], second: NDArray[np.float32]) -> bool:
    """Whether two cards point the same way, or opposite ways, within 20 degrees."""
    ways = [(quad[3] - quad[0]) / max(float(np.linalg.norm(quad[3] - quad[0])), 1e-6) for quad in (first, second)]
    return bool(abs(float(ways[0] @ ways[1])) > np.cos(np.deg2rad(20)))


def group_cards(quads: Sequence[Quad]) -> list[list[int]]:
    """Group cards that overlap or touch: one group is one hand or one meld.

    A card that lies alone belongs to the nearest cards, since neither a meld nor most hands are one card: so cards
    laid out with gaps between them are one group.

    Args:
        quads: one a card, each in the card's own order from its top-left corner.

    Returns:
        Groups of places in ``quads``, top-left group first, each in reading order.

    >>> def card(x):
    ...     return ((x, 0.0), (x + 63, 0.0), (x + 63, 88.0), (x, 88.0))
    >>> group_cards([card(30), card(0), card(400)])
    [[1, 0], [2]]
    """
    outlines = [np.array(quad, np.float32) for quad in quads]
    parent = list(range(len(outlines)))

    def root(place: int) -> int:
        while parent[place] != place:
            place = parent[place]
        return place

    for first in range(len(outlines)):
        for second in range(first):
            if root(first) != root(second) and _overlap(outlines[first], outlines[second]) > 0.04:
                parent[root(first)] = root(second)
    roots = [root(place) for place in range(len(outlines))]
    alone = [place for place in range(len(outlines)) if roots.count(roots[place]) == 1]
    for place in alone:
        wide = float(np.linalg.norm(outlines[place][1] - outlines[place][0]))
        gaps = {other: _gap(outlines[place], outlines[other]) for other in range(len(outlines)) if other != place}
        nearest = min(gaps, key=lambda other: gaps[other], default=place)
        for other, gap in gaps.items():
            beside = other in alone and _aligned(outlines[place], outlines[other])
            if gap < ALONE * wide and (other == nearest or beside):
                parent[root(place)] = root(other)
    groups: dict[int, list[int]] = {}
    for place in range(len(outlines)):
        groups.setdefault(root(place), []).append(place)
    ordered = [_read(group, outlines) for group in groups.values()]
    return sorted(ordered, key=lambda group: _place(np.concatenate([outlines[place] for place in group]), outlines))


def _place(points: NDArray[np.float32], outlines: list[NDArray[np.float32]]) -> tuple[int, float]:
    """Row and left edge of a group: rows are a card high, so that a slightly lower neighbour is not a row below."""
    tall = float(np.median([np.linalg.norm(outline[3] - outline[0]) for outline in outlines]))
    return int(points[:, 1].mean() // max(tall, 1.0)), float(points[:, 0].min())


def _read(group: list[int], outlines: list[NDArray[np.float32]]) -> list[int]:
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
