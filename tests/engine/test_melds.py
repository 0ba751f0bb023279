"""Readings of melds, and the reasons why a group is none."""

from __future__ import annotations

import pytest

from engine.cards import Card, parse_cards
from engine.clashes import cards_between, clash
from engine.contracts import judge
from engine.faults import FaultKind
from engine.melds import Reading, TableError, check_melds, cores, growth, judge_meld, law
from engine.rules import Rules, load, with_options

SHANGHAI = load("shanghai")


def codes(cards: str, rules: Rules = SHANGHAI) -> list[str]:
    return [fault.kind.value for fault in judge_meld(parse_cards(cards), rules).faults]


def shown(cards: str, rules: Rules, **options: object) -> list[str]:
    return [str(reading) for reading in judge_meld(parse_cards(cards), with_options(rules, options)).readings]


@pytest.mark.parametrize(
    ("name", "cards", "expected"),
    [
        ("shanghai", "", ["too_few", "too_few"]),
        ("shanghai", "8C 8D", ["too_few"]),
        ("shanghai", "8C 8D 9H", ["mixed_ranks"]),
        ("shanghai", "5H 6D 7H 8H", ["mixed_suits", "gap"]),
        ("shanghai", "5H 6H 6H 7H", ["repeated_rank"]),
        ("shanghai", "5H 6H 8H 9H", ["gap"]),
        ("shanghai", "5H 6H JK 9H TH", ["gap"]),
        ("shanghai", "5H JK JK 8H", ["too_many_wilds"]),
        ("shanghai", "JK JK JK", ["no_natural"]),
        ("shanghai", "AH 2H 3H 4H", ["ace_misuse"]),
        ("shanghai", "KH AH 2H 3H", ["wraparound"]),
        ("shanghai", "8C 8C 8C", ["too_many_copies"]),
        ("shanghai", "8C 8C 8C 9D", ["too_many_copies", "mixed_ranks"]),
        ("shanghai", "8C ? 8D", ["unknown_card"]),
        ("shanghai", "8C ? ?", ["unknown_card"]),
        ("contract", "QH KH AH 2H", ["wraparound"]),
        ("contract", "AH 3H 4H 5H", ["gap"]),
        ("contract", "AH 3H QH KH", ["gap"]),
        ("contract", "AH AH 2H 3H", ["gap"]),
        ("contract", "AH AH AH 2H 3H 4H", ["too_many_copies", "repeated_rank"]),
        ("carioca", "AH 2H JK JK 5H 6H 7H 8H 9H TH JH QH KH", ["wilds_adjacent"]),
        ("manipulation", "8C 8C 8D", ["repeated_suit"]),
        ("manipulation", "8C 8D 8H 8S 8C", ["too_long", "repeated_suit"]),
        ("manipulation", "QH KH AH", ["ace_misuse"]),
        ("manipulation", "8C 8D JK", ["too_many_copies", "too_many_wilds"]),
        ("shanghai", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH JK", ["too_long"]),
    ],
)
def test_reasons(name: str, cards: str, expected: list[str]) -> None:
    rules = load(name)
    found = judge_meld(parse_cards(cards), rules)
    assert [fault.kind.value for fault in found.faults] == expected, [str(fault) for fault in found.faults]
    assert not found.legal
    assert all(fault.source for fault in found.faults if fault.kind is not FaultKind.UNKNOWN_CARD)


def test_a_legal_meld_has_no_faults() -> None:
    assert judge_meld(parse_cards("8C 8D 8H"), SHANGHAI).faults == ()


def test_two_aces_may_end_a_run_at_both_ends_or_one_and_a_wild_card() -> None:
    suit = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"
    assert shown(f"AH {suit} AH", load("contract")) == ["A-A♥"]
    assert shown(f"AH {suit} JK", load("contract")) == ["A-A♥ (wild: A♥)"]
    assert shown(f"AH {suit} AH", load("contract"), max_run=13) == []


def test_a_run_round_the_corner_shows_its_wild_cards() -> None:
    assert shown("QS KS JK 2S", load("carioca")) == ["Q-2♠ (wild: A♠)"]
    assert shown("KS AS 2S JK", load("carioca")) == ["Q-2♠ (wild: Q♠)", "K-3♠ (wild: 3♠)"]


def test_one_natural_among_wild_cards_may_be_a_set_and_runs() -> None:
    found = judge_meld(parse_cards("5H JK JK JK"), load("contract"))
    assert [reading.kind for reading in found.readings] == ["set", "run", "run", "run", "run"]


def test_what_the_order_shows_counts_where_it_must() -> None:
    assert shown("5H 6H 7H JK", SHANGHAI, declared_only=True) == ["5-8♥ (wild: 8♥)"]
    assert shown("7H 6H 5H JK", SHANGHAI, declared_only=True) == ["4-7♥ (wild: 4♥)"]
    assert shown("2D 3D JK 4D", SHANGHAI, declared_only=True) == ["2-5♦ (wild: 5♦)"]
    rules = with_options(SHANGHAI, {"declared_only": True})
    assert codes("5H 7H 6H JK", rules) == ["undeclared"]
    assert codes("5H 6H 8H 9H", rules) == ["gap"]
    assert not judge(rules, 3, [parse_cards("6H 7H 8H JK"), parse_cards("TH JH QH KH")]).legal


def test_wild_ranks_that_may_be_themselves() -> None:
    natural = {"two_natural": True}
    assert shown("AS 2S 3S JK", load("go"), **natural) == ["A-4♠ (wild: 4♠)"]
    assert shown("2C 2D JK", load("go"), **natural) == ["set of 2 (wild: 2)"]
    assert shown("JK JK JK", load("go"), **natural) == []
    assert shown("5S 6S 2S 8S", load("go"), **natural) == ["5-8♠ (wild: 7♠)"]
    assert shown("8C 8D 2C", load("go"), **natural) == ["set of 8 (wild: 8)"]
    assert shown("8C 9D 2C", load("go"), **natural) == []
    assert shown("2S JK JK JK", load("contract"), wild_ranks=["2"], **natural)[0] == "set of 2 (wild: 2, 2, 2)"


def test_black_twos_are_wild_where_the_family_says_so() -> None:
    assert shown("8C 8D 2S", load("finnish"), black_twos_wild=True) == ["set of 8 (wild: 8)"]
    assert shown("8C 8D 2H", load("finnish"), black_twos_wild=True) == []


@pytest.mark.parametrize(
    ("cards", "cap", "legal"),
    [
        ("5S 6S JK 8S JK", "ladder", True),
        ("5S JK 7S JK", "ladder", False),
        ("5S JK 7S JK", "not_majority", True),
        ("5S JK JK JK", "not_majority", False),
        ("8C JK JK", "ladder", False),
    ],
)
def test_caps_on_wild_cards(cards: str, cap: str, legal: bool) -> None:
    rules = with_options(load("shanghai_ten"), {"joker_cap": cap})
    assert judge_meld(parse_cards(cards), rules).legal == legal


def test_any_run_of_seven_may_hold_two_where_the_family_says_so() -> None:
    long_run = parse_cards("5S 6S 2D 8S JK TS JS")
    assert not judge_meld(long_run, load("go"), 2).legal
    assert judge_meld(long_run, load("go"), 7).legal
    assert not judge_meld(long_run, load("go"), 7, "new").legal
    assert judge_meld(long_run, with_options(load("go"), {"any_run_7plus": True}), 2).legal


def test_cores_are_what_may_have_been_laid_first() -> None:
    laydown, added = law(SHANGHAI, 3), law(SHANGHAI, 3, "added")
    (run,) = judge_meld(parse_cards("5H 6H JK 8H 9H"), SHANGHAI).readings
    assert [str(core) for core in cores(run, 4, laydown, added)] == ["5-8♥ (wild: 7♥)", "6-9♥ (wild: 7♥)"]
    assert cores(run, 6, laydown, added) == ()
    (eights,) = judge_meld(parse_cards("8C 8D 8H JK"), SHANGHAI).readings
    assert [len(core.wilds) for core in cores(eights, 3, laydown, added)] == [0, 1]


def test_growth_keeps_to_the_caps_on_its_way() -> None:
    ladder = with_options(SHANGHAI, {"joker_cap": "ladder"})
    added = law(ladder, 3, "added")
    (run,) = judge_meld(parse_cards("4S JK 6S 7S 8S 9S JK"), ladder, 3, "added").readings[:1]
    assert growth(run, 2, 4, added) is not None
    tight = Reading("run", run.of, 4, 6, (Card("4S"), Card("5S")))
    assert growth(tight, 2, 4, law(with_options(SHANGHAI, {"joker_cap": "not_majority"}), 3, "added")) is not None
    assert growth(tight, 2, 4, law(SHANGHAI, 3, "added")) is None


def test_gaps_between_runs() -> None:
    both, ring = load("contract"), with_options(load("carioca"), {"adjoining": "forbid"})
    (low,), (king,) = (judge_meld(parse_cards(cards), both).readings for cards in ("AH 2H 3H 4H", "TH JH QH KH"))
    assert cards_between(low, king, both) == 5
    assert clash(low, king, both, 3) is None
    bridged = with_options(both, {"ace_bridges": True})
    assert clash(low, king, bridged, 3) is FaultKind.ADJOINING
    assert cards_between(king, Reading("run", king.of, 1, 4, ()), ring) == 0
    assert cards_between(king, Reading("run", king.of, 12, 4, ()), ring) == -1
    assert clash(king, king, with_options(both, {"forbid_overlap": True}), 3) is FaultKind.OVERLAP
    assert clash(low, king, with_options(both, {"same_rank_sets": True}), 3) is None


def test_the_last_round_may_differ_about_adjoining_runs() -> None:
    melds = [parse_cards(cards) for cards in ("2S 3S 4S 5S", "6S 7S 8S 9S", "JC QC KC AC")]
    assert not judge(SHANGHAI, 7, melds).legal
    assert judge(with_options(SHANGHAI, {"adjoining_final": "allow"}), 7, melds).legal


def test_melds_that_cannot_lie_on_a_table() -> None:
    check_melds([parse_cards("4S 5S 6S 7S")], load("go"), 7)  # a new meld, shorter than the contract's run
    with pytest.raises(TableError, match="4♠ 5♠ 6♠ cannot lie on the table"):
        check_melds([parse_cards("4S 5S 6S")], load("go"), 7)
