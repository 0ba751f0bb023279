"""Counts that any right engine must give: melds by physical type, and what brute force finds."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement

import brute
import pytest

from engine.cards import JOKER, KINDS, Card, Suit
from engine.melds import Reading, law, readings, run_cards
from engine.rules import Rules, load, names


def groups(size: int, pool: list[Card], rules: Rules) -> list[tuple[Card, ...]]:
    """All multisets of the cards that the packs hold, with one joker at most."""
    return [
        cards
        for cards in combinations_with_replacement(pool, size)
        if cards.count(JOKER) <= min(1, rules.jokers) and all(cards.count(card) <= rules.packs for card in set(cards))
    ]


def pools() -> list[list[Card]]:
    """Cards of one rank, or of one suit, with a joker: no meld lies outside these but for wild ranks."""
    by_rank = [[KINDS[13 * suit + rank] for suit in range(4)] for rank in range(13)]
    by_suit = [[*KINDS[13 * suit : 13 * suit + 13]] for suit in range(4)]
    return [[*pool, JOKER] for pool in (*by_rank, *by_suit)]


def count(rules: Rules, kind: str, size: int) -> int:
    """Melds of one kind and size, by physical type, with one joker at most."""
    meld_law = law(rules)
    found = {
        cards
        for pool in pools()
        for cards in groups(size, pool, rules)
        if any(reading.kind == kind for reading in readings(cards, meld_law))
    }
    return len(found)


def test_338_sets_of_three() -> None:
    assert count(load("shanghai"), "set", 3) == 338


def test_164_runs_of_four_of_which_40_are_natural() -> None:
    rules = load("shanghai")
    assert count(rules, "run", 4) == 164
    natural = [
        cards
        for suit in Suit
        for cards in groups(4, [card for card in KINDS[:-1] if card.suit is suit], rules)
        if readings(cards, law(rules))
    ]
    assert len(natural) == 40


COUNTS = {
    "carioca": (338, 0, 208),
    "contract": (338, 0, 180),
    "finnish": (338, 0, 180),
    "go": (792, 0, 616),
    "liverpool": (338, 0, 180),
    "manipulation": (52, 44, 40),
    "may_i": (390, 0, 180),
    "shanghai": (338, 0, 164),
    "shanghai_ten": (338, 0, 164),
}
"""Sets of three, runs of three and runs of four by physical type, with one joker at most; twos may be wild."""


def candidates(size: int, rules: Rules) -> set[tuple[Card, ...]]:
    """Every group that could be a meld: cards of one rank or one suit, and at most one card that may be wild beside."""
    wild = sorted(rules.wild_cards, key=lambda card: card.index)
    found = set()
    for pool in pools():
        for beside in [None, *(card for card in wild if card not in pool)]:
            for cards in groups(size if beside is None else size - 1, pool, rules):
                whole = cards if beside is None else tuple(sorted((*cards, beside), key=lambda card: card.index))
                if whole.count(JOKER) <= 1 and max(map(whole.count, whole)) <= rules.packs:
                    found.add(whole)
    return found


def kinds_of(cards: tuple[Card, ...], rules: Rules) -> set[str]:
    """What brute force sees in a group."""
    return {kind for kind, _ in brute.meld_readings(tuple(card.code for card in cards), rules)}


@pytest.mark.parametrize("name", names())
def test_every_system_has_its_number_of_melds(name: str) -> None:
    rules = load(name)
    three, four = candidates(3, rules), candidates(4, rules)
    by_engine, by_force = (
        (
            sum("set" in kinds(cards) for cards in three),
            sum("run" in kinds(cards) for cards in three),
            sum("run" in kinds(cards) for cards in four),
        )
        for kinds in (
            lambda cards: {reading.kind for reading in readings(cards, law(rules))},
            lambda cards: kinds_of(cards, rules),
        )
    )
    assert by_engine == by_force == COUNTS[name]


@pytest.mark.parametrize("name", names())
def test_every_system_reads_what_brute_force_reads(name: str) -> None:
    """Groups of three, four and five cards of one rank or one suit, with one joker: the same readings."""
    rules = load(name)
    number = 3 if rules.contracts else None
    rng = random.Random(name)
    meld_law, legal = law(rules, number), 0
    for size in (3, 4, 5):
        for pool in pools():
            every = groups(size, pool, rules)
            for cards in rng.sample(every, min(len(every), 60)):
                found = readings(cards, meld_law)
                expected = brute.meld_readings(tuple(card.code for card in cards), rules, number)
                assert {as_brute(each) for each in found} == {plain(each) for each in expected}, cards
                legal += bool(found)
    assert legal > (300 if number else 50)


def as_brute(reading: Reading) -> tuple[object, ...]:
    """What tells readings apart: a run's cards and what the wild ones stand for; a set's rank."""
    if reading.kind == "set":
        return "set", str(reading.of)
    return "run", tuple(map(str, run_cards(reading))), tuple(sorted(map(str, reading.wilds)))


def plain(reading: brute.Reading) -> tuple[object, ...]:
    """What tells readings apart: a run's cards and which are wild, a set's rank."""
    kind, entries = reading
    if kind == "set":
        return kind, entries[0][0][0]
    return kind, tuple(card for card, _ in entries), tuple(sorted(card for card, wild in entries if wild))


def test_manipulation_has_the_melds_of_the_double_pack() -> None:
    rules = load("manipulation")
    # Four suits give four triples and one quadruple for each rank; runs of three start at eleven ranks of four suits.
    assert count(rules, "set", 3) == 13 * 4 == COUNTS["manipulation"][0]
    assert count(rules, "set", 4) == 13
    assert count(rules, "run", 3) == 11 * 4 == COUNTS["manipulation"][1]
