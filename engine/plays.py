"""Plays on melds that lie on the table: laying off, swapping a wild card out, calling "Shanghai"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.cards import KINDS, Card, Rank
from engine.faults import Fault, FaultKind, fault, labels
from engine.melds import Law, Reading, copy_faults, judge_meld, readings, run_cards
from engine.rules import Rules

Down = Literal["no", "this_turn", "earlier"]
"""Whether and when a player's own contract went down."""


@dataclass(frozen=True, slots=True)
class LaidMeld:
    """A meld on the table, with the readings that are still open."""

    cards: tuple[Card, ...]
    readings: tuple[Reading, ...]
    law: Law

    @classmethod
    def of(cls, cards: Sequence[Card], rules: Rules, round_number: int | None = None) -> LaidMeld:
        """Return a meld as it is found on the table, which may have been added to already.

        >>> from engine.cards import parse_cards
        >>> from engine.rules import load
        >>> len(LaidMeld.of(parse_cards("5H 6H 7H JK"), load("shanghai")).readings)
        2
        """
        verdict = judge_meld(cards, rules, round_number, "added")
        return cls(tuple(cards), verdict.readings, verdict.law)


@dataclass(frozen=True, slots=True)
class PlayVerdict:
    """Whether a play on a meld is allowed: what the meld then is, or everything that speaks against it."""

    meld: LaidMeld | None
    faults: tuple[Fault, ...]

    @property
    def legal(self) -> bool:
        """Whether the play is allowed."""
        return not self.faults


def lay_off(meld: LaidMeld, card: Card) -> PlayVerdict:
    """Return the verdict on adding a card to a meld. Wild cards stay what they were fixed to be.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> meld = LaidMeld.of(parse_cards("5H 6H 7H JK"), load("shanghai"))
    >>> [str(reading) for reading in lay_off(meld, Card("9H")).meld.readings]
    ['5-9♥ (wild: 8♥)']
    >>> print(*lay_off(meld, Card("TH")).faults)
    10♥ does not fit 5♥ 6♥ 7♥ Joker: 3♥, 4♥, 8♥, 9♥ would. (000 L13, 001 L59)
    """
    rules = meld.law.rules
    cards = (*meld.cards, card)
    copies = copy_faults(cards, rules)
    if copies:
        return PlayVerdict(None, copies)
    found = extended(meld, card)
    return PlayVerdict(LaidMeld(cards, found, meld.law), ()) if found else PlayVerdict(None, _why_not(meld, card))


def extended(meld: LaidMeld, card: Card) -> tuple[Reading, ...]:
    """Return the readings that are open once the card lies with the meld; none if it does not fit.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> extended(LaidMeld.of(parse_cards("8C 8D 8H"), load("shanghai")), Card("9H"))
    ()
    """
    # Most cards are of another suit and another rank, and are seen not to fit at a glance.
    first = meld.readings[0].of if meld.readings else None
    if card not in meld.law.wilds and first is not card.suit and first is not card.rank and len(meld.readings) == 1:
        return ()
    slides = meld.law.rules.joker_slides and bool(meld.readings)
    return tuple(
        new
        for new in readings((*meld.cards, card), meld.law)
        if slides or any(_extends(new, old) for old in meld.readings)
    )


def follows(new: Reading, old: Reading) -> bool:
    """Return whether a meld read so comes of one read so, by a card laid off or swapped in, or by none.

    >>> from engine.cards import Suit
    >>> run = Reading("run", Suit.HEARTS, 5, 4, (Card("8H"),))
    >>> follows(Reading("run", Suit.HEARTS, 5, 5, (Card("8H"),)), run)
    True
    >>> follows(Reading("run", Suit.HEARTS, 4, 5, (Card("4H"),)), run)
    False
    """
    if new.size == old.size:
        return (new.of, new.start) == (old.of, old.start) and set(new.wilds) <= set(old.wilds)
    return _extends(new, old)


def _extends(new: Reading, old: Reading) -> bool:
    """Whether a reading comes of an old one by a card at an end: all wild cards keep what they stand for."""
    if new.of is not old.of:
        return False
    if new.kind == "set":
        return len(new.wilds) >= len(old.wilds)
    # A run that has come round to a whole suit is read from the ace, wherever it began.
    around = new.size == 13 and old.size == 12 and new.start == 1
    at_an_end = run_cards(old) in (run_cards(new)[1:], run_cards(new)[:-1])
    return (at_an_end or around) and set(old.wilds) <= set(new.wilds)


def _why_not(meld: LaidMeld, card: Card) -> tuple[Fault, ...]:
    rules = meld.law.rules
    shown = labels(meld.cards)
    if not meld.readings:
        return judge_meld(meld.cards, rules, stage="added").faults
    wild = card in meld.law.wilds
    kind = meld.readings[0].kind
    if readings((*meld.cards, card), meld.law):
        text = f"{card.label} fits {shown} only if a wild card stood for another card than it does."
        return (fault(rules, FaultKind.WILD_IS_FIXED, [card], "joker_slides", text),)
    held = len([each for each in meld.cards if each in meld.law.wilds])
    caps = meld.law.set_caps if kind == "set" else meld.law.run_caps
    if wild and held + 1 > caps[len(meld.cards) + 1] >= 0:
        most = caps[len(meld.cards) + 1]
        text = (
            f"{shown} with {card.label} would hold {held + 1} wild cards: {most or 'none'} at most, also when added to."
        )
        return (fault(rules, FaultKind.TOO_MANY_WILDS, [card], "joker_cap joker_cap_after", text),)
    fitting = [each for each in KINDS if extended(meld, each)]
    would = f"{', '.join(each.label for each in fitting)} would" if fitting else "it takes no more cards"
    settings = "set_min set_max set_distinct_suits" if kind == "set" else "run_min ace_role"
    text = f"{card.label} does not fit {shown}: {would}."
    return (fault(rules, FaultKind.DOES_NOT_FIT, [card], settings, text),)


