"""Finished games: who won, what players cost on average, their best and their worst hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from api.store.games import Record
from engine.cards import print_cards


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that is over."""

    id: str
    name: str
    rules: str
    finished: str
    winners: tuple[str, ...]
    totals: dict[str, int]


@dataclass(frozen=True, slots=True)
class HandLine:
    """One hand of one game."""

    points: int
    cards: str | None
    game: str
    round: int


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """One player over all finished games."""

    name: str
    games: int
    won: int
    average: float
    """Points in a game."""
    round_average: float
    """Points in a round."""
    best: HandLine | None
    """The hand that cost the least without being out."""
    worst: HandLine | None


@dataclass(frozen=True, slots=True)
class History:
    """All finished games of a device."""

    games: tuple[FinishedGame, ...]
    players: tuple[PlayerLine, ...]


def history(records: Iterable[Record]) -> History:
    """Return the history that games make; those that are not finished do not count."""
    finished = [record for record in records if record.ledger.game.finished]
    totals: dict[str, list[int]] = defaultdict(list)
    rounds: dict[str, list[int]] = defaultdict(list)
    hands: dict[str, list[HandLine]] = defaultdict(list)
    won: dict[str, int] = defaultdict(int)
    for record in finished:
        game = record.ledger.game
        for player in game.players:
            totals[player].append(game.totals[player])
            won[player] += player in game.winners
        for entry in game.rounds:
            for player, score in entry.scores.items():
                rounds[player].append(entry.points(player))
                if not score.out:
                    cards = None if score.cards is None else print_cards(score.cards)
                    hands[player].append(HandLine(score.points, cards, record.id, entry.number))
    lines = [
        PlayerLine(
            player,
            len(own),
            won[player],
            round(fmean(own), 1),
            round(fmean(rounds[player]), 1) if rounds[player] else 0.0,
            min(hands[player], key=lambda hand: hand.points, default=None),
            max(hands[player], key=lambda hand: hand.points, default=None),
        )
        for player, own in totals.items()
    ]
    return History(
        tuple(
            FinishedGame(
                record.id,
                record.name,
                record.ledger.game.rules.title,
                record.changed,
                record.ledger.game.winners,
                record.ledger.game.totals,
            )
            for record in finished
        ),
        tuple(sorted(lines, key=lambda line: (-line.won, line.average, line.name))),
    )
