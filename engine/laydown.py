"""The search for the best way to lay down a contract: exact, and quick enough for a phone.

Suits are independent but for two things: wild cards go anywhere, and sets take a rank from every suit. So each suit
is searched by itself for the runs it can hold, keeping for every number of runs and wild cards, and for every
remainder in the ranks that could be sets, only what leaves the least. Then the suits are joined, and the sets chosen
by counting ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import NamedTuple

from engine.cards import JOKER, KINDS, Card, Rank
from engine.clashes import clash
from engine.faults import labels
from engine.melds import Law, Reading, cores, growth, law, readings, run_cards, run_reading, set_reading
from engine.missing import Missing, fewest_missing
from engine.rules import Rules

_RANKS = tuple(Rank)


@dataclass(frozen=True, slots=True)
class LayOff:
    """A card added to a meld."""

    card: Card
    own: bool
    meld: int
    """Number of the meld, from 0: among the own ones, or among those that lay on the table."""


@dataclass(frozen=True, slots=True)
class LayDown:
    """A contract laid down, with what is added to melds in the same turn and what stays in the hand."""

    melds: tuple[tuple[Card, ...], ...]
    readings: tuple[Reading, ...]
    """What each meld stands for as it goes down."""
    layoffs: tuple[LayOff, ...]
    """In an order in which they can be played."""
    discard: Card | None
    left: tuple[Card, ...]
    points: int
    """What ``left`` costs."""


class _Run(NamedTuple):
    """A run as it lies there at the end of the turn."""

    size: int
    """Cards that the contract asks for; 0 for a run that lay on the table."""
    table: int
    """Number of the meld on the table; -1 for an own run."""
    final: Reading
    base: Reading | None
    """What of it lay on the table."""
    wilds: int
    """Wild cards that it takes from the hand."""


class _Part(NamedTuple):
    """What one suit can do, or several joined: runs filled, and what then remains."""

    filled: tuple[int, ...]
    """How many runs of each size that the contract asks for."""
    wilds: int
    remainder: tuple[int, ...]
    """Cards left of the ranks that could be sets, by group."""
    total: int
    """Points of the other cards left."""
    highest: int
    """Points of the costliest of them."""
    number: int
    """How many these other cards are."""
    runs: tuple[tuple[_Run, ...], ...]
    """For each suit."""
    firsts: tuple[tuple[Reading, ...], ...]
    """For each suit, what each own run was as it went down."""


class _Sets(NamedTuple):
    """The sets that complete a solution."""

    cost: int
    wilds: tuple[int, ...]
    """Wild cards that go down in each."""
    naturals: tuple[int, ...]
    ranks: tuple[int, ...]


class _Search:
    """The search over one hand in which every card is either natural or wild.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> hand = parse_cards("8C 8D 8H 8S 9C 9D 9H KD 3S 4C AH JK")
    >>> found = _Search(hand[:-1], hand[-1:], load("shanghai"), 1).best()
    >>> found.points, found.discard
    (20, Card('AH'))

    Args:
        naturals: the cards of the hand that stand for themselves.
        wilds: the cards of the hand that are wild.
        table: the melds that lie on the table already.
        turn: whether the turn ends with a discard where the rules say so.
    """

    def __init__(
        self,
        naturals: Sequence[Card],
        wilds: Sequence[Card],
        rules: Rules,
        round_number: int,
        table: Sequence[Sequence[Card]] = (),
        turn: bool = True,
    ) -> None:
        self.rules = rules
        self.round_number = round_number
        contract = rules.contract(round_number)
        self.laydown: Law = law(rules, round_number)
        self.added: Law = law(rules, round_number, "added")
        self.whole = contract.whole_hand
        self.lays_off = rules.layoff == "same_turn" and not self.whole
        self.longer = self.whole or rules.longer_laydown
        self.keeps_one = turn and rules.out_discard == "required" and not self.whole
        self.no_last_discard = rules.out_discard == "forbidden" and not self.whole
        runs = [slot.size for slot in contract.slots if slot.kind == "run"]
        self.run_sizes = tuple(sorted(set(runs)))
        self.asked = tuple(runs.count(size) for size in self.run_sizes)
        self.set_sizes = tuple(sorted(slot.size for slot in contract.slots if slot.kind == "set"))
        self.size = contract.size

        self.prices = rules.card_points
        self.points = [self.prices[card] for card in KINDS]
        self.wilds = sorted(wilds, key=lambda card: -self.prices[card])
        self.wild_points = [self.prices[card] for card in self.wilds]
        self.counts = [[0] * 13 for _ in range(4)]
        for card in naturals:
            self.counts[card.index // 13][card.index % 13] += 1
        self.table = [tuple(meld) for meld in table]
        self.table_sets: list[tuple[int, int, int, int]] = []  # rank, number, cards, wild cards
        self.table_runs: list[list[tuple[int, tuple[Reading, ...]]]] = [[], [], [], []]
        self._read_table()
        self.open_ranks = {rank for rank, *_ in self.table_sets}
        self._find_groups()

    def _read_table(self) -> None:
        for number, meld in enumerate(self.table if self.lays_off else ()):
            found = readings(meld, self.added)
            sets = [reading for reading in found if isinstance(reading.of, Rank)]
            if sets:
                rank = _RANKS.index(Rank(sets[0].of))
                self.table_sets.append((rank, number, len(meld), len(sets[0].wilds)))
            else:
                self.table_runs[run_cards(found[0])[0].index // 13].append((number, found))

    def _find_groups(self) -> None:
        """Cards of one rank and price, for the ranks that could be sets: there a remainder may be of use."""
        in_rank = [sum(row[rank] for row in self.counts) for rank in range(13)]
        least = min((size - min(self.laydown.set_caps[size], len(self.wilds)) for size in self.set_sizes), default=99)
        self.groups = sorted(
            {
                (rank, -self.points[13 * suit + rank])
                for suit in range(4)
                for rank in range(13)
                if (in_rank[rank] >= least or rank in self.open_ranks) and self.counts[suit][rank]
            }
        )
        self.set_ranks = sorted({rank for rank, _ in self.groups})

    def best(self) -> LayDown | None:
        """Return the contract and lay-offs that leave the fewest points; none if the contract cannot be laid down."""
        held = sum(map(sum, self.counts)) + len(self.wilds)
        if held < self.size + self.keeps_one:
            return None
        best: tuple[_Part, _Sets] | None = None
        for part in self._joined():
            sets = self._best_sets(part)
            if sets and (best is None or sets.cost < best[1].cost):
                best = part, sets
        return _Writer(self, *best).laydown() if best else None

    # Runs, suit by suit --------------------------------------------------------------------------------------

    def _joined(self) -> list[_Part]:
        joined = [_Part((0,) * len(self.asked), 0, (0,) * len(self.groups), 0, 0, 0, (), ())]
        for suit in range(4):
            parts = self._suit_parts(suit)
            kept: dict[tuple[object, ...], list[_Part]] = {}
            for before in joined:
                for part in parts:
                    filled = tuple(map(sum, zip(before.filled, part.filled, strict=True)))
                    wilds = before.wilds + part.wilds
                    if wilds > len(self.wilds) or any(map(int.__gt__, filled, self.asked)):
                        continue
                    both = _Part(
                        filled,
                        wilds,
                        tuple(map(sum, zip(before.remainder, part.remainder, strict=True))),
                        before.total + part.total,
                        max(before.highest, part.highest),
                        before.number + part.number,
                        before.runs + part.runs,
                        before.firsts + part.firsts,
                    )
                    self._keep(kept, both)
            joined = [part for parts in kept.values() for part in parts]
        return [part for part in joined if part.filled == self.asked]

    def _keep(self, kept: dict[tuple[object, ...], list[_Part]], part: _Part) -> None:
        """Keep the part unless another, like it in all else, leaves no more points before and after a discard."""
        key: tuple[object, ...] = part[:3]
        if self.no_last_discard:  # there, fewer points may be worse: a single card left cannot be discarded
            key = (*key, part.number, part.total, part.highest)
        rivals = kept.setdefault(key, [])
        after = part.total - part.highest
        if any(rival.total <= part.total and rival.total - rival.highest <= after for rival in rivals):
            return
        rivals[:] = [rival for rival in rivals if rival.total < part.total or rival.total - rival.highest < after]
        rivals.append(part)

    def _suit_parts(self, suit: int) -> list[_Part]:
        kept: dict[tuple[object, ...], list[_Part]] = {}
        counts = self.counts[suit]
        on_table = [(0, number) for number, _ in self.table_runs[suit]]
        for filled in product(*(range(asked + 1) for asked in self.asked)):
            tasks = [(size, -1) for size, number in zip(self.run_sizes, filled, strict=True) for _ in range(number)]
            if sum(size for size, _ in tasks) <= sum(counts) + len(self.wilds):
                for runs, rest, firsts in self._lay(suit, tasks + on_table, counts, len(self.wilds), (), [()]):
                    part = self._part(suit, filled, runs, rest, firsts)
                    if not self.whole or not part.number:
                        self._keep(kept, part)
        return [part for parts in kept.values() for part in parts]

    def _part(
        self,
        suit: int,
        filled: tuple[int, ...],
        runs: tuple[_Run, ...],
        rest: list[int],
        firsts: tuple[Reading, ...],
    ) -> _Part:
        remainder = [0] * len(self.groups)
        total = highest = count = 0
        for rank, number in enumerate(rest):
            if number:
                points = self.points[13 * suit + rank]
                if rank in self.set_ranks:
                    remainder[self.groups.index((rank, -points))] += number
                else:
                    total += points * number
                    highest = max(highest, points)
                    count += number
        wilds = sum(run.wilds for run in runs)
        return _Part(filled, wilds, tuple(remainder), total, highest, count, (runs,), (firsts,))

    def _lay(
        self,
        suit: int,
        tasks: list[tuple[int, int]],
        counts: list[int],
        wilds: int,
        runs: tuple[_Run, ...],
        firsts: list[tuple[Reading, ...]],
    ) -> Iterator[tuple[tuple[_Run, ...], list[int], tuple[Reading, ...]]]:
        """Every way to make the runs with these cards: the runs, the cards that remain, what went down first."""
        if len(runs) == len(tasks):
            yield runs, counts, firsts[0]
            return
        task = tasks[len(runs)]
        contended = len(tasks) > 1
        # Runs of one size are made in order, so that no two are found twice.
        floor = _order(runs[-1].final) if runs and task[1] < 0 and tasks[len(runs) - 1] == task else None
        bases = (None,) if task[1] < 0 else next(found for number, found in self.table_runs[suit] if number == task[1])
        for base in bases:
            for run in self._finals(suit, task, base, counts, wilds, contended):
                if floor and _order(run.final) < floor:
                    continue
                laid = firsts
                if base is None:
                    laid = [
                        (*before, first)
                        for first in self._firsts(run)
                        for before in firsts
                        if not any(clash(first, other, self.rules, self.round_number) for other in before)
                    ]
                if laid:
                    rest = counts.copy()
                    for rank in _ranks_from_hand(run):
                        rest[rank] -= 1
                    yield from self._lay(suit, tasks, rest, wilds - run.wilds, (*runs, run), laid)

    def _finals(
        self,
        suit: int,
        task: tuple[int, int],
        base: Reading | None,
        counts: list[int],
        wilds: int,
        contended: bool,
    ) -> Iterator[_Run]:
        """Every run that the cards can make in a suit, or that a run on the table can grow into."""
        size_asked, number = task
        ring = self.rules.ace_role == "wrap"
        shown = sum(1 << rank + 1 for rank in range(13) if counts[rank])
        shown |= shown << 13 if ring or (shown & 2 and self.rules.ace_role != "low") else 0
        longest = self.rules.max_run if self.lays_off or self.longer else size_asked
        caps = self.added.run_caps if self.lays_off else self.laydown.run_caps
        for size in range(base.size if base else size_asked, longest + 1):
            room = min(caps[size] - (len(base.wilds) if base else 0), wilds)
            for start, _, window in self.laydown.windows[size]:
                held = 0
                if base:
                    shift = 13 if ring and base.start < start else 0
                    held = (1 << base.size) - 1 << base.start + shift
                    if held & ~window:
                        continue
                needed = window & ~held
                open_places = needed & ~shown
                if needed & 2 and needed >> 14 & 1 and counts[0] == 1 and not ring:
                    open_places |= 1 << 14
                spare = room - open_places.bit_count()
                if spare < 0:
                    continue
                # A wild card for a card that is there pays only where the card has another use, where the turn
                # ends with nothing laid off, or where the run has no end to lay the wild card to.
                swaps = [
                    1 << place
                    for place in range(start, start + size)
                    if (needed & ~open_places) >> place & 1
                    and (
                        contended
                        or not self.lays_off
                        or size == longest
                        or not self.rules.wilds_adjacent
                        or (place - 1) % 13 in self.set_ranks
                    )
                ]
                for swapped in range(min(spare, len(swaps)) + 1):
                    for chosen in combinations(swaps, swapped):
                        mask = open_places | sum(chosen)
                        old = sum(1 << place for place in _wild_places(base, start)) if base else 0
                        run = _Run(
                            size_asked,
                            number,
                            run_reading(suit, start, size, mask | old),
                            base,
                            mask.bit_count(),
                        )
                        if self._legal(run):
                            yield run

    def _legal(self, run: _Run) -> bool:
        if run.base is None:
            return bool(self._firsts(run))
        return any(
            core.start in (run.base.start, run.base.start + 13) and len(core.wilds) == len(run.base.wilds)
            for core in cores(run.final, run.base.size, self.added, self.added)
        )

    def _firsts(self, run: _Run) -> tuple[Reading, ...]:
        """What an own run may have been as it went down."""
        if self.lays_off:
            return cores(run.final, run.size, self.laydown, self.added)
        return cores(run.final, run.final.size, self.laydown, self.laydown)

    # Sets, by counting ----------------------------------------------------------------------------------------

    def _best_sets(self, part: _Part) -> _Sets | None:
        """The sets that leave the least, with these runs; none if there are not enough."""
        held = [0] * 13
        for (rank, _), number in zip(self.groups, part.remainder, strict=True):
            held[rank] += number
        best: _Sets | None = None
        for ranks in self._set_choices(held):
            for wilds in self._wild_choices(ranks, held, len(self.wilds) - part.wilds):
                naturals = tuple(size - wild for size, wild in zip(self.set_sizes, wilds, strict=True))
                cost = self._cost(part, ranks, wilds, naturals)
                if cost is not None and (best is None or cost < best.cost):
                    best = _Sets(cost, wilds, naturals, ranks)
        return best

    def _set_choices(self, held: list[int]) -> Iterator[tuple[int, ...]]:
        least = {size: max(size - min(self.laydown.set_caps[size], len(self.wilds)), 1) for size in self.set_sizes}
        possible = [rank for rank in self.set_ranks if held[rank] >= min(least.values(), default=0)]
        for ranks in product(possible, repeat=len(self.set_sizes)):
            if not self.rules.same_rank_sets and len(set(ranks)) < len(ranks):
                continue
            # Sets of one size are interchangeable: take them in the order of their ranks.
            pairs = list(zip(self.set_sizes, ranks, strict=True))
            if all(one <= two for one, two in pairwise(pairs)):
                yield ranks

    def _wild_choices(self, ranks: tuple[int, ...], held: list[int], wilds: int) -> Iterator[tuple[int, ...]]:
        """How many wild cards each set may take as it goes down."""
        ways = []
        for rank, size in zip(ranks, self.set_sizes, strict=True):
            fewest = max(size - held[rank], 0)
            most = self.laydown.set_caps[size]
            # Where cards are laid off in the same turn the rest follows, and the fewest will do; but a card that
            # is to stay in the hand, so that there is one to discard, must not be needed here.
            if self.lays_off and ranks.count(rank) == 1 and not self.no_last_discard:
                most = min(most, fewest)
            ways.append(range(fewest, most + 1))
        for choice in product(*ways):
            if sum(choice) > wilds:
                continue
            used = [0] * 13
            for rank, size, wild in zip(ranks, self.set_sizes, choice, strict=True):
                used[rank] += size - wild
            if all(used[rank] <= held[rank] for rank in ranks):
                yield choice

    def _cost(
        self, part: _Part, ranks: tuple[int, ...], wilds: tuple[int, ...], naturals: tuple[int, ...]
    ) -> int | None:
        """Points left in the end; none where the turn cannot end so."""
        left: list[int] = []
        joining = self.open_ranks.union(ranks) if self.lays_off else set()
        laid: list[int] = []
        taken = dict.fromkeys(ranks, 0)
        for rank, count in zip(ranks, naturals, strict=True):
            taken[rank] += count
        for (rank, points), number in zip(self.groups, part.remainder, strict=True):
            rest = max(number - taken.get(rank, 0), 0)
            if rank in taken:
                taken[rank] -= number - rest
            (laid if rank in joining else left).extend([-points] * rest)
        used = part.wilds + sum(wilds)
        spare = sum(room for _, room in self.wild_room(part, ranks, wilds, naturals)) if self.lays_off else 0
        laid += self.wild_points[used : used + spare]
        left += self.wild_points[used + spare :]
        if self.whole:
            return None if left or part.number else 0
        total = part.total + sum(left)
        highest = max([part.highest, *left])
        count = part.number + len(left)
        if self.no_last_discard and count == 1:
            return min([total, *laid])
        return total - highest

    def wild_room(
        self, part: _Part, ranks: tuple[int, ...], wilds: tuple[int, ...], naturals: tuple[int, ...]
    ) -> list[tuple[tuple[bool, int], int]]:
        """How many more wild cards the sets take, once all naturals lie there: (own, number) of the set, room."""
        held = [0] * 13
        for (rank, _), number in zip(self.groups, part.remainder, strict=True):
            held[rank] += number
        for rank, count in zip(ranks, naturals, strict=True):
            held[rank] -= count
        rooms = []
        sets = [(rank, True, n, naturals[n] + wilds[n], wilds[n]) for n, rank in enumerate(ranks)]
        sets += [(rank, False, number, cards, wild) for rank, number, cards, wild in self.table_sets]
        for rank, own, number, cards, wild in sets:
            size = cards + held[rank]
            held[rank] = 0  # all the naturals go to the first set of their rank
            room = 0
            while room < len(self.wilds) and wild + room < self.added.set_caps[size + room + 1]:
                room += 1
            rooms.append(((own, number), room))
        return rooms


def _order(final: Reading) -> tuple[int, int, tuple[int, ...]]:
    return final.start, final.size, tuple(_wild_places(final, final.start))


def _wild_places(reading: Reading, start: int) -> list[int]:
    """Places of a run's wild cards, counted so that they do not lie before ``start``."""
    shift = 13 if reading.start < start else 0
    row = run_cards(reading)
    return [reading.start + shift + n for n, card in enumerate(row) if card in reading.wilds]


