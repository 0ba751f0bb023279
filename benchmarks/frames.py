"""What several frames of one scene are worth: ``python -m benchmarks.frames --sequences 100 --seed 31``.

Sets scenes of held-out decks as ``datasets.build --split val`` does, and takes some frames of each as a phone that is
held still does. Prints how right the first frame alone is, and how right all of them are together, fused as the
service fuses them. Needs the art cache (datasets/README.md).
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import os
import sys
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.assets import default_cache
from datasets.build import Recipe, stage
from datasets.photosets import LabelledPhoto
from datasets.scenes import frames
from models.metrics import MEANINGS, Tally, add_up, tallies
from vision.fusion import fuse
from vision.limits import Limits
from vision.photo import Photo
from vision.scanner import Scanner

SHOWN = (
    "card_recall", "card_precision", "photo_exact", "score_exact", "silent_error", "asked", "joker_recall",
    "equal_beside_right", "groups_right",
)  # fmt: skip


@functools.cache
def _scanner() -> Scanner:
    cv2.setNumThreads(1)
    return Scanner.load()


def judged(number: int, seed: int, count: int) -> tuple[dict[str, Tally], dict[str, Tally]]:
    """Return the tallies of one sequence: of its first frame, and of all frames fused."""
    recipe = Recipe("val", seed, default_cache())
    staged = stage(recipe, number)
    rng = np.random.default_rng([seed, number, 2])
    scenes = []
    for image in frames(rng, staged, recipe.workshop.clutter, count):
        coded = cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85])[1]
        pixels = cv2.imdecode(coded, cv2.IMREAD_COLOR_RGB)
        scenes.append(_scanner().scan(Photo(np.asarray(pixels, np.uint8))))
    groups: dict[int, list[object]] = {}
    for card in staged.cards:
        groups.setdefault(card.group, []).append(card.card)
    truth = LabelledPhoto(
        path=Path(str(number)),
        cards=tuple(card.card for card in staged.cards),
        ranks=None,
        groups=tuple(map(tuple, groups.values())),  # type: ignore[arg-type]
        corners=None,
        boxes=None,
    )
    return tallies(truth, scenes[0]), tallies(truth, fuse(scenes, Limits()))


def main() -> None:
    """Parse the command line, take and read the frames, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=int, default=100)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--frames", type=int, default=5)
    asked = parser.parse_args()
    job = functools.partial(judged, seed=asked.seed, count=asked.frames)
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        found = list(tqdm(pool.imap(job, range(asked.sequences)), total=asked.sequences, unit="scene", file=sys.stderr))
    one, fused = (add_up(part) for part in zip(*found, strict=True))
    print(f"{asked.sequences} sequences of {asked.frames} frames, held-out decks, seed {asked.seed}")
    print(f"{'':20}{'first frame':>24}{'all, fused':>24}")
    for name in SHOWN:
        cells = [f"{tally.rate or 0:.1%} {tally.count:>5} of {tally.of:<5}" for tally in (one[name], fused[name])]
        print(f"{name:20}{cells[0]:>24}{cells[1]:>24}  {MEANINGS[name]}")


if __name__ == "__main__":
    main()
