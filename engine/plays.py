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
    why = _why_no_swap(meld, card)
    if why:
        return PlayVerdict(None, (*faults, why))
    taken, swapped = exchanged(meld, card)
    if rules.joker_swap == "replay_same_turn" and not any(extended(each, taken) for each in (swapped, *(others or ()))):
        text = f"No meld can take the {taken.label} again in the same turn."
        faults.append(fault(rules, FaultKind.NO_REPLAY, [taken], "joker_swap", text))
    return PlayVerdict(None, tuple(faults)) if faults else PlayVerdict(swapped, ())


def exchanged(meld: LaidMeld, card: Card) -> tuple[Card, LaidMeld]:
    """Return the wild card that a swap for this card takes, the joker before a wild rank, and what the meld then is.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> taken, swapped = exchanged(LaidMeld.of(parse_cards("5S 6S 2D 8S"), load("go")), Card("7S"))
    >>> taken, [str(reading) for reading in swapped.readings]
    (Card('2D'), ['5-8♠'])

    Raises:
        ValueError: if no wild card of the meld stands for this card.
    """
    left = {
        (reading.of, reading.start, _without(reading.wilds, card))
        for reading in meld.readings
        if card in reading.wilds or card.rank in reading.wilds
    }
    for taken in sorted({each for each in meld.cards if each in meld.law.wilds}, key=lambda each: -each.index):
        cards = list(meld.cards)
        cards[cards.index(taken)] = card
        # A wild rank that stands as itself is no wild card here, and another must be taken.
        found = tuple(each for each in readings(cards, meld.law) if (each.of, each.start, each.wilds) in left)
        if found:
            return taken, LaidMeld(tuple(cards), found, meld.law)
    raise ValueError(f"No wild card in {labels(meld.cards)} stands for {card.label}.")


def _without(wilds: tuple[Card | Rank, ...], card: Card) -> tuple[Card | Rank, ...]:
    rest = list(wilds)
    rest.remove(card if card in rest or card.rank is None else card.rank)
    return tuple(rest)


def _why_no_swap(meld: LaidMeld, card: Card) -> Fault | None:
    """Why the card takes the place of no wild card of the meld; none if it can."""
    rules = meld.law.rules
    shown = labels(meld.cards)
    with_wilds = [reading for reading in meld.readings if reading.wilds]
    if not with_wilds:
        return fault(rules, FaultKind.NO_WILD, meld.cards, "joker_swap", f"{shown} holds no wild card.")
    usable = [reading for reading in with_wilds if reading.kind == "run" or rules.swap_sets]
    if not usable:
        text = f"{shown} is a set: a wild card in a set stays there."
        return fault(rules, FaultKind.SET_IS_DEAD, meld.cards, "swap_sets", text)
    itself = card not in meld.law.wilds or rules.two_natural
    if itself and any(card in reading.wilds or card.rank in reading.wilds for reading in usable):
        return None
    stands = ", ".join(dict.fromkeys(value.label for reading in usable for value in reading.wilds))
    text = f"{card.label} is not the card that the wild card in {shown} stands for: that is {stands}."
    return fault(rules, FaultKind.NOT_THE_CARD, [card], "joker_swap", text)


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
