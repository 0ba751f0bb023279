"""Groups and reading order."""

from __future__ import annotations

import numpy as np
import pytest

from vision.layout import group_cards
from vision.scene import Quad


def card(x: float, y: float, turn: float = 0.0) -> Quad:
    """A card of 63 x 88 pixels with its top-left corner at (x, y), turned clockwise by ``turn`` degrees."""
    angle = np.deg2rad(turn)
    right, down = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    corners = [np.array([x, y]) + 63 * a * right + 88 * b * down for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
    first, second, third, fourth = ((float(point[0]), float(point[1])) for point in corners)
    return first, second, third, fourth


def test_no_cards_no_groups() -> None:
    assert group_cards([]) == []


def test_a_row_is_read_from_left_to_right() -> None:
    assert group_cards([card(60, 0), card(0, 0), card(30, 0)]) == [[1, 2, 0]]


def test_a_column_is_read_from_the_top_down() -> None:
    assert group_cards([card(0, 40), card(0, 0), card(0, 20)]) == [[1, 2, 0]]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_row_is_read_as_its_holder_sees_it(turn: int) -> None:
    angle = np.deg2rad(turn)
    step = 25 * np.array([np.cos(angle), np.sin(angle)])
    row = [card(500 + n * step[0], 500 + n * step[1], turn) for n in range(5)]
    assert group_cards(row) == [[0, 1, 2, 3, 4]]


def test_melds_apart_are_groups_of_their_own_in_reading_order() -> None:
    melds = [card(300, 5), card(320, 5), card(0, 0), card(20, 0), card(0, 200), card(20, 200)]
    assert group_cards(melds) == [[2, 3], [0, 1], [4, 5]]


def test_cards_laid_out_with_gaps_are_one_group() -> None:
    assert group_cards([card(80, 0), card(0, 0), card(160, 0)]) == [[1, 0, 2]]
    two_rows = [card(80 * n, 100 * row) for row in range(2) for n in range(3)]
    (group,) = group_cards(two_rows)
    assert sorted(group) == list(range(6))


def test_cards_laid_out_with_gaps_are_one_group_where_two_of_them_touch() -> None:
    assert group_cards([card(0, 0), card(60, 2), card(140, 0), card(222, 3)]) == [[0, 1, 2, 3]]


def test_a_card_alone_joins_no_meld_that_is_whole_without_it() -> None:
    melds = [card(0, 0), card(20, 0), card(40, 0), card(120, 0), card(215, 0), card(235, 0), card(255, 0)]
    assert group_cards(melds) == [[0, 1, 2], [3], [4, 5, 6]]


def test_melds_that_nearly_touch_stay_apart() -> None:
    upright = [card(30 * n, 0) for n in range(4)]
    lying = [card(250, 30 * n, 90) for n in range(4)]
    groups = group_cards([*upright, *lying])
    assert [sorted(group) for group in groups] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_a_hand_that_lies_across_another_stays_apart() -> None:
    one = [card(25 * n, 100) for n in range(5)]
    other = [card(190, 60 + 25 * n, 90) for n in range(5)]
    groups = group_cards([*one, *other])
    assert sorted(sorted(group) for group in groups) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_cards_thrown_down_at_any_angle_are_one_group() -> None:
    heap = [card(100, 100, 10), card(150, 120, 75), card(60, 220, -40), card(230, 60, 130), card(235, 230, 200)]
    (group,) = group_cards(heap)
    assert sorted(group) == [0, 1, 2, 3, 4]


def test_a_card_far_off_is_a_group_of_its_own() -> None:
    assert group_cards([card(0, 0), card(20, 0), card(300, 0)]) == [[0, 1], [2]]
