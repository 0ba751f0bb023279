"""The command that measures: one JSON object, a table with counts, and a sentence on failure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from engine.cards import Card
from models import evaluate
from vision.photo import Photo
from vision.scanner import Scanner
from vision.scene import Doubt, Scene, SeenCard

KEYS = [
    "photos",
    "cards",
    "card_recall",
    "card_precision",
    "photo_exact",
    "score_exact",
    "silent_error",
    "asked",
    "corner_recall",
    "corner_precision",
    "joker_recall",
    "equal_cards_right",
    "groups_right",
    "false_cards_per_photo",
    "ms_median",
]


class TellsByWidth:
    """Reads a photo as many eights of clubs as it is hundreds of pixels wide, and doubts a single one."""

    def scan(self, photo: Photo) -> Scene:
        width, height = photo.size_wh
        quad = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
        cards = tuple(SeenCard(Card("8C"), 0.9, quad, (), ()) for _ in range(width // 100))
        doubts = (Doubt("unsure", "Is this 8♣?", (0,)),) if len(cards) == 1 else ()
        return Scene((width, height), cards, (tuple(range(len(cards))),), (), doubts)


@pytest.fixture(autouse=True)
def weights_anew() -> Iterator[None]:
    """The weights of a process are kept; the next test has others."""
    evaluate._warm_scanner.cache_clear()
    yield
    evaluate._warm_scanner.cache_clear()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two photos: on one are two equal cards, both read; on the other a three that is read as an eight."""
    monkeypatch.setattr(Scanner, "load", classmethod(lambda _: TellsByWidth()))
    Image.new("RGB", (200, 50)).save(tmp_path / "two.png")
    Image.new("RGB", (100, 50)).save(tmp_path / "one.png")
    labels = [
        {"photo": "two.png", "cards": ["8C", "8C"], "groups": [["8C", "8C"]], "mood": "plain"},
        {"photo": "one.png", "cards": ["3C"]},
    ]
    (tmp_path / "labels.jsonl").write_text("\n".join(json.dumps(label) for label in labels))
    return tmp_path


def test_json_is_all_that_stdout_gets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluate.main([str(folder), "--json"])
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert list(found) == KEYS
    assert found.pop("ms_median") > 0
    assert found == {
        "photos": 2,
        "cards": 3,
        "card_recall": 0.6667,
        "card_precision": 0.6667,
        "photo_exact": 0.5,
        "score_exact": 0.5,
        "silent_error": 0.0,
        "asked": 0.3333,
        "corner_recall": None,
        "corner_precision": None,
        "joker_recall": None,
        "equal_cards_right": 1.0,
        "groups_right": 1.0,
        "false_cards_per_photo": 0.5,
    }
    assert "2 of 2 photos" in err


def test_details(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluate.main([str(folder), "--json", "--details"])
    first, second = json.loads(capsys.readouterr().out)["details"]
    assert first.pop("ms") > 0
    assert first == {"photo": "two.png", "read": ["8C", "8C"], "doubtful": [], "doubts": []}
    assert second["doubtful"] == ["8C"]
    assert second["doubts"] == ["Is this 8♣?"]


def test_the_table_has_counts_beside_rates(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluate.main([str(folder), "--details"])
    out = capsys.readouterr().out
    rows = {line.split()[0]: line.split() for line in out.splitlines()}
    assert rows["card_recall"][1:5] == ["66.7%", "2", "of", "3"]
    assert rows["false_cards_per_photo"][1:5] == ["0.50", "1", "of", "2"]
    assert rows["corner_recall"][1] == "-"
    assert "one.png: 8C" in out


def test_a_folder_without_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scanner, "load", classmethod(lambda _: TellsByWidth()))
    with pytest.raises(SystemExit, match=r"cannot be measured: .* has no labels\.jsonl"):
        evaluate.main([str(tmp_path)])


def test_a_photo_that_is_none(folder: Path) -> None:
    (folder / "one.png").write_text("not a photo")
    with pytest.raises(SystemExit, match="cannot be measured"):
        evaluate.main([str(folder), "--json"])
    (folder / "one.png").unlink()
    with pytest.raises(SystemExit, match=r"cannot be measured: .*one\.png"):
        evaluate.main([str(folder), "--json"])
