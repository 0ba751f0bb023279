"""Pips: suit shapes as smooth outlines, and where the pips of each rank stand on a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from datasets.ink import Contour, Mask, fit, glyph, has_glyphs, hollow, inlined, shape
from engine.cards import Rank, Suit

Shape = tuple[Contour, ...]
"""Polygons whose union is one symbol, 1 high, centred on (0, 0)."""

_SIDES = (-1.0, 1.0)
_NINE = tuple((x, y) for x in _SIDES for y in (-1, -1 / 3, 1 / 3, 1))
_CORNERS = tuple((x, y) for x in _SIDES for y in _SIDES)
_SIX = (*_CORNERS, (-1.0, 0.0), (1.0, 0.0))
PLACES: Mapping[Rank, tuple[tuple[float, float], ...]] = {
    Rank.ACE: ((0.0, 0.0),),
    Rank.TWO: ((0.0, -1.0), (0.0, 1.0)),
    Rank.THREE: ((0.0, -1.0), (0.0, 0.0), (0.0, 1.0)),
    Rank.FOUR: _CORNERS,
    Rank.FIVE: (*_CORNERS, (0.0, 0.0)),
    Rank.SIX: _SIX,
    Rank.SEVEN: (*_SIX, (0.0, -0.5)),
    Rank.EIGHT: (*_SIX, (0.0, -0.5), (0.0, 0.5)),
    Rank.NINE: (*_NINE, (0.0, 0.0)),
    Rank.TEN: (*_NINE, (0.0, -2 / 3), (0.0, 2 / 3)),
}
"""Pips of each rank as x, y from -1 to 1 of the pip field; those with y > 0 stand on their heads."""


def curve(*points: tuple[float, float]) -> Contour:
    """Return a chain of cubic Bezier curves through start, control, control, end, control, ... as points."""
    steps = np.linspace(0, 1, 14)[:, None]
    weights = np.hstack([(1 - steps) ** 3, 3 * steps * (1 - steps) ** 2, 3 * steps**2 * (1 - steps), steps**3])
    pieces = [weights @ np.array(points[start : start + 4]) for start in range(0, len(points) - 1, 3)]
    return np.vstack(pieces)


def mirrored(right: Contour) -> Contour:
    """Return the closed outline whose right half is given, from the top of the axis x = 0 to its bottom."""
    return np.vstack([right, right[::-1] * (-1, 1)])


def ellipse(x: float, y: float, rx: float, ry: float, turn: float = 0.0) -> Contour:
    """Return an ellipse around (x, y), turned by ``turn`` radians."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    points = np.stack([rx * np.cos(angle), ry * np.sin(angle)], axis=1)
    cos, sin = np.cos(turn), np.sin(turn)
    return points @ np.array([[cos, sin], [-sin, cos]]) + (x, y)


def star(points: int, inner: float, turn: float = 0.0) -> Contour:
    """Return a star with its outer corners on a circle of radius 0.5 and its inner ones at ``inner``."""
    angle = np.arange(2 * points) * np.pi / points - np.pi / 2 + turn
    radius = np.where(np.arange(2 * points) % 2 == 0, 0.5, inner)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def normed(parts: Sequence[Contour]) -> Shape:
    """Return the parts moved and scaled so that their union is 1 high and centred."""
    points = np.vstack(parts)
    low, high = points.min(axis=0), points.max(axis=0)
    return tuple((part - (low + high) / 2) / (high[1] - low[1]) for part in parts)


def _heart(rng: Generator) -> Shape:
    width, notch = rng.uniform(0.42, 0.56), rng.uniform(-0.36, -0.24)
    belly, tip = rng.uniform(-0.05, 0.2), rng.uniform(0.02, 0.4)
    shoulder = rng.uniform(-0.62, -0.5)
    return normed(
        [
            mirrored(
                curve(
                    (0, notch),
                    (width * rng.uniform(0.05, 0.3), shoulder),
                    (width, shoulder - 0.05),
                    (width, -0.2),
                    (width, belly),
                    (width * tip, 0.22),
                    (0, 0.5),
                )
            )
        ]
    )


