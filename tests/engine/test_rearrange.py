"""Rearranging the table, against a brute force and against an integer program."""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import combinations

import pytest
from rummikub_solver import RuleSet

from benchmarks.positions import most_by_integer_program, table_and_hand
from engine.cards import KINDS, Card, parse_cards
from engine.melds import TableError, judge_meld
from engine.rearrange import Play, most_played
from engine.rules import RulesError, load, with_options
from engine.scoring import ContradictionError

RULES = load("manipulation")
TABLES = int(os.environ.get("MELDSIGHT_TABLES", "50"))
"""Tables compared with the integer program; `make solver-check` takes more."""


def every_meld(pack: Counter[Card]) -> list[frozenset[Card]]:
    """All melds of manipulation rummy that these cards can make."""
    melds = [
        frozenset(KINDS[13 * suit + rank] for suit in suits)
        for rank in range(13)
        for size in (3, 4)
        for suits in combinations(range(4), size)
    ]
    melds += [
        frozenset(KINDS[13 * suit + first : 13 * suit + first + size])
        for suit in range(4)
        for size in range(3, 14)
        for first in range(14 - size)
    ]
    return [meld for meld in melds if all(pack[card] for card in meld)]


def kept(chosen: list[frozenset[Card]], left: list[frozenset[Card]]) -> int:
    """The most melds of those left that lie whole in chosen ones, each card serving once."""
    if not left:
        return 0
    first, rest = left[0], left[1:]
    most = kept(chosen, rest)
    for number, meld in enumerate(chosen):
        if first <= meld:
            cut = [*chosen[:number], meld - first, *chosen[number + 1 :]]
            most = max(most, 1 + kept(cut, rest))
    return most


def brute_force(hand: list[Card], table: list[tuple[Card, ...]]) -> tuple[int, int]:
    """The most cards played, and of such plays the fewest melds moved, by trying every partition."""
    must = Counter(card for meld in table for card in meld)
    pack = must + Counter(hand)
    melds = every_meld(pack)
    old = [frozenset(meld) for meld in table]
    best = (-1, 0)

    def place(cards: Counter[Card], start: int, chosen: list[frozenset[Card]]) -> None:
        nonlocal best
        used = Counter(card for meld in chosen for card in meld)
        if not must - used:
            best = max(best, (used.total() - must.total(), kept(chosen, old)))
        for number in range(start, len(melds)):
            meld = melds[number]
            if all(cards[card] for card in meld):
                place(cards - Counter(meld), number, [*chosen, meld])

    place(pack, 0, [])
    return best[0], len(old) - best[1]


def check(play: Play, hand: list[Card], table: list[tuple[Card, ...]]) -> None:
    assert all(judge_meld(meld, RULES).legal for meld in play.table)
    before, after = (Counter(card for meld in melds for card in meld) for melds in (table, play.table))
    assert after == before + Counter(play.played)
    assert Counter(play.played) + Counter(play.left) == Counter(hand)
    assert play.moved == len(table) - kept([*map(frozenset, play.table)], [*map(frozenset, table)])


@pytest.mark.parametrize("seed", range(25))
def test_small_tables_equal_brute_force(seed: int) -> None:
    table, hand = table_and_hand(random.Random(seed), 9, 5)
    # A hand near the table, so that there is something to play.
    rng = random.Random(seed)
    near = [KINDS[(card.index + step) % 52] for meld in table for card in meld for step in (1, -1, 13)]
    pack = Counter(card for meld in table for card in meld)
    hand = [card for card in dict.fromkeys(rng.sample(near, 5)) if pack[card] < 2]
    play = most_played(hand, table, RULES)
    assert play is not None
    check(play, hand, table)
    assert (len(play.played), play.moved) == brute_force(hand, table)


@pytest.mark.parametrize("seed", [7, 14])
def test_a_large_table_is_written_out_as_it_is_said_to_lie(seed: int) -> None:
    table, hand = table_and_hand(random.Random(seed), 40)
    play = most_played(hand, table, RULES)
    assert play is not None
    check(play, hand, table)


@pytest.mark.no_cover
def test_tables_equal_an_integer_program() -> None:
    ruleset = RuleSet(jokers=0)
    for n in range(TABLES):
        table, hand = table_and_hand(random.Random(n), (20, 40, 60)[n % 3])
        play = most_played(hand, table, RULES)
        assert play is not None
        check(play, hand, table)
        assert len(play.played) == most_by_integer_program(ruleset, table, hand), (table, hand)


def test_p30_a_run_is_cut_in_two() -> None:
    play = most_played(parse_cards("6H 7H 4C"), [parse_cards("5H 6H 7H 8H")], RULES)
    assert play is not None
    assert play.table == (parse_cards("5H 6H 7H"), parse_cards("6H 7H 8H"))
    assert play.left == parse_cards("4C")
    assert play.moved == 1


def test_where_nothing_can_be_played_the_table_stays_as_it_is() -> None:
    table = [parse_cards("5H 6H 7H 8H"), parse_cards("8C 8D 8S")]
    play = most_played(parse_cards("KD 4C"), table, RULES)
    assert play == Play((), tuple(table), parse_cards("4C KD"), 0)


def test_an_extended_meld_is_not_moved() -> None:
    play = most_played(parse_cards("9H 4H 8S"), [parse_cards("5H 6H 7H 8H"), parse_cards("8C 8D 8H")], RULES)
    assert play is not None
    assert (len(play.played), play.moved) == (3, 0)


def test_cards_that_must_be_played_are_or_nothing_is() -> None:
    table = [parse_cards("5H 6H 7H")]
    play = most_played(parse_cards("8H KD"), table, RULES, must=parse_cards("8H"))
    assert play is not None
    assert play.played == parse_cards("8H")
    assert most_played(parse_cards("8H KD"), table, RULES, must=parse_cards("KD")) is None


def test_aces_above_the_king_where_house_rules_put_them() -> None:
    high = with_options(RULES, {"ace_role": "high"})
    play = most_played(parse_cards("AH 2H"), [parse_cards("JH QH KH")], high)
    assert play is not None
    assert play.played == parse_cards("AH")


def test_a_table_that_is_not_legal_is_refused() -> None:
    with pytest.raises(TableError, match="cannot lie on the table"):
        most_played([], [parse_cards("5H 6H 9H")], RULES)


def test_cards_that_cannot_be_there_are_refused() -> None:
    with pytest.raises(ContradictionError, match="Check the cards"):
        most_played(parse_cards("8C 8C"), [parse_cards("8C 8D 8H")], RULES)


def test_only_games_that_rearrange_are_solved() -> None:
    with pytest.raises(RulesError, match="cannot be solved"):
        most_played([], [], load("shanghai"))
