"""Reader crops: what they show is what they are said to show."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from datasets.crops import SceneIndices
from datasets.decks import FACE_HEIGHT, CornerIndex, Face
from datasets.grounds import Grounds
from engine.cards import JOKER, KINDS, Card
from models.upright import (
    PATCH_HEIGHT,
    PATCH_SIDE,
    REJECT,
    Tabletop,
    deck_patches,
    misplaced,
    reshot,
    scene_crops,
    stream_upright,
)
from vision.crops import CROP_COLUMNS, CROP_ROWS

WIDTH = 515


class Dotted:
    """A deck whose index is a red dot above a blue one, at two corners."""

    name = "dotted"
    corner_radius = 25.0
    joker_styles = 2

    def face(self, card: Card, style: int = 0) -> Face:  # noqa: ARG002 - all cards look alike
        image = np.full((FACE_HEIGHT, WIDTH, 3), 240, np.uint8)
        rank, suit, radius = (50, 50), (50, 98), 16 + style
        cv2.circle(image, rank, radius, (250, 0, 0), -1)
        cv2.circle(image, suit, radius, (0, 0, 250), -1)
        image = np.maximum.reduce([np.minimum(image, image[::-1, ::-1])])
        turned = tuple(np.subtract((WIDTH - 1, FACE_HEIGHT - 1), point) for point in (rank, suit))
        first = CornerIndex((33.0, 33.0, 67.0, 115.0), rank, suit)
        second = CornerIndex((448.0, 605.0, 482.0, 687.0), tuple(turned[0]), tuple(turned[1]))
        return Face(image, (first, second))

    def back(self) -> Face:
        return Face(np.zeros((FACE_HEIGHT, WIDTH, 3), np.uint8), ())


def inks(image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far each pixel (H, W) of an index is red rather than blue, and blue rather than red."""
    lead = image[..., 0].astype(float) - image[..., 2]
    return np.clip(lead - 40, 0, None), np.clip(-lead - 40, 0, None)


def shows_both(image: np.ndarray) -> bool:
    return all(ink.sum() > 500 for ink in inks(image))


