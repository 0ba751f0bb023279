"""From corner indices to physical cards.

Two indices belong to one card when they say the same, point opposite ways, and each lies where the other end of
the card must be. So a card seen at both ends counts once, and two equal cards of two packs count twice, also side
by side in a fan, where they point the same way. Which indices belong together is decided for all of them at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER, KINDS
from vision.corners import Corners
from vision.geometry import right_of, unit
from vision.limits import Limits
from vision.links import Link, Links
from vision.pairs import (
    JOKER_SHIFT,
    OPPOSITE,
    WORST,
    Pair,
    Places,
    Precision,
    Way,
    find_pairs,
    find_places,
    misfit_here,
    misfit_of,
)
from vision.plane import Plane, find_plane
from vision.reader import REJECT, Probabilities

RARE = 2.0
"""What it takes from the fit of a joker with an index in both upper corners: two jokers beside each other are likelier
than one that, alone in its deck, is printed so."""
UNHEARD = 1.0
"""The same for any card, where no other card of the photo shows that its deck has upper corners on both sides."""
ONE_CARD = 1.25
"""Indices that lie within this many times the distance of a card's two ends may all be on one card."""
FACING = np.cos(np.deg2rad(125))
"""Two equal indices are asked about as ends of one card where they point at least this far apart."""
EXACT = 0.06
"""Least standard error of a place, as a share of its distance, for cards to be pulled apart by it."""
HALVES = 2.0
"""Most that two halves of one card may be off its usual size, and off a parallelogram, in standard errors."""
SLANT = np.deg2rad(5)
"""Standard error of the way from rank to suit between the ranks of one deck, in radians."""
AT_CORNER = 0.25
"""How far from the circle through the corners of a joker an index of it may lie, as a share of its radius."""
ACROSS_ENDS = np.cos(np.deg2rad(50))
"""Most that an index at another corner lies along the line between the two ends, as a share of that radius."""
RIM = (0.42, 0.72)
"""From the centre of an index to the card's left and upper edge, in index heights."""


def _kinds(readings: Probabilities) -> Probabilities:
    """Chances of the 53 kinds, given that it is an index."""
    kinds = readings[:, :REJECT] + 1e-9
    return np.asarray(kinds / kinds.sum(axis=1, keepdims=True))


def _grouped(corners: Corners, pairs: list[Pair], places: Places, precision: Precision) -> list[tuple[int, ...]]:
    """Split indices into cards so that all together fit best; the first of each card is an upper left one.

    One by one does not do: of two equal cards side by side, the near ends of both may fit best as one card.
    """
    two_corners = all(pair.way is Way.DIAGONAL for pair in pairs)
    trust = float(np.clip(1 - precision.place / 0.16, 1 / 3, 0.8))

    def borne_out(pair: Pair) -> float:
        """How well two indices fit where further ones of the card bear them out."""
        loose, misfit = misfit_of(pair, places.usual, precision), misfit_here(pair, places, precision)
        return WORST - (trust * misfit + (1 - trust) * min(loose, misfit))

    found = []
    for pair in pairs:
        loose, misfit = misfit_of(pair, places.usual, precision), misfit_here(pair, places, precision)
        if min(loose, misfit) < WORST:
            found.append(Link(pair, WORST - misfit))
    links = Links(len(corners), found)
    parts = links.parts()
    if two_corners:
        # With rivals for one of its ends a pair stands or falls with this; else it only counts against it, since
        # outlines are estimates.
        penalties = {member: 3.0 if len(part) > 2 else 1.2 for part in parts for member in part}
        found = [
            replace(link, fit=link.fit - penalties[link.pair.first])
            if _covered(link.pair, corners, places.usual)
            else link
            for link in found
        ]
        links = Links(len(corners), found)
    possible = [_possible_cards(part, links, corners.centre, places, borne_out) for part in parts]
    groups = [group for part, cards in zip(parts, possible, strict=True) for group in _best_split(part, cards)]
    if two_corners:
        return groups
    # Two equal cards side by side look like one card of another shape: hold every card of three or four indices
    # against the shape that most of them have, as loosely as perspective seems to ask for.
    joker = {pair.first for pair in pairs if pair.is_joker}
    shapes = [_shape(group, links, corners.centre) for group in groups if len(group) > 2 and group[0] not in joker]
    usual = float(np.median(shapes)) if len(shapes) > 1 else float(np.log(places.usual[0] / places.usual[1]))
    spread = 0.06 + 1.5 * precision.place if len(shapes) > 1 else 0.35
    for cards in possible:
        for card in [card for card in cards if len(card) > 2]:
            loose = spread + (2 * JOKER_SHIFT if not joker.isdisjoint(card) else 0.0)
            cards[card] -= min(20.0, ((_shape(card, links, corners.centre) - usual) / loose) ** 2 / 2)
    return [group for part, cards in zip(parts, possible, strict=True) for group in _best_split(part, cards)]


