"""Speed of the rules engine: ``python -m benchmarks.engine [--quick]``.

Every input is new to the process: groups, hands and tables are drawn before the clock starts, none of them twice, and
no figure repeats an input. Tables that depend on the rules alone are built by other inputs before. Times are processor
time of this process; its garbage collector is told to leave the inputs alone. Where rummikub-solver is installed, its
integer program solves the same positions in the same run.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from benchmarks.positions import Table, most_by_integer_program, table_and_hand
from engine.cards import JOKER, KINDS, Card, deck
from engine.contracts import judge
from engine.laydown import LayDown
from engine.melds import judge_meld, law
from engine.rearrange import most_played
from engine.rules import Rules, load
from engine.scoring import penalty
from engine.solver import best

SEED = 20
Input = TypeVar("Input")


def processor() -> str:
    """Return the name of the processor, as Linux knows it, else as Python does."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            return next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def distinct(draw: Callable[[], Input], count: int) -> list[Input]:
    """Return so many inputs, none of them twice."""
    found: dict[Any, Input] = {}
    while len(found) < count:
        each = draw()
        found.setdefault(repr(each), each)
    return list(found.values())


def settle() -> None:
    """Keep the garbage collector from going through all the inputs again and again while the clock runs."""
    gc.collect()
    gc.freeze()


def rate(work: Callable[[Input], Any], inputs: Sequence[Input]) -> float:
    """Return how many inputs a second are worked on, in one go over all of them."""
    settle()
    start = time.process_time()
    for each in inputs:
        work(each)
    return len(inputs) / (time.process_time() - start)


def times(work: Callable[[Input], Any], inputs: Iterable[Input]) -> tuple[list[float], list[Any]]:
    """Return the milliseconds that each input takes, and what comes of it."""
    spans, results = [], []
    settle()
    for each in inputs:
        start = time.process_time()
        results.append(work(each))
        spans.append(1000 * (time.process_time() - start))
    return spans, results


def show(what: str, spans: Sequence[float], target: str, note: str = "") -> None:
    """Print count, mean, median and worst of some times."""
    print(
        f"{what:<44} {len(spans):>7} | mean {statistics.mean(spans):8.3f}  median {statistics.median(spans):8.3f}  "
        f"worst {max(spans):8.3f} ms | wanted {target}{note}"
    )


def meld_like(rng: random.Random) -> tuple[Card, ...]:
    """Three to seven cards: a run, a set or neither, about two thirds of them legal."""
    kind = rng.random()
    if kind < 0.15:
        return tuple(rng.sample(deck(2, 4), rng.choice((3, 4))))
    if kind < 0.6:
        start, size = rng.randrange(10), rng.choice((4, 4, 5, 6, 7))
        suit = 13 * rng.randrange(4)
        cards = [KINDS[suit + (start + step) % 13] for step in range(size)]
    else:
        rank = rng.randrange(13)
        cards = [KINDS[13 * rng.randrange(4) + rank] for _ in range(rng.choice((3, 4, 5)))]
    if rng.random() < 0.4:
        cards[rng.randrange(len(cards))] = JOKER
    rng.shuffle(cards)
    return tuple(cards)


def contract_like(rules: Rules, rng: random.Random) -> tuple[int, tuple[tuple[Card, ...], ...]]:
    """A round and melds for its contract, jokers among them; some adjoin, repeat a rank or a card."""
    number = rng.randrange(1, 8)
    melds = []
    for slot in rules.contract(number).slots:
        if slot.kind == "set":
            rank = rng.randrange(13)
            cards = [KINDS[13 * rng.randrange(4) + rank] for _ in range(3)]
        else:
            start, _, _ = rng.choice(law(rules, number).windows[slot.size])
            suit = 13 * rng.choice((0, 0, 1, 2))
            cards = [KINDS[suit + (start + step - 1) % 13] for step in range(slot.size)]
        if rng.random() < 0.5:
            cards[rng.randrange(len(cards))] = JOKER
        melds.append(tuple(cards))
    return number, tuple(melds)


