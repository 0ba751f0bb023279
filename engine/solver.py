"""Exact answers to a player's questions: the best lay-down of a hand, and what can be played by rearranging."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.cards import Card
from engine.faults import labels
from engine.laydown import LayDown, Search, natural_or_wild
from engine.missing import fewest_missing
from engine.rules import Rules
from engine.scoring import check_cards


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a hand cannot lay down the contract."""

    count: int
    """The fewest cards that it lacks."""
    cards: tuple[Card, ...]
    """Cards that would complete the contract, one way of several."""
    text: str


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
        RulesError: if the game has no such round.
    """
    cards = tuple(hand)
    check_cards([card for meld in (cards, *table) for card in meld], rules)
    ways = list(natural_or_wild(cards, rules))
    contract = rules.contract(round_number)
    lacking = min(
        (fewest_missing(naturals, len(wilds), rules, round_number) for naturals, wilds in ways),
        key=lambda lack: lack[0],
    )
    if lacking[0]:
        count, missing = lacking
        text = f"{count} card{'s are' if count > 1 else ' is'} missing for {contract.words}, such as {labels(missing)}."
        return Missing(count, missing, text)
    found = [Search(naturals, wilds, rules, round_number, table).best() for naturals, wilds in ways]
    solved = [each for each in found if each is not None]
    if solved:
        return min(solved, key=lambda each: each.points)
    if contract.whole_hand:
        return Missing(
            0, (), f"{contract.words} can be made, but not with the whole hand: some card is left over."
        )
    return Missing(
        1, (), f"{contract.words} would take the whole hand: one card more is needed for the discard."
    )
