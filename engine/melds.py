"""Sets and runs: every legal reading of a group of cards, or every reason why there is none.

In a run, places are numbered 1 to 14: the low ace is 1, a two is 2, the king 13, the high ace 14. Where runs may
turn the corner, places are 1 to 13 on a ring. A group's ranks are then a bit mask, and a run is a window over it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations, pairwise
from typing import Literal

from engine.cards import JOKER, KINDS, UNKNOWN, Card, Rank, Suit
from engine.faults import Fault, FaultKind, counted, fault, labels
from engine.rules import LARGEST_MELD, MeldKind, Rules
from engine.scoring import too_many

Stage = Literal["laydown", "added", "new"]
"""``laydown``: a meld of a contract as it goes down; ``added``: the same once it is added to; ``new``: a meld that is
no part of a contract."""


class TableError(ValueError):
    """A meld that is said to lie on the table, and is none."""


_RANKS = tuple(Rank)
_PLACE_OF = {card: card.index % 13 + 1 for card in KINDS if card is not JOKER}
_SUIT_OF = {card: card.index // 13 for card in KINDS if card is not JOKER}
_SUITS = tuple(Suit)
_CARD_AT = tuple(
    tuple(Card(_RANKS[(place - 1) % 13] + suit) for place in range(27)) for suit in _SUITS
)  # the card of each suit at each place; index 0 is never asked for


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to see a group of cards as a set or a run.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> [str(reading) for reading in readings(parse_cards("5H 6H 7H JK"), law(load("shanghai")))]
    ['4-7♥ (wild: 4♥)', '5-8♥ (wild: 8♥)']
    """

    kind: MeldKind
    of: Rank | Suit
    """The rank of a set, the suit of a run."""
    start: int
    """Place of the lowest card of a run (1 is the low ace); 0 for a set."""
    size: int
    wilds: tuple[Card | Rank, ...]
    """What each wild card stands for: a card in a run, the rank in a set."""

    @property
    def low(self) -> Rank:
        """Rank of a run's first card."""
        return _RANKS[(self.start - 1) % 13]

    @property
    def high(self) -> Rank:
        """Rank of a run's last card."""
        return _RANKS[(self.start + self.size - 2) % 13]

    @property
    def end(self) -> int:
        """Place after a run's last card."""
        return self.start + self.size

    def __str__(self) -> str:
        if isinstance(self.of, Rank):
            text = f"set of {self.of.label}"
        else:
            text = f"{self.low.label}-{self.high.label}{self.of.symbol}"
        if not self.wilds:
            return text
        return f"{text} (wild: {', '.join(value.label for value in self.wilds)})"


@dataclass(frozen=True, slots=True)
class Law:
    """What melds may look like at one stage of one round; made by ``law`` from the rules."""

    rules: Rules
    wilds: frozenset[Card]
    set_caps: tuple[int, ...]
    """Most wild cards in a set, by its size; -1 where no set has that size."""
    run_min: int
    """Fewest cards in a run: as it goes down for a contract, as many as its shortest run."""
    run_caps: tuple[int, ...]
    """Most wild cards in a run, by its size; -1 where no run has that size."""
    windows: tuple[tuple[tuple[int, int, int], ...], ...]
    """Every run, by its size: first place, mask of the places that may lie in it, mask of its places in a row."""


def cap(rules: Rules, kind: MeldKind, size: int, setting: int | str | None) -> int:
    """Return the most wild cards that a cap setting allows in a meld of this size, one natural card at least.

    >>> from engine.rules import load
    >>> [cap(load("shanghai"), "run", size, "ladder") for size in (4, 5, 7, 10)]
    [1, 2, 3, 4]
    """
    if setting is None:
        most = size
    elif setting == "ladder":
        most = 1 if kind == "set" else 1 + (size >= 5) + (size >= 7) + (size >= 10)
    elif setting == "not_majority":
        most = size // 2
    else:
        most = int(setting)
    if kind == "run" and size >= 7 and rules.any_run_7plus:
        most = max(most, 2)
    return min(most, size - 1)


