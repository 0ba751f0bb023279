"""Commands that ask the rules and no photo: check, best, play, rules, judge."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from api.errors import InputError, UsageError
from engine import rules as rulebook
from engine.cards import JOKER, KINDS, Card, Rank, Suit, UnreadableError, parse_cards
from engine.contracts import Event, judge
from engine.faults import Fault, labels
from engine.judge import answer_line
from engine.melds import Reading, TableError, judge_meld, table_faults
from engine.missing import Missing
from engine.rules import SETTINGS, Rules, RulesError, option_from_text, with_options
from engine.scoring import ContradictionError, penalty
from engine.solver import LayDown, best, most_played

LONGEST_LINE = 1 << 20
"""Bytes in a line that ``judge`` reads: more is no question."""
MOST_WAYS = 4
"""Ways to read melds that ``check`` shows."""

CardsArgument = Annotated[list[str], typer.Argument(metavar="CARDS", help='Cards such as "9C KD 3S JK".')]
MeldsArgument = Annotated[
    list[str], typer.Argument(metavar="MELDS", help='Melds with a / between them: "8C 8C 8D / 5S 6S 7S 8S".')
]
RulesOption = Annotated[str, typer.Option("--rules", metavar="NAME_OR_FILE", help="Rule system, or a house-rule file.")]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="A house rule, such as buy_limit=3; may be repeated."),
]
RoundOption = Annotated[int | None, typer.Option("--round", metavar="NUMBER", help="Round, from 1.")]
TableOption = Annotated[
    str, typer.Option("--table", metavar="MELDS", help="Melds on the table, with a / between them.")
]


def rules_in_play(name: str, options: Iterable[str] | None = None) -> Rules:
    """Return the rules that a command asks for.

    >>> rules_in_play("shanghai", ["buy_limit=3"]).buy_limit
    (3,)

    Raises:
        UsageError: if there are no such rules or options.
        InputError: if a rule file is not right.
    """
    try:
        rules = rulebook.load(name)
    except RulesError as error:
        raise (InputError if Path(name).is_file() else UsageError)(str(error)) from error
    try:
        return with_options(rules, dict(map(option_from_text, options))) if options else rules
    except RulesError as error:
        raise UsageError(str(error)) from error


def check(
    melds: MeldsArgument,
    round_number: RoundOption = None,
    kept: Annotated[str, typer.Option(metavar="CARDS", help="Cards that stay in the hand, where known.")] = "",
    event: Annotated[
        Event, typer.Option(help="Melds as they go down, or as they lie after the turn, perhaps added to.")
    ] = "laydown",
    rules: RulesOption = "shanghai",
    options: OptionsOption = None,
) -> None:
    """Judge melds: whether they fulfil the contract of a round, or all that is wrong. Exit status 1 if anything is.

    Examples:

        meldsight check "8C 8C 8D / 5S 6S 7S 8S" --round 2

        meldsight check "8C 8D 8H / 5H 6H 7H" --rules manipulation
    """
    played = rules_in_play(rules, options)
    with _refusals():
        laid = _melds(" ".join(melds))
        number = _round(played, round_number)
        if number is None:
            faults = table_faults(laid, played)
            lines = _verdict_lines(laid, _each_by_itself(laid, played), faults)
        else:
            verdict = judge(played, number, laid, parse_cards(kept), event)
            faults = verdict.faults
            lines = [*_verdict_lines(laid, verdict.readings, faults), *verdict.warnings]
    _print(_heading(played, number), *lines)
    if faults:
        raise typer.Exit(1)


def best_lay_down(
    cards: CardsArgument,
    round_number: RoundOption = None,
    table: TableOption = "",
    rules: RulesOption = "shanghai",
    options: OptionsOption = None,
) -> None:
    """Find the lay-down that leaves the fewest points, after drawing; or say what is missing.

    Example: meldsight best "5H 6H 7H 8H 9H JH QH KH AH 2S 4C 9D" --round 3
    """
    played = rules_in_play(rules, options)
    with _refusals():
        number = _round(played, round_number)
        if number is None:
            raise InputError(f"{played.title} has no contracts: ask meldsight play what can be played.")
        on_table = _melds(table) if table else []
        found = best(parse_cards(" ".join(cards)), played, number, on_table)
        lines = [found.text] if isinstance(found, Missing) else _lay_down_lines(found, on_table, played)
    _print(_heading(played, number), *lines)


def play(
    cards: CardsArgument,
    table: TableOption = "",
    must: Annotated[str, typer.Option(metavar="CARDS", help="Cards of the hand that must be among those.")] = "",
    rules: RulesOption = "manipulation",
    options: OptionsOption = None,
) -> None:
    """Find the most cards that can be played by rearranging the table, moving as few melds as that takes.

    Example: meldsight play "6H 7H 4C" --table "5H 6H 7H 8H" --rules manipulation
    """
    played = rules_in_play(rules, options)
    with _refusals():
        found = most_played(parse_cards(" ".join(cards)), _melds(table) if table else [], played, parse_cards(must))
    if found is None:
        lines = [f"{labels(parse_cards(must))} cannot be played."]
    elif not found.played:
        lines = ["No card can be played."]
    else:
        lines = [
            *_entries("Play", [labels(found.played)]),
            *_entries("Table", [labels(meld) for meld in found.table]),
            *_entries("Left", [labels(found.left) or "nothing: out"]),
            *_entries("Moved", [f"{found.moved} meld{'' if found.moved == 1 else 's'} of the table"]),
        ]
    _print(_heading(played), *lines)


def rules_page(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Rule system, or a house-rule file.")] = None,
    options: OptionsOption = None,
) -> None:
    """List the rule systems, or print one as a page: its contracts, points and house rules with their sources.

    Examples:

        meldsight rules

        meldsight rules shanghai
    """
    if name is None:
        systems = [rulebook.load(each) for each in rulebook.names()]
        _print(*[line for each in systems for line in (f"{each.name:<14}{each.title}", f"{'':<14}{each.about}")])
    else:
        _print(*_page(rules_in_play(name, options)))


def judge_lines() -> None:
    """Answer questions in JSON, one a line on standard input: one answer a line, in order. See docs/rules.md.

    Example: echo '{"kind": "score", "rules": "go", "hand": "9C KD 3S"}' | meldsight judge
    """
    answer_all(sys.stdin.buffer, sys.stdout.buffer)


def answer_all(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer every line of JSON with one, at once, so that who asks may wait for it.

    >>> from io import BytesIO
    >>> answers = BytesIO()
    >>> answer_all(BytesIO(b'{"kind": "score", "rules": "go", "hand": "9C"}'), answers)
    >>> answers.getvalue()
    b'{"points": 5, "parts": [["9C", 5]]}\\n'
    """
    for line in _lines(questions):
        # A lone half of a surrogate pair in a question may turn up in the answer, where JSON escapes it.
        answers.write(_answer(line).encode("utf-8", "backslashreplace") + b"\n")
        answers.flush()


