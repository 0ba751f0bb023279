"""The physical cards of a photo: what each is, how sure that is, and what should be asked about it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.cards import KINDS, Card
from vision.corners import Corners
from vision.limits import Limits
from vision.pairing import Pairing, pair_corners
from vision.presence import Presence
from vision.reader import REJECT, Probabilities
from vision.scene import Doubt, Quad, SeenCard


@dataclass(frozen=True)
class Thresholds:
    """From which chances on a card counts, and counts without a question."""

    there: float
    """Least chance that there is a card for it to be shown at all: pips and pictures look like indices."""
    keep: float
    """Least chance of its likeliest reading for it to be shown, and asked about."""
    unread: float
    """Least chance that there is just this card for it to be asked about where it is not shown."""
    present: float
    """Least chance that there is a card for it to pass without a doubt."""
    sure: float
    """Least chance that the card is what it was read as, for it to pass without a doubt."""


def _joint(readings: Probabilities) -> Probabilities:
    """Chances of the 53 kinds for one card from all its indices, which err independently."""
    logs = np.log(np.clip(readings[:, :REJECT], 1e-5, None)).sum(axis=0)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


LEAST_THERE = 0.1
"""Least chance that there is an index for it to be taken for an end of a card."""
ANOTHER = 0.01
"""How likely there is one card more than the packs hold, compared with one of those they hold: other packs are in play,
one card was taken for two, or what lies elsewhere was misread."""


def within_packs(chances: Probabilities, there: NDArray[np.float64], limits: Limits) -> Probabilities:
    """Return the chances of each card's kinds, given that there are not more of one kind than the packs hold.

    A kind is as likely for a card as its indices say, less what the other cards, here and elsewhere, leave of it in
    the packs. The least certain cards give way first.

    Args:
        chances: (N, 53) of each card by itself.
        there: (N,) how likely each card is there at all.
        limits: how many equal cards there can be.

    >>> eights = np.full((3, 53), 0.1 / 52)
    >>> eights[:, 7] = 0.9
    >>> eights[2, [7, 20]] = 0.6, 0.3
    >>> within_packs(eights, np.ones(3), Limits(packs=2, jokers=4)).argmax(axis=1).tolist()
    [7, 7, 20]
    >>> within_packs(eights[2:], np.ones(1), Limits(elsewhere=(KINDS[7], KINDS[7]))).argmax(axis=1).tolist()
    [20]
    """
    chances = chances.copy()
    left = np.array([limits.left(kind) for kind in KINDS[:REJECT]], np.float64)
    for card in np.argsort(chances.max(axis=1, initial=0), kind="stable"):
        others = there @ chances - there[card] * chances[card]
        likely = chances[card] * np.clip(left - others, ANOTHER, 1)
        chances[card] = likely / likely.sum()
    return chances


def resolve(
    corners: Corners,
    readings: Probabilities,
    presence: Presence,
    thresholds: Thresholds,
    limits: Limits,
    size_wh: tuple[int, int],
) -> tuple[list[SeenCard], list[Doubt]]:
    """Return the physical cards that corner indices show, and what should be asked about them.

    Args:
        corners: N corner indices.
        readings: (N, 54) what each says.
        presence: how likely there is an index where one was found.
        thresholds: from which chances on a card counts.
        limits: how many equal cards the packs hold.
        size_wh: width and height of the photo in pixels.

    Returns:
        Cards in no particular order, and doubts that name places in that list.
    """
    there = presence.of(corners.confidence, readings[:, REJECT])
    # What is hardly an index must not take the place of one as the other end of a card.
    some = np.flatnonzero(there >= LEAST_THERE)
    pairing = pair_corners(corners[some], readings[some], size_wh, limits)
    pairing = replace(pairing, cards=tuple(tuple(int(some[corner]) for corner in group) for group in pairing.cards))
    cards: list[SeenCard] = []
    doubts: list[Doubt] = []
    unread: list[Card] = []
    presences = np.array([1 - np.prod(1 - there[list(group)]) for group in pairing.cards], np.float64)
    alone = np.array([_joint(readings[list(group)]) for group in pairing.cards]).reshape(-1, REJECT)
    every = within_packs(alone, presences, limits)
    for group, outline, present, chances in zip(pairing.cards, pairing.outlines, presences, every, strict=True):
        order = np.argsort(-chances)
        best = KINDS[int(order[0])]
        confidence = float(chances[order[0]])
        if present < thresholds.there or confidence < thresholds.keep:
            if present * confidence >= thresholds.unread:
                unread.append(best)
            continue
        alternatives = tuple((KINDS[int(k)], round(float(chances[k]), 4)) for k in order[1:4] if chances[k] >= 0.01)
        if confidence < thresholds.sure:
            others = " or ".join(card.label for card, _ in alternatives[:2])
            text = f"This may be {best.label}{' or ' + others if others else ''}: please confirm it."
            doubts.append(Doubt("unsure", text, (len(cards),)))
        elif present < thresholds.present:
            text = f"Perhaps {best.label}, seen faintly: please confirm that it is a card."
            doubts.append(Doubt("faint", text, (len(cards),)))
        cards.append(
            SeenCard(
                best,
                round(confidence * float(present), 4),
                _quad(outline),
                alternatives,
                group,
            )
        )
    doubts += _perhaps_one(cards, pairing)
    if unread:
        names = ", ".join(card.label for card in sorted(set(unread), key=lambda card: card.index))
        text = f"There may be a card more that could not be read (perhaps {names}): please check that none is missing."
        doubts.append(Doubt("unread", text, ()))
    return cards, doubts + too_many(cards, limits)


def _quad(outline: NDArray[np.float64]) -> Quad:
    first, second, third, fourth = ((round(float(x), 1), round(float(y), 1)) for x, y in outline)
    return first, second, third, fourth


def _perhaps_one(cards: list[SeenCard], pairing: Pairing) -> list[Doubt]:
    """Doubts for equal cards that may be one."""
    places = {seen.corners: place for place, seen in enumerate(cards)}
    doubts = []
    for pair in pairing.perhaps_one:
        shown = tuple(places[pairing.cards[which]] for which in pair if pairing.cards[which] in places)
        if len(shown) == 2 and cards[shown[0]].card == cards[shown[1]].card:
            label = cards[shown[0]].card.label
            doubts.append(Doubt("twice", f"{label} was read twice at one place: are these one card or two?", shown))
    return doubts


def too_many(cards: list[SeenCard], limits: Limits) -> list[Doubt]:
    """Doubts for cards that the packs do not hold so often."""
    doubts = []
    for kind in sorted({seen.card for seen in cards}, key=lambda card: card.index):
        places = tuple(place for place, seen in enumerate(cards) if seen.card == kind)
        most = limits.of(kind)
        if len(places) > most:
            held = f"the packs hold {most}" if most else "the packs hold none"
            text = f"{len(places)} times {kind.label} was read, but {held}: please check them."
            doubts.append(Doubt("copies", text, places))
    return doubts
