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
