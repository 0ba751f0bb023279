"""The plane that the cards lie in: the homography under which all corner indices are equally large.

A camera that looks down at a slant turns and shortens cards differently all over the photo. Seen from straight above,
indices of one deck have one height, and the two ends of a card point opposite ways exactly; so the camera's tilt can be
worked out from the indices alone, and cards be measured as if they lay on squared paper. It is a least-squares estimate
with priors for how phones are held, so few or parallel indices leave the photo nearly as it is. Once it is known which
indices are of one card, the equal lengths on all cards tell the plane far more exactly than the indices themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.corners import Corners
from vision.geometry import apply_homography, unit

LENGTH_ERROR = 0.1
"""Usual standard error of the logarithm of an index's height; each photo's own is estimated from there."""
ANGLE_PER_LENGTH = 1.6
"""Standard error of the angle between the two ends of a card, in radians, as a multiple of that of heights."""
SPAN_PER_LENGTH = 0.4
"""Standard error of the logarithm of the distance between two indices of a card, as a multiple of that of heights."""
TILT = np.deg2rad(20)
"""How far the camera is usually tilted towards either side, as a standard error from zero."""
FOCAL = 1.5
"""Usual focal length in halves of the photo's longer side: a phone sees some 67 degrees."""
FOCAL_ERROR = 0.3
"""Standard error of its logarithm: phones have several lenses, and photos are cut."""
STRETCH = 0.1
"""How much a plane is stretched after all, as a standard error from zero: the middle of a photo that has been cut is
not where the lens pointed, and what a tilted camera shortens is then misjudged."""
UNSEEN_STRETCH = 0.001
"""The same where no spans are known: heights and directions alone are too coarse to tell it."""
PRIORS = 5
"""Numbers of a view of which it is known beforehand what is usual."""
SHALLOWEST = 0.15
"""Least depth along the turned view, so that nothing reaches the horizon."""
PRIOR_COUNT = 4
"""How many indices the usual error weighs as much as, where the error of a photo is estimated."""
STEPS = 12
ROUNDS = 3


