"""Whole scenes: what lies there, what is in sight, and what is left when no face shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from datasets.clutter import Clutter
from datasets.drawn import DrawnDeck
from datasets.grounds import Grounds
from datasets.scenes import READABLE, Stage, Wish, picture, set_up
from engine.cards import JOKER

CLUTTER = Clutter(Grounds(None))


def staged(typefaces: Sequence[Path], seed: int, **wish: object) -> Stage:
    deck = DrawnDeck(seed, typefaces)
    return set_up(np.random.default_rng(seed), Wish(**{"kind": "hands", **wish}), (deck, deck), CLUTTER)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["hands", "melds", "scattered"])
def test_no_scene_shows_more_than_the_packs_hold(typefaces: Sequence[Path], kind: str) -> None:
    for seed in range(5):
        counts = Counter(card.card for card in staged(typefaces, seed, kind=kind, jokers=0.2).cards)
        assert counts.pop(JOKER, 0) <= 4
        assert max(counts.values()) <= 2


def test_every_card_has_a_readable_index_and_every_index_a_card(typefaces: Sequence[Path]) -> None:
    stage = staged(typefaces, 3)
    readable = {index.of for index in stage.indices if index.visible >= READABLE}
    assert readable == set(range(len(stage.cards)))
    assert all(stage.cards[index.of].card == index.card for index in stage.indices)


@pytest.mark.parametrize("seed", range(4))
def test_an_empty_table_shows_no_card(typefaces: Sequence[Path], seed: int) -> None:
    stage = staged(typefaces, seed, kind="held", is_empty=True)
    assert stage.cards == stage.indices == ()
    assert {item.card for item in stage.placed} <= {None}
    image = picture(np.random.default_rng(seed), stage, CLUTTER).image
    assert image.shape[1::-1] == stage.size_wh


def test_the_same_chance_gives_the_same_picture(typefaces: Sequence[Path]) -> None:
    first, second = (
        picture(np.random.default_rng(8), staged(typefaces, 5, kind="few", longest_side=500), CLUTTER) for _ in range(2)
    )
    assert first.image.tobytes() == second.image.tobytes()
