"""Rendered scenes: cards on a table as a phone sees them, with the exact place of every corner index."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets import layouts, light
from datasets.clutter import Clutter, Layer, fingers, things
from datasets.dealing import Stock, deal_hand, deal_meld
from datasets.decks import FACE_HEIGHT, Deck, Face, corner_count
from engine.cards import JOKER, Card
from vision.geometry import apply_homography, bounding_box, quad_area

READABLE = 0.75
"""Share of a corner index that must be in sight for it to count as readable."""


@dataclass(frozen=True)
class LabelledIndex:
    """One corner index of a scene, in pixels."""

    card: Card
    of: int
    """The physical card, as place in ``LabelledScene.cards``."""
    box: NDArray[np.float64]
    """(4,) x_min, y_min, x_max, y_max."""
    rank: NDArray[np.float64]
    suit: NDArray[np.float64]
    """(2,) centres of the glyphs; for a joker of the upper and the lower half of its index."""
    visible: float
    """Share in sight, 0 to 1."""

    @property
    def height(self) -> float:
        """Height of the index in pixels: twice the distance between its two centres."""
        return 2 * float(np.linalg.norm(self.suit - self.rank))


@dataclass(frozen=True)
class LabelledCard:
    """One physical card with at least one readable index."""

    card: Card
    group: int
    quad: NDArray[np.float64]
    """(4, 2) in the card's own order: top-left, top-right, bottom-right, bottom-left."""


@dataclass(frozen=True)
class LabelledScene:
    """A picture and the truth about it."""

    image: NDArray[np.uint8]
    """(H, W, 3) RGB."""
    cards: tuple[LabelledCard, ...]
    """In reading order, group after group."""
    indices: tuple[LabelledIndex, ...]
    tags: tuple[str, ...]
    tilt: float
    """Angle between the camera's axis and the table's upright, in degrees."""

    def label(self, photo: str) -> dict[str, Any]:
        """Return the line of ``labels.jsonl`` for this scene stored under the name ``photo``."""
        height, width = self.image.shape[:2]
        size = np.array([width, height])
        groups = sorted({seen.group for seen in self.cards})
        corners = []
        for index in self.indices:
            if index.visible >= READABLE:
                low, high = index.box[:2] / size, index.box[2:] / size
                corners.append([index.card.code, *np.round([*((low + high) / 2), *(high - low)], 6).tolist()])
        return {
            "photo": photo,
            "size": [width, height],
            "cards": [seen.card.code for seen in self.cards],
            "groups": [[seen.card.code for seen in self.cards if seen.group == group] for group in groups],
            "corners": corners,
            "indices": [
                {
                    "card": index.card.code,
                    "of": index.of,
                    "box": np.round(index.box, 2).tolist(),
                    "rank": np.round(index.rank, 2).tolist(),
                    "suit": np.round(index.suit, 2).tolist(),
                    "visible": round(index.visible, 3),
                }
                for index in self.indices
            ],
            "quads": [np.round(seen.quad, 2).tolist() for seen in self.cards],
            "card_groups": [groups.index(seen.group) for seen in self.cards],
            "tags": list(self.tags),
            "tilt": round(self.tilt, 1),
        }


@dataclass
class _Placed:
    """A card on its way into a picture."""

    card: Card | None
    """None for a card that lies face down."""
    face: Face
    radius: float
    pose: NDArray[np.float64]
    group: int
    order: int
    """Place in the reading order of the whole picture."""
    matrix: NDArray[np.float64] = field(default_factory=lambda: np.eye(3))
    """Homography from face pixels to picture pixels."""

    @property
    def size_wh(self) -> tuple[int, int]:
        return self.face.image.shape[1], self.face.image.shape[0]

    def quad(self) -> NDArray[np.float64]:
        width, height = self.size_wh
        return apply_homography(self.matrix, np.array([[0, 0], [width, 0], [width, height], [0, height]], float))

    def outline(self) -> NDArray[np.int32]:
        """Rounded outline in 1/16 pixels, for ``cv2.fillConvexPoly`` with ``shift=4``."""
        width, height = self.size_wh
        turn = np.linspace(0, np.pi / 2, 5)
        arc = self.radius * np.stack([1 - np.cos(turn), 1 - np.sin(turn)], axis=1)
        points = np.concatenate([
            arc,
            [width, 0] + arc[::-1] * [-1, 1],
            [width, height] - arc,
            [0, height] + arc[::-1] * [1, -1],
        ])  # fmt: skip
        return np.round(apply_homography(self.matrix, points) * 16).astype(np.int32)


