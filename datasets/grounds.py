"""What cards lie on: crops of packaged textures, and drawn cloth, felt, wood, stone and plain tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.assets import textures

Rgb = NDArray[np.uint8]
Floats = NDArray[np.float32]
Size = tuple[int, int]
"""Height and width in pixels."""

HELD_OUT_TEXTURES = frozenset(
    {
        "darkwood.png",
        "fabricPattern.png",
        "granite.png",
        "gray-felt.png",
        "light-wood.png",
        "wood-tiles.png",
        "wood3.png",
    }
)
"""Names of the textures that only the validation scenes show."""

_LARGEST_TEXTURE = 1024
_TEXTURE_SHARE = 0.6
"""Share of the grounds cut from textures where there are any; the others are drawn."""


class Grounds:
    """Random grounds of one split; every picture follows from the generator alone.

    >>> grounds = Grounds(None)
    >>> grounds.sample(np.random.default_rng(1), (30, 40)).shape
    (30, 40, 3)
    """

    def __init__(self, cache: Path | None, held_out: bool = False) -> None:
        """Use the textures of a cache, or none.

        Args:
            cache: the asset cache, or None for drawn grounds only.
            held_out: whether to use the held-out textures alone, instead of all others.

        Raises:
            AssetsError: if the cache does not hold the texture packages.
        """
        paths = textures(cache) if cache else []
        self.textures = tuple(path for path in paths if (path.name in HELD_OUT_TEXTURES) == held_out)

    def sample(self, rng: np.random.Generator, size: Size) -> Rgb:
        """Return a random ground of a height and width, (H, W, 3) uint8 RGB."""
        if self.textures and rng.random() < _TEXTURE_SHARE:
            texture = _read(self.textures[rng.integers(len(self.textures))])
            return _tinted(_crop(texture, rng, size), rng)
        return DRAWN[rng.choice(list(DRAWN))](rng, size)


@lru_cache(maxsize=64)
def _read(path: Path) -> Rgb:
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    scale = _LARGEST_TEXTURE / max(image.shape[:2])
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB))


def _crop(texture: Rgb, rng: np.random.Generator, size: Size) -> Rgb:
    """Return a crop at a random place, scale and quarter turn; beyond its edges the texture is mirrored."""
    height, width = size
    texture = np.rot90(texture, rng.integers(4))
    # From a close look at a part of the texture to a table on which it repeats.
    scale = max(size) / max(texture.shape[:2]) * rng.uniform(0.5, 2.0)
    x, y = rng.uniform(0, texture.shape[1]), rng.uniform(0, texture.shape[0])
    matrix = np.array([[1 / scale, 0, x], [0, 1 / scale, y]])
    return np.asarray(
        cv2.warpAffine(
            texture,
            matrix,
            (width, height),
            flags=(cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR) | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT,
        )
    )


def _tinted(image: Rgb, rng: np.random.Generator) -> Rgb:
    """Return the picture a little brighter or darker and, now and then, in other colours."""
    factor = rng.uniform(0.6, 1.2) * rng.uniform(0.92, 1.08, 3)
    if rng.random() < 0.2:
        image = image[..., rng.permutation(3)]
    return np.clip(image * factor.astype(np.float32), 0, 255).astype(np.uint8)


def _colour(rng: np.random.Generator, saturation: float = 0.6) -> Floats:
    """Return a random RGB colour (3,), 0 to 255."""
    hsv = np.array([[[rng.uniform(0, 360), rng.uniform(0, saturation), rng.uniform(0.1, 0.95)]]], np.float32)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0] * 255, np.float32)


def _noise(rng: np.random.Generator, size: Size, cells: tuple[float, float], octaves: int) -> Floats:
    """Return smooth noise (H, W) of mean 0 and about unit spread, summed over octaves.

    Args:
        cells: number of the coarsest noise cells along height and width.
        octaves: layers, each twice as fine and half as strong as the one before.
    """
    total = np.zeros(size, np.float32)
    for octave in range(octaves):
        grid = tuple(max(2, round(min(count * 2**octave, side))) for count, side in zip(cells, size, strict=True))
        layer = cv2.resize(rng.standard_normal(grid, np.float32), size[::-1], interpolation=cv2.INTER_CUBIC)
        total += layer / 2**octave
    return total


def _painted(base: Floats, light: NDArray[np.floating]) -> Rgb:
    """Return a colour (3,) or picture (H, W, 3) with brightness (H, W) added."""
    return np.clip(base + light[..., None].astype(np.float32), 0, 255).astype(np.uint8)


def plain(rng: np.random.Generator, size: Size) -> Rgb:
    """Return one colour, a shade lighter towards one side."""
    down, across = (rng.uniform(-1, 1) * np.linspace(-1, 1, side) for side in size)
    return _painted(_colour(rng), rng.uniform(0, 30) * (down[:, None] + across[None]))


def noisy(rng: np.random.Generator, size: Size) -> Rgb:
    """Return a colour with cloudy and grainy noise, as laminate or plaster has."""
    cells = (rng.uniform(2, 20), rng.uniform(2, 20))
    cloud = _noise(rng, size, cells, octaves=4) * rng.uniform(2, 20)
    return _painted(_colour(rng), cloud + rng.standard_normal(size, np.float32) * rng.uniform(0, 12))


def felt(rng: np.random.Generator, size: Size) -> Rgb:
    """Return a card table's felt: a strong colour, short soft fibres."""
    base = np.array([(20, 95, 50), (15, 60, 110), (120, 20, 30), (70, 70, 75)][rng.integers(4)], np.float32)
    length = rng.uniform(0.6, 1.5)
    fibres = cv2.GaussianBlur(rng.standard_normal(size, np.float32), (0, 0), length)
    # Blurred white noise of unit spread is left with a spread of 1 / (2 sqrt(pi) sigma).
    fibres *= rng.uniform(4, 12) * 2 * np.sqrt(np.pi) * length
    return _painted(base * rng.uniform(0.6, 1.5), fibres + _noise(rng, size, (3, 3), octaves=2) * 4)


