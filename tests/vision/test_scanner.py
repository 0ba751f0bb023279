"""The whole way with weights, and weights that are not what they should be."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from engine.cards import Card
from vision.cards import Thresholds
from vision.corners import Corners
from vision.drawing import draw
from vision.limits import Limits
from vision.presence import Presence
from vision.reader import CLASSES
from vision.scanner import ModelError, Scanner, arrange, checked
from vision.scene import Scene

PRESENCE = Presence(bias=0.0, detector=1.0, reader=0.5)
THRESHOLDS = Thresholds(there=0.3, keep=0.3, unread=0.15, present=0.6, sure=0.9)


def two_cards() -> tuple[Corners, np.ndarray]:
    """An 8 of clubs seen at both ends and, apart from it, a king of hearts seen at one."""
    centre = np.array([[100, 100], [244, 284], [600, 100]], np.float32)
    half = np.array([[0, 10], [0, -10], [0, 10]], np.float32)
    corners = Corners(
        np.concatenate([centre - 20, centre + 20], axis=1),
        np.full(3, 0.95, np.float32),
        centre - half,
        centre + half,
    )
    readings = np.full((3, CLASSES), 0.001)
    readings[[0, 1, 2], [Card("8C").index, Card("8C").index, Card("KH").index]] = 0.95
    return corners, readings / readings.sum(axis=1, keepdims=True)


def test_a_scene_counts_a_card_once_and_refers_to_its_corners() -> None:
    scene = arrange((800, 600), *two_cards(), PRESENCE, THRESHOLDS, Limits())
    assert [seen.card.code for seen in scene.cards] == ["8C", "KH"]
    assert scene.groups == ((0,), (1,))
    assert [scene.corners[place].card.code for place in scene.cards[0].corners] == ["8C", "8C"]
    assert Scene.from_json(scene.to_json()) == scene


def test_a_scene_of_nothing() -> None:
    scene = arrange((800, 600), Corners.none(), np.zeros((0, CLASSES)), PRESENCE, THRESHOLDS, Limits())
    assert scene == Scene((800, 600))


def test_doubts_refer_to_cards_in_reading_order() -> None:
    corners, readings = two_cards()
    readings[0:2] = 0.5 / (CLASSES - 1)
    readings[0:2, Card("8C").index] = 0.5
    readings[0:2, Card("8S").index] = 0.4
    readings /= readings.sum(axis=1, keepdims=True)
    scene = arrange((800, 600), corners, readings, PRESENCE, THRESHOLDS, Limits())
    (doubt,) = scene.doubts
    assert scene.cards[doubt.cards[0]].card == Card("8C")


def test_drawing_marks_the_cards_and_leaves_the_photo_alone() -> None:
    photo = np.full((600, 800, 3), 90, np.uint8)
    drawn = draw(photo, arrange((800, 600), *two_cards(), PRESENCE, THRESHOLDS, Limits()))
    assert drawn.shape == photo.shape
    assert (photo == 90).all()
    assert (drawn != 90).any()


def test_drawing_nothing_changes_nothing() -> None:
    photo = np.full((60, 80, 3), 90, np.uint8)
    assert (draw(photo, Scene((80, 60))) == photo).all()


def manifest_of(data: bytes) -> dict[str, object]:
    return {"detector": {"sha256": hashlib.sha256(data).hexdigest()}}


def test_a_graph_is_opened_only_when_its_hash_is_the_manifests(tmp_path: Path) -> None:
    (tmp_path / "detector.onnx").write_bytes(b"weights")
    assert checked(tmp_path, manifest_of(b"weights"), "detector") == tmp_path / "detector.onnx"
    with pytest.raises(ModelError, match="SHA-256 differs"):
        checked(tmp_path, manifest_of(b"other weights"), "detector")
    with pytest.raises(ModelError, match="is missing"):
        checked(tmp_path, {}, "reader")


def test_weights_that_are_not_there_are_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"manifest\.json is missing"):
        Scanner.load(tmp_path)


def test_a_manifest_that_names_other_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "detector.onnx").write_bytes(b"weights")
    thresholds = {"least": 0.25, "there": 0.3, "keep": 0.3, "unread": 0.15, "present": 0.6, "sure": 0.9}
    presence = {"bias": 0.0, "detector": 1.0, "reader": 0.5}
    (tmp_path / "manifest.json").write_text(
        json.dumps({**manifest_of(b"others"), "thresholds": thresholds, "presence": presence})
    )
    with pytest.raises(ModelError):
        Scanner.load(tmp_path)
