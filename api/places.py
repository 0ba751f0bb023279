"""Where a hand is counted: a round of a game, or just by the rules of the service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Query

from api.scoreboard import cards_elsewhere, hand_warnings, packs_in_play
from api.seats import Seats, device_of
from api.store.devices import Device
from api.store.games import Games, Record
from engine.cards import Card
from engine.rules import Rules
from vision.limits import Limits


@dataclass(frozen=True)
class Place:
    """By which rules a hand is counted, and what else is on record beside it."""

    rules: Rules
    packs: tuple[int, int]
    """Packs and jokers in play."""
    record: Record | None = None
    round: int = 0
    player: str | None = None
    """Whose hand it is, where that is said."""
    laid: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def limits(self) -> Limits:
        """How many equal cards a photo can show: of a player's hand, what the rest of the round leaves."""
        if self.record is None or self.player is None:
            return Limits(*self.packs)
        return Limits(*self.packs, cards_elsewhere(self.record, self.player, self.round, self.laid))

    def warnings(self, cards: Sequence[Card]) -> tuple[str, ...]:
        """Return what is odd about a hand here."""
        if self.record is None:
            return ()
        return hand_warnings(self.record, self.player or "Nobody", self.round, tuple(cards), self.laid)


class Places:
    """Finds the place that a request names.

    Args:
        rules: what is played where no game is named.
        games: the games.
        seats: who may see which.
    """

    def __init__(self, rules: Rules, games: Games, seats: Seats) -> None:
        self._bare = Place(rules, (rules.packs, rules.jokers))
        self._games = games
        self._seats = seats

    def of(self, device: Device, game: str | None, number: int | None, player: str | None) -> Place:
        """Return the place; without a round it is the one that is on.

        Raises:
            NoGameError: if the device has no seat in the game.
        """
        if game is None:
            return self._bare
        record = self._seats.of(game, device).record
        played = record.ledger.game
        number = number or played.round
        laid = self._games.laid(game, number)
        return Place(played.rules, packs_in_play(played), record, number, player, laid)

    @property
    def of_query(self) -> Callable[..., Place]:
        """A dependency that finds the place in the query."""

        def place(
            device: Annotated[Device, Depends(device_of)],
            game: Annotated[str | None, Query(max_length=40)] = None,
            round: Annotated[int | None, Query(ge=1, le=1000)] = None,
            player: Annotated[str | None, Query(max_length=40)] = None,
        ) -> Place:
            return self.of(device, game, round, player)

        return place
