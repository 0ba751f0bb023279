"""Dealing the cards of a scene: all its hands and melds come from one stock, two packs and four jokers."""

from __future__ import annotations

import numpy as np

from engine.cards import JOKER, Card, deck

PACKS = 2
JOKERS = 4
TRIES = 200
"""How often a meld is drawn anew because the stock no longer holds it."""


class Stock:
    """What has not been dealt yet.

    >>> stock = Stock()
    >>> stock.take(Card("8C"), 1), stock.take(Card("8C"), 1), stock.left(Card("8C"))
    (1, 0, 0)
    """

    def __init__(self) -> None:
        self._packs = {card: list(range(PACKS)) for card in deck(packs=1, jokers=0)}
        self._packs[JOKER] = [place % PACKS for place in range(JOKERS)]

    def left(self, card: Card) -> int:
        """How many of a card are left."""
        return len(self._packs[card])

    def cards(self) -> list[Card]:
        """What is left but for the jokers, each card as often as it is there."""
        return [card for card, packs in self._packs.items() if card != JOKER for _ in packs]

    def take(self, card: Card, pack: int) -> int:
        """Take a card, of a pack if that still has it, else of the other; return which pack it came from."""
        packs = self._packs[card]
        taken = pack if pack in packs else packs[0]
        packs.remove(taken)
        return taken


def deal_hand(rng: np.random.Generator, stock: Stock, count: int, jokers: float, together: bool) -> list[Card]:
    """Choose the cards of a hand; they stay in the stock until they are taken.

    Args:
        rng: source of chance.
        stock: what they may be chosen from; more than ``count`` cards.
        count: how many.
        jokers: the chance that a card is a joker.
        together: whether equal cards come next to each other.
    """
    pack = stock.cards()
    cards = [pack[place] for place in rng.permutation(len(pack))[:count]]
    for place in range(count):
        if rng.random() < jokers and cards.count(JOKER) < stock.left(JOKER):
            cards[place] = JOKER
    if together:
        for _ in range(int(rng.integers(1, 4))):
            if count >= 2:
                place = int(rng.integers(count - 1))
                card, beside = cards[place], cards[place + 1]
                if cards.count(card) == 1 and cards.count(beside) == 1 and stock.left(card) > 1:
                    cards[place + 1] = card
    return cards


def deal_meld(rng: np.random.Generator, stock: Stock, count: int, jokers: float) -> list[Card]:
    """Choose the cards of a set or a run, with a joker now and then; they stay in the stock until they are taken.

    Where the stock holds no such meld, any cards are chosen: an illegal meld.

    Args:
        rng: source of chance.
        stock: what they may be chosen from; more than ``count`` cards.
        count: how many, 3 to 8.
        jokers: a quarter of the chance that a meld holds a joker.
    """
    for _ in range(TRIES):
        cards = _meld(rng, count)
        if rng.random() < 4 * jokers and stock.left(JOKER):
            cards[int(rng.integers(count))] = JOKER
        if all(cards.count(card) <= stock.left(card) for card in set(cards)):
            return cards
    return deal_hand(rng, stock, count, jokers=0, together=False)


def _meld(rng: np.random.Generator, count: int) -> list[Card]:
    kinds = list(deck(packs=1, jokers=0))
    if rng.random() < 0.5:
        rank = int(rng.integers(13))
        choice = [kinds[suit * 13 + rank] for suit in range(4)] * PACKS
        return [choice[place] for place in rng.permutation(len(choice))[:count]]
    suit, low = int(rng.integers(4)), int(rng.integers(0, 14 - count))
    cards = [kinds[suit * 13 + (low + step) % 13] for step in range(count)]
    return cards[::-1] if rng.random() < 0.2 else cards