def _ranks_from_hand(run: _Run) -> list[int]:
    """Ranks of the naturals that a run takes from the hand."""
    final, base = run.final, run.base
    wild = set(_wild_places(final, final.start))
    shift = 13 if base and base.start < final.start else 0
    held = range(base.start + shift, base.end + shift) if base else range(0)
    return [(place - 1) % 13 for place in range(final.start, final.end) if place not in wild and place not in held]


def lay_down(
    cards: Sequence[Card],
    rules: Rules,
    round_number: int,
    table: Sequence[Sequence[Card]] = (),
    turn: bool = True,
) -> LayDown | Missing:
    """Return the contract and lay-offs that leave the fewest points, or what is missing.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> lay_down(parse_cards("8C 8D 8H 9C 9D 9H"), load("shanghai"), 1).text
    '2 sets of 3 would take the whole hand: one card more is needed for the discard.'

    Args:
        turn: whether the turn ends with a discard where the rules say so.

    Raises:
        RulesError: if the game has no such round.
    """
    ways = list(natural_or_wild(cards, rules))
    contract = rules.contract(round_number)
    lacking = [fewest_missing(naturals, len(wilds), rules, round_number) for naturals, wilds in ways]
    count, missing = min(lacking, key=lambda lack: lack[0])
    if count:
        text = f"{count} card{'s are' if count > 1 else ' is'} missing for {contract.words}, such as {labels(missing)}."
        return Missing(count, missing, text)
    found = [_Search(naturals, wilds, rules, round_number, table, turn).best() for naturals, wilds in ways]
    solved = [each for each in found if each is not None]
    if solved:
        return min(solved, key=lambda each: each.points)
    if contract.whole_hand:
        return Missing(0, (), f"{contract.words} can be made, but not of the whole hand: some card is left over.")
    return Missing(1, (), f"{contract.words} would take the whole hand: one card more is needed for the discard.")


