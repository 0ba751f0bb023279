"""Detector crops: labels stay on their indices through scale, window and quarter turns."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.crops import CROP_SIZE, PADDING, SMALLEST, SceneIndices, cut_crop, read_scenes, stream_crops

RED, BLUE = np.array([250, 0, 0]), np.array([0, 0, 250])


def drawn_scene(folder: Path, seed: int = 0, size_wh: tuple[int, int] = (1200, 800)) -> SceneIndices:
    """A white table with indices that are a red dot above a blue one, far from one another; one is hidden."""
    rng = np.random.default_rng(seed)
    image = np.full((size_wh[1], size_wh[0], 3), 255, np.uint8)
    indices = []
    cells = [(x, y) for x in range(100, size_wh[0] - 50, 200) for y in range(100, size_wh[1] - 50, 200)]
    for number, (x, y) in enumerate(cells):
        half = rng.uniform(7, 14)
        angle = rng.uniform(0, 2 * np.pi)
        down = half * np.array([np.cos(angle), np.sin(angle)])
        points = np.array([x, y]) + np.array([-down, down])
        for point, colour in zip(points, (RED, BLUE), strict=True):
            centre = tuple(int(v) for v in np.round((point - 0.5) * 16))
            cv2.circle(image, centre, round(half * 0.5 * 16), colour.tolist(), -1, cv2.LINE_AA, 4)
        low, high = points.min(axis=0) - half / 2, points.max(axis=0) + half / 2
        indices.append(
            {
                "card": "8C",
                "box": [*low.tolist(), *high.tolist()],
                "rank": points[0].tolist(),
                "suit": points[1].tolist(),
                "visible": 0.5 if number == 0 else 1.0,
                "of": number,
            }
        )
    name = f"{seed}.png"
    cv2.imwrite(str(folder / name), image[..., ::-1])
    with open(folder / "labels.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps({"photo": name, "cards": [], "indices": indices}) + "\n")
    return read_scenes(folder)[-1]


def ink(image: np.ndarray, colour: np.ndarray) -> np.ndarray:
    """Where a picture has a colour in whatever light."""
    values = image.astype(int)
    return (values @ (colour > 0) - values @ (colour == 0) / 2) > 60


def test_points_stay_on_their_glyphs(tmp_path: Path) -> None:
    scene = drawn_scene(tmp_path)
    image = scene.read_image()
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(60):
        crop = cut_crop(scene, image, rng)
        assert crop.image.shape == (CROP_SIZE, CROP_SIZE, 3)
        for row in crop.labels * CROP_SIZE:
            height = 2 * np.linalg.norm(row[6:8] - row[4:6])
            assert height >= SMALLEST * 0.999
            for point, colour in ((row[4:6], RED), (row[6:8], BLUE)):
                if (point < 2).any() or (point > CROP_SIZE - 2).any():
                    continue
                y, x = np.nonzero(ink(crop.image, colour))
                near = np.hypot(x + 0.5 - point[0], y + 0.5 - point[1]) < 0.2 * height
                assert near.any()
                centre = np.array([x[near].mean(), y[near].mean()]) + 0.5
                np.testing.assert_allclose(centre, point, atol=0.05 * height + 0.7)
                seen += 1
    assert seen > 300


def test_boxes_hold_their_points_and_lie_inside(tmp_path: Path) -> None:
    scene = drawn_scene(tmp_path)
    image = scene.read_image()
    rng = np.random.default_rng(2)
    for _ in range(40):
        labels = cut_crop(scene, image, rng).labels
        low, high = labels[:, :2] - labels[:, 2:4] / 2, labels[:, :2] + labels[:, 2:4] / 2
        assert (low >= -1e-6).all()
        assert (high <= 1 + 1e-6).all()
        middle = labels[:, 4:].reshape(-1, 2, 2).mean(axis=1)
        assert (middle > low).all()
        assert (middle < high).all()


def test_a_hidden_index_is_not_labelled(tmp_path: Path) -> None:
    scene = drawn_scene(tmp_path, size_wh=(200, 200))
    image = scene.read_image()
    rng = np.random.default_rng(3)
    assert len(scene.visible) == 1
    assert all(not len(cut_crop(scene, image, rng).labels) for _ in range(20))


def test_heights_spread(tmp_path: Path) -> None:
    scene = drawn_scene(tmp_path)
    image = scene.read_image()
    rng = np.random.default_rng(4)
    rows = np.concatenate([cut_crop(scene, image, rng).labels for _ in range(200)]) * CROP_SIZE
    heights = 2 * np.linalg.norm(rows[:, 6:8] - rows[:, 4:6], axis=1)
    low, middle, high = np.percentile(heights, [5, 50, 95])
    assert low < 16
    assert 18 < middle < 40
    assert high > 50


def test_beyond_a_small_scene_there_is_grey(tmp_path: Path) -> None:
    scene = drawn_scene(tmp_path, size_wh=(300, 200))
    rng = np.random.default_rng(5)
    crops = [cut_crop(scene, scene.read_image(), rng).image for _ in range(30)]
    corners = np.concatenate([crop[[0, 0, -1, -1], [0, -1, 0, -1]] for crop in crops])
    assert (np.ptp(corners.astype(int), axis=1) < 60).all()
    assert (corners.mean(axis=1) < 200).any(), f"no corner is near {PADDING}"


def test_a_stream_is_the_same_for_the_same_seed_and_mixes_scenes(tmp_path: Path) -> None:
    scenes = [drawn_scene(tmp_path, seed) for seed in range(3)]
    first, again = (list(stream_crops(scenes, 4, 7, buffered=6)) for _ in range(2))
    assert len(first) == 12
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.image, other.image)
        np.testing.assert_array_equal(one.labels, other.labels)
    other_seed = next(iter(stream_crops(scenes, 4, 8, buffered=6)))
    assert not np.array_equal(first[0].image, other_seed.image)


def test_a_missing_picture(tmp_path: Path) -> None:
    scene = drawn_scene(tmp_path)
    scene.path.unlink()
    with pytest.raises(FileNotFoundError, match="missing or no picture"):
        list(itertools.islice(stream_crops([scene], 1, 0), 1))


def test_an_index_is_found_where_it_is_in_sight() -> None:
    points = np.array([[[100, 90], [100, 110]], [[300, 90], [300, 110]]], np.float32)
    boxes = np.concatenate([points.min(axis=1) - 8, points.max(axis=1) + 8], axis=1)
    scene = SceneIndices(Path("none"), boxes, points, np.array([1.0, 0.2], np.float32), ("8C", "9C"), points[:0])
    assert scene.at(np.array([[103.0, 100], [300, 100], [200, 100]])).tolist() == [0, -1, -1]
    assert scene.at(np.zeros((0, 2))).tolist() == []
    hidden = replace(scene, visible=np.zeros(2, np.float32))
    assert hidden.at(np.array([[103.0, 100]])).tolist() == [-1]
