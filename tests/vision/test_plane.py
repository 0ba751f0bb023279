"""The cards' plane is found from the indices alone, for cameras that look down at a slant."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.corners import Corners
from vision.geometry import apply_homography
from vision.plane import find_plane

SIZE = (1600, 1200)


def fan(count: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """(2 count, 2, 2) rank and suit centres of both ends of fanned cards on a table, and (count, 2) which are one card.

    In index heights; an index is one high, so the two centres are half a height apart.
    """
    points = []
    for angle in np.linspace(-0.9, 0.9, count):
        cos, sin = np.cos(angle), np.sin(angle)
        turn = np.array([[cos, -sin], [sin, cos]])
        near = np.array([[-1.8, -12.5], [-1.8, -12.0]])
        far = np.array([[1.8, -7.5], [1.8, -8.0]])
        points += [near @ turn.T, far @ turn.T]
    return np.array(points), np.arange(2 * count).reshape(-1, 2)


def photographed(points: np.ndarray, tilt: float, way: float, cut: tuple[float, float] = (0, 0)) -> Corners:
    """The corner indices as a camera sees them that is tilted by ``tilt`` degrees towards ``way`` degrees.

    ``cut`` is by how many pixels the photo's middle lies off the one that the lens pointed at.
    """
    axis = np.deg2rad(tilt) * np.array([np.cos(np.deg2rad(way)), np.sin(np.deg2rad(way)), 0.0])
    rotation, _ = cv2.Rodrigues(axis)
    shift = np.array([0, 8.0, 0])
    lying = np.concatenate([points, np.zeros((*points.shape[:2], 1))], axis=2) + shift
    seen = lying @ rotation.T + [0, 0, 32.0]
    focal = 0.75 * max(SIZE)
    pixels = (focal * seen[..., :2] / seen[..., 2:] + np.array(SIZE) / 2 + cut).astype(np.float32)
    boxes = np.concatenate([pixels.min(axis=1), pixels.max(axis=1)], axis=1)
    return Corners(boxes, np.ones(len(pixels), np.float32), pixels[:, 0], pixels[:, 1])


@pytest.mark.parametrize("tilt", [0, 20, 40])
@pytest.mark.parametrize("way", [0, 75, 200])
def test_a_slanting_look_is_straightened(tilt: float, way: float) -> None:
    points, cards = fan()
    corners = photographed(points, tilt, way)
    plane = find_plane(corners, np.ones(len(corners), bool), cards, SIZE)
    lying = plane.corners(corners)
    assert lying.height == pytest.approx(1.0, abs=0.03)
    assert (lying.down[cards[:, 0]] * -lying.down[cards[:, 1]]).sum(axis=1).min() > np.cos(np.deg2rad(1.5))
    apart = np.linalg.norm(lying.centre[cards[:, 0]] - lying.centre[cards[:, 1]], axis=1)
    true = np.hypot(3.6, 4.5)
    assert apart == pytest.approx(true, rel=0.06)
    assert plane.error < 0.05


def test_points_come_back_to_their_pixels() -> None:
    points, cards = fan()
    corners = photographed(points, 35, 30)
    plane = find_plane(corners, np.ones(len(corners), bool), cards, SIZE)
    np.testing.assert_allclose(plane.to_photo(plane.corners(corners).rank), corners.rank, atol=0.05)


def test_an_index_of_another_size_and_a_wrong_pair_do_little_harm() -> None:
    points, cards = fan()
    points[3, 1] += points[3, 1] - points[3, 0]
    corners = photographed(points, 30, 120)
    even = np.ones(len(corners), bool)
    plane = find_plane(corners, even, np.concatenate([cards, [[0, 9]]]), SIZE)
    heights = np.delete(plane.corners(corners).height, 3)
    assert heights == pytest.approx(1.0, abs=0.04)


def test_a_joker_of_any_height_has_no_say() -> None:
    points, cards = fan(3)
    points[2, 1] += 3 * (points[2, 1] - points[2, 0])
    corners = photographed(points, 0, 0)
    even = np.ones(len(corners), bool)
    even[2] = False
    plane = find_plane(corners, even, np.delete(cards, 1, axis=0), SIZE)
    assert np.delete(plane.corners(corners).height, 2) == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize("way", [0, 45, 90, 135])
def test_one_index_leaves_the_photo_as_it_is(way: float) -> None:
    down = 30 * np.array([np.cos(np.deg2rad(way)), np.sin(np.deg2rad(way))])
    rank = np.array([[400.0, 500.0]], np.float32)
    suit = (rank + down).astype(np.float32)
    corners = Corners(np.concatenate([rank, suit], axis=1), np.ones(1, np.float32), rank, suit)
    plane = find_plane(corners, np.array([True]), np.zeros((0, 2), int), SIZE)
    square = np.array([[800, 600], [860, 600], [800, 660.0]])
    mapped = apply_homography(plane.to_plane, square)
    across, along = mapped[1] - mapped[0], mapped[2] - mapped[0]
    assert np.linalg.norm(across) == pytest.approx(1.0, rel=0.02)
    assert np.linalg.norm(along) == pytest.approx(1.0, rel=0.02)
    assert float(across @ along) == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize("cut", [(0, 0), (350, 0), (-250, 250)])
@pytest.mark.parametrize("way", [0, 75, 200])
def test_cards_of_one_length_straighten_a_photo_that_has_been_cut(cut: tuple[float, float], way: float) -> None:
    points, cards = fan()
    corners = photographed(points, 45, way, cut)
    even = np.ones(len(corners), bool)
    first = find_plane(corners, even, cards, SIZE)
    plane = find_plane(corners, even, cards, SIZE, spans=[cards], start=first)
    lying = plane.corners(corners)
    apart = np.linalg.norm(lying.centre[cards[:, 0]] - lying.centre[cards[:, 1]], axis=1)
    assert apart == pytest.approx(float(np.median(apart)), rel=0.01)


def test_a_wrong_span_does_little_harm() -> None:
    points, cards = fan()
    corners = photographed(points, 30, 120, (200, 0))
    spans = np.concatenate([cards, [[0, 9]]])
    plane = find_plane(corners, np.ones(len(corners), bool), cards, SIZE, spans=[spans])
    lying = plane.corners(corners)
    apart = np.linalg.norm(lying.centre[cards[:, 0]] - lying.centre[cards[:, 1]], axis=1)
    assert apart == pytest.approx(float(np.median(apart)), rel=0.02)
