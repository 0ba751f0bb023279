"""Whole games between players who choose at random among what is allowed, and lay down when they can."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from engine.cards import KINDS, deck
from engine.rules import Rules
from engine.table import (
    Action,
    Buy,
    Call,
    Discard,
    Draw,
    EndTurn,
    LayDown,
    LayOff,
    NewMeld,
    Pass,
    Rearrange,
    Swap,
    Table,
)


def choose(actions: list[Action], rng: random.Random) -> Action:
    """One of the actions: a lay-down or a rearrangement if there is one, else by chance."""
    best = [action for action in actions if isinstance(action, LayDown | Rearrange)]
    return rng.choice(best or actions)


def strangers(table: Table, rng: random.Random) -> list[Action]:
    """Actions of every kind that name cards, melds and players at random: most of them are not allowed."""
    name = rng.choice(table.players)
    card, meld = rng.choice(KINDS), rng.randrange(6)
    return [
        Draw(name, rng.randrange(4)),
        Buy(name),
        Pass(name),
        Call(name, meld, rng.choice([None, card])),
        LayOff(name, card, meld),
        Swap(name, card, meld),
        Discard(name, card, rng.random() < 0.5),
        EndTurn(name),
        NewMeld(name, tuple(rng.choices(KINDS, k=3))),
    ]


def state(table: Table) -> tuple[object, ...]:
    """All that can be seen of a table."""
    return (
        table.phase,
        table.actor,
        table.round,
        table.turn,
        tuple((seat.name, tuple(seat.hand), seat.down_in, seat.buys) for seat in table.seats),
        tuple(table.stock),
        tuple(table.discards),
        tuple((meld.owner, meld.laid.cards, meld.laid.readings) for meld in table.melds),
        tuple(repr(result) for result in table.results),
    )


def play_out(rules: Rules, players: int, seed: int) -> Table:
    """Play a game to its end, looking at every step: cards conserved, nothing allowed that is not listed."""
    rng = random.Random(seed)
    table = Table(rules, [f"P{number}" for number in range(1, players + 1)], seed)
    packs, jokers = rules.pack_for(players)
    whole = Counter(deck(packs, jokers))
    while table.phase != "over":
        actions = table.legal_actions()
        assert actions, f"nobody can act in {table.phase}"
        listed = set(actions)
        for stranger in rng.sample(strangers(table, rng), 2):
            if not isinstance(stranger, NewMeld) and stranger not in listed:
                assert not table.can(stranger), stranger
        table.do(choose(actions, rng))
        assert table.phase == "over" or table.phase == "deal" or table.cards() == whole
    return table


def shorter(rules: Rules) -> Rules:
    """The rules, with an end: rounds end when the stock runs out the first time, and a target is set."""
    target = {"target": 8} if not rules.rounds_played else {}
    changed = {"stock_rebuilds": 0, **target}
    return replace(rules, **changed)
