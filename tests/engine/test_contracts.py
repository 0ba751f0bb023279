"""Contracts beyond the vectors: snapshots, several faults at once, warnings, and words."""

from __future__ import annotations

import pytest

from engine.cards import parse_cards
from engine.contracts import Event, Verdict, hand_sizes, judge
from engine.rules import RulesError, load, with_options

SHANGHAI = load("shanghai")


def verdict(number: int, *melds: str, rules: str = "shanghai", kept: str = "", event: Event = "laydown") -> Verdict:
    return judge(load(rules), number, [parse_cards(meld) for meld in melds], parse_cards(kept), event)


def kinds(found: Verdict) -> list[str]:
    assert found.legal == (not found.faults)
    return [fault.kind.value for fault in found.faults]


@pytest.mark.parametrize(
    ("number", "melds", "faults"),
    [
        (1, ("8C 8D 8H 8S", "9C 9D 9H"), []),
        (1, ("8C 8D 8H 8S JK", "9C 9D 9H"), []),
        (1, ("8C 8D 8H", "8S 8C 8D 8H"), ["same_rank"]),
        (3, ("6H 7H 8H 9H TH", "JH QH KH AH"), []),  # 6-9 went down first, or 5... and J-A
        (3, ("6H 7H 8H 9H", "TH JH QH KH AH"), []),  # J-A went down first
        (3, ("6H 7H 8H 9H", "TH JH QH KH"), ["adjoining"]),
        (2, ("8C 8D 8H", "5S 6S 7S"), ["too_few"]),
        (1, ("8C 8D 8H", "9C 9D 9H", "KC KD KH"), ["wrong_number"]),
        (1, ("8C 8D 8H", "5S 6S 7S 8S"), ["wrong_kind"]),
        (7, ("2S 3S 4S 5S 6S", "6H 7H 8H 9H", "TC JC QC KC"), []),
    ],
)
def test_snapshots(number: int, melds: tuple[str, ...], faults: list[str]) -> None:
    assert kinds(verdict(number, *melds, event="snapshot")) == faults


def test_a_snapshot_may_hold_new_melds_where_they_are_allowed() -> None:
    melds = ("8C 8D 8H", "9C 9D 9H", "KC KD KH")
    assert verdict(1, *melds, rules="go", event="snapshot").legal
    assert kinds(verdict(1, *melds, rules="go")) == ["wrong_number"]
    assert kinds(verdict(2, *melds, rules="go", event="snapshot")) == ["wrong_kind", "wrong_kind"]
    assert kinds(verdict(1, "8C 8D", *melds, rules="go", event="snapshot")) == ["too_few"]


def test_every_fault_is_found() -> None:
    found = verdict(7, "2S 3S 4S 5S", "6S 7S 8S 9S", "JC QC KC AC", kept="9D")
    assert kinds(found) == ["card_left", "adjoining"]
    found = verdict(1, "8C 8D 9H", "JK JK JK", "KC KD KH")
    assert kinds(found) == ["mixed_ranks", "no_natural", "wrong_number"]
    found = verdict(2, "8C 8D 8H 8S", "5S 6S 7S 8S 9S")
    assert kinds(found) == ["wrong_size", "wrong_size"]


def test_too_few_melds_of_the_wrong_kind() -> None:
    assert kinds(verdict(2, "8C 8D 8H", "9C 9D 9H")) == ["wrong_kind"]
    assert kinds(verdict(2, "8C 8D 8H")) == ["wrong_number"]


def test_copies_count_over_all_melds_and_the_hand() -> None:
    assert kinds(verdict(1, "8C 8D 8H", "9C 9D 9H", kept="8C 8C")) == ["too_many_copies"]


def test_a_hand_of_an_impossible_size_is_a_warning() -> None:
    found = verdict(7, "2S 3S 4S 5S 6S", "6H 7H 8H 9H", "TC JC QC KC")
    assert found.legal
    assert found.warnings == ("13 cards lie here, but a hand in this round has 12, 15, 18 after drawing.",)
    assert "13 cards lie here" in str(found)
    assert verdict(7, "2S 3S 4S 5S", "6H 7H 8H 9H", "TC JC QC KC").warnings == ()
    assert (
        "13, 15, 17, 19 ... after"
        in verdict(7, "2S 3S 4S 5S", "6H 7H 8H 9H", "TC JC QC KC", rules="contract").warnings[0]
    )
    assert hand_sizes(load("contract"), 7, most=17) == (13, 15, 17)


def test_a_verdict_says_all_ways() -> None:
    found = verdict(2, "8C 8D 8H", "5S 6S 7S JK")
    assert str(found) == "Allowed: set of 8; 4-7♠ (wild: 4♠). Or: set of 8; 5-8♠ (wild: 8♠)."
    assert str(verdict(1, "8C 8D 8H")).startswith("Not allowed. Round 1 asks for 2 sets of 3: 2 melds, not 1.")


def test_one_meld_that_may_be_two_kinds_fills_the_slot_that_is_open() -> None:
    assert verdict(2, "5H JK JK JK", "8C 8D 8H", rules="contract").legal
    rules = with_options(SHANGHAI, {"forbid_overlap": True})
    found = judge(rules, 3, [parse_cards("5H 6H 7H 8H"), parse_cards("7H 8H 9H TH")])
    assert kinds(found) == ["overlap"]


def test_there_is_no_round_eight() -> None:
    with pytest.raises(RulesError, match="has no round 8"):
        verdict(8, "8C 8D 8H")


def test_what_is_wrong_with_one_meld_hides_nothing_of_the_others() -> None:
    found = judge(load("shanghai"), 5, [parse_cards(each) for each in ("8C 8D JK", "8S 8H 8C", "5H 6H 7H")])
    assert [fault.kind.value for fault in found.faults] == ["too_few", "same_rank"]
    found = judge(load("shanghai"), 6, [parse_cards(each) for each in ("6H 7H 8H 9H TH", "JH QH KH AH", "5H")])
    assert [fault.kind.value for fault in found.faults] == ["too_few", "too_few", "wrong_size", "adjoining"]
    loose = judge(load("shanghai"), 3, [parse_cards(each) for each in ("6H 7H 8H JK", "TH JH QH KH", "2C 3C 4C 5C")])
    assert [fault.kind.value for fault in loose.faults] == ["wrong_number"]
