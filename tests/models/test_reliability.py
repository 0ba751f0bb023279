"""Chances against what is right: counted in bands, told as a table, drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.photosets import LabelledPhoto
from engine.cards import Card, Rank
from models.evaluate import Reading
from models.reliability import bands, gap, judged, main, plot, table
from vision.scene import Scene, SeenCard

SAMPLES = Path(__file__).parents[1] / "data"
QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def reading(lies: str | None, read: dict[str, float], ranks: tuple[Rank, ...] | None = None) -> Reading:
    """A photo on which cards lie, and what was read with which chance; ``8C+`` is another ``8C``."""
    cards = None if lies is None else tuple(map(Card, lies.split()))
    truth = LabelledPhoto(Path("photo.jpg"), cards, ranks, None, None, None)
    seen = tuple(SeenCard(Card(code[:2]), chance, QUAD, (), ()) for code, chance in read.items())
    return Reading(truth, Scene((10, 10), seen, (), ()), 1.0)


def test_of_equal_cards_the_likeliest_are_right() -> None:
    said, right = judged([reading("8C KD", {"8C": 0.6, "8C+": 0.9, "KD": 0.8, "3S": 0.7})])
    assert dict(zip(said.tolist(), right.tolist(), strict=True)) == {0.9: True, 0.8: True, 0.7: False, 0.6: False}


def test_ranks_are_compared_where_they_alone_are_known() -> None:
    assert judged([reading(None, {"8H": 0.9}, (Rank.EIGHT,))])[1].tolist() == [True]


def test_what_is_not_labelled_is_not_judged() -> None:
    said, right = judged([reading(None, {"8H": 0.9})])
    assert len(said) == len(right) == 0
    assert bands(said, right) == []
    assert gap([]) == 0


def test_a_certain_card_is_in_the_last_band() -> None:
    assert bands(np.array([1.0, 0.995, 0.3]), np.array([True, True, False])) == [(0.3, 0.0, 1), (0.9975, 1.0, 2)]


def test_the_table_says_how_far_chances_are_off() -> None:
    told = table([(0.6, 0.4, 10), (0.99, 0.99, 90)])
    assert "   60.0%   40.0%      10" in told
    assert told.endswith("off by 2.0% on average")


def test_the_samples_are_read_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(SAMPLES)])
    assert "off by" in capsys.readouterr().out
    pytest.importorskip("matplotlib", reason="Plots need the train extra.")
    for name in ("first.svg", "second.svg"):
        plot({"data": [(0.6, 0.5, 10), (0.99, 0.98, 50)]}, tmp_path / name)
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()


def test_a_folder_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="cannot be measured"):
        main([str(tmp_path)])