@dataclass(frozen=True)
class Plane:
    """Maps the photo's pixels to the plane, where a usual index is one unit high, and back."""

    to_plane: NDArray[np.float64]
    """(3, 3) from pixels to index heights."""
    error: float
    """Standard error of the heights of indices in the plane, as a share: how exactly this photo can be measured."""
    view: NDArray[np.float64]
    """(6,) the numbers that it was fitted by, as a start for a better one."""

    def corners(self, corners: Corners) -> Corners:
        """Return corner indices as they lie in the plane; boxes stay in pixels."""
        rank, suit = (apply_homography(self.to_plane, points) for points in (corners.rank, corners.suit))
        return Corners(corners.xyxy, corners.confidence, rank.astype(np.float32), suit.astype(np.float32))

    def to_photo(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return points (..., 2) of the plane in pixels."""
        return apply_homography(np.linalg.inv(self.to_plane), points)


@dataclass(frozen=True)
class _Sight:
    """What a photo shows, and what is known to be equal on the cards."""

    points: NDArray[np.float64]
    """(N, 2, 2) rank and suit centres from the photo's middle, in halves of its longer side."""
    even: NDArray[np.bool_]
    """(N,) which indices are equally high."""
    opposite: NDArray[np.int_]
    """(K, 2) indices that probably point opposite ways."""
    spans: Sequence[NDArray[np.int_]]
    """Each (K, 2) indices that are as far from each other."""


def find_plane(
    corners: Corners,
    even: NDArray[np.bool_],
    opposite: NDArray[np.int_],
    size_wh: tuple[int, int],
    spans: Sequence[NDArray[np.int_]] = (),
    start: Plane | None = None,
) -> Plane:
    """Return the plane in which indices are most alike in height, and the two ends of cards opposite in direction.

    Args:
        corners: N corner indices in pixels, one at least.
        even: (N,) which of them are equally high on their cards; a joker's lettering may have any height.
        opposite: (K, 2) pairs of indices that are probably the two ends of a card; wrong ones do little harm.
        size_wh: width and height of the photo in pixels.
        spans: each (K, 2) pairs of indices that are probably as far from each other as the other pairs of it. They
            are measured far more exactly than heights; wrong ones do little harm.
        start: what to improve on.
    """
    even = even if even.any() else np.ones(len(corners), bool)
    middle, half = np.array(size_wh) / 2, max(size_wh) / 2
    points = (np.stack([corners.rank, corners.suit], axis=1) - middle) / half
    sight = _Sight(points.astype(np.float64), even, opposite, spans)
    lengths = np.linalg.norm(points[even, 1] - points[even, 0], axis=1) / FOCAL
    # Tilt towards x and y, logarithm of the focal length as it is to the usual one, stretch of the plane along x and
    # along its diagonal, and logarithm of a glyph distance.
    view = np.array([0.0, 0.0, 0.0, 0.0, 0.0, np.log(max(float(np.median(lengths)), 1e-6))])
    if start is not None:
        view = start.view
    error = LENGTH_ERROR
    for _ in range(ROUNDS):
        view = _fitted(view, sight, error)
        misses = _errors(view, sight, error)[: int(even.sum())] * error
        # The median does not see other designs and wild misses; three numbers are fitted to few heights.
        spread = 1.48 * float(np.median(np.abs(misses)))
        count = max(len(misses) - 3, 0)
        error = float(np.sqrt((PRIOR_COUNT * LENGTH_ERROR**2 + count * spread**2) / (PRIOR_COUNT + count)))
    # Rank and suit are half an index height apart.
    matrix = np.diag([1.0, 1.0, 2 * np.exp(view[5])]) @ _straightened(view) @ np.diag([1 / half, 1 / half, 1.0])
    matrix[:, 2] -= matrix[:, :2] @ middle
    return Plane(matrix, error, view)


def _fitted(view: NDArray[np.float64], sight: _Sight, error: float) -> NDArray[np.float64]:
    """The view of least cost, by Gauss and Newton's steps from the one given, none of them uphill."""
    errors = _errors(view, sight, error)
    for _ in range(STEPS):
        slopes = np.stack(
            [(_errors(view + nudge, sight, error) - errors) / 1e-5 for nudge in 1e-5 * np.eye(len(view))], axis=1
        )
        # Cauchy weights: what does not fit at all, as another deck's index, hardly counts.
        weights = 1 / (1 + errors**2 / 4)
        weights[-PRIORS:] = 1
        weighted = slopes * weights[:, None]
        step = np.clip(np.linalg.solve(slopes.T @ weighted + 1e-9 * np.eye(len(view)), -weighted.T @ errors), -0.2, 0.2)
        while np.abs(step).max() >= 1e-3:
            stepped = _errors(view + step, sight, error)
            if _cost(stepped) < _cost(errors):
                view, errors = view + step, stepped
                break
            step = step / 2
        else:
            break
    return view


def _cost(errors: NDArray[np.float64]) -> float:
    """Return the cost whose slope Cauchy's weights give; the errors of the view, the last ones, count in full."""
    return float(4 * np.log1p(errors[:-PRIORS] ** 2 / 4).sum() + (errors[-PRIORS:] ** 2).sum())


def _straightened(view: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, 3) from the photo to what a camera at the same place sees that looks straight down (Rodrigues' rotation)."""
    focal = FOCAL * np.exp(view[2])
    rotation, _ = cv2.Rodrigues(np.array([view[1], -view[0], 0.0]))
    matrix = rotation @ np.diag([1 / focal, 1 / focal, 1.0])
    along, slanting = view[3:5]
    matrix[:2] = np.array([[1 + along, slanting], [slanting, 1 - along]]) @ matrix[:2]
    return np.asarray(matrix)


def _errors(view: NDArray[np.float64], sight: _Sight, error: float) -> NDArray[np.float64]:
    """Errors in standard errors: of heights, of angles between ends, of spans, and of the view against the usual."""
    matrix = _straightened(view)
    depth = np.maximum(sight.points @ matrix[2, :2] + matrix[2, 2], SHALLOWEST)
    laid = (sight.points @ matrix[:2, :2].T + matrix[:2, 2]) / depth[..., None]
    vectors = laid[:, 1] - laid[:, 0]
    lengths = _log_length(vectors[sight.even])
    down, middle = unit(vectors), laid.mean(axis=1)
    first, second = down[sight.opposite[:, 0]], -down[sight.opposite[:, 1]]
    turn = np.arctan2(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0], (first * second).sum(axis=1))
    stretch = STRETCH if sight.spans else UNSEEN_STRETCH
    apart = [_log_length(middle[span[:, 1]] - middle[span[:, 0]]) for span in sight.spans]
    return np.concatenate(
        [
            (lengths - view[5]) / error,
            turn / (ANGLE_PER_LENGTH * error),
            *((logs - np.median(logs)) / (SPAN_PER_LENGTH * error) for logs in apart),
            view[:PRIORS] / [TILT, TILT, FOCAL_ERROR, stretch, stretch],
        ]
    )


def _log_length(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log(np.maximum(np.linalg.norm(vectors, axis=-1), 1e-9)))
