"""The rule systems that a service offers, and each as a page: contracts, values, house rules, sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from api.scoreboard import Contract, contract_of
from engine import rules as engine_rules
from engine.cards import JOKER, KINDS, Rank, Suit
from engine.rules import SETTINGS, Rules

_GROUPS = {
    "min_players": "Table and cards",
    "contracts": "Contracts",
    "set_min": "Sets and runs",
    "wild_ranks": "Wild cards",
    "same_rank_sets": "Contract melds side by side",
    "draw_deep": "Draw and buy",
    "layoff": "Play",
    "points": "Score",
}
"""The setting that each group of a rule file starts with."""
_NO_OPTIONS = frozenset({"name", "title", "about", "scores"})
_OFTEN_WRONG = (
    "joker_cap",
    "joker_cap_after",
    "joker_swap",
    "swap_sets",
    "ace_role",
    "adjoining",
    "same_rank_sets",
    "layoff",
    "new_melds",
    "buy_limit",
    "buy_cards",
    "out_discard",
    "whole_hand_last",
    "tie",
)
"""What players argue about most."""


class NoSuchRulesError(LookupError):
    """A rule system that the service does not offer."""


@dataclass(frozen=True, slots=True)
class RulesLine:
    """A rule system in a list."""

    name: str
    title: str
    about: str
    players: tuple[int, int]
    rounds: int
    contracts: bool
    default: bool


@dataclass(frozen=True, slots=True)
class RoundLine:
    """One round as the rules have it."""

    number: int
    contract: Contract | None
    deal: int


@dataclass(frozen=True, slots=True)
class PointsLine:
    """What some cards cost."""

    cards: str
    points: int


@dataclass(frozen=True, slots=True)
class Option:
    """One house rule."""

    key: str
    meaning: str
    group: str
    expects: str
    kind: str
    """``switch``, ``choice`` (one of the choices), ``number`` (or one of the choices), ``text``."""
    choices: tuple[bool | str, ...]
    value: Any
    source: str
    note: str


@dataclass(frozen=True, slots=True)
class Pitfall:
    """Something that people get wrong."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class RulesPage:
    """A rule system on one page."""

    name: str
    title: str
    about: str
    players: tuple[int, int]
    packs: int
    jokers: int
    rounds: tuple[RoundLine, ...]
    points: tuple[PointsLine, ...]
    options: tuple[Option, ...]
    mistakes: tuple[Pitfall, ...]


class Rulebook:
    """The rule systems that come with the program, and a house-rule file if the service plays by one.

    Args:
        default: name or file of the system that is offered first.

    Raises:
        RulesError: if there is no such system, or its file has a fault.
    """

    def __init__(self, default: str) -> None:
        self.default = engine_rules.load(default)
        is_file = default.endswith(".toml")
        self.default_name = (
            ("house" if self.default.name in engine_rules.names() else self.default.name)
            if (is_file)
            else Path(default).name
        )
        self._own = {self.default_name: self.default} if is_file else {}

    def names(self) -> tuple[str, ...]:
        """Return the names by which games can be started."""
        return (*self._own, *engine_rules.names())

    def get(self, name: str) -> Rules:
        """Return the rules of this name. A path is no name: nobody reads files of this computer through the service.

        Raises:
            NoSuchRulesError: if there are none.
        """
        if name in self._own:
            return self._own[name]
        if name not in engine_rules.names():
            raise NoSuchRulesError(f"There are no rules named {name!r}; the rules are {', '.join(self.names())}.")
        return engine_rules.load(name)

    def with_options(self, name: str, options: Mapping[str, object]) -> Rules:
        """Return the rules of this name with house rules.

        Raises:
            NoSuchRulesError: if there are none.
            RulesError: if an option is unknown, or cannot have its value.
        """
        found = self.get(name)
        return engine_rules.with_options(found, options) if options else found

    def written(self, name: str) -> str:
        """Return what a game writes down for the rules: the name, or the text of a file, which may change later."""
        return engine_rules.dump(self._own[name]) if name in self._own else name

    def lines(self) -> list[RulesLine]:
        """Return every system in a line, the default first."""
        names = sorted(self.names(), key=lambda name: (name != self.default_name, name))
        return [self._line(name, self.get(name)) for name in names]

    def _line(self, name: str, rules: Rules) -> RulesLine:
        return RulesLine(
            name,
            rules.title,
            rules.about,
            (rules.min_players, rules.max_players),
            rules.rounds_played,
            bool(rules.contracts),
            name == self.default_name,
        )


