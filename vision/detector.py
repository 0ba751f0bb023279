"""Finding corner indices: the detector's graph, and the two looks at a photo that it takes."""

from __future__ import annotations

from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.corners import Corners, decode, suppress
from vision.graph import Graph
from vision.photo import Photo

STRIDE = 32
GREY = 114
COARSE_SIDE = 960
"""Longest side in pixels of the first look."""
FINE_HEIGHT = 34.0
"""Median index height in pixels that the second look aims at: what the network has seen most."""
FINE_PIXELS = 1280 * 1280
"""Most pixels of the second look."""


class Detector(Protocol):
    """Anything that finds corner indices in a picture at the scale given."""

    def detect(self, image: NDArray[np.uint8], least: float) -> Corners:
        """Return the indices with a confidence of at least ``least``.

        Args:
            image: (H, W, 3) RGB.
            least: least confidence.
        """


class YoloDetector:
    """A YOLO pose graph with dynamic height and width; safe to share between threads.

    Args:
        graph: (1, H, W, 3) RGB, both sides multiples of ``STRIDE``, to (1, 9, K) as ``vision.corners.decode`` takes it.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def detect(self, image: NDArray[np.uint8], least: float) -> Corners:
        """See ``Detector.detect``. The picture is padded to multiples of the stride, never scaled."""
        height, width = image.shape[:2]
        padded = np.full((-(-height // STRIDE) * STRIDE, -(-width // STRIDE) * STRIDE, 3), GREY, np.uint8)
        padded[:height, :width] = image
        return suppress(decode(self._graph.run(padded[None])[0], least))


def resized(image: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    """Return the picture scaled, averaged where it shrinks."""
    height, width = image.shape[:2]
    size = max(1, round(width * scale)), max(1, round(height * scale))
    if size == (width, height):
        return image
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size, interpolation=method), np.uint8)


def look(
    detector: Detector,
    photo: Photo,
    scale: float,
    least: float,
    box: tuple[int, int, int, int] | None = None,
) -> Corners:
    """Return the indices seen at a scale, in pixels of the whole picture.

    Args:
        detector: what looks.
        photo: the upright photo.
        scale: pixels of the look per pixel of the photo.
        least: least confidence.
        box: x_min, y_min, x_max, y_max of the part to look at; all of it when absent.
    """
    halved = min(photo.halvings(1 / scale), 1)
    image, side = photo.level(halved), 2**halved
    x0, y0, x1, y1 = (edge // side for edge in box or (0, 0, *photo.size_wh))
    part = resized(image[y0:y1, x0:x1], scale * side)
    return detector.detect(part, least).mapped(side * (x1 - x0) / part.shape[1], (side * x0, side * y0))


def find_corners(detector: Detector, photo: Photo, least: float) -> Corners:
    """Return the corner indices of a photo, by a coarse look and then one at the scale of its indices.

    Args:
        detector: what looks.
        photo: the upright photo.
        least: least confidence.
    """
    longest = max(photo.size_wh)
    # A small photo is enlarged: its indices would be smaller than any that the network was trained on.
    coarse_scale = min(COARSE_SIDE / longest, 2.5)
    found = look(detector, photo, coarse_scale, least)
    if len(found) < 2:
        for side in (480, 1600):
            other = look(detector, photo, min(side / longest, 3.0), least)
            if other.confidence.sum() > found.confidence.sum():
                found = other
    sure = found[found.confidence >= 0.4]
    if not len(sure):
        return found
    typical = float(np.median(sure.height))
    box = _around(sure, photo.size_wh)
    pixels = (box[2] - box[0]) * (box[3] - box[1])
    scale = min(FINE_HEIGHT / typical, float(np.sqrt(FINE_PIXELS / pixels)), 4.0)
    fine = look(detector, photo, scale, least, box)
    # The coarse look may alone have seen an index that is far larger or smaller than the others, or far off.
    return suppress(_sorted(fine.joined(_outside(found, fine, scale))))


def _around(corners: Corners, size_wh: tuple[int, int]) -> tuple[int, int, int, int]:
    """Box around the cards: the indices and seven index heights more on each side, as far as a card may reach."""
    margin = 7 * float(np.median(corners.height))
    low = np.maximum(corners.centre.min(axis=0) - margin, 0).astype(int)
    high = np.minimum(corners.centre.max(axis=0) + margin, size_wh).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _sorted(corners: Corners) -> Corners:
    return corners[np.argsort(-corners.confidence, kind="stable")]


def _outside(coarse: Corners, fine: Corners, scale: float) -> Corners:
    """Those of the coarse look that the fine look could not have judged: indices too large or too small for it."""
    seen = coarse.height * scale
    return coarse[(seen > 110) | (seen < 12)] if len(fine) else coarse
