"""From corner indices to physical cards.

Two indices belong to one card when they say the same, point opposite ways, and each lies where the other end of
the card must be. So a card seen at both ends counts once, and two equal cards of two packs count twice, also side
by side in a fan, where they point the same way. All is measured in the plane of the cards (``vision.plane``), in index
heights and in the card's own frame: ``across`` to its right, ``along`` down from the upper index to the lower one. The
places differ from deck to deck, so they are estimated from the photo, and so is how exactly it can be measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from typing import TypeAlias

import cv2
import networkx as nx
import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER, KINDS, Card
from vision.corners import Corners
from vision.geometry import right_of, unit
from vision.plane import Plane, find_plane
from vision.reader import REJECT, Probabilities

OPPOSITE = np.cos(np.deg2rad(130))
"""Two indices at opposite ends of a card point at least this far apart; perspective and noise take from 180."""
ALIKE = 0.1
"""Least likeness of what two indices say (the cosine of their chances) for them to be one card."""
JOKER_SHIFT = 0.12
"""What is added to that for jokers, as a share of the distance between the two ends of a card."""
RARE = 2.0
"""What it takes from the fit of a joker with an index in both upper corners: two jokers beside each other are likelier
than one that, alone in its deck, is printed so."""
ONE_CARD = 1.25
"""Indices that lie within this many times the distance of a card's two ends may all be on one card."""
STRANGE = 0.8
"""What being at no place that other pairs agree on adds to a misfit."""
WORST = 3.4
"""Misfit from which on two indices are not one card."""
USUAL = (3.6, 4.6)
"""Across and along of a poker card with a normal index, for photos in which no card shows both ends."""
RIM = (0.42, 0.72)
"""From the centre of an index to the card's left and upper edge, in index heights."""


Graph: TypeAlias = "nx.Graph[int]"


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
class Limits:
    """How many equal cards there can be."""

    packs: int = 2
    jokers: int = 4

    def of(self, card: Card) -> int:
        """Return how often the packs hold a card.

        >>> Limits(packs=2, jokers=4).of(Card("8C"))
        2
        """
        return self.jokers if card.is_joker else self.packs


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

        With the square, since a detector that errs in height now and then errs badly in direction.
        """
        doubt = (plane.error / 0.1) ** 2
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

    @property
    def is_joker(self) -> bool:
        """A joker's lettering differs in length, so that its middle lies elsewhere than that of other indices."""
        return self.kind == JOKER.index

    @property
    def is_rare(self) -> bool:
        """Whether few decks have it: two upper corners of a joker."""
        return self.is_joker and self.way is Way.ACROSS

    @property
    def distance(self) -> float:
        return float(np.hypot(self.x, self.y))


def _kinds(readings: Probabilities) -> Probabilities:
    """Chances of the 53 kinds, given that it is an index."""
    kinds = readings[:, :REJECT] + 1e-9
    return np.asarray(kinds / kinds.sum(axis=1, keepdims=True))


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


def _pairs(corners: Corners, kinds: Probabilities) -> list[Pair]:
    """All pairs of indices that may be on one card of some deck; corners in the plane."""
    down, centre = corners.down, corners.centre.astype(np.float64)
    directions = kinds / np.linalg.norm(kinds, axis=1, keepdims=True)
    agree = directions @ directions.T
    pairs = []
    jokers = kinds[:, JOKER.index] > 0.5
    heights = np.log(np.maximum(corners.height, 1e-6))
    likely = (agree >= ALIKE) & (jokers[:, None] == jokers[None])
    for first, second in zip(*np.nonzero(np.triu(likely, 1)), strict=True):
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
                    int(first), int(second), way, x, y, float(np.arccos(abs(cosine))), grows, int(kinds[first].argmax())
                )
            )
    return pairs


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


def _find_places(pairs: list[Pair], precision: Precision) -> Places:
    """Return the places that pairs agree on.

    Of the two ends of a card two pairs are enough, or one that looks as usual. Two indices at one edge may as well be
    equal cards in a row, so pairs of three kinds must agree about them.
    """
    of_way = {way: [pair for pair in pairs if pair.way is way] for way in Way}
    usual = np.arctan2(*USUAL)
    ends = [pair for pair in of_way[Way.DIAGONAL] if abs(np.arctan2(pair.x, pair.y) - usual) < np.deg2rad(21)]
    agreed = {Way.DIAGONAL: _clusters(ends, precision, least=2, kinds=1)}
    if not agreed[Way.DIAGONAL]:
        best = min(of_way[Way.DIAGONAL], key=lambda pair: _misfit(pair, USUAL, precision), default=None)
        if best and _misfit(best, USUAL, precision) < WORST:
            agreed[Way.DIAGONAL] = ((best.x, best.y),)
    place = agreed[Way.DIAGONAL][0] if agreed[Way.DIAGONAL] else USUAL
    for way in (Way.COUNTER, Way.ACROSS, Way.BELOW):
        likely = [pair for pair in of_way[way] if not pair.is_joker and _misfit(pair, place, precision) < WORST]
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


