"""Questions in JSON: answered, or refused with a sentence, and on it goes."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import KINDS
from engine.judge import KINDS_OF_QUESTION, answer, answer_line
from engine.rules import SETTINGS, names


def asked(kind: str, rules: str = "shanghai", **rest: Any) -> dict[str, Any]:
    return answer({"kind": kind, "rules": rules, **rest})


def test_meld() -> None:
    found = asked("meld", cards="5H 6H 7H JK")
    assert found == {
        "legal": True,
        "faults": [],
        "readings": [
            {"kind": "run", "suit": "H", "low": "4", "high": "7", "wilds": ["4H"]},
            {"kind": "run", "suit": "H", "low": "5", "high": "8", "wilds": ["8H"]},
        ],
    }
    (fault,) = asked("meld", cards=["5H", "6H", "8H", "9H"])["faults"]
    assert fault == {
        "code": "gap",
        "cards": ["5H", "6H", "8H", "9H"],
        "source": "000 L13, 001 L59",
        "text": "7♥ is missing in 5♥ 6♥ 8♥ 9♥.",
    }


def test_contract() -> None:
    found = asked("contract", round=3, melds=["6H 7H 8H JK", "TH JH QH KH"])
    assert found["legal"]
    assert [[reading["wilds"] for reading in way] for way in found["readings"]] == [[["5H"], []]]
    assert found["warnings"] == []


def test_layoff_swap_and_call() -> None:
    assert asked("layoff", meld="5H 6H 7H JK", card="9H")["readings"][0]["wilds"] == ["8H"]
    assert asked("layoff", meld="5H 6H 7H 8H", card="10H")["readings"] == []
    assert asked("swap", meld="5H 6H JK 8H", card="7H", down="earlier", others=["8C 8D JK"])["legal"]
    assert asked("call", meld="8C 8D 8H", card="8S", protected=False) == {"legal": True, "faults": []}


def test_score_and_split() -> None:
    assert asked("score", "go", hand="2C TD JK") == {"points": 80, "parts": [["2C", 20], ["TD", 10], ["JK", 50]]}
    assert asked("split", round=1, cards="8C 9C 8D 9D 8H 9H KD") == {"melds": ["8C 8D 8H", "9C 9D 9H"], "left": "KD"}
    assert asked("split", round=1, cards="8C 9C 8D 9D 8H")["missing"] == 1


def test_table_and_play() -> None:
    assert asked("table", "manipulation", melds=["8C 8D 8H", "5H 6H 7H"]) == {"legal": True, "faults": []}
    faults = asked("table", "manipulation", melds=["8C 8D 8C", "8C 8H 8S"])["faults"]
    assert [fault["code"] for fault in faults] == ["too_many_copies", "repeated_suit"]
    found = asked("play", "manipulation", hand="6H 7H 4C", table=["5H 6H 7H 8H"])
    assert found == {"played": "6H 7H", "table": ["5H 6H 7H", "6H 7H 8H"], "left": "4C", "moved": 1}
    assert asked("play", "manipulation", hand="4C", table=["5H 6H 7H"], must="4C")["played"] is None


def test_best() -> None:
    found = asked("best", round=1, hand="8C 8D 8H 8S 9C 9D 9H KD 3S 4C AH KH", table=["KC KS QC"[:5] + " KD"])
    assert found["legal"]
    assert found["melds"] == ["8C 8D 8H", "9C 9D 9H"]
    assert {(layoff["card"], layoff["own"]) for layoff in found["layoffs"]} == {
        ("8S", True),
        ("KD", False),
        ("KH", False),
    }
    assert (found["discard"], found["left"], found["points"]) == ("AH", "4C 3S", 10)
    missing = asked("best", round=1, hand="8C 8D 9C 9D 9H KD")
    assert (missing["legal"], missing["missing"], missing["missing_cards"]) == (False, 1, ["8H"])
    assert asked("best", round=7, hand="2S 3S 4S 5S 6H 7H 8H 9H JC QC KC AC")["discard"] is None


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ({"kind": "fold", "rules": "shanghai"}, "kind is one of meld, contract"),
        ({"kind": "meld"}, "rules is the name of a rule system or a file, not None"),
        ({"kind": "meld", "rules": "whist", "cards": ""}, "There are no rules named 'whist'"),
        ({"kind": "meld", "rules": "shanghai", "options": [1], "cards": ""}, "options is an object"),
        ({"kind": "meld", "rules": "shanghai", "options": {"x": 1}, "cards": ""}, "option x is not a setting"),
        ({"kind": "meld", "rules": "shanghai", "cards": 8}, "cards is a text of cards"),
        ({"kind": "meld", "rules": "shanghai", "cards": "8X"}, "'8X' is not a card"),
        ({"kind": "meld", "rules": "shanghai", "cards": "8C", "round": "1"}, "round is a number from 1"),
        ({"kind": "meld", "rules": "shanghai", "cards": "8C", "round": 9}, "has no round 9"),
        ({"kind": "contract", "rules": "shanghai", "melds": []}, "round is missing"),
        ({"kind": "contract", "rules": "shanghai", "round": 1, "melds": "8C"}, "melds is a list of melds"),
        ({"kind": "contract", "rules": "shanghai", "round": 1, "melds": [], "event": "x"}, "event is one of"),
        ({"kind": "layoff", "rules": "shanghai", "meld": "8C 8D 8H", "card": "8C 8D"}, "card is one card, not 2"),
        ({"kind": "swap", "rules": "shanghai", "meld": "8C 8D JK", "card": "8H"}, "down is one of"),
        ({"kind": "call", "rules": "shanghai", "meld": "8C 8D 8H", "card": "8S", "protected": 1}, "protected is true"),
        ({"kind": "score", "rules": "shanghai", "hand": "8C ?"}, "could not be read"),
        ({"kind": "score", "rules": "shanghai", "hand": "8C 8C 8C"}, "Check the cards again"),
        ("meld", "A question is a JSON object"),
    ],
)
def test_what_cannot_be_answered_gets_an_error(question: object, error: str) -> None:
    assert error in json.loads(answer_line(json.dumps(question)))["error"]


def test_a_line_that_is_no_json_gets_an_error() -> None:
    assert "This is not JSON" in json.loads(answer_line("{"))["error"]
    assert "error" in json.loads(answer_line("[" * 100_000))


def test_all_kinds_of_question_are_known() -> None:
    assert len(KINDS_OF_QUESTION) == 10


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
CARDS = st.lists(st.sampled_from([card.code for card in KINDS]), max_size=8).map(" ".join)
SENSIBLE = {
    "round": st.integers(0, 10),
    "event": st.sampled_from(["laydown", "snapshot"]),
    "down": st.sampled_from(["no", "this_turn", "earlier"]),
    "protected": st.booleans(),
    **dict.fromkeys(("cards", "kept", "meld", "card", "hand", "must"), CARDS),
    **{key: st.lists(CARDS, max_size=3) for key in ("melds", "table", "others")},
}
OPTIONS = st.dictionaries(
    st.sampled_from([*SETTINGS]),
    st.integers(-2, 40) | st.booleans() | st.sampled_from(["none", "both", "S3"]),
    max_size=2,
)


@settings(max_examples=int(os.environ.get("MELDSIGHT_QUESTIONS", "200")))
@given(
    st.fixed_dictionaries(
        {"kind": st.sampled_from(KINDS_OF_QUESTION), "rules": st.sampled_from(names())},
        optional={"options": OPTIONS | ANYTHING, **{key: values | ANYTHING for key, values in SENSIBLE.items()}},
    )
    | ANYTHING
)
def test_every_line_has_an_answer(question: Any) -> None:
    found = json.loads(answer_line(json.dumps(question)))
    assert isinstance(found, dict)
    assert found
    if isinstance(question, dict) and "legal" in found and "faults" in found:
        assert found["legal"] == (not found["faults"])
