"""Measure: ``python -m models.evaluate FOLDER`` prints how right labelled photos are read."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from datasets.photosets import LabelledPhoto, LabelsError, read_photoset
from models.metrics import MEANINGS, Tally, add_up, tallies
from vision.photo import Photo, PhotoError, read_photo
from vision.scanner import ModelError, Scanner
from vision.scene import Scene

PER_PHOTO = "false_cards_per_photo"
TABLE_ONLY = frozenset({"equal_beside_right"})
"""Tallies that the table for people has and the JSON object has not: its keys are fixed."""


@dataclass(frozen=True)
class Reading:
    """What was read of one photo, and how long that took."""

    truth: LabelledPhoto
    scene: Scene
    ms: float
    """From the file's bytes to the scene, in milliseconds."""


def read_folder(folder: Path, ray: str | None = None) -> list[Reading]:
    """Read every labelled photo of a folder, telling stderr how far it is.

    Args:
        folder: the photos and their labels.
        ray: address of a Ray cluster whose workers read instead of this process.

    Raises:
        LabelsError: if the folder's labels are missing or cannot be read.
        ModelError: if there are no weights.
        PhotoError: if one of its photos cannot be read.
        OSError: if one of its photos is missing.
    """
    photos = read_photoset(folder)
    files = (truth.path.read_bytes() for truth in photos)
    if ray is None:
        found = map(timed_scan, files)
    else:
        from cluster.tasks import in_order

        found = in_order(timed_scan, files, ray)
    readings = []
    for number, (truth, (scene, ms)) in enumerate(zip(photos, found, strict=True), 1):
        readings.append(Reading(truth, scene, ms))
        print(f"\r{number} of {len(photos)} photos", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return readings


def timed_scan(data: bytes) -> tuple[Scene, float]:
    """Return what is on a photo, and how many milliseconds it took to read."""
    scanner = _warm_scanner()
    since = time.perf_counter()
    scene = scanner.scan(read_photo(data))
    return scene, 1000 * (time.perf_counter() - since)


@cache
def _warm_scanner() -> Scanner:
    """The weights of this process, after a first look: whatever is lazy is then warm."""
    scanner = Scanner.load()
    scanner.scan(Photo(np.zeros((960, 960, 3), np.uint8)))
    return scanner


def summary(readings: Sequence[Reading]) -> dict[str, Any]:
    """Return the figures as one JSON object: counts, rates from 0 to 1 or None, and the median time."""
    total = totals(readings)
    return {
        "photos": len(readings),
        "cards": total["card_recall"].of,
        **{name: _rounded(tally.rate) for name, tally in total.items() if name not in TABLE_ONLY},
        "ms_median": round(statistics.median(reading.ms for reading in readings), 1) if readings else None,
    }


def totals(readings: Sequence[Reading]) -> dict[str, Tally]:
    """Return the tallies of all readings, added up."""
    return add_up(tallies(reading.truth, reading.scene) for reading in readings)


def details(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """Return what was read of each photo as plain JSON values."""
    return [
        {
            "photo": reading.truth.path.name,
            "read": [seen.card.code for seen in reading.scene.cards],
            "doubtful": [reading.scene.cards[place].card.code for place in sorted(reading.scene.doubtful)],
            "doubts": [doubt.text for doubt in reading.scene.doubts],
            "ms": round(reading.ms, 1),
        }
        for reading in readings
    ]


def table(figures: Mapping[str, Any], total: Mapping[str, Tally]) -> str:
    """Return the figures as a table for people, with the counts beside the rates."""
    lines = [f"{figures['photos']} photos, {figures['cards']} cards"]
    for name, meaning in MEANINGS.items():
        tally = total[name]
        rate = "-" if tally.rate is None else f"{tally.rate:.2f}" if name == PER_PHOTO else f"{tally.rate:.1%}"
        lines.append(f"{name:22}{rate:>8}{tally.count:>7} of {tally.of:<6} {meaning}")
    if figures["ms_median"] is not None:
        lines.append(f"{'ms_median':22}{figures['ms_median']:8.0f}{'':17} {_machine()}")
    return "\n".join(lines)


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 4)


def _machine() -> str:
    return f"milliseconds a photo, on {os.cpu_count()} cores of {_processor()}"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, read the photos, print the figures."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate", description=__doc__)
    parser.add_argument("folder", type=Path, help="photos and a labels.jsonl")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--details", action="store_true", help="also what was read of each photo")
    parser.add_argument("--ray", metavar="ADDRESS", help="let a Ray cluster read: its address, auto or local")
    options = parser.parse_args(arguments)
    try:
        readings = read_folder(options.folder, options.ray)
    except (LabelsError, ModelError, PhotoError, OSError) as error:
        sys.exit(f"{options.folder} cannot be measured: {error}")
    figures = summary(readings)
    if options.json:
        print(json.dumps(figures | ({"details": details(readings)} if options.details else {})))
        return
    print(table(figures, totals(readings)))
    if options.details:
        for line in details(readings):
            print(f"{line['photo']}: {' '.join(line['read']) or 'no cards'} ({line['ms']:.0f} ms)")
            for doubt in line["doubts"]:
                print(f"    {doubt}")


if __name__ == "__main__":
    main()
