"""What may be written into a game: by whom, in spite of whom, and what is asked first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from api.scoreboard import hand_warnings, last_standing
from api.sentences import event_text
from api.store.database import now
from api.store.games import Entry, Record, Role
from engine.ledger import (
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
from engine.scoring import penalty

MOST_EVENTS = 5_000
"""Entries in one game; a long evening has a few hundred."""

Place = tuple[int, str, str]
"""Round, player, and ``hand`` or ``bonus``: what an entry is about."""


class RoleError(PermissionError):
    """Something that another role may do."""


class ConflictError(Exception):
    """An entry about something that somebody else has recorded meanwhile."""

    def __init__(self, sentence: str, revision: int, yours: Mapping[str, Any], theirs: list[dict[str, Any]]) -> None:
        super().__init__(sentence)
        self.details = {"revision": revision, "yours": dict(yours), "theirs": theirs}


class UnsettledError(Exception):
    """A round that is to be closed although something about it is to be asked first."""

    def __init__(self, sentence: str, revision: int) -> None:
        super().__init__(sentence)
        self.details = {"revision": revision}


def entry_json(entry: Entry, record: Record) -> dict[str, Any]:
    """Return an entry as the service tells it."""
    return {
        "number": entry.number,
        "by": entry.by,
        "at": entry.at,
        "stands": record.ledger.standing[entry.number],
        "event": event_json(entry.event),
        "text": event_text(entry.number, record.ledger),
    }


def next_entry(
    record: Record,
    wanted: Mapping[str, Any],
    seen: int,
    role: Role,
    by: str,
    *,
    confirmed: bool,
    laid: Mapping[str, list[str]],
) -> tuple[Record, dict[str, Any]]:
    """Return the record with the entry to be written next, and what is answered to who sent it.

    Args:
        record: the game so far.
        wanted: the event as it was sent.
        seen: the revision that the sender knows.
        role: what the sender is in the game.
        by: name of the sender's device.
        confirmed: whether what is asked before a round closes was answered.
        laid: each player's melds on the table in the round of the event.

    Raises:
        RoleError: if the sender may not do this.
        ConflictError: if somebody else has recorded the same thing.
        UnsettledError: if a round is to be closed that cannot be right yet.
        ValueError: if the event does not fit the game.
    """
    if record.revision >= MOST_EVENTS:
        raise LedgerError(f"This game has {MOST_EVENTS} entries, and takes no more.")
    event = replace(_event(record, wanted), at=now())
    _check_role(event, record.ledger, role)
    _check_seen(event, record, wanted, seen)
    if isinstance(event, RoundStarted) and not confirmed:
        _check_settled(record)
    try:
        after = record.append(event, by)
    except LedgerError:
        _check_not_counted(event, record, wanted)
        raise
    answer = {"revision": after.revision, **entry_json(after.entries[-1], after), "points": None, "warnings": []}
    if isinstance(event, HandScored | HandCorrected):
        hand = event if isinstance(event, HandScored) else record.entries[event.of].event
        assert isinstance(hand, HandScored)
        player = _owner(event.of, record.ledger) if isinstance(event, HandCorrected) else event.player
        cards = event.cards or ()
        answer["points"] = penalty(cards, record.ledger.game.rules).points if cards else event.points or 0
        answer["warnings"] = list(hand_warnings(record, player, hand.round, cards, laid))
    return after, answer


def round_of(record: Record, wanted: Mapping[str, Any]) -> int:
    """Return the round that an event is about, the one that is on where it does not say."""
    number = wanted.get("round")
    return number if type(number) is int else record.ledger.game.round


def _event(record: Record, wanted: Mapping[str, Any]) -> Event:
    if wanted.get("kind") != "undo":
        event = event_from_json({key: value for key, value in wanted.items() if key != "at"})
        if isinstance(event, GameStarted):
            raise LedgerError("The game has started already.")
        return event
    number = last_standing(record)
    if number is None:
        raise LedgerError("There is nothing to undo.")
    return Voided(of=number)


def _owner(number: int, ledger: Ledger) -> str:
    """The player whose hand an entry is, after it was moved."""
    hand = ledger.events[number]
    assert isinstance(hand, HandScored)
    player = hand.player
    for event, stands in zip(ledger.events, ledger.standing, strict=True):
        if stands and isinstance(event, HandMoved) and event.of == number:
            player = event.player
    return player


def _places(event: Event, ledger: Ledger) -> frozenset[Place] | None:
    """What an entry is about; none where it is about the whole game."""
    match event:
        case HandScored():
            return frozenset({(event.round, event.player, "hand")})
        case BonusGiven():
            return frozenset({(event.round, event.player, "bonus")})
        case HandCorrected() | HandMoved():
            if not 0 <= event.of < len(ledger.events) or not isinstance(ledger.events[event.of], HandScored):
                return frozenset()  # the engine says what is wrong with it
            hand = ledger.events[event.of]
            assert isinstance(hand, HandScored)
            players = {hand.player, _owner(event.of, ledger)}
            if isinstance(event, HandMoved):
                players.add(event.player)
            return frozenset((hand.round, player, "hand") for player in players)
        case Voided():
            if not 0 <= event.of < len(ledger.events):
                return frozenset()
            return _places(ledger.events[event.of], ledger)
        case _:
            return None


def _check_role(event: Event, ledger: Ledger, role: Role) -> None:
    if role == "host":
        return
    if role == "viewer":
        raise RoleError("This device may look on, not record: ask the host for another role.")
    meant = event
    while isinstance(meant, Voided) and 0 <= meant.of < len(ledger.events):
        meant = ledger.events[meant.of]
    if isinstance(meant, SettingsChanged | PlayerJoined | PlayerLeft | DealerSet):
        raise RoleError("Players, dealer and house rules are for the host to change.")
    places = _places(event, ledger) or frozenset()
    adds = isinstance(event, HandScored | BonusGiven)
    if not adds and any(number < ledger.game.round for number, _, _ in places):
        raise RoleError("Rounds before the one that is on are for the host to change.")


def _check_seen(event: Event, record: Record, wanted: Mapping[str, Any], seen: int) -> None:
    if seen == record.revision:
        return
    if seen > record.revision:
        raise ConflictError("This device shows another state of the game: load it again.", record.revision, wanted, [])
    ledger = record.ledger
    places = _places(event, ledger)
    missed = record.entries[seen:]
    if places is None or wanted.get("kind") == "undo":
        sentence = "The game has moved on meanwhile: look at it, and decide again."
    else:
        missed = tuple(entry for entry in missed if places & (_places(entry.event, ledger) or frozenset()))
        if not missed:
            return
        sentence = _already(missed[-1], *sorted(places)[0])
    raise ConflictError(sentence, record.revision, wanted, [entry_json(entry, record) for entry in missed[-20:]])


def _check_not_counted(event: Event, record: Record, wanted: Mapping[str, Any]) -> None:
    """Show both hands where the sender knew, or should have known, that one is counted."""
    if not isinstance(event, HandScored):
        return
    place = (event.round, event.player, "hand")
    standing = record.ledger.standing
    theirs = [
        entry
        for entry in record.entries
        if standing[entry.number]
        and isinstance(entry.event, HandScored | HandCorrected | HandMoved)
        and place in (_places(entry.event, record.ledger) or ())
    ]
    if theirs:
        shown = [entry_json(entry, record) for entry in theirs]
        raise ConflictError(_already(theirs[-1], *place), record.revision, wanted, shown)


def _already(entry: Entry, number: int, player: str, what: str) -> str:
    thing = "hand" if what == "hand" else "bonus"
    return f"{entry.by} has recorded {player}'s {thing} of round {number} already: see both, and choose."


def _check_settled(record: Record) -> None:
    game = record.ledger.game
    if not game.rounds:
        return
    entry = game.rounds[-1]
    if entry.missing:
        raise UnsettledError(f"Round {entry.number} is missing for {', '.join(entry.missing)}.", record.revision)
    if entry.question:
        raise UnsettledError(entry.question, record.revision)