def with_rummikub_solver(positions: Sequence[tuple[Table, list[Card]]], played: Sequence[int]) -> None:
    """Print the times of the integer program on the same positions, and where it differs."""
    try:
        from rummikub_solver import RuleSet
    except ImportError:
        print("rummikub-solver is not installed: nothing to compare with.")
        return
    ruleset = RuleSet(jokers=0)

    def solve(position: tuple[Table, list[Card]]) -> int:
        return most_by_integer_program(ruleset, *position)

    solve(positions[0])
    spans, results = times(solve, positions)
    differing = sum(one != two for one, two in zip(played, results, strict=True))
    show("  rummikub-solver, SciPy, the same positions", spans, "-", f"; {differing} differ in the cards played")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the inputs")
    quick = parser.parse_args().quick
    share = 10 if quick else 1
    rules, rng = load("shanghai"), random.Random(SEED)
    machine = f"{processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{machine}, Python {platform.python_version()}, one thread, seed {SEED}")

    groups = distinct(lambda: meld_like(rng), 100_000 // share)
    legal = sum(judge_meld(group, rules).legal for group in groups[:1000])
    groups = groups[1000:]
    found = rate(lambda group: judge_meld(group, rules), groups)
    over = f"{len(groups):,}, {legal / 10:.0f} % legal"
    print(f"meld verdicts with all readings: {found:>10,.0f}/s over {over} | wanted 100,000")
    found = rate(lambda group: judge_meld(group, rules).faults, distinct(lambda: meld_like(rng), 10_000 // share))
    print(f"  and every reason where there is none: {found:>10,.0f}/s")

    pack = deck(2, 4)
    hands = distinct(lambda: tuple(rng.sample(pack, rng.randrange(1, 12))), 200_000 // share)
    penalty((), rules)
    half = len(hands) // 2
    found = rate(lambda hand: penalty(hand, rules), hands[:half])
    print(f"hand scores with their parts, 1-11 cards: {found:>10,.0f}/s over {half:,} | wanted 500,000")
    found = rate(lambda hand: str(penalty(hand, rules)), hands[half:])
    print(f"  and written out as text: {found:>10,.0f}/s")

    laid = distinct(lambda: contract_like(rules, rng), 10_000 // share)
    for number in range(1, 8):
        judge(rules, number, [])
    spans, verdicts = times(lambda each: judge(rules, each[0], each[1]), laid)
    legal = sum(verdict.legal for verdict in verdicts)
    show("contract verdicts, all seven rounds", spans, "0.2 ms", f"; {legal / len(verdicts):.0%} legal")

    for number in range(210):
        best(random.Random(-number).sample(pack, 12), rules, number % 7 + 1)
    rounds = [
        (number % 7 + 1, hand)
        for number, hand in enumerate(distinct(lambda: tuple(rng.sample(pack, 12)), 10_000 // share))
    ]
    spans, solved = times(lambda each: best(each[1], rules, each[0]), rounds)
    down = sum(isinstance(each, LayDown) for each in solved)
    show("best lay-down, 12 cards, all seven rounds", spans, "2 ms median, 20 ms worst", f"; {down} lay down")
    naturals = deck(2, 0)
    drawn = distinct(lambda: tuple(rng.sample(naturals, 14)), 1_000 // share)
    rounds = [(number % 7 + 1, (*hand, *[JOKER] * 4)) for number, hand in enumerate(drawn)]
    spans, solved = times(lambda each: best(each[1], rules, each[0]), rounds)
    down = sum(isinstance(each, LayDown) for each in solved)
    show("best lay-down, 18 cards with 4 jokers", spans, "50 ms worst", f"; {down} lay down")

    manipulation = load("manipulation")
    most_played([], [], manipulation)
    for cards, target in ((20, "-"), (40, "-"), (60, "10 ms mean")):
        positions = [table_and_hand(rng, cards) for _ in range(200 // share)]
        spans, plays = times(lambda each: most_played(each[1], each[0], manipulation), positions)
        show(f"rearranging {cards} cards with 10 in hand", spans, target)
        if cards == 60:
            with_rummikub_solver(positions, [len(play.played) for play in plays])


if __name__ == "__main__":
    main()