def _diamond(rng: Generator) -> Shape:
    width, bend = rng.uniform(0.33, 0.48), rng.choice([0.0, rng.uniform(-0.07, 0.02)])
    middle = np.array([width / 2 + bend, -0.25 + bend])
    upper = curve((0, -0.5), tuple(middle), tuple(middle), (width, 0))
    return normed([mirrored(np.vstack([upper, upper[::-1] * (1, -1)]))])


def _stalk(rng: Generator, top: float) -> list[Contour]:
    foot, neck = rng.uniform(0.12, 0.28), rng.uniform(0.015, 0.05)
    kind = rng.choice(["flared", "wedge", "stem", "footed"], p=[0.6, 0.2, 0.12, 0.08])
    if kind == "wedge":
        return [np.array([(0, top), (foot, 0.5), (-foot, 0.5)])]
    if kind == "stem":
        width = rng.uniform(0.04, 0.08)
        return [np.array([(-width, top), (width, top), (width, 0.5), (-width, 0.5)])]
    if kind == "footed":
        stem = np.array([(-neck, top), (neck, top), (neck, 0.5), (-neck, 0.5)])
        return [stem, np.array([(-foot, 0.44), (foot, 0.44), (foot, 0.5), (-foot, 0.5)])]
    rise = rng.uniform(0, 0.03)
    right = curve(
        (neck, top),
        (neck, top + 0.7 * (0.5 - top)),
        (foot * 0.4, 0.5 - rise),
        (foot, 0.5),
        (foot / 2, 0.5 - rise),
        (foot / 4, 0.5 - rise),
        (0, 0.5 - rise),
    )
    return [mirrored(np.vstack([[(0.0, top)], right]))]


def _spade(rng: Generator) -> Shape:
    width, notch = rng.uniform(0.38, 0.52), rng.uniform(0.1, 0.22)
    side, swell = rng.uniform(0.02, 0.3), rng.uniform(-0.2, 0.0)
    low = rng.uniform(0.4, 0.5)
    body = mirrored(
        curve(
            (0, -0.5),
            (width * side, -0.25),
            (width, swell),
            (width, 0.18),
            (width, low),
            (width * rng.uniform(0.1, 0.35), low - 0.04),
            (0, notch),
        )
    )
    return normed([body, *_stalk(rng, notch - 0.1)])


def _club(rng: Generator) -> Shape:
    if rng.random() < 0.8:
        radius = rng.uniform(0.2, 0.25)
        apart, level = rng.uniform(0.9, 1.2) * radius, rng.uniform(0.04, 0.12)
        oval = rng.choice([1.0, rng.uniform(0.88, 1.12)])
        leaves = [
            ellipse(0, radius - 0.5, radius * oval, radius),
            ellipse(apart, level, radius, radius * oval),
            ellipse(-apart, level, radius, radius * oval),
        ]
    else:
        long, wide, level = rng.uniform(0.24, 0.28), rng.uniform(0.18, 0.22), -0.02
        spread = rng.uniform(1.9, 2.1)
        leaves = [
            ellipse(long * 0.85 * np.sin(turn), level - long * 0.85 * np.cos(turn), wide, long, turn)
            for turn in (0.0, spread, -spread)
        ]
    return normed([*leaves, ellipse(0, 0, 0.1, 0.12), *_stalk(rng, -0.05)])