@cache
def law(rules: Rules, round_number: int | None = None, stage: Stage = "laydown") -> Law:
    """Return what melds may look like; without a round, in whichever round it is.

    >>> from engine.rules import load
    >>> law(load("shanghai")).run_caps[3:6]
    (-1, 1, 1)

    Raises:
        RulesError: if the game has no such round.
    """
    run_setting = rules.joker_cap
    if stage != "laydown" and rules.joker_cap_after != "same":
        run_setting = rules.joker_cap_after
    in_play = range(1, rules.rounds_played + 1) if round_number is None else (round_number,)
    contracts = [rules.contract(number) for number in in_play] if rules.contracts and stage != "new" else []
    set_caps = [-1] * (LARGEST_MELD + 1)
    run_caps = [-1] * (LARGEST_MELD + 1)
    for size in range(rules.set_min, (rules.set_max or LARGEST_MELD) + 1):
        set_caps[size] = cap(rules, "set", size, rules.joker_cap)
    run_min = rules.run_min
    if round_number is not None and stage == "laydown":
        asked = [slot.size for contract in contracts for slot in contract.slots if slot.kind == "run"]
        run_min = min(asked, default=run_min)
    for size in range(run_min, rules.max_run + 1):
        caps = {
            contract.run_wilds
            for contract in contracts
            if any(slot.kind == "run" and slot.size <= size for slot in contract.slots)
        }
        run_caps[size] = max(
            cap(rules, "run", size, run_setting if setting == "as usual" else setting)
            for setting in caps or {"as usual"}
        )
    return Law(rules, rules.wild_cards, tuple(set_caps), run_min, tuple(run_caps), _windows(rules.ace_role))


@cache
def _windows(ace_role: str) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    first, last = {"high": (2, 14), "low": (1, 13), "both": (1, 14), "wrap": (1, 25)}[ace_role]
    by_size: list[tuple[tuple[int, int, int], ...]] = []
    for size in range(LARGEST_MELD + 1):
        starts = range(first, last - size + 2)
        if ace_role == "wrap":
            # A whole suit is the same thirteen cards wherever it starts: it is read from the ace.
            starts = range(1, 14) if size < 13 else range(1, 2 if size == 13 else 1)
        row = []
        for start in starts:
            window = (1 << size) - 1 << start
            on_ring = (window | window >> 13) & 0b11111111111110
            row.append((start, on_ring if ace_role == "wrap" else window, window))
        by_size.append(tuple(row))
    return tuple(by_size)


# Readings ---------------------------------------------------------------------------------------------------


def readings(cards: Sequence[Card], meld_law: Law) -> tuple[Reading, ...]:
    """Return every legal way to read the cards as one set or one run; none if there is no way.

    Cards that cannot all be in the packs are no concern of it: ``judge_meld`` sees to that.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> [str(reading) for reading in readings(parse_cards("8C 8D JK"), law(load("shanghai")))]
    ['set of 8 (wild: 8)']
    """
    wilds = meld_law.wilds
    naturals = [card for card in cards if card not in wilds]
    if UNKNOWN in naturals or len(cards) > LARGEST_MELD:
        return ()
    if meld_law.rules.two_natural and len(naturals) < len(cards):
        found = _readings_with_natural_wilds(cards, naturals, meld_law)
    else:
        found = _sets_and_runs(naturals, len(cards) - len(naturals), meld_law)
    if len(found) > 1 and meld_law.rules.declared_only:
        return tuple([each for each in found if each.kind == "set" or seen_in_order(cards, each, wilds)])
    return found


def _sets_and_runs(naturals: Sequence[Card], wild_count: int, meld_law: Law) -> tuple[Reading, ...]:
    if not naturals:
        return ()
    if len({_PLACE_OF[card] for card in naturals}) > 1:
        return _runs(naturals, wild_count, meld_law)
    sets = _sets(naturals, wild_count, meld_law)
    return sets + _runs(naturals, wild_count, meld_law) if len(naturals) <= 2 else sets