def _misfit(pair: Pair, place: tuple[float, float], precision: Precision) -> float:
    """How badly two indices fit as one card of some deck: half squares of errors in standard errors.

    Wide, since index heights differ from deck to deck. The direction to the other end depends on the card's shape
    alone, and cards have much the same; but where all cards lie one way, a slanting look may change it unnoticed.
    """
    x, y = _seen(pair.way, place)
    stretch = np.log(pair.distance / np.hypot(x, y)) / 0.45
    x, y = _seen(pair.way, USUAL)
    swing = (np.arctan2(pair.x, pair.y) - np.arctan2(x, y)) / _SWING[pair.way]
    return _unlike(pair, precision) + float(stretch**2 + swing**2) / 2


def _misfit_here(pair: Pair, places: Places, precision: Precision) -> float:
    """How badly two indices fit as one card of the decks in this photo, as far as their places are known.

    The two ends of a card are rarely in sight of each other by chance, so some further place is allowed for them;
    two indices at one edge are, as equal cards in a row.
    """
    known = places.of(pair.way)
    if not known:
        return _misfit(pair, USUAL, precision)
    error = precision.place + (JOKER_SHIFT if pair.is_joker else 0.0)
    errors = [((pair.x - x) ** 2 + (pair.y - y) ** 2) / (2 * (error * np.hypot(x, y)) ** 2) for x, y in known]
    misfit = _unlike(pair, precision) + float(min(errors))
    return min(misfit, _misfit(pair, places.usual, precision) + STRANGE) if pair.way is Way.DIAGONAL else misfit


def _unlike(pair: Pair, precision: Precision) -> float:
    """How badly direction and height of two indices fit together, as half squares of errors in standard errors."""
    return ((pair.off / precision.turn) ** 2 + (pair.grows / precision.height) ** 2) / 2


def _grouped(corners: Corners, pairs: list[Pair], places: Places, precision: Precision) -> list[tuple[int, ...]]:
    """Split indices into cards so that all together fit best; the first of each card is an upper left one.

    One by one does not do: of two equal cards side by side, the near ends of both may fit best as one card.
    """
    two_corners = all(pair.way is Way.DIAGONAL for pair in pairs)
    graph: Graph = nx.Graph()
    graph.add_nodes_from(range(len(corners)))
    trust = float(np.clip(1 - precision.place / 0.16, 1 / 3, 0.8))
    for pair in pairs:
        loose, misfit = _misfit(pair, places.usual, precision), _misfit_here(pair, places, precision)
        if min(loose, misfit) < WORST:
            borne_out = WORST - (trust * misfit + (1 - trust) * min(loose, misfit))
            graph.add_edge(pair.first, pair.second, fit=WORST - misfit, borne_out=borne_out, pair=pair)
    parts = [graph.subgraph(members) for members in nx.connected_components(graph)]
    if two_corners:
        for part in parts:
            # With rivals for one of its ends a pair stands or falls with this; else it only counts against it, since
            # outlines are estimates.
            penalty = 3.0 if len(part) > 2 else 1.2
            for edge in part.edges:
                if _covered(graph.edges[edge]["pair"], corners, places.usual):
                    graph.edges[edge]["fit"] -= penalty
    possible = [_possible_cards(part, corners.centre) for part in parts]
    groups = [group for part, cards in zip(parts, possible, strict=True) for group in _best_split(part, cards)]
    if two_corners:
        return groups
    # Two equal cards side by side look like one card of another shape: hold every card of three or four indices
    # against the shape that most of them have, as loosely as perspective seems to ask for.
    shapes = [_shape(group, graph, corners.centre) for group in groups if len(group) > 2]
    usual = float(np.median(shapes)) if len(shapes) > 1 else float(np.log(places.usual[0] / places.usual[1]))
    spread = 0.06 + 1.5 * precision.place if len(shapes) > 1 else 0.35
    for cards in possible:
        for card in [card for card in cards if len(card) > 2]:
            cards[card] -= min(20.0, ((_shape(card, graph, corners.centre) - usual) / spread) ** 2 / 2)
    return [group for part, cards in zip(parts, possible, strict=True) for group in _best_split(part, cards)]


