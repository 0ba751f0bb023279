"""From corner indices to physical cards: who belongs together, and what is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.cards import KINDS, Card, parse_cards
from vision.cards import Thresholds, resolve
from vision.corners import Corners
from vision.limits import Limits
from vision.pairing import _complete_each_other, pair_corners
from vision.pairs import Precision
from vision.plane import Plane, find_plane
from vision.presence import Presence
from vision.reader import CLASSES, REJECT

SIZE = (1000, 1000)
LIMITS = Limits(packs=2, jokers=4)
PRESENCE = Presence(bias=0.0, detector=1.0, reader=1.0)
THRESHOLDS = Thresholds(there=0.3, keep=0.3, unread=0.15, present=0.6, sure=0.9)
HEIGHT, ACROSS, ALONG = 40.0, 3.6, 4.6


class Table:
    """Indices of cards laid on a table of 1000 x 1000 pixels: poker cards with an index of 40 pixels."""

    def __init__(self) -> None:
        self.rank: list[np.ndarray] = []
        self.suit: list[np.ndarray] = []
        self.kinds: list[int] = []

    def lay(self, code: str, x: float, y: float, turn: float = 0.0, corners: str = "ad") -> Table:
        """Lay a card with its upper left index at (x, y), turned clockwise by ``turn`` degrees.

        ``corners`` names those in sight: a upper left, b upper right, c lower left, d lower right.
        """
        angle = np.deg2rad(turn)
        right, down = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        for corner in corners:
            place = {"a": (0, 0), "b": (ACROSS, 0), "c": (0, ALONG), "d": (ACROSS, ALONG)}[corner]
            centre = np.array([x, y]) + HEIGHT * (place[0] * right + place[1] * down)
            half = down * HEIGHT / 4 * (1 if corner in "ab" else -1)
            self.rank.append(centre - half)
            self.suit.append(centre + half)
            self.kinds.append(Card(code).index)
        return self

    def corners(self) -> Corners:
        rank = np.array(self.rank, np.float32).reshape(-1, 2)
        suit = np.array(self.suit, np.float32).reshape(-1, 2)
        middle = (rank + suit) / 2
        boxes = np.concatenate([middle - 20, middle + 20], axis=1).astype(np.float32)
        return Corners(boxes, np.full(len(rank), 0.95, np.float32), rank, suit)

    def readings(self, sure: float = 0.99) -> np.ndarray:
        readings = np.full((len(self.kinds), CLASSES), (1 - sure) / (CLASSES - 1))
        readings[np.arange(len(self.kinds)), self.kinds] = sure
        return readings

    def groups(self) -> list[tuple[int, ...]]:
        found = pair_corners(self.corners(), self.readings(), SIZE, LIMITS).cards
        return sorted(tuple(sorted(group)) for group in found)

    def cards(self, limits: Limits = LIMITS) -> tuple[list[str], list[str]]:
        """Codes of the cards, sorted, and the kinds of the doubts."""
        cards, doubts = resolve(self.corners(), self.readings(), PRESENCE, THRESHOLDS, limits, SIZE)
        return sorted(seen.card.code for seen in cards), [doubt.kind for doubt in doubts]


def test_nothing_is_no_card() -> None:
    assert Table().cards() == ([], [])


@pytest.mark.parametrize("turn", range(0, 360, 30))
def test_a_card_seen_at_both_ends_counts_once(turn: int) -> None:
    assert Table().lay("8C", 500, 500, turn).cards() == (["8C"], [])


@pytest.mark.parametrize("turn", range(0, 360, 45))
def test_a_card_seen_at_all_four_corners_counts_once(turn: int) -> None:
    assert Table().lay("8C", 500, 500, turn, "abcd").cards() == (["8C"], [])


def test_equal_cards_side_by_side_in_a_fan_count_twice() -> None:
    fan = Table().lay("4D", 300, 400, -8, "a").lay("8C", 330, 396, 0, "a").lay("8C", 361, 396, 8, "ad")
    assert fan.groups() == [(0,), (1,), (2, 3)]
    assert fan.cards()[0] == ["4D", "8C", "8C"]


def test_the_lower_index_goes_to_the_upper_one_of_two_equal_cards() -> None:
    # By distance alone the first 8 of clubs fits the lower right index nearly as well.
    row = Table().lay("QH", 200, 700, 0, "ad").lay("8C", 300, 300, 0, "a").lay("8C", 322, 300, 0, "ad")
    assert row.groups() == [(0, 1), (2,), (3, 4)]


def test_equal_cards_fanned_wide_are_not_the_upper_corners_of_one_when_no_other_card_shows_two() -> None:
    # Code, place, turn and index height as a detector saw a dim fan: heights so uneven that directions say little.
    seen = (
        ("4D", 367, 117, 34, 67), ("4S", 448, 158, 47, 63), ("5H", 543, 234, 60, 68), ("QS", 572, 307, 69, 70),
        ("6H", 656, 412, 88, 69), ("6H", 668, 476, 95, 61), ("KD", 656, 560, 107, 66), ("KD", 629, 664, 124, 62),
        ("TH", 583, 736, 132, 69), ("JC", 543, 821, 146, 65), ("JS", 481, 856, 162, 65), ("TD", 397, 889, 172, 62),
    )  # fmt: skip
    fan = Table()
    for code, x, y, turn, height in seen:
        fan.lay(code, x, y, turn, "a")
        half = (fan.suit[-1] - fan.rank[-1]) * height / HEIGHT / 2
        fan.rank[-1], fan.suit[-1] = np.array([x, y]) - half, np.array([x, y]) + half
    assert len(fan.groups()) == len(seen)


def test_equal_cards_apart_both_seen_at_both_ends_count_twice() -> None:
    assert Table().lay("KS", 200, 300).lay("KS", 420, 310, 5).cards()[0] == ["KS", "KS"]


def test_equal_cards_that_point_opposite_ways_count_twice() -> None:
    assert Table().lay("KS", 200, 300, 0, "a").lay("KS", 800, 330, 180, "a").cards()[0] == ["KS", "KS"]


def test_a_fan_of_a_four_corner_deck() -> None:
    fan = Table().lay("8C", 300, 400, -8, "ac").lay("4D", 330, 396, 0, "ac").lay("KS", 361, 396, 8, "abcd")
    assert fan.cards()[0] == ["4D", "8C", "KS"]


@pytest.mark.parametrize(("sure", "shown"), [(0.6, ["2H", "4D", "8C"]), (0.99, ["2H", "4D", "8C", "QH"])])
def test_a_corner_misread_with_doubt_is_named_by_the_other_corners_of_its_card(sure: float, shown: list[str]) -> None:
    table = Table().lay("2H", 200, 300, 10, "abcd").lay("8C", 520, 320, -20, "abcd").lay("4D", 300, 700, 0, "abcd")
    readings = table.readings()
    two, queen = Card("2H").index, Card("QH").index
    readings[3] = (1 - sure) / (CLASSES - 2)
    readings[3, [two, queen]] = (0.02, sure - 0.02) if sure < 0.9 else (1e-6, sure)
    cards, _ = resolve(table.corners(), readings, PRESENCE, THRESHOLDS, LIMITS, SIZE)
    assert sorted(seen.card.code for seen in cards) == shown


def test_a_corner_whose_suit_glare_has_taken_is_of_the_card_that_its_other_corners_make() -> None:
    table = Table().lay("2H", 200, 300, 10, "abcd").lay("8C", 520, 320, -20, "abcd").lay("JH", 300, 700, 0, "abc")
    readings = table.readings()
    readings[10] = 0.0
    readings[10, [Card(code).index for code in ("JD", "JK", "3D", "2D", "JH")]] = 0.54, 0.2, 0.15, 0.109, 0.001
    assert len(pair_corners(table.corners(), readings, SIZE, LIMITS).cards) == 3
    readings[10, [Card(code).index for code in ("JD", "JK", "3D", "2D", "JH")]] = 0.996, 0.0, 0.002, 0.0019, 0.0001
    assert len(pair_corners(table.corners(), readings, SIZE, LIMITS).cards) == 4


def test_four_corners_that_all_say_something_else_are_no_card() -> None:
    # As letters along the edge of a notice do.
    table = Table().lay("2H", 200, 300, 10, "abcd").lay("4D", 300, 700, 0, "abcd").lay("8C", 620, 320, -20, "abcd")
    assert len(table.groups()) == 3
    readings = table.readings()
    for corner, code in zip(range(8, 12), ("6S", "2H", "8S", "AC"), strict=True):
        readings[corner] = 0.6 / CLASSES
        readings[corner, Card(code).index] = 0.4
    groups = pair_corners(table.corners(), readings, SIZE, LIMITS).cards
    assert sorted(len(group) for group in groups) == [1, 1, 1, 1, 4, 4]


def test_two_indices_alone_must_say_the_same() -> None:
    table = Table().lay("2H", 400, 400, 0, "ad")
    readings = table.readings()
    two, queen = Card("2H").index, Card("QH").index
    readings[1] = 0.3 / (CLASSES - 2)
    readings[1, [two, queen]] = 0.02, 0.68
    assert len(pair_corners(table.corners(), readings, SIZE, LIMITS).cards) == 2


def test_equal_cards_apart_in_a_row_of_a_two_corner_deck_are_not_one_of_four_corners() -> None:
    row = Table().lay("8C", 200, 300, 0, "ad").lay("8C", 200 + 4.7 * HEIGHT, 300, 0, "ad").lay("2H", 200, 700)
    assert row.cards()[0] == ["2H", "8C", "8C"]


def test_a_third_equal_card_of_two_packs_is_asked_about() -> None:
    row = Table().lay("8C", 100, 300).lay("8C", 400, 300).lay("8C", 700, 300)
    assert row.cards() == (["8C"] * 3, ["copies"])
    assert row.cards(Limits(packs=3)) == (["8C"] * 3, [])


def test_an_unsure_third_card_is_what_the_packs_still_hold() -> None:
    row = Table().lay("8C", 100, 300, 0, "a").lay("8C", 400, 300, 0, "a").lay("8C", 700, 300, 0, "a")
    readings = row.readings()
    readings[1] = 1e-4
    readings[1, [Card("8C").index, Card("8S").index]] = 0.6, 0.35
    for packs, expected in ((2, "8S"), (3, "8C")):
        cards, _ = resolve(row.corners(), readings, PRESENCE, THRESHOLDS, Limits(packs, 4), SIZE)
        assert sorted(seen.card.code for seen in cards) == ["8C", "8C", expected]


def test_a_fifth_joker_is_asked_about() -> None:
    table = Table()
    for number in range(5):
        table.lay("JK", 60 + 190 * number, 300)
    assert table.cards() == (["JK"] * 5, ["copies"])


def test_a_joker_where_there_is_none_in_the_packs_is_asked_about() -> None:
    table = Table().lay("JK", 100, 300)
    _, doubts = resolve(table.corners(), table.readings(), PRESENCE, THRESHOLDS, Limits(jokers=0), SIZE)
    assert "none" in doubts[0].text


def test_an_unsure_reading_is_asked_about_and_offers_what_it_may_be() -> None:
    table = Table().lay("8C", 500, 500, 0, "a")
    readings = table.readings(0.6)
    readings[0, Card("8S").index] = 0.38
    cards, doubts = resolve(table.corners(), readings, PRESENCE, THRESHOLDS, Limits(), SIZE)
    assert doubts[0].kind == "unsure"
    assert "8♣" in doubts[0].text
    assert "8♠" in doubts[0].text
    assert cards[0].alternatives[0][0] == Card("8S")


def test_what_lies_elsewhere_tells_what_a_card_hardly_is() -> None:
    table = Table().lay("8C", 500, 500, 0, "a")
    readings = table.readings(0.6)
    readings[0, Card("8S").index] = 0.38
    for elsewhere, told in (("8C", "8C"), ("8C 8C", "8S")):
        limits = Limits(elsewhere=tuple(parse_cards(elsewhere)))
        cards, doubts = resolve(table.corners(), readings, PRESENCE, THRESHOLDS, limits, SIZE)
        assert [(seen.card.code, doubt.kind) for seen, doubt in zip(cards, doubts, strict=True)] == [(told, "unsure")]
    # What is read for sure stands: it is the record of the round that must tell of a third one.
    sure = Limits(elsewhere=(Card("8C"), Card("8C")))
    cards, doubts = resolve(table.corners(), table.readings(0.9999), PRESENCE, THRESHOLDS, sure, SIZE)
    assert ([seen.card.code for seen in cards], doubts) == (["8C"], [])


@pytest.mark.parametrize(
    ("sees", "reads", "shown", "doubts"),
    [
        (0.99, 0.97, ["8C"], []),
        (0.99, 0.50, ["8C"], ["unsure"]),
        (0.93, 0.97, ["8C"], ["faint"]),
        (0.80, 0.97, [], ["unread"]),
        (0.99, 0.40, [], ["unread"]),
        (0.20, 0.40, [], []),
    ],
)
def test_a_card_is_shown_if_it_is_surely_there_and_one_reading_is_likely(
    sees: float, reads: float, shown: list[str], doubts: list[str]
) -> None:
    table = Table().lay("8C", 500, 500, 0, "a")
    corners = replace(table.corners(), confidence=np.array([sees], np.float32))
    readings = np.zeros((1, CLASSES))
    readings[0, [Card(code).index for code in ("8C", "8S", "9C")]] = reads, (1 - reads) / 2, (1 - reads) / 2
    thresholds = Thresholds(there=0.9, keep=0.45, unread=0.2, present=0.97, sure=0.95)
    presence = Presence(bias=0.0, detector=1.0, reader=0.0)
    cards, asked = resolve(corners, readings, presence, thresholds, Limits(), SIZE)
    assert [seen.card.code for seen in cards] == shown
    assert [doubt.kind for doubt in asked] == doubts


def test_two_ends_that_agree_make_a_card_sure() -> None:
    table = Table().lay("8C", 500, 500)
    readings = table.readings(0.7)
    readings[:, Card("8S").index] = 0.29
    cards, doubts = resolve(table.corners(), readings, PRESENCE, Thresholds(0.3, 0.3, 0.15, 0.6, 0.8), Limits(), SIZE)
    assert doubts == []
    assert cards[0].confidence > 0.8


def test_what_is_hardly_an_index_is_left_out_and_what_may_be_one_is_asked_about() -> None:
    table = Table().lay("8C", 300, 300, 0, "a").lay("9C", 700, 300, 0, "a")
    readings = table.readings()
    for row, reject in ((0, 0.999), (1, 0.95)):
        readings[row] *= (1 - reject) / (1 - readings[row, REJECT])
        readings[row, REJECT] = reject
    cards, doubts = resolve(table.corners(), readings, PRESENCE, THRESHOLDS, Limits(), SIZE)
    assert [seen.card.code for seen in cards] == ["9C"]
    assert [doubt.kind for doubt in doubts] == ["faint"]


def test_the_quadrilateral_surrounds_the_indices_in_the_cards_own_order() -> None:
    table = Table().lay("8C", 500, 300, 90)
    cards, _ = resolve(table.corners(), table.readings(), PRESENCE, THRESHOLDS, Limits(), SIZE)
    quad = np.array(cards[0].quad)
    # Turned clockwise by a quarter, the card's top-left corner lies at the right, its bottom-left at the left.
    assert quad[0, 0] > quad[3, 0]
    assert quad[1, 1] > quad[0, 1]
    wide, tall = np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[3] - quad[0])
    assert 0.6 < wide / tall < 0.8


def test_every_kind_of_card_is_paired_alike() -> None:
    for kind in KINDS:
        assert Table().lay(kind.code, 400, 400, 20).cards()[0] == [kind.code]


def test_an_equal_card_at_one_place_of_a_four_corner_deck_is_asked_about() -> None:
    table = Table().lay("9H", 700, 300, 0, "abcd").lay("8C", 300, 300, 0, "abc").lay("8C", 300, 330, 25, "d")
    assert table.cards() == (["8C", "8C", "9H"], ["twice"])


@pytest.mark.parametrize(
    ("corners", "lengths"),
    [("ad", []), ("abcd", [8, 8, 8])],
    ids=["diagonals alone do not tell the plane", "rectangles do"],
)
def test_the_plane_is_measured_again_by_cards_of_a_four_corner_deck(
    corners: str, lengths: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[int]] = []

    def spied(*args: Any, **kwargs: Any) -> Plane:
        seen.append([len(span) for span in args[4]] if len(args) > 4 else [])
        return find_plane(*args, **kwargs)

    monkeypatch.setattr("vision.pairing.find_plane", spied)
    table = Table()
    for number, code in enumerate(("8C", "4D", "KS", "9H")):
        table.lay(code, 100 + 220 * number, 300 + 30 * number, 8 * number, corners)
    assert len(table.groups()) == 4
    assert seen == ([[], lengths] if lengths else [[]])


def test_indices_of_two_sizes_do_not_make_a_photo_unmeasurable() -> None:
    """Else any two equal cards beside each other in a fan of two packs fit as one card."""
    corners = Table().lay("8C", 300, 300).corners()
    plane = find_plane(corners, np.ones(2, bool), np.zeros((0, 2), int), SIZE)
    two_sizes = Precision.of(replace(plane, error=0.32))
    assert two_sizes == Precision.of(replace(plane, error=0.15))
    assert two_sizes.place < 0.25


def test_a_rank_that_slants_its_indices_is_one_card_all_the_same() -> None:
    """A 10 is two glyphs wide: from its middle to the suit is another way than from a 9."""
    table = Table()
    for place, code in enumerate(("8C", "9D", "KH", "4S", "7H")):
        table.lay(code, 60 + 190 * place, 60, corners="abcd")
    table.lay("2H", 300, 500, corners="abcd")
    slant = np.deg2rad(11)
    turn = np.array([[np.cos(slant), -np.sin(slant)], [np.sin(slant), np.cos(slant)]])
    for number in range(len(table.kinds) - 4, len(table.kinds)):
        middle, half = (table.rank[number] + table.suit[number]) / 2, (table.suit[number] - table.rank[number]) / 2
        table.rank[number], table.suit[number] = middle - turn @ half, middle + turn @ half
    assert table.cards() == (sorted(["8C", "9D", "KH", "4S", "7H", "2H"]), [])


def test_a_four_corner_joker_may_have_another_shape_than_other_cards() -> None:
    table = Table()
    for place, code in enumerate(("8C", "9D", "KH", "4S", "7H")):
        table.lay(code, 60 + 190 * place, 60, corners="abcd")
    for x, y, up in ((0, 0, 1), (ACROSS, 0, 1), (0, ALONG - 1.2, -1), (ACROSS, ALONG - 1.2, -1)):
        middle = np.array([300.0, 500.0]) + HEIGHT * np.array([x, y])
        table.rank.append(middle - np.array([0, up * HEIGHT / 4]))
        table.suit.append(middle + np.array([0, up * HEIGHT / 4]))
        table.kinds.append(Card("JK").index)
    assert table.cards()[0].count("JK") == 1


@pytest.mark.parametrize("turns", [(0, 0), (90, -90), (35, 170)])
def test_signs_at_the_other_corners_of_a_joker_are_of_it_wherever_they_point(turns: tuple[int, int]) -> None:
    table = Table().lay("8C", 200, 200, 5, "ad").lay("4D", 500, 200, -10, "ad").lay("JK", 300, 600, 0, "ad")
    right, down = ACROSS * HEIGHT, ALONG * HEIGHT
    table.lay("JK", 300 + right, 600, turns[0], "a").lay("JK", 300, 600 + down, turns[1], "a")
    assert table.cards()[0] == ["4D", "8C", "JK"]


def test_a_joker_takes_one_index_at_a_corner_and_leaves_the_next() -> None:
    table = Table().lay("8C", 200, 200, 5, "ad").lay("4D", 500, 200, -10, "ad").lay("JK", 300, 600, 0, "ad")
    x = 300 + ACROSS * HEIGHT
    table.lay("JK", x, 600, 90, "a").lay("JK", x + 0.6 * HEIGHT, 600 + 0.6 * HEIGHT, 90, "a")
    assert table.cards()[0] == ["4D", "8C", "JK", "JK"]


def test_jokers_beside_and_below_one_that_shows_both_ends_count() -> None:
    table = Table().lay("8C", 200, 200, 5, "ad").lay("4D", 500, 200, -10, "ad").lay("JK", 400, 600, 0, "ad")
    table.lay("JK", 400 - 0.8 * HEIGHT, 600, -3, "a").lay("JK", 400 + (ACROSS + 1.5) * HEIGHT, 590, 4, "a")
    assert table.cards()[0] == ["4D", "8C", "JK", "JK", "JK"]


@pytest.mark.parametrize(
    ("corners", "beside", "place", "is_one"),
    [
        ("abc", ("d", 4.0), 0.09, True),
        ("ac", ("bd", 4.0), 0.09, True),
        ("ab", ("d", 4.0), 0.09, True),
        ("abc", ("d", 4.0), 0.04, False),  # an exact photo pulls nothing apart
        ("abc", ("d", 60.0), 0.09, False),  # too far off
        ("ac", ("ac", 30.0), 0.09, False),  # two equal cards beside each other show the same corners
        ("a", ("d", 4.0), 0.09, False),  # two single indices may be anything
    ],
)
def test_halves_of_a_four_corner_card_are_one(
    corners: str, beside: tuple[str, float], place: float, is_one: bool
) -> None:
    others, shift = beside
    table = Table().lay("8C", 300, 300, corners=corners).lay("8C", 300 + shift, 300 + shift / 2, corners=others)
    first, second = tuple(range(len(corners))), tuple(range(len(corners), len(corners) + len(others)))
    precision = Precision(turn=0.1, place=place, height=0.1)
    in_heights = table.corners().mapped(1 / HEIGHT, (0, 0))
    assert _complete_each_other(first, second, in_heights, (ACROSS, ALONG), precision) is is_one
    assert _complete_each_other(second, first, in_heights, (ACROSS, ALONG), precision) is is_one


def test_what_is_hardly_an_index_does_not_take_the_other_ends_place() -> None:
    table = Table().lay("KH", 300, 300).lay("KH", 340, 290, corners="d")
    corners, readings = table.corners(), table.readings()
    # The third lies where the other end may be as well, but it is a part of a picture.
    corners = replace(corners, confidence=np.array([0.95, 0.95, 0.02], np.float32))
    readings[2, REJECT] = 20
    readings[2] /= readings[2].sum()
    cards, doubts = resolve(corners, readings, PRESENCE, THRESHOLDS, LIMITS, SIZE)
    assert [(seen.card.code, seen.corners) for seen in cards] == [("KH", (0, 1))]
    assert doubts == []


def test_equal_indices_that_face_each_other_askew_are_asked_about() -> None:
    table = Table().lay("9C", 600, 100).lay("KH", 300, 300)
    corners = table.corners()
    middle, half = corners.centre[3].copy(), (corners.suit[3] - corners.rank[3]) / 2
    # Half of it is cut off, so that it seems to point 40 degrees elsewhere.
    angle = np.deg2rad(40)
    turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ half
    rank, suit = corners.rank.copy(), corners.suit.copy()
    rank[3], suit[3] = middle - turned, middle + turned
    corners = replace(corners, rank=rank, suit=suit)
    cards, doubts = resolve(corners, table.readings(), PRESENCE, THRESHOLDS, LIMITS, SIZE)
    assert sorted(seen.card.code for seen in cards) == ["9C", "KH", "KH"]
    assert [doubt.kind for doubt in doubts] == ["twice"]
