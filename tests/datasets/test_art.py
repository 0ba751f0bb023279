"""Packaged decks: faces cut to the card, and every corner index where its ink is."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("resvg_py", reason="Drawing SVG needs the render extra.")

from datasets.art import ArtDeck, art_decks
from datasets.assets import AssetsError, default_cache
from datasets.decks import FACE_HEIGHT, CornerIndex, Face
from datasets.designs import DESIGNS, design_named, joker_design
from engine.cards import JOKER, KINDS, Card

pytestmark = pytest.mark.art

CARDS = KINDS[:-1]
REPEATS = (
    {"gnome/anglo", "gnome/anglo_bitmap", "gnome/gnomangelo", "gnome/gnomangelo_bitmap"},
    {"gnome/anglo_modern", "gnome/anglo_modern_4_color"},
    {"gnome/neoclassical", "gnome/neoclassical_4_color"},
    {"gnome/ornamental", "kde/nicu-white"},
    {"gnome/bellot", "gnome/paris", "gnome/dondorf"},
    {"kennard/2color", "kennard/4color", "kennard/2color-bf", "kennard/4color-bf"},
)
"""Designs that share pictures or index glyphs."""


@pytest.fixture(scope="module")
def decks() -> list[ArtDeck]:
    """Return the packaged decks; skip the test where they were never fetched."""
    try:
        return art_decks(default_cache())
    except AssetsError as error:
        pytest.skip(str(error))


@pytest.fixture(params=[design.name for design in DESIGNS])
def deck(request: pytest.FixtureRequest, decks: list[ArtDeck]) -> Iterator[ArtDeck]:
    """Return one deck after the other."""
    return next(deck for deck in decks if deck.name == request.param)


def faces(deck: ArtDeck) -> Iterator[Face]:
    yield from map(deck.face, CARDS)
    for style in range(deck.joker_styles):
        yield deck.face(JOKER, style)
    yield deck.back()


def ink(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return where a picture differs from the colour of its upper left corner."""
    return np.abs(picture.astype(int) - picture[2, 2].astype(int)).max(axis=2) > 90


def test_there_are_enough_decks_and_the_held_out_ones_are_of_their_own(decks: list[ArtDeck]) -> None:
    held_out = {deck.name for deck in decks if deck.held_out}
    assert len({deck.name for deck in decks}) == len(decks) >= 20
    assert len(held_out) >= 4
    for group in REPEATS:
        assert group <= {deck.name for deck in decks}
        assert group <= held_out or not group & held_out
    assert all(deck.licence for deck in decks)


def test_jokers_are_never_shared_between_the_splits() -> None:
    for design in DESIGNS:
        assert joker_design(design).held_out == design.held_out
    assert len({joker_design(design).name for design in DESIGNS if design.held_out}) >= 2


def test_faces_fill_the_card(deck: ArtDeck) -> None:
    width = deck.face(CARDS[0]).image.shape[1]
    # From bridge cards (2.25 by 3.5 inches) to poker cards (2.5 by 3.5) and somewhat beyond.
    assert 0.58 < width / FACE_HEIGHT < 0.75
    assert 0 <= deck.corner_radius < 0.1 * FACE_HEIGHT
    for face in faces(deck):
        assert face.image.shape == (FACE_HEIGHT, width, 3)
        assert face.image.dtype == np.uint8