def _shape(card: tuple[int, ...], graph: Graph, centre: NDArray[np.float32]) -> float:
    """Return the logarithm of width over height of the rectangle that three or four indices of a card span."""
    lengths: dict[Way, list[float]] = {way: [] for way in Way}
    for first, second in combinations(card, 2):
        way = graph.edges[first, second]["pair"].way
        lengths[way].append(float(np.linalg.norm(centre[first] - centre[second])))
    return float(np.log(np.mean(lengths[Way.ACROSS]) / np.mean(lengths[Way.BELOW])))


def _covered(pair: Pair, corners: Corners, place: tuple[float, float]) -> bool:
    """Whether two indices cannot be one card, since a third card would lie upon it and hide one of them.

    So of two equal cards side by side the upper one gets the lower index that is in sight.
    """
    outline = outline_of((pair.first, pair.second), corners, place).astype(np.float32)
    for other in range(len(corners)):
        if other in (pair.first, pair.second) or not _inside(corners.centre[other], outline):
            continue
        upon = outline_of((other,), corners, place)
        middle = upon.mean(axis=0)
        upon = upon + (middle - upon) * min(0.5, 0.5 / np.linalg.norm(upon - middle, axis=1).min())
        if any(_inside(corners.centre[end], upon.astype(np.float32)) for end in (pair.first, pair.second)):
            return True
    return False


def _seen(way: Way, place: tuple[float, float]) -> tuple[float, float]:
    """Where the second index of a pair lies on a deck whose lower index lies at ``place``."""
    across, along = place
    return {
        Way.DIAGONAL: (across, along),
        Way.COUNTER: (-across, along),
        Way.ACROSS: (across, 0.0),
        Way.BELOW: (0.0, along),
    }[way]


def _possible_cards(graph: Graph, centre: NDArray[np.float32]) -> dict[tuple[int, ...], float]:
    """Return every group of two to four indices that may be one card, with how well it fits.

    Two indices must lie where this photo's decks have them; three or four bear each other out, so what is left of a
    slanting look may shift them more, but four must span a parallelogram.
    """
    cards: dict[tuple[int, ...], float] = {}
    for clique in nx.enumerate_all_cliques(graph):
        if len(clique) > 4:
            break
        left = _left_ones(graph, clique) if len(clique) > 1 else None
        if left is None:
            continue
        card = tuple(sorted(clique, key=lambda corner: corner not in left))
        fits = [graph.edges[edge]["fit" if len(clique) == 2 else "borne_out"] for edge in combinations(clique, 2)]
        fit = sum(fits) / len(fits)
        if len(clique) == 4:
            ends = centre[list(card)].astype(np.float64)
            skew = np.linalg.norm(ends[0] + ends[1] - ends[2] - ends[3]) / np.linalg.norm(ends[0] - ends[1])
            fit -= (skew / 0.2) ** 2 / 2
        total = fit * (len(clique) - 1)
        if any(graph.edges[edge]["pair"].is_rare for edge in combinations(clique, 2)):
            total -= RARE
        if total > 0:
            cards[card] = total
    return cards


_SIDES = {Way.DIAGONAL: (True, True), Way.COUNTER: (False, False), Way.ACROSS: (True, False)}
"""Whether the first and the second index of a pair are upper left ones, each as it reads."""


def _left_ones(graph: Graph, clique: list[int]) -> set[int] | None:
    """Return those of the indices that are upper left ones as they read, or none if they cannot share a card."""
    left: dict[int, bool] = {}
    pairs: list[Pair] = [graph.edges[edge]["pair"] for edge in combinations(clique, 2)]
    for pair in pairs:
        for corner, side in zip((pair.first, pair.second), _SIDES.get(pair.way, ()), strict=False):
            if left.setdefault(corner, side) != side:
                return None
    for pair in pairs:
        if pair.way is Way.BELOW:
            side = left.setdefault(pair.first, not left.get(pair.second, False))
            if left.setdefault(pair.second, not side) == side:
                return None
    return {corner for corner, side in left.items() if side}


def _best_split(members: Collection[int], cards: dict[tuple[int, ...], float]) -> list[tuple[int, ...]]:
    """Split indices into possible cards of the greatest total fit; exact for as many equal cards as two packs hold."""
    if len(members) > 12:
        chosen: list[tuple[int, ...]] = []
        for card in sorted(cards, key=lambda card: -cards[card] / len(card)):
            if all(set(card).isdisjoint(other) for other in chosen):
                chosen.append(card)
    else:
        of: dict[int, list[tuple[int, ...]]] = {member: [] for member in members}
        for card in cards:
            of[min(card)].append(card)
        chosen = list(_best(frozenset(members), of, cards, {})[1])
    alone = set(members).difference(*chosen)
    return chosen + [(corner,) for corner in sorted(alone)]


