"""Several looks at one table become one scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine.cards import Card
from vision.fusion import fuse, lay_over
from vision.geometry import apply_homography
from vision.limits import Limits
from vision.scene import Doubt, Scene, SeenCard, SeenCorner

LIMITS = Limits()
HAND = ("8C", "9D", "TH", "8C", "KS", "JK")


def seen(code: str, x: float, y: float = 300.0, confidence: float = 0.98, or_else: Sequence[str] = ()) -> SeenCard:
    quad = ((x, y), (x + 100, y), (x + 100, y + 140), (x, y + 140))
    rest = tuple((Card(other), round((1 - confidence) / len(or_else), 3)) for other in or_else)
    return SeenCard(Card(code), confidence, quad, rest, ())


def look(cards: Sequence[SeenCard]) -> Scene:
    return Scene((1600, 1200), tuple(cards), (tuple(range(len(cards))),))


def hand(codes: Sequence[str] = HAND) -> list[SeenCard]:
    return [seen(code, 100 + 40 * place) for place, code in enumerate(codes)]


def moved(scene: Scene, matrix: np.ndarray) -> Scene:
    cards = []
    for card in scene.cards:
        quad = apply_homography(matrix, np.array(card.quad))
        cards.append(
            SeenCard(card.card, card.confidence, tuple(map(tuple, quad.tolist())), card.alternatives, card.corners)
        )
    return Scene(scene.size_wh, tuple(cards), scene.groups)


TURNED = np.array([[0.8, 0.3, 100], [-0.3, 0.8, 300], [1e-4, 0, 1]])


def counts(scene: Scene) -> Counter[str]:
    return Counter(card.card.code for card in scene.cards)


def test_no_look_is_refused() -> None:
    with pytest.raises(ValueError, match="no scene"):
        fuse([], LIMITS)


def test_one_look_stays_as_it_is() -> None:
    scene = look(hand())
    assert fuse([scene], LIMITS) is scene


def test_looks_without_cards_have_none() -> None:
    assert fuse([look([]), look([])], LIMITS).cards == ()


@pytest.mark.parametrize("matrix", [np.eye(3), TURNED])
def test_what_every_look_shows_counts_once_also_equal_cards_side_by_side(matrix: np.ndarray) -> None:
    scene = look(hand())
    fused = fuse([scene, moved(scene, matrix), scene], LIMITS)
    assert counts(fused) == Counter(HAND)
    assert fused.doubts == ()
    assert all(card.confidence > 0.95 for card in fused.cards)


def test_a_card_that_another_look_alone_shows_is_added_and_asked_about() -> None:
    part, whole = look(hand()[:5]), moved(look(hand()), TURNED)
    fused = fuse([part, whole], LIMITS)
    assert counts(fused) == Counter(HAND)
    (doubt,) = fused.doubts
    assert [fused.cards[place].card.code for place in doubt.cards] == ["JK"]


def test_looks_that_disagree_are_asked_about() -> None:
    other = hand()
    other[1] = seen("9H", 140, confidence=0.9)
    fused = fuse([look(hand()), look(other), look(hand())], LIMITS)
    assert counts(fused) == Counter(HAND)
    (doubt,) = fused.doubts
    assert doubt.kind == "unsure"
    assert "9♦ or 9♥" in doubt.text


def test_an_unsure_card_that_other_looks_show_well_passes() -> None:
    unsure = hand()
    unsure[1] = seen("9D", 140, confidence=0.55, or_else=["9H"])
    fused = fuse([look(unsure), *[look(hand())] * 3], LIMITS)
    assert fused.doubts == ()


def test_what_one_of_many_looks_shows_faintly_is_no_card_but_asked_about() -> None:
    strayed = look([*hand(), seen("4S", 900, confidence=0.55)])
    fused = fuse([look(hand()), strayed, look(hand()), look(hand())], LIMITS)
    assert counts(fused) == Counter(HAND)
    (doubt,) = fused.doubts
    assert "4♠" in doubt.text


def test_a_third_equal_card_is_asked_about() -> None:
    cards = [*hand(), seen("8C", 700)]
    fused = fuse([look(cards), look(cards)], LIMITS)
    assert [doubt.kind for doubt in fused.doubts] == ["copies"]


def test_a_look_that_cannot_be_laid_over_counts_nothing_twice_and_is_asked_about() -> None:
    pairs = look([seen("8C", 100), seen("8C", 140), seen("9D", 180, confidence=0.3)])
    other = look([seen("8C", 500), seen("8C", 540), seen("KS", 900)])
    assert lay_over(other, pairs) is None
    fused = fuse([other, pairs], LIMITS)
    assert counts(fused) == Counter(["8C", "8C", "KS"])
    assert any("9♦" in doubt.text for doubt in fused.doubts)


def test_one_misread_card_does_not_turn_the_looks() -> None:
    scene = look(hand(("2C", "3D", "4H", "5S", "6C", "7D")))
    off = moved(scene, TURNED)
    cards = list(off.cards)
    cards[0], cards[5] = (
        SeenCard(cards[5].card, 0.9, cards[0].quad, (), ()),
        SeenCard(cards[0].card, 0.9, cards[5].quad, (), ()),
    )
    matrix = lay_over(Scene(off.size_wh, tuple(cards), off.groups), scene)
    assert matrix is not None
    for place in range(1, 5):
        np.testing.assert_allclose(
            apply_homography(matrix, np.array(off.cards[place].quad[:1])), scene.cards[place].quad[:1], atol=2
        )


def test_what_most_looks_ask_about_is_asked() -> None:
    asked = Scene((1600, 1200), tuple(hand()), (tuple(range(6)),), (), (Doubt("twice", "One card or two?", (0, 3)),))
    fused = fuse([asked, asked, look(hand())], LIMITS)
    assert [fused.cards[place].card.code for place in sorted(fused.doubtful)] == ["8C", "8C"]
    assert fuse([asked, look(hand()), look(hand())], LIMITS).doubts == ()


def test_a_card_more_that_half_of_the_looks_could_not_read_is_asked_about() -> None:
    clear = look(hand())
    text = "There may be a card more."
    faint = Scene(clear.size_wh, clear.cards, clear.groups, (), (Doubt("unread", text, ()),))
    assert [doubt.text for doubt in fuse([clear, faint], LIMITS).doubts] == [text]
    assert [doubt.text for doubt in fuse([clear, faint, faint], LIMITS).doubts] == [text]
    assert fuse([clear, clear, faint], LIMITS).doubts == ()
    assert [doubt.text for doubt in fuse([faint, clear, clear], LIMITS).doubts] == [text]


def test_looks_are_read_within_the_packs() -> None:
    cards = [*hand(("8C", "9D", "TH", "8C")), seen("8C", 500, confidence=0.6, or_else=["8S"])]
    fused = fuse([look(cards), look(cards)], LIMITS)
    assert counts(fused) == Counter(["8C", "8C", "9D", "TH", "8S"])
    assert counts(fuse([look(cards), look(cards)], Limits(packs=3))) == Counter(["8C", "8C", "8C", "9D", "TH"])


def test_a_card_of_which_looks_see_different_ends_is_one_card() -> None:
    cards = hand()
    first, second, third, fourth = cards[4].quad
    turned = [*cards[:4], replace(cards[4], quad=(third, fourth, first, second)), cards[5]]
    fused = fuse([look(cards), look(turned), look(cards)], LIMITS)
    assert counts(fused) == Counter(HAND)
    assert not fused.doubts


def indexed(code: str, *places: tuple[float, float]) -> tuple[SeenCard, list[SeenCorner]]:
    """A card of which each index is a box 30 high around a place; the first is its upper left one."""
    (x, y), *_ = places
    quad = ((x - 10, y - 20), (x + 90, y - 20), (x + 90, y + 120), (x - 10, y + 120))
    corners = [SeenCorner((px - 10, py - 15, px + 10, py + 15), Card(code), 0.98) for px, py in places]
    return SeenCard(Card(code), 0.98, quad, (), ()), corners


def indexed_look(*cards: tuple[SeenCard, list[SeenCorner]]) -> Scene:
    corners = [corner for _, own in cards for corner in own]
    shown, first = [], 0
    for card, own in cards:
        shown.append(replace(card, corners=tuple(range(first, first + len(own)))))
        first += len(own)
    return Scene((1600, 1200), tuple(shown), (tuple(range(len(shown))),), tuple(corners))


ROW = [indexed(code, (100 + 200 * place, 300)) for place, code in enumerate(("9D", "TH", "KS", "2C"))]


def test_the_two_ends_of_a_card_that_one_look_takes_for_two_cards_are_one_where_more_looks_say_so() -> None:
    whole = indexed_look(*ROW, indexed("5H", (900, 300), (980, 400)))
    split = indexed_look(*ROW, indexed("5H", (900, 300)), indexed("5H", (980, 400)))
    assert counts(fuse([whole, split, whole], LIMITS))["5H"] == 1
    assert counts(fuse([split, split, whole], LIMITS))["5H"] == 2


def test_looks_that_see_different_indices_of_one_card_and_one_that_sees_both() -> None:
    upper = indexed_look(*ROW, indexed("5H", (900, 300)))
    lower = indexed_look(*ROW, indexed("5H", (980, 400)))
    both = indexed_look(*ROW, indexed("5H", (900, 300), (980, 400)))
    assert counts(fuse([upper, lower, both], LIMITS))["5H"] == 1


def test_what_most_looks_do_not_show_is_asked_about_and_not_shown() -> None:
    without, strange = indexed_look(*ROW), indexed_look(*ROW, indexed("5H", (900, 300)))
    fused = fuse([without, strange, without, strange, without], LIMITS)
    assert "5H" not in counts(fused)
    assert [doubt.text for doubt in fused.doubts] == ["2 of 5 looks show 5♥: please check whether a card is missing."]