def centres(image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres (x, y) of what is red and of what is blue."""
    y, x = np.mgrid[: image.shape[0], : image.shape[1]] + 0.5
    red, blue = (np.array([(x * ink).sum(), (y * ink).sum()]) / ink.sum() for ink in inks(image))
    return red, blue


def is_upright(image: np.ndarray) -> bool:
    """Whether the red rank stands above the blue suit."""
    red, blue = centres(image)
    return bool(red[1] < blue[1])


def test_a_patch_has_the_index_upright_in_its_middle() -> None:
    patches = deck_patches(Dotted())
    assert [patch.kind for patch in patches] == [*range(len(KINDS)), JOKER.index]
    patch = patches[0]
    middle, down = PATCH_SIDE / 2, PATCH_HEIGHT / 4
    red, blue = centres(patch.image)
    np.testing.assert_allclose(red, (middle, middle - down), atol=1)
    np.testing.assert_allclose(blue, (middle, middle + down), atol=1)
    np.testing.assert_allclose(patch.extent, np.array([34, 82]) * PATCH_HEIGHT / 96, atol=0.1)
    assert patch.image[0, 0, 3] == 0, "the card ends up and left of its index"
    assert patch.image[-1, -1, 3] == 255


def test_misplaced_points_are_off_by_what_a_detector_is_off() -> None:
    true = np.tile([[[100.0, 100.0], [100.0, 120.0]]], (4000, 1, 1))
    found = misplaced(true, np.random.default_rng(0))
    middle, down = found.mean(axis=1), found[:, 1] - found[:, 0]
    assert 1.5 < (middle - (100, 110)).std() < 2.5
    angle = np.degrees(np.arctan2(-down[:, 0], down[:, 1]))
    assert abs(angle.mean()) < 0.5
    assert 5 < angle.std() < 8
    assert 0.08 < np.log(np.linalg.norm(down, axis=1) / 20).std() < 0.12


def test_the_tabletop_names_what_it_lays() -> None:
    rng = np.random.default_rng(1)
    tabletop = Tabletop([deck_patches(Dotted())], Grounds(None), rng)
    crops = [tabletop.crop() for _ in range(150)]
    kinds = np.array([crop.kind for crop in crops])
    assert all(crop.image.shape == (CROP_ROWS, CROP_COLUMNS, 6) for crop in crops)
    assert len(set(kinds.tolist())) > 35
    assert 0 < (kinds == REJECT).sum() < 40
    named = [crop.image for crop in crops if crop.kind != REJECT and shows_both(crop.image)]
    assert len(named) > 60
    assert np.mean([is_upright(image) for image in named]) > 0.9


def scene_of_dots(folder: Path, found: Sequence[Sequence[Sequence[float]]] = ()) -> SceneIndices:
    face = Dotted().face(Card("8C"))
    path = folder / "dots.png"
    cv2.imwrite(str(path), face.image[..., ::-1])
    points = np.array([[index.rank, index.suit] for index in face.indices], np.float32) + 0.5
    boxes = np.array([index.box for index in face.indices], np.float32)
    return SceneIndices(
        path,
        boxes,
        points,
        np.array([1.0, 0.2], np.float32),
        ("8C", "8C"),
        np.array(found, np.float32).reshape(-1, 2, 2),
    )


def test_scene_crops_show_readable_indices_upright_and_hidden_ones_as_none(tmp_path: Path) -> None:
    scene = scene_of_dots(tmp_path)
    crops = scene_crops(scene, scene.read_image(), np.random.default_rng(2), copies=300)
    named = [crop for crop in crops if crop.kind == Card("8C").index]
    rejects = [crop for crop in crops if crop.kind == REJECT]
    assert len(named) == 300
    assert len(named) + len(rejects) == len(crops)
    assert 25 < len(rejects) < 70
    assert all(is_upright(crop.image) for crop in named)
    turned = [crop for crop in rejects if shows_both(crop.image) and not is_upright(crop.image)]
    assert turned, "none of the rejects is the index the wrong way round"


def test_what_a_detector_finds_is_named_where_it_is_right_and_rejected_where_it_is_not(tmp_path: Path) -> None:
    upper, lower = scene_of_dots(tmp_path).points
    off = upper + np.array([40, 60])
    beside = upper + np.array([0.45 * np.linalg.norm(upper[1] - upper[0]) * 2, 0])
    scene = scene_of_dots(tmp_path, [upper + 1, upper[::-1], lower, off, beside])
    crops = scene_crops(scene, scene.read_image(), np.random.default_rng(2))[-4:]
    kinds = [crop.kind for crop in crops]
    # In turn: the index, the same upside down, the hidden one, a place without; the doubtful place is left out.
    assert kinds == [Card("8C").index, REJECT, REJECT, REJECT]
    assert is_upright(crops[0].image)
    assert not is_upright(crops[1].image)


def test_what_a_detector_finds_on_a_table_without_a_face_is_rejected(tmp_path: Path) -> None:
    scene = scene_of_dots(tmp_path)
    none = np.zeros(0, np.float32)
    empty = replace(scene, boxes=none.reshape(0, 4), points=none.reshape(0, 2, 2), visible=none, cards=())
    found = replace(empty, found=scene.points)
    assert [crop.kind for crop in scene_crops(found, scene.read_image(), np.random.default_rng(2))] == [REJECT] * 2
    assert scene_crops(empty, scene.read_image(), np.random.default_rng(2)) == []


def test_another_shot_shows_the_same_place_otherwise() -> None:
    rng = np.random.default_rng(4)
    crop = np.full((CROP_ROWS, CROP_COLUMNS, 6), 220, np.uint8)
    for half in (slice(3), slice(3, None)):
        dots = np.ascontiguousarray(crop[..., half])
        cv2.circle(dots, (24, 18), 8, (220, 20, 20), -1)
        cv2.circle(dots, (24, 46), 8, (20, 20, 220), -1)
        crop[..., half] = dots
    shots = [reshot(crop, rng) for _ in range(60)]
    assert {shot.shape for shot in shots} == {crop.shape}
    assert {shot.dtype for shot in shots} == {crop.dtype}
    differences = [np.abs(shot.astype(float) - crop).mean() for shot in shots]
    assert np.median(differences) > 5
    for shot in shots:
        for half in (shot[..., :3], shot[..., 3:]):
            upper, lower = half[14:23, 20:29].mean((0, 1)), half[42:51, 20:29].mean((0, 1))
            assert upper[0] > upper[2], "the red dot stays above"
            assert lower[2] > lower[0], "the blue one below"
    # Both halves stand in one light; noise is each one's own.
    grounds = np.array([[shot[2:8, 2:8, :3].mean((0, 1)), shot[2:8, 2:8, 3:].mean((0, 1))] for shot in shots])
    assert np.median(np.abs(grounds[:, 0] - grounds[:, 1])) < 3
    assert grounds[:, 0].std(axis=0).min() > 10


def test_a_stream_comes_back_from_its_seed(tmp_path: Path) -> None:
    scene = scene_of_dots(tmp_path)
    runs = [
        [crop.image for crop in itertools.islice(stream_upright([scene], None, 3, buffered=5), 12)] for _ in range(2)
    ]
    for one, other in zip(*runs, strict=True):
        np.testing.assert_array_equal(one, other)
