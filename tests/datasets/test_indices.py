"""Corner indices are found to the pixel on faces drawn for the purpose."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.decks import FACE_HEIGHT, CornerIndex
from datasets.indices import find_indices, find_joker_indices

WIDTH = 500
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
INKS = ((20, 20, 20), (200, 30, 30), (190, 20, 40), (10, 60, 20))
Picture = NDArray[np.uint8]


def blank() -> Picture:
    return np.full((FACE_HEIGHT, WIDTH, 3), 248, np.uint8)


def draw_rank(picture: Picture, rank: str, ink: tuple[int, int, int]) -> None:
    scale = 1.1 if rank == "10" else 1.9
    cv2.putText(picture, rank, (14, 74), cv2.FONT_HERSHEY_DUPLEX, scale, ink, 5)


def draw_suit(picture: Picture, suit: int, centre: tuple[int, int], size: int) -> None:
    x, y = centre
    if suit == 0:
        cv2.circle(picture, centre, size, INKS[suit], -1)
    else:
        corners = {
            1: ((0, -1), (1, 0), (0, 1), (-1, 0)),
            2: ((-1, -1), (1, -1), (0, 1)),
            3: ((0, -1), (1, 1), (-1, 1)),
        }
        points = np.array([(x + size * dx, y + size * dy) for dx, dy in corners[suit]])
        cv2.fillPoly(picture, [points], INKS[suit])


def draw_index(picture: Picture, rank: int, suit: int) -> None:
    draw_rank(picture, RANKS[rank], INKS[suit])
    draw_suit(picture, suit, (36, 112), 17)


def draw_face(rank: int, suit: int, four_corners: bool) -> tuple[Picture, Picture]:
    """Return a face with pips or a court's frame, and the same face with its first index alone."""
    index = blank()
    draw_index(index, rank, suit)
    pips = blank()
    if rank < 10:
        for place in range(rank + 1):
            # Two columns of pips, close beside the indices, but elsewhere on every rank.
            draw_suit(pips, suit, (125 + 250 * (place % 2), 90 + 15 * rank + 45 * place), 28)
    else:
        cv2.rectangle(pips, (66, 60), (WIDTH - 66, FACE_HEIGHT - 60), (30, 30, 120), 3)
        draw_suit(pips, suit, (100, 110), 30)
        # A collar that all suits share, and that begins in the column of the index, between its two glyphs.
        cv2.rectangle(pips, (51, 80), (150, 90), (30, 30, 120), -1)
    face = np.minimum(index, index[::-1, ::-1])
    if four_corners:
        other = np.roll(index, WIDTH - 72, axis=1)
        face = np.minimum(face, np.minimum(other, other[::-1, ::-1]))
    return np.minimum(face, pips), index


def inked(picture: Picture) -> tuple[float, float, float, float]:
    rows, columns = np.nonzero(picture.min(axis=2) < 200)
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


def near(index: CornerIndex, box: tuple[float, float, float, float]) -> bool:
    return bool(np.abs(np.subtract(index.box, box)).max() <= 2)


@pytest.mark.parametrize("four_corners", [False, True])
def test_indices_are_found_to_the_pixel(four_corners: bool) -> None:
    drawn = [draw_face(rank, suit, four_corners) for suit in range(4) for rank in range(13)]
    found = find_indices(np.stack([face for face, _ in drawn]), four_corners)
    assert len(found) == 52
    for place, (indices, (_, alone)) in enumerate(zip(found, drawn, strict=True)):
        x_min, y_min, x_max, y_max = inked(alone)
        turned = (WIDTH - x_max, FACE_HEIGHT - y_max, WIDTH - x_min, FACE_HEIGHT - y_min)
        assert near(indices[0], (x_min, y_min, x_max, y_max)), place
        assert near(indices[1], turned), place
        if four_corners:
            right, left = (
                (box[0] + step, box[1], box[2] + step, box[3])
                for box, step in (((x_min, y_min, x_max, y_max), WIDTH - 72), (turned, 72 - WIDTH))
            )
            assert sum(near(index, right) for index in indices) == 1
            assert sum(near(index, left) for index in indices) == 1
        rank = blank()
        draw_rank(rank, RANKS[place % 13], INKS[place // 13])
        box = inked(rank)
        assert indices[0].rank == pytest.approx(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), abs=1.5)
        assert indices[0].suit == pytest.approx((36.5, 112.5), abs=2.5)
        assert np.add(indices[0].rank, indices[1].rank) == pytest.approx((WIDTH, FACE_HEIGHT), abs=2)


def test_faces_without_indices_are_an_error() -> None:
    with pytest.raises(ValueError, match="share no glyph"):
        find_indices(np.stack([blank()] * 52), four_corners=False)


def test_a_jokers_index_is_halved_where_it_is_read() -> None:
    face = blank()
    face[20:120, 30:50] = 0
    face = np.minimum(face, face[::-1, ::-1])
    near_end, far_end = find_joker_indices(face, [(0.0, 0.0, 0.2, 0.3)])
    assert near_end == CornerIndex((30, 20, 50, 120), (40, 45), (40, 95))
    assert far_end == CornerIndex((450, 600, 470, 700), (460, 675), (460, 625))
    assert find_joker_indices(face, []) == ()


def test_an_empty_window_is_an_error() -> None:
    with pytest.raises(ValueError, match="no ink"):
        find_joker_indices(blank(), [(0.0, 0.0, 0.2, 0.3)])
