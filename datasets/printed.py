"""Printed matter that lies about on a table and must not be read as cards: score pads, letters, envelopes, packages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

_ON_PADS = (
    "25", "JQK", "A", "10", "total", "7 8 9", "45", "Anna", "K", "100", "Q", "round 3", "8", "2", "POINTS", "SCORE",
    "R", "O", "E", "Ben", "SHANGHAI", "5 x 20", "RULES", "V", "X", "MENU", "TEA",
)  # fmt: skip
"""Numbers and words; letters of JOKER alone, but not the word, which a joker may have."""
_SYLLABLES = (
    "an", "be", "cor", "de", "el", "fin", "go", "har", "in", "ju", "ka", "lo", "mer", "no", "or", "pa", "qui", "ro",
    "ste", "ti", "un", "vi", "wo", "ex", "ya", "zo", "jo", "ke", "er", "ok",
)  # fmt: skip


def sheet(rng: np.random.Generator, size_wh: tuple[int, int], text_height: int, fonts: Sequence[Path]) -> Image.Image:
    """Return a printed sheet (RGB): a pad, a letter, an envelope, a package or a label with upright lettering.

    Args:
        rng: source of chance.
        size_wh: its size in pixels.
        text_height: height of its text in pixels.
        fonts: font files to print with.
    """
    dark_paper = rng.random() < 0.12
    paper, ink = rng.uniform(180, 255, 3), rng.uniform(0, 110, 3)
    if dark_paper:
        paper, ink = ink, paper
    page = Image.new("RGB", size_wh, _colour(paper))
    press = Press(rng, page, _colour(ink), text_height, fonts)
    kind = rng.choice(["pad", "letter", "envelope", "package", "upright"], p=[0.3, 0.25, 0.2, 0.15, 0.1])
    {
        "pad": press.pad,
        "letter": press.letter,
        "envelope": press.envelope,
        "package": press.package,
        "upright": press.upright,
    }[str(kind)]()
    return page


def _colour(value: NDArray[np.float64]) -> tuple[int, int, int]:
    red, green, blue = (int(part) for part in value)
    return red, green, blue


class Press:
    """Prints on one page.

    Args:
        rng: source of chance.
        page: what to print on.
        ink: RGB.
        height: height of ordinary text in pixels.
        fonts: font files to choose from.
    """

    def __init__(
        self, rng: np.random.Generator, page: Image.Image, ink: tuple[int, int, int], height: int, fonts: Sequence[Path]
    ) -> None:
        self.rng, self.page, self.ink, self.height, self.fonts = rng, page, ink, height, fonts
        self.pen = ImageDraw.Draw(page)

    def _face(self, height: float) -> ImageFont.FreeTypeFont:
        return ImageFont.truetype(str(self.fonts[int(self.rng.integers(len(self.fonts)))]), max(7, int(height)))

    def _word(self) -> str:
        rng = self.rng
        word = "".join(_SYLLABLES[int(k)] for k in rng.integers(len(_SYLLABLES), size=rng.integers(1, 5)))
        style = rng.random()
        if style < 0.12:
            return str(rng.integers(10, 99999))
        return word.upper() if style < 0.25 else word.capitalize() if style < 0.4 else word

    def _line(self, words: int) -> str:
        return " ".join(self._word() for _ in range(words))

    def _block(self, spot_xy: tuple[float, float], lines: int, words: int, height: float) -> None:
        face = self._face(height)
        step = height * self.rng.uniform(1.1, 1.7)
        for line in range(lines):
            self.pen.text((spot_xy[0], spot_xy[1] + line * step), self._line(words), font=face, fill=self.ink)

    def pad(self) -> None:
        """Rows of numbers and short words, far apart."""
        face = self._face(self.height)
        y = 4
        while y < self.page.height:
            line = "  ".join(_ON_PADS[int(k)] for k in self.rng.integers(len(_ON_PADS), size=8))
            self.pen.text((6, y), line, font=face, fill=self.ink)
            y += int(self.height * self.rng.uniform(1.1, 2.0))

    def letter(self) -> None:
        """Paragraphs of small print, in one or two columns."""
        small, columns = self.height * self.rng.uniform(0.35, 0.8), int(self.rng.integers(1, 3))
        for column in range(columns):
            x, y = 0.05 * self.page.width + column * self.page.width / columns, 0.05 * self.page.height
            while y < self.page.height:
                lines = int(self.rng.integers(2, 9))
                self._block((x, y), lines, max(1, round(self.page.width / columns / (4 * small))), small)
                y += (lines + 1.2) * 1.5 * small

    def envelope(self) -> None:
        """An address, a sender in small print, and a stamp with a number."""
        rng, (width, height) = self.rng, self.page.size
        small = self.height * rng.uniform(0.4, 0.8)
        self._block((0.06 * width, 0.06 * height), int(rng.integers(1, 4)), int(rng.integers(2, 5)), small)
        where = width * rng.uniform(0.3, 0.55), height * rng.uniform(0.4, 0.6)
        self._block(where, int(rng.integers(2, 5)), int(rng.integers(1, 4)), self.height * rng.uniform(0.6, 1))
        side = 1.6 * self.height
        corner = width - 1.4 * side, 0.3 * side
        self.pen.rectangle((*corner, corner[0] + side, corner[1] + 1.2 * side), outline=self.ink, width=2)
        self.pen.text(corner, str(rng.integers(1, 100)), font=self._face(0.7 * side), fill=self.ink)

    def package(self) -> None:
        """A large name, a mark in a ring, small print and a bar code."""
        rng, (width, height) = self.rng, self.page.size
        self._block((0.06 * width, 0.05 * height), 1, int(rng.integers(1, 3)), self.height * rng.uniform(1.2, 2.5))
        radius = self.height * rng.uniform(0.5, 1.2)
        x, y = width * rng.uniform(0.2, 0.8), height * rng.uniform(0.35, 0.6)
        ring = (x - radius, y - radius, x + radius, y + radius)
        self.pen.ellipse(ring, outline=self.ink, width=max(1, int(radius / 8)))
        self.pen.text(
            (x - radius / 2, y - 0.7 * radius), self._word()[:1].upper(), font=self._face(radius), fill=self.ink
        )
        self._block((0.06 * width, 0.62 * height), 4, 6, self.height * rng.uniform(0.35, 0.6))
        left, top = int(0.6 * width), int(0.82 * height)
        for bar in np.cumsum(rng.integers(2, 7, 30)):
            self.pen.line((left + bar, top, left + bar, height), fill=self.ink, width=int(rng.integers(1, 3)))

    def upright(self) -> None:
        """Columns of letters one below the other, as on spines and shop signs."""
        rng = self.rng
        x = 0.3 * self.height
        while x < self.page.width:
            face, y = self._face(self.height * rng.uniform(0.5, 1)), 0.3 * self.height
            step = face.size * rng.uniform(0.95, 1.4)
            for letter in self._line(3).upper():
                self.pen.text((x, y), letter, font=face, fill=self.ink)
                y += step
            x += self.height * rng.uniform(1.5, 3.5)
