"""Training crops for the detector, cut from rendered scenes.

A corner index is a local thing, so the detector learns on small crops of large scenes. Every crop has a scale
of its own, which spreads the index heights, and is turned by quarters, which keeps boxes exact. A label is a
row of YOLO's pose form without the class: centre x, centre y, width, height, rank x, rank y, suit x, suit y,
all relative to the crop.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.photosets import read_labels
from engine.cards import JOKER

CROP_SIZE = 448
"""Side of a crop in pixels."""
VISIBLE = 0.75
"""Least visible share of an index that is labelled."""
IN_SIGHT = 0.4
"""Least visible share of an index for a detector to be right that finds it."""
NEAR = 0.4
"""It is found where a detector's point lies nearer than this many index heights."""
INSIDE = 0.9
"""Least share of an index box inside the crop for the index to be labelled."""
SMALLEST = 9.0
"""Least index height in a crop, in pixels, for the index to be labelled: below, nobody can read it."""
HEIGHTS = (12.0, 30.0, 95.0)
"""Least, median and largest index height in ordinary crops, in pixels."""
CLOSE_UP = 220.0
"""Largest index height in close-ups."""
CLOSE_UPS = 0.06
"""Share of crops that are close-ups."""
JOKERS = 4.0
"""How many times as often crops are cut around a joker as around another card: few are dealt, and no two look alike."""
EMPTY = 0.06
"""Share of crops that are taken anywhere, so that many show no index."""
LARGEST_SCALE = 2.5
"""No scene is enlarged by more than this: no phone blurs so much."""
FOUND = "found.jsonl"
"""File beside a set's labels that says where a detector finds indices; ``models.find`` writes it."""
PADDING = 114
"""Grey level beyond the scene, as letterboxes have it."""


@dataclass(frozen=True)
class SceneIndices:
    """One rendered scene on disk and its corner indices, N of them, in pixels."""

    path: Path
    boxes: NDArray[np.float32]
    """(N, 4) x_min, y_min, x_max, y_max."""
    points: NDArray[np.float32]
    """(N, 2, 2) centres of rank and suit as x, y."""
    visible: NDArray[np.float32]
    """(N,) share of the index in sight."""
    cards: tuple[str, ...]
    """What each index shows."""
    found: NDArray[np.float32]
    """(M, 2, 2) centres of rank and suit where a detector finds indices, in the same form."""

    @property
    def heights(self) -> NDArray[np.float32]:
        """(N,) index heights: twice the distance between the two centres."""
        return 2 * np.linalg.norm(self.points[:, 1] - self.points[:, 0], axis=1)

    def at(self, points: NDArray[np.floating]) -> NDArray[np.int_]:
        """Return which index in sight lies at each point, -1 for none.

        Args:
            points: (M, 2) in pixels.
        """
        seen = np.flatnonzero(self.visible >= IN_SIGHT)
        if not len(seen) or not len(points):
            return np.full(len(points), -1)
        middles, heights = self.points[seen].mean(axis=1), np.maximum(self.heights[seen], 10)
        gaps = np.linalg.norm(points[:, None] - middles[None], axis=2) / heights
        return np.asarray(np.where(gaps.min(axis=1) < NEAR, seen[gaps.argmin(axis=1)], -1))

    def read_image(self) -> NDArray[np.uint8]:
        """Return the picture, (H, W, 3) RGB."""
        image = cv2.imread(str(self.path), cv2.IMREAD_COLOR_RGB)
        if image is None:
            raise FileNotFoundError(f"{self.path} is missing or no picture.")
        return np.asarray(image, np.uint8)


@dataclass(frozen=True)
class Crop:
    """A training picture for the detector and its labels."""

    image: NDArray[np.uint8]
    """(CROP_SIZE, CROP_SIZE, 3) RGB."""
    labels: NDArray[np.float32]
    """(K, 8) as in the head of this module."""


def read_scenes(*folders: Path) -> list[SceneIndices]:
    """Return the scenes that ``datasets.build`` wrote into the folders."""
    scenes = []
    for folder in folders:
        found = _read_found(folder / FOUND)
        for label in read_labels(folder):
            indices = label["indices"]
            scenes.append(
                SceneIndices(
                    path=folder / label["photo"],
                    boxes=np.array([index["box"] for index in indices], np.float32).reshape(-1, 4),
                    points=np.array([[index["rank"], index["suit"]] for index in indices], np.float32).reshape(
                        -1, 2, 2
                    ),
                    visible=np.array([index["visible"] for index in indices], np.float32),
                    cards=tuple(index["card"] for index in indices),
                    found=np.array(found.get(label["photo"], []), np.float32).reshape(-1, 2, 2),
                )
            )
    return scenes


def _read_found(path: Path) -> dict[str, list[list[float]]]:
    if not path.exists():
        return {}
    with open(path, encoding="utf-8") as file:
        return {line["photo"]: line["found"] for line in map(json.loads, file)}


