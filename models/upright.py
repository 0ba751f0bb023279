"""Training crops for the reader: upright corner indices, and what is mistaken for one.

Crops come from two sources. Rendered scenes give indices as they lie in hands, beside fingers and under
neighbours. Patches, the corners of faces alone, are put on a ground between neighbours and photographed; they
are cheap, so they bring every card of many designs. Both are cut by ``vision.crops`` at points that are as
wrong as a detector's are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets import light
from datasets.crops import SceneIndices
from datasets.decks import CornerIndex, Deck, Face
from datasets.grounds import Grounds
from engine.cards import JOKER, KINDS, Card
from vision.crops import CROP_COLUMNS, CROP_ROWS, SURROUNDINGS, reader_crops
from vision.geometry import right_of, unit
from vision.photo import Photo

REJECT = len(KINDS)
"""Class of crops that show no index, after the 53 kinds of card."""
READABLE = 0.6
"""Least visible share of an index that the reader should name."""
HIDDEN = 0.4
"""Largest visible share of an index that the reader should not name. Between the two it is not trained."""
REJECTS = 0.13
"""Share of crops that show no index."""
TURNED_JOKERS = 0.25
"""Share of jokers that are shown the other way round: their lettering may run up or down a card."""
RESHOT = 0.6
"""Share of the scenes' crops that are taken as another photo might have shown them."""
PATCH_HEIGHT = 48
"""Height of the index in a patch, in pixels."""
PATCH_SIDE = 224
"""Side of a patch in pixels, the index in its middle: as far as a reader's crop with its surroundings reaches."""


@dataclass(frozen=True)
class Upright:
    """A training crop for the reader."""

    image: NDArray[np.uint8]
    """(64, 48, 6) as ``vision.crops.reader_crops`` cuts it."""
    kind: int
    """Place in ``KINDS``, or ``REJECT``."""


@dataclass(frozen=True)
class Patch:
    """The surroundings of one corner index on a face, the index upright in the middle."""

    kind: int
    """Place in ``KINDS``."""
    image: NDArray[np.uint8]
    """(PATCH_SIDE, PATCH_SIDE, 4) RGB and whether the card is there, 0 or 255."""
    extent: tuple[float, float]
    """Width and height of the index in pixels."""


def misplaced(points: NDArray[np.floating], rng: np.random.Generator, strength: float = 1.0) -> NDArray[np.float64]:
    """Return rank and suit centres as a detector would have found them: shifted, turned and scaled a little.

    Args:
        points: (N, 2, 2) true centres of rank and suit as x, y.
        rng: source of chance.
        strength: 1 for the errors of a detector; more for worse.
    """
    points = np.asarray(points, np.float64)
    count = len(points)
    middle, half = points.mean(axis=1), (points[:, 1] - points[:, 0]) / 2
    height = 4 * np.linalg.norm(half, axis=1)[:, None]
    shifted = middle + rng.normal(0, 0.05 * strength, (count, 2)) * height
    # Most directions are good to some degrees, some are far worse.
    spread = np.where(rng.random(count) < 0.12, 13.0, 5.0) * strength
    angle = np.radians(rng.normal(0, 1, count) * spread)[:, None]
    turned = np.cos(angle) * half - np.sin(angle) * right_of(half)
    scaled = turned * np.exp(rng.normal(0, 0.1 * strength, (count, 1)))
    return np.stack([shifted - scaled, shifted + scaled], axis=1)


def scene_crops(
    scene: SceneIndices, image: NDArray[np.uint8], rng: np.random.Generator, copies: int = 1
) -> list[Upright]:
    """Return crops of a scene's readable indices and, in proportion, of places that hold none.

    Args:
        scene: the scene's indices.
        image: (H, W, 3) RGB, the scene's picture.
        rng: source of chance.
        copies: crops of each readable index.
    """
    kinds = np.array([Card(card).index for card in scene.cards], int)
    readable = np.repeat(np.flatnonzero((scene.visible >= READABLE) & (scene.heights >= 8)), copies)
    points = misplaced(scene.points[readable], rng)
    # The upper end of a joker's index is often a matter of taste, and detectors differ about it.
    jokers = kinds[readable] == JOKER.index
    turned = jokers & (rng.random(len(readable)) < TURNED_JOKERS)
    points[turned] = points[turned, ::-1]
    wrong = _mistakable(scene, image, rng, REJECTS * len(readable) / (1 - REJECTS))
    found, found_kinds = _found(scene, kinds)
    every = np.concatenate([points, wrong, found])
    crops = reader_crops(Photo(image), every[:, 0], every[:, 1])
    labels = np.concatenate([kinds[readable], np.full(len(wrong), REJECT), found_kinds])
    return [Upright(crop, int(kind)) for crop, kind in zip(crops, labels, strict=True)]