def rules_page(name: str, rules: Rules) -> RulesPage:
    """Return a rule system on one page.

    >>> page = rules_page("shanghai", engine_rules.load("shanghai"))
    >>> [(line.cards, line.points) for line in page.points]
    [('2-7', 5), ('8-K', 10), ('A', 20), ('Joker', 50)]
    """
    options = _options(rules)
    by_key = {option.key: option for option in options}
    return RulesPage(
        name,
        rules.title,
        rules.about,
        (rules.min_players, rules.max_players),
        rules.packs,
        rules.jokers,
        tuple(
            RoundLine(number, contract_of(rules, number), int(rules.in_round(rules.deal, number)))
            for number in range(1, rules.rounds_played + 1)
        ),
        _points(rules),
        options,
        tuple(_pitfall(by_key[key]) for key in _OFTEN_WRONG if rules.contracts),
    )


def _points(rules: Rules) -> tuple[PointsLine, ...]:
    worth = rules.card_points
    order = [*list(Rank)[1:], Rank.ACE]
    costs = {rank: {worth[card] for card in KINDS if card.rank is rank} for rank in order}
    lines = []
    for points, group in groupby(order, key=lambda rank: max(costs[rank])):
        ranks = list(group)
        shown = ranks[0].label if len(ranks) == 1 else f"{ranks[0].label}-{ranks[-1].label}"
        lines.append(PointsLine(shown, points))
    if rules.black_twos_wild:
        red = worth[next(card for card in KINDS if card.rank is Rank.TWO and card.suit is Suit.HEARTS)]
        lines = [PointsLine("red 2", red), PointsLine("black 2", rules.black_two_points), *_without_two(lines)]
    if rules.jokers:
        lines.append(PointsLine("Joker", worth[JOKER]))
    return tuple(lines)


def _without_two(lines: list[PointsLine]) -> list[PointsLine]:
    first = lines[0].cards
    if first == "2":
        return lines[1:]
    rest = first.partition("-")[2]
    return [PointsLine("3" if rest == "3" else f"3-{rest}", lines[0].points), *lines[1:]]


def _options(rules: Rules) -> tuple[Option, ...]:
    sources = dict(rules.sources)
    options = []
    group = ""
    for key, value in rules.settings().items():
        group = _GROUPS.get(key, group)
        if key in _NO_OPTIONS:
            continue
        expects, meaning = SETTINGS[key]
        source, _, note = sources.get(key, "").partition(":")
        options.append(
            Option(key, meaning, group, expects, *_kind(expects), _plain(value), source.strip(), note.strip())
        )
    return tuple(options)


def _kind(expects: str) -> tuple[str, tuple[bool | str, ...]]:
    words = tuple(re.findall(r'"(\w[\w-]*)"', expects))
    if expects == "true or false":
        return "switch", (True, False)
    if expects.startswith("a whole number"):
        return "number", words
    if expects.startswith('"'):
        return "choice", words
    return "text", ()


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        items = [_plain(item) for item in value]
        return items[0] if len(items) == 1 else items
    if value is None:
        return "none"
    return value if isinstance(value, bool | int) else str(value)


def _pitfall(option: Option) -> Pitfall:
    value = {True: "yes", False: "no"}.get(option.value, option.value) if isinstance(option.value, bool) else None
    shown = value or str(option.value).replace("_", " ")
    return Pitfall(f"{option.meaning[0].upper()}{option.meaning[1:]}: {shown}.", option.source)
