"""Ink: coverage masks of glyphs and drawn shapes, and how they are printed on a face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Mask = NDArray[np.uint8]
"""(h, w) coverage by ink, 0 to 255, with no empty row or column at its edges."""
Picture = NDArray[np.uint8]
"""(h, w, 3) RGB."""
Colour = tuple[int, int, int]
"""RGB, 0 to 255."""
Contour = NDArray[np.float64]
"""(K, 2) corners of a polygon as x, y."""
Box = tuple[float, float, float, float]
"""x_min, y_min, x_max, y_max in pixels; the maxima lie behind the last pixel."""

GLYPH_EM = 200
"""Size in pixels at which glyphs are drawn before they are fitted to their place."""
_FAINT = 32  # coverage that nobody sees: the rim of a glyph's smoothing
_FINER = 4  # polygons are filled this many times finer and reduced


def trim(mask: Mask) -> Mask:
    """Return the mask without empty margins; a 1 x 1 empty mask where there is no ink."""
    x, y, width, height = cv2.boundingRect((mask > _FAINT).astype(np.uint8))
    return mask[y : y + height, x : x + width] if width else np.zeros((1, 1), np.uint8)


@lru_cache(maxsize=128)
def _font(path: Path) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), GLYPH_EM, layout_engine=ImageFont.Layout.BASIC)


def font_family(path: Path) -> str:
    """Return the family name that the font file carries."""
    return _font(path).getname()[0] or path.stem


def has_glyphs(path: Path, text: str) -> bool:
    """Return whether the font draws every character of ``text``."""
    font = _font(path)
    missing = font.getmask("\uffff")
    absent = (missing.size, bytes(missing))
    for character in text:
        mask = font.getmask(character)
        if not any(mask.size) or (mask.size, bytes(mask)) == absent:
            return False
    return True


@lru_cache(maxsize=2048)
def glyph(path: Path, text: str) -> Mask:
    """Return ``text`` in the font at ``GLYPH_EM`` pixels, trimmed."""
    font = _font(path)
    left, top, right, bottom = (int(edge) for edge in font.getbbox(text))
    image = Image.new("L", (right - left + 8, bottom - top + 8))
    ImageDraw.Draw(image).text((4 - left, 4 - top), text, fill=255, font=font)
    mask = trim(np.asarray(image))
    mask.flags.writeable = False
    return mask


def shape(contours: Sequence[Contour], height: float, stretch: float = 1.0) -> Mask:
    """Return the union of polygons as a mask.

    Args:
        contours: polygons in units of the height of the whole.
        height: height of the unit in pixels.
        stretch: factor on the width.
    """
    scale = np.array([height * stretch, height]) * _FINER
    points = [contour * scale for contour in contours]
    low = np.min([part.min(axis=0) for part in points], axis=0)
    high = np.max([part.max(axis=0) for part in points], axis=0)
    size = np.ceil((high - low) / _FINER).astype(int) + 1
    canvas = np.zeros((size[1] * _FINER, size[0] * _FINER), np.uint8)
    for part in points:
        cv2.fillPoly(canvas, [np.round((part - low) * 16).astype(np.int32)], 255, shift=4)
    return trim(cv2.resize(canvas, (int(size[0]), int(size[1])), interpolation=cv2.INTER_AREA))


def fit(mask: Mask, height: float, width: float | None = None) -> Mask:
    """Return the mask scaled to ``height`` and ``width`` pixels; without a width its form is kept."""
    if width is None:
        width = mask.shape[1] * height / mask.shape[0]
    size = max(1, round(width)), max(1, round(height))
    shrinks = size[1] <= mask.shape[0]
    return trim(cv2.resize(mask, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC))


def embolden(mask: Mask, pixels: int) -> Mask:
    """Return the mask with its strokes grown (or, when negative, thinned) by ``pixels`` on each side.

    Strokes that would vanish are left as they are.
    """
    if pixels == 0:
        return mask
    reach = abs(pixels)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    padded = np.pad(mask, reach + 1)
    if pixels > 0:
        return trim(cv2.dilate(padded, kernel))
    thinned = cv2.erode(padded, kernel)
    return trim(thinned) if thinned.sum() > 0.55 * mask.sum() else mask


def hollow(mask: Mask, pixels: int) -> Mask:
    """Return only the rim of the mask, ``pixels`` wide."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * pixels + 1, 2 * pixels + 1))
    inner = cv2.erode(np.pad(mask, 1), kernel, borderValue=0)[1:-1, 1:-1]
    return cv2.subtract(mask, inner)


