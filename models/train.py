"""Train: ``python -m models.train detector --scenes DIR --out RUN``. The same command resumes a run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datasets.assets import default_cache, starting_weights
from datasets.crops import SceneIndices, read_scenes
from models import runs
from models.budget import Budget
from models.weights import CHECKPOINTS, WeightsError

if TYPE_CHECKING:
    from models.learner import Course

KEPT_APART = 20
"""Without scenes to validate on, every so-manieth scene is kept apart for it."""


def _detector(arguments: argparse.Namespace) -> None:
    from models.train_detector import train_detector

    kept = CHECKPOINTS / "detector.safetensors"
    start = None
    if not arguments.from_zero:
        start = arguments.start or (kept if kept.exists() else starting_weights(default_cache()))
    scenes, validation = _sets(arguments)
    budget = Budget(arguments.epochs, arguments.minutes)
    settings = {
        "family": arguments.family,
        "start": start.name if start else "random",
        "batch": arguments.batch,
        "peak": arguments.peak,
        "seed": arguments.seed,
    }
    _begin(arguments, settings)
    train_detector(_course(arguments, scenes, validation, budget, start), arguments.family)
    _finish(arguments, budget)


def _reader(arguments: argparse.Namespace) -> None:
    from models.train_reader import draw_patches, train_reader

    kept = CHECKPOINTS / "reader.safetensors"
    start = None if arguments.from_zero else arguments.start or (kept if kept.exists() else None)
    scenes, validation = _sets(arguments)
    budget = Budget(arguments.epochs, arguments.minutes)
    settings = {
        "start": start.name if start else "random",
        "batch": arguments.batch,
        "peak": arguments.peak,
        "seed": arguments.seed,
        "drawn_decks": arguments.decks,
    }
    patches = draw_patches(arguments.decks, arguments.seed)
    _begin(arguments, settings)
    train_reader(_course(arguments, scenes, validation, budget, start), patches)
    _finish(arguments, budget)


def _course(
    arguments: argparse.Namespace,
    scenes: Sequence[SceneIndices],
    validation: Sequence[SceneIndices],
    budget: Budget,
    start: Path | None,
) -> Course:
    from models.learner import Course

    batch, peak, seed = arguments.batch, arguments.peak, arguments.seed
    return Course(scenes, validation, arguments.out, budget, start, batch, peak, seed)


def _sets(arguments: argparse.Namespace) -> tuple[list[SceneIndices], list[SceneIndices]]:
    """Scenes to learn from and scenes to validate on."""
    scenes, validation = read_scenes(*arguments.scenes), read_scenes(*arguments.val)
    if validation:
        return scenes, validation
    return (
        [scene for place, scene in enumerate(scenes) if place % KEPT_APART],
        scenes[::KEPT_APART],
    )


def _begin(arguments: argparse.Namespace, settings: dict[str, Any]) -> None:
    data = [runs.describe(folder) for folder in (*arguments.scenes, *arguments.val)]
    runs.begin(arguments.out, arguments.part, settings, data)


def _finish(arguments: argparse.Namespace, budget: Budget) -> None:
    runs.record(arguments.out, budget.epoch, budget.spent / 60)
    _, figures = runs.read_run(arguments.out)
    print(json.dumps(figures))


def main() -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(prog="python -m models.train", description=__doc__)
    parts = parser.add_subparsers(required=True, dest="part")
    detector = parts.add_parser("detector", help="the YOLO pose model that finds corner indices")
    detector.add_argument("--family", default="yolov8n-pose")
    detector.add_argument("--start", type=Path, help="checkpoint to start from; the kept one, else the packaged one")
    detector.add_argument("--from-zero", action="store_true", help="start from random weights")
    detector.add_argument("--peak", type=float, default=1.5e-3, help="highest learning rate")
    detector.add_argument("--batch", type=int, default=16)
    detector.set_defaults(train=_detector)
    reader = parts.add_parser("reader", help="the classifier that names upright crops of indices")
    reader.add_argument("--start", type=Path, help="checkpoint to start from; the kept one, else random weights")
    reader.add_argument("--from-zero", action="store_true", help="start from random weights")
    reader.add_argument("--peak", type=float, default=2e-3, help="highest learning rate")
    reader.add_argument("--batch", type=int, default=128)
    reader.add_argument("--decks", type=int, default=100, help="drawn decks to learn from besides the scenes")
    reader.set_defaults(train=_reader)
    for part in (detector, reader):
        part.add_argument("--scenes", type=Path, nargs="+", required=True, help="folders of rendered scenes")
        part.add_argument("--val", type=Path, nargs="+", default=[], help="folders of scenes to validate on")
        part.add_argument("--out", type=Path, required=True, help="folder of the run")
        part.add_argument("--epochs", type=int, default=10)
        part.add_argument("--minutes", type=float, help="stop, learning rate and all, after so long")
        part.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    try:
        arguments.train(arguments)
    except WeightsError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
