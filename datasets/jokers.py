"""Jokers: the corner lettering in its many styles, and pictures for the middle of the card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator

from datasets.courts import CourtDesign, draw_court
from datasets.ink import (
    Box,
    Colour,
    Contour,
    Mask,
    Picture,
    Piece,
    embolden,
    fit,
    glyph,
    hollow,
    paint_centred,
    row,
    shape,
    stack,
    trim,
)
from datasets.pips import Shape, curve, ellipse, mirrored, normed, star
from engine.cards import Rank

WORD = "JOKER"

JESTER_HAT = normed(
    [
        np.vstack(
            [
                curve((-0.3, 0.5), (-0.4, 0.1), (-0.7, -0.1), (-0.75, 0.3)),
                curve((-0.75, 0.3), (-0.75, -0.3), (-0.35, -0.45), (-0.14, -0.05)),
                curve((-0.14, -0.05), (-0.1, -0.3), (-0.05, -0.45), (0, -0.5)),
                curve((0, -0.5), (0.05, -0.45), (0.1, -0.3), (0.14, -0.05)),
                curve((0.14, -0.05), (0.35, -0.45), (0.75, -0.3), (0.75, 0.3)),
                curve((0.75, 0.3), (0.7, -0.1), (0.4, 0.1), (0.3, 0.5)),
            ]
        ),
        ellipse(-0.75, 0.33, 0.09, 0.09),
        ellipse(0.75, 0.33, 0.09, 0.09),
        ellipse(0, -0.53, 0.09, 0.09),
    ]
)


CROWN = normed(
    [np.array([(-0.5, 0.35), (-0.6, -0.3), (-0.28, 0), (0, -0.5), (0.28, 0), (0.6, -0.3), (0.5, 0.35)], np.float64)]
)
MOON = normed([curve((0.2, -0.5), (-0.5, -0.5), (-0.5, 0.5), (0.2, 0.5), (-0.15, 0.3), (-0.15, -0.3), (0.2, -0.5))])
BELL = normed([mirrored(curve((0, -0.5), (0.3, -0.5), (0.2, 0.1), (0.45, 0.3))), ellipse(0, 0.38, 0.11, 0.11)])
DISC = (ellipse(0, 0, 0.5, 0.5),)

FRAMES = {"none": 0.5, "ring": 0.17, "two-rings": 0.05, "disc": 0.2, "plate": 0.08}
"""What an emblem stands in, and how often: nothing, lines around it, or a surface that it is cut out of."""


@dataclass(frozen=True)
class Emblem:
    """The sign that many jokers have in the corner, alone or beside letters."""

    figure: Shape
    frame: str
    """One of ``FRAMES``."""
    filled: float
    """Share of the frame that the figure takes."""

    def mask(self, size: float) -> Mask:
        """Return the emblem ``size`` pixels high."""
        if self.frame == "none":
            return shape(self.figure, size)
        figure = shape(self.figure, self.filled * size)
        figure = fit(figure, figure.shape[0], min(figure.shape[1], 0.9 * size))
        if self.frame == "plate":
            return _cut_out(np.full((round(size), round(size)), 255, np.uint8), figure)
        surface = shape(DISC, size)
        if self.frame == "disc":
            return _cut_out(surface, figure)
        rings = _cut_out(surface, shape(DISC, 0.86 * size))
        if self.frame == "two-rings":
            rings |= _cut_out(_centred(shape(DISC, 0.78 * size), surface), shape(DISC, 0.68 * size))
        return rings | _centred(figure, surface)


def _centred(mask: Mask, around: Mask) -> Mask:
    """Return the mask in the middle of an empty one as large as another."""
    placed = np.zeros_like(around)
    paint = _middle(placed, mask)
    paint[...] = mask[: paint.shape[0], : paint.shape[1]]
    return placed


def _cut_out(surface: Mask, mask: Mask) -> Mask:
    """Return the surface without a mask in its middle."""
    return cv2.subtract(surface, _centred(mask, surface))


def _middle(surface: Mask, mask: Mask) -> Mask:
    top, left = (max(0, (outer - inner) // 2) for outer, inner in zip(surface.shape, mask.shape, strict=True))
    return surface[top : top + mask.shape[0], left : left + mask.shape[1]]


@dataclass(frozen=True)
class Lettering:
    """How the corner of a joker is printed."""

    font: Path
    bold: int
    """Pixels by which strokes are grown at the size of ``GLYPH_EM``."""
    length: float
    """Height of the whole corner in pixels, for lettering that runs down the card."""
    widest: float
    """Greatest width of the corner in pixels."""
    stretch: float
    """Factor on the width of letters."""
    spacing: float
    """Gap between letters as a share of their height."""
    colours: tuple[Colour, ...]
    """Letters take these in turn; the emblem takes the last."""
    emblem: Emblem

    def letter(self, text: str, height: float) -> Mask:
        """Return a letter ``height`` pixels high, no wider than the corner may be."""
        mask = embolden(glyph(self.font, text), self.bold)
        width = mask.shape[1] * height / mask.shape[0] * self.stretch
        return fit(mask, height, min(width, self.widest))

    def sign(self, height: float) -> Mask:
        """Return the emblem about ``height`` pixels high, no wider than the corner may be."""
        mask = self.emblem.mask(min(height, 1.3 * self.widest))
        return fit(mask, mask.shape[0] * min(1.0, 1.3 * self.widest / mask.shape[1]))

    def word(self, height: float) -> Mask:
        """Return the word on one line, letters ``height`` pixels high."""
        masks = [self.letter(letter, height) for letter in WORD]
        return row(masks, max(1, round(self.spacing * height * 0.6)))


_Placed = list[tuple[Mask, Colour]]


def _column(rows: _Placed, gap: float, sway: float = 0.0) -> list[Piece]:
    """Stand masks under each other, centred; ``sway`` moves them left and right in turn by pixels."""
    widest = max(mask.shape[1] for mask, _ in rows)
    pieces, top = [], 0
    for number, (mask, colour) in enumerate(rows):
        left = (widest - mask.shape[1]) / 2 + sway * (1 if number % 2 else -1)
        pieces.append(Piece(mask, round(left), top, colour))
        top += mask.shape[0] + max(1, round(gap))
    return pieces


def _letters(look: Lettering, text: str, length: float) -> _Placed:
    height = length / (len(text) + look.spacing * (len(text) - 1))
    return [(look.letter(c, height), look.colours[n % len(look.colours)]) for n, c in enumerate(text)]


def _gap(look: Lettering, length: float, count: int) -> float:
    return look.spacing * length / (count + look.spacing * (count - 1))


def _letters_only(look: Lettering) -> list[Piece]:
    return _column(_letters(look, WORD, look.length), _gap(look, look.length, 5))


def _with_symbol(symbol: Callable[[Lettering, float], Mask], above: bool) -> Callable[[Lettering], list[Piece]]:
    def corner(look: Lettering) -> list[Piece]:
        letters = _letters(look, WORD, 0.8 * look.length)
        mark = (symbol(look, 0.2 * look.length), look.colours[-1])
        return _column([mark, *letters] if above else [*letters, mark], _gap(look, 0.8 * look.length, 5))

    return corner


def _hat(look: Lettering, height: float) -> Mask:
    return shape(JESTER_HAT, min(height, look.widest / 1.6))


def _sign_only(look: Lettering) -> list[Piece]:
    return [Piece(look.sign(0.42 * look.length), 0, 0, look.colours[-1])]


def _word(look: Lettering) -> list[Piece]:
    mask = look.word(0.2 * look.length)
    if mask.shape[1] > 1.7 * look.widest:
        mask = fit(mask, mask.shape[0] * 0.85, 1.7 * look.widest)
    return [Piece(mask, 0, 0, look.colours[0])]


def _word_over_sign(look: Lettering) -> list[Piece]:
    word = _word(look)[0]
    return _column([(word.mask, word.colour), (look.sign(0.25 * look.length), look.colours[-1])], 4)


def _word_turned(quarter: int) -> Callable[[Lettering], list[Piece]]:
    def corner(look: Lettering) -> list[Piece]:
        word = look.word(look.widest)
        height = min(look.widest, word.shape[0] * look.length / word.shape[1])
        mask = np.ascontiguousarray(np.rot90(fit(word, height, look.length), quarter))
        return [Piece(mask, 0, 0, look.colours[0])]

    return corner


def _j_over(symbol: Callable[[Lettering, float], Mask]) -> Callable[[Lettering], list[Piece]]:
    def corner(look: Lettering) -> list[Piece]:
        length = 0.7 * look.length
        rows = [
            (look.letter("J", 0.58 * length), look.colours[0]),
            (symbol(look, 0.36 * length), look.colours[-1]),
        ]
        return _column(rows, 0.06 * length)

    return corner


def _jk(look: Lettering) -> list[Piece]:
    height = 0.3 * look.length
    mask = row([look.letter("J", height), look.letter("K", height)], max(1, round(0.08 * height)))
    return [Piece(fit(mask, mask.shape[0], min(mask.shape[1], 1.3 * look.widest)), 0, 0, look.colours[0])]


def _jkr(look: Lettering) -> list[Piece]:
    return _column(_letters(look, "JKR", 0.75 * look.length), _gap(look, 0.75 * look.length, 3))


def _large_j(look: Lettering) -> list[Piece]:
    rest = _letters(look, WORD[1:], 0.58 * look.length)
    return _column([(look.letter("J", 0.36 * look.length), look.colours[0]), *rest], 0.02 * look.length)


def _dancing(look: Lettering) -> list[Piece]:
    return _column(_letters(look, WORD, look.length), _gap(look, look.length, 5), 0.15 * look.widest)


def _banner(look: Lettering) -> list[Piece]:
    letters = stack([mask for mask, _ in _letters(look, WORD, 0.88 * look.length)], round(0.02 * look.length))
    padding = round(0.04 * look.length)
    plate = np.full((letters.shape[0] + 2 * padding, letters.shape[1] + 2 * padding), 255, np.uint8)
    plate[padding:-padding, padding:-padding] -= letters
    return [Piece(plate, 0, 0, look.colours[0])]


def _j_in_star(look: Lettering) -> list[Piece]:
    mask = shape([star(5, 0.3)], 1.15 * look.widest)
    letter = look.letter("J", 0.34 * mask.shape[0])
    top, left = (int(0.54 * mask.shape[0] - letter.shape[0] / 2), (mask.shape[1] - letter.shape[1]) // 2)
    place = mask[top : top + letter.shape[0], left : left + letter.shape[1]]
    place[...] = cv2.subtract(place, letter)
    return [Piece(mask, 0, 0, look.colours[0])]


def _no_corner(_: Lettering) -> list[Piece]:
    return []


CORNERS: Mapping[str, Callable[[Lettering], list[Piece]]] = {
    "letters": _letters_only,
    "sign-over-letters": _with_symbol(Lettering.sign, above=True),
    "letters-over-sign": _with_symbol(Lettering.sign, above=False),
    "hat-over-letters": _with_symbol(_hat, above=True),
    "large-j": _large_j,
    "dancing-letters": _dancing,
    "banner": _banner,
    "sign": _sign_only,
    "word": _word,
    "word-over-sign": _word_over_sign,
    "word-down": _word_turned(3),
    "word-up": _word_turned(1),
    "j-over-sign": _j_over(Lettering.sign),
    "j-over-hat": _j_over(_hat),
    "j-in-star": _j_in_star,
    "jk": _jk,
    "jkr": _jkr,
    "none": _no_corner,
}
"""Every style of joker corner, by name."""

_WEIGHTS = {
    "hat-over-letters": 2,
    "dancing-letters": 2,
    "letters": 9,
    "sign-over-letters": 5,
    "letters-over-sign": 4,
    "sign": 9,
    "large-j": 2,
    "word": 2,
    "word-down": 2,
}

HELD_OUT_JOKERS = frozenset({"hat-over-letters", "dancing-letters", "word-up", "j-over-hat", "jkr"})
"""Styles of corner that only held-out decks have."""


@dataclass(frozen=True)
class JokerDesign:
    """One joker of a deck."""

    corner: str
    """Name of the style in ``CORNERS``."""
    look: Lettering
    centre: str
    """Name of the picture in the middle."""
    ink: Colour
    """Main colour of the picture in the middle."""
    seed: int


def draw_jokers(
    rng: Generator,
    fonts: Sequence[Path],
    index_height: float,
    widest: float,
    inks: Sequence[Colour],
    held_out: bool,
) -> tuple[JokerDesign, ...]:
    """Return the jokers of a deck, mostly two that differ in colour alone.

    Args:
        rng: chooses the designs.
        fonts: of which the lettering takes one.
        index_height: height of the deck's corner index in pixels.
        widest: width up to which the corners of this deck are free.
        inks: the deck's colours, a dark one and a red one first.
        held_out: take the held-out styles instead of the others.
    """
    names = [name for name in CORNERS if (name in HELD_OUT_JOKERS) == held_out]
    centres = CENTRES_BY_CHANCE if held_out else (*CENTRES_BY_CHANCE, *_NOT_HELD_OUT)
    weights = np.array([_WEIGHTS.get(name, 1) for name in names], np.float64)
    count = int(rng.choice([1, 2, 3, 4], p=[0.08, 0.62, 0.12, 0.18]))
    jokers: list[JokerDesign] = []
    for number in range(count):
        same = number > 0 and rng.random() < 0.7
        if same:
            corner, look, centre, seed = jokers[0].corner, jokers[0].look, jokers[0].centre, jokers[0].seed
        else:
            corner = names[rng.choice(len(names), p=weights / weights.sum())]
            centre = centres[rng.integers(len(centres))]
            look = _draw_lettering(rng, fonts, index_height, widest)
            if corner == "none" and centre == "empty":
                centre = "jesters"
            seed = int(rng.integers(1 << 30))
        ink = inks[(number + 1) % 2] if rng.random() < 0.85 else inks[rng.integers(len(inks))]
        colours = (ink,)
        if rng.random() < 0.15:
            colours = tuple(inks[place] for place in rng.permutation(len(inks)))
        elif rng.random() < 0.25:
            colours = (*(ink,) * len(WORD), inks[rng.integers(len(inks))])
        jokers.append(JokerDesign(corner, replace(look, colours=colours), centre, ink, seed))
    return tuple(jokers)


def _draw_lettering(rng: Generator, fonts: Sequence[Path], index_height: float, widest: float) -> Lettering:
    length = float(np.clip(index_height * rng.uniform(1.0, 1.7), 80, 240))
    return Lettering(
        font=fonts[rng.integers(len(fonts))],
        bold=int(rng.integers(-2, 5)),
        length=length,
        widest=max(20.0, min(widest, length * rng.uniform(0.14, 0.26))),
        stretch=float(rng.uniform(0.75, 1.25)),
        spacing=float(rng.uniform(0.06, 0.3)),
        colours=((0, 0, 0),),
        emblem=_draw_emblem(rng),
    )


def _draw_emblem(rng: Generator) -> Emblem:
    figure = str(rng.choice(["star", "hat", "crown", "moon", "bell"], p=[0.72, 0.1, 0.08, 0.05, 0.05]))
    points = int(rng.choice([3, 4, 5, 6, 7, 8, 12], p=[0.03, 0.15, 0.5, 0.12, 0.05, 0.1, 0.05]))
    # Spiky to nearly round; with few points it would else look like a diamond.
    inner = float(rng.uniform(0.14, 0.2) if points < 5 else rng.uniform(0.19, 0.23 + 0.015 * points))
    figures = {"star": (star(points, inner),), "hat": JESTER_HAT, "crown": CROWN, "moon": MOON, "bell": BELL}
    frame = str(rng.choice(list(FRAMES), p=list(FRAMES.values())))
    return Emblem(figures[figure], frame, float(rng.uniform(0.5, 0.95 if frame in ("disc", "plate") else 0.75)))


def joker_corner(design: JokerDesign, left: int, top: int) -> list[Piece]:
    """Return the pieces of a joker's corner with their common box at ``left``, ``top``."""
    pieces = CORNERS[design.corner](design.look)
    if not pieces:
        return []
    shift = left - min(piece.left for piece in pieces)
    return [Piece(piece.mask, piece.left + shift, piece.top + top, piece.colour) for piece in pieces]


