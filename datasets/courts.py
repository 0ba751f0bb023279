"""Courts: drawn pictures for jack, queen and king, the same from both ends and busy with colour.

They are no portraits; they hold what a reader of corner indices must tell from an index: frames, suit
symbols, letters and patterned robes in the index's own colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from datasets.ink import Colour, Mask, Picture, fit, hollow, paint_centred, turned
from datasets.pips import SuitShapes
from engine.cards import Rank, Suit

Points = NDArray[np.float64]
_SKINS: tuple[Colour, ...] = ((250, 226, 200), (240, 205, 170), (255, 250, 240), (205, 160, 120))
_BLACK: Colour = (26, 24, 28)


@dataclass(frozen=True)
class CourtDesign:
    """What the court cards of one deck have in common."""

    kind: str
    """``figure``, ``emblem``, ``mosaic`` or ``letter``."""
    palette: tuple[Colour, ...]
    """Four colours of cloth: red, blue, yellow and black in shades of the deck's own."""
    skin: Colour
    line: int
    """Thickness of drawn lines in pixels."""
    pattern: int
    """Chooses the robes' patterns."""


def draw_court_design(rng: Generator) -> CourtDesign:
    """Return a design of court cards."""
    kind = rng.choice(["figure", "emblem", "mosaic", "letter"], p=[0.66, 0.14, 0.12, 0.08])
    base = np.array([(200, 30, 40), (35, 60, 150), (245, 200, 60), (28, 28, 32)])
    if rng.random() < 0.2:
        base[1] = (30, 110, 70)
    if rng.random() < 0.12:
        base[:] = base.mean(axis=1, keepdims=True)
        base[0] = rng.integers(0, 200, 3)
    shades = np.clip(base + rng.integers(-28, 28, (4, 3)), 0, 255)
    palette = tuple((int(r), int(g), int(b)) for r, g, b in shades)
    skin = _SKINS[rng.integers(len(_SKINS))]
    return CourtDesign(str(kind), palette, skin, int(rng.integers(1, 4)), int(rng.integers(1 << 30)))


class _Pen:
    """Draws in shares of a half court's width: x from 0 to 1, y downward from its top."""

    def __init__(self, picture: Picture, line: int, scale: int) -> None:
        self.picture = picture
        self.scale = scale
        self.line = line

    def points(self, corners: Points | Sequence[tuple[float, float]]) -> NDArray[np.int32]:
        return np.round(np.asarray(corners, np.float64) * self.scale * 16).astype(np.int32)

    def area(self, corners: Points | Sequence[tuple[float, float]], colour: Colour, outlined: bool = True) -> None:
        cv2.fillPoly(self.picture, [self.points(corners)], colour, cv2.LINE_AA, 4)
        if outlined:
            self.rim(corners)

    def rim(self, corners: Points | Sequence[tuple[float, float]]) -> None:
        cv2.polylines(self.picture, [self.points(corners)], True, _BLACK, self.line, cv2.LINE_AA, 4)

    def trace(self, corners: Points | Sequence[tuple[float, float]], colour: Colour, thickness: float = 1.0) -> None:
        width = max(1, round(self.line * thickness))
        cv2.polylines(self.picture, [self.points(corners)], False, colour, width, cv2.LINE_AA, 4)

    def oval(self, x: float, y: float, rx: float, ry: float, colour: Colour, outlined: bool = True) -> None:
        angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
        self.area(np.stack([x + rx * np.cos(angle), y + ry * np.sin(angle)], axis=1), colour, outlined)


