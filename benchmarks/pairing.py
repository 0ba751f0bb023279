"""How often corner indices are paired into the right cards when all are found and read rightly, and cards of which the
outlines are known are put into the right groups: ``python -m benchmarks.pairing --scenes 300 --seed 1``.

The scenes are those that datasets.build renders for ``val`` with the same seed; nothing is drawn, the labels are the
input, with ``--noise 0.6`` about as far off as the detector is. Needs the art cache (datasets/README.md), for noise the
train extra too.
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from datasets.assets import default_cache
from datasets.build import Recipe, stage
from datasets.scenes import READABLE, LabelledCard, LabelledIndex
from vision.corners import Corners
from vision.layout import group_cards
from vision.limits import Limits
from vision.pairing import pair_corners
from vision.reader import CLASSES


def perfect(indices: Sequence[LabelledIndex]) -> tuple[Corners, np.ndarray]:
    """Return corners and readings as a detector and a reader without any error would give them."""
    points = np.array([[*index.box, *index.rank, *index.suit] for index in indices], np.float32).reshape(-1, 8)
    corners = Corners(points[:, :4], np.ones(len(points), np.float32), points[:, 4:6], points[:, 6:])
    readings = np.zeros((len(points), CLASSES))
    readings[np.arange(len(points)), [index.card.index for index in indices]] = 1.0
    return corners, readings


def misplaced(corners: Corners, seed: int, noise: float) -> Corners:
    """Return corners with the errors that the reader is trained for, ``noise`` times as large."""
    from models.upright import misplaced

    points = misplaced(np.stack([corners.rank, corners.suit], axis=1), np.random.default_rng(seed), noise)
    return replace(corners, rank=points[:, 0].astype(np.float32), suit=points[:, 1].astype(np.float32))


def paired_right(indices: Sequence[LabelledIndex], size_wh: tuple[int, int], seed: int, noise: float) -> bool:
    """Return whether every card gets exactly its own readable indices."""
    readable = [index for index in indices if index.visible >= READABLE]
    corners, readings = perfect(readable)
    if noise and len(corners):
        corners = misplaced(corners, seed, noise)
    groups = pair_corners(corners, readings, size_wh, Limits()).cards
    truth: dict[int, set[int]] = {}
    for place, index in enumerate(readable):
        truth.setdefault(index.of, set()).add(place)
    return {frozenset(group) for group in groups} == {frozenset(members) for members in truth.values()}


def grouped_right(cards: Sequence[LabelledCard]) -> tuple[int, int]:
    """Return how many groups are right, and how many there are."""
    truth: dict[int, set[int]] = {}
    for place, card in enumerate(cards):
        truth.setdefault(card.group, set()).add(place)
    outlines = [tuple((float(x), float(y)) for x, y in card.quad) for card in cards]
    found = {frozenset(group) for group in group_cards(outlines)}
    return len(found & {frozenset(members) for members in truth.values()}), len(truth)


@dataclass(frozen=True)
class Judgement:
    """What became of one scene."""

    number: int
    four_corner: bool
    is_paired: bool
    groups_right: int
    groups: int


def judge(number: int, recipe: Recipe, noise: float) -> Judgement:
    """Pair and group one scene."""
    scene = stage(recipe, number)
    is_paired = paired_right(scene.indices, scene.size_wh, number, noise)
    return Judgement(number, scene.four_corner, is_paired, *grouped_right(scene.cards))


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pairing", description=__doc__.split(":")[0])
    parser.add_argument("--split", default="val")
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--noise", type=float, default=0.0, help="errors of place, as a share of those trained for")
    arguments = parser.parse_args()
    recipe = Recipe(arguments.split, arguments.seed, arguments.cache)
    job = functools.partial(judge, recipe=recipe, noise=arguments.noise)
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        results = list(
            tqdm(pool.imap(job, range(arguments.scenes)), total=arguments.scenes, unit="scene", file=sys.stderr)
        )
    for name, chosen in (
        ("all scenes", results),
        ("two-corner decks", [result for result in results if not result.four_corner]),
        ("four-corner decks", [result for result in results if result.four_corner]),
    ):
        right = sum(result.is_paired for result in chosen)
        print(f"{name:20}{right:5} of {len(chosen):4}  {right / max(len(chosen), 1):.4f}")
    right, groups = sum(result.groups_right for result in results), sum(result.groups for result in results)
    print(f"{'groups':20}{right:5} of {groups:4}  {right / max(groups, 1):.4f}")
    print("paired wrong:", *(result.number for result in results if not result.is_paired))


if __name__ == "__main__":
    main()
