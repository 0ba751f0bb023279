"""Drawn decks: labels that fit the ink to the pixel, designs that follow from the seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.decks import FACE_HEIGHT, CornerIndex, Face
from datasets.drawn import DrawnDeck, courts_of, held_out_font
from datasets.ink import font_family
from datasets.jokers import CORNERS, HELD_OUT_JOKERS
from datasets.pips import draw_suits
from engine.cards import JOKER, KINDS, Card, Rank, Suit

SEEDS = range(20)
UNLIKE = 18
"""Difference in a channel by which ink is told from the grain of the ground."""


@pytest.fixture(scope="module", params=[*SEEDS, *(-1 - seed for seed in SEEDS[:6])])
def deck(request: pytest.FixtureRequest, typefaces: Sequence[Path]) -> DrawnDeck:
    """A deck of each seed, and held-out decks of the first few, one at a time: their faces are large."""
    seed = request.param
    return DrawnDeck(seed, typefaces) if seed >= 0 else DrawnDeck(-1 - seed, typefaces, held_out=True)


def faces(deck: DrawnDeck) -> Iterator[tuple[str, Face]]:
    for card in KINDS[:-1]:
        yield f"{deck.name} {card}", deck.face(card)
    for style in range(deck.joker_styles):
        yield f"{deck.name} joker {style}", deck.face(JOKER, style)


def inked(face: Face, box: Sequence[float], margin: int) -> NDArray[np.bool_]:
    """Return which pixels of a box grown by ``margin`` differ from the ground around it."""
    left, top, right, bottom = (int(edge) for edge in box)
    view = face.image[top - margin : bottom + margin, left - margin : right + margin].astype(int)
    ring = np.ones(view.shape[:2], bool)
    ring[2:-2, 2:-2] = False
    ground = np.median(view[ring], axis=0)
    return np.abs(view - ground).max(axis=2) > UNLIKE


def mirrored(index: CornerIndex, width: int) -> CornerIndex:
    """Return the index as it lies when the card is turned by 180 degrees."""
    left, top, right, bottom = index.box
    return CornerIndex(
        (width - right, FACE_HEIGHT - bottom, width - left, FACE_HEIGHT - top),
        (width - index.rank[0], FACE_HEIGHT - index.rank[1]),
        (width - index.suit[0], FACE_HEIGHT - index.suit[1]),
    )


@pytest.mark.art
def test_boxes_fit_the_ink_and_stand_free(deck: DrawnDeck) -> None:
    for label, face in faces(deck):
        for index in face.indices:
            ink = inked(face, index.box, margin=2)
            assert not ink[:2].any(), label
            assert not ink[-2:].any(), label
            assert not ink[:, :2].any(), label
            assert not ink[:, -2:].any(), label
            assert ink[2].any(), label
            assert ink[-3].any(), label
            assert ink[:, 2].any(), label
            assert ink[:, -3].any(), label


@pytest.mark.art
def test_rank_and_suit_lie_in_the_box_and_point_down_the_card(deck: DrawnDeck) -> None:
    for label, face in faces(deck):
        is_joker = "joker" in label
        assert len(face.indices) in ((0, 2, 4) if is_joker else (2, 4)), label
        for index in face.indices:
            left, top, right, bottom = index.box
            for x, y in (index.rank, index.suit):
                assert left < x < right, label
                assert top < y < bottom, label
            stands = (top + bottom) / 2 < FACE_HEIGHT / 2
            assert (index.rank[1] < index.suit[1]) == stands, label
            height = (bottom - top) / FACE_HEIGHT
            assert is_joker or 0.08 <= height <= 0.33, label


@pytest.mark.art
def test_every_face_has_the_same_indices_from_both_ends(deck: DrawnDeck) -> None:
    for label, face in faces(deck):
        turned = [mirrored(index, face.image.shape[1]) for index in face.indices]
        assert set(turned) == set(face.indices), label
        for index in face.indices:
            left, top, right, bottom = (int(edge) for edge in index.box)
            there = mirrored(index, face.image.shape[1])
            x, y = int(there.box[0]), int(there.box[1])
            first = inked(face, (left, top, right, bottom), 2)
            second = inked(face, (x, y, x + right - left, y + bottom - top), 2)
            assert (first != second[::-1, ::-1]).mean() < 0.02, label


@pytest.mark.art
def test_the_seed_gives_the_same_bytes_in_any_order(typefaces: Sequence[Path]) -> None:
    cards = [Card(code) for code in ("AS", "KH", "TD", "JC", "5H")]
    for seed in SEEDS:
        first, second = DrawnDeck(seed, typefaces), DrawnDeck(seed, typefaces)
        before = [first.face(card).image.tobytes() for card in cards]
        before += [first.face(JOKER, 1).image.tobytes(), first.back().image.tobytes()]
        after = [second.back().image.tobytes(), second.face(JOKER, 1).image.tobytes()]
        after += [second.face(card).image.tobytes() for card in reversed(cards)]
        assert before == after[::-1]


@pytest.mark.art
def test_designs_differ_between_seeds(typefaces: Sequence[Path]) -> None:
    decks = [DrawnDeck(seed, typefaces) for seed in SEEDS]
    assert len({deck.face(Card("QH")).image.tobytes() for deck in decks}) == len(decks)
    assert len({deck.back().image.tobytes() for deck in decks}) == len(decks)
    assert {len(deck.face(Card("QH")).indices) for deck in decks} == {2, 4}
    assert len({deck.face(Card("QH")).image.shape for deck in decks}) > 3
    assert all(deck.face(Card("QH")).image.shape[0] == FACE_HEIGHT for deck in decks)


@pytest.mark.art
def test_suits_have_their_own_forms(typefaces: Sequence[Path]) -> None:
    """Spades and diamonds come to a point at the top, clubs are round there, hearts have a notch."""
    for seed in range(200):
        shapes = draw_suits(np.random.default_rng(seed), typefaces)
        top = {suit: shapes.mask(suit, 120, plain=True)[6] > 127 for suit in Suit}
        share = {suit: row.sum() / row.size for suit, row in top.items()}
        assert share[Suit.SPADES] < 0.12 < share[Suit.CLUBS], seed
        assert share[Suit.DIAMONDS] < 0.12, seed
        lobes = np.diff(top[Suit.HEARTS].astype(int), prepend=0, append=0)
        assert (lobes == 1).sum() == 2, seed


@pytest.mark.art
def test_held_out_designs_share_no_font_family_and_no_joker_style(typefaces: Sequence[Path]) -> None:
    sides: dict[bool, set[str]] = {False: set(), True: set()}
    for path in typefaces:
        sides[held_out_font(path)].add(font_family(path).lower().split()[0])
    assert not sides[True] & sides[False]
    assert len(sides[True]) >= 4
    assert len(sides[False]) >= 20
    for held_out in (False, True):
        corners = {
            joker.corner for seed in range(150) for joker in DrawnDeck(seed, typefaces, held_out=held_out).jokers
        }
        assert corners == (HELD_OUT_JOKERS if held_out else CORNERS.keys() - HELD_OUT_JOKERS)


@pytest.mark.art
def test_without_a_font_of_its_kind_there_is_no_deck(typefaces: Sequence[Path]) -> None:
    trained = [path for path in typefaces if not held_out_font(path)]
    with pytest.raises(ValueError, match="held-out font"):
        DrawnDeck(0, trained, held_out=True)


@pytest.mark.art
def test_courts_of_other_decks_are_used(typefaces: Sequence[Path]) -> None:
    green = np.zeros((300, 200, 3), np.uint8) + np.array([0, 200, 0], np.uint8)
    shown = 0
    for seed in SEEDS:
        red, lush, blue = (
            DrawnDeck(seed, typefaces, courts=lambda *_: green)
            .face(Card("KS"))
            .image[FACE_HEIGHT // 2, 250]
            .astype(int)
        )
        shown += int(red == blue == 0 and lush > 120)
        without = DrawnDeck(seed, typefaces, courts=lambda *_: None).face(Card("KS")).image
        assert (without == DrawnDeck(seed, typefaces).face(Card("KS")).image).all()
    assert 0 < shown < len(SEEDS)


@pytest.mark.art
def test_courts_cut_from_a_deck_leave_its_indices_out(typefaces: Sequence[Path]) -> None:
    cut = 0
    for seed in SEEDS:
        deck = DrawnDeck(seed, typefaces)
        panel = courts_of([deck])(Rank.QUEEN, Suit.DIAMONDS, np.random.default_rng(0))
        face = deck.face(Card("QD"))
        width = face.image.shape[1]
        free = width - 2 * max(index.box[2] for index in face.indices if index.box[2] < width / 2)
        if panel is None:
            assert free < 0.47 * width
            continue
        cut += 1
        assert panel.shape[1] < free
        margin = (width - panel.shape[1]) // 2, (FACE_HEIGHT - panel.shape[0]) // 2
        inner = face.image[margin[1] : margin[1] + panel.shape[0], margin[0] : margin[0] + panel.shape[1]]
        assert (panel == inner).all()
    assert cut > len(SEEDS) / 2


@pytest.mark.art
def test_joker_art_stands_between_the_lettering(typefaces: Sequence[Path]) -> None:
    green = np.zeros((300, 200, 3), np.uint8) + np.array([0, 200, 0], np.uint8)
    shown = 0
    for seed in range(40):
        deck = DrawnDeck(seed, typefaces, joker_art=lambda _: green)
        bare = DrawnDeck(seed, typefaces)
        for style, joker in enumerate(deck.jokers):
            face = deck.face(JOKER, style)
            assert face.indices == bare.face(JOKER, style).indices
            if joker.centre == "art":
                shown += 1
                middle = face.image[FACE_HEIGHT // 2, 250].astype(int)
                assert middle[0] == middle[2] == 0
                assert middle[1] > 120
    assert shown > 0