def _sets(naturals: Sequence[Card], wild_count: int, meld_law: Law) -> tuple[Reading, ...]:
    if wild_count > meld_law.set_caps[len(naturals) + wild_count]:
        return ()
    if meld_law.rules.set_distinct_suits and len(set(naturals)) < len(naturals):
        return ()
    return (set_reading(_PLACE_OF[naturals[0]], len(naturals) + wild_count, wild_count),)


def _runs(naturals: Sequence[Card], wild_count: int, meld_law: Law) -> tuple[Reading, ...]:
    size = len(naturals) + wild_count
    if wild_count > meld_law.run_caps[size] or len({_SUIT_OF[card] for card in naturals}) > 1:
        return ()
    places = [_PLACE_OF[card] for card in naturals]
    aces = places.count(1)
    mask = 0
    for place in places:
        mask |= 1 << place
    if mask.bit_count() + max(aces - 1, 0) < len(places):
        return ()
    suit = _SUIT_OF[naturals[0]]
    role = meld_law.rules.ace_role
    if not aces or (aces == 1 and role in ("low", "wrap")):
        return _fit(suit, mask, size, meld_law)
    if aces == 1 and role == "high":
        return _fit(suit, mask ^ (1 << 1 | 1 << 14), size, meld_law)
    if aces == 1:
        found = _fit(suit, mask, size, meld_law) + _fit(suit, mask ^ (1 << 1 | 1 << 14), size, meld_law)
        return tuple(dict.fromkeys(found))  # a run from ace to ace shows up twice
    return _fit(suit, mask | 1 << 14, size, meld_law) if aces == 2 and role == "both" else ()


def _fit(suit: int, mask: int, size: int, meld_law: Law) -> tuple[Reading, ...]:
    """The runs whose window covers the mask: what lies open in it is for the wild cards."""
    rules = meld_law.rules
    shown = mask | mask << 13 if rules.ace_role == "wrap" else mask
    found = []
    for start, covered, window in meld_law.windows[size]:
        if not mask & ~covered:
            reading = run_reading(suit, start, size, window & ~shown)
            if rules.wilds_adjacent or not _adjacent(reading):
                found.append(reading)
    return tuple(found)


@cache
def set_reading(place: int, size: int, wild_count: int) -> Reading:
    """Return the reading of a set, by the place of its rank. Equal readings are one object, as equal cards are.

    >>> str(set_reading(8, 3, 1))
    'set of 8 (wild: 8)'
    """
    rank = _RANKS[place - 1]
    return Reading("set", rank, 0, size, (rank,) * wild_count)


@cache
def run_reading(suit: int, start: int, size: int, open_places: int) -> Reading:
    """Return the reading of a run by the number of its suit; wild cards stand at the places of the mask.

    >>> str(run_reading(2, 5, 4, 1 << 8))
    '5-8♥ (wild: 8♥)'
    """
    places = range(start, start + size)
    wilds = tuple([_CARD_AT[suit][place] for place in places if open_places >> place & 1])
    return Reading("run", _SUITS[suit], start, size, wilds)


@cache
def _adjacent(reading: Reading) -> bool:
    """Whether wild cards stand side by side in a run."""
    row = run_cards(reading)
    return any(one in reading.wilds and two in reading.wilds for one, two in pairwise(row))


def _readings_with_natural_wilds(cards: Sequence[Card], naturals: list[Card], meld_law: Law) -> tuple[Reading, ...]:
    """Where a wild rank may stand as itself: try each choice of the cards that do."""
    wild_ranked = [card for card in cards if card in meld_law.wilds and card is not JOKER]
    found: dict[Reading, None] = {}
    for place in {_PLACE_OF[card] for card in (naturals or wild_ranked)}:
        own = [card for card in wild_ranked if _PLACE_OF[card] == place]
        found.update(
            dict.fromkeys(_sets(naturals + own, len(cards) - len(naturals) - len(own), meld_law))
            if len({_PLACE_OF[card] for card in naturals}) < 2
            else {}
        )
    for suit in {_SUIT_OF[card] for card in (naturals or wild_ranked)}:
        own = list(dict.fromkeys(card for card in wild_ranked if _SUIT_OF[card] == suit))
        for count in range(len(own), -1, -1):
            for chosen in combinations(own, count):
                if not naturals and not chosen:
                    continue
                for reading in _runs([*naturals, *chosen], len(cards) - len(naturals) - count, meld_law):
                    # A card that could stand as itself and does not would be the same meld with more wild cards.
                    if not any(card in reading.wilds for card in own if card not in chosen):
                        found[reading] = None
    return tuple(found)


