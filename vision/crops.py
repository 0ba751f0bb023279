"""Upright crops of corner indices: what the reader is trained on and what it is served."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Floats, right_of

CROP_ROWS, CROP_COLUMNS = 64, 48
CROP_HEIGHT = 2.9
"""Height of a crop in distances between the centres of rank and suit."""
CROP_WIDTH = CROP_HEIGHT * CROP_COLUMNS / CROP_ROWS
MOST_SAMPLES = 8
"""Most samples a side that are averaged to one pixel of a crop."""


SURROUNDINGS = 3.0
"""The second half of a reader's crop shows this many times as much of the card, in height and in width."""


def reader_crops(image: NDArray[np.uint8], rank: Floats, suit: Floats) -> NDArray[np.uint8]:
    """Cut what the reader looks at: each index, and the same place with its surroundings.

    The pips and pictures beside a small index say more about its suit than the index itself.

    Args:
        image: (H, W, 3) RGB.
        rank: (N, 2) centres of the rank glyphs in pixels, x right, y down.
        suit: (N, 2) centres of the suit glyphs.

    Returns:
        (N, 64, 48, 6) uint8: RGB of ``index_crops``, then RGB of what lies around.
    """
    rank, suit = np.asarray(rank, np.float64).reshape(-1, 2), np.asarray(suit, np.float64).reshape(-1, 2)
    middle, half = (rank + suit) / 2, SURROUNDINGS * (suit - rank) / 2
    return np.concatenate([index_crops(image, rank, suit), index_crops(image, middle - half, middle + half)], axis=3)


def index_crops(image: NDArray[np.uint8], rank: Floats, suit: Floats) -> NDArray[np.uint8]:
    """Cut indices from a picture, turned so that the rank stands above the suit.

    The midpoint of the two centres comes to the middle of the crop, and every crop shows the same part of a
    card whatever the size of the index. Where it shrinks the picture it averages; beyond the picture's edge
    it repeats the edge.

    Args:
        image: (H, W, 3) RGB.
        rank: (N, 2) centres of the rank glyphs in pixels, x right, y down.
        suit: (N, 2) centres of the suit glyphs.

    Returns:
        (N, 64, 48, 3) uint8 RGB.
    """
    rank, suit = np.asarray(rank, np.float64).reshape(-1, 2), np.asarray(suit, np.float64).reshape(-1, 2)
    crops = np.empty((len(rank), CROP_ROWS, CROP_COLUMNS, 3), np.uint8)
    for place, (middle, down) in enumerate(zip((rank + suit) / 2, suit - rank, strict=True)):
        # Two equal points have no direction: they are taken as upright and one pixel apart.
        axis = down if np.linalg.norm(down) > 1e-6 else np.array([0.0, 1.0])
        step = CROP_HEIGHT / CROP_ROWS * np.linalg.norm(axis)
        samples = int(np.clip(np.ceil(step), 1, MOST_SAMPLES))
        rows, columns = CROP_ROWS * samples, CROP_COLUMNS * samples
        matrix = np.empty((2, 3))
        matrix[:, 0] = CROP_HEIGHT / rows * right_of(axis)
        matrix[:, 1] = CROP_HEIGHT / rows * axis
        # OpenCV counts from the centre of the first pixel, points from its corner.
        matrix[:, 2] = middle - 0.5 - matrix[:, :2] @ [(columns - 1) / 2, (rows - 1) / 2]
        crop = cv2.warpAffine(
            image,
            matrix,
            (columns, rows),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        if samples > 1:
            crop = cv2.resize(crop, (CROP_COLUMNS, CROP_ROWS), interpolation=cv2.INTER_AREA)
        crops[place] = crop
    return crops
