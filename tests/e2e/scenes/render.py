"""The scenes of the browser tests: ``python -m tests.e2e.scenes.render``, from one drawn deck on one drawn ground.

They show one corner of a table, now with cards and now without, as a phone on a stand sees it. It needs what
``make train-setup`` installs.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from datasets import grounds
from datasets.assets import default_cache, fonts
from datasets.drawn import DrawnDeck
from datasets.layouts import turned
from datasets.scenes import _face_to_table, _lay, _Placed
from engine.cards import parse_cards

FOLDER = Path(__file__).parent
SIZE = (1280, 960)
CARD_HEIGHT = 390
MELD_HEIGHT = 300
QUALITY = 82
DECK = 105

HANDS = {
    "empty": "",
    "three": "9C KD 3S",
    "five": "4H 7S QD 2C TH",
    "joker": "JK 4D",
    "seven": "5C 6C 8H JD AS 2D 9S",
    "two": "KH 7D",
}
MELDS = {
    "legal": ["8C 8D 8H", "5S 6S 7S 8S"],
    "illegal": ["8C 8D 8H", "5S 6S 8S 9S"],
}


def fan(cards: str, degrees: float) -> list[tuple[str, np.ndarray]]:
    """Return the cards of a fan with their poses in card heights."""
    codes = cards.split()
    radius = 1.7
    angles = np.deg2rad((np.arange(len(codes)) - (len(codes) - 1) / 2) * 11)
    poses = np.stack([radius * np.sin(angles), radius - radius * np.cos(angles), angles], axis=1)
    poses[:, :2] -= (poses[:, :2].min(axis=0, initial=0) + poses[:, :2].max(axis=0, initial=0)) / 2
    return list(zip(codes, turned(poses, np.deg2rad(degrees)), strict=True))


def row(cards: str, middle: tuple[float, float]) -> list[tuple[str, np.ndarray]]:
    """Return the cards of an overlapping row with their poses in card heights."""
    codes = cards.split()
    step = 0.36
    return [
        (code, np.array([middle[0] + (place - (len(codes) - 1) / 2) * step, middle[1], 0.02 * (-1) ** place]))
        for place, code in enumerate(codes)
    ]


def picture(deck: DrawnDeck, cards: list[tuple[str, np.ndarray]], height: float) -> np.ndarray:
    """Return the table with some cards on it, RGB."""
    canvas = grounds.wood(np.random.default_rng(4), SIZE[::-1]).astype(np.float32)
    rng = np.random.default_rng(12)
    to_picture = np.array([[height, 0, SIZE[0] / 2], [0, height, SIZE[1] / 2], [0, 0, 1]])
    for place, (code, pose) in enumerate(cards):
        face = deck.face(parse_cards(code)[0], 0)
        item = _Placed(parse_cards(code)[0], face, deck.corner_radius, pose, 0, place)
        item.matrix = to_picture @ _face_to_table(pose, item.size_wh)
        _lay(canvas, item, rng, 5.0)
    noise = np.random.default_rng(1).normal(0, 2.0, canvas.shape)
    return np.clip(canvas + noise, 0, 255).astype(np.uint8)


def main() -> None:
    """Render every scene."""
    deck = DrawnDeck(DECK, fonts(default_cache()))
    scenes = {name: (fan(cards, 4.0), CARD_HEIGHT) for name, cards in HANDS.items()}
    for name, (upper, lower) in MELDS.items():
        scenes[name] = ([*row(upper, (-0.6, -0.68)), *row(lower, (0.3, 0.68))], MELD_HEIGHT)
    for name, (cards, height) in scenes.items():
        image = picture(deck, cards, height)[..., ::-1]
        cv2.imwrite(str(FOLDER / f"{name}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])


if __name__ == "__main__":
    main()
