"""Rule systems as frozen data: loaded from TOML files, changed by options, printed back.

A file gives every setting of a system, one ``key = value  # source`` a line; the comment behind a value is its
source, and a verdict quotes it. A file that starts with ``extends = "shanghai"`` gives only what differs.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

from engine.cards import JOKER, KINDS, Card, Rank, Suit

RULEBOOK = Path(__file__).parent / "rulebook"
"""The folder of the rule systems that come with the package."""

LARGEST_MELD = 31
"""More cards than any meld has."""

MeldKind = Literal["set", "run"]


class RulesError(ValueError):
    """A rule file or an option that cannot be used; the text names the file, the key and what was expected."""


# What a setting may be ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Accepts:
    """One form of value: ``read`` returns the value to keep, or raises ValueError."""

    expected: str
    read: Callable[[object], Any]


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _whole(least: int, most: int | None = None) -> _Accepts:
    def read(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least or (most and value > most):
            raise ValueError
        return value

    return _Accepts(f"a whole number from {least}" + (f" to {most}" if most else ""), read)


def _one_of(*words: str) -> _Accepts:
    def read(value: object) -> str:
        if value not in words or not isinstance(value, str):
            raise ValueError
        return value

    return _Accepts(" or ".join(f'"{word}"' for word in words), read)


def _first_of(*forms: _Accepts) -> _Accepts:
    def read(value: object) -> Any:
        for form in forms:
            try:
                return form.read(value)
            except ValueError:
                continue
        raise ValueError

    return _Accepts(" or ".join(form.expected for form in forms), read)


def _list_of(form: _Accepts, plural: str) -> _Accepts:
    def read(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise ValueError
        return tuple(form.read(item) for item in value)

    return _Accepts(f"a list of {plural}", read)


def _none(value: object) -> None:
    if value not in ("none", None):
        raise ValueError


_TEXT = _Accepts("a text", _text)
_COUNT = _whole(0)
_SIZE = _whole(1)
_MELD = _whole(1, LARGEST_MELD)
_NONE = _Accepts('"none"', _none)
_COUNTS = _list_of(_COUNT, "whole numbers from 0")


def _by_round(form: _Accepts) -> _Accepts:
    def read(value: object) -> tuple[Any, ...]:
        if isinstance(value, list | tuple):
            if not value:
                raise ValueError
            return tuple(form.read(item) for item in value)
        return (form.read(value),)

    return _Accepts(f"{form.expected}, or a list of such, one for each round", read)


def _read_ranks(value: object) -> tuple[Rank, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError
    return tuple(Rank(item) for item in value)


@dataclass(frozen=True, slots=True)
class Slot:
    """One meld that a contract asks for.

    >>> str(Slot("run", 4))
    'R4'
    """

    kind: MeldKind
    size: int

    def __str__(self) -> str:
        return f"{self.kind[0].upper()}{self.size}"


@dataclass(frozen=True, slots=True)
class Contract:
    """What must be laid down together in one round.

    >>> contract = Contract.parse("S3 S3 R4")
    >>> contract.size, str(contract), contract.words
    (10, 'S3 S3 R4', '2 sets of 3 and 1 run of 4')
    """

    slots: tuple[Slot, ...]
    whole_hand: bool = False
    """Whether the whole hand must go down at once, with no discard."""
    run_wilds: int | str | None = "as usual"
    """Most wild cards in a run of this contract; ``as usual`` when the system's cap holds."""

    @classmethod
    def parse(cls, text: str) -> Contract:
        """Return the contract written as ``S3 R4``, with ``all`` for a whole-hand round, ``wilds=2`` for a cap.

        >>> Contract.parse("R13 all wilds=none").run_wilds is None
        True

        Raises:
            ValueError: if the text is no contract.
        """
        slots: list[Slot] = []
        whole_hand = False
        run_wilds: int | str | None = "as usual"
        for part in text.split():
            if found := re.fullmatch(r"([SR])([1-9]\d?)", part):
                slots.append(Slot("set" if found[1] == "S" else "run", int(found[2])))
            elif part == "all":
                whole_hand = True
            elif found := re.fullmatch(r"wilds=(none|\d)", part):
                run_wilds = None if found[1] == "none" else int(found[1])
            else:
                raise ValueError(f"{part!r} is not a part of a contract such as 'S3 R4 all'.")
        if not slots:
            raise ValueError(f"{text!r} asks for no meld.")
        return cls(tuple(slots), whole_hand, run_wilds)

    def __str__(self) -> str:
        parts = [str(slot) for slot in self.slots]
        if self.whole_hand:
            parts.append("all")
        if self.run_wilds != "as usual":
            parts.append(f"wilds={'none' if self.run_wilds is None else self.run_wilds}")
        return " ".join(parts)

    @property
    def size(self) -> int:
        """The fewest cards that fulfil it."""
        return sum(slot.size for slot in self.slots)

    @property
    def words(self) -> str:
        """The contract as people say it."""
        parts = []
        for slot in dict.fromkeys(self.slots):
            count = self.slots.count(slot)
            parts.append(f"{count} {slot.kind}{'s' if count > 1 else ''} of {slot.size}")
        return " and ".join(parts)


