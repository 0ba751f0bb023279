"""Hands as people get them back: a sum only where the engine gives one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from api.hands import NO_CARDS, scanned_hand, score_hand
from engine import rules, scoring
from engine.cards import deck, parse_cards
from vision.scene import Doubt, Scene

SHANGHAI = rules.load("shanghai")


def test_the_sum_is_the_engine_s() -> None:
    hand = deck(packs=2, jokers=4)
    counted = scoring.penalty(hand, SHANGHAI)
    scored = score_hand(hand, SHANGHAI)
    assert scored.points == counted.points == 2 * 4 * (6 * 5 + 6 * 10 + 20) + 4 * 50
    assert scored.text == str(counted)
    assert scored.parts == tuple((card.code, points) for card, points in counted.parts)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8C 8C 8C", "3 × 8♣ cannot be"),
        ("JK JK JK JK JK", "5 × Joker cannot be"),
        ("9C ?", "could not be read"),
        ("", NO_CARDS),
    ],
)
def test_without_a_sum_there_is_a_reason_and_no_number(text: str, words: str) -> None:
    scored = score_hand(parse_cards(text), SHANGHAI)
    assert scored.points is None
    assert words in scored.text


def test_a_card_that_nobody_could_read_has_no_points() -> None:
    assert score_hand(parse_cards("9C ?"), SHANGHAI).parts == (("9C", 10), ("?", None))


def test_a_scanned_hand_is_settled_only_without_doubts(hand: Any, doubtful_hand: Any) -> None:
    assert scanned_hand(hand.scene, SHANGHAI).settled
    doubtful = scanned_hand(doubtful_hand.scene, SHANGHAI)
    assert doubtful.score.points == 85
    assert not doubtful.settled


def test_no_cards_are_never_a_hand_of_nothing() -> None:
    empty = scanned_hand(Scene((4, 3)), SHANGHAI)
    assert (empty.score.points, empty.settled) == (None, False)


def test_the_scene_comes_along_whole(doubtful_hand: Any) -> None:
    told = asdict(scanned_hand(doubtful_hand.scene, SHANGHAI))
    assert Scene.from_json(told["scene"]) == doubtful_hand.scene
    assert told["scene"]["doubts"][0]["kind"] == Doubt("unsure", "", ()).kind