def natural_or_wild(cards: Iterable[Card], rules: Rules) -> Iterator[tuple[tuple[Card, ...], tuple[Card, ...]]]:
    """Return each way to take the cards as natural ones and wild ones; one way, unless a wild rank may be itself.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> list(natural_or_wild(parse_cards("8C 2D JK"), load("go")))
    [((Card('8C'),), (Card('2D'), Card('JK')))]
    """
    hand = sorted(cards, key=lambda card: card.index)
    naturals = tuple(card for card in hand if card not in rules.wild_cards)
    wilds = tuple(card for card in hand if card in rules.wild_cards)
    either = tuple(card for card in wilds if card is not JOKER) if rules.two_natural else ()
    jokers = tuple(card for card in wilds if card not in either)
    for count in range(len(either) + 1):
        for chosen in dict.fromkeys(combinations(either, count)):
            rest = list(either)
            for card in chosen:
                rest.remove(card)
            yield (*naturals, *chosen), (*rest, *jokers)


class _Writer:
    """Writes a solution out in cards."""

    def __init__(self, search: _Search, part: _Part, sets: _Sets) -> None:
        self.search = search
        self.part = part
        self.sets = sets
        self.wilds = list(search.wilds)  # costliest first, and so they are taken
        self.naturals = [
            KINDS[13 * suit + rank] for suit in range(4) for rank in range(13) for _ in range(search.counts[suit][rank])
        ]
        self.naturals.sort(key=lambda card: -search.prices[card])
        self.layoffs: list[LayOff] = []
        self.to_sets_from = 0
        """Where, among the lay-offs, those to sets begin: any of these may stay in the hand."""

    def laydown(self) -> LayDown:
        """Return the solution: the contract in the order of its slots, then the lay-offs, then the discard."""
        runs = [
            (run, first)
            for row, firsts in zip(self.part.runs, self.part.firsts, strict=True)
            for run, first in zip([run for run in row if run.base is None], firsts, strict=True)
        ]
        sets = list(range(len(self.sets.ranks)))
        grown: list[tuple[_Run, Reading, bool, int]] = []
        set_at: dict[int, int] = {}
        # Runs first: what they leave is for the sets.
        slots = sorted(
            enumerate(self.search.rules.contract(self.search.round_number).slots),
            key=lambda entry: entry[1].kind,
        )
        laid: dict[int, tuple[tuple[Card, ...], Reading]] = {}
        for place, slot in slots:
            if slot.kind == "run":
                run, first = next(entry for entry in runs if entry[0].size == slot.size)
                runs.remove((run, first))
                grown.append((run, first, True, place))
                laid[place] = self._run(first), first
        grown += [(run, run.base, False, run.table) for row in self.part.runs for run in row if run.base is not None]
        if self.search.lays_off:
            for growing in grown:
                self._grow(*growing)
        for place, slot in slots:
            if slot.kind == "set":
                number = next(n for n in sets if self.search.set_sizes[n] == slot.size)
                sets.remove(number)
                set_at[number] = place
                laid[place] = self._set(number)
        if self.search.lays_off:
            self._lay_off_to_sets(set_at)
        return self._end([laid[place] for place in sorted(laid)])

    def _take(self, card: Card | None) -> Card:
        """Take this natural card from the hand, or the costliest wild one."""
        if card is None:
            return self.wilds.pop(0)
        self.naturals.remove(card)
        return card

    def _run(self, reading: Reading) -> tuple[Card, ...]:
        wild = set(_wild_places(reading, reading.start))
        places = range(reading.start, reading.end)
        row = run_cards(reading)
        return tuple([self._take(None if place in wild else row[place - reading.start]) for place in places])

    def _set(self, number: int) -> tuple[tuple[Card, ...], Reading]:
        rank, naturals, wilds = self.sets.ranks[number], self.sets.naturals[number], self.sets.wilds[number]
        cards = [card for card in self.naturals if card.index % 13 == rank][:naturals]
        taken = tuple([self._take(card) for card in cards] + [self._take(None) for _ in range(wilds)])
        return taken, set_reading(rank + 1, naturals + wilds, wilds)

    def _grow(self, run: _Run, first: Reading, own: bool, meld: int) -> None:
        row = run_cards(run.final)
        wild = set(_wild_places(run.final, run.final.start))
        begin = (
            (first.start - run.final.start) % 13
            if self.search.rules.ace_role == "wrap"
            else first.start - run.final.start
        )
        for number in growth(run.final, begin, first.size, self.search.added) or ():
            card = self._take(None if run.final.start + number in wild else row[number])
            self.layoffs.append(LayOff(card, own, meld))

    def _lay_off_to_sets(self, set_at: dict[int, int]) -> None:
        self.to_sets_from = len(self.layoffs)
        to_rank = {rank: (False, number) for rank, number, *_ in reversed(self.search.table_sets)}
        to_rank |= {rank: (True, set_at[number]) for number, rank in reversed([*enumerate(self.sets.ranks)])}
        for card in [card for card in self.naturals if card.index % 13 in to_rank]:
            self.layoffs.append(LayOff(self._take(card), *to_rank[card.index % 13]))
        for (own, number), room in self.search.wild_room(
            self.part, self.sets.ranks, self.sets.wilds, self.sets.naturals
        ):
            for _ in range(min(room, len(self.wilds))):
                self.layoffs.append(LayOff(self._take(None), own, set_at[number] if own else number))

    def _end(self, laid: list[tuple[tuple[Card, ...], Reading]]) -> LayDown:
        search = self.search
        left = sorted([*self.naturals, *self.wilds], key=lambda card: -search.prices[card])
        if search.keeps_one and not left:
            left = [self.layoffs.pop().card]  # one card is kept for the discard
        elif search.no_last_discard and len(left) == 1:
            to_sets = self.layoffs[self.to_sets_from :]
            held_back = min(to_sets, key=lambda layoff: search.prices[layoff.card], default=None)
            if held_back and search.prices[held_back.card] < search.prices[left[0]]:
                self.layoffs.remove(held_back)
                left.append(held_back.card)
        discard = None if search.whole or (search.no_last_discard and len(left) == 1) or not left else left.pop(0)
        points = sum(search.prices[card] for card in left)
        melds, readings_ = zip(*laid, strict=True)
        return LayDown(tuple(melds), tuple(readings_), tuple(self.layoffs), discard, tuple(left), points)