def _read_contract(value: object) -> Contract:
    return Contract.parse(_text(value))


@dataclass(frozen=True, slots=True)
class PointTable:
    """What each card costs.

    >>> table = PointTable.parse("2-7: 5, 8-K: 10, A: 20, JK: 50")
    >>> table.points[Rank.EIGHT], table.joker, str(table)
    (10, 50, '2-7: 5, 8-K: 10, A: 20, JK: 50')
    """

    text: str
    ranks: tuple[int, ...]
    """Points of the thirteen ranks, ace first."""
    joker: int

    @classmethod
    def parse(cls, text: str) -> PointTable:
        """Return the table written as ``ranks: points`` pairs; ``face`` stands for the number on the card.

        >>> PointTable.parse("2-10: face, J-K: 10, A: 15, JK: 25").ranks
        (15, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)

        Raises:
            ValueError: if the text is no table, or leaves a card out.
        """
        order = list(Rank)
        points: dict[Rank | str, int] = {}
        for part in text.split(","):
            found = re.fullmatch(r"\s*(10|[A2-9TJQK]|JK)(?:-(10|[A2-9TJQK]))?\s*:\s*(\d+|face)\s*", part)
            if found is None:
                raise ValueError(f"{part.strip()!r} is not a part of a point table such as '2-7: 5'.")
            if found[1] == "JK":
                points["JK"] = int(found[3])
                continue
            first = order.index(Rank(found[1].replace("10", "T")))
            last = order.index(Rank((found[2] or found[1]).replace("10", "T")))
            for number in range(first, last + 1):
                points[order[number]] = number + 1 if found[3] == "face" else int(found[3])
        missing = [rank.label for rank in order if rank not in points]
        if missing:
            raise ValueError(f"The point table {text!r} leaves out {', '.join(missing)}.")
        return cls(text, tuple(points[rank] for rank in order), points.get("JK", 0))

    @property
    def points(self) -> dict[Rank, int]:
        """Points by rank."""
        return dict(zip(Rank, self.ranks, strict=True))

    def __str__(self) -> str:
        return self.text


def _read_tables(value: object) -> tuple[tuple[str, PointTable], ...]:
    if not isinstance(value, dict):
        raise ValueError
    return tuple((name, PointTable.parse(_text(text))) for name, text in sorted(value.items()))


def _setting(accepts: _Accepts, meaning: str) -> Any:
    return field(metadata={"accepts": accepts, "meaning": meaning})


def _flag(meaning: str) -> Any:
    return _setting(_Accepts("true or false", _read_flag), meaning)


