"""What went wrong in a scene is counted under the step that went wrong first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.crops import SceneIndices
from engine.cards import KINDS, Card
from models.failures import CardCount, Failures, Seen, add, main, tables
from vision.corners import Corners
from vision.reader import CLASSES, REJECT
from vision.scene import Scene, SeenCard, SeenCorner

DOWN = np.array([0, 10], np.float32)
SAMPLES = Path(__file__).parents[1] / "data"


def seen(truth: list[str], found: list[tuple[int, str]], shown: list[tuple[str, list[int]]]) -> Seen:
    """A scene of cards 100 pixels apart, one index each.

    Args:
        truth: the cards, from left to right.
        found: for each corner found the hundreds of pixels it lies at, and what it was read as.
        shown: the cards of the scene, each with the corners it was read from.
    """
    middles = 100.0 * np.arange(len(truth))
    points = np.array([[[x, 90], [x, 110]] for x in middles], np.float32).reshape(-1, 2, 2)
    boxes = np.concatenate([points[:, 0] - 10, points[:, 1] + 10], axis=1)
    count = len(truth)
    indices = SceneIndices(
        Path("scene.jpg"), boxes, points, np.ones(count, np.float32), tuple(truth), np.zeros((0, 2, 2), np.float32)
    )
    at = np.array([[100.0 * place, 100] for place, _ in found], np.float32).reshape(-1, 2)
    corners = Corners(
        np.concatenate([at - 10, at + 10], axis=1), np.full(len(found), 0.9, np.float32), at - DOWN, at + DOWN
    )
    readings = np.zeros((len(found), CLASSES))
    for place, (_, code) in enumerate(found):
        readings[place, REJECT if code == "none" else Card(code).index] = 1
    marks = tuple(
        SeenCorner((x - 10, y - 10, x + 10, y + 10), KINDS[min(int(row.argmax()), 52)], 0.9)
        for (x, y), row in zip(at.tolist(), readings, strict=True)
    )
    quad = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    cards = tuple(SeenCard(Card(code), 0.9, quad, (), tuple(of)) for code, of in shown)
    scene = Scene((1000, 200), cards, (), marks)
    return Seen(indices, np.arange(count), ("hand", "dim", "drawn/1"), corners, readings, scene)


def counted(*scenes: Seen) -> Failures:
    failures = Failures()
    for each in scenes:
        add(failures, each)
    return failures


@pytest.mark.parametrize(
    ("truth", "found", "shown", "missed", "false"),
    [
        (["8C"], [(0, "8C")], [("8C", [0])], {}, {}),
        (["8C"], [], [], {"not found": 1}, {}),
        (["8C"], [(0, "8S")], [("8S", [0])], {"misread": 1}, {"misread": 1}),
        (["8C"], [(0, "none")], [], {"taken for no index": 1}, {}),
        (["8C"], [(0, "8C")], [], {"held back as too doubtful": 1}, {}),
        (["8C"], [(0, "8C"), (5, "4H")], [("8C", [0]), ("4H", [1])], {}, {"no index there": 1}),
        (["8C"], [(0, "8C"), (0, "8C")], [("8C", [0]), ("8C", [1])], {}, {"one card taken for two": 1}),
        (["8C", "8C"], [(0, "8C"), (1, "8C")], [("8C", [0, 1])], {"two cards taken for one": 1}, {}),
        ([], [(1, "4H")], [("4H", [0])], {}, {"no index there": 1}),
    ],
)
def test_a_failure_counts_once_under_its_cause(
    truth: list[str],
    found: list[tuple[int, str]],
    shown: list[tuple[str, list[int]]],
    missed: dict[str, int],
    false: dict[str, int],
) -> None:
    failures = counted(seen(truth, found, shown))
    assert (dict(failures.missed), dict(failures.false)) == (missed, false)
    assert (failures.cards, failures.read) == (len(truth), len(shown))


def test_indices_are_counted_by_what_they_are() -> None:
    failures = counted(seen(["8C", "JK", "4H"], [(0, "8C"), (1, "AS")], [("8C", [0]), ("AS", [1])]))
    height, joker = failures.indices["32 to 48 px"], failures.indices["joker"]
    assert (height.there, height.found, height.right) == (3, 2, 1)
    assert (joker.there, joker.found, joker.right) == (1, 1, 0)
    assert failures.indices["dim"].there == failures.indices["drawn deck"].there == 3
    assert dict(failures.confused) == {("JK", "AS"): 1}


def test_cards_are_counted_by_what_their_scene_is() -> None:
    failures = counted(seen(["8C", "JK", "4H"], [(0, "8C"), (1, "AS")], [("8C", [0]), ("AS", [1])]))
    assert failures.cards_in == {kind: CardCount(3, 1, 2) for kind in ("dim", "drawn deck", "hand")}
    assert "dim                         3   33.3%           50.0%" in tables(failures)


def test_the_tables_say_what_misleads() -> None:
    told = tables(
        counted(
            seen(["8C", "8D", "8H"], [(0, "8S"), (1, "9D"), (2, "none")], []),
            seen(["JK", "4C"], [(0, "4C"), (1, "5D")], []),
        )
    )
    assert "cards missed: 5 of 5" in told
    assert "     1 8C read as 8S" in told
    assert told.endswith("misread: suit 1, rank 1, no index 1, joker 1, rank and suit 1")
    assert tables(Failures()).endswith("misread: nothing")


def test_the_samples_are_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    main([str(SAMPLES)])
    told = capsys.readouterr().out
    assert "cards missed: " in told
    assert " of 80\n" in told


def test_a_folder_without_labels_is_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="cannot be looked at"):
        main([str(tmp_path)])