def seen_in_order(cards: Sequence[Card], reading: Reading, wilds: frozenset[Card]) -> bool:
    """Whether the cards, as they lie from left to right or back, show this reading of a run.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> lying = parse_cards("5H 6H 7H JK")
    >>> four, eight = readings(lying, law(load("shanghai")))
    >>> seen_in_order(lying, four, frozenset({JOKER})), seen_in_order(lying, eight, frozenset({JOKER}))
    (False, True)
    """
    row = run_cards(reading)
    shown = [None if card in wilds else card for card in cards]
    return any(
        all(there is None or there is card for there, card in zip(way, row, strict=True))
        for way in (shown, shown[::-1])
    )


def run_cards(reading: Reading) -> tuple[Card, ...]:
    """Return the cards that a run stands for, lowest first.

    >>> [card.code for card in run_cards(Reading("run", Suit.HEARTS, 11, 4, ()))]
    ['JH', 'QH', 'KH', 'AH']
    """
    row = _CARD_AT[_SUITS.index(Suit(reading.of))]
    return row[reading.start : reading.end]


# Verdicts ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MeldVerdict:
    """A group of cards with all its readings, or with every reason why it has none."""

    cards: tuple[Card, ...]
    readings: tuple[Reading, ...]
    law: Law = field(repr=False)

    @property
    def legal(self) -> bool:
        """Whether the cards are a meld."""
        return bool(self.readings)

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """Every reason why the cards are no meld; found when asked for, since most verdicts are not asked."""
        if self.readings:
            return ()
        copies = copy_faults(self.cards, self.law.rules)
        return copies if readings(self.cards, self.law) else (*copies, *_why_none(self.cards, self.law))


def judge_meld(
    cards: Iterable[Card], rules: Rules, round_number: int | None = None, stage: Stage = "laydown"
) -> MeldVerdict:
    """Return the verdict on one group of cards, in any order.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> verdict = judge_meld(parse_cards("5H 6H 8H 9H"), load("shanghai"))
    >>> verdict.legal, str(verdict.faults[0])
    (False, '7♥ is missing in 5♥ 6♥ 8♥ 9♥. (000 L13, 001 L59)')

    Raises:
        RulesError: if the game has no such round.
    """
    group = tuple(cards)
    meld_law = law(rules, round_number, stage)
    found = readings(group, meld_law)
    # Only cards that repeat can be more than the packs hold, or jokers where there are none.
    if len(group) - len(set(group)) >= rules.fewest_copies and too_many(group, rules):
        found = ()
    return MeldVerdict(group, found, meld_law)


def check_melds(melds: Iterable[Sequence[Card]], rules: Rules, round_number: int | None = None) -> None:
    """Refuse melds that cannot lie on the table, whether added to or new.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> check_melds([parse_cards("8C 8D 8H 8S")], load("shanghai"))

    Raises:
        TableError: if one is no meld; the text says why.
    """
    for meld in melds:
        verdict = judge_meld(meld, rules, round_number, "added")
        if not verdict.legal:
            raise TableError(f"{labels(meld)} cannot lie on the table. {' '.join(map(str, verdict.faults))}")


