"""What tests share: drawn hands with their exact scenes, a scanner that knows them, the real photos."""

from __future__ import annotations

import io
import math
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from PIL import Image, ImageDraw, ImageFont

from engine.cards import Card, parse_cards
from vision.geometry import apply_homography, bounding_box
from vision.limits import Limits
from vision.photo import Photo
from vision.scene import Doubt, Scene, SeenCard, SeenCorner

ROOT = Path(__file__).parents[1]
# No test writes into the games of whoever runs it.
_DATA = tempfile.TemporaryDirectory()
os.environ["MELDSIGHT_DATA"] = _DATA.name
# A machine that is busy with other work is slow, not wrong.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
CARD_WH = (250, 350)
INDEX_WH = (44, 92)
INDEX_AT = (12, 14)


@dataclass
class FakeScanner:
    """A scanner that has seen the scene before."""

    scene: Scene
    seen: list[tuple[tuple[int, int], Limits]] = field(default_factory=list)
    """Width and height, and how many equal cards there could be, of every call."""

    def scan(self, photo: Photo, limits: Limits) -> Scene:
        self.seen.append((photo.size_wh, limits))
        return self.scene


@dataclass(frozen=True)
class DrawnHand:
    """A picture of a fan, and the scene that it shows."""

    picture: bytes
    """A PNG file."""
    scene: Scene


def draw_fan(
    cards: Sequence[Card],
    doubts: Sequence[Doubt] = (),
    alternatives: dict[int, str] | None = None,
    size_wh: tuple[int, int] = (1200, 900),
) -> DrawnHand:
    """Draw cards as a fan, first card leftmost and lowest, each with one visible index.

    Args:
        cards: the cards.
        doubts: the doubts of the scene.
        alternatives: for places in ``cards``, what else these may be, likeliest first.
        size_wh: width and height of the picture in pixels.
    """
    width, height = size_wh
    picture = Image.new("RGB", size_wh, (38, 84, 66))
    seen, corners = [], []
    spread = min(9.0, 80 / max(1, len(cards)))
    for place, card in enumerate(cards):
        degrees = (place - (len(cards) - 1) / 2) * spread
        matrix = _turned_about((width / 2, height * 1.25), degrees, height * 0.95)
        _paste(picture, _face(card), matrix)
        wide, high = CARD_WH
        quad = apply_homography(matrix, np.array([[0, 0], [wide, 0], [wide, high], [0, high]], float))
        x, y = INDEX_AT
        index = np.array([[x, y], [x + INDEX_WH[0], y], [x + INDEX_WH[0], y + INDEX_WH[1]], [x, y + INDEX_WH[1]]])
        box = bounding_box(apply_homography(matrix, index.astype(float)))
        others = parse_cards((alternatives or {}).get(place, ""))
        sure = 0.6 if others else 0.99
        corners.append(SeenCorner(tuple(box.tolist()), card, sure))
        seen.append(
            SeenCard(
                card,
                sure,
                tuple(tuple(point) for point in quad.tolist()),
                tuple((other, 0.3 / (rank + 1)) for rank, other in enumerate(others)),
                (place,),
            )
        )
    target = io.BytesIO()
    picture.save(target, "PNG")
    groups = (tuple(range(len(cards))),) if cards else ()
    return DrawnHand(target.getvalue(), Scene(size_wh, tuple(seen), groups, tuple(corners), tuple(doubts)))


def _turned_about(pivot: tuple[float, float], degrees: float, radius: float) -> np.ndarray:
    """Homography from a card's face to the picture: the card's top edge at ``radius`` from the pivot."""
    angle = math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    to_middle = np.array([[1, 0, -CARD_WH[0] / 2], [0, 1, -radius], [0, 0, 1.0]])
    turn = np.array([[cos, -sin, pivot[0]], [sin, cos, pivot[1]], [0, 0, 1.0]])
    return turn @ to_middle