def draw_joker_picture(design: JokerDesign, picture: Picture, area: Box, court: CourtDesign, paper: Colour) -> None:
    """Draw the picture in the middle of a joker into ``area`` of the face; a jester where art is missing."""
    rng = np.random.default_rng(design.seed)
    left, top, right, bottom = area
    x, y, wide, high = (left + right) / 2, (top + bottom) / 2, right - left, bottom - top
    inks = (*court.palette, design.ink)
    if design.centre in ("jester", "art"):
        _jester(picture, rng, x, y, min(wide, 0.7 * high), inks, court.skin)
    elif design.centre == "jesters":
        half = picture[: picture.shape[0] // 2]
        _jester(half, rng, x, y - 0.24 * high, min(0.8 * wide, 0.4 * high), inks, court.skin)
        low = picture.shape[0] - half.shape[0]
        picture[low:] = half[::-1, ::-1]
    elif design.centre == "juggler":
        _juggler(picture, rng, x, y, min(wide * 1.3, high), inks, court.skin)
    elif design.centre == "hat":
        paint_centred(picture, shape(JESTER_HAT, min(0.5 * high, 0.6 * wide)), x, y, design.ink)
    elif design.centre == "star":
        paint_centred(picture, shape([star(5, 0.22)], 0.8 * wide), x, y, design.ink)
    elif design.centre == "crown":
        paint_centred(picture, shape(CROWN, min(0.4 * high, 0.5 * wide)), x, y, design.ink)
    elif design.centre in ("word", "slanted-word", "tall-word"):
        _big_word(design, picture, x, y, wide, high)
    elif design.centre == "edge-words":
        _edge_words(design, picture, area)
    elif design.centre == "court":
        size = int(wide), int(high)
        figure = CourtDesign("figure", court.palette, court.skin, court.line, design.seed)
        panel = draw_court(figure, rng, Rank.JACK, size, paper)
        picture[int(top) : int(top) + size[1], int(left) : int(left) + size[0]] = panel


CENTRES_BY_CHANCE = (
    *("jester",) * 4, *("jesters",) * 2, *("juggler",) * 3, "hat", "hat", "star", "crown", "word",
    "slanted-word", "tall-word", "court", *("art",) * 3, "empty",
)  # fmt: skip
"""Pictures in the middle, each as often as it is to be drawn; ``art`` comes from other decks."""
_NOT_HELD_OUT = ("edge-words",) * 3
"""Pictures that held-out decks do not have."""


def _big_word(design: JokerDesign, picture: Picture, x: float, y: float, wide: float, high: float) -> None:
    look = design.look
    if design.centre == "tall-word":
        letters = [fit(glyph(look.font, letter), 0.15 * high) for letter in WORD]
        paint_centred(picture, stack(letters, round(0.03 * high)), x, y, design.ink)
        return
    word = row([fit(glyph(look.font, letter), 100) for letter in WORD], 10)
    word = fit(word, min(0.35 * high, word.shape[0] * wide / word.shape[1]), wide)
    if design.centre == "slanted-word":
        height, width = word.shape
        side = int(np.hypot(height, width))
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), 35 + design.seed % 30, 0.95)
        turn[:, 2] += (side - width) / 2, (side - height) / 2
        word = trim(cv2.warpAffine(word, turn, (side, side), flags=cv2.INTER_AREA))
    if design.seed % 3 == 0:
        word = hollow(word, 3)
    paint_centred(picture, word, x, y, design.ink)


