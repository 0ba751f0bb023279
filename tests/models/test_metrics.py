"""Metrics: a perfect reading scores one everywhere; each kind of error moves the figure that is about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from datasets.photosets import LabelledBoxes, LabelledPhoto
from engine.cards import Card, Rank, parse_cards
from models.metrics import MEANINGS, Tally, add_up, tallies
from vision.scene import Doubt, Scene, SeenCard, SeenCorner

SIZE = (1000, 500)
HAND = parse_cards("8C 8C TD JK")
MELD = parse_cards("3S 4S 5S")
BOXES = np.array([[0.1 * place + 0.1, 0.5, 0.02, 0.06] for place in range(7)])


def labelled(**changes: object) -> LabelledPhoto:
    whole = LabelledPhoto(
        path=Path("photo.jpg"),
        cards=HAND + MELD,
        ranks=None,
        groups=(HAND, MELD),
        corners=LabelledBoxes(HAND + MELD, BOXES),
        boxes=None,
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def scene(cards: tuple[Card, ...] = HAND + MELD, groups: tuple[tuple[int, ...], ...] | None = None) -> Scene:
    """The labelled photo as read: each card with its corner, the first four in one group."""
    quad = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    corners = []
    for card, (x, y, w, h) in zip(cards, np.resize(BOXES, (len(cards), 4)), strict=True):
        box = ((x - w / 2) * SIZE[0], (y - h / 2) * SIZE[1], (x + w / 2) * SIZE[0], (y + h / 2) * SIZE[1])
        corners.append(SeenCorner(box, card, 0.9))
    split = min(4, len(cards))
    return Scene(
        SIZE,
        tuple(SeenCard(card, 0.9, quad, (), (place,)) for place, card in enumerate(cards)),
        groups if groups is not None else (tuple(range(split)), tuple(range(split, len(cards)))),
        tuple(corners),
    )


def rates(truth: LabelledPhoto, read: Scene) -> dict[str, float | None]:
    return {name: tally.rate for name, tally in add_up([tallies(truth, read)]).items()}


PERFECT = dict.fromkeys(MEANINGS, 1.0) | {"silent_error": 0.0, "asked": 0.0, "false_cards_per_photo": 0.0}


def test_a_perfect_reading() -> None:
    assert rates(labelled(), scene()) == PERFECT


def test_order_does_not_count() -> None:
    read = scene(tuple(reversed(HAND)) + tuple(reversed(MELD)))
    expected = PERFECT | {"corner_recall": pytest.approx(1 / 7), "corner_precision": pytest.approx(1 / 7)}
    assert rates(labelled(), read) == expected


def test_a_missed_card() -> None:
    read = scene(HAND + MELD[:2])
    assert rates(labelled(), read) == PERFECT | {
        "card_recall": pytest.approx(6 / 7),
        "photo_exact": 0.0,
        "score_exact": 0.0,
        "silent_error": 1.0,
        "groups_right": 0.5,
        "corner_recall": pytest.approx(6 / 7),
    }


def test_a_false_card() -> None:
    read = scene((*HAND, *MELD, Card("2H")))
    found = rates(labelled(), read)
    assert found["card_recall"] == 1.0
    assert found["card_precision"] == pytest.approx(7 / 8)
    assert found["false_cards_per_photo"] == 1.0
    assert found["photo_exact"] == 0.0
    assert found["groups_right"] == 0.5
    assert found["corner_precision"] == pytest.approx(7 / 8)


def test_a_card_of_the_same_points_keeps_the_score() -> None:
    read = scene((*HAND[:2], Card("KD"), *HAND[3:], *MELD))
    found = rates(labelled(), read)
    assert (found["photo_exact"], found["score_exact"], found["silent_error"]) == (0.0, 1.0, 1.0)


def test_a_doubt_makes_an_error_loud_and_counts_as_asked() -> None:
    read = replace(scene(HAND + MELD[:2]), doubts=(Doubt("unsure", "4♠ or 5♠?", (4, 5)),))
    found = rates(labelled(), read)
    assert found["silent_error"] == 0.0
    assert found["asked"] == pytest.approx(2 / 6)


def test_an_equal_card_lost_or_added() -> None:
    assert rates(labelled(), scene(HAND[1:] + MELD))["equal_cards_right"] == 0.0
    assert rates(labelled(), scene((*HAND, HAND[0], *MELD)))["equal_cards_right"] == 0.0
    assert rates(labelled(), scene(HAND + MELD[:2]))["equal_cards_right"] == 1.0
    assert rates(labelled(cards=MELD), scene(MELD))["equal_cards_right"] is None


def test_equal_cards_side_by_side() -> None:
    name = "equal_beside_right"
    assert rates(labelled(), scene(HAND[1:] + MELD))[name] == 0.0
    assert rates(labelled(), scene(HAND + MELD[:2]))[name] == 1.0
    # Elsewhere in the picture a third one counts as well; what lies apart is not beside.
    assert rates(labelled(cards=(*HAND, *MELD, HAND[0])), scene())[name] == 0.0
    apart = (parse_cards("8C TD 8C"), parse_cards("8C 3S"))
    assert rates(labelled(groups=apart, cards=parse_cards("8C TD 8C 8C 3S")), scene())[name] is None


def test_jokers() -> None:
    joker, other = parse_cards("JK 9H")
    two = labelled(cards=(joker, joker))
    assert rates(two, scene((joker, other)))["joker_recall"] == 0.5
    assert rates(two, scene((joker, joker, joker)))["joker_recall"] == 1.0
    assert rates(labelled(cards=MELD), scene((*MELD, joker)))["joker_recall"] is None


def test_an_unknown_card_is_never_right() -> None:
    found = rates(labelled(), scene((*HAND, *MELD[:2], Card("?"))))
    assert found["card_recall"] == pytest.approx(6 / 7)
    assert found["score_exact"] == 0.0


def test_ranks_alone() -> None:
    truth = labelled(cards=None, groups=None, corners=None, ranks=(Rank.NINE, Rank.NINE, Rank.KING))
    right = rates(truth, scene(parse_cards("9H 9S KD")))
    assert right["card_recall"] == right["card_precision"] == right["photo_exact"] == right["score_exact"] == 1.0
    wrong = rates(truth, scene(parse_cards("9H 3S KD")))
    assert wrong["card_recall"] == pytest.approx(2 / 3)
    assert wrong["score_exact"] == 0.0
    for name in ("corner_recall", "corner_precision", "joker_recall", "equal_cards_right", "groups_right"):
        assert right[name] is None


def test_more_cards_than_two_packs_hold_still_have_a_score() -> None:
    five = parse_cards("9C 9C 9C 9C 9C")
    assert rates(labelled(cards=five), scene(five))["score_exact"] == 1.0
    assert rates(labelled(cards=five), scene(five[:4]))["score_exact"] == 0.0


def test_what_is_not_labelled_is_null() -> None:
    nothing = labelled(cards=None, ranks=None, groups=None, corners=None)
    assert set(rates(nothing, scene()).values()) == {None}
    assert rates(labelled(groups=None, corners=None), scene())["groups_right"] is None


def test_no_card_is_to_be_read() -> None:
    empty = labelled(cards=(), groups=(), corners=None)
    found = rates(empty, scene(()))
    assert found["card_recall"] is None
    assert found["photo_exact"] == 1.0
    assert rates(empty, scene(MELD))["false_cards_per_photo"] == 3.0


def test_a_split_and_a_merged_group() -> None:
    assert rates(labelled(), scene(groups=((0, 1), (2, 3), (4, 5, 6))))["groups_right"] == 0.5
    assert rates(labelled(), scene(groups=(tuple(range(7)),)))["groups_right"] == 0.0


class TestCorners:
    def test_a_misread_corner_is_false_though_its_card_lies_elsewhere(self) -> None:
        read = scene()
        corners = (replace(read.corners[0], card=Card("5S")), *read.corners[1:])
        found = rates(labelled(), replace(read, corners=corners))
        assert found["corner_recall"] == pytest.approx(6 / 7)
        assert found["corner_precision"] == pytest.approx(6 / 7)

    def test_an_extra_corner_on_a_card_that_lies_there_is_not_false(self) -> None:
        read = scene()
        extra = SeenCorner((900, 400, 920, 430), Card("TD"), 0.8)
        found = rates(labelled(), replace(read, corners=(*read.corners, extra)))
        assert found["corner_recall"] == found["corner_precision"] == 1.0

    def test_an_extra_corner_of_a_card_that_does_not_lie_there_is_false(self) -> None:
        read = scene()
        extra = SeenCorner((900, 400, 920, 430), Card("2H"), 0.8)
        found = rates(labelled(), replace(read, corners=(*read.corners, extra)))
        assert found["corner_precision"] == pytest.approx(7 / 8)

    def test_a_box_far_off_matches_nothing(self) -> None:
        read = scene()
        x0, y0, x1, y1 = read.corners[2].box
        moved = replace(read.corners[2], box=(x0 + 12, y0, x1 + 12, y1))
        found = rates(labelled(), replace(read, corners=(*read.corners[:2], moved, *read.corners[3:])))
        assert found["corner_recall"] == pytest.approx(6 / 7)
        assert found["corner_precision"] == 1.0

    def test_one_labelled_corner_is_matched_once(self) -> None:
        read = scene()
        found = rates(labelled(), replace(read, corners=(*read.corners, read.corners[0])))
        assert found["corner_recall"] == found["corner_precision"] == 1.0


def test_photos_add_up() -> None:
    total = add_up([tallies(labelled(), scene()), tallies(labelled(), scene(HAND))])
    assert total["card_recall"] == Tally(11, 14)
    assert total["photo_exact"] == Tally(1, 2)
    assert total["groups_right"] == Tally(3, 4)
