"""Where the detector looks, and at what scale."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.corners import Corners
from vision.detector import FINE_HEIGHT, find_corners
from vision.photo import Photo


@dataclass
class FakeDetector:
    """Sees indices painted as white squares of a given height, at whatever scale it is shown them."""

    seen: list[tuple[int, int]] = field(default_factory=list)
    smallest: float = 6.0

    def detect(self, image: NDArray[np.uint8], least: float) -> Corners:  # noqa: ARG002
        import cv2

        self.seen.append(image.shape[1::-1])
        count, _, stats, centres = cv2.connectedComponentsWithStats((image[..., 0] > 128).astype(np.uint8))
        boxes, points = [], []
        for which in range(1, count):
            x, y, width, height, _ = stats[which]
            if height >= self.smallest:
                boxes.append([x, y, x + width, y + height])
                points.append(centres[which])
        if not boxes:
            return Corners.none()
        middle, heights = np.array(points, np.float32), np.array(boxes, np.float32)[:, 3] - np.array(boxes)[:, 1]
        half = np.stack([np.zeros(len(heights)), heights / 4], axis=1).astype(np.float32)
        return Corners(np.array(boxes, np.float32), np.full(len(boxes), 0.9, np.float32), middle - half, middle + half)


def photo(width: int, height: int, size: int, *places: tuple[int, int]) -> Photo:
    """A dark photo with white squares of ``size`` pixels at the places given."""
    image = np.zeros((height, width, 3), np.uint8)
    for x, y in places:
        image[y : y + size, x : x + size] = 255
    return Photo(image)


def test_the_second_look_shows_indices_at_the_trained_height() -> None:
    detector = FakeDetector()
    found = find_corners(detector, photo(4000, 3000, 100, (1500, 1500), (1800, 1500), (2100, 1500)), 0.25)
    assert len(found) == 3
    assert np.allclose(found.height, 100, rtol=0.05)
    coarse, fine = detector.seen
    assert coarse == (960, 720)
    # Around the cards alone, and scaled down by about a third.
    assert fine[0] < (600 + 14 * 100 + 200) * FINE_HEIGHT / 100


def test_a_small_photo_is_enlarged() -> None:
    detector = FakeDetector(smallest=10)
    found = find_corners(detector, photo(378, 504, 12, (100, 100), (200, 300)), 0.25)
    assert len(found) == 2
    assert np.allclose(found.centre, [[105.5, 105.5], [205.5, 305.5]], atol=1.5)
    assert detector.seen[0][1] >= 900


def test_an_index_too_large_for_the_second_look_is_kept_from_the_first() -> None:
    detector = FakeDetector()
    found = find_corners(detector, photo(2000, 1500, 40, (600, 600), (700, 600), (800, 600), (900, 600)), 0.25)
    assert len(found) == 4


def test_nothing_is_nothing_after_looking_closer_and_from_afar() -> None:
    detector = FakeDetector()
    assert len(find_corners(detector, photo(1200, 900, 10), 0.25)) == 0
    assert {max(size) for size in detector.seen} == {480, 960, 1600}


def test_a_thin_strip_is_looked_at() -> None:
    assert len(find_corners(FakeDetector(), Photo(np.zeros((1, 4000, 3), np.uint8)), 0.25)) == 0


def test_large_indices_are_found_on_the_half_alone() -> None:
    whole = photo(4000, 3000, 100, (1500, 1500), (1800, 1500), (2101, 1501))

    def refuse() -> NDArray[np.uint8]:
        raise AssertionError("The whole picture is not needed.")

    half = find_corners(FakeDetector(), Photo.seen_at_half(whole.level(1), refuse), 0.25)
    expected = find_corners(FakeDetector(), whole, 0.25)
    np.testing.assert_allclose(half.xyxy, expected.xyxy, atol=1)


def test_small_indices_are_looked_at_on_the_whole() -> None:
    whole = photo(4000, 3000, 40, (1500, 1500), (1600, 1500), (1700, 1500))
    asked = []
    seen = Photo.seen_at_half(whole.level(1), lambda: asked.append(1) or whole.pixels)
    assert np.allclose(find_corners(FakeDetector(), seen, 0.25).height, 40, rtol=0.05)
    assert asked == [1]