def _found(scene: SceneIndices, kinds: NDArray[np.int_]) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """(K, 2, 2) points that a detector really found and (K,) their classes; doubtful ones are left out."""
    found = scene.found.astype(np.float64).reshape(-1, 2, 2)
    if not len(found) or not len(scene.points):  # on a table without a face everything found is none
        return found, np.full(len(found), REJECT)
    gaps = np.linalg.norm(found.mean(axis=1)[:, None] - scene.points.mean(axis=1)[None], axis=2) / scene.heights
    nearest = gaps.argmin(axis=1)
    same_way = (unit(found[:, 1] - found[:, 0]) * unit(scene.points[nearest, 1] - scene.points[nearest, 0])).sum(axis=1)
    there = (gaps.min(axis=1) < 0.3) & (scene.visible[nearest] >= READABLE) & (scene.heights[nearest] >= 8)
    joker = kinds[nearest] == JOKER.index
    right, wrong_way = there & ((same_way > 0.7) | joker), there & (same_way < -0.7) & ~joker
    none = (gaps.min(axis=1) < 0.3) & (scene.visible[nearest] <= HIDDEN) | _clear(scene, found)
    labels = np.where(right, kinds[nearest], REJECT)
    taught = right | wrong_way | none
    return found[taught], labels[taught]


def _mistakable(
    scene: SceneIndices, image: NDArray[np.uint8], rng: np.random.Generator, expected: float
) -> NDArray[np.float64]:
    """(M, 2, 2) points that a detector may take for an index: M is random, ``expected`` on average.

    Equal parts: half-hidden indices, indices the wrong way round, places beside an index, any places.
    """
    readable = np.flatnonzero(scene.visible >= READABLE)
    hidden = np.flatnonzero(scene.visible <= HIDDEN)
    if not len(readable):
        return np.zeros((0, 2, 2))
    shares = rng.poisson(expected / 4, 4)
    wrong = []
    if len(hidden):
        wrong.append(misplaced(scene.points[rng.choice(hidden, shares[0])], rng))
    # A joker's index may look the same the other way round.
    cards = readable[np.array([scene.cards[place] != JOKER.code for place in readable], bool)]
    if len(cards):
        turned = misplaced(scene.points[rng.choice(cards, shares[1])], rng, 1.3)
        wrong.append(turned[:, ::-1])
    beside = scene.points[rng.choice(readable, shares[2])].astype(np.float64)
    heights = 2 * np.linalg.norm(beside[:, 1] - beside[:, 0], axis=1)
    away = unit(rng.normal(size=(len(beside), 2))) * (heights * rng.uniform(0.65, 3.0, len(beside)))[:, None]
    wrong.append(misplaced(beside + away[:, None], rng, 2.0))
    height = np.exp(rng.normal(np.log(np.median(scene.heights[readable])), 0.5, (shares[3], 1)))
    middle = rng.uniform((0, 0), image.shape[1::-1], (shares[3], 2))
    half = unit(rng.normal(size=(shares[3], 2))) * height / 4
    wrong.append(np.stack([middle - half, middle + half], axis=1))
    points = np.concatenate(wrong)
    clear = np.concatenate(
        [
            np.ones(len(points) - shares[2] - shares[3], bool),
            _clear(scene, points[len(points) - shares[2] - shares[3] :]),
        ]
    )
    return points[clear]