def table_faults(melds: Sequence[Sequence[Card]], rules: Rules) -> tuple[Fault, ...]:
    """Return everything that is wrong with a table of melds that belong to no contract.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> print(*table_faults([parse_cards("8C 8D 8C"), parse_cards("5H 6H 7H")], load("manipulation")))
    8♣ is there twice: the suits in a set must differ. (002)
    """
    found = dict.fromkeys(copy_faults([card for meld in melds for card in meld], rules))
    for meld in melds:
        found |= dict.fromkeys(judge_meld(meld, rules, stage="new").faults)
    return tuple(found)


def copy_faults(cards: Iterable[Card], rules: Rules) -> tuple[Fault, ...]:
    """Return a fault for each kind of card of which there are more than the packs hold.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> print(*copy_faults(parse_cards("8C 8C 8C"), load("shanghai")))
    3 × 8♣ cannot be: the packs hold 2. Check the cards again. (000 L2, 001 L3)
    """
    return tuple(
        fault(
            rules,
            FaultKind.TOO_MANY_COPIES,
            [card] * count,
            "jokers" if card is JOKER else "packs",
            f"{count} × {card.label} cannot be: the packs hold {rules.jokers if card is JOKER else rules.packs}. "
            "Check the cards again.",
        )
        for card, count in too_many(cards, rules).items()
    )


def _why_none(cards: tuple[Card, ...], meld_law: Law) -> tuple[Fault, ...]:
    """Every reason why the cards are no set, or no run: of whichever they look most like."""
    rules = meld_law.rules
    if UNKNOWN in cards:
        unread = cards.count(UNKNOWN)
        text = f"{unread} of {len(cards)} cards could not be read: say what {'it is' if unread == 1 else 'they are'}."
        return (Fault(FaultKind.UNKNOWN_CARD, (UNKNOWN,) * unread, "", text),)
    naturals = [card for card in cards if card not in meld_law.wilds]
    if not naturals and cards:
        text = f"{labels(cards)} has no natural card: at least one card must be itself."
        return (fault(rules, FaultKind.NO_NATURAL, cards, "joker_cap", text),)
    ranks = Counter(_PLACE_OF[card] for card in naturals)
    suits = Counter(_SUIT_OF[card] for card in set(naturals))
    like_set = max(ranks.values(), default=0)
    like_run = max(suits.values(), default=0)
    faults: list[Fault] = []
    if like_set >= like_run:
        faults += _why_no_set(cards, naturals, meld_law)
    if like_run >= like_set:
        faults += _why_no_run(cards, naturals, meld_law)
    return tuple(dict.fromkeys(faults))


def _why_no_set(cards: tuple[Card, ...], naturals: list[Card], meld_law: Law) -> list[Fault]:
    rules = meld_law.rules
    shown = labels(cards)
    faults = []
    if len(cards) < rules.set_min:
        text = f"{shown or 'Nothing'} is {counted(len(cards), 'card')}: a set has {rules.set_min} or more."
        faults.append(fault(rules, FaultKind.TOO_FEW, cards, "set_min", text))
    if rules.set_max is not None and len(cards) > rules.set_max:
        text = f"{shown} is {counted(len(cards), 'card')}: a set has {rules.set_max} at most."
        faults.append(fault(rules, FaultKind.TOO_LONG, cards, "set_max", text))
    if naturals:
        common = Counter(card.rank for card in naturals).most_common(1)[0][0]
        odd = [card for card in naturals if card.rank is not common]
        if odd:
            text = f"{labels(odd)} is not of the rank {common.label if common else ''}: a set is of one rank."
            faults.append(fault(rules, FaultKind.MIXED_RANKS, odd, "set_min", text))
        repeated = [card for card, count in Counter(naturals).items() if count > 1]
        if rules.set_distinct_suits and repeated:
            text = f"{labels(repeated)} is there twice: the suits in a set must differ."
            faults.append(fault(rules, FaultKind.REPEATED_SUIT, repeated, "set_distinct_suits", text))
    faults += _too_many_wilds(cards, len(cards) - len(naturals), meld_law.set_caps, "set", meld_law)
    return faults


