"""Draw labels on rendered scenes: ``python -m datasets.preview DIR --out sheet.png``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.scenes import READABLE


def annotate(image: NDArray[np.uint8], label: dict[str, Any]) -> NDArray[np.uint8]:
    """Return the picture with quadrilaterals, index boxes and the axis of each index drawn in."""
    drawn = image.copy()
    thick = max(1, image.shape[1] // 700)
    palette = [(40, 130, 255), (255, 120, 0), (180, 60, 220), (0, 160, 90), (220, 40, 60), (90, 90, 90)]
    for quad, group in zip(label["quads"], label["card_groups"], strict=True):
        cv2.polylines(drawn, [np.round(quad).astype(np.int32)], True, palette[group % len(palette)], thick)
    for index in label["indices"]:
        x0, y0, x1, y1 = (round(value) for value in index["box"])
        colour = (0, 200, 0) if index["visible"] >= READABLE else (200, 200, 0)
        cv2.rectangle(drawn, (x0, y0), (x1, y1), colour, thick)
        rank, suit = (tuple(round(v) for v in index[key]) for key in ("rank", "suit"))
        cv2.arrowedLine(drawn, rank, suit, (255, 0, 255), thick)
        if index["visible"] >= READABLE:
            scale = max(0.4, image.shape[1] / 2600)
            cv2.putText(drawn, index["card"], (x0, y0 - 3), cv2.FONT_HERSHEY_SIMPLEX, scale, (255, 0, 0), thick)
    return drawn


def contact_sheet(pictures: Sequence[NDArray[np.uint8]], columns: int = 3, cell: int = 640) -> NDArray[np.uint8]:
    """Return pictures (H, W, 3) side by side in rows, each scaled into a square of ``cell`` pixels, on white."""
    rows = -(-len(pictures) // columns)
    page = np.full((rows * cell, columns * cell, 3), 255, np.uint8)
    for number, picture in enumerate(pictures):
        scale = cell / max(picture.shape[:2])
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        y, x = number // columns * cell, number % columns * cell
        page[y : y + small.shape[0], x : x + small.shape[1]] = small
    return page


def labelled(folder: Path, count: int, start: int = 0) -> list[NDArray[np.uint8]]:
    """Return ``count`` scenes of a set, labels drawn."""
    lines = (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()[start : start + count]
    labels = [json.loads(line) for line in lines]
    return [annotate(cv2.imread(str(folder / label["photo"]))[..., ::-1], label) for label in labels]


def main() -> None:
    """Parse the command line and write the sheet."""
    parser = argparse.ArgumentParser(prog="python -m datasets.preview", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path("sheet.png"))
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--start", type=int, default=0)
    arguments = parser.parse_args()
    pictures = labelled(arguments.folder, arguments.count, arguments.start)
    cv2.imwrite(str(arguments.out), contact_sheet(pictures)[..., ::-1])
    print(arguments.out)


if __name__ == "__main__":
    main()
