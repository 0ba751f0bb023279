"""The exact places of corner indices on the faces of a deck, found from the pictures alone.

Which ink of a corner is its index shows by comparing faces: what the four suits of a rank share there is the
rank glyph, what the ranks of a suit share is the suit glyph. Each is then measured on its own face, or, where
a court's frame or a pip touches it, taken as on the others. Corners are compared in a common form, turned or
mirrored so that each is a top-left one.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import CornerIndex

Mask = NDArray[np.bool_]
Box = tuple[int, int, int, int]
"""x_min, y_min, x_max, y_max in pixels; the maxima are exclusive."""
Part = tuple[Box, Mask]
"""A connected part of ink: its box and where it is, (H, W)."""
Window = tuple[float, float, float, float]
"""x_min, y_min, x_max, y_max in shares of the face's width and height."""

INK = 70
"""Least difference to the card's ground, in any colour channel, of a pixel of ink."""

_CORNERS: tuple[tuple[int, int], ...] = ((1, 1), (-1, -1), (-1, 1), (1, -1))
"""Steps through rows and columns that make a corner the top-left one: first the two that every deck has."""

_DEPTH, _ACROSS = 0.48, 0.34
"""Height and width of the corner that is searched, as shares of the face."""


def find_indices(faces: NDArray[np.uint8], four_corners: bool) -> list[tuple[CornerIndex, ...]]:
    """Return the corner indices of the 52 cards.

    Args:
        faces: (52, H, W, 3) RGB in index order: clubs, diamonds, hearts, spades from ace to king.
        four_corners: whether the other two corners have an index as well.

    Returns:
        A tuple of two or four indices for each face; the top-left one first, then the bottom-right one.

    Raises:
        ValueError: if a corner shows no index.
    """
    height, width = faces.shape[1:3]
    found: list[list[CornerIndex]] = [[] for _ in faces]
    for rows, columns in _CORNERS[: 4 if four_corners else 2]:
        turned = faces[:, ::rows, ::columns][:, : int(_DEPTH * height), : int(_ACROSS * width)]
        ink = np.stack([_ink(face) for face in turned]).reshape(4, 13, *turned.shape[1:3])
        for place, (rank, suit) in enumerate(_glyphs(ink)):
            boxes = [_turned_back(box, rows, columns, (height, width)) for box in (rank, suit)]
            found[place].append(corner_index(*boxes))
    return [tuple(indices) for indices in found]


def find_joker_indices(face: NDArray[np.uint8], windows: Sequence[Window]) -> tuple[CornerIndex, ...]:
    """Return the corner indices of a joker: one in each window and one opposite, as seen from the other end.

    Args:
        face: (H, W, 3) RGB.
        windows: around an index and nothing else.

    Raises:
        ValueError: if there is no ink in a window.
    """
    height, width = face.shape[:2]
    indices = []
    for window in windows:
        left, top, right, bottom = np.multiply(window, (width, height, width, height)).round().astype(int)
        for rows, columns in _CORNERS[:2]:
            x_min, y_min, x_max, y_max = _box(_ink(face[::rows, ::columns])[top:bottom, left:right])
            middle = (y_min + y_max) // 2
            upper = (x_min + left, y_min + top, x_max + left, middle + top)
            lower = (x_min + left, middle + top, x_max + left, y_max + top)
            indices.append(
                corner_index(*(_turned_back(half, rows, columns, (height, width)) for half in (upper, lower)))
            )
    return tuple(indices)


def corner_index(rank: Box, suit: Box) -> CornerIndex:
    """Return the corner index of a rank glyph and a suit glyph.

    >>> corner_index((10, 10, 20, 30), (8, 34, 22, 48))
    CornerIndex(box=(8.0, 10.0, 22.0, 48.0), rank=(15.0, 20.0), suit=(15.0, 41.0))
    """
    low, high = np.minimum(rank[:2], suit[:2]), np.maximum(rank[2:], suit[2:])
    centres = [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in (rank, suit)]
    return CornerIndex((float(low[0]), float(low[1]), float(high[0]), float(high[1])), *centres)


