"""Rule files and options: loaded, refused with file, line and key, and printed back."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cards import Card
from engine.faults import FaultKind
from engine.judge import KINDS_OF_QUESTION
from engine.rules import (
    SETTINGS,
    Contract,
    PointTable,
    Rules,
    RulesError,
    dump,
    load,
    loads,
    names,
    option_from_text,
    with_options,
)


def test_nine_systems_come_with_the_package() -> None:
    assert len(names()) == 9
    assert all(load(name).name == name for name in names())


@pytest.mark.parametrize("name", names())
def test_load_print_load_is_stable(name: str) -> None:
    rules = load(name)
    assert loads(dump(rules)) == rules
    assert dump(loads(dump(rules))) == dump(rules)


@pytest.mark.parametrize("name", names())
def test_every_value_of_a_system_has_its_source(name: str) -> None:
    rules = load(name)
    sourced = {key for key, _ in rules.sources}
    assert set(rules.settings()) - sourced <= {"name", "title", "about"}


def test_no_code_asks_for_a_system_by_name() -> None:
    for path in Path("engine").glob("*.py"):
        code = path.read_text(encoding="utf-8")
        assert ".name ==" not in code.replace("item.name ==", "")
        assert ".name in" not in code


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('extends = "shanghai"\n\nbuy_limt = 3', r"line 3: buy_limt is not a setting: do you mean buy_limit"),
        ('extends = "shanghai"\nzzz = 3', r"line 2: zzz is not a setting: the settings are name, title"),
        ('extends = "shanghai"\nbuy_limit = "x"', r'line 2: buy_limit expects a whole number from 0 or "none"'),
        ('extends = "shanghai"\nbuy_limit = []', r"line 2: buy_limit expects"),
        ('extends = "shanghai"\nshanghai_call = 1', r"line 2: shanghai_call expects true or false, not 1"),
        ('extends = "shanghai"\nset_min = true', r"line 2: set_min expects a whole number from 1 to 31, not True"),
        ('extends = "shanghai"\nset_min = 0', r"line 2: set_min expects a whole number from 1 to 31, not 0"),
        ('extends = "shanghai"\nset_max = "some"', r"line 2: set_max expects"),
        ('extends = "shanghai"\nlayoff = "never"', r'line 2: layoff expects "same_turn" or "next_turn", not'),
        ('extends = "shanghai"\ntitle = 3', r"line 2: title expects a text, not 3"),
        ('extends = "shanghai"\nwild_ranks = 2', r"line 2: wild_ranks expects a list of ranks"),
        ('extends = "shanghai"\nwild_ranks = ["1"]', r"line 2: wild_ranks expects a list of ranks"),
        ('extends = "shanghai"\ncontracts = "S3"', r"line 2: contracts expects a list of contracts"),
        ('extends = "shanghai"\ncontracts = ["S3 X4"]', r"'X4' is not a part of a contract"),
        ('extends = "shanghai"\ncontracts = ["all"]', r"'all' asks for no meld"),
        ('extends = "shanghai"\nrounds = 9', r"9 rounds need as many contracts; there are 7"),
        ('extends = "shanghai"\nrounds = 1\ncontracts = ["R3"]', r"asks for R3 in 'R3': a run has 4 to 13 cards"),
        ('extends = "shanghai"\nrounds = 1\ncontracts = ["S40"]', r"asks for S40 in 'S40': a set has 3 to 31 cards"),
        ('extends = "shanghai"\nmax_run = 15', r"line 2: max_run expects a whole number from 1 to 14, not 15"),
        (f'extends = "{"a" * 5000}.toml"', r"There is no rule file a"),
        ('extends = "shanghai"\nmax_players = 2', r"max_players must be 3 or more, not 2"),
        ('extends = "shanghai"\npacks_by_players = [2, 3]', r"packs_by_players must list 3 numbers"),
        ('extends = "shanghai"\npoints = "flat"', r"needs a point table of that name"),
        ('extends = "shanghai"\nscores = 3', r"scores expects point tables"),
        ('extends = "shanghai"\n[scores]\ntable = "2-7: 5"', r"leaves out A, 8, 9, 10, J, Q, K"),
        ('extends = "shanghai"\n[scores]\ntable = "lots"', r"'lots' is not a part of a point table"),
        ("extends = 3", r"line 1: extends expects the name of a rule system"),
        ('extends = "nowhere"', r"There are no rules named 'nowhere'; the rules are carioca"),
        ('extends = "nowhere.toml"', r"There is no rule file nowhere.toml"),
        ('extends = "house.toml"', r"these rules extend themselves"),
        ('name = "mine"', r'missing; title expects a text. Start the file with extends = "shanghai"'),
        ("name =", r"this is not TOML"),
    ],
)
def test_a_mistake_in_a_file_is_refused_with_its_place(tmp_path: Path, text: str, error: str) -> None:
    file = tmp_path / "house.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError, match=error):
        load(file)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(RulesError, match="not a text file"):
        load(file)


def test_a_family_file_changes_a_few_values_and_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('extends = "shanghai"\nname = "house"\nbuy_limit = 3  # grandmother\n', encoding="utf-8")
    rules = load(str(file))
    assert rules.buy_limit == (3,)
    assert rules.source("buy_limit") == "grandmother"
    assert rules.source("joker_cap") == "000 L29, 001 L63"
    file.write_text('extends = "shanghai"\nname = "house"\nbuy_limit = 13\nlayoff = "next_turn"\n', encoding="utf-8")
    again = load(str(file))
    assert again.buy_limit == (13,)
    assert again.source("buy_limit") == "house.toml"
    cousin = tmp_path / "cousin.toml"
    cousin.write_text('extends = "house.toml"\n[scores]\ntable = "A-K: 1, JK: 9"\n', encoding="utf-8")
    assert load(cousin).card_points[Card("JK")] == 9
    assert load(cousin).buy_limit == (13,)


def test_an_option_is_refused_by_name() -> None:
    with pytest.raises(RulesError, match="option joker_kap is not a setting: do you mean joker_cap"):
        with_options(load("shanghai"), {"joker_kap": 1})
    with pytest.raises(RulesError, match=r"shanghai: 8 rounds need as many contracts"):
        with_options(load("shanghai"), {"eighth_round": True})


def test_an_option_is_its_own_source() -> None:
    assert with_options(load("shanghai"), {"joker_cap": None}).source("joker_cap") == "house rule joker_cap"


def test_options_as_text() -> None:
    assert option_from_text("joker_cap=none") == ("joker_cap", "none")
    assert option_from_text("cut_bonus=-50") == ("cut_bonus", -50)
    with pytest.raises(RulesError, match="write name=value"):
        option_from_text("joker_cap")


@pytest.mark.parametrize(
    ("options", "points"),
    [
        ({"ace_points": 14}, {"AC": 14, "KC": 10, "JK": 25}),
        ({"court_points": "11-13"}, {"JC": 11, "QC": 12, "KC": 13}),
        ({"court_points": 5, "joker_points": 30}, {"JC": 5, "QC": 5, "KC": 5, "JK": 30}),
        ({"black_twos_wild": True, "black_two_points": 50}, {"2C": 50, "2S": 50, "2H": 2}),
    ],
)
def test_points_as_house_rules_change_them(options: dict[str, object], points: dict[str, int]) -> None:
    rules = with_options(load("finnish"), options)
    assert {code: rules.card_points[Card(code)] for code in points} == points


def test_flat_points_and_card_points() -> None:
    flat = with_options(load("carioca"), {"points": "flat"})
    assert [flat.card_points[Card(code)] for code in ("2C", "KC", "AC", "JK")] == [5, 10, 20, 30]
    cards = with_options(load("manipulation"), {"points": "card_points"})
    assert [cards.card_points[Card(code)] for code in ("2C", "TC", "AC")] == [5, 10, 15]


def test_rounds_that_options_change() -> None:
    finnish = load("finnish")
    assert finnish.contract(7).whole_hand
    assert not with_options(finnish, {"final_as_usual": True}).contract(7).whole_hand
    assert with_options(finnish, {"eighth_round": True}).contract(8).size == 12
    assert with_options(load("shanghai_ten"), {"whole_hand_last": True}).contract(10).whole_hand
    assert with_options(load("carioca"), {"no_jokers_r9": True}).contract(9).run_wilds == 0
    with pytest.raises(RulesError, match="has no round 9: its rounds are 1 to 8"):
        with_options(load("carioca"), {"rounds": 8}).contract(9)
    with pytest.raises(RulesError, match="it has no contracts"):
        load("manipulation").contract(1)
    with pytest.raises(RulesError, match="it has no contracts"):
        with_options(load("manipulation"), {"rounds": 5}).contract(1)


def test_only_so_many_can_play() -> None:
    with pytest.raises(RulesError, match="is for 3 to 5 players, not 6"):
        load("shanghai").pack_for(6)
    with pytest.raises(RulesError, match="52 cards are too few to deal 11 to 5 players"):
        with_options(load("shanghai"), {"packs": 1, "jokers": 0}).pack_for(5)


def test_a_rule_file_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "house.toml"
    file.write_text('extends = "shanghai"', encoding="utf-8")

    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(RulesError, match=r"house.toml cannot be read: Permission denied\."):
        load(file)


def test_settings_by_round() -> None:
    rules = load("contract")
    assert [rules.in_round(rules.deal, number) for number in (1, 3, 4, 7)] == [10, 10, 12, 12]


def test_notations_print_as_they_are_read() -> None:
    assert str(Contract.parse("R7 S3 wilds=2")) == "R7 S3 wilds=2"
    assert str(Contract.parse("R13 all wilds=none")) == "R13 all wilds=none"
    assert Contract.parse("R13 all").words == "1 run of 13"
    assert str(PointTable.parse("A-K: 1")) == "A-K: 1"


def test_rules_are_values() -> None:
    assert isinstance(hash(load("go")), int)
    assert {load("go"): 1}[with_options(load("go"), {})] == 1
    assert isinstance(load("go"), Rules)


def test_the_page_on_the_rules_names_every_setting_code_kind_and_source() -> None:
    page = Path("docs/rules.md").read_text(encoding="utf-8")
    for word in (*names(), *SETTINGS, *FaultKind, *KINDS_OF_QUESTION):
        assert f"`{word}`" in page, word
    sources = {load(name).source(key) for name in names() for key, _ in load(name).sources}
    tags = {tag.split(" L")[0] for source in sources for tag in source.split(", ")}
    for tag in tags:
        assert f"`{tag}`" in page or tag.startswith("L"), tag
