"""A second, independent and slow judge of rummy: it tries everything, and shares no code with the engine's searches.

It knows the rules by their settings and the cards by their codes, no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise

from engine.rules import Rules, Slot

RANKS = "A23456789TJQK"
SUITS = "CDHS"
Entry = tuple[str, bool]
"""A card that a meld stands for, and whether a wild card stands there."""
Reading = tuple[str, tuple[Entry, ...]]
"""``set`` or ``run`` and its entries in order; in a set only the rank counts."""


def is_wild(card: str, rules: Rules) -> bool:
    return (
        card == "JK"
        or card[0] in [rank.value for rank in rules.wild_ranks]
        or (rules.black_twos_wild and card in ("2C", "2S"))
    )


@cache
def ladders(rules: Rules, size: int) -> tuple[str, ...]:
    """All runs of ranks of this size."""
    role = rules.ace_role
    line = {"high": RANKS[1:] + "A", "low": RANKS, "both": RANKS + "A", "wrap": RANKS + RANKS[:-1]}[role]
    found = [line[start : start + size] for start in range(len(line) - size + 1)]
    if role == "wrap":
        found = [ladder for ladder in found if len(set(ladder)) == size]
        found = found[:1] if size == 13 else found
    return tuple(dict.fromkeys(found)) if size <= rules.max_run else ()


def run_sizes(rules: Rules, round_number: int | None) -> list[int]:
    """Sizes of the runs that the contract of a round asks for; none without a round."""
    return [slot.size for slot in rules.contract(round_number).slots if slot.kind == "run"] if round_number else []


def wild_cap(rules: Rules, kind: str, size: int, round_number: int | None, stage: str) -> int:
    setting = rules.joker_cap
    if kind == "run":
        if stage == "added" and rules.joker_cap_after != "same":
            setting = rules.joker_cap_after
        asked = run_sizes(rules, round_number)
        own = rules.contract(round_number).run_wilds if round_number else "as usual"
        if own != "as usual" and any(size >= least for least in asked):
            setting = own
    if setting is None:
        cap = size - 1
    elif setting == "ladder":
        cap = 1
        if kind == "run":
            cap = 4 if size >= 10 else 3 if size >= 7 else 2 if size >= 5 else 1
    elif setting == "not_majority":
        cap = size // 2
    else:
        cap = int(setting)
    if kind == "run" and size >= 7 and rules.any_run_7plus:
        cap = max(cap, 2)
    return min(cap, size - 1)


def allowed(reading: Reading, rules: Rules, round_number: int | None, stage: str) -> bool:
    """Whether a reading keeps to the size and the caps."""
    kind, entries = reading
    size = len(entries)
    wilds = [wild for _, wild in entries]
    if sum(wilds) > wild_cap(rules, kind, size, round_number, stage):
        return False
    if kind == "set":
        naturals = [card for card, wild in entries if not wild]
        if rules.set_distinct_suits and len(set(naturals)) < len(naturals):
            return False
        return size >= rules.set_min and (rules.set_max is None or size <= rules.set_max)
    if not rules.wilds_adjacent and any(one and two for one, two in pairwise(wilds)):
        return False
    least = min(run_sizes(rules, round_number), default=rules.run_min)
    return size >= least and "".join(card[0] for card, _ in entries) in ladders(rules, size)


def meld_readings(
    cards: tuple[str, ...], rules: Rules, round_number: int | None = None, stage: str = "laydown"
) -> set[Reading]:
    """Every reading of a group: each choice of what is wild, and of what it stands for."""
    found: set[Reading] = set()
    may_be_wild = [n for n, card in enumerate(cards) if is_wild(card, rules)]
    fixed = [n for n in may_be_wild if cards[n] == "JK" or not rules.two_natural]
    optional = [n for n in may_be_wild if n not in fixed]
    for count in range(len(optional) + 1):
        for more in combinations(optional, count):
            wild = {*fixed, *more}
            naturals = [card for n, card in enumerate(cards) if n not in wild]
            if not naturals:
                continue
            if len({card[0] for card in naturals}) == 1:
                entries = [(card, False) for card in sorted(naturals)] + [(naturals[0][0] + "?", True)] * len(wild)
                found.add(("set", tuple(entries)))
            if len({card[1] for card in naturals}) == 1:
                for ladder in ladders(rules, len(cards)):
                    if not all(card[0] in ladder for card in naturals):
                        continue
                    # With two places for one ace, either may hold it.
                    for order in (1, -1):
                        left = Counter(card[0] for card in naturals)
                        entries = []
                        for rank in ladder[::order]:
                            entries.append((rank + naturals[0][1], not left[rank]))
                            left[rank] -= left[rank] > 0
                        if not left.total():
                            found.add(("run", tuple(entries[::order])))
    return {reading for reading in found if allowed(reading, rules, round_number, stage)}


def places(reading: Reading, rules: Rules) -> tuple[int, ...]:
    """Numbers of a run's cards in rank order; a low ace is 0, a high one 13."""
    _, entries = reading
    first = RANKS.index(entries[0][0][0])
    if first == 0 and rules.ace_role == "high":
        first = 13
    return tuple(range(first, first + len(entries)))


