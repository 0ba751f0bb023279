"""What is read worst: ``python -m models.worst FOLDER --sheet FILE`` names the photos with most cards wrong, and draws
them with what was read. A sheet of real photos is for one's own eyes.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2

from datasets.photosets import LabelsError
from datasets.preview import contact_sheet
from engine.cards import Card, print_cards
from models.evaluate import Reading, read_folder
from models.metrics import comparable
from vision.drawing import draw
from vision.photo import PhotoError, read_photo
from vision.scanner import ModelError


@dataclass(frozen=True)
class Verdict:
    """How far the cards read of a photo are from those that lie there."""

    reading: Reading
    missed: tuple[Card, ...]
    false: tuple[Card, ...]
    is_silent: bool
    """Whether something is wrong and nobody was asked."""

    @property
    def name(self) -> str:
        """The photo's file name."""
        return self.reading.truth.path.name

    def __str__(self) -> str:
        parts = [
            f"{what} {print_cards(cards)}"
            for what, cards in (("missed", self.missed), ("not there", self.false))
            if cards
        ]
        return f"{self.name}: {'; '.join(parts)}{', without a doubt' if self.is_silent else ''}"


def worst(readings: Sequence[Reading], count: int) -> list[Verdict]:
    """Return the photos with most cards wrong, those that nobody was asked about first among equals.

    Photos without labelled cards or without a fault are left out.
    """
    verdicts = [verdict for verdict in map(_judged, readings) if verdict and (verdict.missed or verdict.false)]
    order = sorted(verdicts, key=lambda each: (-len(each.missed) - len(each.false), not each.is_silent, each.name))
    return order[:count]


def _judged(reading: Reading) -> Verdict | None:
    compared = comparable(reading.truth, reading.scene)
    if compared is None:
        return None
    there, read = (Counter(cards) for cards in compared)
    missed, false = tuple((there - read).elements()), tuple((read - there).elements())
    return Verdict(reading, missed, false, not reading.scene.doubts and bool(missed or false))


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, read the photos, name the worst and draw them."""
    parser = argparse.ArgumentParser(prog="python -m models.worst", description=__doc__.split(":")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="photos and a labels.jsonl")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="picture of them to write")
    options = parser.parse_args(arguments)
    try:
        found = worst(read_folder(options.folder), options.count)
    except (LabelsError, ModelError, PhotoError, OSError) as error:
        sys.exit(f"{options.folder} cannot be measured: {error}")
    for verdict in found:
        print(verdict)
    if options.sheet and found:
        pictures = [draw(read_photo(each.reading.truth.path.read_bytes()).pixels, each.reading.scene) for each in found]
        cv2.imwrite(str(options.sheet), contact_sheet(pictures, columns=min(5, len(pictures)), cell=480)[..., ::-1])


if __name__ == "__main__":
    main()