# The rules of one system ------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Everything in which one rule system differs from another. Each field is a key of its file.

    >>> rules = load("shanghai")
    >>> rules.packs, rules.jokers, rules.rounds_played, str(rules.contract(2))
    (2, 4, 7, 'S3 R4')
    """

    name: str = _setting(_TEXT, "short name")
    title: str = _setting(_TEXT, "name as people say it")
    about: str = _setting(_TEXT, "one sentence on the game")

    min_players: int = _setting(_whole(1, 20), "fewest players")
    max_players: int = _setting(_whole(1, 20), "most players")
    direction: str = _setting(_one_of("clockwise", "counter-clockwise"), "way the turn passes round the table")
    packs: int = _setting(_whole(1, 20), "packs of 52 cards (the most, where it depends on the players)")
    packs_by_players: tuple[int, ...] = _setting(_COUNTS, "packs for each number of players, fewest first")
    jokers: int = _setting(_whole(0, 99), "jokers (the most, where it depends on the players)")
    jokers_by_players: tuple[int, ...] = _setting(_COUNTS, "jokers for each number of players, fewest first")
    deal: tuple[int, ...] = _setting(_by_round(_SIZE), "cards dealt to each player")

    contracts: tuple[Contract, ...] = _setting(
        _list_of(_Accepts("contracts such as 'S3 R4'", _read_contract), "contracts such as 'S3 R4 R4'"),
        "contract of each round: S3 is a set of three, R4 a run of four, all the whole hand at once",
    )
    rounds: int = _setting(_COUNT, "rounds in a game (0: as many as wanted)")
    eighth_round: bool = _flag("whether the contract after the last round is played too")
    whole_hand_last: bool = _flag("whether the last round takes the whole hand at once, no discard")
    final_as_usual: bool = _flag("whether no round takes the whole hand at once")
    longer_laydown: bool = _flag("whether melds may be longer than the contract asks when laid down")

    set_min: int = _setting(_MELD, "fewest cards in a set")
    set_max: int | None = _setting(_first_of(_MELD, _NONE), "most cards in a set")
    set_distinct_suits: bool = _flag("whether the suits in a set must differ")
    run_min: int = _setting(_whole(1, 14), "fewest cards in a run")
    max_run: int = _setting(_whole(1, 14), "most cards in a run")
    ace_role: str = _setting(_one_of("high", "low", "both", "wrap"), "where the ace stands in a run")

    wild_ranks: tuple[Rank, ...] = _setting(
        _Accepts('a list of ranks such as ["2"]', _read_ranks), "ranks that are wild besides the jokers"
    )
    black_twos_wild: bool = _flag("whether black twos are wild")
    two_natural: bool = _flag("whether a wild rank may also stand as itself and not count as wild")
    joker_cap: int | str | None = _setting(
        _first_of(_COUNT, _NONE, _one_of("ladder", "not_majority")), "most wild cards in one meld"
    )
    joker_cap_after: int | str | None = _setting(
        _first_of(_COUNT, _NONE, _one_of("same")), "most wild cards in a run once it is added to"
    )
    wilds_adjacent: bool = _flag("whether wild cards may stand next to each other in a run")
    any_run_7plus: bool = _flag("whether any run of seven or more may hold two wild cards")
    declared_only: bool = _flag("whether a wild card's value must be seen from the order of the cards")
    joker_slides: bool = _flag("whether a joker at the end of a run may move to the other end")
    no_jokers_r9: bool = _flag("whether the ninth round's melds must be without jokers")

    same_rank_sets: bool = _flag("whether a contract may hold two sets of one rank")
    adjoining: str = _setting(_one_of("forbid", "allow"), "two contract runs of one suit that follow each other")
    adjoining_final: str = _setting(_one_of("same", "forbid", "allow"), "the same, in the last round")
    min_gap: int = _setting(_COUNT, "cards that must lie between two contract runs of one suit")
    forbid_overlap: bool = _flag("whether two contract runs of one suit may not share a rank")
    ace_bridges: bool = _flag("whether a run up to the king adjoins one that starts with a low ace")

    draw_deep: bool = _flag("whether a card deep in the discard pile may be taken with all above it")
    buy_limit: tuple[int | None, ...] = _setting(
        _by_round(_first_of(_COUNT, _NONE)), "discards one player may buy in a round"
    )
    buy_cards: tuple[int, ...] = _setting(_by_round(_COUNT), "stock cards that come with a bought discard")
    buy_after_down: bool = _flag("whether a player may buy after the own contract")
    buy_consecutive: bool = _flag("whether one player may buy two discards running")
    discard_after_down: bool = _flag("whether discards may be drawn after one's own contract")

    layoff: str = _setting(_one_of("same_turn", "next_turn"), "when laying off starts, after the own contract")
    new_melds: str = _setting(_one_of("no", "kind_of_round"), "new melds after the own contract")
    joker_swap: str = _setting(
        _one_of("replay_same_turn", "to_hand", "never"), "taking a wild card of the table for the real card"
    )
    swap_turn: str = _setting(_one_of("same_turn", "next_turn"), "when swapping starts, after the own contract")
    swap_sets: bool = _flag("whether a wild card may be swapped out of a set")
    shanghai_call: bool = _flag("whether a discard that fits a meld may be called")
    call_card: str = _setting(_one_of("random", "chosen"), "card that a caller takes from the discarder")
    out_discard: str = _setting(_one_of("required", "optional", "forbidden"), "last discard of a player who goes out")
    stock_rebuilds: int | None = _setting(
        _first_of(_COUNT, _NONE), "how often the discards become the stock again before the round ends"
    )
    dead_stock: str = _setting(_one_of("end_round"), "what happens when the stock cannot be rebuilt")

    rearrange: bool = _flag("whether melds on the table may be rearranged (there is no discard pile)")
    min_play: int | str = _setting(
        _first_of(_SIZE, _one_of("two_if_able")), "cards to play from the hand in a turn when rearranging"
    )
    strict_obligation: bool = _flag("whether a player who can play must")

    points: str = _setting(_one_of("table", "flat", "card_points"), "point table in use")
    scores: tuple[tuple[str, PointTable], ...] = _setting(
        _Accepts("point tables such as table = '2-10: face, J-K: 10, A: 15, JK: 25'", _read_tables),
        "the point tables",
    )
    ace_points: int | None = _setting(_first_of(_COUNT, _NONE), "points of an ace, instead of the table's")
    joker_points: int | None = _setting(_first_of(_COUNT, _NONE), "points of a joker, instead of the table's")
    court_points: int | str | None = _setting(
        _first_of(_COUNT, _one_of("11-13"), _NONE), "points of J, Q, K, instead of the table's"
    )
    black_two_points: int = _setting(_COUNT, "points of a black two where black twos are wild")
    blind_bonus: bool = _flag("whether going out in one turn earns 25 points off (50 without a joker)")
    cut_bonus: int = _setting(_whole(-1000), "points for the cutter who lifts exactly the cards to deal")
    cut_counts_upcard: bool = _flag("whether the exact cut counts the up-card too")
    target: int | None = _setting(_first_of(_SIZE, _NONE), "total at which the game ends")
    tie: str = _setting(_one_of("shared", "extra_hand", "rounds_won"), "how equal lowest totals are settled")

    sources: tuple[tuple[str, str], ...] = ()
    """Where each value comes from: pairs of key and source."""

    def __post_init__(self) -> None:
        seats = self.max_players - self.min_players + 1
        if seats < 1:
            raise RulesError(f"max_players must be {self.min_players} or more, not {self.max_players}.")
        for key, most, listed in (
            ("packs", self.packs, self.packs_by_players),
            ("jokers", self.jokers, self.jokers_by_players),
        ):
            if listed and (len(listed) != seats or max(listed) != most):
                raise RulesError(
                    f"{key}_by_players must list {seats} numbers, one for each number of players from "
                    f"{self.min_players} to {self.max_players}, the highest of them {key} = {most}."
                )
        if self.rounds_played > len(self.contracts) > 0:
            raise RulesError(f"{self.rounds_played} rounds need as many contracts; there are {len(self.contracts)}.")
        for contract in self.contracts:
            for slot in contract.slots:
                least = self.set_min if slot.kind == "set" else self.run_min
                most = (self.set_max or LARGEST_MELD) if slot.kind == "set" else self.max_run
                if not least <= slot.size <= most:
                    raise RulesError(
                        f"contracts asks for {slot} in {str(contract)!r}: a {slot.kind} has {least} to {most} cards."
                    )
        if self.points not in dict(self.scores):
            raise RulesError(f"points = {self.points!r} needs a point table of that name in [scores].")

    # Sixty settings are slow to hash, and every look-up of a table made from the rules hashes them.
    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, item.name) for item in fields(self)))

    @cached_property
    def rounds_played(self) -> int:
        """Rounds in a game; 0 where a game goes on until a target is reached."""
        return self.rounds + self.eighth_round

    @cache  # noqa: B019 - rules are few and live as long as the program
    def contract(self, round_number: int) -> Contract:
        """Return the contract of a round (1 is the first), as the options make it.

        >>> load("shanghai").contract(7).whole_hand
        True

        Raises:
            RulesError: if the game has no such round.
        """
        if not 1 <= round_number <= min(self.rounds_played, len(self.contracts)):
            raise RulesError(
                f"{self.title} has no round {round_number}: "
                + (f"its rounds are 1 to {self.rounds_played}." if self.contracts else "it has no contracts.")
            )
        written = self.contracts[round_number - 1]
        last = self.whole_hand_last and round_number == self.rounds_played
        whole_hand = (written.whole_hand or last) and not self.final_as_usual
        run_wilds = 0 if self.no_jokers_r9 and round_number == 9 else written.run_wilds
        return Contract(written.slots, whole_hand, run_wilds)

    def in_round(self, setting: tuple[Any, ...], round_number: int) -> Any:
        """Return a by-round setting's value in one round; the last one listed holds for all later rounds.

        >>> rules = load("shanghai")
        >>> rules.in_round(rules.deal, 3)
        11
        """
        return setting[min(round_number, len(setting)) - 1]

    def pack_for(self, players: int) -> tuple[int, int]:
        """Return the packs and the jokers that so many players use.

        >>> load("shanghai").pack_for(4)
        (2, 4)

        Raises:
            RulesError: if so many cannot play.
        """
        if not self.min_players <= players <= self.max_players:
            raise RulesError(f"{self.title} is for {self.min_players} to {self.max_players} players, not {players}.")
        seat = players - self.min_players
        packs = self.packs_by_players[seat] if self.packs_by_players else self.packs
        jokers = self.jokers_by_players[seat] if self.jokers_by_players else self.jokers
        if players * max(self.deal) >= 52 * packs + jokers:
            raise RulesError(f"{52 * packs + jokers} cards are too few to deal {max(self.deal)} to {players} players.")
        return packs, jokers

    @cached_property
    def card_points(self) -> dict[Card, int]:
        """What each of the 53 kinds of card costs, with the options applied."""
        table = dict(self.scores)[self.points]
        by_rank = table.points
        if self.ace_points is not None:
            by_rank[Rank.ACE] = self.ace_points
        for number, rank in enumerate((Rank.JACK, Rank.QUEEN, Rank.KING), start=11):
            if self.court_points is not None:
                by_rank[rank] = number if isinstance(self.court_points, str) else self.court_points
        points = {card: by_rank[card.rank] for card in KINDS if card.rank is not None}
        points[JOKER] = table.joker if self.joker_points is None else self.joker_points
        if self.black_twos_wild:
            points[Card("2C")] = points[Card("2S")] = self.black_two_points
        return points

    @cached_property
    def fewest_copies(self) -> int:
        """The copies of the kind of card that there are the fewest of."""
        return min(self.packs, self.jokers)

    @cached_property
    def pricing(self) -> tuple[Callable[[Card], tuple[Card, int]], Callable[[Card], int], int]:
        """What scoring looks up, ready at hand: a card with its points, its points, and ``fewest_copies``."""
        parts = {card: (card, points) for card, points in self.card_points.items()}
        return parts.__getitem__, self.card_points.__getitem__, self.fewest_copies

    @cached_property
    def wild_cards(self) -> frozenset[Card]:
        """The kinds of card that are wild: the joker, and others where the rules name them.

        >>> load("shanghai").wild_cards
        frozenset({Card('JK')})
        """
        black = {Card("2C"), Card("2S")} if self.black_twos_wild else set()
        return frozenset({JOKER} | black | {Card(rank + suit) for rank in self.wild_ranks for suit in Suit})

    def settings(self) -> dict[str, Any]:
        """Return every setting with its value.

        >>> load("shanghai").settings()["joker_cap"]
        1
        """
        return {key: getattr(self, key) for key in _ACCEPTS}

    def source(self, *keys: str) -> str:
        """Return where the values of these settings come from, as their file or an option says.

        >>> load("shanghai").source("joker_cap")
        '000 L29, 001 L63'
        """
        return self._source(keys)

    @cache  # noqa: B019
    def _source(self, keys: tuple[str, ...]) -> str:
        by_key = dict(self.sources)
        # What follows a colon in a comment explains the source; it is not part of it.
        cited = [by_key[key].partition(":")[0] for key in keys if key in by_key]
        return ", ".join(dict.fromkeys(tag for source in cited for tag in source.split(", ")))


SETTINGS: dict[str, tuple[str, str]] = {
    item.name: (item.metadata["accepts"].expected, item.metadata["meaning"]) for item in fields(Rules) if item.metadata
}
"""Every setting: what it may be, and what it means."""

_ACCEPTS: dict[str, _Accepts] = {item.name: item.metadata["accepts"] for item in fields(Rules) if item.metadata}


# Files ------------------------------------------------------------------------------------------------------


@cache
def names() -> tuple[str, ...]:
    """Return the names of the rule systems that come with the package.

    >>> "shanghai" in names()
    True
    """
    return tuple(sorted(path.stem for path in RULEBOOK.glob("*.toml")))


def load(name: str | Path) -> Rules:
    """Return the rule system of this name, or of the TOML file at this path.

    >>> load("shanghai").title
    'Shanghai Rummy'

    Raises:
        RulesError: if there is no such system, or its file is not right; the text names file, line and key.
    """
    path = _find(str(name), Path())
    try:
        return _load(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise RulesError(f"{path} cannot be read: {error.strerror}.") from error


@cache
def _load(path: Path, _modified: int) -> Rules:
    values, sources = _read(path, ())
    return _build(values, sources, str(path))


def loads(text: str, where: str = "rules") -> Rules:
    """Return the rules that a text gives in the form of a rule file, such as ``dump`` writes.

    >>> loads(dump(load("go"))) == load("go")
    True

    Args:
        where: what error texts call the place.

    Raises:
        RulesError: if the text is not right; the error names line and key.
    """
    values, sources = _read_text(text, Path(where), ())
    return _build(values, sources, where)


def with_options(rules: Rules, options: Mapping[str, object]) -> Rules:
    """Return the rules with named settings changed, as house rules do.

    >>> with_options(load("shanghai"), {"joker_cap": 2}).joker_cap
    2

    Raises:
        RulesError: if an option is unknown, or its value is not one it may have.
    """
    values = rules.settings()
    sources = dict(rules.sources)
    for key, value in options.items():
        values[key] = _accept(key, value, "option ")
        sources[key] = f"house rule {key}"
    return _build(values, sources, rules.name)


def option_from_text(text: str) -> tuple[str, object]:
    """Return the name and value of an option written ``name=value``, as on a command line.

    >>> option_from_text("buy_limit=3"), option_from_text("deal=10,12"), option_from_text("shanghai_call=false")
    (('buy_limit', 3), ('deal', [10, 12]), ('shanghai_call', False))

    Raises:
        RulesError: if there is no ``=`` in it.
    """
    name, sign, value = text.partition("=")
    if not sign:
        raise RulesError(f"{text!r} is no option: write name=value, such as buy_limit=3.")
    return name.strip(), _value_from_text(value.strip())


def _value_from_text(text: str) -> object:
    if "," in text:
        return [_value_from_text(part.strip()) for part in text.split(",")]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def dump(rules: Rules) -> str:
    """Return the rules as the text of a file that loads to the same rules.

    >>> "joker_cap = 1  # 000 L29, 001 L63" in dump(load("shanghai"))
    True
    """
    sources = dict(rules.sources)
    lines = []
    for key in _ACCEPTS:
        if key != "scores":
            comment = f"  # {sources[key]}" if key in sources else ""
            lines.append(f"{key} = {_toml(getattr(rules, key))}{comment}")
    lines += ["", "[scores]" + (f"  # {sources['scores']}" if "scores" in sources else "")]
    lines += [f"{name} = {_toml(str(table))}" for name, table in rules.scores]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if value is None:
        return '"none"'
    if isinstance(value, bool | int):
        return json.dumps(value)
    return json.dumps(str(value), ensure_ascii=False)


def _find(name: str, folder: Path) -> Path:
    if not name.endswith(".toml"):
        if name not in names():
            known = ", ".join(names())
            raise RulesError(f"There are no rules named {name!r}; the rules are {known}, or a .toml file.")
        return RULEBOOK / f"{name}.toml"
    path = folder / name
    try:
        found = path.is_file()
    except OSError:  # no name that a file could have
        found = False
    if not found:
        raise RulesError(f"There is no rule file {name}.")
    return path


def _read(path: Path, extended_by: tuple[Path, ...]) -> tuple[dict[str, Any], dict[str, str]]:
    """Values and sources by key: those of the file over those of the one it extends."""
    if path in extended_by:
        raise RulesError(f"{path}: these rules extend themselves.")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RulesError(f"{path}: this is not a text file: {error}.") from error
    return _read_text(text, path, extended_by)


def _read_text(text: str, path: Path, extended_by: tuple[Path, ...]) -> tuple[dict[str, Any], dict[str, str]]:
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesError(f"{path}: this is not TOML: {error}.") from error
    lines = _lines(text)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    if "extends" in given:
        base = given.pop("extends")
        if not isinstance(base, str):
            raise RulesError(f"{path}, line {lines['extends'][0]}: extends expects the name of a rule system.")
        values, sources = _read(_find(base, path.parent), (*extended_by, path))
    for key, value in given.items():
        line, source = lines.get(key, (1, ""))
        accepted = _accept(key, value, f"{path}, line {line}: ")
        values[key] = tuple(sorted(dict([*values.get(key, ()), *accepted]).items())) if key == "scores" else accepted
        if source or key in sources:
            sources[key] = source or path.name
    return values, sources


def _lines(text: str) -> dict[str, tuple[int, str]]:
    """The line number and the comment of each key's line."""
    found: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if match := re.match(r"""\s*\[?([A-Za-z0-9_-]+)\s*[=\]](?:[^#"']|"[^"]*"|'[^']*')*(?:#\s*(.*?)\s*)?$""", line):
            found.setdefault(match[1], (number, match[2] or ""))
    return found


def _accept(key: str, value: object, where: str) -> Any:
    if key not in _ACCEPTS:
        near = get_close_matches(key, _ACCEPTS, n=3)
        hint = f"do you mean {' or '.join(near)}?" if near else f"the settings are {', '.join(_ACCEPTS)}."
        raise RulesError(f"{where}{key} is not a setting: {hint}")
    accepts = _ACCEPTS[key]
    try:
        return accepts.read(value)
    except ValueError as error:
        detail = f" {error}" if str(error) and isinstance(value, str | list | dict) else ""
        raise RulesError(f"{where}{key} expects {accepts.expected}, not {value!r}.{detail}") from error


def _build(values: dict[str, Any], sources: dict[str, str], where: str) -> Rules:
    missing = [key for key in _ACCEPTS if key not in values]
    if missing:
        key = missing[0]
        raise RulesError(
            f"{where}: {', '.join(missing)} missing; {key} expects {_ACCEPTS[key].expected}. "
            'Start the file with extends = "shanghai", or another system, to take over what it does not say.'
        )
    ordered = tuple((key, sources[key]) for key in _ACCEPTS if key in sources)
    try:
        return Rules(**values, sources=ordered)
    except RulesError as error:
        raise RulesError(f"{where}: {error}") from error
