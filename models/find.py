"""Let the detector look at rendered scenes, so that the reader learns on what it will be given:
``python -m models.find DIR...`` writes ``DIR/found.jsonl``, a line for each photo.

Places where the detector errs are the hardest examples of "no index", and its true finds carry its own errors
of place and direction.
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import os
import sys
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.crops import FOUND
from datasets.photosets import read_labels
from vision.detector import find_corners
from vision.photo import Photo
from vision.scanner import Scanner


@functools.cache
def _scanner() -> Scanner:
    """The committed weights, opened once in each process."""
    cv2.setNumThreads(1)
    return Scanner.load()


def _find(photo: Path) -> list[list[float]]:
    image = cv2.imread(str(photo), cv2.IMREAD_COLOR_RGB)
    if image is None:
        raise FileNotFoundError(f"{photo} is missing or no picture.")
    corners = find_corners(_scanner().detector, Photo(np.asarray(image, np.uint8)), _scanner().least)
    rows: list[list[float]] = np.round(np.concatenate([corners.rank, corners.suit], axis=1), 1).tolist()
    return rows


def find(folder: Path, processes: int) -> None:
    """Write what the committed detector finds in a set of rendered scenes beside its labels."""
    names = [label["photo"] for label in read_labels(folder)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        jobs = pool.imap(_find, [folder / name for name in names], chunksize=4)
        found = list(tqdm(jobs, total=len(names), unit="scene", file=sys.stderr, mininterval=5))
    with open(folder / FOUND, "w", encoding="utf-8") as file:
        for name, rows in zip(names, found, strict=True):
            file.write(json.dumps({"photo": name, "found": rows}) + "\n")


def main() -> None:
    """Parse the command line and look."""
    parser = argparse.ArgumentParser(prog="python -m models.find", description=__doc__.split(":")[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="sets that datasets.build wrote")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    for folder in arguments.folders:
        find(folder, arguments.processes)


if __name__ == "__main__":
    main()