def _edge_words(design: JokerDesign, picture: Picture, area: Box) -> None:
    """The word along the upper edge between the corners, and upside down along the lower one, around a hat."""
    left, top, right, bottom = area
    word = design.look.word(0.11 * (bottom - top))
    word = fit(word, min(word.shape[0], word.shape[0] * 0.9 * (right - left) / word.shape[1]))
    x, inset = (left + right) / 2, 0.6 * word.shape[0]
    paint_centred(picture, word, x, top + inset, design.ink)
    paint_centred(picture, np.ascontiguousarray(word[::-1, ::-1]), x, bottom - inset, design.ink)
    hat = shape(JESTER_HAT, min(0.3 * (bottom - top), 0.5 * (right - left)))
    paint_centred(picture, hat, x, (top + bottom) / 2, design.ink)


class _Brush:
    """Fills outlines given in shares of ``size`` around a middle, each with a dark rim."""

    def __init__(self, picture: Picture, x: float, y: float, size: float) -> None:
        self.picture, self.x, self.y, self.size = picture, x, y, size

    def fill(self, contour: Contour, colour: Colour, rim: bool = True) -> None:
        points = np.round((contour * self.size + (self.x, self.y)) * 16).astype(np.int32)
        cv2.fillPoly(self.picture, [points], colour, cv2.LINE_AA, 4)
        if rim:
            cv2.polylines(self.picture, [points], True, (24, 22, 26), 2, cv2.LINE_AA, 4)