def _shape(card: tuple[int, ...], links: Links, centre: NDArray[np.float32]) -> float:
    """Return the logarithm of width over height of the rectangle that three or four indices of a card span."""
    lengths: dict[Way, list[float]] = {way: [] for way in Way}
    for link in links.within(card):
        lengths[link.pair.way].append(float(np.linalg.norm(centre[link.pair.first] - centre[link.pair.second])))
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


def _possible_cards(
    part: list[int],
    links: Links,
    centre: NDArray[np.float32],
    places: Places,
    borne_out: Callable[[Pair], float],
) -> dict[tuple[int, ...], float]:
    """Return every group of two to four indices that may be one card, with how well it fits.

    Two indices must lie where this photo's decks have them; three or four bear each other out, so what is left of a
    slanting look may shift them more, but four must span a parallelogram.
    """
    cards: dict[tuple[int, ...], float] = {}
    for group in links.groups(part, most=4):
        within = links.within(group)
        left = _left_ones([link.pair for link in within])
        # Two alone must say the same; that one of three or four is misread the others tell.
        if left is None or not _say_the_same([link.pair for link in within], misread=len(group) > 2):
            continue
        card = tuple(sorted(group, key=lambda corner: corner not in left))
        fit = within[0].fit if len(group) == 2 else _best_slant(within, places, borne_out)
        if len(group) == 4:
            ends = centre[list(card)].astype(np.float64)
            skew = np.linalg.norm(ends[0] + ends[1] - ends[2] - ends[3]) / np.linalg.norm(ends[0] - ends[1])
            fit -= float(skew / 0.2) ** 2 / 2
        total = fit * (len(group) - 1)
        if any(link.pair.is_rare for link in within):
            total -= RARE
        elif len(group) == 2 and within[0].pair.way is Way.ACROSS and not places.agreed[Way.ACROSS]:
            total -= UNHEARD
        if total > 0:
            cards[card] = total
    return cards


def _say_the_same(pairs: list[Pair], *, misread: bool) -> bool:
    """Whether indices say the same, but for one that may be ``misread``."""
    unlike = [{pair.first, pair.second} for pair in pairs if not pair.alike]
    return not unlike or (misread and bool(set.intersection(*unlike)))


def _best_slant(within: list[Link], places: Places, borne_out: Callable[[Pair], float]) -> float:
    """Return how well three or four indices fit as one card, however its rank slants its indices.

    A 10 is two glyphs wide and a J hangs low, so that the way from rank to suit may differ from that of other ranks:
    all that is measured of the card is then turned by the same angle.
    """
    pairs = [link.pair for link in within]
    slants = {0.0}
    for pair in pairs:
        for x, y in places.of(pair.way):
            slants.add(float(np.arctan2(pair.x, pair.y) - np.arctan2(x, y)))
    fits = [
        sum(borne_out(pair.turned(slant)) for pair in pairs) / len(pairs) - (slant / SLANT) ** 2 / 2
        for slant in slants
        if abs(slant) < 3 * SLANT
    ]
    return float(max(fits))


_SIDES = {Way.DIAGONAL: (True, True), Way.COUNTER: (False, False), Way.ACROSS: (True, False)}
"""Whether the first and the second index of a pair are upper left ones, each as it reads."""