def test_no_outline_is_left_at_the_edges_of_number_cards(deck: ArtDeck) -> None:
    for code in ("2C", "3D", "3H", "2S"):
        picture = deck.face(Card(code)).image
        middle = slice(FACE_HEIGHT // 3, FACE_HEIGHT * 2 // 3)
        ground = np.median(picture[middle, :12].reshape(-1, 3), axis=0)
        edges = (picture[middle, 0], picture[middle, -1], picture[0], picture[-1])
        for edge in edges:
            assert np.abs(np.median(edge, axis=0) - ground).max() < 40
        for corner in (picture[0, 0], picture[0, -1], picture[-1, 0], picture[-1, -1]):
            assert np.abs(corner - ground).max() < 40


def test_every_card_has_its_indices_in_its_corners(deck: ArtDeck) -> None:
    expected = 4 if deck.design.four_corners else 2
    height, width = deck.back().image.shape[:2]
    for card in CARDS:
        indices = deck.face(card).indices
        assert len(indices) == expected
        quadrants = [(index.rank[0] > width / 2, index.rank[1] > height / 2) for index in indices]
        assert quadrants[:2] == [(False, False), (True, True)]
        assert len(set(quadrants)) == expected
        for index in indices:
            x_min, y_min, x_max, y_max = index.box
            assert 0 <= x_min < x_max <= width
            assert 0 <= y_min < y_max <= height
            assert 0.05 * width < x_max - x_min < 0.25 * width
            assert 0.14 * height < y_max - y_min < 0.4 * height
            for point in (index.rank, index.suit):
                assert x_min < point[0] < x_max
                assert y_min < point[1] < y_max
            # Read from the card's near end, the rank stands above the suit.
            upright = index.rank[1] < height / 2
            assert (index.suit[1] - index.rank[1] > 0.25 * (y_max - y_min)) == upright
            assert (index.rank[1] - index.suit[1] > 0.25 * (y_max - y_min)) != upright


def test_boxes_hug_the_ink(deck: ArtDeck) -> None:
    for code in ("AC", "2D", "3H", "2S", "3C"):
        face = deck.face(Card(code))
        for index in face.indices:
            x_min, y_min, x_max, y_max = (round(side) for side in index.box)
            marked = ink(face.image)
            inside = marked[y_min:y_max, x_min:x_max]
            assert 0.1 < inside.mean() < 0.9
            # Every side of the box touches the ink within two pixels ...
            assert all(np.flatnonzero(inside.any(axis=axis))[[0]] <= 2 for axis in (0, 1))
            assert x_max - x_min - np.flatnonzero(inside.any(axis=0))[-1] <= 3
            assert y_max - y_min - np.flatnonzero(inside.any(axis=1))[-1] <= 3
            # ... and the index does not go on beyond it.
            around = marked[max(0, y_min - 4) : y_max + 4, max(0, x_min - 4) : x_max + 4].copy()
            around[2:-2, 2:-2] = False
            assert around.mean() < 0.005


def test_both_ends_of_a_card_agree(deck: ArtDeck) -> None:
    height, width = deck.back().image.shape[:2]
    for card in CARDS:
        near, far = deck.face(card).indices[:2]
        sizes = np.array([_size(near), _size(far)])
        assert np.abs(sizes[0] - sizes[1]).max() < 0.02 * height
        turned = np.subtract((width, height), far.rank)
        assert np.abs(turned - near.rank).max() < 0.03 * height


def _size(index: CornerIndex) -> tuple[float, float]:
    return index.box[2] - index.box[0], index.box[3] - index.box[1]


def test_jokers_have_an_index_where_the_art_has_one(deck: ArtDeck) -> None:
    windows = joker_design(deck.design).joker_windows
    for style in range(deck.joker_styles):
        face = deck.face(JOKER, style)
        assert len(face.indices) == 2 * len(windows)
        for index in face.indices:
            x_min, y_min, x_max, y_max = (round(side) for side in index.box)
            assert ink(face.image)[y_min:y_max, x_min:x_max].mean() > 0.1
            assert index.rank[0] == index.suit[0] == pytest.approx((x_min + x_max) / 2, abs=1)
    assert np.array_equal(deck.face(JOKER, deck.joker_styles).image, deck.face(JOKER, 0).image)


def test_faces_differ(deck: ArtDeck) -> None:
    pictures = {face.image.tobytes() for face in faces(deck)}
    assert len(pictures) == len(CARDS) + deck.joker_styles + 1
    assert deck.back().indices == ()


def test_a_deck_is_pickled_without_its_pictures(decks: list[ArtDeck]) -> None:
    deck = decks[0]
    face = deck.face(Card("QH"))
    stored = pickle.dumps(deck)
    assert len(stored) < 5000
    again = pickle.loads(stored)
    assert again.name == deck.name
    assert np.array_equal(again.face(Card("QH")).image, face.image)


def test_without_the_packages_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AssetsError, match=r"run `python -m datasets\.assets` first"):
        art_decks(tmp_path)


def test_a_design_is_found_by_its_name() -> None:
    assert design_named("kde/standard").package.name == "kdegames-card-data-kf5"
    with pytest.raises(KeyError):
        design_named("kde/none")
