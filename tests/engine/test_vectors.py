"""The test vectors of the rules: questions with their answers, checked before by an independent brute force."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.cards import Card, parse_cards
from engine.judge import answer
from engine.laydown import LayDown
from engine.missing import Missing
from engine.rules import load
from engine.solver import best

VECTORS = json.loads((Path(__file__).parent / "data" / "vectors.json").read_text(encoding="utf-8"))


def test_there_are_180_vectors() -> None:
    assert len(VECTORS) == 180


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_vector(vector: dict[str, Any]) -> None:
    found = answer(vector["question"])
    for key, expected in vector["expected"].items():
        assert found[key] == expected, vector["reason"]
    if "legal" in found:
        assert found["legal"] == (not found["faults"]) == bool(found["readings"])


# Rules, round, hand; points left (none where there is no contract) and the discard.
BEST: dict[str, tuple[str, int, str, int | None, str]] = {
    "B01": ("shanghai", 1, "8C 8D 8H 8S 9C 9D 9H KD 3S 4C AH JK", 20, "AH"),
    "B02": ("shanghai", 1, "8C 8C 8D 8H 8S 8D 9C 9D KD 3S 4C AH", None, ""),
    "B03": ("shanghai", 2, "5H 6H 7H 8H 8C 8D 9H KS KD 2C 3C QS", None, ""),
    "B04": ("shanghai", 3, "6H 7H 8H 9H 10H JH QH KH 2S 4C 9D AD", None, ""),
    "B05": ("shanghai", 3, "5H 6H 7H 8H 9H JH QH KH AH 2S 4C 9D", 10, "9D"),
    "B06": ("shanghai", 3, "5H 6H 7H JK 9H 10H JH JK KH 2S 4C 9D", 10, "9D"),
    "B07": ("shanghai", 7, "2S 3S 4S 5S 6H 7H 8H 9H JC QC KC AC", 0, ""),
    "B08": ("shanghai", 7, "2S 3S 4S JK 6H 7H JK 9H JC QC KC 3D", None, ""),
    "B09": ("contract", 3, "AH 2H 3H 4H JH QH KH AH 9C 9D 2S 3S 7D", 21, "9"),
    "B10": ("go", 1, "8C 8D 2H 9C 9D JK KD KS 5C 6D 7H AC", 25, "AC"),
}


@pytest.mark.parametrize(("rules", "number", "hand", "points", "discard"), BEST.values(), ids=BEST)
def test_best_lay_down(rules: str, number: int, hand: str, points: int | None, discard: str) -> None:
    found = best(parse_cards(hand), load(rules), number)
    if points is None:
        assert isinstance(found, Missing)
    else:
        assert isinstance(found, LayDown)
        assert found.points == points
        assert (found.discard.code if found.discard else "").startswith(discard)
        assert bool(found.discard) == bool(discard)


def test_b01_lays_off_the_eight_and_the_joker() -> None:
    found = best(parse_cards(BEST["B01"][2]), load("shanghai"), 1)
    assert isinstance(found, LayDown)
    assert {layoff.card.code for layoff in found.layoffs} == {"8S", "JK"}


def test_b05_lays_off_the_nine_in_the_gap() -> None:
    found = best(parse_cards(BEST["B05"][2]), load("shanghai"), 3)
    assert isinstance(found, LayDown)
    assert {frozenset(meld) for meld in found.melds} == {
        frozenset(parse_cards("5H 6H 7H 8H")),
        frozenset(parse_cards("JH QH KH AH")),
    }
    assert [layoff.card.code for layoff in found.layoffs] == ["9H"]


def test_b06_says_what_the_jokers_stand_for() -> None:
    found = best(parse_cards(BEST["B06"][2]), load("shanghai"), 3)
    assert isinstance(found, LayDown)
    assert [reading.wilds for reading in found.readings] == [(Card("4H"),), (Card("QH"),)]
    assert [layoff.card.code for layoff in found.layoffs] == ["KH"]
