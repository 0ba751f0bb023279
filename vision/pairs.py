"""Pairs of corner indices that may be of one card, and how well they fit.

All is measured in the plane of the cards (``vision.plane``), in index heights and in the card's own frame: ``across``
to its right, ``along`` down from the upper index to the lower one. The places differ from deck to deck, so they are
estimated from the photo, and so is how exactly it can be measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from engine.cards import JOKER
from vision.corners import Corners
from vision.geometry import right_of, unit
from vision.plane import Plane
from vision.reader import Probabilities

OPPOSITE = np.cos(np.deg2rad(130))
"""Two indices at opposite ends of a card point at least this far apart; perspective and noise take from 180."""
ALIKE = 0.1
"""Least likeness of what two indices say (the cosine of their chances) for them alone to be one card."""
BARELY_ALIKE = 0.003
"""The same where a third index of the card bears them out: one of them may be misread, if not for sure. The suit of a
doubtful one is in doubt itself."""
UNLIKE = 0.5
"""Misfit of two indices for each time, as a factor of e, that they are less alike than ``ALIKE``."""
JOKER_SHIFT = 0.12
"""What is added to the error of a place for jokers, as a share of the distance between the two ends of a card."""
JOKER_TURN = np.deg2rad(10)
"""Standard error of the way that the sign of a joker points, in radians, besides that of other indices: many signs look
much the same from all sides."""
STRANGE = 0.8
"""What being at no place that other pairs agree on adds to a misfit."""
WORST = 3.4
"""Misfit from which on two indices are not one card."""
MOST_DOUBT = 1.5
"""Most that the heights of a photo's indices say against its measures, as a multiple of what a poor detector does."""
USUAL = (3.6, 4.6)
"""Across and along of a poker card with a normal index, for photos in which no card shows both ends."""


class Way(Enum):
    """How one index of a card lies from another, in the other's reading direction."""

    DIAGONAL = "diagonal"
    """Lower right, upside down: the two indices of every card."""
    COUNTER = "counter"
    """Lower left, upside down: upper right and lower left index of a four-corner card."""
    ACROSS = "across"
    """To the right, the same way up: upper left and upper right index of a four-corner card."""
    BELOW = "below"
    """Below, upside down: the two indices at one side of a four-corner card."""


@dataclass(frozen=True)
class Precision:
    """Standard errors of what is measured between two indices of one card."""

    turn: float
    """Of the angle by which they miss pointing exactly opposite ways, or the same way, in radians."""
    place: float
    """Of the second one's place, as share of its distance, once the deck's places are known."""
    height: float
    """Of the logarithm of how much higher one is than the other."""

    @classmethod
    def of(cls, plane: Plane) -> Precision:
        """Return what the heights of a photo's indices say about all its measures.

        With the square, since a detector that errs in height now and then errs badly in direction. But heights that
        differ widely speak of packs with indices of two sizes, not of a photo in which nothing can be measured.
        """
        doubt = min((plane.error / 0.1) ** 2, MOST_DOUBT)
        return cls(turn=float(np.deg2rad(3 + 17 * doubt)), place=0.04 + 0.12 * doubt, height=0.06 + 0.28 * doubt)


@dataclass(frozen=True)
class Pair:
    """Two indices that may be of one card, seen in the frame of their averaged directions."""

    first: int
    second: int
    way: Way
    x: float
    """Index heights from the first to the right."""
    y: float
    """Index heights from the first down."""
    off: float
    """Radians by which they miss pointing exactly opposite ways, or the same way."""
    grows: float
    """Logarithm of how much higher the second is than the first; zero for jokers, whose lettering differs."""
    kind: int
    """What the first says, as place in ``KINDS``."""
    alike: bool
    """Whether the two say the same."""
    unlike: float
    """Misfit of what the two say; zero where they say the same."""

    @property
    def is_joker(self) -> bool:
        """A joker's lettering differs in length, so that its middle lies elsewhere than that of other indices."""
        return self.kind == JOKER.index

    @property
    def is_rare(self) -> bool:
        """Whether few decks have it: two upper corners of a joker."""
        return self.is_joker and self.way is Way.ACROSS

    def turned(self, angle: float) -> Pair:
        """Return the pair as it would be if its indices pointed ``angle`` radians further round, clockwise."""
        cos, sin = np.cos(angle), np.sin(angle)
        return replace(self, x=float(cos * self.x - sin * self.y), y=float(sin * self.x + cos * self.y))

    @property
    def distance(self) -> float:
        return float(np.hypot(self.x, self.y))


