"""How far chances hold: ``python -m models.reliability FOLDER... --plot FILE`` counts how many are right of the cards
that were said to be right with some chance.

A card is right if as many of its kind lie there; of equal ones the likeliest are counted first. Labels are those of
``models.evaluate``, and so is the reading.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from datasets.photosets import LabelsError
from models.evaluate import Reading, read_folder
from models.metrics import comparable
from vision.photo import PhotoError
from vision.scanner import ModelError

BANDS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)
"""Bounds of the chances that are counted together."""


def judged(readings: Sequence[Reading]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return for each card read the chance it was given, (N,), and whether it is right, (N,)."""
    said, right = [], []
    for reading in readings:
        compared = comparable(reading.truth, reading.scene)
        if compared is None:
            continue
        left = Counter(compared[0])
        for seen, card in sorted(
            zip(reading.scene.cards, compared[1], strict=True), key=lambda pair: -pair[0].confidence
        ):
            said.append(seen.confidence)
            right.append(left[card] > 0)
            left[card] -= 1
    return np.array(said, np.float64), np.array(right, bool)


def bands(said: NDArray[np.float64], right: NDArray[np.bool_]) -> list[tuple[float, float, int]]:
    """Return for each band that holds cards the mean chance said, the share that is right, and the number of cards.

    >>> bands(np.array([0.92, 0.94, 1.0]), np.array([True, False, True]))
    [(0.93, 0.5, 2), (1.0, 1.0, 1)]
    """
    rows = []
    for low, high in pairwise(BANDS):
        within = (said >= low) & ((said < high) | (high == BANDS[-1]))
        if within.any():
            mean, share = round(float(said[within].mean()), 4), round(float(right[within].mean()), 4)
            rows.append((mean, share, int(within.sum())))
    return rows


def gap(rows: Sequence[tuple[float, float, int]]) -> float:
    """Return the mean distance of what was said from what is right: the expected calibration error.

    >>> round(gap([(0.9, 0.8, 100), (1.0, 1.0, 300)]), 3)
    0.025
    """
    cards = sum(count for _, _, count in rows)
    return sum(abs(said - right) * count for said, right, count in rows) / max(1, cards)


def table(rows: Sequence[tuple[float, float, int]]) -> str:
    """Return the bands as a table for people."""
    lines = [f"{'said':>8}{'right':>8}{'cards':>8}"]
    lines += [f"{said:8.1%}{right:8.1%}{count:8}" for said, right, count in rows]
    lines.append(f"off by {gap(rows):.1%} on average")
    return "\n".join(lines)


def plot(curves: Mapping[str, Sequence[tuple[float, float, int]]], path: Path) -> None:
    """Draw what was said against what is right, a curve for each folder; the file's name tells the format."""
    import matplotlib as mpl

    mpl.use("agg")
    # The same figures give the same bytes.
    mpl.rcParams["svg.hashsalt"] = "meldsight"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 5))
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    for name, rows in curves.items():
        axes.plot([row[0] for row in rows], [row[1] for row in rows], marker="o", label=name)
    axes.set(xlabel="chance said", ylabel="share that is right", xlim=(0.3, 1.01), ylim=(0.3, 1.01))
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, read the photos, print a table for each folder and draw the plot."""
    parser = argparse.ArgumentParser(prog="python -m models.reliability", description=__doc__.split(":")[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="photos and a labels.jsonl")
    parser.add_argument("--plot", type=Path, help="picture to draw; needs the train extra")
    options = parser.parse_args(arguments)
    curves = {}
    for folder in options.folders:
        try:
            curves[folder.name] = bands(*judged(read_folder(folder)))
        except (LabelsError, ModelError, PhotoError, OSError) as error:
            sys.exit(f"{folder} cannot be measured: {error}")
        print(f"{folder.name}\n{table(curves[folder.name])}")
    if options.plot:
        plot(curves, options.plot)


if __name__ == "__main__":
    main()
