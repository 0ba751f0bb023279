"""The chance of an index is fitted to what was found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")

from datasets.crops import SceneIndices
from models.calibrate import fit, is_index
from vision.corners import Corners
from vision.presence import Presence


def test_the_function_that_made_the_finds_is_found_again() -> None:
    rng = np.random.default_rng(0)
    evidence = rng.uniform(0.05, 0.95, (20_000, 2))
    true = Presence(0.4, 2.0, 0.7)
    there = rng.random(len(evidence)) < true.of(evidence[:, 0], evidence[:, 1])
    found = fit(evidence, there)
    assert (found.bias, found.detector, found.reader) == pytest.approx((0.4, 2.0, 0.7), abs=0.1)


def test_finds_on_an_index_in_sight_are_indices() -> None:
    points = np.array([[[100, 90], [100, 110]], [[300, 90], [300, 110]]], np.float32)
    boxes = np.concatenate([points.min(axis=1) - 8, points.max(axis=1) + 8], axis=1)
    scene = SceneIndices(Path("none"), boxes, points, np.array([1.0, 0.2], np.float32), ("8C", "9C"), points[:0])
    middles = np.array([[103, 100], [300, 100], [200, 100]], np.float32)
    corners = Corners(
        np.zeros((3, 4), np.float32), np.ones(3, np.float32), np.subtract(middles, [0, 10]), np.add(middles, [0, 10])
    )
    assert is_index(corners, scene).tolist() == [True, False, False]
    assert is_index(Corners.none(), scene).tolist() == []
