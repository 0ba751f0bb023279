"""Folders of labelled photos: pictures and a ``labels.jsonl``, one photo a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import Card, Rank


class LabelsError(ValueError):
    """A folder without labels, or labels that cannot be read."""


@dataclass(frozen=True)
class LabelledBoxes:
    """Boxes with the card that each shows."""

    cards: tuple[Card, ...]
    xywh: NDArray[np.float64]
    """(N, 4) centre x, centre y, width, height, relative to the upright photo."""

    def xyxy(self, size_wh: tuple[int, int]) -> NDArray[np.float64]:
        """Return the boxes (N, 4) as x_min, y_min, x_max, y_max in pixels of a photo of the given size."""
        centre, half = self.xywh[:, :2], self.xywh[:, 2:] / 2
        return np.concatenate([centre - half, centre + half], axis=1) * np.tile(size_wh, 2)


@dataclass(frozen=True)
class LabelledPhoto:
    """One photo and what is known to be on it. What a folder does not label is None."""

    path: Path
    cards: tuple[Card, ...] | None
    """All cards that a person can name, equal cards as often as they lie there."""
    ranks: tuple[Rank, ...] | None
    """Their ranks, where these alone are known."""
    groups: tuple[tuple[Card, ...], ...] | None
    """Hands or melds in reading order."""
    corners: LabelledBoxes | None
    """Every readable corner index."""
    boxes: LabelledBoxes | None
    """Whole cards, where cards and not only ranks are known."""


def read_labels(folder: Path) -> list[dict[str, Any]]:
    """Return the objects of a folder's ``labels.jsonl``, each with at least the key ``photo``.

    Raises:
        LabelsError: if there is no such file, or a line is not an object of this form.
    """
    path = folder / "labels.jsonl"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise LabelsError(f"{folder} has no labels.jsonl, which says what is on its photos.") from None
    labels = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            label = json.loads(line)
        except json.JSONDecodeError as error:
            raise LabelsError(f"line {number} of {path} is not JSON: {error}.") from None
        if not isinstance(label, dict) or not isinstance(label.get("photo"), str):
            raise LabelsError(f'line {number} of {path} is not an object with the file name of a "photo".')
        labels.append(label)
    return labels


def read_photoset(folder: Path) -> list[LabelledPhoto]:
    """Return the labelled photos of a folder in the order of its labels; unknown keys are passed over.

    Raises:
        LabelsError: if the labels are missing or cannot be read.
    """
    photos = []
    for label in read_labels(folder):
        try:
            photos.append(_photo(folder, label))
        except (KeyError, TypeError, ValueError) as error:
            raise LabelsError(f"the label of {label['photo']} in {folder} cannot be read: {error}") from None
    return photos


def _photo(folder: Path, label: Mapping[str, Any]) -> LabelledPhoto:
    return LabelledPhoto(
        path=folder / label["photo"],
        cards=_cards(label["cards"]) if "cards" in label else None,
        ranks=tuple(Rank(rank) for rank in label["ranks"]) if "ranks" in label else None,
        groups=tuple(_cards(group) for group in label["groups"]) if "groups" in label else None,
        corners=_boxes(label["corners"]) if "corners" in label else None,
        boxes=_boxes(label["boxes"]) if "boxes" in label and "cards" in label else None,
    )


def _cards(codes: list[str]) -> tuple[Card, ...]:
    return tuple(Card(code) for code in codes)


def _boxes(rows: list[list[Any]]) -> LabelledBoxes:
    return LabelledBoxes(
        tuple(Card(row[0]) for row in rows),
        np.array([row[1:] for row in rows], np.float64).reshape(-1, 4),
    )
