"""Several looks at one table fused into one scene: frames of a phone on a stand, or photos of a hand from two sides.

The looks are laid over each other by cards that each of them shows just once. Then what lies at one place is one
card, however often it was seen, and equal cards at two places are two. Chances are averaged, not multiplied: frames
of one camera err alike. What the looks disagree on is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import KINDS, Card
from vision.cards import too_many, within_packs
from vision.geometry import apply_homography
from vision.layout import group_cards
from vision.limits import Limits
from vision.reader import REJECT
from vision.scene import Doubt, Quad, Scene, SeenCard

NEAR = 0.3
"""Two cards of which an index lies nearer than this many index heights are one card."""
OTHER_END = 0.3
"""Two equal cards of which opposite ends are seen are one card if each end lies nearer to where the other look has it
than this many card widths."""
FIT = 0.35
"""How far two looks may miss each other where they are laid over, in index heights."""
PLAIN = 0.8
"""Turn, size and shift are enough to lay one look over another where they fit this share of what a full perspective
fits: indices lie in a row or an arc, which says little about the rest of the picture."""
MOST = 0.5
"""Least chance of a card, averaged over more than two looks, for it to be shown and not only asked about."""
UNNAMED = 1e-4
"""Chance of a kind that no look names."""
AGREED = 0.8
"""Least chance of a card, averaged over all looks that could show it, for it to pass without a doubt."""


@dataclass(frozen=True, eq=False)
class _Sight:
    """A card as one look shows it."""

    look: int
    card: SeenCard
    marks: NDArray[np.float64]
    """(K, 2) where its indices are, in pixels of the look that the others are laid over."""
    is_doubted: bool
    """Whether the look asks about it."""


@dataclass(frozen=True, eq=False)
class _Track:
    """One card and the looks that show it, each once."""

    quad: Quad
    """In pixels of the look that the others are laid over."""
    sights: tuple[_Sight, ...]

    @property
    def marks(self) -> NDArray[np.float64]:
        """(K, 2) where any look has its indices."""
        return np.concatenate([sight.marks for sight in self.sights])

    @property
    def looks(self) -> frozenset[int]:
        """The looks that show it."""
        return frozenset(sight.look for sight in self.sights)

    def says(self, card: Card) -> bool:
        """Whether any look takes it for a card."""
        return any(sight.card.card == card for sight in self.sights)


def fuse(scenes: Sequence[Scene], limits: Limits) -> Scene:
    """Return one scene for several looks at the same cards, in pixels of the look that shows most.

    Args:
        scenes: one a look; at least one.
        limits: how many equal cards the packs hold.

    Raises:
        ValueError: if there is no scene.
    """
    if not scenes:
        raise ValueError("there is no scene to fuse.")
    if len(scenes) == 1:
        return scenes[0]
    best = max(range(len(scenes)), key=lambda number: sum(seen.confidence for seen in scenes[number].cards))
    main, others = scenes[best], [*scenes[:best], *scenes[best + 1 :]]
    tracks = [
        _Track(seen.quad, (_Sight(0, seen, _marks(main, seen), place in main.doubtful),))
        for place, seen in enumerate(main.cards)
    ]
    height = _index_height(main)
    apart: list[Scene] = []
    for number, other in enumerate(others, start=1):
        matrix = lay_over(other, main)
        if matrix is None:
            apart.append(other)
        else:
            tracks = _joined(tracks, other, number, matrix, height)
    tracks = _merged(tracks, height)
    looks = len(scenes) - len(apart)
    cards: list[SeenCard] = []
    doubts: list[Doubt] = []
    for track, chances in zip(tracks, _chances(tracks, looks, limits), strict=True):
        card, doubt = _resolved(track, chances, looks, len(cards))
        cards += [card] if card else []
        doubts += [doubt] if doubt else []
    extra = _missing(cards, apart)
    if extra:
        names = ", ".join(card.label for card in extra)
        doubts.append(Doubt("looks", f"Another photo shows {names} besides: please check that none is missing.", ()))
    unread = [doubt for scene in (main, *others) for doubt in scene.doubts if doubt.kind == "unread"]
    if any(doubt.kind == "unread" for doubt in main.doubts) or 2 * len(unread) >= len(scenes):
        doubts.append(unread[0])
    return _ordered(main, cards, doubts + too_many(cards, limits))


def lay_over(scene: Scene, onto: Scene) -> NDArray[np.float64] | None:
    """Return the homography (3, 3) from one look's pixels to another's, or nothing if too little tells.

    The indices of cards that both looks show just once tell; a card that is misread or moved is outvoted. Of fewer than
    four cards the outlines tell as well.
    """
    once, onto_once = _once(scene), _once(onto)
    shared = sorted(once.keys() & onto_once.keys(), key=lambda card: card.index)
    if not shared:
        return None
    starts: list[NDArray[np.float64]] = []
    ends: list[NDArray[np.float64]] = []
    of: list[int] = []
    for number, card in enumerate(shared):
        # A look may see either end of a card, so each of its indices may be any of the other look's.
        pairs = [(mark, other) for mark in _marks(scene, once[card]) for other in _marks(onto, onto_once[card])]
        if len(shared) < 4:
            pairs += list(zip(np.array(once[card].quad), np.array(onto_once[card].quad), strict=True))
        starts += [start for start, _ in pairs]
        ends += [end for _, end in pairs]
        of += [number] * len(pairs)
    start, end = np.array(starts), np.array(ends)
    most = FIT * _index_height(onto) * (1.0 if len(shared) >= 4 else 2.0)
    affine, fits = cv2.estimateAffinePartial2D(start, end, method=cv2.RANSAC, ransacReprojThreshold=most)
    plain = None if affine is None else np.vstack([affine, [0, 0, 1]])
    agreed = _fitting(fits, of)
    if len(shared) >= 4:
        full, full_fits = cv2.findHomography(start, end, cv2.RANSAC, most)
        if full is not None and agreed < PLAIN * _fitting(full_fits, of):
            plain, agreed = full, _fitting(full_fits, of)
    if plain is None or 2 * agreed < len(shared):
        return None
    return np.asarray(plain, np.float64)


def _fitting(fits: NDArray[np.generic] | None, of: Sequence[int]) -> int:
    """How many cards have a point that fits."""
    return 0 if fits is None else len({card for card, fit in zip(of, fits.ravel(), strict=True) if fit})


def _once(scene: Scene) -> dict[Card, SeenCard]:
    counts = Counter(seen.card for seen in scene.cards)
    return {seen.card: seen for seen in scene.cards if counts[seen.card] == 1 and seen.confidence >= 0.5}


def _marks(scene: Scene, seen: SeenCard) -> NDArray[np.float64]:
    """(K, 2) centres of a card's indices; its upper left corner where none is known."""
    boxes = np.array([scene.corners[place].box for place in seen.corners], np.float64).reshape(-1, 4)
    return (boxes[:, :2] + boxes[:, 2:]) / 2 if len(boxes) else np.array(seen.quad[:1], np.float64)