def _way(x: float, y: float, opposite: bool, least: float) -> Way | None:
    """Return how an index at (x, y) index heights may lie on the card of the index at the origin, over all decks.

    Args:
        x: to the right.
        y: down.
        opposite: whether the two point opposite ways, not the same way.
        least: least distance of the two ends of a card; a joker's lettering may reach far down.
    """
    distance, angle = np.hypot(x, y), np.rad2deg(np.arctan2(x, y))
    if not opposite:
        return Way.ACROSS if 0.9 <= distance <= 9 and 55 <= angle <= 125 else None
    if not least <= distance <= 15:
        return None
    if 18 <= angle <= 82:
        return Way.DIAGONAL
    if -82 <= angle <= -18:
        return Way.COUNTER
    return Way.BELOW if abs(angle) < 18 else None


def find_pairs(corners: Corners, kinds: Probabilities) -> list[Pair]:
    """All pairs of indices that may be on one card of some deck; corners in the plane."""
    down, centre = corners.down, corners.centre.astype(np.float64)
    alike, agree = _likeness(kinds), _likeness(_by_rank(kinds))
    pairs = []
    jokers = kinds[:, JOKER.index] > 0.5
    heights = np.log(np.maximum(corners.height, 1e-6))
    possible = (agree >= BARELY_ALIKE) & (jokers[:, None] == jokers[None])
    for first, second in zip(*np.nonzero(np.triu(possible, 1)), strict=True):
        cosine = float(np.clip(down[first] @ down[second], -1, 1))
        opposite = cosine < 0
        if abs(cosine) < -OPPOSITE:
            continue
        axis = unit(down[first] - down[second] if opposite else down[first] + down[second])
        between = centre[second] - centre[first]
        x, y = float(between @ right_of(axis)), float(between @ axis)
        if not opposite and x < 0:
            first, second, x, y = second, first, -x, -y
        way = _way(x, y, opposite, least=0.8 if jokers[first] else 1.5)
        if way and not (way is Way.ACROSS and _neighbour_between(corners, int(first), int(second))):
            grows = 0.0 if jokers[first] else float(heights[second] - heights[first])
            pairs.append(
                Pair(
                    first=int(first),
                    second=int(second),
                    way=way,
                    x=x,
                    y=y,
                    off=float(np.arccos(abs(cosine))),
                    grows=grows,
                    kind=int(kinds[first].argmax()),
                    alike=bool(alike[first, second] >= ALIKE),
                    unlike=UNLIKE * max(0.0, float(np.log(ALIKE / agree[first, second]))),
                )
            )
    return pairs


def _likeness(kinds: Probabilities) -> Probabilities:
    """(N, N) cosine of what each two indices say."""
    directions = kinds / np.linalg.norm(kinds, axis=1, keepdims=True)
    return np.asarray(directions @ directions.T)


def _by_rank(kinds: Probabilities) -> Probabilities:
    """(N, 53) chances of what each index says, the suit of a doubtful one in doubt: glare takes colours away."""
    ranks = np.zeros_like(kinds)
    ranks[:, : JOKER.index] = np.tile(kinds[:, : JOKER.index].reshape(-1, 4, 13).sum(axis=1) / 4, 4)
    doubt = 1 - kinds.max(axis=1, keepdims=True)
    return np.asarray(kinds + doubt**2 * ranks)


