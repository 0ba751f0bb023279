"""What a hand still lacks for a contract: the fewest cards, and which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from operator import attrgetter
from typing import NamedTuple

from engine.cards import JOKER, KINDS, Card
from engine.clashes import clash
from engine.melds import law, run_reading
from engine.rules import Rules

_KIND = attrgetter("index")


@dataclass(frozen=True, slots=True)
class Missing:
    """Why cards cannot be laid down as a contract."""

    count: int
    """The fewest cards that they lack."""
    cards: tuple[Card, ...]
    """Cards that would complete the contract, one way of several."""
    text: str


class _Window(NamedTuple):
    """Where a run of a contract could lie in a suit."""

    start: int
    size: int
    ranks: int
    """Mask of the ranks it takes, ace first."""


class _Choice(NamedTuple):
    """Windows for the runs of one suit, and what of them the hand leaves open."""

    open: int
    least: int
    """What wild cards cannot fill of it, however many there are."""
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
    (2, (Card('4S'), Card('8H')))

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
    # Of a card of which all copies are used, only a wild card can be one more.
    used = Counter(naturals)
    for number, card in enumerate(named):
        used[card] += 1
        if used[card] > rules.packs:
            named[number] = JOKER
    return lack.cards, tuple(named)


class _Meld(NamedTuple):
    """A meld that is not complete."""

    lacks: tuple[Card, ...]
    cap: int
    """Most wild cards in it."""
    has: tuple[Card, ...]
    """Cards of a run, which it could leave to a set."""
    apart: int
    """How many of the cards that it lacks may be wild together: all, or those that do not stand side by side."""

    @property
    def fillable(self) -> int:
        """How much of what it lacks wild cards may fill."""
        return min(self.apart, self.cap)


def complete(naturals: Sequence[Card], wilds: int, rules: Rules, round_number: int) -> bool:
    """Return whether the cards hold the contract, whatever else they hold. Quicker than to count what is missing.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> complete(parse_cards("8C 8D 8H 5S 6S 7S"), 1, load("shanghai"), 2)
    True

    Raises:
        RulesError: if the game has no such round.
    """
    if len(naturals) + wilds < rules.contract(round_number).size:
        return False
    return not _Search(naturals, wilds, rules, round_number, limit=1).fewest().cards


class _Search:
    def __init__(self, naturals: Sequence[Card], wilds: int, rules: Rules, round_number: int, limit: int = 99) -> None:
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
            [sum(1 << rank for rank in range(13) if row[rank] >= least) for least in range(1, rules.packs + 1)]
            for row in self.counts
        ]
        self.in_rank = [sum(row[rank] for row in self.counts) for rank in range(13)]

        ranks = next(self._set_ranks(self.in_rank, ()))
        lacks = [(size, max(size - count, 0)) for size, (_, count) in zip(self.set_sizes, ranks, strict=True)]
        self.sets_lack = sum(lack for _, lack in lacks)
        self.sets_least = sum(max(lack - self.law.set_caps[size], 0) for size, lack in lacks)
        self.best = _Lack(limit, ())
        self.choices: dict[tuple[int, tuple[int, ...]], list[_Choice]] = {}
        # Begin where most cards are: a good completion found early cuts off the others.
        self.suits = sorted(range(4), key=lambda suit: -sum(self.counts[suit]))

    def fewest(self) -> _Lack:
        """The completion that needs the fewest cards."""
        self._join(0, self.asked, (), self.sets_lack, self.sets_least)
        return self.best

    def _choices(self, suit: int, filled: tuple[int, ...]) -> list[_Choice]:
        """Every way to place so many runs in the suit, the least open first."""
        if (suit, filled) in self.choices:
            return self.choices[suit, filled]
        holds = self.holds[suit]
        choices = []
        for windows, levels in _placements(self.rules, self.round_number, filled):
            open_count = 0
            for level, held in zip(levels, holds, strict=False):
                open_count += (level & ~held).bit_count()
            open_count += sum([level.bit_count() for level in levels[len(holds) :]])
            least = 0
            for window in windows:
                least += max((window.ranks & ~holds[0]).bit_count() - self.law.run_caps[window.size], 0)
            choices.append(_Choice(open_count, least, suit, windows))
        choices.sort(key=lambda choice: choice.open)
        self.choices[suit, filled] = choices
        return choices

    def _join(self, at: int, asked: tuple[int, ...], chosen: tuple[_Choice, ...], open_count: int, least: int) -> None:
        """Spread the runs over the suits, and leave off where that cannot be better than the best so far."""
        if at == 4:
            lack = self._lack(chosen)
            if lack.cards < self.best.cards:
                self.best = lack
            return
        suit = self.suits[at]
        held = sum(self.counts[suit])
        for filled in _parts(asked) if at < 3 else (asked,):
            # Runs lack at least what the suit does not hold, so some need not be looked at.
            size = sum(size * number for size, number in zip(self.run_sizes, filled, strict=True))
            if open_count + max(size - held, 0) - self.wilds >= self.best.cards:
                continue
            rest = tuple(map(int.__sub__, asked, filled))
            for choice in self._choices(suit, filled):
                if open_count + choice.open - self.wilds >= self.best.cards:
                    break
                if least + choice.least < self.best.cards:
                    self._join(at + 1, rest, (*chosen, choice), open_count + choice.open, least + choice.least)

    # One completion -------------------------------------------------------------------------------------------

    def _lack(self, chosen: Sequence[_Choice]) -> _Lack:
        """The fewest cards for these runs: sets take of each rank what the runs leave, and the most of them."""
        in_rank = self.in_rank.copy()
        runs: list[_Meld] = []
        for choice in chosen:
            runs += self._runs(choice, in_rank)
        best: _Lack | None = None
        for ranks in self._set_ranks(in_rank, runs):
            sets = [self._set(size, rank, count) for size, (rank, count) in zip(self.set_sizes, ranks, strict=True)]
            melds = self._shared_out(runs, sets) if self.wilds else [*runs, *sets]
            filled = min(sum(meld.fillable for meld in melds), self.wilds)
            cards = sum(len(meld.lacks) for meld in melds) - filled
            if best is None or cards < best.cards:
                best = _Lack(cards, tuple((meld.lacks, meld.fillable) for meld in melds))
            if not self.wilds:
                break  # the choices differ only in what wild cards can fill
        assert best is not None
        return best

    def _runs(self, choice: _Choice, in_rank: list[int]) -> list[_Meld]:
        """The runs, the cards shared out so that wild cards fill the most; what they use is taken off ``in_rank``."""
        row = self.counts[choice.suit]
        wanted = [[n for n, window in enumerate(choice.windows) if window.ranks >> rank & 1] for rank in range(13)]
        for rank in range(13):
            in_rank[rank] -= min(row[rank], len(wanted[rank]))
        # Where two runs want the only card, each way to leave one without it is tried.
        contested = [rank for rank in range(13) if 0 < row[rank] < len(wanted[rank])]
        best: list[_Meld] = []
        for without in product(*(combinations(wanted[rank], len(wanted[rank]) - row[rank]) for rank in contested)):
            losers = dict(zip(contested, without, strict=True))
            melds = []
            for n, window in enumerate(choice.windows):
                needed = [(place - 1) % 13 for place in range(window.start, window.start + window.size)]
                lacks = [rank for rank in needed if not row[rank] or n in losers.get(rank, ())]
                cards = tuple(KINDS[13 * choice.suit + rank] for rank in lacks)
                has = tuple(KINDS[13 * choice.suit + rank] for rank in needed if rank not in lacks)
                melds.append(self._run(cards, has, window.size))
            if not best or sum(meld.fillable for meld in melds) > sum(meld.fillable for meld in best):
                best = melds
        return best

    def _run(self, lacks: tuple[Card, ...], has: tuple[Card, ...], size: int) -> _Meld:
        cap = self.law.run_caps[size]
        if self.rules.wilds_adjacent:
            return _Meld(lacks, cap, has, len(lacks))
        # Wild cards may fill every other card of a gap: those come first.
        apart: list[Card] = []
        for card in lacks:
            if not apart or (card.index - apart[-1].index) % 13 != 1:
                apart.append(card)
        return _Meld((*apart, *[card for card in lacks if card not in apart]), cap, has, len(apart))

    def _set_ranks(self, in_rank: Sequence[int], runs: Sequence[_Meld]) -> Iterator[tuple[tuple[int, int], ...]]:
        """Ranks for the sets, with the cards there are of each: those of which there are the most.

        Among ranks of which there are equally many it matters whether a run could give up a card of the rank.
        """
        if not self.set_sizes:
            yield ()
            return
        size, number = self.set_sizes[0], len(self.set_sizes)
        times = 2 if self.rules.same_rank_sets else 1
        stock = [(rank, min(max(in_rank[rank] - size * n, 0), size)) for rank in range(13) for n in range(times)]
        stock.sort(key=lambda entry: -entry[1])
        least = stock[number - 1][1]
        sure = [entry for entry in stock if entry[1] > least]
        tied = [entry for entry in stock if entry[1] == least]
        in_runs = {card.index % 13 for run in runs for card in run.has}
        useful = [entry for entry in tied if entry[0] in in_runs]
        other = [entry for entry in tied if entry[0] not in in_runs]
        open_slots = number - len(sure)
        for count in range(min(len(useful), open_slots), -1, -1):
            if count + len(other) >= open_slots:
                for chosen in combinations(useful, count):
                    yield (*sure, *chosen, *other[: open_slots - count])

    def _set(self, size: int, rank: int, count: int) -> _Meld:
        spare = [KINDS[13 * suit + rank] for suit in range(4)]
        free = [card for card in spare for _ in range(self.rules.packs - self.held[card])]
        free.sort(key=lambda card: self.held[card])
        lacks = tuple(free[: max(size - count, 0)])
        return _Meld(lacks, self.law.set_caps[size], (), len(lacks))

    def _shared_out(self, runs: list[_Meld], sets: list[_Meld]) -> list[_Meld]:
        """The melds after runs with room for a wild card have given cards to sets without."""
        best = [*runs, *sets]
        for n, meld in enumerate(sets):
            if len(meld.lacks) <= meld.cap:
                continue
            for k, run in enumerate(runs):
                for card in run.has if len(run.lacks) < run.cap else ():
                    if card.index % 13 == meld.lacks[0].index % 13:
                        rest = tuple(each for each in run.has if each is not card)
                        given = self._run(
                            tuple(sorted((*run.lacks, card), key=_KIND)), rest, len(run.lacks) + len(run.has)
                        )
                        taking = meld._replace(lacks=meld.lacks[1:], apart=meld.apart - 1)
                        melds = self._shared_out(
                            [*runs[:k], given, *runs[k + 1 :]], [*sets[:n], taking, *sets[n + 1 :]]
                        )
                        if sum(each.fillable for each in melds) > sum(each.fillable for each in best):
                            best = melds
        return best


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
        # A third run over the same two copies needs a wild card there, and a run of these holds one at least.
        if sum(max(number - rules.packs, 0) for number in times) <= len(way) * (rules.joker_cap != 0):
            levels = (
                sum(1 << rank for rank in range(13) if times[rank] >= least) for least in range(1, max(times) + 1)
            )
            found.append((way, tuple(levels)))
    return tuple(found)
