"""The best lay-down against brute force, system by system and round by round."""

from __future__ import annotations

import os
import random
from collections import Counter

import brute
import pytest
from hands import hand_and_table

from engine.cards import Card, parse_cards
from engine.contracts import Split, judge, split
from engine.laydown import LayDown
from engine.melds import TableError
from engine.missing import Missing, complete
from engine.plays import LaidMeld, lay_off
from engine.rules import Rules, load, names, with_options
from engine.solver import best

HANDS = int(os.environ.get("MELDSIGHT_HANDS", "50"))
"""Hands for each system and round; `make solver-check` takes more."""

ROUNDS = [
    pytest.param(load(name), number, id=f"{name}-{number}")
    for name in names()
    for number in range(1, load(name).rounds_played + 1)
]
OPTIONS = [
    ("go", {"two_natural": True}),
    ("go", {"any_run_7plus": True}),
    ("shanghai", {"out_discard": "forbidden"}),
    ("shanghai", {"joker_cap": "ladder"}),
    ("shanghai", {"joker_cap": "not_majority"}),
    ("shanghai", {"same_rank_sets": True, "joker_cap": 2}),
    ("shanghai", {"min_gap": 2, "ace_role": "both", "max_run": 14, "ace_bridges": True}),
    ("shanghai", {"forbid_overlap": True, "longer_laydown": True}),
    ("shanghai", {"out_discard": "optional", "black_twos_wild": True}),
    ("shanghai", {"ace_role": "wrap", "wilds_adjacent": False, "joker_cap": "none"}),
]


def compare(rules: Rules, number: int, hands: int, seed: object) -> int:
    """Compare so many hands, half of them drawn to hold the contract; return how many could lay it down."""
    rng = random.Random(f"{rules.name} {number} {seed}")
    legal = 0
    for n in range(hands):
        hand, table = hand_and_table(rules, number, rng, holds=n % 2 == 0)
        found = best(hand, rules, number, table)
        expected = brute.fewest_points(
            tuple(card.code for card in hand), rules, number, [tuple(card.code for card in meld) for meld in table]
        )
        shown = (" ".join(card.code for card in hand), table, found)
        if isinstance(found, LayDown):
            assert found.points == expected, shown
            check_solution(found, hand, table, rules, number)
            legal += 1
        else:
            assert expected is None, shown
    return legal


def check_solution(found: LayDown, hand: list[Card], table: list[tuple[Card, ...]], rules: Rules, number: int) -> None:
    """The solution is a turn that the referee's rules allow, of the cards of the hand, and adds up."""
    assert judge(rules, number, found.melds).legal
    own = [LaidMeld.of(meld, rules, number) for meld in found.melds]
    others = [LaidMeld.of(meld, rules, number) for meld in table]
    for layoff in found.layoffs:
        place = own if layoff.own else others
        verdict = lay_off(place[layoff.meld], layoff.card)
        assert verdict.meld is not None, (found, layoff)
        place[layoff.meld] = verdict.meld
    played = [card for meld in found.melds for card in meld] + [layoff.card for layoff in found.layoffs]
    discard = [found.discard] if found.discard else []
    assert Counter([*played, *discard, *found.left]) == Counter(hand)
    assert found.points == sum(rules.card_points[card] for card in found.left)