def _face_to_table(pose: NDArray[np.float64], size_wh: tuple[int, int]) -> NDArray[np.float64]:
    """Homography from face pixels to the table, where a card is one high."""
    x, y, angle = pose
    scale = 1.0 / FACE_HEIGHT
    cos, sin = np.cos(angle) * scale, np.sin(angle) * scale
    width, height = size_wh
    return np.array([
        [cos, -sin, x - cos * width / 2 + sin * height / 2],
        [sin, cos, y - sin * width / 2 - cos * height / 2],
        [0, 0, 1],
    ])  # fmt: skip


def _camera(rng: np.random.Generator, tilt: float, centre: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """Homography from the table to a picture of arbitrary scale, seen at ``tilt`` radians from above."""
    turn = rng.uniform(-np.pi, np.pi)  # the side from which the phone leans over
    distance = reach * rng.uniform(2.2, 5.0) + 1.0
    cos, sin = np.cos(turn), np.sin(turn)
    to_side = np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]]) @ np.array(
        [[1, 0, -centre[0]], [0, 1, -centre[1]], [0, 0, 1]]
    )
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), 0], [0, np.sin(tilt) / distance, 1]])
    back = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    return back @ lean @ to_side


def _visibility(placed: Sequence[_Placed], bottom_up: Sequence[int], over: NDArray[np.bool_]) -> list[list[float]]:
    """Return for each card the share in sight of each of its indices, counted on a map of topmost cards."""
    height, width = over.shape
    top = np.full((height, width), -1, np.int16)
    for place in bottom_up:
        cv2.fillConvexPoly(top, placed[place].outline(), place, cv2.LINE_8, 4)
    top[over] = -2
    shares: list[list[float]] = []
    for place, item in enumerate(placed):
        shares.append([])
        for index in item.face.indices:
            x0, y0, x1, y1 = index.box
            corners = apply_homography(item.matrix, np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))
            low = np.floor(corners.min(axis=0)).astype(int)
            high = np.ceil(corners.max(axis=0)).astype(int) + 1
            mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
            cv2.fillConvexPoly(mask, np.round((corners - low) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
            left, upper = np.maximum(low, 0)
            right, lower = np.minimum(high, [width, height])
            if left >= right or upper >= lower:
                shares[-1].append(0.0)
                continue
            inside = mask[upper - low[1] : lower - low[1], left - low[0] : right - low[0]] > 0
            seen = np.count_nonzero(inside & (top[upper:lower, left:right] == place))
            shares[-1].append(seen / max(int(mask.sum()), 1))
    return shares


def _lay(canvas: light.Picture, item: _Placed, rng: np.random.Generator, softness: float) -> None:
    """Draw one card with its shadow into the picture."""
    height, width = canvas.shape[:2]
    quad = item.quad()
    shrink = np.sqrt(quad_area(quad) / (item.size_wh[0] * item.size_wh[1]))
    margin = 4 * softness + 3
    low = np.maximum(np.floor(quad.min(axis=0) - margin), 0).astype(int)
    high = np.minimum(np.ceil(quad.max(axis=0) + margin), [width, height]).astype(int)
    if (low >= high).any():
        return
    area = canvas[low[1] : high[1], low[0] : high[0]]
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    # Reduce the face before warping: a homography samples, it does not average.
    face, matrix = item.face.image, item.matrix
    if shrink < 0.75:
        reduced = (max(8, round(face.shape[1] * shrink * 1.15)), max(8, round(face.shape[0] * shrink * 1.15)))
        matrix = matrix @ np.diag([face.shape[1] / reduced[0], face.shape[0] / reduced[1], 1.0])
        face = cv2.resize(face, reduced, interpolation=cv2.INTER_AREA)
    shift = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]], float)
    warped = cv2.warpPerspective(
        np.ascontiguousarray(face),
        shift @ matrix,
        size,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.float32)
    mask = np.zeros(size[::-1], np.uint8)
    outline = item.outline() - np.round(low * 16).astype(np.int32)
    cv2.fillConvexPoly(mask, outline, 255, cv2.LINE_AA, 4)
    cover = mask.astype(np.float32)[..., None] / 255
    shade = cv2.GaussianBlur(mask, (0, 0), softness).astype(np.float32)[..., None] / 255
    slide = np.float32([[1, 0, rng.normal(0, softness * 0.5)], [0, 1, rng.normal(0, softness * 0.5)]])
    shade = cv2.warpAffine(shade, slide, size)[..., None]
    area *= 1 - shade * np.float32(rng.uniform(0.25, 0.75))
    # A card is never quite flat: its brightness falls off a little across it.
    across = np.linspace(-1, 1, size[0], dtype=np.float32)[None, :, None] * np.float32(rng.normal(0, 0.035))
    along = np.linspace(-1, 1, size[1], dtype=np.float32)[:, None, None] * np.float32(rng.normal(0, 0.035))
    warped *= np.float32(rng.uniform(0.93, 1.02)) + across + along
    rim = cv2.GaussianBlur(mask, (0, 0), 0.9).astype(np.float32)[..., None] / 255
    warped *= 1 - np.float32(rng.uniform(0.1, 0.45)) * np.clip(2 * (1 - rim), 0, 1)
    area += (warped - area) * cover


