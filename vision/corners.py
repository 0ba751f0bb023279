"""Corner indices as the detector sees them: parallel arrays, decoded from the network's output."""

from __future__ import annotations

from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import unit

SAME_BOX = 0.8
"""Two detections whose boxes share this much of their union are one index."""
SAME_INDEX = 0.25
"""Two detections whose centres are nearer than this many index heights are one index."""
APART = 0.5
"""From this many index heights on, two detections are two indices, whatever their confidence."""
SURE_BESIDE = 0.6
"""Confidence that an index needs as near as ``SAME_INDEX`` to a better one; farther off it needs less."""


@dataclass(frozen=True)
class Corners:
    """N corner indices in pixels, best first. A row of each array is one index."""

    xyxy: NDArray[np.float32]
    """(N, 4) x_min, y_min, x_max, y_max."""
    confidence: NDArray[np.float32]
    """(N,) chance that there is an index, 0 to 1."""
    rank: NDArray[np.float32]
    """(N, 2) centre of the rank glyph; for a joker of the upper half of its index."""
    suit: NDArray[np.float32]
    """(N, 2) centre of the suit glyph; for a joker of the lower half of its index."""

    @classmethod
    def none(cls) -> Corners:
        """Return no corners.

        >>> len(Corners.none())
        0
        """
        empty = np.zeros((0, 2), np.float32)
        return cls(np.zeros((0, 4), np.float32), np.zeros(0, np.float32), empty, empty.copy())

    def __len__(self) -> int:
        return len(self.confidence)

    def __getitem__(self, which: NDArray[np.bool_] | NDArray[np.integer] | slice) -> Corners:
        return Corners(*(getattr(self, field.name)[which] for field in fields(self)))

    def joined(self, other: Corners) -> Corners:
        """Return these corners and then the other's."""
        return Corners(
            *(np.concatenate([getattr(self, field.name), getattr(other, field.name)]) for field in fields(self))
        )

    @property
    def centre(self) -> NDArray[np.float32]:
        """(N, 2) midpoints of rank and suit."""
        return np.asarray((self.rank + self.suit) / 2, np.float32)

    @property
    def down(self) -> NDArray[np.float64]:
        """(N, 2) unit vectors from rank to suit: down on the card."""
        return unit(self.suit - self.rank)

    @property
    def height(self) -> NDArray[np.float64]:
        """(N,) index heights in pixels: twice the distance between the two centres."""
        return np.asarray(2 * np.linalg.norm(self.suit - self.rank, axis=1), np.float64)

    def mapped(self, scale: float, shift: tuple[float, float]) -> Corners:
        """Return the corners scaled about the origin, then shifted by (x, y) pixels."""
        offset = np.asarray(shift, np.float32)
        return Corners(
            (self.xyxy * scale + np.tile(offset, 2)).astype(np.float32),
            self.confidence,
            (self.rank * scale + offset).astype(np.float32),
            (self.suit * scale + offset).astype(np.float32),
        )


def decode(output: NDArray[np.float32], least: float) -> Corners:
    """Return the indices in a YOLO pose head's raw output, before suppression.

    Args:
        output: (1, 4 + 1 + K, A): centre x, y, width, height in input pixels, one class score, then two
            keypoints of K / 2 values each, x and y first.
        least: least class score.
    """
    rows = output[0].T
    rows = rows[rows[:, 4] >= least]
    rows = rows[np.argsort(-rows[:, 4], kind="stable")]
    points = rows[:, 5:].reshape(len(rows), 2, (output.shape[1] - 5) // 2)
    half = rows[:, 2:4] / 2
    return Corners(
        np.concatenate([rows[:, :2] - half, rows[:, :2] + half], axis=1),
        rows[:, 4],
        np.ascontiguousarray(points[:, 0, :2]),
        np.ascontiguousarray(points[:, 1, :2]),
    )


def suppress(corners: Corners) -> Corners:
    """Return one detection per index: of several on one index the best, by the distances of centres.

    Boxes cannot tell: those of two sizes on one index hardly overlap, and those of two leaning indices in a tight
    fan do. Neither can distance alone, since in the tightest fans an index lies a quarter of its height beside the
    next. A second detection of one index is unsure, though, so the nearer one lies to a better one the surer it
    must be (limits from 350 rendered scenes, where of the true neighbours nearer than half a height this loses 6 of
    194 instead of 34, and keeps as many second detections as before).
    """
    if not len(corners):
        return corners
    boxes = corners.xyxy.copy()
    boxes[:, 2:] -= boxes[:, :2]
    kept = np.asarray(cv2.dnn.NMSBoxes(boxes.tolist(), corners.confidence.tolist(), 0.0, SAME_BOX), int).ravel()
    corners = corners[kept[np.argsort(-corners.confidence[kept], kind="stable")]]
    centre, height = corners.centre, corners.height
    keep: list[int] = []
    for place in range(len(corners)):
        heights = np.maximum(height[keep], height[place]).clip(min=1.0)
        off = np.linalg.norm(centre[keep] - centre[place], axis=1) / heights
        needed = np.interp(off, (SAME_INDEX, APART), (SURE_BESIDE, 0.0), left=np.inf)
        if (corners.confidence[place] >= needed).all():
            keep.append(place)
    return corners[np.array(keep, int)]
