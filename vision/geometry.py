"""Boxes, quadrilaterals and homographies in pixels of the upright picture: x right, y down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def apply_homography(matrix: Floats, points: Floats) -> NDArray[np.float64]:
    """Map points through a homography.

    Args:
        matrix: (3, 3).
        points: (..., 2) as x, y.

    Returns:
        (..., 2) float64, the mapped points.

    >>> apply_homography(np.diag([2.0, 3.0, 1.0]), np.array([[1.0, 1.0]]))
    array([[2., 3.]])
    """
    points = np.asarray(points, dtype=np.float64)
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(mapped[..., :2] / mapped[..., 2:], dtype=np.float64)


def bounding_box(points: Floats) -> NDArray[np.float64]:
    """Return the upright box around points.

    Args:
        points: (..., K, 2) as x, y.

    Returns:
        (..., 4) as x_min, y_min, x_max, y_max.

    >>> bounding_box(np.array([[1.0, 5.0], [3.0, 2.0]]))
    array([1., 2., 3., 5.])
    """
    points = np.asarray(points, dtype=np.float64)
    return np.concatenate([points.min(axis=-2), points.max(axis=-2)], axis=-1)


def box_iou(first: Floats, second: Floats) -> NDArray[np.float64]:
    """Return the intersection over union of every pair of boxes.

    Args:
        first: (N, 4) as x_min, y_min, x_max, y_max.
        second: (M, 4) in the same form.

    Returns:
        (N, M), between 0 and 1.

    >>> box_iou(np.array([[0, 0, 2, 2.0]]), np.array([[0, 0, 2, 2], [1, 0, 3, 2], [5, 5, 6, 6.0]])).round(2)
    array([[1.  , 0.33, 0.  ]])
    """
    first = np.asarray(first, dtype=np.float64).reshape(-1, 4)
    second = np.asarray(second, dtype=np.float64).reshape(-1, 4)
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(axis=2)
    areas = [np.clip(boxes[:, 2:] - boxes[:, :2], 0, None).prod(axis=1) for boxes in (first, second)]
    union = areas[0][:, None] + areas[1][None] - shared
    return np.asarray(np.divide(shared, union, out=np.zeros_like(shared), where=union > 0))


def quad_area(quad: Floats) -> float:
    """Return the area of a quadrilateral (4, 2), by the shoelace formula.

    >>> quad_area(np.array([[0, 0], [4, 0], [4, 3], [0, 3.0]]))
    12.0
    """
    x, y = np.asarray(quad, dtype=np.float64).T
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def unit(vectors: Floats) -> NDArray[np.float64]:
    """Return vectors (..., 2) at length one; a zero vector stays zero.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    vectors = np.asarray(vectors, dtype=np.float64)
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0))


def right_of(down: Floats) -> NDArray[np.float64]:
    """Return the directions to a card's right, given its down directions (..., 2).

    >>> right_of(np.array([0.0, 1.0]))
    array([1., 0.])
    """
    down = np.asarray(down, dtype=np.float64)
    return np.asarray(np.stack([down[..., 1], -down[..., 0]], axis=-1) + 0.0, dtype=np.float64)