def _why_no_run(cards: tuple[Card, ...], naturals: list[Card], meld_law: Law) -> list[Fault]:
    rules = meld_law.rules
    shown = labels(cards)
    faults = []
    if len(cards) < meld_law.run_min:
        text = f"{shown or 'Nothing'} is {counted(len(cards), 'card')}: a run has {meld_law.run_min} or more here."
        settings = "run_min" if meld_law.run_min == rules.run_min else "contracts"
        faults.append(fault(rules, FaultKind.TOO_FEW, cards, settings, text))
    if len(cards) > rules.max_run:
        text = f"{shown} is {counted(len(cards), 'card')}: a run has {rules.max_run} at most."
        faults.append(fault(rules, FaultKind.TOO_LONG, cards, "max_run", text))
    wild_count = len(cards) - len(naturals)
    common = Counter(card.suit for card in naturals).most_common(1)[0][0] if naturals else None
    odd = [card for card in naturals if card.suit is not common]
    if odd and common:
        text = f"{labels(odd)} is not of {common.symbol}: a run is of one suit."
        faults.append(fault(rules, FaultKind.MIXED_SUITS, odd, "run_min", text))
    suited = [card for card in naturals if card.suit is common]
    allowed = 2 if rules.max_run >= 14 else 1
    repeated = [card for card, count in Counter(suited).items() if count > (allowed if card.rank is Rank.ACE else 1)]
    if repeated:
        text = f"{labels(repeated)} is there more than once: each rank stands once in a run."
        faults.append(fault(rules, FaultKind.REPEATED_RANK, repeated, "run_min", text))
    faults += _too_many_wilds(cards, wild_count, meld_law.run_caps, "run", meld_law)
    if suited and not repeated and len(cards) <= rules.max_run:
        faults += _why_not_consecutive(cards, suited, wild_count, meld_law)
    return faults


def _why_not_consecutive(cards: tuple[Card, ...], suited: list[Card], wild_count: int, meld_law: Law) -> list[Fault]:
    """Gaps, an ace in the wrong place, a run round the corner, wild cards side by side."""
    rules = meld_law.rules
    suit = _SUIT_OF[suited[0]]
    places = sorted(_PLACE_OF[card] for card in suited)
    role = rules.ace_role
    size = min(len(suited) + wild_count, 14)

    def masks(ace_role: str) -> list[int]:
        """The places that the naturals take, for each way to place the aces."""
        aces = places.count(1)
        others = sum(1 << place for place in places if place > 1)
        low, high = 1 << 1, 1 << 14
        one_end = {"high": [high], "low": [low], "wrap": [low], "both": [low, high]}[ace_role]
        if aces > 1:
            one_end = [low | high] if ace_role == "both" else []
        return [others | ends for ends in one_end] if aces else [others]

    def fits(ace_role: str) -> bool:
        return any(not mask & ~covered for mask in masks(ace_role) for _, covered, _ in _windows(ace_role)[size])

    aces_shown = [card for card in suited if card.rank is Rank.ACE]
    if fits(role):
        if not any(_fit(suit, mask, size, meld_law) for mask in masks(role)):
            text = f"Wild cards stand next to each other in {labels(cards)}."
            return [fault(rules, FaultKind.WILDS_ADJACENT, cards, "wilds_adjacent", text)]
        if rules.declared_only and len(cards) == size and 0 < wild_count <= meld_law.run_caps[size]:
            text = f"{labels(cards)}: the order does not show what the wild card stands for."
            return [fault(rules, FaultKind.UNDECLARED, cards, "declared_only", text)]
        return []
    if aces_shown and fits("both"):
        side = {"high": "above the king", "low": "below the two"}.get(role, "at one end")
        text = f"{labels(aces_shown)} stands only {side} in a run."
        return [fault(rules, FaultKind.ACE_MISUSE, aces_shown, "ace_role", text)]
    if fits("wrap"):
        text = f"{labels(cards)} goes round the corner at the ace."
        return [fault(rules, FaultKind.WRAPAROUND, cards, "ace_role", text)]
    high = [place for place in places if place > 1] + [14]
    ways = {"high": [high], "both": [high, places]}.get(role, [places]) if 1 in places else [places]
    if places.count(1) > 1:
        ways = [[1, *high]]
    gaps = [sorted(set(range(min(way), max(way) + 1)) - set(way)) for way in ways]
    missing = [_CARD_AT[suit][place] for place in min(gaps, key=len)]
    text = f"{labels(missing)} {'is' if len(missing) == 1 else 'are'} missing in {labels(cards)}."
    if wild_count:
        text = f"{text[:-1]}, and {counted(wild_count, 'wild card')} cannot fill that."
    return [fault(rules, FaultKind.GAP, cards, "run_min", text)]


