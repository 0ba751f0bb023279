"""What was seen on one photo: corner indices, cards, groups and doubts; its JSON form.

All points are pixels of the upright photo, x right, y down. A quadrilateral lists the card's own
top-left, top-right, bottom-right and bottom-left corner, so it also says which way the card points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.cards import Card

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
Box = tuple[float, float, float, float]

FORMAT = 1
"""Version of the JSON form."""


@dataclass(frozen=True, slots=True)
class SeenCorner:
    """One corner index and what it says."""

    box: Box
    """x_min, y_min, x_max, y_max."""
    card: Card
    confidence: float


@dataclass(frozen=True, slots=True)
class SeenCard:
    """One physical card."""

    card: Card
    confidence: float
    """Chance that the card is right, 0 to 1."""
    quad: Quad
    alternatives: tuple[tuple[Card, float], ...]
    """Other cards that it may be, likeliest first, each with its chance."""
    corners: tuple[int, ...]
    """The corner indices that show it, as places in ``Scene.corners``."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that a person should confirm before the cards count."""

    kind: str
    """``unsure`` (a card may be another), ``copies`` (more than the packs hold), ``faint`` (perhaps a card),
    ``twice`` (perhaps one card, not two), ``unread`` (perhaps a card more, which is not among the cards),
    ``looks`` (photos of the same cards differ)."""
    text: str
    """One sentence for the player."""
    cards: tuple[int, ...]
    """The cards it is about, as places in ``Scene.cards``."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything read from one photo. Cards stand in reading order, group after group."""

    size_wh: tuple[int, int]
    """Width and height of the upright photo in pixels."""
    cards: tuple[SeenCard, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    """Hands or melds: places in ``cards``; every card is in exactly one group."""
    corners: tuple[SeenCorner, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def doubtful(self) -> frozenset[int]:
        """Places in ``cards`` of the cards that any doubt names."""
        return frozenset(place for doubt in self.doubts for place in doubt.cards)

    def to_json(self) -> dict[str, Any]:
        """Return the scene as plain JSON values.

        >>> Scene.from_json(Scene((4, 3)).to_json()) == Scene((4, 3))
        True
        """
        return {
            "format": FORMAT,
            "size": list(self.size_wh),
            "cards": [
                {
                    "card": seen.card.code,
                    "confidence": seen.confidence,
                    "quad": [list(point) for point in seen.quad],
                    "alternatives": [[card.code, chance] for card, chance in seen.alternatives],
                    "corners": list(seen.corners),
                }
                for seen in self.cards
            ],
            "groups": [list(group) for group in self.groups],
            "corners": [
                {"box": list(corner.box), "card": corner.card.code, "confidence": corner.confidence}
                for corner in self.corners
            ],
            "doubts": [{"kind": doubt.kind, "text": doubt.text, "cards": list(doubt.cards)} for doubt in self.doubts],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Scene:
        """Return the scene that ``to_json`` wrote.

        Raises:
            ValueError: if the form is of another version, or a card is none.
        """
        if value.get("format") != FORMAT:
            raise ValueError(f"a scene of format {value.get('format')!r} cannot be read; expected {FORMAT}.")
        width, height = value["size"]
        return cls(
            size_wh=(int(width), int(height)),
            cards=tuple(
                SeenCard(
                    card=Card(seen["card"]),
                    confidence=float(seen["confidence"]),
                    quad=_quad(seen["quad"]),
                    alternatives=tuple((Card(code), float(chance)) for code, chance in seen["alternatives"]),
                    corners=tuple(seen["corners"]),
                )
                for seen in value["cards"]
            ),
            groups=tuple(tuple(group) for group in value["groups"]),
            corners=tuple(
                SeenCorner(_box(corner["box"]), Card(corner["card"]), float(corner["confidence"]))
                for corner in value["corners"]
            ),
            doubts=tuple(Doubt(doubt["kind"], doubt["text"], tuple(doubt["cards"])) for doubt in value["doubts"]),
        )


def _box(values: Any) -> Box:
    x_min, y_min, x_max, y_max = (float(value) for value in values)
    return x_min, y_min, x_max, y_max


def _quad(points: Any) -> Quad:
    first, second, third, fourth = ((float(x), float(y)) for x, y in points)
    return first, second, third, fourth
