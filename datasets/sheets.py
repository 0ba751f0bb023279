"""A packaged design drawn as cards: every face cut to the card's edge, at one size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets import svg
from datasets.assets import fonts
from datasets.backs import draw_back
from datasets.decks import FACE_HEIGHT
from datasets.designs import Design, joker_design
from engine.cards import KINDS, Card


class Sheet:
    """A design being drawn. Faces and back are (FACE_HEIGHT, width, 3) RGB."""

    def __init__(self, design: Design, cache: Path) -> None:
        self._design = design
        self._cache = cache
        # Two sheets set their indices in DejaVu; the others have outlines.
        self._fonts = [path for path in fonts(cache) if path.name.startswith("DejaVu")]
        self._source = cache / design.package.folder / design.source
        self._root = svg.read(self._source) if self._source.is_file() else None
        self._measure(design.face_name(Card("3C")))

    def faces(self) -> Iterator[NDArray[np.uint8]]:
        """Yield the 52 faces in index order."""
        for card in KINDS[:-1]:
            yield self._face(self._design.face_name(card))

    def jokers(self) -> Iterator[NDArray[np.uint8]]:
        """Yield the faces of the jokers, which may be another design's."""
        donor = joker_design(self._design)
        sheet = self if donor is self._design else Sheet(donor, self._cache)
        for name in donor.jokers:
            picture = sheet._face(name)
            picture = cv2.resize(picture, (self.width, FACE_HEIGHT), interpolation=cv2.INTER_AREA)
            yield np.asarray(picture, np.uint8)

    def back(self) -> NDArray[np.uint8]:
        """Return the back."""
        if self._design.back:
            return self._face(self._design.back)
        ground = np.full((FACE_HEIGHT, self.width, 3), 250, np.uint8)
        return draw_back(np.random.default_rng(len(self._design.name)), self.width, FACE_HEIGHT, ground)

    def _element(self, name: str) -> ElementTree.Element:
        return svg.read(self._source / f"{name}.svg") if self._root is None else svg.alone(self._root, name)

    def _measure(self, name: str) -> None:
        """Measure a face that has nothing at its edges: its size, corners and outline.

        Sheets made for screens outline each card; a real card has no such line, so it is cut off.
        """
        face = self._element(name)
        view = svg.inked(face)
        width = round(FACE_HEIGHT * view[2] / view[3])
        picture = svg.draw(face, view, (FACE_HEIGHT, width))
        left, top, right, bottom = (_outline(np.rot90(picture, turn)) for turn in range(4))
        self._margins = (left / width, top / FACE_HEIGHT, right / width, bottom / FACE_HEIGHT)
        scale = FACE_HEIGHT / (FACE_HEIGHT - top - bottom)
        self.width = round((width - left - right) * scale)
        # What a rounded corner leaves free of its square: (1 - pi / 4) of it.
        square = picture[: FACE_HEIGHT // 5, : width // 3, 3]
        rounding = np.sqrt((square < 128).sum() / (1 - np.pi / 4))
        self.radius = float(max(0.0, rounding - max(left, top, right, bottom)) * scale)

    def _face(self, name: str) -> NDArray[np.uint8]:
        face = self._element(name)
        x, y, width, height = svg.inked(face)
        left, top, right, bottom = self._margins
        view = (x + left * width, y + top * height, width * (1 - left - right), height * (1 - top - bottom))
        picture = svg.draw(face, view, (FACE_HEIGHT, self.width), self._fonts)
        return _squared(picture, self.radius)


def _outline(picture: NDArray[np.uint8]) -> int:
    """Return the width in pixels of the line along the left side of a face (H, W, 4)."""
    height = len(picture)
    middle = picture[height * 3 // 10 : height * 7 // 10, : height // 40].astype(int)
    profile = np.median(middle, axis=0)
    differs = np.abs(profile - profile[-1]).max(axis=1) > 12
    # Two pixels more for what is blended with the line or lies beside it by the search's coarseness.
    return int(np.flatnonzero(differs)[-1]) + 3 if differs.any() else 2


def _squared(picture: NDArray[np.uint8], radius: float) -> NDArray[np.uint8]:
    """Return a face (H, W, 4) as RGB on which all outside the rounded corners repeats the card's ground."""
    side = int(np.ceil(radius)) + 2
    away = np.hypot(*(radius - 0.5 - np.mgrid[:side, :side]))
    colours = picture[..., :3].astype(np.float32)
    cover = picture[..., 3:] / np.float32(255)
    grounds = []
    for rows in (slice(None), slice(None, None, -1)):
        for columns in (slice(None), slice(None, None, -1)):
            corner, alpha = (part[rows, columns][:side, :side] for part in (colours, cover))
            # A strip just inside the arc: not the outline, and before any print.
            strip = (away > radius - 8) & (away < radius - 3) & (alpha[..., 0] > 0.98)
            ground = np.median(corner[strip], axis=0) if strip.any() else corner[-1, -1]
            corner[away > radius - 2] = ground
            alpha[away > radius - 2] = 1
            grounds.append(ground)
    colours = cover * colours + (1 - cover) * np.median(grounds, axis=0)
    return np.asarray(np.round(colours), np.uint8)
