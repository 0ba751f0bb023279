"""Backs: patterned backs of cards, drawn from trigonometric fields."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from datasets.ink import Colour, Picture

_INKS: tuple[Colour, ...] = (
    (178, 24, 40), (28, 58, 138), (20, 92, 62), (24, 24, 28), (96, 34, 104),
    (196, 96, 20), (18, 112, 136), (120, 74, 40), (206, 60, 96), (70, 78, 92),
)  # fmt: skip
_Field = NDArray[np.float32]


def draw_back(rng: Generator, width: int, height: int, ground: Picture) -> Picture:
    """Return a back: a pattern in one to three inks, the same from both ends, mostly inside a plain border.

    Args:
        rng: chooses all of the design.
        width: width of the card in pixels.
        height: height of the card in pixels.
        ground: (height, width, 3), the unprinted card, which shows as border and in the pattern.
    """
    ink = np.array(_INKS[rng.integers(len(_INKS))], np.float32) + rng.uniform(-18, 18, 3).astype(np.float32)
    border = 0 if rng.random() < 0.15 else int(rng.uniform(0.035, 0.09) * width)
    cover = _pattern(rng, width - 2 * border, height - 2 * border)
    for inset, thickness in _frames(rng, width):
        cover[:inset] = cover[-inset:] = 0
        cover[:, :inset] = cover[:, -inset:] = 0
        edge = slice(inset, inset + thickness)
        back_edge = slice(-inset - thickness, -inset)
        for rows, columns in ((edge, slice(inset, -inset)), (back_edge, slice(inset, -inset))):
            cover[rows, columns] = 1
            cover[columns, rows] = 1
    cover = np.maximum(cover, cover[::-1, ::-1]) if rng.random() < 0.9 else cover
    picture = ground.copy()
    inner = picture[border : height - border, border : width - border]
    inner[...] = np.clip(inner * (1 - cover[..., None]) + ink * cover[..., None], 0, 255).astype(np.uint8)
    if rng.random() < 0.35:
        second = np.array(_INKS[rng.integers(len(_INKS))], np.float32)
        medal = _medallion(rng, width, height)[..., None]
        picture = np.clip(picture * (1 - medal) + second * medal, 0, 255).astype(np.uint8)
    return picture


def _frames(rng: Generator, width: int) -> list[tuple[int, int]]:
    inset, frames = int(rng.uniform(0.015, 0.04) * width), []
    for _ in range(rng.integers(0, 3)):
        frames.append((inset, int(rng.uniform(2, 9))))
        inset += int(rng.uniform(0.02, 0.05) * width)
    return frames


def _edge(field: _Field, sharpness: float) -> _Field:
    return np.clip(field * sharpness + 0.5, 0, 1)


def _pattern(rng: Generator, width: int, height: int) -> _Field:
    y, x = np.mgrid[:height, :width].astype(np.float32)
    x, y = x - (width - 1) / 2, y - (height - 1) / 2
    step = rng.uniform(14, 60)
    fill = rng.uniform(-0.5, 0.5)
    kind = rng.choice(["lattice", "guilloche", "stripes", "dots", "rosettes", "plain", "checks", "waves"])
    u, v = (x + y * rng.uniform(0.4, 1)) / step, (x - y * rng.uniform(0.4, 1)) / step
    if kind == "lattice":
        lines = np.minimum(np.abs(np.sin(np.pi * u)), np.abs(np.sin(np.pi * v)))
        knots = np.cos(2 * np.pi * u) * np.cos(2 * np.pi * v)
        cover = np.maximum(_edge(0.28 - lines, 6), _edge(knots - rng.uniform(0.5, 0.9), 5))
        return cover if rng.random() < 0.5 else 1 - cover
    if kind == "guilloche":
        radius, angle = np.hypot(x, y * rng.uniform(0.6, 1)), np.arctan2(y, x)
        petals = 2 * rng.integers(3, 14)
        wave = np.sin(radius / step * 2 * np.pi + 2.5 * np.sin(petals * angle))
        other = np.sin(radius / step * 2 * np.pi - 2.5 * np.sin(petals * angle))
        return np.maximum(_edge(wave - fill, 3), _edge(other - 0.6, 3))
    if kind == "stripes":
        slope = rng.choice([0, 1, -1])
        return _edge(np.sin(2 * np.pi * (x * (slope != 0) + y * (1 if slope == 0 else slope)) / step) - fill, 8)
    if kind == "dots":
        spots = np.cos(2 * np.pi * x / step) + np.cos(2 * np.pi * y / step)
        cover = _edge(spots - rng.uniform(0.2, 1.3), 4)
        return cover if rng.random() < 0.5 else 1 - cover
    if kind == "rosettes":
        bx, by = (x / step) % 2 - 1, (y / step) % 2 - 1
        radius, angle = np.hypot(bx, by), np.arctan2(by, bx)
        flower = 0.75 + 0.2 * np.cos(2 * rng.integers(2, 5) * angle) - radius
        return np.maximum(_edge(flower, 12) * _edge(radius - 0.22, 12), _edge(0.13 - radius, 12))
    if kind == "checks":
        return _edge(np.sin(np.pi * u) * np.sin(np.pi * v), 12)
    if kind == "waves":
        return _edge(np.sin(2 * np.pi * (y + 0.3 * step * np.sin(2 * np.pi * x / step)) / step) - fill, 6)
    return np.ones((height, width), np.float32)


def _medallion(rng: Generator, width: int, height: int) -> _Field:
    mask = np.zeros((height, width), np.uint8)
    centre, radius = (width // 2, height // 2), int(rng.uniform(0.15, 0.35) * width)
    cv2.circle(mask, centre, radius, 255, -1, cv2.LINE_AA)
    for share in rng.uniform(0.2, 0.95, rng.integers(1, 4)):
        cv2.circle(mask, centre, int(share * radius), 0, int(rng.uniform(3, 9)), cv2.LINE_AA)
    spokes = 2 * rng.integers(2, 9)
    for spoke in range(spokes):
        angle = 2 * np.pi * spoke / spokes
        tip = (
            int(centre[0] + 0.7 * radius * np.cos(angle)),
            int(centre[1] + 0.7 * radius * np.sin(angle)),
        )
        cv2.circle(mask, tip, radius // 9, 0, -1, cv2.LINE_AA)
    return mask.astype(np.float32) / 255
