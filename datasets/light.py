"""Light, lens and camera: what happens to a picture between the table and the file.

Every function takes and returns (H, W, 3) float32 RGB, 0 to 255, and draws its chance from the generator given.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]


def soft_field(rng: np.random.Generator, size_wh: tuple[int, int], low: float, high: float) -> NDArray[np.float32]:
    """Return a smooth (H, W, 1) field between about ``low`` and ``high``: lamps are never even."""
    nodes = rng.uniform(low, high, (int(rng.integers(2, 5)), int(rng.integers(2, 5)))).astype(np.float32)
    return cv2.resize(nodes, size_wh, interpolation=cv2.INTER_CUBIC)[..., None]


def shadow_edge(rng: np.random.Generator, picture: Picture) -> Picture:
    """Darken one side of a hard shadow edge, as of a head, a lamp or a window frame."""
    height, width = picture.shape[:2]
    corner = rng.uniform(0.2, 0.8, 2) * (width, height)
    angle = rng.uniform(0, 2 * np.pi, 2)
    if rng.random() < 0.5:
        angle[1] = angle[0] + np.pi
    far = 3 * (width + height)
    spread = np.stack([np.cos(angle), np.sin(angle)], axis=1) * far
    polygon = np.array([corner, corner + spread[0], corner + spread[0] + spread[1], corner + spread[1]])
    if abs(angle[1] - angle[0] - np.pi) < 1e-9:
        side = np.array([-np.sin(angle[0]), np.cos(angle[0])]) * far
        polygon = np.array(
            [corner + spread[0], corner + spread[1], corner + spread[1] + side, corner + spread[0] + side]
        )
    small = 4  # the mask is drawn small: its edge is blurred anyway
    mask = np.zeros((height // small + 1, width // small + 1), np.float32)
    cv2.fillPoly(mask, [np.round(polygon / small).astype(np.int32)], 1.0)
    mask = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.6, 8.0))
    mask = cv2.resize(mask, (width, height), interpolation=cv2.INTER_LINEAR)[..., None]
    return picture * (1 - mask * np.float32(rng.uniform(0.2, 0.6)))


def glare(rng: np.random.Generator, picture: Picture, where: NDArray[np.bool_]) -> Picture:
    """Add reflections of lamps or windows, on the cards (``where``, (H, W)) more than beside them."""
    height, width = picture.shape[:2]
    gloss = np.zeros((height // 4 + 1, width // 4 + 1), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        centre = tuple(int(v) for v in rng.uniform(0, 1, 2) * (width / 4, height / 4))
        axes = tuple(int(v) for v in rng.uniform(0.015, 0.12, 2) * max(width, height) / 4 + 2)
        cv2.ellipse(gloss, centre, axes, rng.uniform(0, 180), 0, 360, float(rng.uniform(50, 190)), -1)
    gloss = cv2.GaussianBlur(gloss, (0, 0), 1.5 + rng.uniform(0, 0.02) * max(width, height))
    gloss = cv2.resize(gloss, (width, height), interpolation=cv2.INTER_LINEAR)
    return picture + (gloss * np.where(where, np.float32(1.0), np.float32(0.25)))[..., None]


def colour_cast(rng: np.random.Generator, picture: Picture) -> Picture:
    """Shift the white balance, mostly between candle and window light."""
    warmth = rng.normal(0, 0.09)
    gain = np.array([1 + warmth, 1 + rng.normal(0, 0.03), 1 - warmth], np.float32)
    return picture * gain


def tone(rng: np.random.Generator, picture: Picture) -> Picture:
    """Change exposure, contrast, gamma and saturation as phone cameras do."""
    grey = picture.mean(axis=2, keepdims=True)
    picture = grey + (picture - grey) * np.float32(rng.uniform(0.6, 1.3))
    level = np.clip(picture / 255, 0, None) ** np.float32(rng.uniform(0.75, 1.35))
    contrast = np.float32(rng.uniform(0.75, 1.15))
    return ((level - 0.5) * contrast + 0.5) * np.float32(255 * rng.uniform(0.75, 1.12))


def dim(rng: np.random.Generator, picture: Picture) -> Picture:
    """Turn the lights down; the noise that follows then counts for more."""
    return picture * np.float32(rng.uniform(0.16, 0.5))


def blur(rng: np.random.Generator, picture: Picture, index_height: float) -> Picture:
    """Blur by defocus or shake, as far as an index of ``index_height`` pixels stays readable."""
    reach = index_height * rng.uniform(0.0, 0.045)
    if rng.random() < 0.6:
        return cv2.GaussianBlur(picture, (0, 0), max(reach, 0.3))
    length = max(2.0, 2.5 * reach)
    size = int(2 * np.ceil(length / 2) + 3)
    kernel = np.zeros((size, size), np.float32)
    direction = np.array([np.cos(a := rng.uniform(0, np.pi)), np.sin(a)]) * length / 2
    centre = (size - 1) / 2
    ends = np.round((np.array([centre - direction, centre + direction])) * 16).astype(int)
    cv2.line(kernel, tuple(ends[0].tolist()), tuple(ends[1].tolist()), 1.0, 1, cv2.LINE_AA, 4)
    return cv2.filter2D(picture, -1, kernel / kernel.sum())


def noise(rng: np.random.Generator, picture: Picture, strength: float) -> Picture:
    """Add sensor noise of ``strength`` grey levels at mid-grey, coarse or fine, partly coloured."""
    height, width = picture.shape[:2]
    grain = rng.standard_normal((height, width, 1), dtype=np.float32)
    if rng.random() < 0.5:
        coarse = rng.standard_normal((height // 2 + 1, width // 2 + 1, 3), dtype=np.float32)
        grain = 0.7 * grain + 0.7 * cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR)
    return picture + grain * np.float32(strength) * np.sqrt(np.clip(picture, 8, 255) / 128)


def sharpen(rng: np.random.Generator, picture: Picture) -> Picture:
    """Sharpen as phones do, halos and all."""
    soft = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.8, 2.0))
    return picture + (picture - soft) * np.float32(rng.uniform(0.3, 1.4))


def photographed(
    rng: np.random.Generator, picture: Picture, cards: NDArray[np.bool_], index_height: float, mood: str
) -> NDArray[np.uint8]:
    """Return the picture as a phone would store it, before JPEG.

    Args:
        rng: source of chance.
        picture: (H, W, 3) float32 RGB, evenly lit.
        cards: (H, W), where cards lie.
        index_height: typical height of a corner index in pixels; blur is kept in proportion.
        mood: ``dim``, ``glare`` or ``plain``: the light of the room.

    Returns:
        (H, W, 3) uint8 RGB.
    """
    height, width = picture.shape[:2]
    picture = picture * soft_field(rng, (width, height), 0.72, 1.12)
    if rng.random() < 0.3:
        picture = shadow_edge(rng, picture)
    if mood == "glare":
        picture = glare(rng, picture, cards)
    if rng.random() < 0.7:
        picture = colour_cast(rng, picture)
    if rng.random() < 0.8:
        picture = tone(rng, picture)
    if mood == "dim":
        picture = dim(rng, picture)
    if rng.random() < 0.75:
        picture = blur(rng, picture, index_height)
    strength = rng.uniform(3, 11) if mood == "dim" else rng.gamma(1.5, 1.6)
    if mood == "dim" and rng.random() < 0.7:  # the phone lifts what it saw, noise included
        lifted = rng.uniform(1.2, 2.4)
        picture, strength = picture * np.float32(lifted), strength * lifted * 0.6
    picture = noise(rng, np.clip(picture, 0, 255), strength)
    if rng.random() < 0.4:
        picture = sharpen(rng, picture)
    return np.clip(picture, 0, 255).astype(np.uint8)