def _too_many_wilds(
    cards: tuple[Card, ...], wild_count: int, caps: tuple[int, ...], kind: MeldKind, meld_law: Law
) -> list[Fault]:
    rules = meld_law.rules
    size = max(min(len(cards), LARGEST_MELD), rules.set_min if kind == "set" else meld_law.run_min)
    most = caps[size] if caps[size] >= 0 else max(caps)
    if wild_count <= most:
        return []
    wild = [card for card in cards if card in meld_law.wilds]
    text = f"{labels(wild)} is {counted(wild_count, 'wild card')}: a {kind} of {size} holds {most or 'none'} at most."
    return [fault(rules, FaultKind.TOO_MANY_WILDS, wild, "joker_cap wild_ranks", text)]


# Growth -----------------------------------------------------------------------------------------------------


@cache
def cores(reading: Reading, size: int, laydown: Law, added: Law) -> tuple[Reading, ...]:
    """Return the melds of exactly ``size`` that may have been laid down first and added to until this one lay there.

    >>> from engine.rules import load
    >>> laydown, added = law(load("shanghai"), 3), law(load("shanghai"), 3, "added")
    >>> run = Reading("run", Suit.HEARTS, 5, 6, (Card("5H"),))
    >>> [str(core) for core in cores(run, 4, laydown, added)]
    ['5-8♥ (wild: 5♥)', '6-9♥', '7-10♥']
    """
    if reading.size < size:
        return ()
    if isinstance(reading.of, Rank):
        naturals = reading.size - len(reading.wilds)
        fewest, most = max(size - naturals, 0), min(laydown.set_caps[size], len(reading.wilds))
        return tuple(Reading("set", reading.of, 0, size, (reading.of,) * count) for count in range(fewest, most + 1))
    row = run_cards(reading)
    found = []
    for first in range(reading.size - size + 1):
        wilds = tuple([card for card in row[first : first + size] if card in reading.wilds])
        core = Reading("run", reading.of, reading.start + first, size, wilds)
        legal = len(wilds) <= laydown.run_caps[size] and (laydown.rules.wilds_adjacent or not _adjacent(core))
        if legal and growth(reading, first, size, added) is not None:
            found.append(core)
    return tuple(found)


@cache
def growth(run: Reading, first: int, size: int, added: Law) -> tuple[int, ...] | None:
    """Return an order in which a run grew, card by card, from the ``size`` cards that start at its ``first``.

    >>> from engine.rules import load
    >>> growth(Reading("run", Suit.HEARTS, 5, 6, ()), 1, 4, law(load("shanghai"), 3, "added"))
    (0, 5)

    Returns:
        Numbers of cards in the run, from 0; none if each order breaks a cap on wild cards on its way.
    """
    row = run_cards(run)
    ways: dict[tuple[int, int], tuple[int, ...]] = {(first, first + size): ()}
    for _ in range(run.size - size):
        longer: dict[tuple[int, int], tuple[int, ...]] = {}
        for (left, right), way in ways.items():
            for new_left, new_right, card in ((left - 1, right, left - 1), (left, right + 1, right)):
                if new_left < 0 or new_right > run.size:
                    continue
                wilds = sum(each in run.wilds for each in row[new_left:new_right])
                if wilds <= added.run_caps[new_right - new_left]:
                    longer.setdefault((new_left, new_right), (*way, card))
        ways = longer
    return ways.get((0, run.size))
