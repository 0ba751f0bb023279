"""Laying off, swapping and calling."""

from __future__ import annotations

import pytest

from engine.cards import JOKER, Card, Suit, parse_cards
from engine.melds import Reading
from engine.plays import Down, LaidMeld, call, exchanged, extended, follows, lay_off, swap
from engine.rules import Rules, load, with_options

SHANGHAI, GO = load("shanghai"), load("go")


def meld(cards: str, rules: Rules = SHANGHAI) -> LaidMeld:
    return LaidMeld.of(parse_cards(cards), rules)


def test_a_lay_off_fixes_the_joker_and_it_stays_fixed() -> None:
    fixed = lay_off(meld("5H 6H 7H JK"), Card("9H")).meld
    assert fixed is not None
    assert [str(reading) for reading in fixed.readings] == ["5-9♥ (wild: 8♥)"]
    assert [fault.kind.value for fault in lay_off(fixed, Card("8H")).faults] == ["wild_is_fixed"]
    narrowed = LaidMeld(fixed.cards[:4], meld("5H 6H 7H JK").readings[:1], fixed.law)  # the joker is the 4
    (fault,) = lay_off(narrowed, Card("9H")).faults
    assert fault.kind.value == "wild_is_fixed"


def test_a_joker_at_an_end_slides_where_the_family_says_so() -> None:
    rules = with_options(SHANGHAI, {"joker_slides": True})
    found = meld("5H 6H 7H JK", rules)
    narrowed = LaidMeld(found.cards, found.readings[:1], found.law)
    assert lay_off(narrowed, Card("8H")).legal


@pytest.mark.parametrize(
    ("rules", "cards", "card", "kind"),
    [
        ("shanghai", "8C 8D JK", "JK", "too_many_wilds"),
        ("shanghai", "8C 8D 8H", "9H", "does_not_fit"),
        ("shanghai", "5H 6H 7H", "8H", "too_few"),
        ("shanghai", "8C 8C 8D", "8C", "too_many_copies"),
        ("shanghai", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", "JK", "does_not_fit"),
        ("manipulation", "8C 8D 8H 8S", "8C", "does_not_fit"),
    ],
)
def test_why_a_card_is_not_laid_off(rules: str, cards: str, card: str, kind: str) -> None:
    found = lay_off(meld(cards, load(rules)), Card(card))
    assert found.meld is None
    assert found.faults[0].kind.value == kind


def test_a_full_meld_takes_no_more() -> None:
    (fault,) = lay_off(meld("8C 8D 8H 8S", load("manipulation")), Card("9C")).faults
    assert "it takes no more cards" in fault.text


def test_a_whole_suit_on_a_ring_is_read_from_the_ace() -> None:
    carioca = load("carioca")
    twelve = meld("QS KS AS 2S 3S 4S 5S 6S 7S 8S 9S TS", carioca)
    assert [str(reading) for reading in extended(twelve, Card("JS"))] == ["A-K♠"]


@pytest.mark.parametrize(
    ("rules", "cards", "card", "down", "kind"),
    [
        ("shanghai", "5H 6H JK 8H", "7H", "no", "not_down"),
        ("shanghai", "5H 6H JK 8H", "7H", "this_turn", "too_early"),
        ("shanghai", "5H 6H JK 8H", "9H", "earlier", "not_the_card"),
        ("shanghai", "5H 6H JK 8H", "JK", "earlier", "not_the_card"),
        ("shanghai", "5H 6H 7H 8H", "7H", "earlier", "no_wild"),
        ("shanghai", "8C 8D JK", "8H", "earlier", "set_is_dead"),
        ("shanghai", "5H 6H JK", "7H", "earlier", "too_few"),
        ("shanghai", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH JK", "AH", "earlier", "no_replay"),
        ("may_i", "5H 6H JK 8H", "7H", "earlier", "not_in_this_game"),
        ("go", "8C 8D 2H", "9H", "earlier", "not_the_card"),
    ],
)
def test_why_a_wild_card_is_not_swapped(rules: str, cards: str, card: str, down: Down, kind: str) -> None:
    found = swap(meld(cards, load(rules)), Card(card), down)
    assert [fault.kind.value for fault in found.faults] == [kind]
    assert not found.legal


@pytest.mark.parametrize(
    ("rules", "cards", "card", "down"),
    [
        ("shanghai", "5H 6H JK 8H", "7H", "earlier"),
        ("contract", "5H 6H JK 8H", "7H", "this_turn"),
        ("go", "8C 8D 2H", "8S", "earlier"),
        ("contract", "5H JK JK 8H", "7H", "earlier"),
    ],
)
def test_a_wild_card_is_swapped(rules: str, cards: str, card: str, down: Down) -> None:
    found = swap(meld(cards, load(rules)), Card(card), down).meld
    assert found is not None
    assert Card(card) in found.cards
    assert len(found.readings) == 1


def test_a_full_run_is_swapped_where_another_meld_takes_the_joker() -> None:
    full = meld("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH JK")
    assert swap(full, Card("AH"), "earlier", [meld("8C 8D 8H")]).legal


def test_the_joker_is_taken_before_a_wild_two_and_no_two_that_is_itself() -> None:
    taken, _ = exchanged(meld("5S 6S 2D 8S JK TS JS", GO), Card("7S"))
    assert taken is JOKER
    natural = with_options(GO, {"two_natural": True})
    taken, swapped = exchanged(meld("2H 3H 4H 2C 6H", natural), Card("5H"))
    assert taken is Card("2C")
    assert [str(reading) for reading in swapped.readings] == ["2-6♥"]
    taken, _ = exchanged(meld("JK 3H 4H 5H", natural), Card("2H"))
    assert taken is JOKER


def test_a_meld_that_may_be_a_set_or_a_run_is_swapped_as_a_run() -> None:
    found = swap(meld("5H JK JK JK", load("contract")), Card("6H"), "earlier").meld
    assert found is not None
    assert {reading.kind for reading in found.readings} == {"run"}


def test_nothing_is_exchanged_for_a_card_that_no_wild_card_stands_for() -> None:
    with pytest.raises(ValueError, match="No wild card in 5♥ 6♥ Joker 8♥ stands for 9♥"):
        exchanged(meld("5H 6H JK 8H"), Card("9H"))


def test_calls() -> None:
    assert call(meld("8C 8D 8H"), Card("8S"), protected=False).legal
    assert [fault.kind.value for fault in call(meld("8C 8D 8H"), Card("9S"), protected=True).faults] == [
        "protected",
        "does_not_fit",
    ]
    assert [fault.kind.value for fault in call(meld("8C 8D 8H", GO), Card("8S"), protected=False).faults] == [
        "not_in_this_game"
    ]


def test_what_a_meld_may_become() -> None:
    run = Reading("run", Suit.HEARTS, 5, 4, (Card("8H"),))
    assert follows(run, run)
    assert follows(Reading("run", Suit.HEARTS, 5, 4, ()), run)
    assert not follows(Reading("run", Suit.HEARTS, 4, 4, (Card("4H"),)), run)
    assert not follows(Reading("run", Suit.CLUBS, 5, 5, ()), run)
