"""What is on a card table besides cards: the cloth, fingers that hold a hand, coins, cords, a score pad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.grounds import Grounds
from datasets.printed import sheet


@dataclass(frozen=True)
class Layer:
    """Something that lies over the cards."""

    colour: NDArray[np.float32]
    """(h, w, 3) RGB, 0 to 255."""
    cover: NDArray[np.float32]
    """(h, w), 0 to 1."""
    at: tuple[int, int]
    """x, y of the upper left pixel; may lie outside the picture."""

    def _window(self, size_wh: tuple[int, int]) -> tuple[slice, slice, slice, slice] | None:
        height, width = self.cover.shape
        x, y = self.at
        left, upper = max(x, 0), max(y, 0)
        right, lower = min(x + width, size_wh[0]), min(y + height, size_wh[1])
        if left >= right or upper >= lower:
            return None
        return (
            slice(upper, lower),
            slice(left, right),
            slice(upper - y, lower - y),
            slice(left - x, right - x),
        )

    def mark(self, over: NDArray[np.bool_]) -> None:
        """Set ``over`` (H, W) where the layer hides what is below."""
        window = self._window(over.shape[::-1])
        if window:
            over[window[0], window[1]] |= self.cover[window[2], window[3]] > 0.3

    def lay(self, canvas: NDArray[np.float32]) -> None:
        """Draw the layer into the picture (H, W, 3)."""
        window = self._window(canvas.shape[1::-1])
        if window:
            area = canvas[window[0], window[1]]
            area += (self.colour[window[2], window[3]] - area) * self.cover[window[2], window[3]][..., None]


def _stroke(points: NDArray[np.float64], radii: NDArray[np.float64], colour: NDArray[np.float64]) -> Layer:
    """A rounded, shaded stroke through ``points`` (K, 2): a finger, a pen or a cord."""
    low = np.floor((points - radii[:, None]).min(axis=0) - 3).astype(int)
    high = np.ceil((points + radii[:, None]).max(axis=0) + 3).astype(int)
    size = np.minimum(high - low, 4000)
    mask = np.zeros((size[1], size[0]), np.uint8)
    steps = np.linspace(0, len(points) - 1, 24)
    path = np.stack([np.interp(steps, np.arange(len(points)), points[:, axis]) for axis in (0, 1)], axis=1) - low
    width = np.interp(steps, np.arange(len(points)), radii)
    for start, end, radius in zip(path[:-1], path[1:], width[1:], strict=True):
        cv2.line(
            mask, tuple(np.round(start).astype(int).tolist()), tuple(np.round(end).astype(int).tolist()),
            255, max(1, round(2 * radius)), cv2.LINE_AA,
        )  # fmt: skip
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    round_light = np.clip(depth / max(float(radii.max()), 1), 0, 1) ** 0.6
    shade = (0.55 + 0.5 * round_light)[..., None].astype(np.float32)
    return Layer(shade * colour.astype(np.float32), mask.astype(np.float32) / 255, (int(low[0]), int(low[1])))


_SKIN = np.array(
    [[255, 219, 190], [234, 192, 160], [206, 157, 120], [160, 110, 75], [108, 70, 48], [70, 46, 35]], float
)


def fingers(
    rng: np.random.Generator,
    quads: Sequence[NDArray[np.float64]],
    size_wh: tuple[int, int],
    unit: float,
    clutter: Clutter,
) -> list[Layer]:
    """Return fingers or a photographed hand over the lower end of a hand of cards.

    Args:
        rng: source of chance.
        quads: (4, 2) pixels each, the cards; what they share at the lower end is where they are held.
        size_wh: size of the picture.
        unit: typical side of a card in pixels, the square root of its area.
        clutter: where photographed hands come from.
    """
    foot = np.mean([(quad[2] + quad[3]) / 2 for quad in quads], axis=0)
    head = np.mean([(quad[0] + quad[1]) / 2 for quad in quads], axis=0)
    up = (head - foot) / max(float(np.linalg.norm(head - foot)), 1e-6)
    side = np.array([-up[1], up[0]])
    skin = _SKIN[rng.integers(len(_SKIN))] * rng.uniform(0.85, 1.05)
    layers = []
    if clutter.hands and rng.random() < 0.3:
        cut = clutter.hands[int(rng.integers(len(clutter.hands)))]
        width = max(8, round(unit * rng.uniform(1.0, 1.8)))
        height = max(8, round(width * cut.shape[0] / cut.shape[1]))
        spin = float(np.rad2deg(np.arctan2(up[0], -up[1]) + rng.normal(0, 0.4)))
        size = int(np.hypot(width, height)) + 2
        move = cv2.getRotationMatrix2D((cut.shape[1] / 2, cut.shape[0] / 2), -spin, width / cut.shape[1])
        move[:, 2] += size / 2 - np.array([cut.shape[1] / 2, cut.shape[0] / 2])
        turned = cv2.warpAffine(cut, move, (size, size), flags=cv2.INTER_LINEAR).astype(np.float32)
        spot = foot + up * unit * rng.uniform(-0.55, 0.0) + side * unit * rng.normal(0, 0.25) - size / 2
        layers.append(Layer(turned[..., :3], turned[..., 3] / 255, (int(spot[0]), int(spot[1]))))
    else:
        for _ in range(int(rng.integers(1, 5))):
            thick = unit * rng.uniform(0.09, 0.14)
            tip = foot + up * unit * rng.uniform(-0.05, 0.6) + side * unit * rng.normal(0, 0.4)
            root = tip - up * unit * rng.uniform(0.6, 1.3) + side * unit * rng.normal(0, 0.5)
            bend = (tip + root) / 2 + side * unit * rng.normal(0, 0.12)
            radii = thick * np.array([1.2, 1.1, 0.85])
            layers.append(_stroke(np.array([root, bend, tip]), radii, skin * rng.uniform(0.92, 1.0)))
    if rng.random() < 0.3:  # a stray finger or thumb anywhere on the cards
        quad = quads[int(rng.integers(len(quads)))]
        tip = quad[int(rng.integers(4))] + rng.normal(0, 0.12 * unit, 2)
        way = rng.normal(0, 1, 2)
        root = tip + way / max(float(np.linalg.norm(way)), 1e-6) * unit * 1.2
        radii = unit * np.array([0.11, 0.1])
        layers.append(_stroke(np.array([root, tip]), radii, skin))
    return [layer for layer in layers if max(layer.cover.shape) < 4 * max(size_wh)]


def things(rng: np.random.Generator, size_wh: tuple[int, int], unit: float) -> list[Layer]:
    """Return a coin, a cord or a pen somewhere over the cards."""
    layers = []
    for _ in range(int(rng.integers(1, 3))):
        spot = rng.uniform(0, 1, 2) * size_wh
        colour = rng.uniform(20, 230, 3)
        kind = rng.choice(["coin", "cord", "pen"])
        if kind == "coin":
            radius = unit * rng.uniform(0.1, 0.2)
            metal = np.array([200, 170, 110]) if rng.random() < 0.5 else np.array([180, 180, 185])
            layers.append(_stroke(np.array([spot, spot + 1]), np.array([radius, radius]), metal * rng.uniform(0.6, 1)))
        elif kind == "cord":
            points = spot + np.cumsum(rng.normal(0, unit * 0.5, (7, 2)), axis=0)
            layers.append(_stroke(points, np.full(7, max(1.5, unit * rng.uniform(0.01, 0.04))), colour))
        else:
            way = rng.normal(0, 1, 2)
            end = spot + way / max(float(np.linalg.norm(way)), 1e-6) * unit * rng.uniform(1, 1.8)
            layers.append(_stroke(np.array([spot, end]), np.full(2, unit * rng.uniform(0.03, 0.06)), colour))
    return layers


class Clutter:
    """Grounds, photographed hands and fonts that scenes draw from.

    Args:
        grounds: the cloths and tables.
        hands: pictures of hands (h, w, 4) RGBA, fingers up; may be empty.
        fonts: font files for printed matter; may be empty.
    """

    def __init__(self, grounds: Grounds, hands: Sequence[NDArray[np.uint8]] = (), fonts: Sequence[Path] = ()) -> None:
        self._grounds = grounds
        self.hands = tuple(hands)
        self._fonts = tuple(fonts)

    def ground(self, rng: np.random.Generator, size_wh: tuple[int, int]) -> NDArray[np.uint8]:
        """Return a table (H, W, 3) RGB."""
        return self._grounds.sample(rng, size_wh[::-1])

    def litter(self, rng: np.random.Generator, canvas: NDArray[np.float32], unit: float) -> None:
        """Lay printed matter under the cards now and then: it must not be read as cards."""
        if not self._fonts or rng.random() > 0.22:
            return
        height, width = canvas.shape[:2]
        size = np.clip(unit * rng.uniform(0.8, 2.5, 2), 40, 1200).astype(int)
        text = int(np.clip(unit * rng.uniform(0.06, 0.22), 9, 120))
        page = np.asarray(sheet(rng, (int(size[0]), int(size[1])), text, self._fonts))
        spot = rng.uniform(-0.2, 0.9, 2) * (width, height)
        paper = np.dstack([page, np.full(size[::-1], 255, np.uint8)])
        move = cv2.getRotationMatrix2D((size[0] / 2, size[1] / 2), rng.uniform(0, 360), 1.0)
        reach = int(np.hypot(*size)) + 2
        move[:, 2] += reach / 2 - size / 2
        turned = cv2.warpAffine(paper, move, (reach, reach), flags=cv2.INTER_LINEAR).astype(np.float32)
        Layer(turned[..., :3], turned[..., 3] / 255, (int(spot[0]), int(spot[1]))).lay(canvas)
