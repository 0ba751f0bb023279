"""Several looks at one table fused into one scene: frames of a phone on a stand, or photos of a hand from two sides.

The looks are laid over each other by cards that each of them shows just once. Then what lies at one place is one
card, however often it was seen, and equal cards at two places are two. Chances are averaged, not multiplied: frames
of one camera err alike. What the looks disagree on is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import KINDS, Card
from vision.cards import too_many, within_packs
from vision.geometry import apply_homography
from vision.layout import group_cards
from vision.pairing import Limits
from vision.reader import REJECT
from vision.scene import Doubt, Quad, Scene, SeenCard

NEAR = 0.3
"""Two cards whose upper left corners lie nearer than this many card widths are one card."""
FIT = 0.25
"""How far two looks may miss each other where they are laid over, in card widths."""
STRAY = 0.7
"""Least chance of a card that only one of several looks shows, for it to be shown at all."""
UNNAMED = 1e-4
"""Chance of a kind that no look names."""
AGREED = 0.8
"""Least chance of a card, averaged over all looks that could show it, for it to pass without a doubt."""


@dataclass(frozen=True)
class _Track:
    """One card and the looks that show it."""

    quad: Quad
    """In pixels of the look that the others are laid over."""
    seen: tuple[tuple[int, SeenCard], ...]
    """The number of each look, and the card as it shows it."""
    doubted: int
    """How many of these looks ask about the card."""


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
    tracks = [_Track(seen.quad, ((0, seen),), int(place in main.doubtful)) for place, seen in enumerate(main.cards)]
    apart: list[Scene] = []
    for number, other in enumerate(others, start=1):
        matrix = lay_over(other, main)
        if matrix is None:
            apart.append(other)
        else:
            tracks = _joined(tracks, other, number, matrix)
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

    Cards that both looks show just once tell; one that is misread or moved is outvoted.
    """
    once, onto_once = _once(scene), _once(onto)
    shared = sorted(once.keys() & onto_once.keys(), key=lambda card: card.index)
    if not shared:
        return None
    start = np.array([once[card].quad for card in shared], np.float64).reshape(-1, 2)
    end = np.array([onto_once[card].quad for card in shared], np.float64).reshape(-1, 2)
    wide = float(np.median([_width(seen.quad) for seen in onto.cards]))
    if len(shared) >= 4:
        matrix, inliers = cv2.findHomography(start, end, cv2.RANSAC, FIT * wide)
    else:
        # Few cards: their outlines are estimates, so nothing but turn, size and shift is taken from them.
        affine, inliers = cv2.estimateAffinePartial2D(start, end, method=cv2.RANSAC, ransacReprojThreshold=FIT * wide)
        matrix = None if affine is None else np.vstack([affine, [0, 0, 1]])
    if matrix is None or inliers is None or int(inliers.sum()) < max(4, len(start) // 2):
        return None
    return np.asarray(matrix, np.float64)


def _once(scene: Scene) -> dict[Card, SeenCard]:
    counts = Counter(seen.card for seen in scene.cards)
    return {seen.card: seen for seen in scene.cards if counts[seen.card] == 1 and seen.confidence >= 0.5}


def _width(quad: Quad) -> float:
    return float(np.linalg.norm(np.subtract(quad[1], quad[0])))


def _joined(tracks: list[_Track], scene: Scene, number: int, matrix: NDArray[np.float64]) -> list[_Track]:
    """Return the tracks with one more look: nearest cards first, each in one track at most."""
    quads = [apply_homography(matrix, np.array(seen.quad)) for seen in scene.cards]
    pairs = []
    for place, quad in enumerate(quads):
        for which, track in enumerate(tracks):
            gap = float(np.linalg.norm(quad[0] - track.quad[0])) / max(_width(track.quad), 1e-6)
            if gap < NEAR:
                # Of two places as near, the one that says the same.
                alike = any(seen.card == scene.cards[place].card for _, seen in track.seen)
                pairs.append((gap + (0.0 if alike else NEAR), place, which))
    taken: dict[int, int] = {}
    for _, place, which in sorted(pairs):
        if place not in taken and which not in taken.values():
            taken[place] = which
    joined = list(tracks)
    for place, seen in enumerate(scene.cards):
        doubted = int(place in scene.doubtful)
        if place in taken:
            track = tracks[taken[place]]
            joined[taken[place]] = replace(track, seen=(*track.seen, (number, seen)), doubted=track.doubted + doubted)
        else:
            joined.append(_Track(_quad(quads[place]), ((number, seen),), doubted))
    return joined


def _quad(points: NDArray[np.float64]) -> Quad:
    first, second, third, fourth = ((round(float(x), 1), round(float(y), 1)) for x, y in points)
    return first, second, third, fourth


def _chances(tracks: Sequence[_Track], looks: int, limits: Limits) -> NDArray[np.float64]:
    """(N, 53) chances of each track's kinds, averaged over all looks that could show it, within what the packs hold."""
    chances = np.zeros((len(tracks), REJECT))
    for row, track in zip(chances, tracks, strict=True):
        for _, seen in track.seen:
            for card, chance in ((seen.card, seen.confidence), *seen.alternatives):
                row[card.index] += chance / looks
    there = np.minimum(chances.sum(axis=1), 1.0)
    # What the looks do not name is not quite impossible.
    alone = np.maximum(chances, UNNAMED) / np.maximum(chances, UNNAMED).sum(axis=1, keepdims=True)
    return within_packs(alone, there, limits) * there[:, None]


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
    said = {seen.card for _, seen in track.seen}
    if len(track.seen) == 1 and looks > 2 and sure * looks < STRAY:
        text = f"Only one of {looks} looks shows {best.label}: please check whether a card is missing."
        return None, Doubt("looks", text, ())
    alternatives = tuple((card, round(chance, 4)) for card, chance in rest if chance >= 0.01)
    first = next((seen for number, seen in track.seen if number == 0), None)
    fused = SeenCard(best, round(min(sure, 1.0), 4), track.quad, alternatives, first.corners if first else ())
    if len(said) > 1 and sure < AGREED:
        names = " or ".join(sorted((card.label for card in said), key=lambda name: name != best.label))
        return fused, Doubt("unsure", f"The looks disagree, it may be {names}: please confirm it.", (place,))
    if sure < AGREED or 2 * track.doubted >= len(track.seen):
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
