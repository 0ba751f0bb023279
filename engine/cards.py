"""Cards: ranks, suits, the joker, and their text forms.

Files and JSON write ``8C``, ``TD`` and ``JK``; people see ``8♣``, ``10♦`` and ``Joker``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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


class Card:
    """One kind of card. Equal cards of two packs are one value, and the same object.

    >>> Card("8C").rank, Card("8C").suit
    (<Rank.EIGHT: '8'>, <Suit.CLUBS: 'C'>)
    >>> Card("8C") is Card("8C")
    True
    >>> Card("TD").label, JOKER.label
    ('10♦', 'Joker')

    Raises:
        UnreadableError: if the code is none of the 54.
    """

    __slots__ = ("code", "index", "label", "rank", "suit")

    code: str
    """``8C``, ``TD``, ``JK`` for a joker, ``?`` for a card that nobody could read."""
    index: int
    """Place in ``KINDS``: 0-51 clubs, diamonds, hearts, spades from ace to king, 52 the joker, 53 unknown."""
    label: str
    """The card as people see it: ``8♣``, ``10♦``, ``Joker``, ``?``."""
    rank: Rank | None
    """The rank; none for a joker or an unknown card."""
    suit: Suit | None
    """The suit; none for a joker or an unknown card."""

    # There are 54 cards and no more: each is made once, so equality and hashing cost nothing.
    def __new__(cls, code: str) -> Card:
        try:
            return _CARDS[code]
        except KeyError:
            raise UnreadableError(_not_a_card(code)) from None

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

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A card cannot change: {name} of {self.code} is fixed.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A card cannot change: {name} of {self.code} is fixed.")

    def __reduce__(self) -> tuple[type[Card], tuple[str]]:
        return Card, (self.code,)

    def __str__(self) -> str:
        return self.code

    def __repr__(self) -> str:
        return f"Card({self.code!r})"

    @property
    def is_joker(self) -> bool:
        """Whether this is a joker.

        >>> JOKER.is_joker, UNKNOWN.is_joker
        (True, False)
        """
        return self is JOKER


def _make(code: str, index: int, label: str, rank: Rank | None = None, suit: Suit | None = None) -> Card:
    card = object.__new__(Card)
    for name, value in (("code", code), ("index", index), ("label", label), ("rank", rank), ("suit", suit)):
        object.__setattr__(card, name, value)
    return card


def _not_a_card(text: str) -> str:
    return (
        f"{text!r} is not a card: a card is a rank (A, 2 to 10 or T, J, Q, K) and a suit (C, D, H, S), "
        "such as 8C or 10D, or JK for a joker."
    )


KINDS: tuple[Card, ...] = (
    *(
        _make(rank.value + suit.value, 13 * suit_number + rank_number, rank.label + suit.symbol, rank, suit)
        for suit_number, suit in enumerate(Suit)
        for rank_number, rank in enumerate(Rank)
    ),
    _make("JK", 52, "Joker"),
)
"""The 53 kinds of card in index order."""

JOKER = KINDS[52]
UNKNOWN = _make("?", 53, "?")

_CARDS = {card.code: card for card in (*KINDS, UNKNOWN)}
_BY_TEXT = {"?": UNKNOWN, "JOKER": JOKER, "JK": JOKER}
for _card in KINDS[:-1]:
    for _rank in {_card.code[0], _card.label[:-1]}:
        for _suit in (_card.code[1], _card.label[-1]):
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