def inlined(mask: Mask, pixels: int) -> Mask:
    """Return the mask with a fine unprinted line that follows its rim."""
    return cv2.subtract(mask, hollow(mask, 2 * pixels)) | hollow(mask, pixels)


def stack(masks: Sequence[Mask], gap: int) -> Mask:
    """Return the masks one under the other, centred, with ``gap`` rows between them."""
    width = max(mask.shape[1] for mask in masks)
    height = sum(mask.shape[0] for mask in masks) + gap * (len(masks) - 1)
    column = np.zeros((height, width), np.uint8)
    top = 0
    for mask in masks:
        left = (width - mask.shape[1]) // 2
        column[top : top + mask.shape[0], left : left + mask.shape[1]] = mask
        top += mask.shape[0] + gap
    return column


def row(masks: Sequence[Mask], gap: int) -> Mask:
    """Return the masks side by side on one base line, with ``gap`` columns between them (may be negative)."""
    height = max(mask.shape[0] for mask in masks)
    width = sum(mask.shape[1] for mask in masks) + gap * (len(masks) - 1)
    line = np.zeros((height, max(width, 1)), np.uint8)
    left = 0
    for mask in masks:
        target = line[height - mask.shape[0] :, left : left + mask.shape[1]]
        np.maximum(target, mask[:, : target.shape[1]], out=target)
        left += mask.shape[1] + gap
    return trim(line)


def turned(mask: Mask) -> Mask:
    """Return the mask turned by 180 degrees."""
    return mask[::-1, ::-1]


def paint(picture: Picture, mask: Mask, left: float, top: float, colour: Colour) -> Box:
    """Print the mask in one colour with its corner at ``left``, ``top``; return the box of its ink.

    What lies beyond the picture is cut off.
    """
    x, y = round(left), round(top)
    height, width = mask.shape
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + width, picture.shape[1]), min(y + height, picture.shape[0])
    if x0 < x1 and y0 < y1:
        place = picture[y0:y1, x0:x1]
        cover = mask[y0 - y : y1 - y, x0 - x : x1 - x, None].astype(np.uint16)
        ink = np.array(colour, np.uint16)
        place[...] = (place * (255 - cover) + ink * cover + 127) // 255
    return float(x), float(y), float(x + width), float(y + height)


def paint_centred(picture: Picture, mask: Mask, x: float, y: float, colour: Colour) -> Box:
    """Print the mask with its middle at ``x``, ``y``; return the box of its ink."""
    return paint(picture, mask, x - mask.shape[1] / 2, y - mask.shape[0] / 2, colour)


@dataclass(frozen=True)
class Piece:
    """A mask in one colour, placed for the upper left corner of a card."""

    mask: Mask
    left: int
    top: int
    colour: Colour

    @property
    def right(self) -> int:
        """First column behind the mask."""
        return self.left + self.mask.shape[1]

    @property
    def bottom(self) -> int:
        """First row below the mask."""
        return self.top + self.mask.shape[0]


def print_pieces(picture: Picture, pieces: Sequence[Piece], at_right: bool, upside_down: bool) -> list[Box]:
    """Print pieces in one of the four corners of a face and return the box of each.

    Args:
        picture: the face.
        pieces: as they stand in the upper left corner.
        at_right: moved, upright, to the upper right corner.
        upside_down: then turned with the whole card by 180 degrees.
    """
    height, width = picture.shape[:2]
    shift = width - max(p.right for p in pieces) - min(p.left for p in pieces) if at_right else 0
    if not upside_down:
        return [paint(picture, p.mask, p.left + shift, p.top, p.colour) for p in pieces]
    return [paint(picture, turned(p.mask), width - p.right - shift, height - p.bottom, p.colour) for p in pieces]