def _lines(questions: IO[bytes]) -> Iterator[bytes]:
    """The lines, each cut off where it is too long to be a question."""
    while line := questions.readline(LONGEST_LINE + 1):
        yield line
        while _is_cut(line):
            line = questions.readline(LONGEST_LINE + 1)


def _is_cut(line: bytes) -> bool:
    return len(line) > LONGEST_LINE and not line.endswith(b"\n")


def _answer(line: bytes) -> str:
    if _is_cut(line):
        return json.dumps({"error": f"A question is a line of {LONGEST_LINE} bytes at most."})
    try:
        return answer_line(line.decode())
    except UnicodeDecodeError as error:
        return json.dumps({"error": f"This is not UTF-8: {error}."})


COMMANDS: dict[str, Callable[..., None]] = {
    "check": check,
    "best": best_lay_down,
    "play": play,
    "rules": rules_page,
    "judge": judge_lines,
}
"""The commands by name."""


# What is asked ------------------------------------------------------------------------------------------------


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what the engine refuses into an error of the command line."""
    try:
        yield
    except (UnreadableError, ContradictionError, TableError, RulesError) as error:
        raise InputError(str(error)) from error


def _melds(text: str) -> list[tuple[Card, ...]]:
    melds = [parse_cards(part) for part in text.split("/")]
    if not all(melds):
        raise InputError('Melds are written with a / between them, such as "8C 8C 8D / 5S 6S 7S 8S".')
    return melds


def _round(rules: Rules, number: int | None) -> int | None:
    """The round asked about, which a game has that has contracts."""
    if number is None and rules.contracts:
        raise UsageError(f"{rules.title} has a contract for each round: say which with --round.")
    if number is not None:
        rules.contract(number)
    return number


# What is said -------------------------------------------------------------------------------------------------


def _print(*lines: str) -> None:
    print("\n".join(lines))


def _heading(rules: Rules, number: int | None = None) -> str:
    return rules.title if number is None else f"{rules.title}, round {number}: {rules.contract(number).words}"


def _entries(name: str, entries: Sequence[str]) -> list[str]:
    """A name with what belongs to it, an entry a line.

    >>> _entries("Play", ["6♥", "7♥"])
    ['  Play       6♥', '             7♥']
    """
    return [f"  {name if not number else '':<9}  {entry}" for number, entry in enumerate(entries)]


def _verdict_lines(
    melds: Sequence[tuple[Card, ...]], ways: Sequence[Sequence[Reading]], faults: Sequence[Fault]
) -> list[str]:
    shown = [labels(meld) for meld in melds]
    if faults:
        return [*(f"  {each}" for each in shown), "Not allowed:", *(f"  - {fault}" for fault in faults)]
    wide = max(map(len, shown))
    blocks = [[f"  {each:<{wide}}  {reading}" for each, reading in zip(shown, way, strict=True)] for way in ways]
    lines = blocks[0]
    for block in blocks[1:MOST_WAYS]:
        lines += ["or", *block]
    if len(blocks) > MOST_WAYS:
        lines.append(f"or in {len(blocks) - MOST_WAYS} more ways")
    return [*lines, "Allowed."]


def _each_by_itself(melds: Sequence[tuple[Card, ...]], rules: Rules) -> list[list[Reading]]:
    """One way to read melds that belong to no contract; none where one of them cannot be read."""
    found = [judge_meld(meld, rules, stage="new").readings for meld in melds]
    return [[each[0] for each in found]] if all(found) else []


def _lay_down_lines(found: LayDown, table: Sequence[tuple[Card, ...]], rules: Rules) -> list[str]:
    wide = max(len(labels(meld)) for meld in found.melds)
    melds = [f"{labels(meld):<{wide}}  {reading}" for meld, reading in zip(found.melds, found.readings, strict=True)]
    layoffs = [
        f"{layoff.card.label} to {labels((found.melds if layoff.own else table)[layoff.meld])}"
        for layoff in found.layoffs
    ]
    return [
        *_entries("Lay down", melds),
        *_entries("Lay off", layoffs),
        *_entries("Discard", [found.discard.label] if found.discard else []),
        *_entries("Left", [str(penalty(found.left, rules)) if found.left else "nothing: out"]),
    ]


def _page(rules: Rules) -> list[str]:
    lines = [f"{rules.title} ({rules.name})", rules.about, ""]
    if rules.contracts:
        lines.append("Contracts")
        for number in range(1, rules.rounds_played + 1):
            contract = rules.contract(number)
            whole = ", the whole hand at once" if contract.whole_hand else ""
            lines.append(f"  {number:>2}  {contract.words}{whole}")
        lines.append("")
    lines += ["Points", *(f"  {points:>2}  {cards}" for points, cards in _points(rules))]
    lines += [f"  or, with points={name}: {table}" for name, table in rules.scores if name != rules.points]
    lines += ["", "House rules to change with --option, and where their values come from"]
    sources = dict(rules.sources)
    for key, (_, meaning) in SETTINGS.items():
        if key in sources and key not in ("contracts", "scores"):
            lines += [f"  {key} = {_shown(getattr(rules, key))}", f"      {meaning} ({sources[key]})"]
    return lines


def _points(rules: Rules) -> list[tuple[int, str]]:
    """What the kinds of card cost, the cheapest first."""
    worth = rules.card_points
    by_points: dict[int, list[str]] = {}
    for number, rank in enumerate(Rank):
        every = [KINDS[13 * suit + number] for suit in range(len(Suit))]
        alike = len({worth[card] for card in every}) == 1
        for card in every[:1] if alike else every:
            by_points.setdefault(worth[card], []).append(rank.label if alike else card.label)
    if rules.jokers:
        by_points.setdefault(worth[JOKER], []).append(JOKER.label)
    return sorted((points, " ".join(cards)) for points, cards in by_points.items())


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(_shown(each) for each in value) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)
