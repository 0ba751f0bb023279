"""Whole games by the referee: random playouts of every system, replays, and a state machine."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from playouts import play_out, shorter, state, strangers

from engine.cards import deck
from engine.rules import Rules, load, names, with_options
from engine.table import Deal, Discard, Draw, NotAllowedError, Table

GAMES = int(os.environ.get("MELDSIGHT_GAMES", "500"))
"""Games; `make playouts` takes more."""

VARIANTS: dict[str, list[dict[str, object]]] = {
    "shanghai": [
        {},
        {"out_discard": "forbidden"},
        {"out_discard": "optional", "call_card": "chosen"},
        {"shanghai_call": False, "blind_bonus": True},
        {"tie": "extra_hand"},
        {"joker_slides": True},
    ],
    "manipulation": [{}, {"strict_obligation": False}, {"min_play": 1}],
    "go": [{}, {"two_natural": True}, {"tie": "rounds_won"}],
    "carioca": [{}, {"rounds": 8}],
    "finnish": [{}, {"eighth_round": True}],
    "liverpool": [{}, {"cut_counts_upcard": False}],
}


def of_few_rounds(rules: Rules, game: int) -> Rules:
    """The same system with one or two of its contracts, so that many games are quickly played; all come about."""
    if not rules.contracts:
        return replace(shorter(rules), deal=(10 if game == 8 else 4 + game % 2,), target=3)
    count = rules.rounds_played
    first = game % count
    last = min(first + 1 + (game % 7 == 0), count)
    whole = rules.whole_hand_last and last == count
    contracts = rules.contracts[first:last]
    return replace(
        shorter(rules), contracts=contracts, rounds=len(contracts), eighth_round=False, whole_hand_last=whole
    )


@pytest.mark.no_cover
@pytest.mark.parametrize("name", names())
def test_games_end_and_replay(name: str) -> None:
    variants = VARIANTS.get(name, [{}])
    went_out = 0
    for number in range(GAMES // len(names()) + 1):
        options = variants[number % len(variants)]
        rules = of_few_rounds(with_options(load(name), options), number)
        players = rules.min_players + number % min(3, rules.max_players - rules.min_players + 1)
        table = play_out(rules, players, number)
        assert table.winners
        went_out += sum(result.out is not None for result in table.results)
        replayed = Table.replay(rules, table.players, table.events)
        assert state(replayed) == state(table)
    assert went_out or GAMES < 500, "nobody ever went out"


@pytest.mark.parametrize("name", ["shanghai", "go"])
def test_a_game_of_all_rounds(name: str) -> None:
    rules = shorter(load(name))
    table = play_out(rules, 4, 7)
    assert [result.round for result in table.results] == list(range(1, rules.rounds_played + 1))
    assert sum(table.totals.values()) > 0
    assert min(table.totals.values()) == table.totals[table.winners[0]]
    assert state(Table.replay(rules, table.players, table.events)) == state(table)


def test_the_deal_passes_to_the_left() -> None:
    table = Table(shorter(load("shanghai")), ["Ana", "Ben", "Cy"])
    table.do(Deal("Cy"))
    assert table.actor == "Ana"
    table.stock, table.discards = [], []
    table.do(Draw("Ana"))
    assert table.actor == "Ana"
    table.do(Deal("Ana"))
    assert table.actor == "Ben"


def test_whose_turn_it_is_and_what_has_a_place() -> None:
    table = Table(load("shanghai"), ["Ana", "Ben", "Cy"])
    with pytest.raises(NotAllowedError, match="It is for Cy to act now, not for Ana"):
        table.do(Deal("Ana"))
    with pytest.raises(NotAllowedError, match="Draw has no place now: Cy may Deal"):
        table.do(Draw("Cy"))
    with pytest.raises(NotAllowedError, match="counts for nothing"):
        table.do(Deal("Cy", cut=41))


class TableMachine(RuleBasedStateMachine):
    """Legal and other actions in any order: cards conserved, refusals change nothing."""

    @initialize(
        name=st.sampled_from(["shanghai", "contract", "go", "manipulation"]),
        seed=st.integers(0, 1000),
    )
    def sit_down(self, name: str, seed: int) -> None:
        self.table = Table(shorter(load(name)), ["P1", "P2", "P3"], seed)
        self.whole = Counter(deck(*self.table.rules.pack_for(3)))
        self.table.do(Deal("P3"))

    @precondition(lambda self: self.table.phase != "over")
    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        actions = self.table.legal_actions()
        assert actions
        action = data.draw(st.sampled_from(actions))
        before = len(self.table.events)
        event = self.table.do(action)
        assert self.table.events[before:] == [event]

    @rule(random=st.randoms(use_true_random=False))
    def try_anything(self, random: object) -> None:
        for action in strangers(self.table, random):  # type: ignore[arg-type]
            if not self.table.can(action):
                before = state(self.table)
                with pytest.raises(NotAllowedError):
                    self.table.do(action)
                assert state(self.table) == before

    @invariant()
    def conserved(self) -> None:
        if hasattr(self, "table") and self.table.phase not in ("deal", "over"):
            assert self.table.cards() == self.whole
            assert self.table.actor in self.table.players
            if self.table.phase == "play" and not self.table.rules.rearrange and not self.table._owed:
                assert any(isinstance(action, Discard) for action in self.table.legal_actions()) or (
                    len(self.table._seat.hand) <= 1
                )


TableMachine.TestCase.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
TestTableMachine = TableMachine.TestCase