def _left_ones(pairs: list[Pair]) -> set[int] | None:
    """Return those of the indices that are upper left ones as they read, or none if they cannot share a card."""
    left: dict[int, bool] = {}
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
    said: NDArray[np.int_],
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
        said: (N,) what each says, as place in ``KINDS``: one that says the same and points elsewhere is an index too.
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
        own = said == said[group[0]]
        own[list(group)] = True  # one of them may be misread
        count = 0
        for spot, (x, y) in zip(spots, plane.to_photo(spots), strict=True):
            inside = 0 <= x < size_wh[0] and 0 <= y < size_wh[1]
            near = np.linalg.norm(corners.centre[own] - spot, axis=1).min()
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
    even = kinds[:, JOKER.index] <= 0.5
    opposite = _opposite(corners, kinds)
    table = _Table.seen(corners, kinds, find_plane(corners, even, opposite, size_wh))
    chosen = _grouping(table, size_wh, limits)
    if spans := table.spans(chosen):
        # What is found to be one card tells more of the plane, and the better plane more of what is one card.
        table = _Table.seen(corners, kinds, find_plane(corners, even, opposite, size_wh, spans, table.plane))
        chosen = _grouping(table, size_wh, limits)
    place = table.places.usual
    perhaps = _perhaps_one(chosen, kinds, table.corners, place)
    halves = [
        (first, second)
        for first, second in perhaps
        if _complete_each_other(chosen[first], chosen[second], table.corners, place, table.precision)
    ]
    halves += _halves_of_jokers(chosen, kinds, table.corners)
    if halves:
        chosen = _joined(chosen, halves)
        perhaps = _perhaps_one(chosen, kinds, table.corners, place)
    outlines = np.stack([outline_of(group, table.corners, place) for group in chosen])
    return Pairing(tuple(chosen), table.plane.to_photo(outlines), perhaps)


@dataclass(frozen=True)
class _Table:
    """The indices of a photo as they lie in the plane."""

    plane: Plane
    corners: Corners
    """In the plane."""
    kinds: Probabilities
    pairs: list[Pair]
    places: Places
    precision: Precision

    @classmethod
    def seen(cls, corners: Corners, kinds: Probabilities, plane: Plane) -> _Table:
        """Return the indices in a plane, given as the photo shows them."""
        corners, precision = plane.corners(corners), Precision.of(plane)
        pairs = find_pairs(corners, kinds)
        return cls(plane, corners, kinds, pairs, find_places(pairs, precision), precision)

    def spans(self, groups: list[tuple[int, ...]]) -> list[NDArray[np.int_]]:
        """Return the pairs within groups that are as far from each other: (K, 2) over, across and along the cards.

        None where no card shows three indices: where most cards lie one way, a false stretch makes their diagonals
        alike as well as the true plane does, but then no rectangle is right.
        """
        plain = [group for group in groups if self.kinds[group[0], JOKER.index] <= 0.5]
        if all(len(group) < 3 for group in plain):
            return []
        card = {corner: number for number, group in enumerate(plain) for corner in group}
        within = [pair for pair in self.pairs if pair.first in card and card[pair.first] == card.get(pair.second)]
        alike = [
            [(pair.first, pair.second) for pair in within if pair.way in ways]
            for ways in ((Way.DIAGONAL, Way.COUNTER), (Way.ACROSS,), (Way.BELOW,))
        ]
        return [np.array(span, int) for span in alike if len(span) > 1]


def _grouping(table: _Table, size_wh: tuple[int, int], limits: Limits) -> list[tuple[int, ...]]:
    """Return the cards as groups of indices."""
    corners, kinds, pairs, places = table.corners, table.kinds, table.pairs, table.places
    said = kinds.argmax(axis=1)
    joker = kinds[:, JOKER.index] > 0.5
    diagonal = [pair for pair in pairs if pair.way is Way.DIAGONAL]
    two = _grouped(corners, diagonal, places, table.precision)
    if len(diagonal) == len(pairs):
        return two
    # Jokers may have an index in all four corners where the other cards have two, so they are judged apart.
    four = _grouped(corners, pairs, places, table.precision)
    chosen = []
    for apart in (False, True):
        plain = [group for group in two if joker[group[0]] == apart]
        rich = [group for group in four if joker[group[0]] == apart]
        rest = [group for group in two if joker[group[0]] != apart]
        surplus = _surplus(plain, kinds, limits) - _surplus(rich, kinds, limits)
        is_four = _speaks_for_four(rich, rest, surplus, corners, said, table.plane, places.usual, size_wh)
        chosen += rich if is_four else plain
    return chosen


def _perhaps_one(
    groups: list[tuple[int, ...]], kinds: Probabilities, corners: Corners, place: tuple[float, float]
) -> tuple[tuple[int, int], ...]:
    """Return the pairs of equal cards all of whose indices fit on one card.

    Where the deck has four corners that is all; where it has two, each card must show one index, and these must face
    each other as the two ends of a card do, though one of them, cut or blurred, may seem to point elsewhere.
    """
    four = any(len(group) >= 3 for group in groups)
    said = [int(kinds[list(group)].sum(axis=0).argmax()) for group in groups]
    pairs = []
    for first, second in combinations(range(len(groups)), 2):
        both = [*groups[first], *groups[second]]
        if said[first] == said[second] and len(both) <= (4 if four else 2):
            centre = corners.centre[both]
            span = np.linalg.norm(centre[:, None] - centre[None], axis=2).max()
            if span < ONE_CARD * np.hypot(*place) and (four or _face_each_other(corners, *both)):
                pairs.append((first, second))
    return tuple(pairs)


