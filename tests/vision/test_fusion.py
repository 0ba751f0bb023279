"""Several looks at one table become one scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from engine.cards import Card
from vision.fusion import fuse, lay_over
from vision.geometry import apply_homography
from vision.pairing import Limits
from vision.scene import Doubt, Scene, SeenCard

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
    np.testing.assert_allclose(
        apply_homography(matrix, np.array(off.cards[2].quad)), np.array(scene.cards[2].quad), atol=2
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
