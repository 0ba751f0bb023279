"""Cards: parse and print."""

import copy
import pickle

import pytest

from engine.cards import JOKER, KINDS, UNKNOWN, Card, UnreadableError, deck, parse_cards, print_cards


def test_every_card_prints_as_it_is_read() -> None:
    for card in (*KINDS, UNKNOWN):
        assert Card.parse(str(card)) is card
        assert Card.parse(card.label) is card
        assert eval(repr(card)) is card


def test_a_card_is_one_object_and_stays_so() -> None:
    assert pickle.loads(pickle.dumps(JOKER)) is JOKER
    assert copy.deepcopy([Card("8C")])[0] is Card("8C")
    with pytest.raises(AttributeError, match="cannot change"):
        Card("8C").code = "9C"
    with pytest.raises(AttributeError, match="cannot change"):
        del Card("8C").code


@pytest.mark.parametrize("text", ["1C", "8X", "", "88C"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError, match="is not a card"):
        Card.parse(text)
    with pytest.raises(UnreadableError, match="is not a card"):
        Card(text)


def test_a_deck_of_two_packs_holds_108_cards() -> None:
    assert len(deck(2, 4)) == 108
    assert parse_cards(print_cards(deck(1, 2))) == deck(1, 2)
    assert parse_cards(" , ") == ()