@pytest.mark.no_cover
@pytest.mark.parametrize(("rules", "number"), ROUNDS)
def test_best_equals_brute_force(rules: Rules, number: int) -> None:
    legal = compare(rules, number, HANDS, 0)
    assert legal >= HANDS // 8, "too few of the hands could lay down for this to test anything"


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_house_rules_equal_brute_force(name: str, options: dict[str, object]) -> None:
    rules = with_options(load(name), options)
    for number in range(1, rules.rounds_played + 1):
        compare(rules, number, max(HANDS // 10, 2), options)


@pytest.mark.no_cover
@pytest.mark.parametrize("number", range(1, 7))
def test_missing_cards_are_enough_and_fewer_are_not(number: int) -> None:
    rules = load("shanghai")
    rng = random.Random(number)
    pack = [*rules.card_points]
    looked = 0
    while looked < 4:
        hand, _ = hand_and_table(rules, number, rng, holds=True)
        for card in rng.sample(hand, 3):
            hand.remove(card)
        found = best(hand, rules, number)
        if not isinstance(found, Missing) or found.count > 2 or not found.cards:
            continue
        looked += 1
        codes = tuple(card.code for card in hand)
        free = with_options(rules, {"out_discard": "optional"})
        enough = (*codes, *(card.code for card in found.cards))
        assert len(found.cards) == found.count
        assert brute.fewest_points(enough, free, number) is not None
        for card in pack if found.count == 2 else ():
            assert brute.fewest_points((*codes, card.code), free, number) is None, (codes, card)
        assert brute.fewest_points(codes, free, number) is None


def test_too_few_cards_are_no_contract() -> None:
    assert not complete(parse_cards("8C 8D 8H 5S 6S"), 1, load("shanghai"), 2)


def test_a_contract_that_takes_every_card_leaves_none_to_discard() -> None:
    found = best(parse_cards("8C 8D 8H 9C 9D 9H"), load("shanghai"), 1)
    assert isinstance(found, Missing)
    assert (found.count, found.cards) == (1, ())
    assert "one card more is needed for the discard" in found.text


def test_a_whole_hand_round_says_when_a_card_is_left_over() -> None:
    found = best(parse_cards("2S 3S 4S 5S 6H 7H 8H 9H JC QC KC AC 9D"), load("shanghai"), 7)
    assert isinstance(found, Missing)
    assert found.count == 0
    assert "left over" in found.text


def test_a_meld_on_the_table_that_is_none_is_refused() -> None:
    with pytest.raises(TableError, match="cannot lie on the table"):
        best(parse_cards("8C 8D 8H 9C 9D 9H 2C"), load("shanghai"), 1, [parse_cards("2D 3S 9C")])


def test_split_sorts_a_heap_with_all_its_cards_in_melds() -> None:
    found = split(parse_cards("9C 8C KD 8D 9D KC JK KH 8H"), load("shanghai"), 4)
    assert isinstance(found, Split)
    assert judge(load("shanghai"), 4, found.melds).legal
    assert found.left == ()


def test_split_says_what_is_missing() -> None:
    found = split(parse_cards("8C 8D 9C 9D 9H"), load("shanghai"), 1)
    assert isinstance(found, Missing)
    assert found.count == 1


def test_where_the_last_card_is_not_discarded_one_may_be_held_back_for_it() -> None:
    rules = with_options(load("shanghai"), {"out_discard": "forbidden"})
    found = best(parse_cards("5S JK 5C JC JD JD 4H 4H 4C AS JK"), rules, 4)
    assert isinstance(found, LayDown)
    assert (found.points, found.discard, found.left) == (5, Card("AS"), (Card("4H"),))


def test_a_third_run_over_two_copies_needs_a_joker() -> None:
    hand = parse_cards("4S 5S 6S 6S 7S 8S 9S 7S 8S 9S TS")
    found = best(hand, load("shanghai"), 7)
    assert isinstance(found, Missing)
    assert found.cards == (Card("JK"),)
    assert isinstance(best((*hand, Card("JK")), load("shanghai"), 7), LayDown)


def test_a_run_gives_a_card_to_a_set_and_takes_a_joker_for_it() -> None:
    found = best(parse_cards("5C 6C 7C 8C 5D 6D 7D 8D 7H JK JK 2S"), load("shanghai"), 6)
    assert isinstance(found, LayDown)
    assert found.points == 0


@pytest.mark.parametrize(
    ("number", "hand", "points"),
    [
        (2, "6C 6C JK 4C 5C JK 7C KS", 0),
        (5, "TD JK TH TH TD 6C 7C 8C 9C 4H JK 7H", 4),
        (6, "7S 7D JK 6H 7H 8H 9H 6D JK 8D 9D 2H QD", 2),
    ],
)
def test_a_run_gives_a_card_also_where_wild_cards_may_not_stand_side_by_side(
    number: int, hand: str, points: int
) -> None:
    rules, cards = load("carioca"), parse_cards(hand)
    found = best(cards, rules, number)
    assert isinstance(found, LayDown)
    assert found.points == points
    check_solution(found, list(cards), [], rules, number)