def swap(meld: LaidMeld, card: Card, down: Down, others: Iterable[LaidMeld] | None = None) -> PlayVerdict:
    """Return the verdict on putting a card in the place of a wild card of a meld and taking that.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> meld = LaidMeld.of(parse_cards("5H 6H JK 8H"), load("shanghai"))
    >>> swap(meld, Card("7H"), "earlier").legal
    True
    >>> print(*swap(meld, Card("7H"), "this_turn").faults)
    A wild card may be swapped only in a turn after the one in which the own contract went down. (001 L75)

    Args:
        down: whether and when the own contract of the player went down.
        others: the other melds on the table, where it matters whether the wild card can be laid off again.
    """
    rules = meld.law.rules
    if not meld.readings:
        return PlayVerdict(None, judge_meld(meld.cards, rules, stage="added").faults)
    if rules.joker_swap == "never":
        text = f"{rules.title} has no swapping: a wild card on the table stays there."
        return PlayVerdict(None, (fault(rules, FaultKind.NOT_IN_THIS_GAME, [card], "joker_swap", text),))
    faults = []
    if down == "no":
        text = "A wild card may be swapped only by a player whose own contract is down."
        faults.append(fault(rules, FaultKind.NOT_DOWN, [card], "joker_swap", text))
    elif down == "this_turn" and rules.swap_turn == "next_turn":
        text = "A wild card may be swapped only in a turn after the one in which the own contract went down."
        faults.append(fault(rules, FaultKind.TOO_EARLY, [card], "swap_turn", text))
    swapped, why = _swapped(meld, card)
    if why:
        faults.append(why)
    elif swapped and rules.joker_swap == "replay_same_turn":
        taken = taken_by_swap(meld)
        if not any(extended(target, taken) for target in (swapped, *(others or ()))):
            text = f"No meld can take the {taken.label} again in the same turn."
            faults.append(fault(rules, FaultKind.NO_REPLAY, [taken], "joker_swap", text))
    return PlayVerdict(None, tuple(faults)) if faults else PlayVerdict(swapped, ())


def taken_by_swap(meld: LaidMeld) -> Card:
    """Return the wild card that a swap takes from a meld: the joker before a wild rank.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> taken_by_swap(LaidMeld.of(parse_cards("5S 6S 2D 8S"), load("go")))
    Card('2D')
    """
    return max((card for card in meld.cards if card in meld.law.wilds), key=lambda card: card.index)


def _swapped(meld: LaidMeld, card: Card) -> tuple[LaidMeld | None, Fault | None]:
    """The meld after a swap, or why there is nothing to swap."""
    rules = meld.law.rules
    shown = labels(meld.cards)
    if not any(reading.wilds for reading in meld.readings):
        return None, fault(rules, FaultKind.NO_WILD, meld.cards, "joker_swap", f"{shown} holds no wild card.")
    if meld.readings[0].kind == "set" and not rules.swap_sets:
        text = f"{shown} is a set: a wild card in a set stays there."
        return None, fault(rules, FaultKind.SET_IS_DEAD, meld.cards, "swap_sets", text)
    fitting = [
        reading
        for reading in meld.readings
        if card not in meld.law.wilds and (card in reading.wilds or card.rank is reading.of)
    ]
    if not fitting:
        stands = ", ".join(dict.fromkeys(value.label for reading in meld.readings for value in reading.wilds))
        text = f"{card.label} is not the card that the wild card in {shown} stands for: that is {stands}."
        return None, fault(rules, FaultKind.NOT_THE_CARD, [card], "joker_swap", text)
    taken = taken_by_swap(meld)
    cards = list(meld.cards)
    cards[cards.index(taken)] = card
    left = {tuple(_without(reading.wilds, card)): reading for reading in fitting}
    found = tuple(new for new in readings(cards, meld.law) if new.wilds in left and new.start == left[new.wilds].start)
    return LaidMeld(tuple(cards), found, meld.law), None


def _without(wilds: tuple[Card | Rank, ...], card: Card) -> list[Card | Rank]:
    rest = list(wilds)
    rest.remove(card if card in rest or card.rank is None else card.rank)
    return rest


def call(meld: LaidMeld, card: Card, protected: bool) -> PlayVerdict:
    """Return the verdict on calling "Shanghai" for a discard that fits a meld.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> meld = LaidMeld.of(parse_cards("8C 8D 8H"), load("shanghai"))
    >>> call(meld, Card("8S"), protected=False).legal, call(meld, Card("8S"), protected=True).legal
    (True, False)

    Args:
        protected: whether the discarder called first, to protect the discard.
    """
    rules = meld.law.rules
    if not rules.shanghai_call:
        text = f"{rules.title}, as it is played here, has no call for a discard that fits."
        return PlayVerdict(None, (fault(rules, FaultKind.NOT_IN_THIS_GAME, [card], "shanghai_call", text),))
    verdict = lay_off(meld, card)
    if protected:
        text = f"{card.label} was called by the player who discarded it, which protects it until the next draw."
        protection = fault(rules, FaultKind.PROTECTED, [card], "shanghai_call", text)
        return PlayVerdict(None, (protection, *verdict.faults))
    return verdict