@dataclass(frozen=True)
class Wish:
    """What a scene should be; the rest is chance."""

    kind: str
    """One of ``datasets.layouts.KINDS``."""
    long_hands: bool = False
    fingers: bool = False
    mood: str = "plain"
    """``plain``, ``dim`` or ``glare``."""
    index_height: tuple[float, float] = (15.0, 80.0)
    """Range, in pixels, of the median height of an index."""
    jokers: float = 0.08
    """Chance that a card is a joker."""
    longest_side: int = 1900
    is_empty: bool = False
    """Whether no face shows: cards are turned over or taken away."""
    laid_out: tuple[Card, ...] = ()
    """Cards to lay out in rows without overlap, in place of what chance deals; each joker is of another style."""


@dataclass(frozen=True)
class Stage:
    """A scene set up but not yet pictured: the truth is known, nothing is drawn."""

    cards: tuple[LabelledCard, ...]
    indices: tuple[LabelledIndex, ...]
    size_wh: tuple[int, int]
    tags: tuple[str, ...]
    tilt: float
    placed: tuple[_Placed, ...]
    bottom_up: tuple[int, ...]
    cover: tuple[Layer, ...]
    mood: str
    four_corner: bool


def set_up(rng: np.random.Generator, wish: Wish, decks: Sequence[Deck], clutter: Clutter) -> Stage:
    """Lay cards before a camera and work out what is in sight.

    Args:
        rng: source of chance; the same state gives the same scene.
        wish: what the scene should be.
        decks: one or two packs' designs; all cards come from two packs, one of each design, and four jokers.
        clutter: grounds, hands and fonts to draw the surroundings from.
    """
    packs = [decks[0], decks[-1]]
    width = decks[0].back().image.shape[1] / FACE_HEIGHT
    if wish.laid_out:
        layout = layouts.Layout(wish.kind, (layouts.rows(rng, len(wish.laid_out), width),))
    else:
        layout = layouts.layout(rng, wish.kind, width, corner_count(decks[0]) == 4, wish.long_hands)
    placed: list[_Placed] = []
    bottom_up: list[int] = []
    stock = Stock()
    for group, lying in enumerate(layout.groups):
        count = len(lying.poses)
        if wish.laid_out:
            dealt = list(wish.laid_out)
        elif layout.kind == "melds":
            dealt = deal_meld(rng, stock, count, wish.jokers)
        else:
            dealt = deal_hand(rng, stock, count, wish.jokers, together=rng.random() < 0.45)
        start = len(placed)
        style = int(rng.integers(1000))
        own = int(rng.integers(2))
        for place, card in enumerate(dealt):
            pack = packs[stock.take(card, own if rng.random() < 0.7 else int(rng.integers(2)))]
            if rng.random() < 0.3:
                style = int(rng.integers(1000))
            if wish.laid_out:
                style = dealt[:place].count(JOKER)
            shown, face = (None, pack.back()) if wish.is_empty else (card, pack.face(card, style))
            placed.append(_Placed(shown, face, pack.corner_radius, lying.poses[place], group, start + place))
        bottom_up += [start + int(place) for place in lying.bottom_up]
    piles = _piles(rng, packs, placed) if rng.random() < 0.15 else []
    bottom_up = [*range(len(placed), len(placed) + len(piles)), *bottom_up]
    placed += piles

    tilt = _tilt(rng)
    centres = np.array([item.pose[:2] for item in placed])
    centre = (centres.min(axis=0) + centres.max(axis=0)) / 2
    reach = float(np.linalg.norm(centres - centre, axis=1).max()) + 0.6
    camera = _camera(rng, tilt, centre, reach)
    for item in placed:
        item.matrix = camera @ _face_to_table(item.pose, item.size_wh)
    size_wh = _frame(rng, wish, placed)

    over = np.zeros(size_wh[::-1], bool)
    cover: list[Layer] = []
    unit = _unit(placed)
    if layout.held or wish.fingers:
        hand = [item.quad() for item in placed if item.card is not None or wish.is_empty]
        cover += fingers(rng, hand, size_wh, unit, clutter)
    if rng.random() < 0.12:
        cover += things(rng, size_wh, unit)
    for layer in cover:
        layer.mark(over)

    if wish.is_empty:
        left = rng.choice([0.0, 0.3, 1.0])
        taken = {place for place in range(len(placed)) if rng.random() >= left}
        placed, bottom_up = _without(taken, placed, bottom_up)
    # A card without one readable index is no part of the truth: it is taken away, and what it covered shows.
    while True:
        shares = _visibility(placed, bottom_up, over)
        hidden = {
            place
            for place, (item, seen) in enumerate(zip(placed, shares, strict=True))
            if item.card is not None and not any(share >= READABLE for share in seen)
        }
        if not hidden:
            break
        placed, bottom_up = _without(hidden, placed, bottom_up)
    cards, indices = _truth(placed, shares)
    tags = (layout.kind, wish.mood, *(["fingers"] if cover else []), *sorted({pack.name for pack in packs}))
    degrees = float(np.rad2deg(tilt))
    return Stage(
        cards,
        indices,
        size_wh,
        tags,
        degrees,
        tuple(placed),
        tuple(bottom_up),
        tuple(cover),
        wish.mood,
        corner_count(decks[0]) == 4,
    )


