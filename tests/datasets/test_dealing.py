"""The cards of a scene come from two packs and four jokers."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from datasets.dealing import JOKERS, PACKS, Stock, deal_hand, deal_meld
from engine.cards import JOKER, Card


def dealt(seed: int, hands: int, melds: int) -> list[list[Card]]:
    rng, stock = np.random.default_rng(seed), Stock()
    groups = []
    for number in range(hands + melds):
        count = int(rng.integers(3, 8))
        if number < hands:
            cards = deal_hand(rng, stock, count, jokers=0.3, together=True)
        else:
            cards = deal_meld(rng, stock, count, jokers=0.1)
        for card in cards:
            stock.take(card, int(rng.integers(PACKS)))
        groups.append(cards)
    return groups


@pytest.mark.parametrize("seed", range(30))
def test_no_card_is_dealt_more_often_than_the_packs_hold_it(seed: int) -> None:
    counts = Counter(card for group in dealt(seed, hands=5, melds=8) for card in group)
    assert counts.pop(JOKER, 0) <= JOKERS
    assert max(counts.values()) <= PACKS


def test_a_stock_gives_each_pack_s_card_once() -> None:
    stock, eight = Stock(), Card("8C")
    assert [stock.take(eight, 1), stock.take(eight, 1)] == [1, 0]
    assert stock.left(eight) == 0
    assert eight not in stock.cards()
    with pytest.raises(IndexError):
        stock.take(eight, 0)


def test_a_stock_holds_four_jokers_two_of_each_pack() -> None:
    stock = Stock()
    assert [stock.take(JOKER, 0) for _ in range(4)] == [0, 0, 1, 1]


def hands_with_neighbours(together: bool) -> int:
    hands = [deal_hand(np.random.default_rng(seed), Stock(), 10, jokers=0, together=together) for seed in range(40)]
    return sum(any(first == second for first, second in pairwise(hand)) for hand in hands)


def test_equal_cards_come_next_to_each_other_where_that_is_wished() -> None:
    assert hands_with_neighbours(together=True) >= 35
    assert hands_with_neighbours(together=False) <= 10


def test_melds_are_sets_or_runs_while_the_stock_lasts() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        cards = [card for card in deal_meld(rng, Stock(), 5, jokers=0.1) if card != JOKER]
        one_rank = len({card.rank for card in cards}) == 1
        one_suit = len({card.suit for card in cards}) == 1
        assert one_rank or one_suit


def test_any_cards_are_dealt_where_no_meld_is_left() -> None:
    stock = Stock()
    kept = {"2C", "4D", "6H", "8S", "TC", "QD", "KH"}
    for card in stock.cards():
        if card.code not in kept:
            stock.take(card, 0)
    cards = deal_meld(np.random.default_rng(1), stock, 5, jokers=0)
    assert len(cards) == 5
    assert {card.code for card in cards} <= kept
