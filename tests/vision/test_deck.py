"""A learnt deck: it names what the reader did not know, and changes nothing where it does not help."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import JOKER, KINDS, UNKNOWN, Card
from tests.vision.test_scanner import PRESENCE, THRESHOLDS
from vision.corners import Corners
from vision.deck import KEPT, KEPT_MORE, LearntDeck, Lesson, learn
from vision.photo import Photo
from vision.reader import CLASSES, REJECT, DeckError, Reader, chances
from vision.scanner import Scanner


class Told:
    """A reader that gives the logits it was told, a little otherwise at every look."""

    version = "one"

    def __init__(self, logits: np.ndarray) -> None:
        self._logits = logits
        self._rng = np.random.default_rng(1)

    def logits(self, crops: np.ndarray) -> np.ndarray:
        return np.asarray(self._logits[: len(crops)] + self._rng.normal(0, 0.3, (len(crops), CLASSES)))


def lesson_of(kinds: list[int]) -> Lesson:
    crops = np.random.default_rng(0).integers(0, 255, (len(kinds), 64, 48, 6), np.uint8)
    return Lesson(crops, np.array(kinds, np.int64))


def whole_deck() -> list[int]:
    """Both ends of the 52 cards, and four times both ends of a joker."""
    return [*list(range(52)) * 2, *[JOKER.index] * 8]


def said(kinds: list[int], *, knows_jokers: bool) -> np.ndarray:
    """Logits of a reader that names every card, and takes jokers for none unless it knows them."""
    logits = np.zeros((len(kinds), CLASSES))
    logits[np.arange(len(kinds)), kinds] = 9.0
    if not knows_jokers:
        jokers = np.array(kinds) == JOKER.index
        logits[jokers] = 0.0
        logits[jokers, REJECT] = 5.0
        logits[jokers, 13] = 4.0
    return logits


@cache
def learnt(*, knows_jokers: bool) -> LearntDeck:
    kinds = whole_deck()
    return learn("ours", lesson_of(kinds), Told(said(kinds, knows_jokers=knows_jokers)))  # type: ignore[arg-type]


def test_a_deck_that_is_read_for_sure_changes_nothing() -> None:
    deck = learnt(knows_jokers=True)
    assert not deck.helps
    assert deck.figures is not None
    assert deck.figures.right_before == deck.figures.right_after == deck.figures.indices == 112
    logits = np.random.default_rng(2).normal(0, 4, (20, CLASSES))
    assert np.array_equal(deck.chances(logits), chances(logits))


def test_a_joker_that_was_taken_for_none_is_named() -> None:
    deck = learnt(knows_jokers=False)
    assert deck.helps
    assert deck.figures is not None
    assert deck.figures.right_before == 104
    assert deck.figures.right_after > 104
    kinds = np.array(whole_deck())
    fresh = said(whole_deck(), knows_jokers=False) + np.random.default_rng(3).normal(0, 0.3, (len(kinds), CLASSES))
    right = deck.chances(fresh).argmax(axis=1) == kinds
    assert right[kinds != JOKER.index].all()
    assert right[kinds == JOKER.index].sum() > 4


@given(st.integers(0, 2**32 - 1), st.floats(0, 30))
def test_no_matrix_hides_an_index(seed: int, strength: float) -> None:
    rng = np.random.default_rng(seed)
    deck = LearntDeck("any", Lesson.none(), "one", strength * rng.normal(size=(CLASSES, CLASSES)), None)
    logits = rng.normal(0, 5, (9, CLASSES))
    read = deck.chances(logits)
    assert (read[:, REJECT] <= chances(logits)[:, REJECT]).all()
    assert read.sum(axis=1) == pytest.approx(1)


def test_what_is_missing_is_told_and_nothing_is_learnt_before() -> None:
    kinds = list(range(51))
    deck = learn("part", lesson_of(kinds), Told(said(kinds, knows_jokers=True)))  # type: ignore[arg-type]
    assert deck.missing == (KINDS[51],)
    assert deck.figures is None
    assert not deck.helps


def test_a_deck_without_a_joker_is_learnt_too() -> None:
    kinds = list(range(52))
    deck = learn("bare", lesson_of(kinds), Told(said(kinds, knows_jokers=True)))  # type: ignore[arg-type]
    assert deck.missing == ()
    assert not deck.has_joker
    assert deck.figures is not None


def test_of_each_kind_the_last_are_kept() -> None:
    lesson = lesson_of([3] * 9 + [REJECT] * 30)
    kept = Lesson.none().joined(lesson)
    assert (kept.kinds == 3).sum() == KEPT
    assert (kept.kinds == REJECT).sum() == KEPT_MORE
    assert np.array_equal(kept.crops[:KEPT], lesson.crops[9 - KEPT : 9])


def test_a_file_brings_the_deck_back(tmp_path: Path) -> None:
    deck = learnt(knows_jokers=False)
    (tmp_path / "ours.npz").write_bytes(deck.to_bytes())
    again = LearntDeck.open(tmp_path / "ours.npz")
    assert (again.name, again.weights, again.figures) == (deck.name, deck.weights, deck.figures)
    assert np.array_equal(again.lesson.crops, deck.lesson.crops)
    assert np.array_equal(again.lesson.kinds, deck.lesson.kinds)
    assert again.matrix == pytest.approx(deck.matrix, rel=1e-6)
    assert again.to_bytes() == deck.to_bytes(), "what was not changed has the same hash"


def test_an_empty_deck_is_kept_too(tmp_path: Path) -> None:
    new = learn("new", Lesson.none(), Told(np.zeros((0, CLASSES))))  # type: ignore[arg-type]
    (tmp_path / "new.npz").write_bytes(new.to_bytes())
    assert len(LearntDeck.open(tmp_path / "new.npz").missing) == 52


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b"dear sir"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-2000]),
        lambda path: np.savez(path, format=np.array(1)),
        lambda path: np.savez(path, format=np.array([{"a": 1}], object)),
        lambda path: np.savez(path, **{**dict(np.load(path)), "kinds": np.array([1, 2])}),
        lambda path: np.savez(path, **{**dict(np.load(path)), "matrix": np.full((CLASSES, CLASSES), np.nan)}),
        lambda path: np.savez(path, **{**dict(np.load(path)), "format": np.array(9)}),
    ],
)
def test_a_file_that_is_no_deck_is_refused(tmp_path: Path, spoil: Any) -> None:
    path = tmp_path / "ours.npz"
    path.write_bytes(learnt(knows_jokers=True).to_bytes())
    spoil(path)
    with pytest.raises(DeckError):
        LearntDeck.open(path)


def test_a_deck_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="There is no deck 'ours'"):
        LearntDeck.open(tmp_path / "ours.npz")


class Graph:
    """Takes every second crop for a two of clubs, the others for none."""

    def run(self, crops: np.ndarray) -> list[np.ndarray]:
        logits = np.zeros((len(crops), CLASSES), np.float32)
        logits[::2, 1] = 9
        logits[1::2, REJECT] = 3
        return [logits]


class Finder:
    """Finds three indices, wide apart."""

    def detect(self, _image: np.ndarray, _least: float) -> Corners:
        rank = np.array([[100, 40], [300, 40], [500, 40]], np.float32)
        suit = rank + np.float32([0, 15])
        return Corners(np.concatenate([rank - 12, suit + 12], axis=1), np.full(3, 0.9, np.float32), rank, suit)


@pytest.fixture
def scanner(monkeypatch: pytest.MonkeyPatch) -> Scanner:
    monkeypatch.setattr("vision.scanner.find_corners", lambda finder, photo, least: finder.detect(photo.pixels, least))
    return Scanner(Finder(), Reader(Graph(), 1.0, "two"), 0.1, PRESENCE, THRESHOLDS)


@pytest.fixture
def photo() -> Photo:
    return Photo(np.random.default_rng(0).integers(0, 255, (400, 600, 3), np.uint8))


def test_a_deck_of_other_weights_is_refused_and_learnt_anew_from_its_file(
    scanner: Scanner, photo: Photo, tmp_path: Path
) -> None:
    deck = learnt(knows_jokers=True)
    with pytest.raises(DeckError, match="other weights"):
        scanner.scan(photo, deck=deck)
    (tmp_path / "ours.npz").write_bytes(deck.to_bytes())
    again = scanner.deck(tmp_path / "ours.npz")
    assert again.weights == "two"
    scanner.scan(photo, deck=again)


def test_a_deck_that_is_not_whole_is_not_played_with(scanner: Scanner, tmp_path: Path) -> None:
    new = learn("new", lesson_of([0]), Told(np.zeros((1, CLASSES))))  # type: ignore[arg-type]
    (tmp_path / "new.npz").write_bytes(new.to_bytes())
    with pytest.raises(DeckError, match="K♠ must be shown"):
        scanner.deck(tmp_path / "new.npz")


def test_a_deck_changes_its_own_scans_alone(scanner: Scanner, photo: Photo) -> None:
    before = scanner.scan(photo)
    matrix = np.zeros((CLASSES, CLASSES))
    matrix[:, JOKER.index] = 40.0 * (np.arange(CLASSES) == REJECT)
    taught = LearntDeck("ours", Lesson.none(), "two", matrix, None)
    assert scanner.scan(photo, deck=taught) != before
    assert scanner.scan(photo) == before
    untaught = replace(taught, matrix=np.zeros((CLASSES, CLASSES)))
    assert scanner.scan(photo, deck=untaught) == before


def test_a_survey_shows_every_place_and_a_lesson_takes_their_names(scanner: Scanner, photo: Photo) -> None:
    survey = scanner.survey(photo)
    assert len(survey.cards) == 3
    names: list[Card | None] = [Card("9H"), None, UNKNOWN]
    lesson = scanner.lesson(photo, names)
    assert lesson.kinds.tolist() == [Card("9H").index, REJECT]
    assert lesson.crops.shape == (2, 64, 48, 6)
    with pytest.raises(DeckError, match="2 cards are named, but 3 places were found"):
        scanner.lesson(photo, names[:2])