def _best(
    members: frozenset[int],
    of: dict[int, list[tuple[int, ...]]],
    fits: dict[tuple[int, ...], float],
    known: dict[frozenset[int], tuple[float, tuple[tuple[int, ...], ...]]],
) -> tuple[float, tuple[tuple[int, ...], ...]]:
    """Return the greatest total fit and the cards that reach it, remembering the answers for parts.

    Args:
        members: the indices to split.
        of: the possible cards by their least index.
        fits: how well each possible card fits.
        known: answers so far.
    """
    if not members:
        return 0.0, ()
    if members not in known:
        first = min(members)
        best = _best(members - {first}, of, fits, known)
        for card in of[first]:
            if members.issuperset(card):
                total, rest = _best(members.difference(card), of, fits, known)
                if total + fits[card] > best[0]:
                    best = total + fits[card], (card, *rest)
        known[members] = best
    return known[members]


def _inside(point: NDArray[np.floating], outline: NDArray[np.float32]) -> bool:
    return cv2.pointPolygonTest(outline, (float(point[0]), float(point[1])), False) >= 0


def _side_only(group: tuple[int, ...], corners: Corners) -> bool:
    """Whether the first two indices of a card lie at one side of it: upper and lower left, or right, ones."""
    first, second = group[:2]
    axis = unit(corners.down[first] - corners.down[second])
    between = unit(corners.centre[second] - corners.centre[first])
    return bool(corners.down[first] @ corners.down[second] < OPPOSITE and between @ axis > np.cos(np.deg2rad(18)))


def _surplus(groups: list[tuple[int, ...]], kinds: Probabilities, limits: Limits) -> int:
    """How many cards there are beyond what the packs hold."""
    counts = Counter(KINDS[int(kinds[list(group)].sum(axis=0).argmax())] for group in groups)
    return sum(max(0, count - limits.of(kind)) for kind, count in counts.items())


def _speaks_for_four(
    groups: list[tuple[int, ...]],
    others: list[tuple[int, ...]],
    surplus: int,
    corners: Corners,
    plane: Plane,
    place: tuple[float, float],
    size_wh: tuple[int, int],
) -> bool:
    """Whether a grouping as four-corner cards is the better account of some of the cards of a photo.

    For it speak indices that two-corner cards would leave as equal cards at just the right places, and more so when
    the packs do not hold so many; against it, corners in plain sight without an index.

    Args:
        groups: the cards in question, as four-corner cards.
        others: all other cards.
        surplus: cards beyond what the packs hold that the other account has and this one has not.
        corners: the indices in the plane.
        plane: from which the photo's edges are seen.
        place: where the lower index of a card lies.
        size_wh: width and height of the photo.
    """
    outlines = [outline_of(group, corners, place).astype(np.float32) for group in [*groups, *others]]

    def bare(number: int, spots: NDArray[np.float64]) -> int:
        """How many places on a card are in plain sight and show no index of it."""
        group = list(groups[number])
        above = [
            other
            for which, other in enumerate(outlines)
            if which != number and not any(_inside(corners.centre[corner], other) for corner in group)
        ]  # a card on which this one's index can be seen lies below it
        count = 0
        for spot, (x, y) in zip(spots, plane.to_photo(spots), strict=True):
            inside = 0 <= x < size_wh[0] and 0 <= y < size_wh[1]
            near = np.linalg.norm(corners.centre[group] - spot, axis=1).min()
            count += inside and bool(near > 1.2) and not any(_inside(spot, other) for other in above)
        return count

    found = missing = alone = 0
    for number, group in enumerate(groups):
        spots = outlines[number] + 0.1 * (np.roll(outlines[number], 2, axis=0) - outlines[number])
        if len(group) == 1:
            # Whoever holds a fan may hold it there, so this says less.
            alone += bare(number, spots[3:])
            continue
        down = corners.down[list(group)]
        both_ends = bool((down @ down[0] < OPPOSITE).any())
        one_side = len(group) == 2 and _side_only(group, corners)
        found += len(group) - (1 if one_side or not both_ends else 2)
        if not one_side:
            # Else it is unknown at which side of the card they lie, and so where the others should be.
            missing += bare(number, spots)
    return found > 0 and 4 * found + 6 * surplus > 3 * missing + alone


