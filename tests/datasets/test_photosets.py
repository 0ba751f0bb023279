"""Labelled photo folders: what they may hold, and what is said of one that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from datasets.photosets import LabelsError, read_photoset
from engine.cards import Rank, parse_cards


def write(folder: Path, *lines: object) -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "labels.jsonl").write_text(text + "\n", encoding="utf-8")
    return folder


def test_all_that_a_photo_may_be_labelled_with(tmp_path: Path) -> None:
    label = {
        "photo": "a.jpg",
        "cards": ["8C", "8C", "JK"],
        "groups": [["8C", "8C"], ["JK"]],
        "corners": [["8C", 0.5, 0.25, 0.1, 0.2]],
        "boxes": [],
        "tags": ["dim"],
    }
    (photo,) = read_photoset(write(tmp_path, label, ""))
    assert photo.path == tmp_path / "a.jpg"
    assert photo.cards == parse_cards("8C 8C JK")
    assert photo.groups == (parse_cards("8C 8C"), parse_cards("JK"))
    assert photo.ranks is None
    assert photo.corners is not None
    assert photo.corners.cards == parse_cards("8C")
    np.testing.assert_allclose(photo.corners.xyxy((200, 100)), [[90, 15, 110, 35]])
    assert photo.boxes is not None
    assert photo.boxes.xyxy((200, 100)).shape == (0, 4)


def test_ranks_alone(tmp_path: Path) -> None:
    (photo,) = read_photoset(write(tmp_path, {"photo": "b.jpg", "ranks": ["9", "T"]}))
    assert photo.ranks == (Rank.NINE, Rank.TEN)
    assert photo.cards is None


def test_a_folder_without_labels(tmp_path: Path) -> None:
    with pytest.raises(LabelsError, match=r"has no labels\.jsonl"):
        read_photoset(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 .* is not JSON"),
        ([1], "line 2 .* is not an object"),
        ({"cards": []}, "line 2 .* is not an object"),
        ({"photo": "b.jpg", "cards": ["11C"]}, "label of b.jpg .* '11C' is not a card"),
        ({"photo": "b.jpg", "ranks": ["X"]}, "label of b.jpg"),
        ({"photo": "b.jpg", "corners": [["8C", 0.1]]}, "label of b.jpg"),
        ({"photo": "b.jpg", "cards": None}, "label of b.jpg"),
    ],
)
def test_labels_that_cannot_be_read(tmp_path: Path, line: object, message: str) -> None:
    with pytest.raises(LabelsError, match=message):
        read_photoset(write(tmp_path, {"photo": "a.jpg", "cards": []}, line))
