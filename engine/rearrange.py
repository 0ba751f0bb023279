"""Rearranging the table: the most cards of a hand that can be played, moving the fewest melds. Exact.

The cards are gone through rank by rank. Of what lies behind, only the runs still open matter: how many there are in
each suit, and whether they are one, two or more cards long yet. So all ways that leave the same runs open are one
state, and only the best of them is kept (after van Rijn, Takes and Vis, "The Complexity of Rummikub Problems", 2015).
A second pass over the best ways alone finds the one that leaves the most melds of the table together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from itertools import combinations, permutations, product
from typing import NamedTuple

from engine.cards import KINDS, Card
from engine.melds import check_melds
from engine.rules import Rules, RulesError
from engine.scoring import check_cards

Vector = tuple[int, int, int, int]
"""A number for each suit."""
State = tuple[int, ...]
"""Runs open in a suit: of one card, of two, and so on; the last number counts all that are long enough to end."""


@dataclass(frozen=True, slots=True)
class Play:
    """What is played, and the table after it."""

    played: tuple[Card, ...]
    table: tuple[tuple[Card, ...], ...]
    left: tuple[Card, ...]
    moved: int
    """Melds of the table whose cards do not all lie in one meld any more."""


def most_played(
    hand: Iterable[Card], table: Sequence[Sequence[Card]], rules: Rules, must: Iterable[Card] = ()
) -> Play | None:
    """Return the play of the most cards that rearranging the table allows, and of these, one that moves the fewest.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> play = most_played(parse_cards("6H 7H 4C"), [parse_cards("5H 6H 7H 8H")], load("manipulation"))
    >>> play.played, [" ".join(card.code for card in meld) for meld in play.table], play.left
    ((Card('6H'), Card('7H')), ['5H 6H 7H', '6H 7H 8H'], (Card('4C'),))

    Args:
        must: cards of the hand that have to be played.

    Returns:
        The play, which may be of no card at all; none if not all of ``must`` can be played.

    Raises:
        UnreadableError: if a card is unknown.
        ContradictionError: if the packs do not hold all these cards.
        TableError: if a meld on the table is not legal.
        RulesError: if the rules know no rearranging, or have jokers to rearrange.
    """
    if not rules.rearrange or rules.jokers or rules.ace_role not in ("low", "high"):
        raise RulesError(f"{rules.title} cannot be solved: melds without jokers, and aces at one end, can be.")
    hand = tuple(hand)
    melds = [tuple(meld) for meld in table]
    check_cards([card for meld in (hand, *melds) for card in meld], rules)
    check_melds(melds, rules)
    return _Rearrangement(hand, melds, tuple(must), rules).best()


class _Step(NamedTuple):
    """What happens in one suit at one rank."""

    to_sets: int
    state: int
    """Runs open afterwards."""
    played: int
    """Cards used that the table does not hold."""


Edge = tuple[int, tuple[_Step, _Step], tuple[_Step, _Step]]
"""The last step of a way to a state: the state before, and what happens in the four suits."""
Layer = dict[int, tuple[int, list[Edge]]]
"""States of all suits, as one number: the most cards played on the way there, and the last steps of such ways."""
Runs = tuple[tuple[int, int], ...]
"""The runs open in a suit: cards so far (no more counted than a run needs), and the number of the run of the table
that lies in it so far; -1 for none."""


class _Way(NamedTuple):
    """A way through the ranks so far, of which all cards but the runs still open lie in melds."""

    moved: int
    """Melds of the table moved so far."""
    before: _Way | None
    runs: tuple[Runs, ...]
    extends: tuple[tuple[int, ...], ...]
    """For each suit and each run now open or just ended, the run before that it extends; -1 for a new one."""
    sets: tuple[tuple[int, ...], ...]
    """Suits of each set of this rank."""


class _Shapes:
    """The states of one suit, and the ways to spread cards of one rank over sets; for all games with these rules."""

    def __init__(self, packs: int, run_min: int, set_min: int, set_max: int) -> None:
        self.packs = packs
        self.states: list[State] = [state for state in product(range(packs + 1), repeat=run_min) if sum(state) <= packs]
        self.number = {state: number for number, state in enumerate(self.states)}
        self.base = len(self.states)
        sets = [suits for size in range(set_min, set_max + 1) for suits in combinations(range(4), size)]
        #: For each number of cards by suit, every way to make sets of them.
        self.partitions: dict[Vector, list[tuple[tuple[int, ...], ...]]] = {}
        for count in range(packs + 1):
            for chosen in self._choose(sets, count):
                totals = Counter(suit for suits in chosen for suit in suits)
                vector = (totals[0], totals[1], totals[2], totals[3])
                self.partitions.setdefault(vector, []).append(chosen)
        # By the numbers of the first two suits: those of the other two that go with them.
        self.fits: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for vector in self.partitions:
            self.fits.setdefault(vector[:2], set()).add(vector[2:])

    def _choose(self, sets: list[tuple[int, ...]], count: int) -> Iterator[tuple[tuple[int, ...], ...]]:
        for numbers in product(range(len(sets)), repeat=count):
            if list(numbers) == sorted(numbers):
                yield tuple(sets[number] for number in numbers)

    @cache  # noqa: B019 - there is one such object for each rule system
    def steps(self, state: int, held: int, hand: int, ahead: tuple[int, ...], sets: bool) -> tuple[_Step, ...]:
        """The ways on from a state with these cards of the next rank; ``ahead``: cards of the ranks after it."""
        *short, long = self.states[state]
        must_extend = sum(short)
        found = []
        for to_sets in range((min(held + hand, self.packs) if sets else 0) + 1):
            for used in range(max(held, to_sets + must_extend), held + hand + 1):
                free = used - to_sets - must_extend
                for longer in range(min(free, long) + 1):
                    new = (free - longer, *short[:-1], (short[-1] if short else 0) + longer)
                    # A run that is n cards short needs a card of each of the next n ranks.
                    if all(sum(new[: len(short) - n]) <= cards for n, cards in enumerate(ahead)):
                        # Where no card follows, every run ends here.
                        found.append(_Step(to_sets, self.number[new] if ahead[0] else 0, used - held))
        return tuple(found)


@cache
def _shapes(packs: int, run_min: int, set_min: int, set_max: int) -> _Shapes:
    return _Shapes(packs, run_min, set_min, set_max)


class _Rearrangement:
    def __init__(
        self, hand: tuple[Card, ...], table: list[tuple[Card, ...]], must: tuple[Card, ...], rules: Rules
    ) -> None:
        self.rules = rules
        self.hand = hand
        self.table = table
        self.must = must
        self.shapes = _shapes(rules.packs, rules.run_min, rules.set_min, min(rules.set_max or 4, 4))
        # Ranks in the order in which they stand in a run.
        self.order = [*range(13)] if rules.ace_role == "low" else [*range(1, 13), 0]
        must_play = Counter(must)
        held = Counter(card for meld in table for card in meld) + must_play
        in_hand = Counter(hand) - must_play
        self.held = [[held[KINDS[13 * suit + rank]] for suit in range(4)] for rank in self.order]
        self.free = [[in_hand[KINDS[13 * suit + rank]] for suit in range(4)] for rank in self.order]
        # Cards in each suit at the ranks that a run begun here would need.
        total = [tuple(map(int.__add__, held, free)) for held, free in zip(self.held, self.free, strict=True)]
        total += [(0, 0, 0, 0)] * rules.run_min
        self.ahead = [
            [tuple(total[n][suit] for n in range(at + 1, at + rules.run_min)) for suit in range(4)] for at in range(13)
        ]
        # Melds of the table: sets by rank as their suits, runs by suit and the place where they start.
        self.sets_before: list[list[frozenset[int]]] = [[] for _ in range(13)]
        self.sets_moved: list[dict[Vector, tuple[tuple[tuple[int, ...], ...], int]]] = [{} for _ in range(13)]
        self.starts: list[list[list[int]]] = [[[], [], [], []] for _ in range(13)]
        self.ends: list[int] = []
        self.extensions: list[list[dict[tuple[Runs, _Step], list[tuple[Runs, tuple[int, ...], int]]]]] = [
            [{}, {}, {}, {}] for _ in range(13)
        ]
        for number, meld in enumerate(table):
            places = [self.order.index(card.index % 13) for card in meld]
            if len(set(places)) == 1:
                self.sets_before[places[0]].append(frozenset(card.index // 13 for card in meld))
            else:
                self.starts[min(places)][meld[0].index // 13].append(number)
            self.ends.append(max(places))

    def best(self) -> Play | None:
        """The play of the most cards that moves the fewest melds."""
        layers = self._most()
        if 0 not in layers[-1]:
            return None
        if not self.must and not layers[-1][0][0]:
            return Play((), tuple(self.table), tuple(sorted(self.hand, key=lambda card: card.index)), 0)
        return self._written(self._fewest_moved(layers))

    # First pass: the most cards -------------------------------------------------------------------------------

    def _most(self) -> list[Layer]:
        """The states after each rank."""
        shapes = self.shapes
        base, square = shapes.base, shapes.base**2
        layers: list[Layer] = [{0: (0, [])}]
        for at in range(13):
            held, free = self.held[at], self.free[at]
            ahead = self.ahead[at]
            sets = sum(map(bool, map(int.__add__, held, free))) >= self.rules.set_min

            def steps(suit: int, state: int) -> tuple[_Step, ...]:
                return shapes.steps(state, held[suit], free[suit], ahead[suit], sets)  # noqa: B023

            firsts: dict[int, list[tuple[tuple[int, int], int, int, tuple[_Step, _Step]]]] = {}
            lasts: dict[int, dict[tuple[int, int], list[tuple[int, int, tuple[_Step, _Step]]]]] = {}
            layer: Layer = {}
            for key, (value, _) in layers[-1].items():
                first, last = divmod(key, square)
                if first not in firsts:
                    firsts[first] = [
                        (
                            (one.to_sets, two.to_sets),
                            (one.state * base + two.state) * square,
                            one.played + two.played,
                            (one, two),
                        )
                        for one in steps(0, first // base)
                        for two in steps(1, first % base)
                    ]
                if last not in lasts:
                    fitting: dict[tuple[int, int], list[tuple[int, int, tuple[_Step, _Step]]]] = {}
                    for one in steps(2, last // base):
                        for two in steps(3, last % base):
                            pair = one, two
                            step = one.state * base + two.state, one.played + two.played, pair
                            for others in shapes.fits.get((one.to_sets, two.to_sets), ()):
                                fitting.setdefault(others, []).append(step)
                    lasts[last] = fitting
                fitting = lasts[last]
                for to_sets, new_first, played, pair_first in firsts[first]:
                    for new_last, more, pair_last in fitting.get(to_sets, ()):
                        new = new_first + new_last
                        total = value + played + more
                        known = layer.get(new)
                        if known is None or total > known[0]:
                            layer[new] = total, [(key, pair_first, pair_last)]
                        elif total == known[0]:
                            known[1].append((key, pair_first, pair_last))
            layers.append(layer)
        return layers

    # Second pass: the fewest melds moved ----------------------------------------------------------------------

    def _fewest_moved(self, layers: list[Layer]) -> _Way:
        """Of the ways that play the most, one that moves the fewest melds of the table: the nearest is tried first."""
        onward = self._onward(layers)
        first = _Way(0, None, ((),) * 4, (), ())
        waiting = [(onward[0][0][0], 0, 0, 0, first)]
        reached = {(0, 0, first.runs): 0}
        pushed = 0
        while True:
            _, late, _, key, way = heappop(waiting)
            at = -late
            if at == 13:
                return way
            if reached[at, key, way.runs] < way.moved:
                continue
            memo = self.extensions[at]
            for new, edge in onward[at][key][1]:
                steps = (*edge[1], *edge[2])
                sets, moved_sets = self._sets(at, steps)
                still = onward[at + 1][new][0]
                suits = []
                for suit, runs_and_step in enumerate(zip(way.runs, steps, strict=True)):
                    extensions = memo[suit].get(runs_and_step)
                    if extensions is None:
                        extensions = memo[suit][runs_and_step] = self._extended(at, suit, *runs_and_step)
                    suits.append(extensions)
                for moves in product(*suits):
                    runs = (moves[0][0], moves[1][0], moves[2][0], moves[3][0])
                    moved = way.moved + moved_sets + moves[0][2] + moves[1][2] + moves[2][2] + moves[3][2]
                    if reached.get((at + 1, new, runs), moved + 1) > moved:
                        reached[at + 1, new, runs] = moved
                        pushed += 1
                        then = _Way(moved, way, runs, tuple([move[1] for move in moves]), sets)
                        heappush(waiting, (moved + still, late - 1, pushed, new, then))

    def _onward(self, layers: list[Layer]) -> list[dict[int, tuple[int, list[tuple[int, Edge]]]]]:
        """By rank and state, on the ways that play the most: the steps on, and sets that will be moved at least."""
        onward: list[dict[int, tuple[int, list[tuple[int, Edge]]]]] = [{0: (0, [])}]
        for at in range(12, -1, -1):
            edges: dict[int, tuple[int, list[tuple[int, Edge]]]] = {}
            for key, (still, _) in onward[-1].items():
                for edge in layers[at + 1][key][1]:
                    fewest = still + self._sets(at, (*edge[1], *edge[2]))[1]
                    known = edges.get(edge[0])
                    if known is None:
                        edges[edge[0]] = fewest, [(key, edge)]
                    else:
                        known[1].append((key, edge))
                        if fewest < known[0]:
                            edges[edge[0]] = fewest, known[1]
            onward.append(edges)
        return onward[::-1]

    def _sets(self, at: int, steps: Sequence[_Step]) -> tuple[tuple[tuple[int, ...], ...], int]:
        """The sets of a rank that move the fewest of those on the table, and how many they move."""
        vector = (steps[0].to_sets, steps[1].to_sets, steps[2].to_sets, steps[3].to_sets)
        if vector not in self.sets_moved[at]:
            before = self.sets_before[at]
            found = []
            for sets in self.shapes.partitions[vector]:
                kept = max(
                    sum(old <= set(new) for old, new in zip(order, sets, strict=False))
                    for order in permutations([*before, *[frozenset(range(9))] * len(sets)], len(sets))
                )
                found.append((kept, sets))
            kept, sets = max(found)
            self.sets_moved[at][vector] = sets, len(before) - kept
        return self.sets_moved[at][vector]

    def _extended(self, at: int, suit: int, runs: Runs, step: _Step) -> list[tuple[Runs, tuple[int, ...], int]]:
        """Each way to take a suit's step: the runs then open, which runs they extend, and runs of the table moved."""
        enough = self.rules.run_min
        cards = self.held[at][suit] + step.played - step.to_sets
        short = [n for n, (size, _) in enumerate(runs) if size < enough]
        long = [n for n, (size, _) in enumerate(runs) if size == enough]
        fresh = self.shapes.states[step.state][0]
        found: dict[Runs, tuple[Runs, tuple[int, ...], int]] = {}
        for longer in combinations(long, cards - len(short) - fresh):
            extends = [*short, *longer, *[-1] * fresh]
            grown = [(min(runs[n][0] + 1, enough), runs[n][1]) if n >= 0 else (1, -1) for n in extends]
            starting = self.starts[at][suit]
            idle = [n for n, (_, carried) in enumerate(grown) if carried < 0]
            for count in range(min(len(starting), len(idle)), -1, -1):
                for olds in combinations(starting, count):
                    for places in permutations(idle, count):
                        now = list(grown)
                        for old, place in zip(olds, places, strict=True):
                            now[place] = now[place][0], old
                        kept_on = {carried for _, carried in now}
                        moved = sum(carried >= 0 and carried not in kept_on for _, carried in runs)
                        moved += len(starting) - count
                        now = [
                            (size, -1 if carried >= 0 and self.ends[carried] == at else carried)
                            for size, carried in now
                        ]
                        order = sorted(range(len(now)), key=now.__getitem__)
                        open_runs = tuple([now[n] for n in order]) if self.ahead[at][suit][0] else ()
                        move = open_runs, tuple([extends[n] for n in order]), moved
                        if open_runs not in found or found[open_runs][2] > moved:
                            found[open_runs] = move
        return list(found.values())

    # The table written out ------------------------------------------------------------------------------------

    def _written(self, last: _Way) -> Play:
        way: _Way | None = last
        trail: list[_Way] = []
        while way is not None:
            trail.append(way)
            way = way.before
        melds: list[tuple[Card, ...]] = []
        open_runs: list[list[list[Card]]] = [[], [], [], []]
        for at, now in enumerate(reversed(trail[:-1])):
            rank = self.order[at]
            melds += [tuple(KINDS[13 * suit + rank] for suit in suits) for suits in now.sets]
            for suit in range(4):
                grown = []
                for extended in now.extends[suit]:
                    run = [*(open_runs[suit][extended] if extended >= 0 else ()), KINDS[13 * suit + rank]]
                    grown.append(run)
                ended = [run for n, run in enumerate(open_runs[suit]) if n not in now.extends[suit]]
                if not now.runs[suit]:
                    ended, grown = ended + grown, []
                melds += [tuple(run) for run in ended]
                open_runs[suit] = grown
        on_table = Counter(card for meld in self.table for card in meld)
        played = Counter(card for meld in melds for card in meld) - on_table
        left = Counter(self.hand) - played
        taken = tuple(card for card in sorted(played.elements(), key=lambda card: card.index))
        return Play(
            taken,
            tuple(sorted(melds, key=lambda meld: [card.index for card in meld])),
            tuple(sorted(left.elements(), key=lambda card: card.index)),
            last.moved,
        )
