"""The record of a game: appended to, corrected, undone, scored anew, and kept as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engine.cards import KINDS, Card, parse_cards
from engine.ledger import (
    EVENTS,
    BonusGiven,
    DealerSet,
    Event,
    GameStarted,
    HandCorrected,
    HandMoved,
    HandScored,
    Ledger,
    LedgerError,
    PlayerJoined,
    PlayerLeft,
    RoundStarted,
    SettingsChanged,
    Voided,
    event_from_json,
    event_json,
)
from engine.rules import RulesError, dump, load, with_options
from engine.scoring import ContradictionError


def game(*events: Event, rules: str = "shanghai", options: dict[str, Any] | None = None) -> Ledger:
    start = GameStarted(rules=rules, players=("Ana", "Ben", "Cy"), options=tuple((options or {}).items()))
    ledger = Ledger().append(start)
    for event in events:
        ledger = ledger.append(event)
    return ledger


def hand(number: int, player: str, cards: str) -> HandScored:
    return HandScored(round=number, player=player, cards=parse_cards(cards))


def rounds(*hands: tuple[str, str, str]) -> list[Event]:
    """Whole rounds of Ana, Ben and Cy."""
    events: list[Event] = []
    for number, cards in enumerate(hands, start=1):
        events.append(RoundStarted(round=number))
        events += [hand(number, player, each) for player, each in zip(("Ana", "Ben", "Cy"), cards, strict=True)]
    return events


ONE = RoundStarted(round=1)


def test_running_and_final_totals() -> None:
    found = game(*rounds(("", "9C KD 3S", "AC 6D JK"), ("KC", "", "2C"))).game
    assert [found.running(count, "Ben") for count in (0, 1, 2)] == [0, 25, 25]
    assert found.totals == {"Ana": 10, "Ben": 25, "Cy": 80}
    assert not found.finished
    assert found.losers == ()


def test_a_hand_carries_its_arithmetic_or_only_points() -> None:
    found = game(ONE, hand(1, "Ben", "9C KD 3S"), HandScored(round=1, player="Cy", points=75)).game.rounds[0]
    assert str(found.scores["Ben"].penalty) == "9♣ 10 + K♦ 10 + 3♠ 5 = 25"
    assert found.scores["Cy"].penalty is None
    assert found.points("Cy") == 75
    assert found.points("Ana") == 0


def test_a_hand_is_corrected_moved_and_voided_and_nothing_is_deleted() -> None:
    ledger = game(ONE, hand(1, "Ben", "9C KD 3S"))
    corrected = ledger.append(HandCorrected(of=2, cards=parse_cards("9C")))
    assert corrected.game.totals["Ben"] == 10
    moved = corrected.append(HandMoved(of=2, player="Cy"))
    assert (moved.game.totals["Ben"], moved.game.totals["Cy"]) == (0, 10)
    voided = moved.append(Voided(of=2))
    assert voided.game.totals == {"Ana": 0, "Ben": 0, "Cy": 0}
    assert voided.events[:3] == ledger.events
    back = voided.append(Voided(of=5))
    assert back.game.totals["Cy"] == 10


def test_undo_takes_the_last_thing_back_again_and_again() -> None:
    ledger = game(ONE, hand(1, "Ben", "9C"), hand(1, "Cy", "KC"))
    ledger = ledger.undo()
    assert ledger.game.totals == {"Ana": 0, "Ben": 10, "Cy": 0}
    ledger = ledger.undo().undo()
    assert ledger.game.round == 0
    with pytest.raises(LedgerError, match="nothing to undo"):
        ledger.undo()


def test_a_change_of_rules_scores_the_cards_anew() -> None:
    ledger = game(ONE, hand(1, "Ben", "AC JK"))
    changed = ledger.append(SettingsChanged(options=(("joker_points", 30),)))
    assert (ledger.game.totals["Ben"], changed.game.totals["Ben"]) == (70, 50)
    assert changed.undo().game.totals["Ben"] == 70
    with pytest.raises(RulesError, match="option joker_pints"):
        ledger.append(SettingsChanged(options=(("joker_pints", 30),)))


def test_a_bonus_is_a_line_of_its_own() -> None:
    found = game(ONE, hand(1, "Ben", "9C"), BonusGiven(round=1, player="Ben", points=-50, reason="exact cut")).game
    assert found.rounds[0].scores["Ben"].points == 10
    assert found.rounds[0].points("Ben") == found.totals["Ben"] == -40


def test_rules_may_be_those_of_a_file() -> None:
    text = dump(with_options(load("shanghai"), {"joker_points": 7}))
    assert game(ONE, hand(1, "Ben", "JK"), rules=text).game.totals["Ben"] == 7
    assert game(ONE, hand(1, "Ben", "JK"), options={"joker_points": 8}).game.totals["Ben"] == 8


def test_the_deal_passes_on() -> None:
    ledger = game(ONE, DealerSet(player="Cy"), RoundStarted(round=2))
    assert ledger.game.dealer == "Ana"
    assert [entry.dealer for entry in ledger.game.rounds] == ["Cy", "Ana"]
    assert ledger.game.next_dealer == "Ben"
    assert game(ONE, RoundStarted(round=2)).game.dealer is None
    assert game(ONE, DealerSet(player="Cy"), PlayerLeft(player="Cy"), RoundStarted(round=2)).game.dealer == "Cy"


def test_players_join_and_leave() -> None:
    ledger = game(PlayerJoined(player="Dee", points=20), ONE, PlayerJoined(player="Eve"), PlayerLeft(player="Ben"))
    found = ledger.game
    assert found.players == ("Ana", "Ben", "Cy", "Dee", "Eve")
    assert found.present == ("Ana", "Cy", "Dee", "Eve")
    assert found.rounds[0].players == ("Ana", "Cy", "Dee", "Eve")
    assert found.totals["Dee"] == 20
    back = ledger.append(PlayerJoined(player="Ben")).game
    assert back.rounds[0].players == ("Ana", "Ben", "Cy", "Dee", "Eve")
    assert game(PlayerLeft(player="Ben"), ONE).game.rounds[0].missing == ("Ana", "Cy")


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (GameStarted(rules="go", players=("Ana", "Ben", "Cy")), "has started already"),
        (RoundStarted(round=3), "next round is 2, not 3"),
        (hand(2, "Ben", "9C"), "Round 2 has not begun"),
        (BonusGiven(round=0, player="Ben", points=1), "Round 0 has not begun"),
        (hand(1, "Dee", "9C"), "Dee is not in this game: it is played by Ana, Ben, Cy"),
        (hand(1, "Ben", "9C"), "counted already: correct it"),
        (HandMoved(of=3, player="Ben"), "counted already: correct it"),
        (HandMoved(of=3, player="Dee"), "Dee is not in this game"),
        (HandMoved(of=9, player="Ana"), "Event 9 is no counted hand"),
        (HandCorrected(of=1, points=3), "Event 1 is no counted hand"),
        (HandCorrected(of=2), "by its cards, or by points"),
        (HandCorrected(of=2, points=-3), "no less than 0 points"),
        (HandScored(round=1, player="Ana"), "by its cards, or by points"),
        (PlayerJoined(player="Ben"), "Ben cannot join"),
        (PlayerJoined(player=""), "A player without a name cannot join"),
        (PlayerLeft(player="Dee"), "Dee is not in this game"),
        (DealerSet(player="Dee"), "Dee is not in this game"),
        (Voided(of=0), "no event 0 that could be voided"),
        (Voided(of=4), "no event 4 that could be voided"),
        (Voided(of=1), "Round 1 has not begun"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(event: Event, error: str) -> None:
    ledger = game(ONE, hand(1, "Ben", "9C"), hand(1, "Cy", ""))
    with pytest.raises(LedgerError, match=error):
        ledger.append(event)
    assert not ledger.can(event)
    assert len(ledger.events) == 4


def test_more_refusals() -> None:
    with pytest.raises(LedgerError, match="first event of a game is its start"):
        Ledger().append(ONE)
    with pytest.raises(LedgerError, match="name of their own"):
        Ledger().append(GameStarted(rules="shanghai", players=("Ana", "Ana", "Cy")))
    with pytest.raises(RulesError, match="for 3 to 5 players"):
        Ledger().append(GameStarted(rules="shanghai", players=("Ana", "Ben")))
    with pytest.raises(ContradictionError, match="Check the cards"):
        game(ONE, hand(1, "Ben", "8C 8C 8C"))
    with pytest.raises(LedgerError, match="5 players at most"):
        game(*(PlayerJoined(player=name) for name in ("Dee", "Eve", "Flo")))
    voided = game(ONE, hand(1, "Ben", "9C")).undo()
    with pytest.raises(LedgerError, match="voided already"):
        voided.append(Voided(of=2))
    with pytest.raises(LedgerError, match="no counted hand"):
        voided.append(HandCorrected(of=2, points=3))


SEVEN = ("", "9C", "KC")


def test_a_game_ends_after_its_last_round_and_no_round_follows() -> None:
    ledger = game(*rounds(*[SEVEN] * 7))
    assert ledger.game.finished
    assert ledger.game.winners == ("Ana",)
    with pytest.raises(LedgerError, match="is over: there is no round 8"):
        ledger.append(RoundStarted(round=8))
    open_game = game(*rounds(*[SEVEN] * 6), RoundStarted(round=7), hand(7, "Ana", ""))
    with pytest.raises(LedgerError, match="has no round 8: it has 7"):
        open_game.append(RoundStarted(round=8))


def test_rounds_won_settle_a_tie_where_the_family_says_so() -> None:
    hands = [("", "KC", "KD")] * 2 + [("KC", "", "KD")] + [("KC", "5C", "")] * 4
    # Ana 50 with two rounds won, Ben 40; then Ben is level with one won.
    even = [*hands[:-1], ("KC", "AC", "")]
    ledger = game(*rounds(*even), options={"tie": "rounds_won"})
    assert ledger.game.totals["Ana"] == 50
    shared = game(*rounds(*[("", "KC", "AC"), ("KC", "", "AC")], *[("5C", "5D", "")] * 5), options={"tie": "shared"})
    assert shared.game.winners == ("Ana", "Ben")
    won = game(*rounds(("", "5C", "AC"), ("", "5C", "AC"), ("KC", "", "AC"), *[("5C", "5D", "")] * 4))
    assert won.game.winners == ("Ana", "Ben")
    won = won.append(SettingsChanged(options=(("tie", "rounds_won"),)))
    assert won.game.winners == ("Ana",)


def test_an_extra_hand_is_between_those_who_are_tied() -> None:
    ledger = game(*rounds(*[("5C", "5D", "")] * 3, *[("", "5D", "AC")] * 0), options={"tie": "extra_hand", "rounds": 3})
    assert ledger.game.winners == ("Cy",)
    tied = game(*rounds(("", "5D", "AC"), ("5C", "", "AC")), options={"tie": "extra_hand", "rounds": 2})
    assert (tied.game.finished, tied.game.tied_for_extra_hand) == (False, ("Ana", "Ben"))
    tied = tied.append(RoundStarted(round=3))
    assert tied.game.rounds[2].players == ("Ana", "Ben")
    tied = tied.append(hand(3, "Ana", "KC"))
    assert not tied.game.finished
    again = tied.append(hand(3, "Ben", "KC"))
    assert again.game.tied_for_extra_hand == ("Ana", "Ben")
    over = tied.append(hand(3, "Ben", ""))
    assert over.game.winners == ("Ben",)


def test_a_target_ends_the_game_and_names_who_lost() -> None:
    ledger = game(*rounds(("", "9C 8C", "KC")), rules="manipulation", options={"target": 3})
    assert not ledger.game.finished
    ledger = ledger.append(RoundStarted(round=2))
    for player, cards in (("Ana", "9C"), ("Ben", "8C")):
        ledger = ledger.append(hand(2, player, cards))
    assert not ledger.game.finished  # Ben has reached it, but Cy's hand is not counted yet
    ledger = ledger.append(hand(2, "Cy", ""))
    assert (ledger.game.finished, ledger.game.winners, ledger.game.losers) == (True, ("Ana", "Cy"), ("Ben",))


def test_every_kind_of_event_round_trips() -> None:
    events = [
        GameStarted(
            rules="go", players=("Ana", "Ben", "Cy"), options=(("deal", (10, 12)), ("joker_cap", 2)), at="noon"
        ),
        SettingsChanged(options=(("buy_limit", 3),)),
        PlayerJoined(player="Dee", points=30),
        PlayerLeft(player="Dee"),
        DealerSet(player="Ana"),
        ONE,
        hand(1, "Ben", "9C JK"),
        hand(1, "Ana", ""),
        HandScored(round=1, player="Cy", points=3),
        HandCorrected(of=6, points=0),
        HandMoved(of=6, player="Cy"),
        BonusGiven(round=1, player="Ben", points=-50, reason="exact cut"),
        Voided(of=3),
    ]
    assert {event.kind for event in events} == set(EVENTS)
    for event in events:
        assert event_from_json(json.loads(json.dumps(event_json(event)))) == event


def test_a_record_round_trips_and_keeps_its_form() -> None:
    ledger = game(*rounds(SEVEN)).undo()
    assert Ledger.from_json(ledger.to_json()) == ledger
    assert ledger.to_json().splitlines()[2] == '{"kind": "hand_scored", "round": 1, "player": "Ana", "cards": ""}'


def test_a_record_of_an_older_version_loads() -> None:
    """Before bonuses had reasons, hands had points, and events had times."""
    old = """\
{"kind": "game_started", "rules": "shanghai", "players": ["Ana", "Ben", "Cy"]}
{"kind": "round_started", "round": 1}
{"kind": "hand_scored", "round": 1, "player": "Ben", "cards": "9C KD 3S"}
{"kind": "bonus_given", "round": 1, "player": "Ben", "points": -5}"""
    assert Ledger.from_json(old).game.totals["Ben"] == 20


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("3", "Line 2: this is no event"),
        ("{", "Line 2: Expecting property name"),
        ('{"kind": "x"}', "Line 2: 'x' is no kind of event"),
        ('{"kind": "voided", "of": 1, "why": 2}', "An event voided has no 'why'"),
        ('{"kind": "voided"}', "An event voided needs of"),
        ('{"kind": "voided", "of": true}', "of of an event cannot be True"),
        ('{"kind": "game_started", "rules": "go", "players": [1]}', "players of an event cannot be"),
        ('{"kind": "hand_scored", "round": 1, "player": "Ben", "cards": "XX"}', "is not a card"),
        ('{"kind": "hand_scored", "round": 1, "player": "Ben", "cards": null, "points": 3}', "Round 1 has not begun"),
    ],
)
def test_a_record_that_cannot_be_read_is_refused_with_its_line(line: str, error: str) -> None:
    start = '{"kind": "game_started", "rules": "go", "players": ["Ana", "Ben", "Cy"]}'
    with pytest.raises(LedgerError, match=error):
        Ledger.from_json(f"{start}\n{line}")


class LedgerMachine(RuleBasedStateMachine):
    """Whatever is written down: nothing is lost, totals add up, undo restores what was seen before."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = game()
        self.before = [self.ledger]

    def write(self, event: Event) -> None:
        if self.ledger.can(event):
            self.ledger = self.ledger.append(event)
            self.before.append(self.ledger)
        else:
            with pytest.raises(ValueError, match=r"."):
                self.ledger.append(event)

    @rule()
    def start_round(self) -> None:
        self.write(RoundStarted(round=self.ledger.game.round + 1))

    @rule(player=st.sampled_from(["Ana", "Ben", "Cy", "Dee"]), cards=st.lists(st.sampled_from(KINDS), max_size=6))
    def score(self, player: str, cards: list[Card]) -> None:
        self.write(HandScored(round=self.ledger.game.round, player=player, cards=tuple(cards)))

    @rule(of=st.integers(-1, 40), cards=st.lists(st.sampled_from(KINDS), max_size=6))
    def correct(self, of: int, cards: list[Card]) -> None:
        self.write(HandCorrected(of=of, cards=tuple(cards)))

    @rule(of=st.integers(-1, 40), player=st.sampled_from(["Ana", "Ben", "Cy", "Dee"]))
    def move(self, of: int, player: str) -> None:
        self.write(HandMoved(of=of, player=player))

    @rule(of=st.integers(-1, 40))
    def void(self, of: int) -> None:
        self.write(Voided(of=of))

    @rule(player=st.sampled_from(["Ana", "Ben", "Cy", "Dee"]), joins=st.booleans())
    def come_or_go(self, player: str, joins: bool) -> None:
        self.write(PlayerJoined(player=player) if joins else PlayerLeft(player=player))

    @rule(points=st.integers(0, 60))
    def change(self, points: int) -> None:
        self.write(SettingsChanged(options=(("joker_points", points),)))

    @precondition(lambda self: len(self.before) > 1 and not isinstance(self.ledger.events[-1], Voided))
    @rule()
    def undo(self) -> None:
        undone = self.ledger.undo()
        assert undone.events[:-1] == self.ledger.events
        assert undone.game.totals == self.before[-2].game.totals
        self.ledger = undone
        self.before.append(undone)

    @invariant()
    def adds_up(self) -> None:
        found = self.ledger.game
        assert Ledger.from_json(self.ledger.to_json()) == self.ledger
        for player in found.players:
            points = [entry.points(player) for entry in found.rounds]
            assert found.totals[player] == sum(points) + found.starting.get(player, 0)
        for entry in found.rounds:
            for score in entry.scores.values():
                assert score.penalty is None or score.points == sum(points for _, points in score.penalty.parts)


LedgerMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestLedgerMachine = LedgerMachine.TestCase
