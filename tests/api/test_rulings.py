"""The commands that ask the rules, as they are typed."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from api.rulings import LONGEST_LINE, answer_all
from engine.judge import answer
from engine.rules import load, names

ROOT = Path(__file__).parents[2]
MELDSIGHT = Path(sys.executable).with_name("meldsight")
VECTORS = json.loads((ROOT / "tests" / "engine" / "data" / "vectors.json").read_text("utf-8"))


def refused(run: Any, *arguments: str) -> tuple[int, str]:
    """The status and the only sentence of a command that is refused."""
    status, out, err = run(*arguments)
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("meldsight: ")
    assert line.endswith((".", "?", ")"))
    return status, line


def test_a_contract_that_is_fulfilled(run: Any) -> None:
    status, out, err = run("check", "8C 8C 8D / 5S 6S 7S 8S", "--round", "2")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "Shanghai Rummy, round 2: 1 set of 3 and 1 run of 4",
        "  8♣ 8♣ 8♦     set of 8",
        "  5♠ 6♠ 7♠ 8♠  5-8♠",
        "Allowed.",
    ]


def test_a_contract_that_is_not_says_every_reason_with_its_source(run: Any) -> None:
    status, out, err = run("check", "8C 8D JK / 8S 8H JK / 5H", "--round", "1")
    assert (status, err) == (1, "")
    assert "Not allowed:" in out
    assert "  - 5♥ is 1 card: a set has 3 or more. (000 L13, 001 L57)" in out.splitlines()
    assert "  - Round 1 asks for 2 sets of 3: 2 melds, not 3. (000 L23-25, 001 L10-17)" in out.splitlines()
    assert "8♣ 8♦ Joker and 8♠ 8♥ Joker are two sets of one rank" in out


def test_all_ways_to_read_jokers_are_shown_up_to_four(run: Any) -> None:
    _, out, _ = run("check", "6H 7H 8H JK / TH JH QH KH", "--round", "3")
    assert "  6♥ 7♥ 8♥ Joker  5-8♥ (wild: 5♥)" in out.splitlines()
    assert "or" not in out.splitlines()
    _, out, _ = run("check", "6H 7H 8H JK / TC JC QC JK / 3S 4S 5S JK", "--round", "7")
    assert out.splitlines().count("or") == 3
    assert "or in 4 more ways" in out.splitlines()


def test_cards_that_are_kept_and_melds_that_were_added_to(run: Any) -> None:
    whole = "2S 3S 4S 5S / 6H 7H 8H 9H / JC QC KC AC"
    assert run("check", whole, "--round", "7")[0] == 0
    status, out, _ = run("check", whole, "--round", "7", "--kept", "9D")
    assert status == 1
    assert "9♦ stays in the hand" in out
    longer = ("check", "8C 8D 8H 8S / 9C 9D 9H", "--round", "1")
    assert run(*longer)[0] == 1
    assert run(*longer, "--event", "snapshot")[0] == 0


def test_a_hand_of_an_odd_size_is_warned_about(run: Any) -> None:
    status, out, _ = run("check", "2S 3S 4S 5S 6S / 6H 7H 8H 9H / JC QC KC AC", "--round", "7")
    assert status == 0
    assert out.splitlines()[-1].startswith("13 cards lie here, but a hand in this round has 12, 15, 18")


def test_house_rules_by_option_and_by_file(run: Any, tmp_path: Path) -> None:
    two = ("check", "8C JK JK / 9C 9D 9H", "--round", "1")
    assert run(*two)[0] == 1
    assert run(*two, "--option", "joker_cap=2")[0] == 0
    house = tmp_path / "house.toml"
    house.write_text('extends = "shanghai"\ntitle = "As at home"\njoker_cap = 2', "utf-8")
    status, out, _ = run(*two, "--rules", str(house))
    assert status == 0
    assert out.startswith("As at home, round 1")


def test_a_table_of_manipulation_rummy_has_no_round(run: Any) -> None:
    table = ("--rules", "manipulation")
    assert run("check", "8C 8D 8H / 5H 6H 7H", *table)[0] == 0
    status, out, _ = run("check", "8C 8D 8C / 5H 6H 7H", *table)
    assert status == 1
    assert "8♣ is there twice" in out


def test_the_best_lay_down(run: Any) -> None:
    hand = "5H 6H 7H 8H 9H JH QH KH AH 2S 4C 9D"
    status, out, err = run("best", hand, "--round", "3")
    assert (status, err) == (0, "")
    assert out.splitlines()[1:] == [
        "  Lay down   5♥ 6♥ 7♥ 8♥  5-8♥",
        "             J♥ Q♥ K♥ A♥  J-A♥",
        "  Lay off    9♥ to 5♥ 6♥ 7♥ 8♥",
        "  Discard    9♦",
        "  Left       4♣ 5 + 2♠ 5 = 10",
    ]
    assert "2♠ to 3♠ 4♠ 5♠ 6♠" in run("best", hand, "--round", "3", "--table", "3S 4S 5S 6S")[1]


def test_the_best_lay_down_goes_out_or_says_what_is_missing(run: Any) -> None:
    _, out, _ = run("best", "2S 3S 4S 5S 6H 7H 8H 9H JC QC KC AC", "--round", "7")
    assert out.splitlines()[-1] == "  Left       nothing: out"
    status, out, _ = run("best", "8C", "8D", "9C", "9D", "9H", "KD", "--round", "1")
    assert status == 0
    assert out.splitlines()[-1] == "1 card is missing for 2 sets of 3, such as 8♥."


def test_what_can_be_played(run: Any) -> None:
    status, out, err = run("play", "6H 7H 4C", "--table", "5H 6H 7H 8H", "--rules", "manipulation")
    assert (status, err) == (0, "")
    assert out.splitlines()[1:] == [
        "  Play       6♥ 7♥",
        "  Table      5♥ 6♥ 7♥",
        "             6♥ 7♥ 8♥",
        "  Left       4♣",
        "  Moved      1 meld of the table",
    ]
    assert "  Left       nothing: out" in run("play", "9H", "--table", "5H 6H 7H 8H")[1].splitlines()
    assert run("play", "4C", "--table", "5H 6H 7H")[1].splitlines()[-1] == "No card can be played."
    must = run("play", "8H 4C", "--table", "5H 6H 7H", "--must", "4C")
    assert must[1].splitlines()[-1] == "4♣ cannot be played."


def test_the_systems_are_listed(run: Any) -> None:
    status, out, _ = run("rules")
    assert status == 0
    for name in names():
        assert f"{name:<14}{load(name).title}" in out.splitlines()


@pytest.mark.parametrize("name", names())
def test_a_system_is_a_page(run: Any, name: str) -> None:
    status, out, err = run("rules", name)
    rules = load(name)
    assert (status, err) == (0, "")
    assert out.splitlines()[:2] == [f"{rules.title} ({name})", rules.about]
    for number in range(1, rules.rounds_played + 1):
        assert f"  {number:>2}  {rules.contract(number).words}" in out
    assert f"  joker_swap = {rules.joker_swap}" in out.splitlines()
    assert f"({dict(rules.sources)['joker_swap']})" in out


def test_the_page_shows_points_and_options(run: Any) -> None:
    _, out, _ = run("rules", "shanghai", "--option", "buy_limit=3", "--option", "blind_bonus=true")
    lines = out.splitlines()
    assert "   5  2 3 4 5 6 7" in lines
    assert "  50  Joker" in lines
    assert "   7  3 runs of 4, the whole hand at once" in lines
    assert lines[lines.index("  buy_limit = 3") + 1].endswith("(house rule buy_limit)")
    assert "  blind_bonus = true" in lines
    _, out, _ = run("rules", "finnish", "--option", "black_twos_wild=true")
    assert "   2  2♦ 2♥" in out.splitlines()
    assert "  25  2♣ 2♠ Joker" in out.splitlines()
    assert "  or, with points=flat: " in run("rules", "carioca")[1]


def test_a_hand_is_scored_by_house_rules(run: Any) -> None:
    assert "9♣ 5 + K♦ 10 + 3♠ 5 = 20" in run("score", "9C KD 3S", "--rules", "go")[1]
    assert "Joker 20 = 20" in run("score", "JK", "--option", "joker_points=20")[1]


@pytest.mark.parametrize(
    ("arguments", "status", "error"),
    [
        (("check", "8C 8D 8X", "--round", "1"), 1, "'8X' is not a card"),
        (("check", "8C 8D 8H // 9C 9D 9H", "--round", "1"), 1, "Melds are written with a / between them"),
        (("check", "8C 8D 8H"), 2, "has a contract for each round: say which with --round"),
        (("check", "8C 8D 8H", "--round", "9"), 1, "has no round 9: its rounds are 1 to 7"),
        (("check", "8C 8D 8H", "--round", "one"), 2, "--round"),
        (("check", "8C 8D 8H", "--round", "1", "--event", "later"), 2, "laydown"),
        (("check", "8C 8D 8H", "--round", "1", "--rules", "whist"), 2, "There are no rules named 'whist'"),
        (("check", "8C 8D 8H", "--round", "1", "--option", "joker_cap"), 2, "write name=value"),
        (("check", "8C 8D 8H", "--round", "1", "--option", "joker_kap=1"), 2, "do you mean joker_cap"),
        (("check",), 2, "MELDS"),
        (("best", "8C 8C 8C", "--round", "1"), 1, "3 × 8♣ cannot be"),
        (("best", "8C ?", "--round", "1"), 1, "could not be read"),
        (("best", "8C", "--round", "1", "--table", "2C 9D"), 1, "cannot lie on the table"),
        (("best", "8C", "--rules", "manipulation"), 1, "has no contracts"),
        (("play", "8C", "--table", "2C 9D 4H"), 1, "cannot lie on the table"),
        (("play", "8C", "--rules", "shanghai"), 1, "cannot be solved"),
        (("rules", "nowhere.toml"), 2, "There is no rule file nowhere.toml"),
        (("judge", "8C"), 2, "8C"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(
    run: Any, arguments: tuple[str, ...], status: int, error: str
) -> None:
    found, line = refused(run, *arguments)
    assert found == status
    assert error in line


def test_the_page_on_the_rules_shows_what_is_printed(run: Any) -> None:
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    session = page.partition("```\n$ meldsight ")[2].partition("\n```")[0]
    for each in session.split("\n$ meldsight "):
        command, _, printed = each.partition("\n")
        assert run(*shlex.split(command))[1].rstrip() == printed


def judged(*lines: bytes) -> list[dict[str, Any]]:
    answers = BytesIO()
    answer_all(BytesIO(b"\n".join(lines)), answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


SCORE = b'{"kind": "score", "rules": "shanghai", "hand": "9C"}'


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"", "This is not JSON"),
        (b"what?", "This is not JSON"),
        (b'{"kind": "score"', "This is not JSON"),
        (b"[1, 2]", "A question is a JSON object"),
        (b"null", "A question is a JSON object"),
        (b'"8C"', "A question is a JSON object"),
        (b"NaN", "A question is a JSON object"),
        (b'{"kind": "fold", "rules": "go"}', "kind is one of meld, contract"),
        (b'{"kind": ["score"], "rules": "go"}', "kind is one of meld, contract"),
        (b'{"kind": "score", "rules": {"a": 1}}', "rules is the name of a rule system"),
        (b'{"kind": "contract", "rules": "go", "round": NaN, "melds": []}', "round is a number from 1, not nan"),
        (b'{"kind": "contract", "rules": "go", "round": 1e999, "melds": []}', "round is a number from 1, not inf"),
        (b'{"kind": "score", "rules": "go", "hand": "\\ud800"}', "is not a card"),
        (b'{"kind": "score", "rules": "\\u0000.toml"}', "There is no rule file"),
        (b'{"kind": "score", "rules": "' + 5000 * b"a" + b'.toml"}', "There is no rule file"),
        (
            b'{"kind": "score", "rules": "go", "options": {"packs": 100000}}',
            "packs expects a whole number from 1 to 20",
        ),
        (b'{"kind": "meld", "rules": "go", "cards": "8C", "round": ' + 9999 * b"9" + b"}", "digits"),
        (b"\xff\xfe", "This is not UTF-8"),
        (100_000 * b"[", "recursion"),
        ((LONGEST_LINE + 1) * b" ", "at most"),
        (3 * LONGEST_LINE * b"x", "at most"),
    ],
    ids=range(21),
)
def test_a_line_that_cannot_be_read_is_answered_and_on_it_goes(line: bytes, error: str) -> None:
    before, found, after = judged(SCORE, line, SCORE)
    assert before == after == {"points": 10, "parts": [["9C", 10]]}
    assert list(found) == ["error"]
    assert error in found["error"]


def test_a_line_of_the_greatest_length_is_read() -> None:
    assert judged(SCORE.ljust(LONGEST_LINE), SCORE)[0]["points"] == 10
    assert judged() == []


def test_all_vectors_through_the_process() -> None:
    """Every question through the real command, in order, good and bad lines mixed."""
    questions = "\n".join(json.dumps(vector["question"]) for vector in VECTORS)
    process = subprocess.run(
        [MELDSIGHT, "judge"],
        input=f"{questions}\nnonsense\n".encode(),
        capture_output=True,
        cwd=ROOT,
        check=True,
    )
    assert process.stderr == b""
    *answers, last = map(json.loads, process.stdout.splitlines())
    assert list(last) == ["error"]
    for vector, found in zip(VECTORS, answers, strict=True):
        assert found == json.loads(json.dumps(answer(vector["question"]))), vector["id"]
        for key, expected in vector["expected"].items():
            assert found[key] == expected, vector["id"]


def test_each_answer_comes_before_the_next_question() -> None:
    with subprocess.Popen([MELDSIGHT, "judge"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin
        assert process.stdout
        for _ in range(3):
            process.stdin.write(SCORE + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["points"] == 10
        process.stdin.close()
        assert process.wait() == 0
