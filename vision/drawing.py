"""Drawing a scene over its photo: outlines, names, and a dashed line around what is doubtful."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import Card, Suit
from vision.scene import Scene

_GROUPS = ((30, 110, 220), (0, 140, 90), (150, 70, 190), (200, 110, 0), (0, 140, 160), (120, 90, 60))
_DOUBT = (215, 60, 30)
_RED, _BLACK = (190, 20, 30), (20, 20, 24)


def draw(image: NDArray[np.uint8], scene: Scene, *, numbered: bool = False) -> NDArray[np.uint8]:
    """Return the photo with every card outlined and named.

    Args:
        image: (H, W, 3) RGB, the photo that the scene was read from.
        scene: what was read.
        numbered: whether its place in the scene, from 1 on, stands before each name.
    """
    drawn = image.copy()
    size = max(10, round(_typical_height(scene) * 0.08))
    thick = max(1, size // 9)
    for number, group in enumerate(scene.groups):
        for place in group:
            quad = np.array(scene.cards[place].quad)
            if place in scene.doubtful:
                _dashed(drawn, quad, _DOUBT, thick + 1)
            else:
                cv2.polylines(drawn, [_pixels(quad)], True, _GROUPS[number % len(_GROUPS)], thick, cv2.LINE_AA)
    for place, seen in enumerate(scene.cards):
        spot = _label_spot(scene, place)
        before = f"{place + 1}: " if numbered else ""
        _name(drawn, seen.card, spot, size, before, doubtful=place in scene.doubtful)
    return drawn


def _typical_height(scene: Scene) -> float:
    if not scene.cards:
        return 100.0
    sides = [np.linalg.norm(np.subtract(seen.quad[3], seen.quad[0])) for seen in scene.cards]
    return float(np.median(sides))


def _label_spot(scene: Scene, place: int) -> NDArray[np.float64]:
    """Beside the index that shows the card, towards the card's middle."""
    seen = scene.cards[place]
    x0, y0, x1, y1 = scene.corners[seen.corners[0]].box
    index = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    up = np.subtract(seen.quad[0], seen.quad[3])
    return index + up / max(float(np.linalg.norm(up)), 1e-6) * 0.1 * _typical_height(scene)


def _pixels(points: NDArray[np.floating]) -> NDArray[np.int32]:
    return np.round(points).astype(np.int32)


def _dashed(image: NDArray[np.uint8], quad: NDArray[np.floating], colour: tuple[int, int, int], thick: int) -> None:
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        steps = max(3, int(np.linalg.norm(end - start) / (6 * thick)) | 1)
        marks = np.linspace(0, 1, steps + 1)[:, None] * (end - start) + start
        for first, second in zip(marks[:-1:2], marks[1::2], strict=True):
            cv2.line(image, tuple(_pixels(first)), tuple(_pixels(second)), colour, thick, cv2.LINE_AA)


def _name(
    image: NDArray[np.uint8], card: Card, spot: NDArray[np.float64], size: int, before: str, doubtful: bool
) -> None:
    text = before + (card.rank.label if card.rank else card.label)
    text += "?" if doubtful else ""
    scale, thick = size / 24, max(1, size // 12)
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, thick)
    pip = size if card.suit else 0
    whole = width + pip + size // 2
    rows, columns = image.shape[:2]
    x = int(np.clip(spot[0] - whole / 2, 0, max(columns - whole, 0)))
    y = int(np.clip(spot[1] - size * 0.7, 0, max(rows - int(size * 1.4), 0)))
    cv2.rectangle(image, (x, y), (x + whole, y + int(size * 1.4)), (255, 255, 255), -1)
    cv2.rectangle(image, (x, y), (x + whole, y + int(size * 1.4)), _DOUBT if doubtful else (120, 120, 120), 1)
    ink = _RED if card.suit in (Suit.HEARTS, Suit.DIAMONDS) else _BLACK
    base = y + int(size * 0.7 + height / 2)
    cv2.putText(image, text, (x + size // 4, base), cv2.FONT_HERSHEY_DUPLEX, scale, ink, thick, cv2.LINE_AA)
    if card.suit:
        _pip(image, card.suit, np.array([x + size // 4 + width + pip / 2, y + size * 0.7]), size * 0.45, ink)


def _pip(
    image: NDArray[np.uint8],
    suit: Suit,
    centre: NDArray[np.float64],
    radius: float,
    ink: tuple[int, int, int],
) -> None:
    def polygon(*points: tuple[float, float]) -> None:
        cv2.fillPoly(image, [_pixels(centre + np.array(points) * radius)], ink, cv2.LINE_AA)

    def disc(x: float, y: float, size: float) -> None:
        spot = _pixels(centre + np.array([x, y]) * radius)
        cv2.circle(image, (int(spot[0]), int(spot[1])), max(1, round(size * radius)), ink, -1, cv2.LINE_AA)

    if suit is Suit.DIAMONDS:
        polygon((0, -1), (0.75, 0), (0, 1), (-0.75, 0))
    elif suit is Suit.HEARTS:
        disc(-0.44, -0.35, 0.5)
        disc(0.44, -0.35, 0.5)
        polygon((-0.92, -0.2), (0.92, -0.2), (0, 1))
    elif suit is Suit.SPADES:
        disc(-0.42, 0.25, 0.46)
        disc(0.42, 0.25, 0.46)
        polygon((-0.86, 0.15), (0.86, 0.15), (0, -1))
        polygon((0, 0.1), (0.35, 1), (-0.35, 1))
    else:
        disc(0, -0.45, 0.45)
        disc(-0.48, 0.2, 0.45)
        disc(0.48, 0.2, 0.45)
        polygon((0, -0.1), (0.35, 1), (-0.35, 1))
