"""Scores: what a hand costs, with its arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.cards import JOKER, UNKNOWN, Card, UnreadableError
from engine.rules import Rules


class ContradictionError(ValueError):
    """Cards that cannot all be there, such as three 8♣ of two packs."""


class Penalty(NamedTuple):
    """What a hand costs, and how it adds up."""

    points: int
    parts: tuple[tuple[Card, int], ...]
    """Each card with its points, in the order given."""

    def __str__(self) -> str:
        if not self.parts:
            return "0"
        return " + ".join([f"{card.label} {points}" for card, points in self.parts]) + f" = {self.points}"


def penalty(cards: Iterable[Card], rules: Rules) -> Penalty:
    """Return the points of the cards left in a hand.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> str(penalty(parse_cards("9C KD 3S"), load("shanghai")))
    '9♣ 10 + K♦ 10 + 3♠ 5 = 25'
    >>> str(penalty([], load("shanghai")))
    '0'

    Raises:
        UnreadableError: if one of the cards is unknown.
        ContradictionError: if the packs of this game do not hold all these cards.
    """
    hand = tuple(cards)
    part_of, points_of, fewest_copies = rules.pricing
    try:
        parts = tuple(map(part_of, hand))
    except KeyError:  # the only card without a price is the unknown one
        raise _unread(hand) from None
    # A kind can be over its limit only when as many cards repeat as it may have copies, or has none.
    if len(hand) - len(set(hand)) >= fewest_copies:
        check_cards(hand, rules)
    return Penalty(sum(map(points_of, hand)), parts)


def check_cards(cards: Iterable[Card], rules: Rules) -> None:
    """Refuse cards of which one is unknown, or that cannot all be there.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> check_cards(parse_cards("8C 8C"), load("shanghai"))

    Raises:
        UnreadableError: if one of the cards is unknown.
        ContradictionError: if the packs of this game do not hold all these cards.
    """
    hand = tuple(cards)
    if UNKNOWN in hand:
        raise _unread(hand)
    for card, count in too_many(hand, rules).items():
        held = rules.jokers if card is JOKER else rules.packs
        raise ContradictionError(
            f"{count} × {card.label} cannot be: {rules.title} has {held or 'no'} {card.label} in its packs. "
            "Check the cards again."
        )


def _unread(hand: Sequence[Card]) -> UnreadableError:
    unread = hand.count(UNKNOWN)
    return UnreadableError(
        f"Of {len(hand)} cards {unread} could not be read: say what {'it is' if unread == 1 else 'they are'}."
    )


def too_many(cards: Iterable[Card], rules: Rules) -> dict[Card, int]:
    """Return each kind of card of which there are more than the packs hold, with how many were given.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> too_many(parse_cards("8C 8C 8C 9D"), load("shanghai"))
    {Card('8C'): 3}
    """
    limits = {JOKER: rules.jokers, UNKNOWN: 54 * rules.packs}
    return {card: n for card, n in Counter(cards).items() if n > limits.get(card, rules.packs)}


def blind_bonus(melds: Iterable[Card], rules: Rules) -> int:
    """Return the bonus of a player who goes out in the turn in which the own contract goes down.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load, with_options
    >>> rules = with_options(load("shanghai"), {"blind_bonus": True})
    >>> blind_bonus(parse_cards("8C 8D JK"), rules), blind_bonus(parse_cards("8C 8D 8H"), rules)
    (-25, -50)

    Args:
        melds: the cards that the player laid down.
    """
    if not rules.blind_bonus:
        return 0
    return -25 if JOKER in melds else -50


def exact_cut(rules: Rules, players: int, round_number: int) -> int:
    """Return how many cards the cutter has to lift for the bonus: what the deal needs.

    >>> from engine.rules import load
    >>> exact_cut(load("liverpool"), players=4, round_number=1)
    41
    """
    return players * int(rules.in_round(rules.deal, round_number)) + rules.cut_counts_upcard


def leaders(totals: Mapping[str, int], won: Mapping[str, int], rules: Rules) -> tuple[str, ...]:
    """Return who leads: the lowest total, and where the rules say so, of several the most rounds won.

    >>> from engine.rules import load
    >>> leaders({"Ana": 25, "Ben": 25, "Cy": 75}, {"Ana": 2, "Ben": 1}, load("shanghai"))
    ('Ana', 'Ben')

    Args:
        totals: points of each player.
        won: rounds in which each player went out.
    """
    least = min(totals.values(), default=0)
    lowest = tuple(player for player, total in totals.items() if total == least)
    if rules.tie == "rounds_won":
        most = max((won.get(player, 0) for player in lowest), default=0)
        return tuple(player for player in lowest if won.get(player, 0) == most)
    return lowest