def _without(
    gone: Collection[int], placed: Sequence[_Placed], bottom_up: Sequence[int]
) -> tuple[list[_Placed], list[int]]:
    """Return the cards, and their places from the lowest up, without those at some places."""
    keep = [place for place in range(len(placed)) if place not in gone]
    renumbered = {place: new for new, place in enumerate(keep)}
    return [placed[place] for place in keep], [renumbered[place] for place in bottom_up if place in renumbered]


def _unit(placed: Sequence[_Placed]) -> float:
    """Typical side of a card in pixels: the square root of its area."""
    return float(np.median([np.sqrt(quad_area(item.quad())) for item in placed] or [100.0]))


def picture(rng: np.random.Generator, stage: Stage, clutter: Clutter) -> LabelledScene:
    """Draw a scene and photograph it."""
    canvas, on_cards, height = _drawn(rng, stage, clutter)
    image = light.photographed(rng, canvas, on_cards, height, stage.mood)
    return LabelledScene(image, stage.cards, stage.indices, stage.tags, stage.tilt)


def frames(rng: np.random.Generator, stage: Stage, clutter: Clutter, count: int) -> Iterator[NDArray[np.uint8]]:
    """Draw a scene and yield photographs of it (H, W, 3) RGB, as a phone that is held still takes one after another."""
    canvas, on_cards, height = _drawn(rng, stage, clutter)
    for _ in range(count):
        move = _shaken(rng, stage.size_wh)
        moved = cv2.warpPerspective(canvas, move, stage.size_wh, borderMode=cv2.BORDER_REFLECT_101)
        mask = cv2.warpPerspective(on_cards.astype(np.uint8), move, stage.size_wh) > 0
        yield light.photographed(rng, moved, mask, height, stage.mood)


def _shaken(rng: np.random.Generator, size_wh: tuple[int, int]) -> NDArray[np.float64]:
    """(3, 3) how a hand moves a phone between two frames: a hundredth of the picture, a degree, tilting a little."""
    width, height = size_wh
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    middle = corners.mean(axis=0)
    angle = np.deg2rad(rng.normal(0, 1))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    after = middle + (corners - middle) @ turn.T * np.exp(rng.normal(0, 0.01)) + rng.normal(0, 0.01 * max(size_wh), 2)
    after += rng.normal(0, 0.002 * max(size_wh), (4, 2))
    return np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), after.astype(np.float32)), np.float64)


def _drawn(
    rng: np.random.Generator, stage: Stage, clutter: Clutter
) -> tuple[NDArray[np.float32], NDArray[np.bool_], float]:
    """(H, W, 3) the scene before it is photographed, (H, W) where cards are, and how high its indices are in pixels."""
    unit = _unit(stage.placed)
    canvas = clutter.ground(rng, stage.size_wh).astype(np.float32)
    clutter.litter(rng, canvas, unit)
    softness = max(0.8, unit * rng.uniform(0.004, 0.03))
    for place in stage.bottom_up:
        _lay(canvas, stage.placed[place], rng, softness)
    for layer in stage.cover:
        layer.lay(canvas)
    on_cards = np.zeros(stage.size_wh[::-1], np.uint8)
    for item in stage.placed:
        cv2.fillConvexPoly(on_cards, item.outline(), 1, cv2.LINE_8, 4)
    heights = [index.height for index in stage.indices] or [30.0]
    return canvas, on_cards > 0, float(np.median(heights))


