"""Contracts: whether the melds that somebody lays down, or that lie there after a turn, fulfil the round's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from engine.cards import Card
from engine.clashes import clash
from engine.faults import Fault, FaultKind, fault, labels
from engine.laydown import lay_down
from engine.melds import Law, Reading, copy_faults, cores, judge_meld, law
from engine.missing import Missing
from engine.rules import Contract, Rules, Slot
from engine.scoring import check_cards

Event = Literal["laydown", "snapshot"]
"""``laydown``: the melds as they go down; ``snapshot``: as they lie there after a turn, perhaps added to."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether melds fulfil a contract: the ways in which they do, or everything that is wrong."""

    contract: Contract
    melds: tuple[tuple[Card, ...], ...]
    readings: tuple[tuple[Reading, ...], ...]
    """One entry for each way to read the melds that fulfils the contract: a reading for each meld."""
    faults: tuple[Fault, ...]
    warnings: tuple[str, ...] = ()
    """What cannot be judged from the melds but should be looked at again."""

    @property
    def legal(self) -> bool:
        """Whether the contract is fulfilled."""
        return bool(self.readings)

    def __str__(self) -> str:
        if not self.legal:
            return "Not allowed. " + " ".join(str(each) for each in self.faults)
        ways = " Or: ".join("; ".join(str(reading) for reading in way) + "." for way in self.readings)
        return " ".join((f"Allowed: {ways}", *self.warnings))


def judge(
    rules: Rules,
    round_number: int,
    melds: Iterable[Sequence[Card]],
    kept: Iterable[Card] = (),
    event: Event = "laydown",
) -> Verdict:
    """Return the verdict on the melds of one player in one round.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> melds = [parse_cards("6H 7H 8H JK"), parse_cards("TH JH QH KH")]
    >>> print(judge(load("shanghai"), 3, melds))
    Allowed: 5-8♥ (wild: 5♥); 10-K♥.

    Args:
        melds: the cards of each meld, in any order.
        kept: the cards that stay in the hand, as far as they are known.

    Raises:
        RulesError: if the game has no such round.
    """
    contract = rules.contract(round_number)
    groups = tuple(tuple(meld) for meld in melds)
    hand = tuple(kept)
    faults: list[Fault] = [*copy_faults([card for meld in (*groups, hand) for card in meld], rules)]
    stage: Literal["laydown", "added"] = "laydown" if event == "laydown" else "added"
    verdicts = [judge_meld(group, rules, round_number, stage) for group in groups]
    for verdict in verdicts:
        faults += [each for each in verdict.faults if each.kind is not FaultKind.TOO_MANY_COPIES or not faults]
    if contract.whole_hand and hand:
        text = f"{labels(hand)} stays in the hand: in this round the whole hand goes down at once."
        faults.append(fault(rules, FaultKind.CARD_LEFT, hand, "whole_hand_last", text))
    search = _Search(rules, round_number, contract, event)
    possible = [verdict.readings for verdict in verdicts]
    ways = tuple(dict.fromkeys(search.ways(possible, check=True)))
    if not ways:
        faults += _why_not_together(search, possible, groups)
    found = tuple(dict.fromkeys(faults))
    return Verdict(contract, groups, () if found else ways, found, _warnings(rules, round_number, groups, contract))


@dataclass(frozen=True, slots=True)
class Split:
    """A heap of cards, sorted into the melds of a contract and what is left."""

    melds: tuple[tuple[Card, ...], ...]
    readings: tuple[Reading, ...]
    left: tuple[Card, ...]


def split(cards: Iterable[Card], rules: Rules, round_number: int) -> Split | Missing:
    """Return a way to sort a heap of cards into melds that fulfil a contract, or what is missing for one.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> found = split(parse_cards("5S 8D 6S 8C 7S 8H 8S 9S"), load("shanghai"), 2)
    >>> [labels(meld) for meld in found.melds], labels(found.left)
    (['8♣ 8♦ 8♥', '5♠ 6♠ 7♠ 8♠'], '9♠')

    Raises:
        UnreadableError: if a card is unknown.
        ContradictionError: if the packs do not hold all these cards.
        RulesError: if the game has no such round.
    """
    heap = tuple(cards)
    check_cards(heap, rules)
    found = lay_down(heap, rules, round_number, turn=False)
    if isinstance(found, Missing):
        return found
    used = Counter(card for meld in found.melds for card in meld)
    left = sorted((Counter(heap) - used).elements(), key=lambda card: card.index)
    return Split(found.melds, found.readings, tuple(left))


def hand_sizes(rules: Rules, round_number: int, most: int = 40) -> tuple[int, ...]:
    """Return how many cards a player can hold after drawing, each buy adding its cards; up to ``most``.

    >>> from engine.rules import load
    >>> hand_sizes(load("shanghai"), 7)
    (12, 15, 18)
    """
    limit = rules.in_round(rules.buy_limit, round_number)
    step = 1 + rules.in_round(rules.buy_cards, round_number)
    first = rules.in_round(rules.deal, round_number) + 1
    last = most if limit is None else min(most, first + limit * step)
    return tuple(range(first, last + 1, step))


def _warnings(
    rules: Rules, round_number: int, groups: tuple[tuple[Card, ...], ...], contract: Contract
) -> tuple[str, ...]:
    if not contract.whole_hand or rules.draw_deep:
        return ()
    count = sum(len(group) for group in groups)
    sizes = hand_sizes(rules, round_number)
    if count in sizes:
        return ()
    shown = ", ".join(str(size) for size in sizes[:4])
    return (f"{count} cards lie here, but a hand in this round has {shown}{' ...' * (len(sizes) > 4)} after drawing.",)