def _ink(picture: NDArray[np.uint8]) -> Mask:
    """Return where a picture (H, W, 3) differs from its most common colour."""
    coarse = (picture // 8).reshape(-1, 3).astype(np.int32) @ (1024, 32, 1)
    common = np.bincount(coarse).argmax()
    ground = np.median(picture.reshape(-1, 3)[coarse == common], axis=0)
    return np.asarray(np.abs(picture - ground.astype(np.int16)).max(axis=2) > INK)


def _glyphs(ink: Mask) -> list[tuple[Box, Box]]:
    """Return the boxes of rank and suit glyph in a corner of the 52 faces, from ink (4, 13, H, W)."""
    faces = [[_parts(face) for face in suit] for suit in ink]
    suit_glyphs = [_suit_glyph(suit) for suit in ink]
    suits = [[_placed(suit_glyphs[suit], face) for face in faces[suit]] for suit in range(4)]
    usual = np.median(suits, axis=1)
    column = int(usual[:, 0].min()), int(usual[:, 2].max())
    rank_glyphs = [_rank_glyph(ink[:, rank], int(usual[:, 1].min()), column) for rank in range(13)]
    return [
        (_around([_placed(part, faces[suit][rank]) for part in rank_glyphs[rank]]), suits[suit][rank])
        for suit in range(4)
        for rank in range(13)
    ]


def _suit_glyph(ink: Mask) -> Part:
    """Return what the ace to the nine of a suit share, from ink (13, H, W).

    Pips are elsewhere on every rank, so that their common part is empty.
    """
    shared = _parts(np.logical_and.reduce(ink[:9]))
    if not shared:
        raise ValueError("The faces of a suit share no glyph in this corner.")
    return max(shared, key=lambda part: part[1].sum())


def _rank_glyph(ink: Mask, bottom: int, column: tuple[int, int]) -> list[Part]:
    """Return the parts that the suits of a rank share and that lie in the index's column above its suit.

    A ten is wider than its suit, but what reaches far beyond belongs to the frame or the figure of a court.

    Args:
        ink: (4, H, W).
        bottom: where the highest suit glyph begins.
        column: where the widest suit glyph begins and ends.
    """
    left, right = column
    end = right + 0.9 * (right - left)
    shared = np.logical_and.reduce(ink)
    shared[bottom:] = False
    parts = [(box, mask) for box, mask in _parts(shared) if box[0] < right and box[2] < end and mask.sum() > 30]
    if not parts:
        raise ValueError("The faces of a rank share no glyph in this corner.")
    return parts


def _placed(glyph: Part, parts: list[Part]) -> Box:
    """Return the box of a glyph on one face, given the part of it that faces share.

    A glyph that stands alone is measured by itself, as it may be a little larger or moved there. Where it
    touches a frame or a pip, it is as on the other faces.

    Args:
        glyph: what the faces share.
        parts: the connected parts of the face's ink.
    """
    usual, shared = glyph
    height, width = shared.shape
    for box, mask in parts:
        alone = box[2] < width and box[3] < height and mask.sum() < 2.5 * shared.sum()
        if alone and mask[shared].mean() > 0.5:
            return box
    return usual


def _parts(mask: Mask) -> list[Part]:
    """Return box and mask of every connected part of a mask (H, W)."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    return [
        ((int(x), int(y), int(x + width), int(y + height)), labels == part)
        for part, (x, y, width, height, _) in enumerate(stats[:count])
        if part
    ]


def _box(mask: Mask) -> Box:
    """Return the box around the ink of a mask (H, W)."""
    columns, rows = (np.flatnonzero(mask.any(axis=axis)) for axis in (0, 1))
    if not len(rows):
        raise ValueError("There is no ink where an index should be.")
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _around(boxes: list[Box]) -> Box:
    low, high = np.min(boxes, axis=0), np.max(boxes, axis=0)
    return int(low[0]), int(low[1]), int(high[2]), int(high[3])


def _turned_back(box: Box, rows: int, columns: int, size: tuple[int, int]) -> Box:
    """Return a box of a turned face in the face's own pixels."""
    x_min, y_min, x_max, y_max = box
    height, width = size
    if columns < 0:
        x_min, x_max = width - x_max, width - x_min
    if rows < 0:
        y_min, y_max = height - y_max, height - y_min
    return x_min, y_min, x_max, y_max
