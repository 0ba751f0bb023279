"""The committed sample scenes: ``python -m datasets.samples``, from drawn decks on drawn grounds alone.

They stand in the README and in tests, so nothing in them comes from packaged art or photos; the fonts of their
indices are listed, with their licences, in datasets/README.md. One more lies beside the weights: the canary, which the
running service reads over and over to see that it still reads right.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.assets import default_cache, fonts
from datasets.clutter import Clutter
from datasets.drawn import DrawnDeck
from datasets.grounds import Grounds
from datasets.scenes import Wish, render

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "data"
MODELS = ROOT / "models"
QUALITY = 85


@dataclass(frozen=True)
class Sample:
    """One picture and what it is drawn from."""

    name: str
    deck: int
    scene: int
    wish: Wish


SAMPLES = (
    Sample("hand", 106, 737, Wish("hand", long_hands=True, index_height=(62, 66), longest_side=1400)),
    Sample("held", 105, 17, Wish("held", fingers=True, index_height=(76, 80), longest_side=1200)),
    Sample("melds", 105, 113, Wish("melds", index_height=(44, 48), longest_side=1800)),
    Sample("table", 102, 2, Wish("hands", index_height=(40, 44), longest_side=1900)),
)

# Large plain indices and no doubt about a card: what any weights worth serving read.
CANARY = Sample("canary", 106, 19, Wish("hand", index_height=(50, 54), longest_side=1000, jokers=0.1))


def main() -> None:
    """Render every sample and write its label."""
    parser = argparse.ArgumentParser(prog="python -m datasets.samples", description=__doc__.split("\n")[0])
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--out", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    faces = fonts(arguments.cache)
    clutter = Clutter(Grounds(None))
    arguments.out.mkdir(parents=True, exist_ok=True)
    labels = [write(sample, arguments.out, faces, clutter) for sample in SAMPLES]
    lines = [json.dumps(label, ensure_ascii=False) for label in labels]
    (arguments.out / "labels.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = {key: write(CANARY, MODELS, faces, clutter)[key] for key in ("photo", "cards")}
    (MODELS / "canary.json").write_text(json.dumps(shown) + "\n", encoding="utf-8")


def write(sample: Sample, folder: Path, faces: Sequence[Path], clutter: Clutter) -> dict[str, Any]:
    """Render one sample into a folder, and return its label."""
    deck = DrawnDeck(sample.deck, faces)
    scene = render(np.random.default_rng(sample.scene), sample.wish, (deck, deck), clutter)
    photo = f"{sample.name}.jpg"
    data = cv2.imencode(".jpg", scene.image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
    (folder / photo).write_bytes(data.tobytes())
    return scene.label(photo)


if __name__ == "__main__":
    main()
