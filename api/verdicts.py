"""The judge's verdict on laid melds, with words for people: each group named, each joker with what it must be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from api.scoreboard import Contract, contract_of
from engine.cards import Card, print_cards
from engine.contracts import Event, judge, split
from engine.faults import Fault, counted
from engine.judge import fault_json, reading_json
from engine.melds import Reading, copy_faults, judge_meld
from engine.missing import Missing
from engine.rules import Rules

Stage = Literal["laydown", "added", "new"]


@dataclass(frozen=True, slots=True)
class Joker:
    """A wild card of a group, and the card that it must be; none where it may be several."""

    card: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """One group of cards on the table."""

    cards: str
    name: str
    """What to write beside its outline."""
    reading: dict[str, Any] | None
    jokers: tuple[Joker, ...]
    faults: tuple[dict[str, Any], ...]
    """Why it is no meld by itself."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether the melds are legal, and every reason."""

    legal: bool
    text: str
    contract: Contract | None
    groups: tuple[Group, ...]
    faults: tuple[dict[str, Any], ...]
    readings: tuple[tuple[dict[str, Any], ...], ...]
    warnings: tuple[str, ...]


def check(
    rules: Rules, round_number: int, melds: Sequence[Sequence[Card]], kept: Sequence[Card], event: Event
) -> Checked:
    """Return the verdict on melds: by the round's contract, or each as a meld where there are no contracts.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> found = check(load("shanghai"), 1, [parse_cards("8C 8D JK"), parse_cards("KC KD KS")], [], "laydown")
    >>> found.legal, found.groups[0].name, found.groups[0].jokers[0].value
    (True, 'set of 8, joker = 8', '8')

    Raises:
        RulesError: if the game has no such round.
    """
    if not rules.contracts:
        return _check_table(rules, melds)
    number = min(round_number, rules.rounds_played) if rules.tie == "extra_hand" else round_number
    verdict = judge(rules, number, melds, kept, event)
    stage: Stage = "laydown" if event == "laydown" else "added"
    groups = []
    for place, meld in enumerate(verdict.melds):
        alone = judge_meld(meld, rules, number, stage)
        found = tuple(dict.fromkeys(way[place] for way in verdict.readings)) or alone.readings
        groups.append(_group(meld, found, alone.faults, rules))
    return Checked(
        verdict.legal,
        str(verdict),
        contract_of(rules, number),
        tuple(groups),
        tuple(fault_json(each) for each in verdict.faults),
        tuple(tuple(reading_json(reading) for reading in way) for way in verdict.readings),
        verdict.warnings,
    )


def check_heap(rules: Rules, round_number: int, cards: Sequence[Card], event: Event) -> Checked:
    """Return the verdict on a heap of cards, sorted into the contract's melds as far as that can be done.

    Raises:
        RulesError: if the game has no such round.
    """
    found = split(cards, rules, round_number)
    if isinstance(found, Missing):
        return Checked(False, found.text, contract_of(rules, round_number), (), (), (), ())
    return check(rules, round_number, found.melds, found.left, event)


def _check_table(rules: Rules, melds: Sequence[Sequence[Card]]) -> Checked:
    faults: list[Fault] = [*copy_faults([card for meld in melds for card in meld], rules)]
    groups = []
    for meld in melds:
        alone = judge_meld(meld, rules, stage="new")
        faults += [each for each in alone.faults if each not in faults]
        groups.append(_group(tuple(meld), alone.readings, alone.faults, rules))
    if faults:
        text = "Not allowed. " + " ".join(map(str, faults))
    else:
        text = f"Allowed: {counted(len(melds), 'meld')}, each as it should be."
    readings = (tuple(group.reading for group in groups if group.reading),) if not faults else ()
    return Checked(not faults, text, None, tuple(groups), tuple(fault_json(each) for each in faults), readings, ())


def _group(meld: tuple[Card, ...], found: tuple[Reading, ...], faults: tuple[Fault, ...], rules: Rules) -> Group:
    written = print_cards(meld)
    if not found:
        return Group(written, "no meld", None, (), tuple(fault_json(each) for each in faults))
    wild = [card for card in meld if card in rules.wild_cards]
    jokers = []
    for place, card in enumerate(wild[: len(found[0].wilds)]):
        values = {reading.wilds[place] for reading in found if len(reading.wilds) > place}
        jokers.append(Joker(card.code, str(values.pop()) if len(values) == 1 else None))
    return Group(written, _name(found[0], jokers), reading_json(found[0]), tuple(jokers), ())


def _name(reading: Reading, jokers: Sequence[Joker]) -> str:
    plain = str(reading).partition(" (wild")[0]
    shown = plain if reading.kind == "set" else f"run {plain}"
    for joker, value in zip(jokers, reading.wilds, strict=False):
        what = "joker" if joker.card == "JK" else Card(joker.card).label
        shown += f", {what} = {value.label if joker.value else 'open'}"
    return shown