def _neighbour_between(corners: Corners, first: int, second: int) -> bool:
    """Whether an index that points the same way lies on the line between two.

    Along the upper edge of a card there is none; so of equal cards further apart in a fan none passes for one
    four-corner card.
    """
    offset = (corners.centre - corners.centre[first]).astype(np.float64)
    length = float(np.linalg.norm(offset[second]))
    axis = offset[second] / max(length, 1e-9)
    along, beside = offset @ axis, np.abs(offset @ right_of(axis))
    between = (along > 0.7) & (along < length - 0.7) & (beside < 0.7)
    alike = corners.down @ unit(corners.down[first] + corners.down[second]) > 0.85
    return bool((between & alike).any())


@dataclass(frozen=True)
class Places:
    """Where the second index of a pair lies from the first on the cards of this photo, across and along."""

    usual: tuple[float, float]
    """For the two ends of a card: what most pairs agree on, or what most decks have."""
    agreed: Mapping[Way, tuple[tuple[float, float], ...]]
    """For each way what pairs of this photo agree on; nothing where they do not."""

    def of(self, way: Way) -> tuple[tuple[float, float], ...]:
        """Return where the second index of a pair may lie; nothing if this photo does not tell."""
        if self.agreed[way] or not self.agreed[Way.DIAGONAL]:
            return self.agreed[way]
        return tuple(_seen(way, place) for place in self.agreed[Way.DIAGONAL])


def find_places(pairs: list[Pair], precision: Precision) -> Places:
    """Return the places that pairs agree on.

    Only indices that say the same count. Of the two ends of a card two pairs are enough, or one that looks as usual.
    Two indices at one edge may as well be equal cards in a row, so pairs of three kinds must agree about them.
    """
    of_way = {way: [pair for pair in pairs if pair.way is way and pair.alike] for way in Way}
    usual = np.arctan2(*USUAL)
    ends = [pair for pair in of_way[Way.DIAGONAL] if abs(np.arctan2(pair.x, pair.y) - usual) < np.deg2rad(21)]
    agreed = {Way.DIAGONAL: _clusters(ends, precision, least=2, kinds=1)}
    if not agreed[Way.DIAGONAL]:
        best = min(of_way[Way.DIAGONAL], key=lambda pair: misfit_of(pair, USUAL, precision), default=None)
        if best and misfit_of(best, USUAL, precision) < WORST:
            agreed[Way.DIAGONAL] = ((best.x, best.y),)
    place = agreed[Way.DIAGONAL][0] if agreed[Way.DIAGONAL] else USUAL
    for way in (Way.COUNTER, Way.ACROSS, Way.BELOW):
        likely = [pair for pair in of_way[way] if not pair.is_joker and misfit_of(pair, place, precision) < WORST]
        agreed[way] = _clusters(likely, precision, least=3, kinds=3)
    _complete(agreed)
    return Places(place, agreed)


def _complete(agreed: dict[Way, tuple[tuple[float, float], ...]]) -> None:
    """Fill in the ways that follow from two others, as the four indices of a card span a parallelogram.

    They need not span a rectangle in their own directions: some decks print the suit beside the rank.
    """
    first = {way: np.array(places[0]) for way, places in agreed.items() if places}
    diagonal, across, below = (first.get(way) for way in (Way.DIAGONAL, Way.ACROSS, Way.BELOW))
    if across is None and below is None:
        return
    if diagonal is None:
        diagonal = across + below if across is not None and below is not None else None
    if diagonal is not None:
        across = diagonal - below if across is None else across
        below = diagonal - across if below is None else below
    for way, place in ((Way.DIAGONAL, diagonal), (Way.ACROSS, across), (Way.BELOW, below)):
        if not agreed[way] and place is not None:
            agreed[way] = ((float(place[0]), float(place[1])),)
    if not agreed[Way.COUNTER] and across is not None and below is not None:
        agreed[Way.COUNTER] = ((float(below[0] - across[0]), float(below[1] - across[1])),)


