"""Cards: ranks, suits, the joker, and their text forms.

Files and JSON write ``8C``, ``TD`` and ``JK``; people see ``8♣``, ``10♦`` and ``Joker``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum, unique


class UnreadableError(ValueError):
    """Text that is no card, or no list of cards."""


@unique
class Rank(StrEnum):
    """The thirteen ranks, ace first, written as in files."""

    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"

    @property
    def label(self) -> str:
        """The rank as people see it.

        >>> Rank.TEN.label
        '10'
        """
        return "10" if self is Rank.TEN else self.value


@unique
class Suit(StrEnum):
    """The four suits, written as in files."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    @property
    def symbol(self) -> str:
        """The suit as people see it.

        >>> Suit.HEARTS.symbol
        '♥'
        """
        return _SYMBOLS[self]


_SYMBOLS = {Suit.CLUBS: "♣", Suit.DIAMONDS: "♦", Suit.HEARTS: "♥", Suit.SPADES: "♠"}
_CODES = tuple(rank.value + suit.value for suit in Suit for rank in Rank)
_INDEX = {code: number for number, code in enumerate((*_CODES, "JK", "?"))}
_RANKS = {code: Rank(code[0]) for code in _CODES}
_SUITS = {code: Suit(code[1]) for code in _CODES}


@dataclass(frozen=True, slots=True)
class Card:
    """One kind of card; equal cards of two packs are equal values.

    >>> Card("8C").rank, Card("8C").suit
    (<Rank.EIGHT: '8'>, <Suit.CLUBS: 'C'>)
    """

    code: str
    """``8C``, ``TD``, ``JK`` for a joker, ``?`` for a card that nobody could read."""

    def __post_init__(self) -> None:
        if self.code not in _INDEX:
            raise UnreadableError(_not_a_card(self.code))

    @classmethod
    def parse(cls, text: str) -> Card:
        """Return the card that ``text`` names, as files or as people write it.

        >>> Card.parse("TD") == Card.parse("10d") == Card.parse("10♦")
        True
        >>> Card.parse("Joker")
        Card('JK')

        Raises:
            UnreadableError: if the text is no card.
        """
        card = _BY_TEXT.get(text.strip().upper())
        if card is None:
            raise UnreadableError(_not_a_card(text))
        return card

    def __str__(self) -> str:
        return self.code

    def __repr__(self) -> str:
        return f"Card({self.code!r})"

    @property
    def index(self) -> int:
        """Place in ``KINDS``: 0-51 clubs, diamonds, hearts, spades from ace to king, 52 the joker, 53 unknown.

        >>> Card("AC").index, Card("KS").index, JOKER.index
        (0, 51, 52)
        """
        return _INDEX[self.code]

    @property
    def rank(self) -> Rank | None:
        """The rank; none for a joker or an unknown card."""
        return _RANKS.get(self.code)

    @property
    def suit(self) -> Suit | None:
        """The suit; none for a joker or an unknown card."""
        return _SUITS.get(self.code)

    @property
    def is_joker(self) -> bool:
        """Whether this is a joker.

        >>> JOKER.is_joker, UNKNOWN.is_joker
        (True, False)
        """
        return self.code == "JK"

    @property
    def label(self) -> str:
        """The card as people see it.

        >>> Card("TD").label, JOKER.label
        ('10♦', 'Joker')
        """
        if self.code in _RANKS:
            return _RANKS[self.code].label + _SUITS[self.code].symbol
        return "Joker" if self.is_joker else "?"


def _not_a_card(text: str) -> str:
    return (
        f"{text!r} is not a card: a card is a rank (A, 2 to 10 or T, J, Q, K) and a suit (C, D, H, S), "
        "such as 8C or 10D, or JK for a joker."
    )


JOKER = Card("JK")
UNKNOWN = Card("?")
KINDS: tuple[Card, ...] = (*(Card(code) for code in _CODES), JOKER)
"""The 53 kinds of card in index order."""

_BY_TEXT = {"?": UNKNOWN, "JOKER": JOKER, "JK": JOKER}
for _card in KINDS[:-1]:
    for _rank in {_card.code[0], _RANKS[_card.code].label}:
        for _suit in (_card.code[1], _SUITS[_card.code].symbol):
            _BY_TEXT[_rank + _suit] = _card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a list separated by blanks or commas, in order.

    >>> parse_cards("9C KD, 3S")
    (Card('9C'), Card('KD'), Card('3S'))

    Raises:
        UnreadableError: if a part of the list is no card.
    """
    return tuple(Card.parse(part) for part in re.split(r"[\s,]+", text) if part)


def print_cards(cards: Iterable[Card]) -> str:
    """Return the cards as files write them, separated by blanks.

    >>> print_cards([Card("TD"), JOKER])
    'TD JK'
    """
    return " ".join(card.code for card in cards)


def deck(packs: int, jokers: int) -> tuple[Card, ...]:
    """Return every card of ``packs`` packs of 52 and ``jokers`` jokers, in index order.

    >>> len(deck(packs=2, jokers=4))
    108
    """
    return tuple(card for card in KINDS[:-1] for _ in range(packs)) + (JOKER,) * jokers