def weave(rng: np.random.Generator, size: Size) -> Rgb:
    """Return plain-woven cloth: threads over and under, each of its own strength."""
    pitch = rng.uniform(3, 14)
    y, x = np.arange(size[0])[:, None], np.arange(size[1])[None]
    warp, weft = np.sin(np.pi * x / pitch) ** 2, np.sin(np.pi * y / pitch) ** 2
    over = (np.floor(x / pitch) + np.floor(y / pitch)) % 2
    threads = np.where(over > 0, warp, weft) - 0.5
    uneven = rng.normal(0, 5, size[0])[:, None] + rng.normal(0, 5, size[1])[None]
    return _painted(_colour(rng, 0.8), threads * rng.uniform(10, 50) + uneven)


def wood(rng: np.random.Generator, size: Size) -> Rgb:
    """Return boards with grain along them, upright or lying."""
    lying = rng.random() < 0.5
    height, width = size[::-1] if lying else size
    grain = _noise(rng, (height, width), (2, rng.uniform(15, 60)), octaves=4)
    rings = np.sin(grain * rng.uniform(1, 4) + np.linspace(0, rng.uniform(10, 80), width)[None])
    light = rings * rng.uniform(4, 14) + grain * rng.uniform(4, 12)
    board = rng.uniform(0.12, 0.6) * width
    place = np.arange(width) + rng.uniform(0, board)
    tones = rng.normal(0, 10, int(place[-1] // board) + 1)
    light += tones[(place // board).astype(int)][None]
    light[:, (place % board) < max(1.0, width / 400)] -= 35
    base = np.array([(170, 125, 80), (110, 70, 40), (205, 175, 130), (75, 50, 38)][rng.integers(4)], np.float32)
    picture = _painted(base * rng.uniform(0.8, 1.15), light)
    return np.ascontiguousarray(np.swapaxes(picture, 0, 1)) if lying else picture


def marble(rng: np.random.Generator, size: Size) -> Rgb:
    """Return stone with thin wandering veins."""
    cells = (rng.uniform(2, 6), rng.uniform(2, 6))
    veins = np.exp(-np.abs(_noise(rng, size, cells, octaves=5)) * rng.uniform(6, 20))
    cloud = _noise(rng, size, cells, octaves=3) * rng.uniform(3, 12)
    sign = -1 if (base := _colour(rng, 0.2)).mean() > 110 else 1
    return _painted(base, cloud + sign * veins * rng.uniform(30, 90))


def checked(rng: np.random.Generator, size: Size) -> Rgb:
    """Return a checked table cloth: two colours crossing in stripes, with a fine weave."""
    cell = rng.uniform(0.02, 0.15) * max(size)
    first, second = _colour(rng, 0.9), _colour(rng, 0.2) * 0.3 + 178
    stripes = [np.floor(np.arange(side) / cell + rng.uniform(0, 2)) % 2 for side in size]
    share = (stripes[0][:, None] + stripes[1][None]) / 2
    cloth = share[..., None] * first + (1 - share[..., None]) * second
    return _painted(cloth, rng.standard_normal(size, np.float32) * rng.uniform(2, 8))


DRAWN: dict[str, Callable[[np.random.Generator, Size], Rgb]] = {
    "plain": plain,
    "noisy": noisy,
    "felt": felt,
    "weave": weave,
    "wood": wood,
    "marble": marble,
    "checked": checked,
}
"""The drawn grounds by name."""
