"""A hand as people get it back: the cards of a photo or a list, their points and the sum spelt out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.cards import Card, UnreadableError
from engine.rules import Rules
from engine.scoring import ContradictionError, penalty
from vision.scene import Scene

NO_CARDS = (
    "No cards were found. Lay them face up on a plain ground, fanned so that every corner shows, "
    "and take the photo from above in even light."
)


@dataclass(frozen=True, slots=True)
class HandScore:
    """What a hand costs; field by field what the service answers."""

    points: int | None
    """The sum; none while it cannot be told, as with a card that nobody could read."""
    parts: tuple[tuple[str, int | None], ...]
    """Each card as files write it, with its points; none for a card that nobody could read."""
    text: str
    """The sum spelt out, or the sentence why there is none."""


@dataclass(frozen=True, slots=True)
class ScannedHand:
    """What one photo shows and what it costs."""

    scene: dict[str, Any]
    """``Scene.to_json``."""
    score: HandScore
    settled: bool
    """Whether the sum counts as it stands: it can be told, and nothing is left to confirm."""


def score_hand(cards: Sequence[Card], rules: Rules) -> HandScore:
    """Return the score of a hand; where the engine refuses to count, its reason instead of a sum.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> score_hand(parse_cards("9C KD 3S"), load("shanghai")).text
    '9♣ 10 + K♦ 10 + 3♠ 5 = 25'
    >>> score_hand(parse_cards("9C 9C 9C"), load("shanghai")).points is None
    True
    """
    worth = rules.card_points
    parts = tuple((card.code, worth.get(card)) for card in cards)
    if not cards:
        return HandScore(None, parts, NO_CARDS)
    try:
        counted = penalty(cards, rules)
    except (UnreadableError, ContradictionError) as error:
        return HandScore(None, parts, str(error))
    return HandScore(counted.points, parts, str(counted))


def scanned_hand(scene: Scene, rules: Rules) -> ScannedHand:
    """Return the hand that a scene shows.

    >>> from engine.rules import load
    >>> scanned_hand(Scene((4, 3)), load("shanghai")).settled
    False
    """
    score = score_hand([seen.card for seen in scene.cards], rules)
    return ScannedHand(scene.to_json(), score, score.points is not None and not scene.doubts)