def cut_crop(scene: SceneIndices, image: NDArray[np.uint8], rng: np.random.Generator) -> Crop:
    """Return one crop of a scene, most often around one of its readable indices.

    Args:
        scene: the scene's indices.
        image: (H, W, 3) RGB, the scene's picture.
        rng: source of chance.
    """
    height, width = image.shape[:2]
    readable = np.flatnonzero(scene.visible >= VISIBLE)
    anywhere = rng.random() < EMPTY or not len(readable)
    if anywhere:
        centre, index_height = rng.uniform((0, 0), (width, height)), 35.0
    else:
        weights = np.array([JOKERS if scene.cards[place] == JOKER.code else 1.0 for place in readable])
        chosen = readable[rng.choice(len(readable), p=weights / weights.sum())]
        centre, index_height = scene.points[chosen].mean(axis=0), float(scene.heights[chosen])
    scale = min(_height(rng) / index_height, LARGEST_SCALE)
    # Foreshortened a little more than the scene is.
    stretch = scale * np.exp(rng.normal(0, 0.07) * np.array([1, -1]))
    window = CROP_SIZE / stretch
    # The chosen index may lie anywhere in the crop that does not cut it.
    reach = np.maximum(window / 2 - index_height, 0)
    corner = np.round(centre + rng.uniform(-reach, reach) - window / 2)
    pixels = np.maximum(np.round(window), 1).astype(int)
    # A crop larger than the scene shows it whole; another stays inside it.
    slack = (width, height) - pixels
    corner = np.where(slack > 0, np.clip(corner, 0, slack), np.round(rng.random(2) * slack)).astype(int)
    picture = _window(image, corner, pixels)
    shrinks = stretch.min() < 1
    picture = cv2.resize(picture, (CROP_SIZE, CROP_SIZE), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    labels = _labels(scene, readable, corner, pixels)
    turns = int(rng.integers(4))
    return Crop(
        np.ascontiguousarray(_relit(np.rot90(picture, turns), rng)),
        _turned(labels, turns),
    )


def stream_crops(scenes: Sequence[SceneIndices], per_scene: int, seed: int, buffered: int = 96) -> Iterator[Crop]:
    """Yield ``per_scene`` crops of every scene, mixed, so that a batch holds crops of many scenes.

    Args:
        scenes: where to cut.
        per_scene: crops per scene.
        seed: source of chance; the same seed yields the same crops in the same order.
        buffered: how many crops wait to be drawn from.
    """
    rng = np.random.default_rng(seed)
    waiting: list[Crop] = []
    for place in rng.permutation(len(scenes)):
        image = scenes[place].read_image()
        for _ in range(per_scene):
            waiting.append(cut_crop(scenes[place], image, rng))
            if len(waiting) > buffered:
                drawn = int(rng.integers(len(waiting)))
                waiting[drawn], waiting[-1] = waiting[-1], waiting[drawn]
                yield waiting.pop()
    rng.shuffle(waiting)  # type: ignore[arg-type]
    yield from waiting


def _height(rng: np.random.Generator) -> float:
    low, middle, high = HEIGHTS
    if rng.random() < CLOSE_UPS:
        return float(np.exp(rng.uniform(np.log(high), np.log(CLOSE_UP))))
    # Evenly in logarithm on either side of the median.
    edges = (low, middle) if rng.random() < 0.5 else (middle, high)
    return float(np.exp(rng.uniform(*np.log(edges))))


def _window(image: NDArray[np.uint8], corner: NDArray[np.int_], pixels: NDArray[np.int_]) -> NDArray[np.uint8]:
    """The part of the picture at ``corner`` (x, y), ``pixels`` (width, height) large, padded with grey."""
    height, width = image.shape[:2]
    (x, y), (right, bottom) = corner, corner + pixels
    part = image[max(y, 0) : bottom, max(x, 0) : right]
    margins = max(-y, 0), max(bottom - height, 0), max(-x, 0), max(right - width, 0)
    if not any(margins):
        return part
    return np.asarray(cv2.copyMakeBorder(part, *margins, cv2.BORDER_CONSTANT, value=(PADDING,) * 3), np.uint8)


def _labels(
    scene: SceneIndices, readable: NDArray[np.intp], corner: NDArray[np.int_], pixels: NDArray[np.int_]
) -> NDArray[np.float32]:
    boxes = (scene.boxes[readable] - np.tile(corner, 2)) / np.tile(pixels, 2)
    points = (scene.points[readable] - corner) / pixels
    clipped = np.clip(boxes, 0, 1)
    sides, seen = boxes[:, 2:] - boxes[:, :2], clipped[:, 2:] - clipped[:, :2]
    inside = seen.prod(axis=1) >= INSIDE * np.maximum(sides.prod(axis=1), 1e-12)
    large = 2 * np.linalg.norm((points[:, 1] - points[:, 0]) * CROP_SIZE, axis=1) >= SMALLEST
    centres = (clipped[:, :2] + clipped[:, 2:]) / 2
    rows = np.concatenate([centres, seen, points.reshape(-1, 4)], axis=1)
    return rows[inside & large].astype(np.float32)


def _turned(labels: NDArray[np.float32], turns: int) -> NDArray[np.float32]:
    """Labels of a crop turned by ``turns`` quarters against the clock, as ``numpy.rot90`` turns it."""
    points = labels.reshape(-1, 4, 2)  # centre, size, rank, suit
    for _ in range(turns):
        points = np.stack([points[..., 1], 1 - points[..., 0]], axis=-1)
    turned = points.reshape(-1, 8).copy()
    turned[:, 2:4] = labels[:, 3:1:-1] if turns % 2 else labels[:, 2:4]
    return turned


def _relit(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """The crop in slightly other light: gamma and a gain for each colour."""
    levels = np.arange(256, dtype=np.float32)[:, None] / 255
    gains = rng.uniform(0.75, 1.15) * np.exp(rng.normal(0, 0.04, 3))
    table = 255 * np.clip(levels ** np.exp(rng.normal(0, 0.15)) * gains, 0, 1)
    return np.asarray(cv2.LUT(np.ascontiguousarray(image), table.astype(np.uint8)[None]), np.uint8)
