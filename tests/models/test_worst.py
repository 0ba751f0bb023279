"""The photos that are read worst come first, with what is wrong about them."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest

from datasets.photosets import LabelledPhoto
from engine.cards import parse_cards
from models.evaluate import Reading
from models.worst import main, worst
from vision.scene import Doubt, Scene, SeenCard

SAMPLES = Path(__file__).parents[1] / "data"
QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def reading(name: str, lies: str | None, read: str, *, asked: bool = False) -> Reading:
    truth = LabelledPhoto(Path(name), None if lies is None else parse_cards(lies), None, None, None, None)
    seen = tuple(SeenCard(card, 0.9, QUAD, (), ()) for card in parse_cards(read))
    doubts = (Doubt("unread", "Is there a card?", ()),) if asked else ()
    return Reading(truth, Scene((10, 10), seen, (), (), doubts=doubts), 1.0)


def test_the_most_wrong_come_first_and_silent_ones_before_others() -> None:
    found = worst(
        [
            reading("right.jpg", "9C", "9C"),
            reading("asked.jpg", "9C KD", "9C", asked=True),
            reading("silent.jpg", "9C", "9C KD"),
            reading("two.jpg", "9C KD", "9C KS", asked=True),
            reading("unknown.jpg", None, "9C"),
        ],
        count=10,
    )
    assert [str(each) for each in found] == [
        "two.jpg: missed KD; not there KS",
        "silent.jpg: not there KD, without a doubt",
        "asked.jpg: missed KD",
    ]


def test_so_many_are_named_and_no_more() -> None:
    wrong = [reading(f"{number}.jpg", "9C", "") for number in range(5)]
    assert [each.name for each in worst(wrong, count=2)] == ["0.jpg", "1.jpg"]
    assert worst([], count=2) == []


def test_the_worst_are_named_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hand.jpg").write_bytes((SAMPLES / "hand.jpg").read_bytes())
    (tmp_path / "labels.jsonl").write_text('{"photo": "hand.jpg", "cards": ["2C"]}\n', encoding="utf-8")
    main([str(tmp_path), "--sheet", str(tmp_path / "sheet.png")])
    assert capsys.readouterr().out.startswith("hand.jpg: ")
    drawn = cv2.imread(str(tmp_path / "sheet.png"))
    assert drawn.shape == (480, 480, 3)
    assert drawn.std() > 10


def test_a_folder_without_labels_is_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="cannot be measured"):
        main([str(tmp_path)])