def _face(card: Card) -> Image.Image:
    scale = 3
    wide, high = CARD_WH
    face = Image.new("RGBA", (wide * scale, high * scale), (0, 0, 0, 0))
    pen = ImageDraw.Draw(face)
    pen.rounded_rectangle(
        (0, 0, wide * scale - 1, high * scale - 1), 16 * scale, (253, 252, 247), (120, 115, 105), scale
    )
    ink = (176, 30, 30) if card.suit and card.suit in "DH" else (25, 25, 28)
    big = ImageFont.load_default(48 * scale)
    middle = (INDEX_AT[0] + INDEX_WH[0] / 2) * scale
    pen.text((middle, 36 * scale), card.rank.label if card.rank else "J", ink, big, anchor="mm")
    if card.suit:
        _pip(pen, card.suit.value, middle, 82 * scale, 17 * scale, ink)
        _pip(pen, card.suit.value, wide * scale / 2, high * scale / 2, 46 * scale, ink)
    else:
        pen.text((middle, 82 * scale), "K", ink, big, anchor="mm")
    return face.resize(CARD_WH, Image.Resampling.LANCZOS)


def _pip(pen: ImageDraw.ImageDraw, suit: str, x: float, y: float, r: float, ink: tuple[int, int, int]) -> None:
    def disc(dx: float, dy: float, size: float) -> None:
        pen.ellipse((x + (dx - size) * r, y + (dy - size) * r, x + (dx + size) * r, y + (dy + size) * r), ink)

    def polygon(*points: tuple[float, float]) -> None:
        pen.polygon([(x + dx * r, y + dy * r) for dx, dy in points], ink)

    if suit == "D":
        polygon((0, -1), (0.75, 0), (0, 1), (-0.75, 0))
    elif suit == "H":
        disc(-0.44, -0.35, 0.5)
        disc(0.44, -0.35, 0.5)
        polygon((-0.9, -0.15), (0.9, -0.15), (0, 1))
    elif suit == "S":
        disc(-0.42, 0.25, 0.46)
        disc(0.42, 0.25, 0.46)
        polygon((-0.85, 0.1), (0.85, 0.1), (0, -1))
        polygon((0, 0.1), (0.35, 1), (-0.35, 1))
    else:
        disc(0, -0.45, 0.45)
        disc(-0.48, 0.2, 0.45)
        disc(0.48, 0.2, 0.45)
        polygon((0, -0.1), (0.35, 1), (-0.35, 1))


def _paste(picture: Image.Image, face: Image.Image, matrix: np.ndarray) -> None:
    inverse = np.linalg.inv(matrix)
    placed = face.transform(
        picture.size, Image.Transform.AFFINE, tuple(inverse[:2].ravel().tolist()), Image.Resampling.BICUBIC
    )
    picture.paste(placed, (0, 0), placed)


@pytest.fixture(scope="session")
def fan() -> Callable[..., DrawnHand]:
    """``draw_fan``."""
    return draw_fan


@pytest.fixture(scope="session")
def scanner_of() -> type[FakeScanner]:
    """``FakeScanner``."""
    return FakeScanner


@pytest.fixture(scope="session")
def hand() -> DrawnHand:
    """9♣ K♦ 3♠: 25 points, nothing in doubt."""
    return draw_fan(parse_cards("9C KD 3S"))


@pytest.fixture(scope="session")
def doubtful_hand() -> DrawnHand:
    """9♣ K♦ 3♠ 8♥ Joker, where the 3♠ may be a 5♠ or an 8♠."""
    return draw_fan(
        parse_cards("9C KD 3S 8H JK"),
        [Doubt("unsure", "This may be the 3♠ or the 5♠: which is it?", (2,))],
        {2: "5S 8S"},
    )


@pytest.fixture(scope="session")
def photos() -> Path:
    """The folder of real photos."""
    folder = Path(os.environ.get("MELDSIGHT_PHOTOS") or ROOT.parent / "shared" / "photos")
    if not folder.is_dir():
        pytest.skip(f"there are no photos: neither MELDSIGHT_PHOTOS nor {folder}")
    return folder