def _jester(
    picture: Picture, rng: Generator, x: float, y: float, size: float, inks: Sequence[Colour], skin: Colour
) -> None:
    """A face with a three-pointed cap, bells and a ruff."""
    brush = _Brush(picture, x, y, size)
    red, blue, gold, dark, _ = inks
    base = np.array([0, 0.2])
    for point in range(9):
        angle = np.pi * (0.08 + 0.84 * point / 8)
        colour = (red, gold, blue)[point % 3]
        tip = 0.42 * np.array([np.cos(angle) * 1.1, np.sin(angle)]) + (0, 0.16)
        side = 0.09 * np.array([-np.sin(angle), np.cos(angle)])
        brush.fill(np.array([base + side, tip, base - side]), colour)
        brush.fill(ellipse(*tip, 0.025, 0.025), gold)
    brush.fill(ellipse(0, 0.08, 0.19, 0.24), skin)
    sway = float(rng.uniform(-0.04, 0.04))
    for side, colour in ((-1.0, red), (1.0, blue)):
        lobe = np.vstack(
            [
                curve((0, -0.12), (0.02, -0.45), (0.4, -0.5), (0.46 + sway, -0.1)),
                curve((0.46 + sway, -0.1), (0.36, -0.22), (0.26, -0.12), (0.21, 0.03)),
                curve((0.21, 0.03), (0.14, -0.06), (0.06, -0.08), (0, -0.08)),
            ]
        )
        brush.fill(lobe * (side, 1), colour)
        brush.fill(ellipse(side * (0.46 + sway), -0.07, 0.045, 0.045), gold)
    brush.fill(mirrored(curve((0, -0.5), (0.05, -0.4), (0.12, -0.2), (0.07, -0.07))), gold)
    brush.fill(ellipse(0, -0.5, 0.04, 0.04), red)
    for side in (-1, 1):
        brush.fill(ellipse(side * 0.08, 0.03, 0.035, 0.045), (255, 255, 255))
        brush.fill(ellipse(side * 0.08 + sway / 4, 0.04, 0.015, 0.018), dark, False)
        brush.fill(ellipse(side * 0.12, 0.13, 0.03, 0.03), red, False)
    brush.fill(ellipse(0, 0.1, 0.025, 0.05), skin)
    smile = np.vstack([curve((-0.1, 0.17), (-0.05, 0.26), (0.05, 0.26), (0.1, 0.17)), [(0, 0.21)]])
    brush.fill(smile, red)


