"""Which corner indices may be of one card with which: a graph whose links say how well they fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from vision.pairs import Pair


@dataclass(frozen=True)
class Link:
    """Two indices that may be of one card."""

    pair: Pair
    fit: float
    """How well they fit by themselves; more is better."""


class Links:
    """The links between N indices.

    Args:
        count: how many indices there are.
        links: a link for each pair of them that may be of one card.
    """

    def __init__(self, count: int, links: list[Link]) -> None:
        self._of = {frozenset((link.pair.first, link.pair.second)): link for link in links}
        self._near: dict[int, set[int]] = {member: set() for member in range(count)}
        for link in links:
            self._near[link.pair.first].add(link.pair.second)
            self._near[link.pair.second].add(link.pair.first)

    def within(self, members: tuple[int, ...]) -> list[Link]:
        """Return the links among some indices that are all linked with each other."""
        return [self._of[frozenset(two)] for two in combinations(members, 2)]

    def parts(self) -> list[list[int]]:
        """Return the indices in parts, so that no link leads from one part to another."""
        parts: list[list[int]] = []
        seen: set[int] = set()
        for start in self._near:
            if start in seen:
                continue
            part, waiting = {start}, [start]
            while waiting:
                new = self._near[waiting.pop()] - part
                part |= new
                waiting += new
            seen |= part
            parts.append(sorted(part))
        return parts

    def groups(self, part: list[int], most: int) -> Iterator[tuple[int, ...]]:
        """Yield every group of two up to ``most`` indices of a part that are all linked with each other."""
        groups: list[tuple[int, ...]] = [(member,) for member in part]
        for _ in range(most - 1):
            groups = [
                (*group, member)
                for group in groups
                for member in sorted(set.intersection(*(self._near[each] for each in group)))
                if member > group[-1]
            ]
            yield from groups