def _bauhaus(suit: Suit) -> Shape:
    stalk = np.array([(0, 0.05), (0.2, 0.5), (-0.2, 0.5)])
    if suit is Suit.DIAMONDS:
        return normed([np.array([(0, -0.5), (0.5, 0), (0, 0.5), (-0.5, 0)])])
    if suit is Suit.CLUBS:
        leaves = [ellipse(x, y, 0.23, 0.23) for x, y in ((0, -0.27), (-0.24, 0.1), (0.24, 0.1))]
        return normed([*leaves, stalk])
    edge = 0.25 / np.sqrt(2)
    kite = np.array([(-0.25 - edge, edge), (0, -edge), (0.25 + edge, edge), (0, edge + 0.25 + edge)])
    heart = [ellipse(-0.25, 0, 0.25, 0.25), ellipse(0.25, 0, 0.25, 0.25), kite]
    if suit is Suit.HEARTS:
        return normed(heart)
    body = [part * (1, -1) for part in heart]
    return normed([*body, np.array([(0, 0.05), (0.16, 0.42), (-0.16, 0.42)])])


_DRAWN = {Suit.CLUBS: _club, Suit.DIAMONDS: _diamond, Suit.HEARTS: _heart, Suit.SPADES: _spade}


@lru_cache(maxsize=1)
def _patterns() -> Mapping[Suit, NDArray[np.int16]]:
    rng = np.random.default_rng(0)
    return {suit: _thumbnail(shape(draw(rng), 64)) for suit, draw in _DRAWN.items()}


def _thumbnail(mask: Mask) -> NDArray[np.int16]:
    return cv2.resize(mask, (32, 32), interpolation=cv2.INTER_AREA).astype(np.int16)


@cache
def _has_suits(font: Path) -> bool:
    """Return whether the font has four solid, upright suit symbols, each in its own place.

    There are fonts that have hollow or slanted ones, and some in which spade and club are exchanged.
    """
    if not has_glyphs(font, "".join(suit.symbol for suit in Suit)):
        return False
    for suit in Suit:
        symbol = _thumbnail(glyph(font, suit.symbol))
        apart = {other: float(np.abs(symbol - pattern).mean()) for other, pattern in _patterns().items()}
        if min(apart, key=lambda other: apart[other]) is not suit or apart[suit] > 45:
            return False
    return True


@dataclass(frozen=True)
class SuitShapes:
    """The four suits in one style."""

    outlines: Mapping[Suit, Shape]
    """Drawn outlines; empty when the symbols come from ``font``."""
    font: Path | None
    stretch: float
    """Factor on the width of the symbols."""
    finish: str
    """``solid``, ``hollow`` or ``inlined``."""

    def mask(self, suit: Suit, height: float, plain: bool = False) -> Mask:
        """Return a suit's symbol ``height`` pixels high; ``plain`` ones are solid whatever the finish."""
        if self.font is None:
            mask = shape(self.outlines[suit], height, self.stretch)
        else:
            symbol = glyph(self.font, suit.symbol)
            mask = fit(symbol, height, symbol.shape[1] * height / symbol.shape[0] * self.stretch)
        if plain or self.finish == "solid" or height < 24:
            return mask
        return (hollow if self.finish == "hollow" else inlined)(mask, max(1, round(height / 28)))


def draw_suits(rng: Generator, fonts: Sequence[Path]) -> SuitShapes:
    """Return a style of suit symbols: Bezier outlines, plain geometry, or the glyphs of one of ``fonts``."""
    kind = rng.choice(["curves", "geometry", "font"], p=[0.72, 0.06, 0.22])
    finish = str(rng.choice(["solid", "hollow", "inlined"], p=[0.93, 0.03, 0.04]))
    stretch = float(rng.uniform(0.84, 1.08))
    if kind == "font":
        for place in rng.permutation(len(fonts)):
            if _has_suits(fonts[place]):
                return SuitShapes({}, fonts[place], stretch, finish)
    if kind == "geometry":
        return SuitShapes({suit: _bauhaus(suit) for suit in Suit}, None, stretch, finish)
    return SuitShapes({suit: _DRAWN[suit](rng) for suit in Suit}, None, stretch, finish)
