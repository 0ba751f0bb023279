"""Printed matter: all kinds of it come up, bear ink, and come back from their seed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from datasets.printed import Press, sheet


@pytest.mark.parametrize("kind", ["pad", "letter", "envelope", "package", "upright"])
def test_every_kind_of_sheet_bears_ink(typefaces: Sequence[Path], kind: str) -> None:
    for seed in range(8):
        page = Image.new("RGB", (300, 240), (240, 240, 230))
        getattr(Press(np.random.default_rng(seed), page, (20, 20, 30), 24, typefaces), kind)()
        assert 0.005 < (np.asarray(page).max(axis=2) < 120).mean() < 0.5


def test_a_sheet_comes_back_from_its_seed(typefaces: Sequence[Path]) -> None:
    first, again = (sheet(np.random.default_rng(7), (200, 150), 16, typefaces) for _ in range(2))
    assert first.tobytes() == again.tobytes()
    assert first.size == (200, 150)


def test_the_word_on_jokers_is_never_printed(typefaces: Sequence[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[str] = []
    monkeypatch.setattr(ImageDraw.ImageDraw, "text", lambda *printed, **_: words.extend(printed[2].split()))
    for seed in range(60):
        sheet(np.random.default_rng(seed), (300, 240), 24, typefaces)
    assert len(words) > 1000
    assert "JOKER" not in {word.upper() for word in words}
