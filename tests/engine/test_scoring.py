"""Penalties of hands, with their arithmetic."""

import pytest

from engine.cards import UNKNOWN, Card, UnreadableError, parse_cards
from engine.rules import load
from engine.scoring import ContradictionError, blind_bonus, check_cards, penalty, too_many


@pytest.mark.parametrize(
    ("hand", "text"),
    [
        ("9C KD 3S", "9♣ 10 + K♦ 10 + 3♠ 5 = 25"),
        ("AC 6D JK", "A♣ 20 + 6♦ 5 + Joker 50 = 75"),
        ("2C 2D QS 7H", "2♣ 5 + 2♦ 5 + Q♠ 10 + 7♥ 5 = 25"),
        ("", "0"),
    ],
)
def test_worked_examples_of_the_rules(hand: str, text: str) -> None:
    assert str(penalty(parse_cards(hand), load("shanghai"))) == text


def test_an_unknown_card_is_refused_with_a_sentence() -> None:
    for refuse in (penalty, check_cards):
        with pytest.raises(UnreadableError, match="Of 2 cards 1 could not be read: say what it is"):
            refuse([Card("8C"), UNKNOWN], load("shanghai"))


@pytest.mark.parametrize("hand", ["8C 8C 8C", "JK JK JK JK JK"])
def test_more_copies_than_the_packs_hold_are_refused(hand: str) -> None:
    with pytest.raises(ContradictionError, match="Check the cards again"):
        penalty(parse_cards(hand), load("shanghai"))


def test_every_copy_that_the_packs_hold_is_scored() -> None:
    assert penalty(parse_cards("8C 8C 8D 8D JK JK JK JK"), load("shanghai")).points == 240
    assert too_many(parse_cards("8C 8C ? ? ?"), load("shanghai")) == {}


def test_without_the_option_going_out_blind_gives_nothing() -> None:
    assert blind_bonus((), load("shanghai")) == 0
