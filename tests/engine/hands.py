"""Random hands and tables, half of them drawn so that they hold a contract."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from engine.cards import JOKER, KINDS, Card, deck
from engine.melds import law, readings
from engine.rules import Rules


def contract_cards(rules: Rules, round_number: int, rng: random.Random) -> list[Card]:
    """The cards of a contract, a joker in the place of some."""
    cards: list[Card] = []
    for slot in rules.contract(round_number).slots:
        suit = rng.randrange(4)
        if slot.kind == "set":
            rank = rng.randrange(13)
            meld = [KINDS[13 * rng.randrange(4) + rank] for _ in range(slot.size)]
        else:
            start, _, _ = rng.choice(law(rules, round_number).windows[slot.size])
            meld = [KINDS[13 * suit + (start + step - 1) % 13] for step in range(slot.size)]
        if rng.random() < 0.35:
            meld[rng.randrange(len(meld))] = JOKER
        cards += meld
    return cards


def within(cards: Sequence[Card], pack: Counter[Card]) -> list[Card]:
    """The cards, without those of which the pack has no more; the pack without them."""
    taken = []
    for card in cards:
        if pack[card]:
            pack[card] -= 1
            taken.append(card)
    return taken


def hand_and_table(
    rules: Rules, round_number: int, rng: random.Random, holds: bool
) -> tuple[list[Card], list[tuple[Card, ...]]]:
    """A hand as it is after drawing, and now and then melds on the table."""
    contract = rules.contract(round_number)
    pack = Counter(deck(rules.packs, rules.jokers))
    size = contract.size + (rng.choice((0, 0, 0, 1)) if contract.whole_hand else rng.randrange(1, 3))
    hand = within(contract_cards(rules, round_number, rng), pack) if holds else []
    hand += within(rng.sample(list(pack.elements()), max(size - len(hand), 0)), pack)
    table: list[tuple[Card, ...]] = []
    for _ in range(10 if rng.random() < 0.3 and not contract.whole_hand else 0):
        slot = rng.choice(contract.slots)
        meld = contract_cards(rules, round_number, rng)[: slot.size]
        enough = all(count <= pack[card] for card, count in Counter(meld).items())
        if enough and len(table) < 2 and readings(meld, law(rules, round_number, "added")):
            table.append(tuple(within(meld, pack)))
    return hand, table
