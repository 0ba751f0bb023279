"""Events of a game as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.cards import Card
from engine.faults import labels
from engine.ledger import (
    BonusGiven,
    DealerSet,
    Event,
    GameStarted,
    HandCorrected,
    HandMoved,
    HandScored,
    Ledger,
    PlayerJoined,
    PlayerLeft,
    RoundStarted,
    SettingsChanged,
    Voided,
)
from engine.rules import Rules
from engine.scoring import ContradictionError, penalty


def event_text(number: int, ledger: Ledger) -> str:
    """Return one entry of a record in words.

    >>> from engine.cards import parse_cards
    >>> ledger = Ledger().append(GameStarted(rules="shanghai", players=("Ana", "Ben", "Cy")))
    >>> ledger = ledger.append(RoundStarted(round=1))
    >>> ledger = ledger.append(HandScored(round=1, player="Ben", cards=parse_cards("9C KD 3S")))
    >>> event_text(2, ledger), event_text(3, ledger.undo())
    ('Ben, round 1: 9♣ 10 + K♦ 10 + 3♠ 5 = 25', 'taken back: Ben, round 1: 9♣ 10 + K♦ 10 + 3♠ 5 = 25')
    """
    return _text(ledger.events[number], ledger)


def _text(event: Event, ledger: Ledger) -> str:
    match event:
        case GameStarted():
            return f"{ledger.game.rules.title} with {', '.join(event.players)}"
        case RoundStarted():
            return f"round {event.round}"
        case HandScored():
            return f"{event.player}, round {event.round}: {hand_text(event.cards, event.points, ledger.game.rules)}"
        case HandCorrected():
            before = ledger.events[event.of]
            assert isinstance(before, HandScored)
            hand = hand_text(event.cards, event.points, ledger.game.rules)
            return f"{before.player}, round {before.round} corrected: {hand}"
        case HandMoved():
            return f"to {event.player}: {event_text(event.of, ledger)}"
        case BonusGiven():
            reason = f", {event.reason}" if event.reason else ""
            return f"{points_text(event.points)} for {event.player} in round {event.round}{reason}"
        case DealerSet():
            return f"{event.player} deals"
        case PlayerJoined():
            return f"{event.player} joins with {event.points} points"
        case PlayerLeft():
            return f"{event.player} leaves"
        case SettingsChanged():
            return f"house rules: {options_text(dict(event.options))}"
        case Voided():
            return f"taken back: {event_text(event.of, ledger)}"
        case _:
            return event.kind


def hand_text(cards: tuple[Card, ...] | None, points: int | None, rules: Rules) -> str:
    """Return what a counted hand is and costs; went out where it has no cards and costs nothing."""
    if cards:
        try:
            return str(penalty(cards, rules))
        except ContradictionError:
            # A hand that was taken back may not be possible by the rules of now.
            return labels(cards)
    return f"{points} points" if points else "went out"


def points_text(points: int) -> str:
    """Return points given beside the hands.

    >>> points_text(-50), points_text(10)
    ('50 points off', '10 points more')
    """
    return f"{-points} points off" if points < 0 else f"{points} points more"


def options_text(options: Mapping[str, Any]) -> str:
    """Return house rules as they are written.

    >>> options_text({"buy_limit": 3, "deal": (10, 12)})
    'buy_limit=3, deal=10,12'
    """

    def shown(value: Any) -> str:
        return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)

    return ", ".join(f"{key}={shown(value)}" for key, value in sorted(options.items()))