def clash(one: Reading, two: Reading, rules: Rules, round_number: int) -> bool:
    if one[0] != two[0]:
        return False
    if one[0] == "set":
        return one[1][0][0][0] == two[1][0][0][0] and not rules.same_rank_sets
    if one[1][0][0][1] != two[1][0][0][1]:
        return False
    first, second = places(one, rules), places(two, rules)
    if rules.ace_role == "wrap":
        first, second = tuple(p % 13 for p in first), tuple(p % 13 for p in second)
    if set(first) & set(second):
        return rules.forbid_overlap
    adjoining = rules.adjoining
    if round_number == rules.rounds_played and rules.adjoining_final != "same":
        adjoining = rules.adjoining_final
    if adjoining == "allow":
        return False
    gaps = [min(second) - max(first) - 1, min(first) - max(second) - 1]
    if rules.ace_role == "wrap":
        gaps = [(second[0] - first[-1] - 1) % 13, (first[0] - second[-1] - 1) % 13]
    elif rules.ace_bridges:
        gaps += [gap + 13 for gap in gaps]
    return min(gap for gap in gaps if gap >= 0) < rules.min_gap


def extensions(reading: Reading, card: str, rules: Rules) -> Iterator[Reading]:
    """The readings that come of adding one card to one reading, which stays as it is."""
    kind, entries = reading
    if kind == "set":
        rank = entries[0][0][0]
        options = [(card, False)] if card[0] == rank and (not is_wild(card, rules) or rules.two_natural) else []
        if is_wild(card, rules):
            options.append((rank + "?", True))
        for entry in options:
            yield ("set", tuple(sorted((*entries, entry))))
        return
    suit = entries[0][0][1]
    for ladder in ladders(rules, len(entries) + 1):
        whole = tuple(rank + suit for rank in ladder)
        now = tuple(value for value, _ in entries)
        for at_front in (True, False):
            if now != (whole[1:] if at_front else whole[:-1]):
                continue
            value = whole[0] if at_front else whole[-1]
            options = [(value, True)] if is_wild(card, rules) else []
            if card == value and (not is_wild(card, rules) or rules.two_natural):
                options.append((value, False))
            for entry in options:
                yield ("run", (entry, *entries) if at_front else (*entries, entry))


