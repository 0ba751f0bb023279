"""Upright crops of corner indices: what the reader is trained on and what it is served."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Floats, right_of
from vision.photo import Photo

CROP_ROWS, CROP_COLUMNS = 64, 48
CROP_HEIGHT = 2.9
"""Height of a crop in distances between the centres of rank and suit."""
CROP_WIDTH = CROP_HEIGHT * CROP_COLUMNS / CROP_ROWS
SURROUNDINGS = 3.0
"""The second half of a reader's crop shows this many times as much of the card, in height and in width."""


def reader_crops(photo: Photo, rank: Floats, suit: Floats) -> NDArray[np.uint8]:
    """Cut what the reader looks at: each index, and the same place with its surroundings.

    The pips and pictures beside a small index say more about its suit than the index itself.

    Args:
        photo: the picture.
        rank: (N, 2) centres of the rank glyphs in pixels of the full picture, x right, y down.
        suit: (N, 2) centres of the suit glyphs.

    Returns:
        (N, 64, 48, 6) uint8: RGB of ``index_crops``, then RGB of what lies around.
    """
    rank, suit = np.asarray(rank, np.float64).reshape(-1, 2), np.asarray(suit, np.float64).reshape(-1, 2)
    middle, half = (rank + suit) / 2, SURROUNDINGS * (suit - rank) / 2
    return np.concatenate([index_crops(photo, rank, suit), index_crops(photo, middle - half, middle + half)], axis=3)


def index_crops(photo: Photo, rank: Floats, suit: Floats) -> NDArray[np.uint8]:
    """Cut indices from a picture, turned so that the rank stands above the suit.

    The midpoint of the two centres comes to the middle of the crop, and every crop shows the same part of a
    card whatever the size of the index. Where it shrinks the picture it averages; beyond the picture's edge
    it repeats the edge.

    Args:
        photo: the picture.
        rank: (N, 2) centres of the rank glyphs in pixels of the full picture, x right, y down.
        suit: (N, 2) centres of the suit glyphs.

    Returns:
        (N, 64, 48, 3) uint8 RGB.
    """
    rank, suit = np.asarray(rank, np.float64).reshape(-1, 2), np.asarray(suit, np.float64).reshape(-1, 2)
    crops = np.empty((len(rank), CROP_ROWS, CROP_COLUMNS, 3), np.uint8)
    for place, (middle, down) in enumerate(zip((rank + suit) / 2, suit - rank, strict=True)):
        # Two equal points have no direction: they are taken as upright and one pixel apart.
        axis = down if np.linalg.norm(down) > 1e-6 else np.array([0.0, 1.0])
        step = CROP_HEIGHT / CROP_ROWS * float(np.linalg.norm(axis))
        level = photo.halvings(step)
        shrink = 0.5**level
        samples = int(np.ceil(max(step * shrink, 1)))
        rows, columns = CROP_ROWS * samples, CROP_COLUMNS * samples
        matrix = np.empty((2, 3))
        matrix[:, 0] = shrink * CROP_HEIGHT / rows * right_of(axis)
        matrix[:, 1] = shrink * CROP_HEIGHT / rows * axis
        # OpenCV counts from the centre of the first pixel, points from its corner.
        matrix[:, 2] = shrink * middle - 0.5 - matrix[:, :2] @ [(columns - 1) / 2, (rows - 1) / 2]
        crop = cv2.warpAffine(
            photo.level(level),
            matrix,
            (columns, rows),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        if samples > 1:
            crop = cv2.resize(crop, (CROP_COLUMNS, CROP_ROWS), interpolation=cv2.INTER_AREA)
        crops[place] = crop
    return crops