def render(rng: np.random.Generator, wish: Wish, decks: Sequence[Deck], clutter: Clutter) -> LabelledScene:
    """Set up a scene and picture it; see ``set_up``."""
    return picture(rng, set_up(rng, wish, decks, clutter), clutter)


def _tilt(rng: np.random.Generator) -> float:
    """Draw the camera's tilt in radians: half the photos from nearly above, some from very low."""
    return float(np.deg2rad(np.clip(abs(rng.normal(0, 22)), 0, 55)))


def _piles(rng: np.random.Generator, packs: Sequence[Deck], placed: Sequence[_Placed]) -> list[_Placed]:
    """Set one or two face-down cards beside the rest, as the stock lies."""
    centres = np.array([item.pose[:2] for item in placed])
    piles = []
    for _ in range(int(rng.integers(1, 3))):
        pack = packs[int(rng.integers(2))]
        low, high = centres.min(axis=0) - 0.9, centres.max(axis=0) + 0.9
        spot = rng.uniform(low, high)
        spot[int(rng.integers(2))] = rng.choice([low, high], axis=0)[int(rng.integers(2))]
        pose = np.array([*spot, rng.uniform(-np.pi, np.pi)])
        piles.append(_Placed(None, pack.back(), pack.corner_radius, pose, -1, -1))
    return piles


def _frame(rng: np.random.Generator, wish: Wish, placed: Sequence[_Placed]) -> tuple[int, int]:
    """Scale and shift all homographies so that the cards fill a picture; return its width and height."""
    heights = []
    for item in placed:
        for index in item.face.indices:
            rank, suit = apply_homography(item.matrix, np.array([index.rank, index.suit]))
            heights.append(2 * np.linalg.norm(suit - rank))
    box = bounding_box(np.concatenate([item.quad() for item in placed]))
    span = box[2:] - box[:2]
    typical = float(np.median(heights)) if heights else 0.16 * float(span.max())
    low, high = wish.index_height
    scale = float(np.exp(rng.uniform(np.log(low), np.log(high)))) / typical
    margin = rng.uniform(-0.02, 0.16, 4) * max(span.min(), 0.35 * span.max()) + [0, 0, 0.01, 0.01]
    whole = span + margin[:2] + margin[2:]
    aspect = float(rng.choice([4 / 3, 3 / 4, 1.0, 16 / 9, 9 / 16], p=[0.35, 0.35, 0.14, 0.08, 0.08]))
    wider, taller = max(whole[0], whole[1] * aspect), max(whole[1], whole[0] / aspect)
    scale = min(scale, wish.longest_side / max(wider, taller))
    # A tiny picture of small indices still is a photo of at least 480 pixels: more table around the cards.
    extra = max(1.0, 480 / (scale * max(wider, taller)))
    wider, taller = wider * extra, taller * extra
    slack = np.array([wider, taller]) - whole
    offset = margin[:2] + slack * rng.uniform(0.15, 0.85, 2) - box[:2]
    fit = np.array([[scale, 0, scale * offset[0]], [0, scale, scale * offset[1]], [0, 0, 1]])
    for item in placed:
        item.matrix = fit @ item.matrix
    return round(wider * scale), round(taller * scale)


def _truth(
    placed: Sequence[_Placed], shares: Sequence[Sequence[float]]
) -> tuple[tuple[LabelledCard, ...], tuple[LabelledIndex, ...]]:
    """Return cards in reading order and all their indices that are at least partly in sight."""
    order = sorted((place for place, item in enumerate(placed) if item.card), key=lambda p: placed[p].order)
    cards, indices = [], []
    for number, place in enumerate(order):
        item = placed[place]
        assert item.card is not None
        cards.append(LabelledCard(item.card, item.group, item.quad()))
        for index, share in zip(item.face.indices, shares[place], strict=True):
            if share <= 0:
                continue
            x0, y0, x1, y1 = index.box
            corners = apply_homography(item.matrix, np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))
            rank, suit = apply_homography(item.matrix, np.array([index.rank, index.suit]))
            indices.append(LabelledIndex(item.card, number, bounding_box(corners), rank, suit, share))
    return tuple(cards), tuple(indices)
