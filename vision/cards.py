"""From corner indices to physical cards.

Two indices belong to one card when they say the same, point opposite ways, and each lies where the other end of
the card must be. So a card seen at both ends counts once, and two equal cards of two packs count twice, also side
by side in a fan, where they point the same way. Places are measured in index heights in the card's own frame:
``across`` to its right, ``along`` down from the upper index to the lower one. They differ from deck to deck, so
they are estimated from the photo.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
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
from vision.reader import REJECT, Probabilities
from vision.scene import Doubt, Quad, SeenCard

OPPOSITE = np.cos(np.deg2rad(130))
"""Two indices at opposite ends of a card point at least this far apart; perspective and noise take from 180."""
ALIKE = 0.1
"""Least likeness of what two indices say (the cosine of their chances) for them to be one card."""
TOLERANCE = 0.16
"""Standard error of another index's place, as share of its distance, once the deck's places are known."""
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
class Thresholds:
    """From which chances on a card counts, and counts without a question."""

    keep: float
    """Least chance that there is just this card for it to be shown at all."""
    unread: float
    """Least chance that there is just this card for it to be asked about where it is not shown."""
    present: float
    """Least chance that there is a card for it to pass without a doubt."""
    sure: float
    """Least chance that the card is what it was read as, for it to pass without a doubt."""


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

    @property
    def distance(self) -> float:
        return float(np.hypot(self.x, self.y))


def _kinds(readings: Probabilities) -> Probabilities:
    """Chances of the 53 kinds, given that it is an index."""
    kinds = readings[:, :REJECT] + 1e-9
    return np.asarray(kinds / kinds.sum(axis=1, keepdims=True))


def _units(corners: Corners, kinds: Probabilities) -> NDArray[np.float64]:
    """Index heights to measure cards with; a joker's index may be of any length, so it takes its neighbours'."""
    heights = corners.height.copy()
    jokers = kinds[:, JOKER.index] > 0.5
    if jokers.any() and not jokers.all():
        others = np.flatnonzero(~jokers)
        for joker in np.flatnonzero(jokers):
            gaps = np.linalg.norm(corners.centre[others] - corners.centre[joker], axis=1)
            heights[joker] = np.median(heights[others[np.argsort(gaps)[:5]]])
    return np.maximum(heights, 1e-3)


def _way(x: float, y: float, opposite: bool) -> Way | None:
    """Return how an index at (x, y) index heights may lie on the card of the index at the origin, over all decks."""
    distance, angle = np.hypot(x, y), np.rad2deg(np.arctan2(x, y))
    if not opposite:
        return Way.ACROSS if 0.9 <= distance <= 9 and 55 <= angle <= 125 else None
    if not 1.5 <= distance <= 15:
        return None
    if 18 <= angle <= 82:
        return Way.DIAGONAL
    if -82 <= angle <= -18:
        return Way.COUNTER
    return Way.BELOW if abs(angle) < 18 else None


def _pairs(corners: Corners, kinds: Probabilities, units: NDArray[np.float64]) -> list[Pair]:
    """All pairs of indices that may be on one card of some deck."""
    down, centre = corners.down, corners.centre.astype(np.float64)
    directions = kinds / np.linalg.norm(kinds, axis=1, keepdims=True)
    agree = directions @ directions.T
    pairs = []
    jokers = kinds[:, JOKER.index] > 0.5
    likely = (agree >= ALIKE) & (jokers[:, None] == jokers[None])
    for first, second in zip(*np.nonzero(np.triu(likely, 1)), strict=True):
        cosine = float(np.clip(down[first] @ down[second], -1, 1))
        opposite = cosine < 0
        if abs(cosine) < -OPPOSITE or not 0.5 < units[first] / units[second] < 2:
            continue
        axis = unit(down[first] - down[second] if opposite else down[first] + down[second])
        between = (centre[second] - centre[first]) * 2 / (units[first] + units[second])
        x, y = float(between @ right_of(axis)), float(between @ axis)
        if not opposite and x < 0:
            first, second, x, y = second, first, -x, -y
        way = _way(x, y, opposite)
        if way and not (way is Way.ACROSS and _neighbour_between(corners, int(first), int(second), units)):
            pairs.append(Pair(int(first), int(second), way, x, y, float(np.arccos(abs(cosine)))))
    return pairs


def _neighbour_between(corners: Corners, first: int, second: int, units: NDArray[np.float64]) -> bool:
    """Whether an index that points the same way lies on the line between two.

    Along the upper edge of a card there is none; so of equal cards further apart in a fan none passes for one
    four-corner card.
    """
    offset = (corners.centre - corners.centre[first]).astype(np.float64)
    length = float(np.linalg.norm(offset[second]))
    size = float(units[first] + units[second]) / 2
    axis = offset[second] / max(length, 1e-9)
    along, beside = offset @ axis, np.abs(offset @ right_of(axis))
    between = (along > 0.7 * size) & (along < length - 0.7 * size) & (beside < 0.7 * size)
    alike = corners.down @ unit(corners.down[first] + corners.down[second]) > 0.85
    return bool((between & alike).any())


def _places(pairs: list[Pair]) -> list[tuple[float, float]]:
    """The places of the second index, in index heights, that at least two pairs agree on; most agreed on first."""
    places: list[tuple[float, float]] = []
    usual = np.arctan2(*USUAL)
    points = np.array(
        [[pair.x, pair.y] for pair in pairs if abs(np.arctan2(pair.x, pair.y) - usual) < np.deg2rad(21)]
    ).reshape(-1, 2)
    left, most = np.ones(len(points), bool), 0
    while left.any() and len(places) < 3:
        gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
        near = (gaps < 1.3 * TOLERANCE * np.linalg.norm(points, axis=1)) & left[None] & left[:, None]
        best = int(near.sum(axis=1).argmax())
        if near[best].sum() < max(2, 0.3 * most):
            break
        most = max(most, int(near[best].sum()))
        x, y = (float(value) for value in np.median(points[near[best]], axis=0))
        # Two designs on one table are about as large; what is far off is equal cards beside each other.
        if not places or abs(np.log(np.hypot(x, y) / np.hypot(*places[0]))) < 0.6:
            places.append((x, y))
        left &= ~near[best]
    return places


_TURN = {
    Way.DIAGONAL: np.deg2rad(22),
    Way.COUNTER: np.deg2rad(22),
    Way.ACROSS: np.deg2rad(18),
    Way.BELOW: np.deg2rad(18),
}
"""Standard error of the angle between two indices of one card: perspective turns the far end more."""
_SWING = {
    Way.DIAGONAL: np.deg2rad(11),
    Way.COUNTER: np.deg2rad(15),
    Way.ACROSS: np.deg2rad(16),
    Way.BELOW: np.deg2rad(6),
}
"""Standard error of the direction to the other index: a slanting look turns a card's width against its height, but
indices at one side stay in line with their own direction."""


def _misfit(pair: Pair, place: tuple[float, float]) -> float:
    """How badly two indices fit as one card of some deck: half squares of errors in standard errors.

    Wide, since index heights differ from deck to deck, and a slanting look shortens an
    index that lies along it by up to a half. The direction to the other end depends on the card's shape alone, and
    cards have much the same.
    """
    x, y = _seen(pair.way, place)
    turn = pair.off / _TURN[pair.way]
    stretch = np.log(pair.distance / np.hypot(x, y)) / 0.45
    x, y = _seen(pair.way, USUAL)
    swing = (np.arctan2(pair.x, pair.y) - np.arctan2(x, y)) / _SWING[pair.way]
    return float(turn**2 + stretch**2 + swing**2) / 2


def _misfit_here(pair: Pair, places: list[tuple[float, float]]) -> float:
    """How badly two indices fit as one card of the decks in this photo, whose places are known.

    The two ends of a card are rarely in sight of each other by chance, so some further place is allowed for them;
    two indices at one edge are, as equal cards in a row.
    """
    turn = (pair.off / _TURN[pair.way]) ** 2 / 2
    errors = [
        ((pair.x - x) ** 2 + (pair.y - y) ** 2) / (2 * (TOLERANCE * np.hypot(x, y)) ** 2)
        for x, y in (_seen(pair.way, place) for place in places)
    ]
    known = float(turn + min(errors))
    return min(known, _misfit(pair, places[0]) + STRANGE) if pair.way is Way.DIAGONAL else known


def _grouped(
    corners: Corners, units: NDArray[np.float64], pairs: list[Pair], places: list[tuple[float, float]]
) -> list[tuple[int, ...]]:
    """Split indices into cards so that all together fit best; the first of each card is an upper left one.

    One by one does not do: of two equal cards side by side, the near ends of both may fit best as one card.
    """
    two_corners = all(pair.way is Way.DIAGONAL for pair in pairs)
    graph: Graph = nx.Graph()
    graph.add_nodes_from(range(len(corners)))
    for pair in pairs:
        loose, misfit = _misfit(pair, places[0]), _misfit_here(pair, places)
        if min(loose, misfit) < WORST:
            graph.add_edge(pair.first, pair.second, fit=WORST - misfit, loose=WORST - loose, pair=pair)
    parts = [graph.subgraph(members) for members in nx.connected_components(graph)]
    if two_corners:
        for part in parts:
            # With rivals for one of its ends a pair stands or falls with this; else it only counts against it, since
            # outlines are estimates.
            penalty = 3.0 if len(part) > 2 else 1.2
            for edge in part.edges:
                if _covered(graph.edges[edge]["pair"], corners, units, places[0]):
                    graph.edges[edge]["fit"] -= penalty
    possible = [_possible_cards(part, corners.centre) for part in parts]
    groups = [group for part, cards in zip(parts, possible, strict=True) for group in _best_split(part, cards)]
    if two_corners:
        return groups
    # Two equal cards side by side look like one card of another shape: hold every card of three or four indices
    # against the shape that most of them have, as loosely as perspective seems to ask for.
    shapes = [_shape(group, graph, corners.centre) for group in groups if len(group) > 2]
    usual = float(np.median(shapes)) if len(shapes) > 1 else float(np.log(places[0][0] / places[0][1]))
    spread = float(np.clip(2 * np.median(np.abs(np.array([*shapes, usual]) - usual)), 0.3, 0.4))
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


def _covered(pair: Pair, corners: Corners, units: NDArray[np.float64], place: tuple[float, float]) -> bool:
    """Whether two indices cannot be one card, since a third card would lie upon it and hide one of them.

    So of two equal cards side by side the upper one gets the lower index that is in sight.
    """
    outline = np.array(_outline((pair.first, pair.second), corners, units, place), np.float32)
    for other in range(len(corners)):
        if other in (pair.first, pair.second) or not _inside(corners.centre[other], outline):
            continue
        upon = np.array(_outline((other,), corners, units, place))
        middle = upon.mean(axis=0)
        upon = upon + (middle - upon) * min(0.5, 0.5 * units[other] / np.linalg.norm(upon - middle, axis=1).min())
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

    Two indices must lie where this photo's decks have them; three or four bear each other out, so a slanting look
    may shift them more, but four must span a parallelogram.
    """
    cards: dict[tuple[int, ...], float] = {}
    for clique in nx.enumerate_all_cliques(graph):
        if len(clique) > 4:
            break
        left = _left_ones(graph, clique) if len(clique) > 1 else None
        if left is None:
            continue
        card = tuple(sorted(clique, key=lambda corner: corner not in left))
        fits = [graph.edges[edge]["fit" if len(clique) == 2 else "loose"] for edge in combinations(clique, 2)]
        fit = sum(fits) / len(fits)
        if len(clique) == 4:
            ends = centre[list(card)].astype(np.float64)
            skew = np.linalg.norm(ends[0] + ends[1] - ends[2] - ends[3]) / np.linalg.norm(ends[0] - ends[1])
            fit -= (skew / 0.2) ** 2 / 2
        if fit > 0:
            cards[card] = fit * (len(clique) - 1)
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
    units: NDArray[np.float64],
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
        corners: the indices.
        units: their heights.
        place: where the lower index of a card lies.
        size_wh: width and height of the photo.
    """
    outlines = [np.array(_outline(group, corners, units, place), np.float32) for group in [*groups, *others]]
    found = missing = 0
    for number, group in enumerate(groups):
        if len(group) < 2:
            continue
        down = corners.down[list(group)]
        both_ends = bool((down @ down[0] < OPPOSITE).any())
        one_side = len(group) == 2 and _side_only(group, corners)
        found += len(group) - (1 if one_side or not both_ends else 2)
        if one_side:
            continue  # at which side of the card they lie is unknown, and so is where the others should be
        above = [
            other
            for which, other in enumerate(outlines)
            if which != number and not any(_inside(corners.centre[corner], other) for corner in group)
        ]  # a card on which this one's index can be seen lies below it
        for spot in outlines[number] + 0.1 * (np.roll(outlines[number], 2, axis=0) - outlines[number]):
            covered = any(_inside(spot, other) for other in above)
            outside = not (0 <= spot[0] < size_wh[0] and 0 <= spot[1] < size_wh[1])
            near = np.linalg.norm(corners.centre[list(group)] - spot, axis=1).min()
            missing += not covered and not outside and bool(near > 1.2 * units[group[0]])
    return found > 0 and 4 * found + 6 * surplus > 3 * missing


def pair_corners(
    corners: Corners, readings: Probabilities, size_wh: tuple[int, int], limits: Limits
) -> tuple[list[tuple[int, ...]], tuple[float, float]]:
    """Group corner indices into physical cards.

    Args:
        corners: N corner indices.
        readings: (N, 54) what each says, as ``vision.reader.Reader.read`` returns it.
        size_wh: width and height of the photo in pixels.
        limits: how many equal cards the packs hold.

    Returns:
        The groups of indices, one a card, and where the lower index of a card lies: across and along in index
        heights, as far as the photo tells.
    """
    kinds = _kinds(readings)
    units = _units(corners, kinds)
    pairs = _pairs(corners, kinds, units)
    diagonal = [pair for pair in pairs if pair.way is Way.DIAGONAL]
    places = _places(diagonal)
    if not places:
        best = min(diagonal, key=lambda pair: _misfit(pair, USUAL), default=None)
        places = [(best.x, best.y) if best and _misfit(best, USUAL) < WORST else USUAL]
    two = _grouped(corners, units, diagonal, places)
    if len(diagonal) == len(pairs):
        return two, places[0]
    # Jokers may have an index in all four corners where the other cards have two, so they are judged apart.
    four = _grouped(corners, units, pairs, places)
    joker = kinds[:, JOKER.index] > 0.5
    chosen: list[tuple[int, ...]] = []
    for apart in (False, True):
        plain = [group for group in two if joker[group[0]] == apart]
        rich = [group for group in four if joker[group[0]] == apart]
        rest = [group for group in two if joker[group[0]] != apart]
        surplus = _surplus(plain, kinds, limits) - _surplus(rich, kinds, limits)
        chosen += rich if _speaks_for_four(rich, rest, surplus, corners, units, places[0], size_wh) else plain
    return chosen, places[0]


def _outline(group: tuple[int, ...], corners: Corners, units: NDArray[np.float64], place: tuple[float, float]) -> Quad:
    """Quadrilateral of a card from the index seen first and, where there is one, the index diagonally opposite."""
    first = group[0]
    down = corners.down[first]
    centre = np.asarray(corners.centre[first], np.float64)
    scale = float(units[first])
    across, along = place
    for other in group[1:]:
        if corners.down[other] @ down < OPPOSITE:
            axis = unit(down - corners.down[other])
            size = float(units[first] + units[other]) / 2
            between = (corners.centre[other] - centre) / size
            x, y = float(between @ right_of(axis)), float(between @ axis)
            if x > 0.4 * across:
                down, scale, across, along = axis, size, x, y
                break
    right = right_of(down)
    left_upper = centre - scale * (RIM[0] * right + RIM[1] * down)
    wide, tall = scale * (across + 2 * RIM[0]) * right, scale * (along + 2 * RIM[1]) * down
    points = (left_upper, left_upper + wide, left_upper + wide + tall, left_upper + tall)
    first_point, second, third, fourth = ((round(float(x), 1), round(float(y), 1)) for x, y in points)
    return first_point, second, third, fourth


def _joint(readings: Probabilities) -> Probabilities:
    """Chances of the 53 kinds for one card from all its indices, which err independently."""
    logs = np.log(np.clip(readings[:, :REJECT], 1e-5, None)).sum(axis=0)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def resolve(
    corners: Corners,
    readings: Probabilities,
    thresholds: Thresholds,
    limits: Limits,
    size_wh: tuple[int, int],
) -> tuple[list[SeenCard], list[Doubt]]:
    """Return the physical cards that corner indices show, and what should be asked about them.

    Args:
        corners: N corner indices.
        readings: (N, 54) what each says.
        thresholds: from which chances on a card counts.
        limits: how many equal cards the packs hold.
        size_wh: width and height of the photo in pixels.

    Returns:
        Cards in no particular order, and doubts that name places in that list.
    """
    groups, place = pair_corners(corners, readings, size_wh, limits)
    if not groups:
        return [], []
    units = _units(corners, _kinds(readings))
    there = corners.confidence * (1 - readings[:, REJECT])
    cards: list[SeenCard] = []
    doubts: list[Doubt] = []
    unread: list[Card] = []
    for group in groups:
        members = list(group)
        present = 1 - float(np.prod(1 - there[members]))
        chances = _joint(readings[members])
        order = np.argsort(-chances)
        best = KINDS[int(order[0])]
        confidence = float(chances[order[0]])
        if present * confidence < thresholds.keep:
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
                round(confidence * present, 4),
                _outline(group, corners, units, place),
                alternatives,
                group,
            )
        )
    if unread:
        names = ", ".join(card.label for card in sorted(set(unread), key=lambda card: card.index))
        text = f"There may be a card more that could not be read (perhaps {names}): please check that none is missing."
        doubts.append(Doubt("unread", text, ()))
    return cards, doubts + _too_many(cards, limits)


def _too_many(cards: list[SeenCard], limits: Limits) -> list[Doubt]:
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