class Best:
    """The fewest points that a hand can be left with in a turn that lays the contract down."""

    def __init__(self, hand: tuple[str, ...], rules: Rules, round_number: int, table: list[tuple[str, ...]]) -> None:
        self.rules = rules
        self.round_number = round_number
        self.contract = rules.contract(round_number)
        self.table = table
        self.prices = {card.code: points for card, points in rules.card_points.items()}
        self.seen: set[tuple[object, ...]] = set()
        self.points: int | None = None
        self._choose((), list(self.contract.slots), Counter(hand))

    def _choose(self, laid: tuple[Reading, ...], slots: list[Slot], hand: Counter[str]) -> None:
        state = (tuple(sorted(laid)), tuple(sorted(hand.elements())))
        if state in self.seen:
            return
        self.seen.add(state)
        if not slots:
            self._after(laid, hand)
            return
        if self.points == 0:
            return
        slot = slots[0]
        for cards, reading in self._melds(slot, slots[1:], hand):
            if not any(clash(reading, other, self.rules, self.round_number) for other in laid):
                self._choose((*laid, reading), slots[1:], hand - Counter(cards))

    def _melds(self, slot: Slot, others: list[Slot], hand: Counter[str]) -> Iterator[tuple[tuple[str, ...], Reading]]:
        longer = self.contract.whole_hand or self.rules.longer_laydown
        most = hand.total() - sum(other.size for other in others) if longer else slot.size
        least = most if self.contract.whole_hand and not others else slot.size
        for size in range(least, most + 1):
            for cards in self._groups(slot.kind, size, hand):
                for reading in meld_readings(cards, self.rules, self.round_number):
                    if reading[0] == slot.kind:
                        yield cards, reading

    def _groups(self, kind: str, size: int, hand: Counter[str]) -> set[tuple[str, ...]]:
        """Groups of the hand that could be such a meld, by the crudest of sieves: one rank, or one suit."""
        wild = sorted(card for card in hand.elements() if is_wild(card, self.rules))
        at = 0 if kind == "set" else 1
        found: set[tuple[str, ...]] = set()
        for value in RANKS if kind == "set" else SUITS:
            own = sorted(card for card in hand.elements() if card != "JK" and card[at] == value)
            if kind == "run":
                own = sorted(set(own) | {card for card in own if card[0] == "A" and hand[card] > 1})
                own += [card for card in set(own) if card[0] == "A" and hand[card] > 1]
            for wilds in range(size):
                for naturals in set(combinations(own, size - wilds)):
                    rest = Counter(wild) - (Counter(naturals) & Counter(wild))
                    for more in set(combinations(sorted(rest.elements()), wilds)):
                        found.add(tuple(sorted((*naturals, *more))))
        return found

    def _after(self, laid: tuple[Reading, ...], hand: Counter[str]) -> None:
        """Lay off in every order, and end the turn in every way."""
        table: tuple[frozenset[Reading], ...] = tuple(frozenset([reading]) for reading in laid)
        if self.rules.layoff == "same_turn" and not self.contract.whole_hand:
            table += tuple(
                frozenset(meld_readings(tuple(meld), self.rules, self.round_number, "added")) for meld in self.table
            )
            self._lay_off(table, hand)
        else:
            self._end(hand)

    def _lay_off(self, table: tuple[frozenset[Reading], ...], hand: Counter[str]) -> None:
        state = (table, tuple(sorted(hand.elements())))
        if state in self.seen:
            return
        self.seen.add(state)
        self._end(hand)
        for number, readings in enumerate(table):
            for card in list(hand):
                more = frozenset(
                    new
                    for reading in readings
                    for new in extensions(reading, card, self.rules)
                    if allowed(new, self.rules, self.round_number, "added")
                )
                if more:
                    self._lay_off((*table[:number], more, *table[number + 1 :]), hand - Counter([card]))

    def _end(self, hand: Counter[str]) -> None:
        cards = sorted(hand.elements(), key=lambda card: self.prices[card])
        total = sum(self.prices[card] for card in cards)
        if self.contract.whole_hand:
            results = [] if cards else [0]
        elif self.rules.out_discard == "required":
            results = [total - self.prices[cards[-1]]] if cards else []
        elif self.rules.out_discard == "forbidden":
            results = [total - self.prices[cards[-1]] if len(cards) > 1 else total]
        else:
            results = [total - self.prices[cards[-1]] if cards else 0]
        for points in results:
            if self.points is None or points < self.points:
                self.points = points


def fewest_points(
    hand: tuple[str, ...], rules: Rules, round_number: int, table: list[tuple[str, ...]] | None = None
) -> int | None:
    """Points left after the best turn; none if the contract cannot be laid down."""
    return Best(hand, rules, round_number, table or []).points
