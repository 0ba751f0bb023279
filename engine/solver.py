"""Exact answers to a player's questions: the best lay-down of a hand, and what can be played by rearranging."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.cards import Card
from engine.laydown import LayDown, lay_down
from engine.melds import TableError, check_melds
from engine.missing import Missing
from engine.rearrange import Play, most_played
from engine.rules import Rules
from engine.scoring import check_cards

__all__ = ["LayDown", "Missing", "Play", "TableError", "best", "most_played"]


def best(
    hand: Iterable[Card], rules: Rules, round_number: int, table: Sequence[Sequence[Card]] = ()
) -> LayDown | Missing:
    """Return the contract and lay-offs that leave the fewest points after the discard, or what is missing.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> found = best(parse_cards("5H 6H 7H 8H 9H JH QH KH AH 2S 4C 9D"), load("shanghai"), 3)
    >>> found.points, found.discard, [layoff.card for layoff in found.layoffs]
    (10, Card('9D'), [Card('9H')])
    >>> print(best(parse_cards("8C 8D 9C 9D 9H KD"), load("shanghai"), 1).text)
    1 card is missing for 2 sets of 3, such as 8♥.

    Args:
        hand: the cards in the hand after drawing.
        table: the melds that lie on the table already.

    Raises:
        UnreadableError: if a card of the hand is unknown.
        ContradictionError: if the packs do not hold all these cards.
        TableError: if a meld on the table is none.
        RulesError: if the game has no such round.
    """
    cards = tuple(hand)
    check_cards([card for meld in (cards, *table) for card in meld], rules)
    check_melds(table, rules, round_number)
    return lay_down(cards, rules, round_number, table)