def _face_each_other(corners: Corners, first: int, second: int) -> bool:
    """Whether two indices point roughly opposite ways, each at the other, as the two ends of a card do."""
    between = corners.centre[second] - corners.centre[first]
    down = corners.down
    towards = between @ down[first] > 0 and -between @ down[second] > 0
    return bool(towards and down[first] @ down[second] < FACING)


def _complete_each_other(
    first: tuple[int, ...],
    second: tuple[int, ...],
    corners: Corners,
    place: tuple[float, float],
    precision: Precision,
) -> bool:
    """Whether two groups of indices are halves of one four-corner card that a slanting look has pulled apart.

    Each index must be of another corner. Of two equal cards that lie half upon each other the same corners are in
    sight, since each is covered at the same side. Where a photo can be measured exactly nothing is pulled apart.
    """
    more, fewer = sorted((first, second), key=len, reverse=True)
    if len(more) < 2 or precision.place < EXACT:
        return False
    both = np.array([*more, *fewer])
    down = corners.down[both]
    axis = unit(np.where((down @ down[0] > 0)[:, None], down, -down).mean(axis=0))
    centre = corners.centre[both].astype(np.float64)
    x, y, upper = centre @ right_of(axis), centre @ axis, down @ axis > 0
    left = x < (x.min() + x.max()) / 2
    if len({*zip(upper.tolist(), left.tolist(), strict=True)}) < len(both) or np.abs(down @ axis).min() < -OPPOSITE:
        return False
    if y[upper].max(initial=-np.inf) > y[~upper].min(initial=np.inf):
        return False
    span = np.array([np.ptp(x), np.ptp(y)]) / place
    if np.abs(np.log(np.maximum(span, 1e-6))).max() > HALVES * precision.place:
        return False
    if len(both) < 4:
        return True
    skew = centre[upper == left].sum(axis=0) - centre[upper != left].sum(axis=0)
    return bool(np.linalg.norm(skew) < HALVES * precision.place * np.hypot(*place))


def _halves_of_jokers(groups: list[tuple[int, ...]], kinds: Probabilities, corners: Corners) -> list[tuple[int, int]]:
    """Return the pairs of groups that are one joker: all indices of the second lie at free corners of the first.

    Jokers may have a sign in all four corners where the other cards have two, and signs look much the same from all
    sides, so directions do not tell. Places do where both ends of a joker are in sight: on its other corners no index
    of a card below can be seen, and a card upon it that shows one just there would hide an end. Corners of a rectangle
    lie on a circle; which rectangle it is stays open, since a joker's signs may lie sideways.
    """
    halves = []
    jokers = [number for number, group in enumerate(groups) if kinds[group[0], JOKER.index] > 0.5]
    for first in jokers:
        one, *others = groups[first]
        other = next((corner for corner in others if corners.down[corner] @ corners.down[one] < OPPOSITE), None)
        if other is None:
            continue
        centre = corners.centre.astype(np.float64)
        arm = (centre[one] - centre[other]) / 2
        way = (centre - (centre[one] + centre[other]) / 2) / np.linalg.norm(arm)
        along, across = way @ unit(arm), way @ right_of(unit(arm))
        at_corner = (np.abs(np.hypot(along, across) - 1) < AT_CORNER) & (np.abs(along) < ACROSS_ENDS)
        side = np.where(at_corner, np.sign(across), 0)
        taken = {0.0, *side[[corner for corner in others if corner != other]].tolist()}
        for second in jokers:
            sides = side[list(groups[second])].tolist()
            if second != first and taken.isdisjoint(sides) and len(set(sides)) == len(sides):
                halves.append((first, second))
                taken.update(sides)
    return halves


def _joined(groups: list[tuple[int, ...]], halves: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return the groups with each two halves as one, the larger half first; a group is half of one card only."""
    whole = list(groups)
    for pair in halves:
        if all(whole[number] for number in pair):
            more, fewer = sorted(pair, key=lambda number: -len(whole[number]))
            whole[more], whole[fewer] = (*whole[more], *whole[fewer]), ()
    return [group for group in whole if group]


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