def _juggler(
    picture: Picture, rng: Generator, x: float, y: float, size: float, inks: Sequence[Colour], skin: Colour
) -> None:
    """A standing figure in two colours who throws balls or stars."""
    brush = _Brush(picture, x, y + 0.08 * size, size * 0.9)
    red, blue, gold, dark, _ = inks
    for side, colour in ((-1, red), (1, blue)):
        brush.fill(np.array([(0, 0.08), (side * 0.1, 0.08), (side * 0.15, 0.44), (side * 0.06, 0.44)]), colour)
        shoe = curve((side * 0.06, 0.44), (side * 0.1, 0.4), (side * 0.24, 0.42), (side * 0.26, 0.36))
        brush.fill(np.vstack([shoe, [(side * 0.2, 0.48), (side * 0.06, 0.48)]]), gold)
        arm = [(side * 0.08, -0.14), (side * 0.26, -0.06), (side * 0.3, -0.24), (side * 0.34, -0.22)]
        brush.fill(np.array([*arm, (side * 0.3, 0.0), (side * 0.08, -0.06)]), (blue, red)[side > 0])
        brush.fill(ellipse(side * 0.32, -0.25, 0.03, 0.03), skin)
        brush.fill(np.array([(0, -0.18), (side * 0.11, -0.16), (side * 0.12, 0.12), (0, 0.1)]), (gold, red)[side > 0])
    for point in range(-2, 3):
        brush.fill(
            np.array([(0, -0.2), (0.06 * point - 0.03, -0.1), (0.06 * point + 0.03, -0.1)]),
            (gold, blue)[point % 2],
        )
    brush.fill(ellipse(0, -0.26, 0.07, 0.085), skin)
    brush.fill(ellipse(-0.025, -0.27, 0.009, 0.012), dark, False)
    brush.fill(ellipse(0.025, -0.27, 0.009, 0.012), dark, False)
    brush.fill(curve((-0.03, -0.225), (-0.01, -0.2), (0.01, -0.2), (0.03, -0.225)), red, False)
    for part, colour in zip(JESTER_HAT, (inks[4], gold, gold, gold), strict=True):
        brush.fill(part * 0.19 + (0, -0.4), colour)
    balls = int(rng.integers(3, 7))
    for ball in range(balls):
        angle = np.pi * (0.1 + 0.8 * ball / (balls - 1))
        place = (0.34 * np.cos(angle), -0.32 - 0.22 * np.sin(angle))
        form = star(5, 0.22) * 0.1 if rng.random() < 0.3 else ellipse(0, 0, 0.035, 0.035)
        brush.fill(form + place, inks[rng.integers(4)])