def _clusters(pairs: list[Pair], precision: Precision, least: int, kinds: int) -> tuple[tuple[float, float], ...]:
    """Return up to three places that pairs agree on, most agreed on first.

    Args:
        pairs: pairs of one way.
        precision: how near is the same.
        least: how many must agree.
        kinds: of how many kinds of card.
    """
    places: list[tuple[float, float]] = []
    points = np.array([[pair.x, pair.y] for pair in pairs]).reshape(-1, 2)
    kind = np.array([pair.kind for pair in pairs], int)
    left, most = np.ones(len(points), bool), 0
    while left.any() and len(places) < 3:
        gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
        near = (gaps < 1.3 * precision.place * np.linalg.norm(points, axis=1)) & left[None] & left[:, None]
        best = int(near.sum(axis=1).argmax())
        if near[best].sum() < max(least, 0.3 * most) or len(set(kind[near[best]])) < kinds:
            break
        most = max(most, int(near[best].sum()))
        x, y = (float(value) for value in np.median(points[near[best]], axis=0))
        # Cards of two designs are about as large; what is far off is equal cards beside each other.
        if not places or abs(np.log(np.hypot(x, y) / np.hypot(*places[0]))) < 0.45:
            places.append((x, y))
        left &= ~near[best]
    return tuple(places)


_SWING = {
    Way.DIAGONAL: np.deg2rad(11),
    Way.COUNTER: np.deg2rad(15),
    Way.ACROSS: np.deg2rad(16),
    Way.BELOW: np.deg2rad(6),
}
"""Standard error of the direction to the other index: a slanting look turns a card's width against its height, but
indices at one side stay in line with their own direction."""


def misfit_of(pair: Pair, place: tuple[float, float], precision: Precision) -> float:
    """How badly two indices fit as one card of some deck: half squares of errors in standard errors.

    Wide, since index heights differ from deck to deck. The direction to the other end depends on the card's shape
    alone, and cards have much the same; but where all cards lie one way, a slanting look may change it unnoticed.
    """
    x, y = _seen(pair.way, place)
    stretch = np.log(pair.distance / np.hypot(x, y)) / 0.45
    x, y = _seen(pair.way, USUAL)
    error = np.hypot(_SWING[pair.way], JOKER_SHIFT if pair.is_joker else 0.0)
    swing = (np.arctan2(pair.x, pair.y) - np.arctan2(x, y)) / error
    return _unlike(pair, precision) + float(stretch**2 + swing**2) / 2


def misfit_here(pair: Pair, places: Places, precision: Precision) -> float:
    """How badly two indices fit as one card of the decks in this photo, as far as their places are known.

    The two ends of a card are rarely in sight of each other by chance, so some further place is allowed for them;
    two indices at one edge are, as equal cards in a row.
    """
    known = places.of(pair.way)
    if not known:
        return misfit_of(pair, USUAL, precision)
    error = precision.place + (JOKER_SHIFT if pair.is_joker else 0.0)
    errors = [((pair.x - x) ** 2 + (pair.y - y) ** 2) / (2 * (error * np.hypot(x, y)) ** 2) for x, y in known]
    misfit = _unlike(pair, precision) + float(min(errors))
    return min(misfit, misfit_of(pair, places.usual, precision) + STRANGE) if pair.way is Way.DIAGONAL else misfit


def _unlike(pair: Pair, precision: Precision) -> float:
    """How badly direction and height of two indices fit together, as half squares of errors in standard errors, and
    what they say.
    """
    turn = np.hypot(precision.turn, JOKER_TURN) if pair.is_joker else precision.turn
    return pair.unlike + float((pair.off / turn) ** 2 + (pair.grows / precision.height) ** 2) / 2


def _seen(way: Way, place: tuple[float, float]) -> tuple[float, float]:
    """Where the second index of a pair lies on a deck whose lower index lies at ``place``."""
    across, along = place
    return {
        Way.DIAGONAL: (across, along),
        Way.COUNTER: (-across, along),
        Way.ACROSS: (across, 0.0),
        Way.BELOW: (0.0, along),
    }[way]
