"""How right a reading is: a scene against the labels of its photo, counted; nothing here opens a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from datasets.photosets import LabelledBoxes, LabelledPhoto
from engine.cards import JOKER, UNKNOWN, Card, Suit
from engine.rules import load
from engine.scoring import penalty
from vision.geometry import box_iou
from vision.scene import Scene

SAME_BOX = 0.5
"""Least intersection over union of two boxes of one corner."""


@dataclass(frozen=True)
class Tally:
    """A count and what it is of."""

    count: int = 0
    of: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.count + other.count, self.of + other.of)

    @property
    def rate(self) -> float | None:
        """The count's share; None where there was nothing to count.

        >>> Tally(3, 4).rate, Tally().rate
        (0.75, None)
        """
        return self.count / self.of if self.of else None


NOTHING = Tally()

MEANINGS: Mapping[str, str] = {
    "card_recall": "cards read of those that lie there",
    "card_precision": "cards that lie there of those read",
    "photo_exact": "photos whose cards are all right",
    "score_exact": "photos whose Shanghai penalty is right",
    "silent_error": "photos that are wrong without a doubt",
    "asked": "cards read that raised a doubt",
    "corner_recall": "corner indices read of those labelled",
    "corner_precision": "corner indices that are right of those read",
    "joker_recall": "jokers read of those that lie there",
    "equal_cards_right": "photos with equal cards that count them right",
    "equal_beside_right": "photos with equal cards side by side that count these right",
    "groups_right": "hands or melds whose cards are all right",
    "false_cards_per_photo": "cards read that do not lie there, per photo",
}
"""Every tally, in the order of the tables: what is counted, of what."""


def tallies(truth: LabelledPhoto, scene: Scene) -> dict[str, Tally]:
    """Return the tallies of one photo, by the names of ``MEANINGS``; what is not labelled is left out.

    Where only ranks are known, cards are compared by rank.

    Args:
        truth: what lies there.
        scene: what was read.
    """
    counted: dict[str, Tally] = {}
    if (compared := comparable(truth, scene)) is not None:
        known, read = compared
        counted |= _cards(known, read, scene)
        if truth.cards is not None:
            counted |= _jokers(known, read)
            counted |= _equal_cards(known, read)
    if truth.groups is not None:
        counted["groups_right"] = _groups(truth.groups, scene)
        if truth.cards is not None:
            counted["equal_beside_right"] = _equal_beside(truth.groups, truth.cards, scene)
    if truth.corners is not None:
        counted |= _corners(truth.corners, truth.cards, scene)
    return counted


def comparable(truth: LabelledPhoto, scene: Scene) -> tuple[list[Card], list[Card]] | None:
    """Return the cards that lie there and those that were read, in the scene's order; None where neither is labelled.

    Where ranks alone are known, every card is taken as a club, so that cards compare and cost by rank.
    """
    read = [seen.card for seen in scene.cards]
    if truth.cards is not None:
        return list(truth.cards), read
    if truth.ranks is not None:
        return [Card(rank + Suit.CLUBS) for rank in truth.ranks], [_as_club(card) for card in read]
    return None


def add_up(photos: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    """Return the sums over photos, one for every name of ``MEANINGS``."""
    total = dict.fromkeys(MEANINGS, NOTHING)
    for photo in photos:
        for name, tally in photo.items():
            total[name] += tally
    return total


def _as_club(card: Card) -> Card:
    return Card(card.rank + Suit.CLUBS) if card.rank else card


def _cards(truth: Iterable[Card], read: Iterable[Card], scene: Scene) -> dict[str, Tally]:
    wanted, found = Counter(truth), Counter(read)
    matched = (wanted & found).total()
    exact = wanted == found
    cost, cost_read = _cost(wanted), _cost(found)
    return {
        "card_recall": Tally(matched, wanted.total()),
        "card_precision": Tally(matched, found.total()),
        "photo_exact": Tally(int(exact), 1),
        "score_exact": Tally(int(cost_read is not None and cost == cost_read), 1),
        "silent_error": Tally(int(not exact and not scene.doubts), 1),
        "asked": Tally(len(scene.doubtful), found.total()),
        "false_cards_per_photo": Tally(found.total() - matched, 1),
    }


def _cost(cards: Counter[Card]) -> int | None:
    """Shanghai penalty, card by card: photos may show more than two packs hold. None if a card is unknown."""
    if UNKNOWN in cards:
        return None
    rules = load("shanghai")
    return sum(count * penalty([card], rules).points for card, count in cards.items())


def _jokers(truth: Iterable[Card], read: Iterable[Card]) -> dict[str, Tally]:
    wanted, found = list(truth).count(JOKER), list(read).count(JOKER)
    return {"joker_recall": Tally(min(wanted, found), wanted)}


def _equal_cards(truth: Iterable[Card], read: Iterable[Card]) -> dict[str, Tally]:
    found = Counter(read)
    equal = {card: count for card, count in Counter(truth).items() if count > 1}
    right = all(found[card] == count for card, count in equal.items())
    return {"equal_cards_right": Tally(int(right), 1) if equal else NOTHING}


def _equal_beside(groups: Iterable[Sequence[Card]], truth: Iterable[Card], scene: Scene) -> Tally:
    """Of the cards that lie beside their equal, groups being in the order in which their cards lie."""
    wanted, found = Counter(truth), Counter(seen.card for seen in scene.cards)
    beside = {card for group in groups for card, after in pairwise(group) if card == after}
    return Tally(int(all(found[card] == wanted[card] for card in beside)), 1) if beside else NOTHING


def _groups(truth: Iterable[Iterable[Card]], scene: Scene) -> Tally:
    """Groups of the truth that were read as a group of the same cards, each read group standing for one."""
    wanted = Counter(_multiset(group) for group in truth)
    found = Counter(_multiset(scene.cards[place].card for place in group) for group in scene.groups)
    return Tally((wanted & found).total(), wanted.total())


def _multiset(cards: Iterable[Card]) -> tuple[str, ...]:
    return tuple(sorted(card.code for card in cards))


def _corners(truth: LabelledBoxes, cards: Iterable[Card] | None, scene: Scene) -> dict[str, Tally]:
    """Corners matched by card and place.

    A corner that matches none, and lies on no labelled corner of another card, is not false if its card lies
    there: half-covered indices are not labelled.
    """
    there = set(truth.cards if cards is None else cards)
    boxes = np.array([corner.box for corner in scene.corners], np.float64).reshape(-1, 4)
    overlap = box_iou(boxes, truth.xyxy(scene.size_wh))
    same = np.array([[corner.card == card for card in truth.cards] for corner in scene.corners], bool).reshape(
        overlap.shape
    )
    matching = np.where(same, overlap, 0.0)
    free_read, free_true = np.ones(len(boxes), bool), np.ones(len(truth.cards), bool)
    for place in np.argsort(-matching, axis=None, kind="stable"):
        read, true = np.unravel_index(place, matching.shape)
        if matching[read, true] < SAME_BOX:
            break
        if free_read[read] and free_true[true]:
            free_read[read] = free_true[true] = False
    matched = int((~free_true).sum())
    misread = ((overlap >= SAME_BOX) & ~same).any(axis=1)
    false = sum(bool(misread[read]) or scene.corners[read].card not in there for read in np.flatnonzero(free_read))
    return {
        "corner_recall": Tally(matched, len(truth.cards)),
        "corner_precision": Tally(matched, matched + false),
    }
