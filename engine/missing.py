"""What a hand still lacks for a contract: the fewest cards, and which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

from engine.cards import KINDS, Card
from engine.clashes import clash
from engine.melds import law, run_reading
from engine.rules import Rules


class _Window(NamedTuple):
    """Where a run of a contract could lie in a suit."""

    start: int
    size: int
    ranks: int
    """Mask of the ranks it takes, ace first."""


class _Choice(NamedTuple):
    """Windows for the runs of one suit, and what of them the hand leaves open."""

    open: int
    suit: int
    windows: tuple[_Window, ...]


class _Lack(NamedTuple):
    """A completion of the hand: what each meld of it lacks before wild cards fill some of that."""

    cards: int
    lacking: tuple[tuple[tuple[Card, ...], int], ...]
    """For each meld, the cards it lacks and how many of them may be wild."""


def fewest_missing(
    naturals: Sequence[Card], wilds: int, rules: Rules, round_number: int
) -> tuple[int, tuple[Card, ...]]:
    """Return how many cards, at the fewest, would complete the contract, and cards that would.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> fewest_missing(parse_cards("8C 8D 5S 6S 7S KD"), 0, load("shanghai"), 2)
    (2, (Card('8C'), Card('4S')))

    Args:
        naturals: the cards of the hand that stand for themselves.
        wilds: how many wild cards the hand holds besides.

    Raises:
        RulesError: if the game has no such round.
    """
    lack = _Search(naturals, wilds, rules, round_number).fewest()
    named: list[Card] = []
    for cards, fillable in lack.lacking:
        filled = min(fillable, wilds)
        wilds -= filled
        named += cards[filled:]
    return lack.cards, tuple(named)


class _Search:
    def __init__(self, naturals: Sequence[Card], wilds: int, rules: Rules, round_number: int) -> None:
        self.rules = rules
        self.round_number = round_number
        self.wilds = wilds
        self.law = law(rules, round_number)
        slots = rules.contract(round_number).slots
        self.set_sizes = sorted((slot.size for slot in slots if slot.kind == "set"), reverse=True)
        runs = [slot.size for slot in slots if slot.kind == "run"]
        self.run_sizes = tuple(sorted(set(runs)))
        self.asked = tuple(runs.count(size) for size in self.run_sizes)
        self.held = Counter(naturals)
        self.counts = [[self.held[KINDS[13 * suit + rank]] for rank in range(13)] for suit in range(4)]
        # By suit, the ranks of which the hand holds one or more, two or more, and so on.
        self.holds = [
            [
                sum(1 << rank for rank in range(13) if row[rank] >= least)
                for least in range(1, rules.packs + 1)
            ]
            for row in self.counts
        ]
        self.in_rank = [sum(row[rank] for row in self.counts) for rank in range(13)]

        self.sets_lack = self._sets_lack(self.in_rank)
        self.best = _Lack(99, ())

    def fewest(self) -> _Lack:
        """The completion that needs the fewest cards."""
        by_suit = [
            {filled: self._choices(suit, filled) for filled in _parts(self.asked)} for suit in range(4)
        ]
        self._join(by_suit, self.asked, ())
        return self.best

    def _choices(self, suit: int, filled: tuple[int, ...]) -> list[_Choice]:
        """Every way to place so many runs in the suit, the least open first."""
        holds = self.holds[suit]
        choices = []
        for windows, levels in _placements(self.rules, self.round_number, filled):
            open_count = 0
            for level, held in zip(levels, holds, strict=False):
                open_count += (level & ~held).bit_count()
            choices.append(_Choice(open_count, suit, windows))
        choices.sort(key=lambda choice: choice.open)
        return choices

    def _join(
        self,
        by_suit: Sequence[dict[tuple[int, ...], list[_Choice]]],
        asked: tuple[int, ...],
        chosen: tuple[_Choice, ...],
    ) -> None:
        """Spread the runs over the suits, and leave off where that cannot be better than the best so far."""
        open_count = sum(choice.open for choice in chosen)
        if not by_suit:
            if not any(asked):
                lack = self._lack(chosen)
                if lack.cards < self.best.cards:
                    self.best = lack
            return
        for filled in _parts(asked):
            rest = tuple(map(int.__sub__, asked, filled))
            for choice in by_suit[0][filled]:
                if open_count + choice.open + self.sets_lack - self.wilds >= self.best.cards:
                    break
                self._join(by_suit[1:], rest, (*chosen, choice))

    # One completion -------------------------------------------------------------------------------------------

    def _lack(self, chosen: Sequence[_Choice]) -> _Lack:
        in_rank = self.in_rank.copy()
        lacking: list[tuple[tuple[Card, ...], int]] = []
        for choice in chosen:
            if choice.windows:
                lacking += self._runs_lack(choice, in_rank)
        lacking += self._sets_lacking(in_rank)
        fillable = min(sum(most for _, most in lacking), self.wilds)
        return _Lack(sum(len(cards) for cards, _ in lacking) - fillable, tuple(lacking))

    def _runs_lack(self, choice: _Choice, in_rank: list[int]) -> list[tuple[tuple[Card, ...], int]]:
        """What each run lacks, the cards shared out so that wild cards fill the most; what they use is taken off."""
        row = self.counts[choice.suit]
        wanted = [
            [n for n, window in enumerate(choice.windows) if window.ranks >> rank & 1] for rank in range(13)
        ]
        for rank in range(13):
            in_rank[rank] -= min(row[rank], len(wanted[rank]))
        # Where two runs want the only card, each way to leave one without it is tried.
        contested = [rank for rank in range(13) if 0 < row[rank] < len(wanted[rank])]
        best: list[tuple[tuple[Card, ...], int]] = []
        for without in product(
            *(combinations(wanted[rank], len(wanted[rank]) - row[rank]) for rank in contested)
        ):
            losers = dict(zip(contested, without, strict=True))
            lacks = []
            for n, window in enumerate(choice.windows):
                cards = tuple(
                    KINDS[13 * choice.suit + rank]
                    for rank in range(13)
                    if window.ranks >> rank & 1 and (not row[rank] or n in losers.get(rank, ()))
                )
                lacks.append((cards, min(len(cards), self.law.run_caps[window.size])))
            if not best or sum(most for _, most in lacks) > sum(most for _, most in best):
                best = lacks
        return best

    # Sets: those of which the hand holds the most ---------------------------------------------------------------

    def _set_ranks(self, in_rank: Sequence[int]) -> list[tuple[int, int]]:
        """The rank of each set, and how many of its cards are there."""
        times = 2 if self.rules.same_rank_sets else 1
        size = self.set_sizes[0] if self.set_sizes else 0
        stock = [
            (min(max(in_rank[rank] - size * n, 0), size), -rank) for rank in range(13) for n in range(times)
        ]
        return [(-rank, count) for count, rank in sorted(stock, reverse=True)[: len(self.set_sizes)]]

    def _sets_lack(self, in_rank: Sequence[int]) -> int:
        ranks = self._set_ranks(in_rank)
        return sum(max(size - count, 0) for size, (_, count) in zip(self.set_sizes, ranks, strict=True))

    def _sets_lacking(self, in_rank: Sequence[int]) -> list[tuple[tuple[Card, ...], int]]:
        lacking = []
        for size, (rank, count) in zip(self.set_sizes, self._set_ranks(in_rank), strict=True):
            spare = [KINDS[13 * suit + rank] for suit in range(4) for _ in range(self.rules.packs)]
            for card in [card for card in dict.fromkeys(spare) for _ in range(self.held[card])]:
                spare.remove(card)
            spare.sort(key=lambda card: self.held[card])
            cards = tuple(spare[: max(size - count, 0)])
            lacking.append((cards, min(len(cards), self.law.set_caps[size])))
        return lacking


@cache
def _parts(asked: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every way to take some of the runs."""
    return tuple(product(*(range(number + 1) for number in asked)))


