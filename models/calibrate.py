"""Fit how likely an index is where the detector finds one: ``python -m models.calibrate DIR`` writes it into the
manifest. DIR holds rendered scenes that neither network was trained on; how well the chances hold is printed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from tqdm import tqdm

from datasets.crops import read_scenes
from vision.detector import find_corners
from vision.photo import Photo
from vision.presence import Presence, log_odds
from vision.reader import REJECT
from vision.scanner import MODELS, Scanner

BANDS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0)


def fit(evidence: NDArray[np.float64], there: NDArray[np.bool_]) -> Presence:
    """Return the function that makes what was seen likeliest.

    Args:
        evidence: (N, 2) the detector's confidence and the reader's chance that it is no index.
        there: (N,) whether there is one.
    """
    inputs = np.column_stack([np.ones(len(evidence)), log_odds(evidence[:, 0]), log_odds(1 - evidence[:, 1])])
    signs = np.where(there, 1.0, -1.0)

    def surprise(weights: NDArray[np.float64]) -> float:
        return float(np.logaddexp(0, -signs * (inputs @ weights)).mean() + 1e-5 * weights @ weights)

    bias, detector, reader = minimize(surprise, np.array([0.0, 1.0, 0.5])).x.round(3).tolist()
    return Presence(bias, detector, reader)


def main() -> None:
    """Parse the command line, fit, print and write."""
    parser = argparse.ArgumentParser(prog="python -m models.calibrate", description=__doc__.split(":")[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="scenes that datasets.build --split val wrote")
    arguments = parser.parse_args()
    scanner = Scanner.load()
    evidence, there = [], []
    for scene in tqdm(read_scenes(arguments.folder), unit="scene", file=sys.stderr, mininterval=5):
        photo = Photo(scene.read_image())
        corners = find_corners(scanner.detector, photo, scanner.least)
        readings = scanner.reader.read(photo, corners)
        evidence.append(np.column_stack([corners.confidence, readings[:, REJECT]]))
        there.append(scene.at(corners.centre) >= 0)
    seen, true = np.concatenate(evidence), np.concatenate(there)
    presence = fit(seen, true)
    chances = presence.of(seen[:, 0], seen[:, 1])
    print(f"{len(true)} finds, {int(true.sum())} of them indices: {presence}")
    print("chance said     finds   true")
    for low, high in itertools.pairwise(BANDS):
        band = (chances >= low) & (chances < high)
        if band.any():
            print(f"{low:.2f} to {high:.2f} {int(band.sum()):9} {true[band].mean():6.3f}")
    path = MODELS / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["presence"] = {"bias": presence.bias, "detector": presence.detector, "reader": presence.reader}
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
