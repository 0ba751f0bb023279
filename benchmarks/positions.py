"""Positions of a manipulation rummy, drawn at random: what is timed here, and compared in the tests."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from engine.cards import KINDS, Card, deck

Table = list[tuple[Card, ...]]


def table_and_hand(rng: random.Random, cards: int, hand: int = 10) -> tuple[Table, list[Card]]:
    """A legal table of manipulation rummy with so many cards or a few more, and a hand of the rest."""
    pack = Counter(deck(2, 0))
    table: Table = []
    while sum(map(len, table)) < cards:
        if rng.random() < 0.5:
            rank = rng.randrange(13)
            meld = [KINDS[13 * suit + rank] for suit in rng.sample(range(4), rng.choice((3, 3, 4)))]
        else:
            size = rng.choice((3, 3, 4, 5))
            first = 13 * rng.randrange(4) + rng.randrange(14 - size)
            meld = [*KINDS[first : first + size]]
        if all(pack[card] for card in meld):
            pack -= Counter(meld)
            table.append(tuple(meld))
    return table, rng.sample(list(pack.elements()), hand)


def most_by_integer_program(ruleset: Any, table: Table, hand: list[Card]) -> int:
    """Return the most cards that the program of rummikub-solver can play: its ``RuleSet`` without jokers."""
    # Its tiles are numbered as our cards are, from 1, and so are its colours and ours.
    state = ruleset.new_game()
    state.initial = False
    state.add_table(*[card.index + 1 for meld in table for card in meld])
    state.add_rack(*[card.index + 1 for card in hand])
    found = ruleset.solve(state)
    return len(found.tiles) if found else 0