@cache
def _placements(
    rules: Rules, round_number: int, filled: tuple[int, ...]
) -> tuple[tuple[tuple[_Window, ...], tuple[int, ...]], ...]:
    """Every way to place runs in one suit without a clash, with the ranks they take once, twice, and so on."""
    slots = rules.contract(round_number).slots
    sizes = sorted({slot.size for slot in slots if slot.kind == "run"})
    windows = law(rules, round_number).windows
    ways: list[tuple[_Window, ...]] = [()]
    for size, number in zip(sizes, filled, strict=True):
        row = [
            _Window(start, size, sum(1 << (place - 1) % 13 for place in range(start, start + size)))
            for start, _, _ in windows[size]
        ]
        ways = [(*way, *more) for way in ways for more in combinations_with_replacement(row, number)]
    found = []
    for way in ways:
        runs = [run_reading(0, window.start, window.size, 0) for window in way]
        if any(clash(one, two, rules, round_number) for one, two in combinations(runs, 2)):
            continue
        times = [sum(window.ranks >> rank & 1 for window in way) for rank in range(13)]
        if max(times) <= rules.packs:
            levels = (
                sum(1 << rank for rank in range(13) if times[rank] >= least)
                for least in range(1, max(times) + 1)
            )
            found.append((way, tuple(levels)))
    return tuple(found)