def _index_height(scene: Scene) -> float:
    """How high the indices of a look are; a quarter of a card's width where none is known."""
    boxes = np.array([corner.box for corner in scene.corners], np.float64).reshape(-1, 4)
    if len(boxes):
        return float(np.median((boxes[:, 2:] - boxes[:, :2]).max(axis=1)))
    return 0.25 * float(np.median([_width(seen.quad) for seen in scene.cards] or [1.0]))


def _width(quad: Quad) -> float:
    return float(np.linalg.norm(np.subtract(quad[1], quad[0])))


def _joined(
    tracks: list[_Track], scene: Scene, number: int, matrix: NDArray[np.float64], height: float
) -> list[_Track]:
    """Return the tracks with one more look: nearest cards first, each in one track at most.

    Args:
        tracks: the tracks so far.
        scene: what the look shows.
        number: which look it is.
        matrix: from its pixels to those of the tracks.
        height: of an index in pixels of the tracks.
    """
    quads = [apply_homography(matrix, np.array(seen.quad)) for seen in scene.cards]
    marks = [apply_homography(matrix, _marks(scene, seen)) for seen in scene.cards]
    pairs = []
    for place, seen in enumerate(scene.cards):
        for which, track in enumerate(tracks):
            # Of two places as near, the one that says the same.
            alike = track.says(seen.card)
            apart = np.linalg.norm(marks[place][:, None] - track.marks[None], axis=2).min() / max(height, 1e-6)
            if apart < NEAR:
                pairs.append((float(apart) + (0.0 if alike else NEAR), place, which))
            elif alike and _is_other_end(quads[place], np.array(track.quad)):
                pairs.append((2 * NEAR, place, which))
    taken: dict[int, int] = {}
    for _, place, which in sorted(pairs):
        if place not in taken and which not in taken.values():
            taken[place] = which
    joined = list(tracks)
    for place, seen in enumerate(scene.cards):
        sight = _Sight(number, seen, marks[place], place in scene.doubtful)
        if place in taken:
            track = joined[taken[place]]
            joined[taken[place]] = replace(track, sights=(*track.sights, sight))
        else:
            joined.append(_Track(_quad(quads[place]), (sight,)))
    return joined


def _merged(tracks: list[_Track], height: float) -> list[_Track]:
    """Return the tracks without those that are the other end of a card: more looks say so than show two cards."""
    left = list(tracks)
    for first, second in combinations(tracks, 2):
        if first not in left or second not in left:
            continue
        one = sum(_joins(sight, first, second, height) for sight in (*first.sights, *second.sights))
        if one > len(first.looks & second.looks):
            more = tuple(sight for sight in second.sights if sight.look not in first.looks)
            left[left.index(first)] = replace(first, sights=(*first.sights, *more))
            left.remove(second)
            break
    return left if len(left) == len(tracks) else _merged(left, height)


