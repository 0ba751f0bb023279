"""Questions and answers as JSON objects: what ``meldsight judge`` reads and writes, a line each.

Every question has ``kind`` and ``rules`` (a rulebook name or a file), perhaps ``options``, and where it matters
``round``. docs/rules.md lists the kinds with what they ask and answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, get_args

from engine.cards import Card, parse_cards, print_cards
from engine.contracts import Event, judge, split
from engine.faults import Fault
from engine.laydown import LayDown
from engine.melds import Reading, judge_meld, table_faults
from engine.plays import Down, LaidMeld, PlayVerdict, call, lay_off, swap
from engine.rearrange import most_played
from engine.rules import Rules, load, with_options
from engine.scoring import penalty
from engine.solver import Missing, best

Answer = dict[str, Any]


class QuestionError(ValueError):
    """A question that says too little, or something that cannot be."""


def answer_line(line: str) -> str:
    """Return the answer to a question written as one line of JSON; of a line it cannot read, what is wrong.

    >>> answer_line('{"kind": "score", "rules": "shanghai", "hand": "9C KD 3S"}')
    '{"points": 25, "parts": [["9C", 10], ["KD", 10], ["3S", 5]]}'
    >>> answer_line("what?")
    '{"error": "This is not JSON: Expecting value: line 1 column 1 (char 0)."}'
    """
    try:
        question = json.loads(line)
        if not isinstance(question, dict):
            raise QuestionError("A question is a JSON object with the keys kind and rules.")
        return json.dumps(answer(question), ensure_ascii=False)
    except json.JSONDecodeError as error:
        return json.dumps({"error": f"This is not JSON: {error}."})
    except (ValueError, RecursionError) as error:
        return json.dumps({"error": str(error)}, ensure_ascii=False)


def answer(question: Mapping[str, Any]) -> Answer:
    """Return the answer to one question.

    >>> answer({"kind": "meld", "rules": "shanghai", "cards": "8C 8D JK"})["readings"]
    [{'kind': 'set', 'rank': '8', 'wilds': ['8']}]

    Raises:
        ValueError: if the question cannot be answered, with a sentence that says why.
    """
    kind = question.get("kind")
    if not isinstance(kind, str) or kind not in _ANSWERS:
        raise QuestionError(f"kind is one of {', '.join(_ANSWERS)}, not {kind!r}.")
    name = question.get("rules")
    if not isinstance(name, str):
        raise QuestionError(f"rules is the name of a rule system or a file, not {name!r}.")
    options = question.get("options") or {}
    if not isinstance(options, dict):
        raise QuestionError(f"options is an object of names and values, not {options!r}.")
    rules = load(name)
    if options:
        rules = _with_options(rules, json.dumps(options, sort_keys=True))
    return _ANSWERS[kind](question, rules)


@lru_cache(maxsize=256)
def _with_options(rules: Rules, options: str) -> Rules:
    return with_options(rules, json.loads(options))


# What a question says -----------------------------------------------------------------------------------------


def _cards(question: Mapping[str, Any], key: str, default: str | None = None) -> tuple[Card, ...]:
    return _parsed(question.get(key, default), key)


def _parsed(value: object, key: str) -> tuple[Card, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = " ".join(value)
    if not isinstance(value, str):
        raise QuestionError(f'{key} is a text of cards such as "8C 8D JK", not {value!r}.')
    return parse_cards(value)


def _card(question: Mapping[str, Any], key: str) -> Card:
    cards = _cards(question, key)
    if len(cards) != 1:
        raise QuestionError(f"{key} is one card, not {len(cards)}.")
    return cards[0]


def _melds(question: Mapping[str, Any], key: str, default: object = None) -> list[tuple[Card, ...]]:
    melds = question.get(key, default)
    if not isinstance(melds, list):
        raise QuestionError(f'{key} is a list of melds such as ["8C 8D 8H"], not {melds!r}.')
    return [_parsed(meld, key) for meld in melds]


def _round(question: Mapping[str, Any]) -> int:
    number = _maybe_round(question)
    if number is None:
        raise QuestionError("round is missing: the number of the round, from 1.")
    return number


def _maybe_round(question: Mapping[str, Any]) -> int | None:
    number = question.get("round")
    if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
        raise QuestionError(f"round is a number from 1, not {number!r}.")
    return number


def _word(question: Mapping[str, Any], key: str, words: Sequence[str], default: str | None = None) -> Any:
    word = question.get(key, default)
    if word not in words:
        raise QuestionError(f"{key} is one of {', '.join(words)}, not {word!r}.")
    return word


# What an answer says ------------------------------------------------------------------------------------------


def fault_json(fault: Fault) -> Answer:
    """Return a fault as answers write it.

    >>> from engine.faults import FaultKind
    >>> fault_json(Fault(FaultKind.GAP, (Card("5H"),), "000 L13", "6♥ is missing."))["code"]
    'gap'
    """
    return {
        "code": fault.kind.value,
        "cards": [card.code for card in fault.cards],
        "source": fault.source,
        "text": fault.text,
    }


def reading_json(reading: Reading) -> Answer:
    """Return a reading as answers write it.

    >>> from engine.cards import Suit
    >>> reading_json(Reading("run", Suit.HEARTS, 5, 4, (Card("8H"),)))
    {'kind': 'run', 'suit': 'H', 'low': '5', 'high': '8', 'wilds': ['8H']}
    """
    wilds = [str(value) for value in reading.wilds]
    if reading.kind == "set":
        return {"kind": "set", "rank": str(reading.of), "wilds": wilds}
    return {
        "kind": "run",
        "suit": str(reading.of),
        "low": str(reading.low),
        "high": str(reading.high),
        "wilds": wilds,
    }


def _verdict(legal: bool, faults: Iterable[Fault]) -> Answer:
    return {"legal": legal, "faults": [fault_json(fault) for fault in faults]}


def _play(verdict: PlayVerdict) -> Answer:
    return _verdict(verdict.legal, verdict.faults)


def _missing(missing: Missing) -> Answer:
    return {
        "missing": missing.count,
        "missing_cards": [card.code for card in missing.cards],
        "text": missing.text,
    }


# The kinds ----------------------------------------------------------------------------------------------------


def _answer_meld(question: Mapping[str, Any], rules: Rules) -> Answer:
    verdict = judge_meld(_cards(question, "cards"), rules, _maybe_round(question))
    return {
        **_verdict(verdict.legal, verdict.faults),
        "readings": [reading_json(reading) for reading in verdict.readings],
    }


def _answer_contract(question: Mapping[str, Any], rules: Rules) -> Answer:
    event = _word(question, "event", get_args(Event), "laydown")
    verdict = judge(rules, _round(question), _melds(question, "melds"), _cards(question, "kept", ""), event)
    return {
        **_verdict(verdict.legal, verdict.faults),
        "readings": [[reading_json(reading) for reading in way] for way in verdict.readings],
        "warnings": list(verdict.warnings),
    }


def _answer_layoff(question: Mapping[str, Any], rules: Rules) -> Answer:
    meld = LaidMeld.of(_cards(question, "meld"), rules, _maybe_round(question))
    verdict = lay_off(meld, _card(question, "card"))
    readings = verdict.meld.readings if verdict.meld else ()
    return {**_play(verdict), "readings": [reading_json(reading) for reading in readings]}


def _answer_score(question: Mapping[str, Any], rules: Rules) -> Answer:
    found = penalty(_cards(question, "hand"), rules)
    return {"points": found.points, "parts": [[card.code, points] for card, points in found.parts]}


def _answer_split(question: Mapping[str, Any], rules: Rules) -> Answer:
    found = split(_cards(question, "cards"), rules, _round(question))
    if isinstance(found, Missing):
        return _missing(found)
    return {"melds": [print_cards(meld) for meld in found.melds], "left": print_cards(found.left)}


def _answer_swap(question: Mapping[str, Any], rules: Rules) -> Answer:
    number = _maybe_round(question)
    meld = LaidMeld.of(_cards(question, "meld"), rules, number)
    others = [LaidMeld.of(cards, rules, number) for cards in _melds(question, "others", [])]
    return _play(swap(meld, _card(question, "card"), _word(question, "down", get_args(Down)), others))


def _answer_call(question: Mapping[str, Any], rules: Rules) -> Answer:
    protected = question.get("protected", False)
    if not isinstance(protected, bool):
        raise QuestionError(f"protected is true or false, not {protected!r}.")
    meld = LaidMeld.of(_cards(question, "meld"), rules, _maybe_round(question))
    return _play(call(meld, _card(question, "card"), protected))


def _answer_table(question: Mapping[str, Any], rules: Rules) -> Answer:
    faults = table_faults(_melds(question, "melds"), rules)
    return _verdict(not faults, faults)


def _answer_best(question: Mapping[str, Any], rules: Rules) -> Answer:
    table = _melds(question, "table", [])
    found = best(_cards(question, "hand"), rules, _round(question), table)
    if isinstance(found, Missing):
        return {"legal": False, **_missing(found)}
    return {"legal": True, **_laydown(found, table)}


def _laydown(found: LayDown, table: Sequence[tuple[Card, ...]]) -> Answer:
    return {
        "melds": [print_cards(meld) for meld in found.melds],
        "layoffs": [
            {
                "card": layoff.card.code,
                "meld": print_cards((found.melds if layoff.own else table)[layoff.meld]),
                "own": layoff.own,
            }
            for layoff in found.layoffs
        ],
        "discard": found.discard.code if found.discard else None,
        "left": print_cards(found.left),
        "points": found.points,
    }


def _answer_play(question: Mapping[str, Any], rules: Rules) -> Answer:
    play = most_played(_cards(question, "hand"), _melds(question, "table"), rules, _cards(question, "must", ""))
    if play is None:
        return {"played": None, "text": "Not all of these cards can be played."}
    return {
        "played": print_cards(play.played),
        "table": [print_cards(meld) for meld in play.table],
        "left": print_cards(play.left),
        "moved": play.moved,
    }


_ANSWERS: dict[str, Callable[[Mapping[str, Any], Rules], Answer]] = {
    "meld": _answer_meld,
    "contract": _answer_contract,
    "layoff": _answer_layoff,
    "score": _answer_score,
    "split": _answer_split,
    "swap": _answer_swap,
    "call": _answer_call,
    "table": _answer_table,
    "best": _answer_best,
    "play": _answer_play,
}
KINDS_OF_QUESTION = tuple(_ANSWERS)
"""What can be asked."""
