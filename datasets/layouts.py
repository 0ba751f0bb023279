"""How cards lie on a table: fans, rows, columns, melds, scattered cards, whole tables.

The table is a plane measured in card heights, x right, y down. A pose is (x, y, angle): the centre of a
card and its turn in radians, clockwise as seen; poses stand in reading order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Poses = NDArray[np.float64]


@dataclass(frozen=True)
class Lying:
    """One hand, meld or heap as it lies."""

    poses: Poses
    """(N, 3) in reading order."""
    bottom_up: NDArray[np.int64]
    """(N,) places in ``poses`` from the lowest card to the topmost."""


@dataclass(frozen=True)
class Layout:
    """Everything that lies on one picture, group after group."""

    kind: str
    groups: tuple[Lying, ...]
    held: bool = False
    """Whether a hand holds the (only) group, so fingers cover its lower edge."""


def _in_order(poses: Poses, reverse: bool = False) -> Lying:
    order = np.arange(len(poses))
    return Lying(poses, order[::-1].copy() if reverse else order)


def turned(poses: Poses, angle: float, shift: tuple[float, float] = (0.0, 0.0)) -> Poses:
    """Return poses turned clockwise about the origin by ``angle`` radians, then shifted."""
    cos, sin = np.cos(angle), np.sin(angle)
    turned_poses = poses.copy()
    turned_poses[:, :2] = poses[:, :2] @ np.array([[cos, sin], [-sin, cos]]) + shift
    turned_poses[:, 2] += angle
    return turned_poses


def fan(rng: np.random.Generator, count: int, width: float, reverse: bool = False) -> Lying:
    """Lay a fan: cards turned about a pivot below them, the right card upon the left.

    Args:
        rng: source of chance.
        count: number of cards.
        width: card width in card heights.
        reverse: the left card upon the right, as suits decks with an index in all four corners.
    """
    radius = rng.uniform(0.55, 2.6)
    # The top-left index must peep out: that asks for a step of roughly a fifth of the width at the rim.
    rim = radius + 0.5
    step = max(rng.uniform(0.16, 0.42) * width / rim, np.deg2rad(2.0))
    step = min(step, np.deg2rad(200) / max(count, 1))
    angles = (np.arange(count) - (count - 1) / 2) * step
    angles += rng.normal(0, 0.12 * step, count)
    reach = radius + rng.normal(0, 0.03, count)
    poses = np.stack([reach * np.sin(angles), radius - reach * np.cos(angles), angles], axis=1)
    return _in_order(poses, reverse)


def row(rng: np.random.Generator, count: int, width: float, apart: bool = False) -> Lying:
    """Lay a row from left to right, the right card upon the left; ``apart`` leaves gaps between cards."""
    step = width * (rng.uniform(1.03, 1.3) if apart else rng.uniform(0.22, 0.8))
    poses = np.zeros((count, 3))
    poses[:, 0] = (np.arange(count) - (count - 1) / 2) * step + rng.normal(0, 0.03 * step, count)
    poses[:, 1] = rng.normal(0, rng.uniform(0.0, 0.05), count) + np.arange(count) * rng.normal(0, 0.02)
    poses[:, 2] = rng.normal(0, rng.uniform(0.0, 0.07), count)
    return _in_order(poses)


def column(rng: np.random.Generator, count: int) -> Lying:
    """Lay a column from the top down, each card upon the one above it, so that upper ends stay in sight."""
    step = rng.uniform(0.2, 0.42)
    poses = np.zeros((count, 3))
    poses[:, 1] = (np.arange(count) - (count - 1) / 2) * step + rng.normal(0, 0.04 * step, count)
    poses[:, 0] = rng.normal(0, rng.uniform(0.0, 0.04), count)
    poses[:, 2] = rng.normal(0, rng.uniform(0.0, 0.05), count)
    return _in_order(poses)


def rows(rng: np.random.Generator, count: int, width: float) -> Lying:
    """Lay a hand out in two or three rows without overlap."""
    lines = int(rng.integers(2, 4))
    per_line = -(-count // lines)
    place = np.arange(count)
    poses = np.zeros((count, 3))
    poses[:, 0] = (place % per_line - (per_line - 1) / 2) * width * rng.uniform(1.03, 1.2)
    poses[:, 1] = (place // per_line) * rng.uniform(1.03, 1.2)
    poses += rng.normal(0, 1, (count, 3)) * [0.015, 0.02, 0.04]
    return _in_order(poses)


def scattered(rng: np.random.Generator, count: int) -> Lying:
    """Throw cards down at any angle; the renderer drops those that come to lie wholly covered."""
    side = np.sqrt(count) * rng.uniform(0.5, 0.9)
    poses = np.stack(
        [
            rng.uniform(-side / 2, side / 2, count),
            rng.uniform(-side / 2, side / 2, count),
            rng.uniform(-np.pi, np.pi, count),
        ],
        axis=1,
    )
    return _in_order(poses)


def meld(rng: np.random.Generator, count: int, width: float) -> Lying:
    """Lay a meld as players do: an overlapping row, a column or a narrow fan."""
    kind = rng.choice(["row", "column", "fan", "apart"], p=[0.5, 0.28, 0.14, 0.08])
    if kind == "column":
        return column(rng, count)
    if kind == "fan":
        return fan(rng, count, width)
    return row(rng, count, width, apart=kind == "apart")


def _extent(lying: Lying, width: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    cos, sin = abs(np.cos(lying.poses[:, 2])), abs(np.sin(lying.poses[:, 2]))
    half = np.stack([cos * width + sin, sin * width + cos], axis=1) / 2
    centres = lying.poses[:, :2]
    return (centres - half).min(axis=0), (centres + half).max(axis=0)


def _moved(lying: Lying, angle: float, shift: tuple[float, float]) -> Lying:
    return Lying(turned(lying.poses, angle, shift), lying.bottom_up)


def side_by_side(rng: np.random.Generator, groups: list[Lying], width: float) -> tuple[Lying, ...]:
    """Set groups beside and below each other, shelf after shelf, without overlap between groups."""
    aligned = rng.random() < 0.6
    shelf_width = rng.uniform(1.6, 3.4) + 0.22 * len(groups)
    x = y = depth = 0.0
    placed = []
    for group in groups:
        angle = rng.normal(0, 0.08) if aligned else rng.uniform(-np.pi, np.pi)
        if aligned and rng.random() < 0.25:
            angle += rng.choice([np.pi / 2, -np.pi / 2, np.pi])
        group = _moved(group, angle, (0.0, 0.0))
        low, high = _extent(group, width)
        if x > 0 and x + high[0] - low[0] > shelf_width:
            x, y, depth = 0.0, y + depth + rng.uniform(0.02, 0.3), 0.0
        placed.append(_moved(group, 0.0, (x - low[0], y - low[1])))
        x += high[0] - low[0] + rng.uniform(0.0, 0.3)
        depth = max(depth, high[1] - low[1])
    return tuple(placed)


def around_table(rng: np.random.Generator, hands: list[Lying], width: float) -> tuple[Lying, ...]:
    """Set up to four hands at the sides of a table, each towards its player."""
    reach = max(float(np.max(_extent(hand, width)[1] - _extent(hand, width)[0])) for hand in hands)
    sides = rng.permutation(4)[: len(hands)]
    placed = []
    for hand, side in zip(hands, sides, strict=True):
        out = reach * rng.uniform(0.4, 0.5) + 0.45
        angle = side * np.pi / 2 + rng.normal(0, 0.15)
        moved = _moved(hand, 0.0, (rng.normal(0, 0.15), out))
        placed.append(_moved(moved, angle, (0.0, 0.0)))
    return tuple(placed)


def _any_angle(rng: np.random.Generator, lying: Lying) -> Lying:
    angle = rng.normal(0, 0.15) if rng.random() < 0.55 else rng.uniform(-np.pi, np.pi)
    return _moved(lying, angle, (0.0, 0.0))


def _hand(rng: np.random.Generator, count: int, width: float, four_corner: bool) -> Lying:
    kind = rng.choice(["fan", "row", "column", "rows", "apart"], p=[0.62, 0.16, 0.08, 0.08, 0.06])
    makers: dict[str, Callable[[], Lying]] = {
        "fan": lambda: fan(rng, count, width, reverse=four_corner and rng.random() < 0.4),
        "row": lambda: row(rng, count, width),
        "column": lambda: column(rng, count),
        "rows": lambda: rows(rng, count, width),
        "apart": lambda: row(rng, count, width, apart=True),
    }
    return makers[str(kind)]()


KINDS = ("hand", "held", "hands", "melds", "scattered", "few")


def layout(rng: np.random.Generator, kind: str, width: float, four_corner: bool, long_hands: bool = False) -> Layout:
    """Return a whole picture's layout.

    Args:
        rng: source of chance.
        kind: one of ``KINDS``: one hand, one hand held up, several hands, melds, scattered, one to five cards.
        width: card width in card heights.
        four_corner: whether the deck has an index in all four corners.
        long_hands: draw single hands as fans of 8 to 18 cards only.
    """
    if kind == "hand" and not long_hands:
        return Layout(kind, (_any_angle(rng, _hand(rng, int(rng.integers(1, 19)), width, four_corner)),))
    if kind in ("hand", "held"):
        count = int(rng.integers(8, 19)) if long_hands else int(rng.integers(3, 17))
        reverse = four_corner and rng.random() < 0.4
        return Layout(kind, (_any_angle(rng, fan(rng, count, width, reverse)),), held=kind == "held")
    if kind == "hands":
        hands = [_hand(rng, int(rng.integers(4, 14)), width, four_corner) for _ in range(rng.integers(2, 5))]
        place = around_table if rng.random() < 0.6 else side_by_side
        return Layout(kind, place(rng, hands, width))
    if kind == "melds":
        melds = [meld(rng, int(rng.integers(3, 8)), width) for _ in range(rng.integers(2, 11))]
        return Layout(kind, side_by_side(rng, melds, width))
    if kind == "scattered":
        return Layout(kind, (scattered(rng, int(rng.integers(4, 30))),))
    count = int(rng.integers(1, 6))
    few = row(rng, count, width, apart=rng.random() < 0.5) if rng.random() < 0.5 else scattered(rng, count)
    return Layout(kind, (_any_angle(rng, few),))