def draw_court(design: CourtDesign, rng: Generator, rank: Rank, size: tuple[int, int], paper: Colour) -> Picture:
    """Return a court picture of ``size`` (width, height), the same from both ends.

    Args:
        design: what the deck's courts have in common.
        rng: chooses what this one has of its own.
        rank: jack, queen or king.
        size: width and height in pixels.
        paper: colour of the picture's ground.
    """
    width, height = size
    half = np.empty((height // 2 + 1, width, 3), np.uint8)
    half[...] = paper
    pen = _Pen(half, design.line, width)
    bottom = half.shape[0] / width
    if design.kind == "figure":
        _figure(pen, design, rng, rank, bottom)
    elif design.kind == "emblem":
        _emblem(pen, design, rng, rank, bottom)
    elif design.kind == "mosaic":
        _mosaic(pen, design, rng, bottom)
    picture = np.empty((height, width, 3), np.uint8)
    picture[: height // 2 + 1] = half
    picture[height - height // 2 :] = half[: height // 2][::-1, ::-1]
    return picture


def print_letter(picture: Picture, design: CourtDesign, letter: Mask, ink: Colour) -> None:
    """Print a large letter in each half of a court picture."""
    height, width = picture.shape[:2]
    letter = fit(letter, height * 0.3)
    if design.pattern % 3 == 0:
        letter = hollow(letter, 3)
    paint_centred(picture, letter, width * 0.5, height * 0.26, ink)
    paint_centred(picture, turned(letter), width * 0.5, height * 0.74, ink)


def corner_pips(picture: Picture, rng: Generator, suits: SuitShapes, suit: Suit, ink: Colour) -> None:
    """Print the large suit symbol that stands beside the index, in two corners of a court picture."""
    height, width = picture.shape[:2]
    mask = suits.mask(suit, rng.uniform(0.13, 0.19) * height)
    x, y = 0.04 * width + mask.shape[1] / 2, 0.03 * height + mask.shape[0] / 2
    paint_centred(picture, mask, x, y, ink)
    paint_centred(picture, turned(mask), width - x, height - y, ink)


def _cloth(pen: _Pen, rng: Generator, kind: int, corners: Points, inks: Sequence[Colour]) -> None:
    """Fill a polygon with one of several patterns."""
    low = np.floor(corners.min(axis=0) * pen.scale).astype(int)
    high = np.ceil(corners.max(axis=0) * pen.scale).astype(int) + 1
    place = pen.picture[max(low[1], 0) : high[1], max(low[0], 0) : high[0]]
    scratch = np.empty_like(place)
    scratch[...] = inks[0]
    cloth = _Pen(scratch, 1, pen.scale)
    origin = np.maximum(low, 0) / pen.scale
    right, bottom = np.array(scratch.shape[1::-1]) / pen.scale
    step = float(rng.uniform(0.06, 0.13))
    if kind == 0:
        for offset in np.arange(-bottom, right, 2 * step):
            band = [(offset, bottom), (offset + step, bottom)]
            band += [(offset + step + bottom, 0), (offset + bottom, 0)]
            cloth.area(band, inks[1])
    elif kind == 1:
        for row, y in enumerate(np.arange(0, bottom + step, step)):
            for x in np.arange((row % 2) * step, right + step, 2 * step):
                cloth.area([(x, y - step), (x + step * 0.7, y), (x, y + step), (x - step * 0.7, y)], inks[1])
                cloth.oval(x, y, step / 5, step / 5, inks[2], False)
    elif kind == 2:
        for y in np.arange(0, bottom + step, step):
            wave = [(x, y + 0.3 * step * np.sin(x * 40)) for x in np.linspace(0, right, 24)]
            cloth.trace(wave, inks[1], 3)
            cloth.trace(wave, inks[2], 1)
    elif kind == 3:
        for row, y in enumerate(np.arange(0, bottom + step, step)):
            for x in np.arange((row % 2) * step / 2, right + step, step):
                cloth.oval(x, y, step / 3, step / 3, inks[1])
    else:
        for number, x in enumerate(np.arange(0, right, step)):
            band = [(x, 0), (x + step / 2, 0), (x + step / 2, bottom), (x, bottom)]
            cloth.area(band, inks[1 + number % 2])
    inside = np.zeros(place.shape[:2], np.uint8)
    cv2.fillPoly(inside, [pen.points(corners - origin)], 255, cv2.LINE_8, 4)
    cv2.copyTo(scratch, inside, place)
    pen.rim(corners)


def _figure(pen: _Pen, design: CourtDesign, rng: Generator, rank: Rank, bottom: float) -> None:
    inks = [design.palette[place] for place in rng.permutation(4)]
    head_x, head_y = 0.5 + float(rng.uniform(-0.06, 0.06)), bottom * float(rng.uniform(0.36, 0.44))
    face = 0.1 * float(rng.uniform(0.9, 1.15))
    neck = head_y + 1.15 * face
    patterns = np.random.default_rng([design.pattern, int(rank is Rank.QUEEN)]).permutation(5)
    slope = float(rng.uniform(-0.12, 0.12))
    left = np.array(
        [
            (head_x, neck),
            (head_x - 0.2, neck + 0.06),
            (0.06, neck + 0.2),
            (0, bottom),
            (0.5, bottom),
            (head_x, bottom),
        ]
    )
    right = left * (-1, 1) + (2 * head_x, 0)
    right[:, 0] = np.clip(right[:, 0], 0, 1)
    left[:, 0] = np.clip(left[:, 0], 0, 1)
    right[3, 0], left[3, 0] = 1, 0
    _cloth(pen, rng, int(patterns[0]), left, inks[:3])
    _cloth(pen, rng, int(patterns[1]), right, [inks[1], inks[2], inks[3]])
    band = [(0, bottom - 0.1 - slope), (1, bottom - 0.1 + slope), (1, bottom + 0.1), (0, bottom + 0.1)]
    pen.area(band, inks[2])
    for x in np.linspace(0.06, 0.94, 9):
        pen.oval(x, bottom - 0.05 + slope * (2 * x - 1), 0.025, 0.025, inks[3])
    for side in (-1, 1):
        lapel = [
            (head_x, neck),
            (head_x + side * 0.13, neck + 0.02),
            (head_x + side * 0.07, bottom),
            (head_x, bottom),
        ]
        pen.area(lapel, inks[3] if side < 0 else design.palette[2])
        for y in np.arange(neck + 0.06, bottom, 0.06):
            pen.oval(head_x + side * 0.045, y, 0.014, 0.014, design.palette[0], False)
    _attribute(pen, design, rng, rank, bottom)
    _head(pen, design, rng, rank, head_x, head_y, face)


def _attribute(pen: _Pen, design: CourtDesign, rng: Generator, rank: Rank, bottom: float) -> None:
    side = rng.choice([-1, 1])
    x = 0.5 + side * float(rng.uniform(0.28, 0.38))
    gold, steel = design.palette[2], (225, 228, 232)
    top = bottom * float(rng.uniform(0.08, 0.2))
    if rank is Rank.KING:
        pen.area(
            [
                (x, top),
                (x + 0.03, top + 0.06),
                (x + 0.025, bottom),
                (x - 0.025, bottom),
                (x - 0.03, top + 0.06),
            ],
            steel,
        )
        guard = bottom * 0.72
        pen.area([(x - 0.11, guard), (x + 0.11, guard), (x + 0.11, guard + 0.04), (x - 0.11, guard + 0.04)], gold)
        pen.oval(x, guard + 0.1, 0.05, 0.045, design.skin)
    elif rank is Rank.QUEEN:
        stem = [(x, top + 0.1), (x + side * 0.03, bottom * 0.5), (x - side * 0.05, bottom * 0.8)]
        pen.trace(stem, (40, 110, 60), 2)
        for angle in np.arange(6) * np.pi / 3:
            pen.oval(x + 0.05 * np.cos(angle), top + 0.1 + 0.05 * np.sin(angle), 0.035, 0.035, design.palette[0])
        pen.oval(x, top + 0.1, 0.03, 0.03, gold)
        pen.oval(x - side * 0.05, bottom * 0.75, 0.045, 0.045, design.skin)
    else:
        pen.area([(x - 0.015, top), (x + 0.015, top), (x + 0.015, bottom), (x - 0.015, bottom)], gold)
        pen.area([(x, top), (x + side * 0.12, top + 0.05), (x + side * 0.1, top + 0.16), (x, top + 0.18)], steel)
        pen.oval(x, bottom * 0.75, 0.045, 0.045, design.skin)


def _head(pen: _Pen, design: CourtDesign, rng: Generator, rank: Rank, x: float, y: float, face: float) -> None:
    hair = ((230, 190, 70), (120, 70, 30), (240, 240, 240), _BLACK)[rng.integers(4)]
    gold, red = design.palette[2], design.palette[0]
    curl = 1.9 if rank is Rank.QUEEN else 1.25
    for side in (-1, 1):
        for step in range(4):
            reach = face * (0.95 + 0.08 * step)
            pen.oval(x + side * reach, y - 0.3 * face + step * curl * 0.42 * face, face * 0.42, face * 0.4, hair)
    pen.oval(x, y, face, face * 1.3, design.skin)
    look = float(rng.uniform(-0.2, 0.2)) * face
    for side in (-1, 1):
        pen.oval(x + side * 0.4 * face + look, y - 0.15 * face, 0.14 * face, 0.09 * face, (255, 255, 255))
        pen.oval(x + side * 0.4 * face + look, y - 0.15 * face, 0.06 * face, 0.06 * face, _BLACK, False)
        brow = [
            (x + side * 0.2 * face + look, y - 0.38 * face),
            (x + side * 0.62 * face + look, y - 0.34 * face),
        ]
        pen.trace(brow, _BLACK, 0.8)
    pen.trace(
        [(x + look, y - 0.1 * face), (x + look + 0.12 * face, y + 0.3 * face), (x + look, y + 0.32 * face)],
        _BLACK,
        0.7,
    )
    pen.oval(x + look, y + 0.62 * face, 0.26 * face, 0.08 * face, red, False)
    if rank is Rank.KING:
        beard = [(x - face, y + 0.3 * face), (x - 0.5 * face, y + 0.55 * face), (x, y + 0.42 * face)]
        beard += [
            (x + 0.5 * face, y + 0.55 * face),
            (x + face, y + 0.3 * face),
            (x + 0.8 * face, y + 1.5 * face),
        ]
        beard += [(x, y + 2.1 * face), (x - 0.8 * face, y + 1.5 * face)]
        pen.area(beard, hair)
        pen.oval(x + look, y + 0.72 * face, 0.22 * face, 0.08 * face, red, False)
    brim, rise = y - 0.85 * face, face * float(rng.uniform(0.8, 1.3))
    wide = face * (1.35 if rank is Rank.KING else 1.1)
    if rank is Rank.JACK:
        cap = [
            (x - wide, brim),
            (x - wide * 1.1, brim - 0.5 * rise),
            (x, brim - rise),
            (x + wide * 1.3, brim - 0.6 * rise),
            (x + wide, brim),
        ]
        pen.area(cap, red)
        pen.area(
            [
                (x - wide * 1.1, brim - 0.12),
                (x + wide * 1.1, brim - 0.03),
                (x + wide, brim + 0.02),
                (x - wide, brim + 0.02),
            ],
            gold,
        )
        pen.area(
            [(x + wide, brim), (x + wide * 1.9, brim - rise), (x + wide * 1.4, brim - rise * 1.2)],
            design.palette[1],
        )
        return
    spikes = 5 if rank is Rank.KING else 7
    across = np.linspace(x - wide, x + wide, 2 * spikes - 1)
    rim = [(px, brim - (rise if place % 2 == 0 else 0.4 * rise)) for place, px in enumerate(across)]
    pen.area([*rim, (x + wide * 0.9, brim), (x - wide * 0.9, brim)], gold)
    for px, py in rim[::2]:
        pen.oval(px, py, 0.018, 0.018, design.palette[1])
    pen.area(
        [
            (x - wide, brim - 0.035),
            (x + wide, brim - 0.035),
            (x + wide, brim + 0.03),
            (x - wide, brim + 0.03),
        ],
        red,
    )
    for px in across[1::2]:
        pen.oval(px, brim, 0.016, 0.016, (250, 250, 250))


def _emblem(pen: _Pen, design: CourtDesign, rng: Generator, rank: Rank, bottom: float) -> None:
    """A large crown, tiara or cap over rays."""
    inks = [design.palette[place] for place in rng.permutation(4)]
    if rng.random() < 0.6:
        rays = int(rng.integers(8, 20))
        for ray in range(rays):
            start, end = np.pi * ray / rays, np.pi * (ray + 0.5) / rays
            tips = [(0.5 + 1.2 * np.cos(angle), bottom - 1.2 * np.sin(angle)) for angle in (start, end)]
            pen.area([(0.5, bottom), *tips], inks[0], False)
    middle, wide, rise = bottom * 0.55, 0.28, 0.22
    spikes = {Rank.KING: 5, Rank.QUEEN: 7, Rank.JACK: 3}[rank]
    across = np.linspace(0.5 - wide, 0.5 + wide, 2 * spikes - 1)
    arch = 0.08 if rank is Rank.QUEEN else 0
    rim = []
    for place, x in enumerate(across):
        bow = arch * (1 - ((x - 0.5) / wide) ** 2)
        rim.append((x, middle - bow - (rise if place % 2 == 0 else 0.3 * rise)))
    pen.area([*rim, (0.5 + wide, middle + 0.1), (0.5 - wide, middle + 0.1)], design.palette[2])
    for x, y in rim[::2]:
        pen.oval(x, y, 0.03, 0.03, inks[1])
    pen.area(
        [
            (0.5 - wide, middle + 0.04),
            (0.5 + wide, middle + 0.04),
            (0.5 + wide, middle + 0.1),
            (0.5 - wide, middle + 0.1),
        ],
        inks[2],
    )


def _mosaic(pen: _Pen, design: CourtDesign, rng: Generator, bottom: float) -> None:
    """Triangles on a jittered grid, mirrored left to right."""
    columns, rows = int(rng.integers(4, 8)), int(rng.integers(4, 9))
    xs, ys = np.meshgrid(np.linspace(0, 0.5, columns), np.linspace(0, bottom, rows))
    xs[:, 1:-1] += rng.uniform(-0.03, 0.03, xs[:, 1:-1].shape)
    ys[1:-1] += rng.uniform(-0.03, 0.03, ys[1:-1].shape)
    grid = np.stack([xs, ys], axis=2)
    inks = [*design.palette, (250, 248, 240), design.skin]
    for row in range(rows - 1):
        for column in range(columns - 1):
            a, b = grid[row, column], grid[row, column + 1]
            c, d = grid[row + 1, column + 1], grid[row + 1, column]
            for triangle in ((a, b, c), (a, c, d)):
                ink = inks[rng.integers(len(inks))]
                corners = np.array(triangle)
                pen.area(corners, ink)
                pen.area(corners * (-1, 1) + (1, 0), ink)