@dataclass(frozen=True, slots=True)
class _Search:
    """Finds ways to read melds as the slots of a contract."""

    rules: Rules
    round_number: int
    contract: Contract
    event: Event

    def ways(self, possible: Sequence[tuple[Reading, ...]], check: bool) -> Iterator[tuple[Reading, ...]]:
        """Each choice of a reading for every meld that fills the slots, ``check``-ing clashes between them or not."""
        extra = self.rules.new_melds != "no" and self.event == "snapshot"
        if len(possible) == len(self.contract.slots) or (extra and len(possible) > len(self.contract.slots)):
            yield from self._extend((), (), possible, Counter(self.contract.slots), check)

    def _extend(
        self,
        chosen: tuple[Reading, ...],
        laid: tuple[Reading, ...],
        possible: Sequence[tuple[Reading, ...]],
        open_slots: Counter[Slot],
        check: bool,
    ) -> Iterator[tuple[Reading, ...]]:
        if len(chosen) == len(possible):
            yield chosen
            return
        spare = len(possible) - len(chosen) - open_slots.total()
        for reading in possible[len(chosen)]:
            for slot in [slot for slot, count in open_slots.items() if count and slot.kind == reading.kind]:
                for core in self.laid_first(reading, slot):
                    if check and any(clash(core, other, self.rules, self.round_number) for other in laid):
                        continue
                    rest = open_slots - Counter([slot])
                    yield from self._extend((*chosen, reading), (*laid, core), possible, rest, check)
            if spare > 0:
                yield from self._extend((*chosen, reading), laid, possible, open_slots, check)

    def laid_first(self, reading: Reading, slot: Slot) -> tuple[Reading, ...]:
        """What may have filled the slot at lay-down, when this lies there now."""
        if reading.kind != slot.kind:
            return ()
        longer = self.contract.whole_hand or self.rules.longer_laydown
        if reading.size == slot.size or (longer and reading.size > slot.size and self.event == "laydown"):
            return (reading,)
        if self.event == "laydown":
            return ()
        if self.contract.whole_hand:
            return (reading,) if reading.size > slot.size else ()
        return cores(reading, slot.size, self._law("laydown"), self._law("added"))

    def _law(self, stage: Literal["laydown", "added"]) -> Law:
        return law(self.rules, self.round_number, stage)


def _wrong_number(search: _Search, groups: Sequence[tuple[Card, ...]]) -> list[Fault]:
    asked = len(search.contract.slots)
    if len(groups) == asked or (len(groups) > asked and search.rules.new_melds != "no" and search.event == "snapshot"):
        return []
    text = (
        f"Round {search.round_number} asks for {search.contract.words}: {asked} meld{'s' * (asked > 1)}, "
        f"not {len(groups)}."
    )
    cards = [card for group in groups for card in group]
    return [fault(search.rules, FaultKind.WRONG_NUMBER, cards, "contracts", text)]


def _why_not_together(
    search: _Search, possible: Sequence[tuple[Reading, ...]], groups: Sequence[tuple[Card, ...]]
) -> list[Fault]:
    """What is wrong with melds as a contract, beside what is wrong with each by itself."""
    filling = list(dict.fromkeys(search.ways(possible, check=False)))
    if filling:
        return min((_clash_faults(search, [(each,) for each in way], groups) for way in filling), key=len)
    wrong_number = _wrong_number(search, groups)
    faults = wrong_number.copy()
    rules, contract = search.rules, search.contract
    asked = f"round {search.round_number} asks for {contract.words}"
    slots = list(contract.slots)
    unplaced = []
    for readings, group in zip(possible, groups, strict=True):
        if not readings:
            continue
        slot = next((slot for slot in slots if any(search.laid_first(each, slot) for each in readings)), None)
        if slot:
            slots.remove(slot)
        else:
            unplaced.append((readings[0], group))
    for reading, group in unplaced:
        same_kind = next((slot for slot in slots if slot.kind == reading.kind), None)
        if same_kind:
            slots.remove(same_kind)
            exactly = "exactly " if reading.size > same_kind.size else ""
            text = f"{labels(group)} is a {reading.kind} of {reading.size}: {asked}, {exactly}{same_kind.size} here."
            faults.append(fault(rules, FaultKind.WRONG_SIZE, group, "contracts longer_laydown", text))
        elif slots and not wrong_number:
            text = f"{labels(group)} is a {reading.kind} too many: {asked}."
            faults.append(fault(rules, FaultKind.WRONG_KIND, group, "contracts", text))
    # After the turn, melds may have grown together, or be new: then only those that fill the contract can clash.
    return faults if search.event == "snapshot" else faults + _clash_faults(search, possible, groups)


_CLASHES = {
    FaultKind.SAME_RANK: ("same_rank_sets", "are two sets of one rank"),
    FaultKind.ADJOINING: ("adjoining min_gap", "are runs of one suit that follow each other"),
    FaultKind.OVERLAP: ("forbid_overlap", "are runs of one suit that overlap"),
}


def _clash_faults(
    search: _Search, possible: Sequence[tuple[Reading, ...]], groups: Sequence[tuple[Card, ...]]
) -> list[Fault]:
    """A fault for each two melds that clash however they are read."""
    faults = []
    for (some, first), (others, second) in combinations(zip(possible, groups, strict=True), 2):
        kinds = [clash(one, two, search.rules, search.round_number) for one in some for two in others]
        if kinds and kinds[0] and all(kinds):
            settings, words = _CLASHES[kinds[0]]
            text = f"{labels(first)} and {labels(second)} {words}: a contract may not hold both."
            faults.append(fault(search.rules, kinds[0], (*first, *second), settings, text))
    return faults