def _joins(sight: _Sight, first: _Track, second: _Track, height: float) -> bool:
    """Whether a look shows as one card what two tracks have, each at another end of it."""
    if sight.look in first.looks & second.looks:
        return False
    both = [
        np.linalg.norm(sight.marks[:, None] - track.sights[0].marks[None], axis=2).min() < NEAR * height
        for track in (first, second)
    ]
    return all(both) and first.says(sight.card.card) and second.says(sight.card.card)


def _is_other_end(quad: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether two outlines (4, 2) are of one card, each drawn from the index at the other's far end."""
    gaps = np.linalg.norm(quad[[0, 2]] - other[[2, 0]], axis=1)
    return bool(gaps.max() < OTHER_END * np.linalg.norm(other[1] - other[0]))


def _quad(points: NDArray[np.float64]) -> Quad:
    first, second, third, fourth = ((round(float(x), 1), round(float(y), 1)) for x, y in points)
    return first, second, third, fourth


def _chances(tracks: Sequence[_Track], looks: int, limits: Limits) -> NDArray[np.float64]:
    """(N, 53) chances of each track's kinds, averaged over all looks that could show it, within what the packs hold."""
    chances = np.zeros((len(tracks), REJECT))
    for row, track in zip(chances, tracks, strict=True):
        for sight in track.sights:
            for card, chance in ((sight.card.card, sight.card.confidence), *sight.card.alternatives):
                row[card.index] += chance / looks
    there = np.minimum(chances.sum(axis=1), 1.0)
    # What the looks do not name is not quite impossible.
    alone = np.maximum(chances, UNNAMED) / np.maximum(chances, UNNAMED).sum(axis=1, keepdims=True)
    return np.asarray(within_packs(alone, there, limits) * there[:, None])


def _resolved(
    track: _Track, chances: NDArray[np.float64], looks: int, place: int
) -> tuple[SeenCard | None, Doubt | None]:
    """Return the card of a track and the doubt about it; no card where hardly any look shows one.

    Args:
        track: the card's looks.
        chances: (53,) of its kinds.
        looks: how many looks could show it.
        place: where the card will stand.
    """
    (best, sure), *rest = ((KINDS[kind], float(chances[kind])) for kind in np.argsort(-chances, kind="stable")[:4])
    said = {sight.card.card for sight in track.sights}
    if looks > 2 and sure < MOST:
        shown = "Only one" if len(track.sights) == 1 else f"{len(track.sights)}"
        verb = "shows" if len(track.sights) == 1 else "show"
        text = f"{shown} of {looks} looks {verb} {best.label}: please check whether a card is missing."
        return None, Doubt("looks", text, ())
    alternatives = tuple((card, round(chance, 4)) for card, chance in rest if chance >= 0.01)
    first = next((sight.card for sight in track.sights if sight.look == 0), None)
    fused = SeenCard(best, round(min(sure, 1.0), 4), track.quad, alternatives, first.corners if first else ())
    if len(said) > 1 and sure < AGREED:
        names = " or ".join(sorted((card.label for card in said), key=lambda name: name != best.label))
        return fused, Doubt("unsure", f"The looks disagree, it may be {names}: please confirm it.", (place,))
    if sure < AGREED or 2 * sum(sight.is_doubted for sight in track.sights) >= len(track.sights):
        return fused, Doubt("faint", f"Perhaps {best.label}, not seen well in every look: please confirm it.", (place,))
    return fused, None


def _missing(cards: Sequence[SeenCard], apart: Sequence[Scene]) -> list[Card]:
    """Return the cards that looks which could not be laid over show oftener than ``cards`` do."""
    there = Counter(seen.card for seen in cards)
    most: Counter[Card] = Counter()
    for scene in apart:
        most |= Counter(seen.card for seen in scene.cards)
    return sorted((most - there).elements(), key=lambda card: card.index)


def _ordered(main: Scene, cards: Sequence[SeenCard], doubts: Sequence[Doubt]) -> Scene:
    """Return the scene with its cards in groups and reading order."""
    groups = group_cards([seen.quad for seen in cards])
    order = [place for group in groups for place in group]
    renumbered = {place: number for number, place in enumerate(order)}
    return Scene(
        size_wh=main.size_wh,
        cards=tuple(cards[place] for place in order),
        groups=tuple(tuple(renumbered[place] for place in group) for group in groups),
        corners=main.corners,
        doubts=tuple(
            replace(doubt, cards=tuple(sorted(renumbered[place] for place in doubt.cards))) for doubt in doubts
        ),
    )