def _clear(scene: SceneIndices, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(M,) whether places are away from every index that could be read there."""
    middles = scene.points[scene.visible > HIDDEN].mean(axis=1)
    heights = scene.heights[scene.visible > HIDDEN]
    if not len(middles) or not len(points):
        return np.ones(len(points), bool)
    apart = np.linalg.norm(points.mean(axis=1)[:, None] - middles[None], axis=2)
    return np.asarray((apart > 0.6 * heights).all(axis=1))


def cut_patches(deck: Deck, card: Card, style: int = 0) -> list[Patch]:
    """Return the patch of a face's first index; none of a face without."""
    face = deck.face(card, style)
    return [_patch(face, index, card.index, deck.corner_radius) for index in face.indices[:1]]


def deck_patches(deck: Deck) -> list[Patch]:
    """Return the patches of every card of a deck, jokers included."""
    cards = [(card, 0) for card in KINDS[:-1]] + [(JOKER, style) for style in range(deck.joker_styles)]
    return [patch for card, style in cards for patch in cut_patches(deck, card, style)]


def _patch(face: Face, index: CornerIndex, kind: int, radius: float) -> Patch:
    rank, suit = np.array(index.rank), np.array(index.suit)
    half = suit - rank
    step = 2 * float(np.linalg.norm(half)) / PATCH_HEIGHT
    # Averaged first: a face may hold its index far larger than a patch does.
    shrink = min(1.0, 1 / step)
    picture = face.image
    picture = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    presence = np.zeros(picture.shape[:2], np.uint8)
    _fill_rounded(presence, radius * shrink)
    down = unit(half) * step * shrink
    matrix = np.stack([right_of(down), down], axis=1)
    middle = (rank + suit) / 2 * shrink - 0.5
    matrix = np.column_stack([matrix, middle - matrix @ ((PATCH_SIDE - 1) / 2 * np.ones(2))])
    image = cv2.warpAffine(
        np.dstack([picture, presence]),
        matrix,
        (PATCH_SIDE, PATCH_SIDE),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
    )
    x0, y0, x1, y1 = index.box
    across, along = abs(right_of(unit(half))), abs(unit(half))
    extent = tuple(float(axis @ (x1 - x0, y1 - y0) / step) for axis in (across, along))
    return Patch(kind, np.asarray(image, np.uint8), (extent[0], extent[1]))


def _fill_rounded(mask: NDArray[np.uint8], radius: float) -> None:
    height, width = mask.shape
    r = round(radius)
    cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 255, -1)
    for x in (r, width - 1 - r):
        for y in (r, height - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1)