@dataclass(frozen=True)
class Pairing:
    """Corner indices as physical cards."""

    cards: tuple[tuple[int, ...], ...]
    """For each card its indices, an upper left one first."""
    outlines: NDArray[np.float64]
    """(N, 4, 2) corners of the cards in pixels, in the card's own order from the upper left one."""
    perhaps_one: tuple[tuple[int, int], ...]
    """Pairs of equal cards that lie so close that they may be one card of a four-corner deck."""


def pair_corners(corners: Corners, readings: Probabilities, size_wh: tuple[int, int], limits: Limits) -> Pairing:
    """Group corner indices into physical cards.

    Args:
        corners: N corner indices.
        readings: (N, 54) what each says, as ``vision.reader.Reader.read`` returns it.
        size_wh: width and height of the photo in pixels.
        limits: how many equal cards the packs hold.
    """
    if not len(corners):
        return Pairing((), np.zeros((0, 4, 2)), ())
    kinds = _kinds(readings)
    joker = kinds[:, JOKER.index] > 0.5
    plane = find_plane(corners, ~joker, _opposite(corners, kinds), size_wh)
    corners = plane.corners(corners)
    precision = Precision.of(plane)
    pairs = _pairs(corners, kinds)
    diagonal = [pair for pair in pairs if pair.way is Way.DIAGONAL]
    places = _find_places(pairs, precision)
    chosen = two = _grouped(corners, diagonal, places, precision)
    if len(diagonal) < len(pairs):
        # Jokers may have an index in all four corners where the other cards have two, so they are judged apart.
        four = _grouped(corners, pairs, places, precision)
        chosen = []
        for apart in (False, True):
            plain = [group for group in two if joker[group[0]] == apart]
            rich = [group for group in four if joker[group[0]] == apart]
            rest = [group for group in two if joker[group[0]] != apart]
            surplus = _surplus(plain, kinds, limits) - _surplus(rich, kinds, limits)
            is_four = _speaks_for_four(rich, rest, surplus, corners, plane, places.usual, size_wh)
            chosen += rich if is_four else plain
    outlines = np.stack([outline_of(group, corners, places.usual) for group in chosen])
    return Pairing(tuple(chosen), plane.to_photo(outlines), _perhaps_one(chosen, kinds, corners, places.usual))


def _perhaps_one(
    groups: list[tuple[int, ...]], kinds: Probabilities, corners: Corners, place: tuple[float, float]
) -> tuple[tuple[int, int], ...]:
    """Return the pairs of equal cards all of whose indices fit on one card, where the deck has four corners."""
    if all(len(group) < 3 for group in groups):
        return ()
    said = [int(kinds[list(group)].sum(axis=0).argmax()) for group in groups]
    pairs = []
    for first, second in combinations(range(len(groups)), 2):
        both = [*groups[first], *groups[second]]
        if said[first] == said[second] and len(both) <= 4:
            centre = corners.centre[both]
            span = np.linalg.norm(centre[:, None] - centre[None], axis=2).max()
            if span < ONE_CARD * np.hypot(*place):
                pairs.append((first, second))
    return tuple(pairs)


def _opposite(corners: Corners, kinds: Probabilities) -> NDArray[np.int_]:
    """(K, 2) indices that say the same and point opposite ways as seen in the photo."""
    said = kinds.argmax(axis=1)
    turned = corners.down @ corners.down.T < OPPOSITE
    return np.argwhere(np.triu(turned & (said[:, None] == said[None]), 1))


def outline_of(group: tuple[int, ...], corners: Corners, place: tuple[float, float]) -> NDArray[np.float64]:
    """(4, 2) outline of a card from the index seen first and, where there is one, the index diagonally opposite.

    Args:
        group: the card's indices.
        corners: all indices in the plane.
        place: where the lower index of a card lies.
    """
    first = group[0]
    down = corners.down[first]
    centre = np.asarray(corners.centre[first], np.float64)
    across, along = place
    for other in group[1:]:
        if corners.down[other] @ down < OPPOSITE:
            axis = unit(down - corners.down[other])
            between = corners.centre[other] - centre
            x, y = float(between @ right_of(axis)), float(between @ axis)
            if x > 0.4 * across:
                down, across, along = axis, x, y
                break
    right = right_of(down)
    left_upper = centre - RIM[0] * right - RIM[1] * down
    wide, tall = (across + 2 * RIM[0]) * right, (along + 2 * RIM[1]) * down
    return np.stack([left_upper, left_upper + wide, left_upper + wide + tall, left_upper + tall])
