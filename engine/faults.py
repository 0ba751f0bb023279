"""Why something is not allowed: the kinds of fault, and one fault with its cards and its source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum, unique

from engine.cards import Card
from engine.rules import Rules


@unique
class FaultKind(StrEnum):
    """Everything that can be wrong; the values are the codes in files and answers."""

    # With the cards themselves
    UNKNOWN_CARD = "unknown_card"
    TOO_MANY_COPIES = "too_many_copies"
    # With one meld
    TOO_FEW = "too_few"
    TOO_LONG = "too_long"
    MIXED_RANKS = "mixed_ranks"
    MIXED_SUITS = "mixed_suits"
    REPEATED_RANK = "repeated_rank"
    REPEATED_SUIT = "repeated_suit"
    GAP = "gap"
    ACE_MISUSE = "ace_misuse"
    WRAPAROUND = "wraparound"
    TOO_MANY_WILDS = "too_many_wilds"
    WILDS_ADJACENT = "wilds_adjacent"
    NO_NATURAL = "no_natural"
    UNDECLARED = "undeclared"
    # With a contract
    WRONG_NUMBER = "wrong_number"
    WRONG_KIND = "wrong_kind"
    WRONG_SIZE = "wrong_size"
    SAME_RANK = "same_rank"
    ADJOINING = "adjoining"
    OVERLAP = "overlap"
    CARD_LEFT = "card_left"
    # With a play on the table
    NOT_DOWN = "not_down"
    TOO_EARLY = "too_early"
    NOT_IN_THIS_GAME = "not_in_this_game"
    DOES_NOT_FIT = "does_not_fit"
    WILD_IS_FIXED = "wild_is_fixed"
    NO_WILD = "no_wild"
    SET_IS_DEAD = "set_is_dead"
    NOT_THE_CARD = "not_the_card"
    NO_REPLAY = "no_replay"
    PROTECTED = "protected"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    >>> print(Fault(FaultKind.GAP, (Card("5H"), Card("7H")), "000 L13", "6♥ is missing."))
    6♥ is missing. (000 L13)
    """

    kind: FaultKind
    cards: tuple[Card, ...]
    source: str
    """Where the rule is written; the sources are listed in docs/rules.md."""
    text: str

    def __str__(self) -> str:
        return f"{self.text} ({self.source})" if self.source else self.text


def fault(rules: Rules, kind: FaultKind, cards: Iterable[Card], settings: str, text: str) -> Fault:
    """Return a fault that quotes the source of the settings it rests on (names separated by blanks).

    >>> from engine.rules import load
    >>> fault(load("shanghai"), FaultKind.TOO_FEW, [], "run_min", "A run has four cards.").source
    '000 L13, 001 L59'
    """
    return Fault(kind, tuple(cards), rules.source(*settings.split()), text)


def labels(cards: Iterable[Card]) -> str:
    """Return the cards as people see them, separated by blanks.

    >>> labels([Card("TD"), Card("JK")])
    '10♦ Joker'
    """
    return " ".join(card.label for card in cards)


def counted(number: int, noun: str) -> str:
    """Return the number with its noun, which takes an s where it has to.

    >>> counted(1, "card"), counted(2, "wild card")
    ('1 card', '2 wild cards')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
