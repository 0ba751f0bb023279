"""Upright crops: the same part of the card whatever its place, angle and size in the photo."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.crops import CROP_COLUMNS, CROP_HEIGHT, CROP_ROWS, SURROUNDINGS, index_crops, reader_crops
from vision.photo import Photo


def drawn(angle: float, half: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A red dot at the rank, a blue one at the suit and a green one to the right of the middle."""
    image = np.full((400, 400, 3), 255, np.uint8)
    down = np.array([-np.sin(angle), np.cos(angle)]) * half
    right = np.array([np.cos(angle), np.sin(angle)]) * half
    middle = np.array([200.0, 200.0])
    rank, suit = middle - down / 2, middle + down / 2
    for point, colour in ((rank, (255, 0, 0)), (suit, (0, 0, 255)), (middle + 0.7 * right, (0, 255, 0))):
        cv2.circle(
            image,
            tuple(int(v) for v in np.round((point - 0.5) * 16)),
            round(half * 0.2 * 16),
            colour,
            -1,
            cv2.LINE_AA,
            4,
        )
    return image, rank, suit


@pytest.mark.parametrize("angle", [0.0, 0.6, 2.0, 3.1, 4.7])
@pytest.mark.parametrize("half", [12.0, 25.0, 90.0])
def test_a_crop_shows_rank_above_suit(angle: float, half: float) -> None:
    image, rank, suit = drawn(angle, half)
    (crop,) = index_crops(Photo(image), rank[None], suit[None])
    assert crop.shape == (CROP_ROWS, CROP_COLUMNS, 3)
    unit = CROP_ROWS / CROP_HEIGHT
    for channels, centre in (
        ((1, 2), (CROP_COLUMNS / 2, CROP_ROWS / 2 - unit / 2)),
        ((0, 1), (CROP_COLUMNS / 2, CROP_ROWS / 2 + unit / 2)),
        ((0, 2), (CROP_COLUMNS / 2 + 0.7 * unit, CROP_ROWS / 2)),
    ):
        ink = 255.0 - crop[..., channels].max(axis=2)
        y, x = np.mgrid[:CROP_ROWS, :CROP_COLUMNS] + 0.5
        found = (x * ink).sum() / ink.sum(), (y * ink).sum() / ink.sum()
        assert found == pytest.approx(centre, abs=0.6)


def test_shrinking_averages() -> None:
    lines = np.zeros((600, 600, 3), np.uint8)
    lines[::2] = 255
    (crop,) = index_crops(Photo(lines), np.array([[300.0, 200.0]]), np.array([[300.0, 400.0]]))
    assert np.abs(crop.astype(int) - 127).max() < 40


def test_the_edge_of_the_picture_is_repeated() -> None:
    image = np.full((50, 50, 3), 77, np.uint8)
    crops = index_crops(Photo(image), np.array([[0.0, 0.0], [49.0, 60.0]]), np.array([[0.0, 20.0], [49.0, 90.0]]))
    assert (crops == 77).all()


def test_no_indices_and_no_direction() -> None:
    image = np.zeros((20, 20, 3), np.uint8)
    assert index_crops(Photo(image), np.zeros((0, 2)), np.zeros((0, 2))).shape == (0, CROP_ROWS, CROP_COLUMNS, 3)
    point = np.array([[5.0, 5.0]])
    assert index_crops(Photo(image), point, point).shape == (1, CROP_ROWS, CROP_COLUMNS, 3)


@pytest.mark.parametrize("angle", [0.0, 2.0])
def test_a_readers_crop_shows_the_index_and_what_lies_around_it(angle: float) -> None:
    image, rank, suit = drawn(angle, 25.0)
    (crop,) = reader_crops(Photo(image), rank[None], suit[None])
    assert crop.shape == (CROP_ROWS, CROP_COLUMNS, 6)
    np.testing.assert_array_equal(crop[..., :3], index_crops(Photo(image), rank[None], suit[None])[0])
    unit = CROP_ROWS / CROP_HEIGHT / SURROUNDINGS
    ink = 255.0 - crop[..., 4:].max(axis=2)
    y, x = np.mgrid[:CROP_ROWS, :CROP_COLUMNS] + 0.5
    found = (x * ink).sum() / ink.sum(), (y * ink).sum() / ink.sum()
    assert found == pytest.approx((CROP_COLUMNS / 2, CROP_ROWS / 2 - unit / 2), abs=0.6)


def test_of_no_indices_a_reader_gets_no_crops() -> None:
    image = np.zeros((20, 20, 3), np.uint8)
    assert reader_crops(Photo(image), np.zeros((0, 2)), np.zeros((0, 2))).shape == (0, CROP_ROWS, CROP_COLUMNS, 6)


@pytest.mark.parametrize("half", [20.0, 47.0, 100.0, 230.0])
def test_a_large_index_looks_like_a_small_one(half: float) -> None:
    """However far a picture shrinks, averaged by halves first, a crop shows the same."""
    large, rank, suit = drawn(0.4, half=180.0)
    expected = index_crops(Photo(large), rank[None], suit[None])[0].astype(int)
    scale = half / 180.0
    other = cv2.resize(large, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    (crop,) = index_crops(Photo(other), scale * rank[None], scale * suit[None])
    assert np.abs(crop - expected).mean() < 4
