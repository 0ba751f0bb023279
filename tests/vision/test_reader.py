"""The reader looks again where one look does not tell."""

from __future__ import annotations

import numpy as np
import pytest

from vision.corners import Corners
from vision.photo import Photo
from vision.reader import CLASSES, SECOND_LOOKS, Reader


class Graph:
    """Answers with given logits, call after call, and keeps how many crops each call had."""

    def __init__(self, *answers: float) -> None:
        self.answers = list(answers)
        self.counts: list[int] = []

    def run(self, crops: np.ndarray) -> list[np.ndarray]:
        self.counts.append(len(crops))
        logits = np.zeros((len(crops), CLASSES), np.float32)
        # The first crop is always read at a glance, the others as this call is told.
        logits[:, 7] = self.answers.pop(0)
        if len(self.counts) == 1:
            logits[0, 7] = 30
        return [logits]


def corners(count: int) -> Corners:
    rank = np.tile(np.array([[40.0, 30.0]], np.float32), (count, 1))
    return Corners(np.zeros((count, 4), np.float32), np.ones(count, np.float32), rank, np.add(rank, [0, 20]))


@pytest.fixture
def photo() -> Photo:
    return Photo(np.random.default_rng(0).integers(0, 255, (100, 100, 3), np.uint8))


def test_no_corner_no_reading(photo: Photo) -> None:
    graph = Graph()
    assert Reader(graph, 1.0).read(photo, Corners.none()).shape == (0, CLASSES)
    assert graph.counts == []


def test_what_one_look_tells_is_not_looked_at_again(photo: Photo) -> None:
    graph = Graph(20)
    readings = Reader(graph, 1.0).read(photo, corners(3))
    assert graph.counts == [3]
    assert readings.argmax(axis=1).tolist() == [7] * 3


def test_only_what_is_unsure_is_looked_at_again_and_all_looks_count_alike(photo: Photo) -> None:
    graph = Graph(0, *[30] * len(SECOND_LOOKS))
    readings = Reader(graph, 1.0).read(photo, corners(3))
    assert graph.counts == [3, *[2] * len(SECOND_LOOKS)]
    assert readings.sum(axis=1) == pytest.approx(1)
    assert readings[0, 7] == pytest.approx(1)
    looks = len(SECOND_LOOKS) + 1
    assert readings[1:, 7] == pytest.approx((1 / CLASSES + looks - 1) / looks)