class Tabletop:
    """Lays patches on grounds, between neighbours of the same deck, and photographs them.

    Args:
        patches: the patches of each deck.
        grounds: what the cards lie on.
        rng: source of chance.
    """

    def __init__(self, patches: Sequence[Sequence[Patch]], grounds: Grounds, rng: np.random.Generator) -> None:
        self._rng = rng
        self._decks = [deck for deck in patches if deck]
        self._grounds = [grounds.sample(rng, (320, 320)) for _ in range(60)]

    def crop(self) -> Upright:
        """Return a crop of one index; every kind of card is as likely, and jokers more so."""
        rng = self._rng
        deck = self._decks[rng.integers(len(self._decks))]
        kind = int(rng.integers(len(KINDS))) if rng.random() < 0.92 else JOKER.index
        choice = [patch for patch in deck if patch.kind == kind] or list(deck)
        patch = choice[rng.integers(len(choice))]
        height = float(np.exp(rng.uniform(np.log(13), np.log(PATCH_HEIGHT))))
        scale = height / PATCH_HEIGHT
        side = int(np.ceil(PATCH_SIDE * scale))
        place = self._stance(scale, side)
        picture = self._ground(side)
        neighbours = [deck[rng.integers(len(deck))] for _ in range(2)] if rng.random() < 0.7 else []
        step = np.array([rng.uniform(0.45, 1.9) * PATCH_HEIGHT, rng.normal(0, 0.12) * PATCH_HEIGHT])
        bend = np.radians(rng.normal(4, 4))
        if neighbours:
            picture, _ = self._lay(picture, neighbours[0].image, place @ _moved(-step, -bend), scale)
        picture, _ = self._lay(picture, patch.image, place, scale)
        visible = 1.0
        if neighbours:
            picture, covered = self._lay(picture, neighbours[1].image, place @ _moved(step, bend), scale)
            visible = 1 - _share(covered, place, patch.extent)
        if rng.random() < 0.15:
            picture = picture + _sheen(rng, side)
        mood = "dim" if rng.random() < 0.2 else "plain"
        shot = light.photographed(rng, picture, np.ones((side, side), bool), height, mood)
        if rng.random() < 0.6:
            quality = int(rng.integers(35, 95))
            shot = cv2.imdecode(cv2.imencode(".jpg", shot, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 1)
        middle = (PATCH_SIDE - 1) / 2
        ends = np.array([[middle, middle - PATCH_HEIGHT / 4, 1], [middle, middle + PATCH_HEIGHT / 4, 1]])
        mapped = ends @ place.T
        points = mapped[:, :2] / mapped[:, 2:] + 0.5
        is_joker = patch.kind == JOKER.index
        turned = rng.random() < (TURNED_JOKERS if is_joker else 0.02)
        points = misplaced(points[None, ::-1] if turned else points[None], rng)
        (crop,) = reader_crops(Photo(np.asarray(shot, np.uint8)), points[:, 0], points[:, 1])
        if (turned and not is_joker) or visible <= HIDDEN:
            return Upright(crop, REJECT)
        # Between hidden and readable nothing is taught: lay another.
        return Upright(crop, patch.kind) if visible >= READABLE else self.crop()

    def _stance(self, scale: float, side: int) -> NDArray[np.float64]:
        """Homography from patch pixels to picture pixels: turned, foreshortened, in perspective."""
        rng = self._rng
        angle, axis = rng.uniform(0, 2 * np.pi, 2)
        flat = _rotation(axis) @ np.diag([rng.uniform(0.6, 1.0) if rng.random() < 0.6 else 1.0, 1]) @ _rotation(-axis)
        tilt = np.eye(3)
        tilt[2, :2] = rng.normal(0, 0.12, 2) / PATCH_SIDE
        linear = np.eye(3)
        linear[:2, :2] = scale * _rotation(angle) @ flat
        return _shift((side - 1) / 2) @ linear @ tilt @ _shift(-(PATCH_SIDE - 1) / 2)

    def _ground(self, side: int) -> NDArray[np.float32]:
        ground = self._grounds[self._rng.integers(len(self._grounds))]
        x, y = self._rng.integers(0, ground.shape[0] - side + 1, 2)
        return ground[y : y + side, x : x + side].astype(np.float32)

    def _lay(
        self, picture: NDArray[np.float32], image: NDArray[np.uint8], place: NDArray[np.float64], scale: float
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The picture with a patch on it and a soft shadow around, and where the patch lies, 0 to 1."""
        if scale < 0.7:
            small = max(2, round(PATCH_SIDE * scale * 1.3))
            shrink = small / PATCH_SIDE
            image = cv2.resize(image, (small, small), interpolation=cv2.INTER_AREA)
            grow = np.diag([1 / shrink, 1 / shrink, 1.0])
            grow[:2, 2] = (1 / shrink - 1) / 2
            place = place @ grow
        side = picture.shape[0]
        laid = cv2.warpPerspective(image, place, (side, side), flags=cv2.INTER_LINEAR).astype(np.float32)
        presence = laid[..., 3] / 255
        shadow = cv2.GaussianBlur(presence, (0, 0), max(0.5, 4 * scale))[..., None]
        darkness = np.float32(self._rng.uniform(0.05, 0.5))
        return (
            picture * (1 - darkness * shadow * (1 - presence[..., None])) * (1 - presence[..., None])
            + laid[..., :3] * presence[..., None],
            presence,
        )


def _sheen(rng: np.random.Generator, side: int) -> NDArray[np.float32]:
    """(side, side, 1) reflection of a lamp somewhere in the picture, in grey levels."""
    x, y = rng.uniform(0, side, 2)
    wide, tall = rng.uniform(0.08, 0.5, 2) * side
    rows, columns = np.mgrid[:side, :side].astype(np.float32)
    reach = np.exp(-(((columns - x) / wide) ** 2) - ((rows - y) / tall) ** 2)
    return (np.float32(rng.uniform(30, 170)) * reach)[..., None]


def _rotation(angle: float) -> NDArray[np.float64]:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _shift(by: float) -> NDArray[np.float64]:
    matrix = np.eye(3)
    matrix[:2, 2] = by
    return matrix


def _moved(step: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    """Patch to patch: a neighbour's index lies ``step`` further, turned by ``angle`` about its middle."""
    matrix = np.eye(3)
    matrix[:2, :2] = _rotation(angle)
    matrix[:2, 2] = step
    return _shift((PATCH_SIDE - 1) / 2) @ matrix @ _shift(-(PATCH_SIDE - 1) / 2)


def _share(covered: NDArray[np.float32], place: NDArray[np.float64], extent: tuple[float, float]) -> float:
    """Covered share of an index of ``extent`` (width, height) in the middle of its patch."""
    grid = np.stack(np.meshgrid(np.linspace(-0.5, 0.5, 7), np.linspace(-0.5, 0.5, 9)), axis=-1).reshape(-1, 2)
    at = np.column_stack([grid * extent + (PATCH_SIDE - 1) / 2, np.ones(len(grid))]) @ place.T
    x, y = np.clip(np.round((at[:, :2] / at[:, 2:]).T).astype(int), 0, covered.shape[0] - 1)
    return float(covered[y, x].mean())


def reshot(crop: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return a crop as another photo of the same place might have shown it: from farther away, in other light, noisier.

    Without this a reader learns the scenes by heart: what it had learnt from it named without fault, while it erred in
    one of twenty of the next.

    Args:
        crop: (64, 48, 6) as ``vision.crops.reader_crops`` cuts it.
        rng: source of chance.
    """
    # Both halves are of one photo: the same chance for both.
    seed = int(rng.integers(2**32))
    halves = ((crop[..., :3], 1.0), (crop[..., 3:], SURROUNDINGS))
    return np.concatenate([_reshot(half, field, np.random.default_rng(seed)) for half, field in halves], axis=2)


def _reshot(crop: NDArray[np.uint8], field: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """One half of a crop, which shows ``field`` times as much of the photo as the index does."""
    shrink = field * np.exp(rng.uniform(np.log(0.25), 0)) if rng.random() < 0.5 else 1.0
    blur = rng.uniform(0.3, 0.03 * len(crop)) if rng.random() < 0.3 else 0.0
    quality = int(rng.integers(35, 95)) if rng.random() < 0.3 else None
    shot = crop.astype(np.float32)
    if rng.random() < 0.7:
        shot = light.colour_cast(rng, light.tone(rng, shot))
    if blur:
        shot = cv2.GaussianBlur(shot, (0, 0), max(blur / field, 0.2))
    if shrink < 1:
        shot = cv2.resize(shot, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    if rng.random() < 0.5:
        shot = light.noise(rng, np.clip(shot, 0, 255), rng.gamma(1.5, 2.0))
    shot = np.clip(shot, 0, 255).astype(np.uint8)
    if quality:
        shot = cv2.imdecode(cv2.imencode(".jpg", shot, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 1)
    if len(shot) < len(crop):
        shot = cv2.resize(shot, (CROP_COLUMNS, CROP_ROWS), interpolation=cv2.INTER_LINEAR)
    return np.asarray(shot, np.uint8)


def stream_upright(
    scenes: Sequence[SceneIndices],
    tabletop: Tabletop | None,
    seed: int,
    share: float = 0.2,
    buffered: int = 6000,
) -> Iterator[Upright]:
    """Yield crops without end, mixed: of the scenes in turn, a ``share`` of them from the tabletop instead.

    No two looks at a scene are alike: what the detector found is moved a little, and many crops are ``reshot``.

    Args:
        scenes: where most crops are cut.
        tabletop: where the others are; none without one.
        seed: source of chance.
        share: part of the tabletop's crops.
        buffered: how many crops wait to be drawn from.
    """
    rng = np.random.default_rng(seed)
    waiting: list[Upright] = []
    while True:
        for place in rng.permutation(len(scenes)):
            scene = scenes[place]
            moved = replace(scene, found=misplaced(scene.found, rng, strength=0.4).astype(np.float32))
            crops = [
                replace(crop, image=reshot(crop.image, rng)) if rng.random() < RESHOT else crop
                for crop in scene_crops(moved, scene.read_image(), rng)
            ]
            if tabletop is not None:
                crops += [tabletop.crop() for _ in range(rng.poisson(len(crops) * share / (1 - share)))]
            for crop in crops:
                waiting.append(crop)
                if len(waiting) > buffered:
                    drawn = int(rng.integers(len(waiting)))
                    waiting[drawn], waiting[-1] = waiting[-1], waiting[drawn]
                    yield waiting.pop()
