"""Who asks, and what they may do: the dependencies that every route of a game has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, cast

from fastapi import Depends, HTTPException, Path, Request

from api.recording import RoleError
from api.store.devices import Device
from api.store.games import Games, Record, Role

GameId = Annotated[str, Path(max_length=40, examples=["Zk3vQ8pW1aB0"])]

NO_GAME = "There is no such game, or this device is not part of it."


class NoGameError(LookupError):
    """A game that is not there, or not for this device: which of the two it does not say."""

    def __init__(self) -> None:
        super().__init__(NO_GAME)


@dataclass(frozen=True, slots=True)
class Seat:
    """A device in a game, and the game as it was when the device asked."""

    record: Record
    device: Device
    role: Role

    @property
    def game(self) -> str:
        """The game's id."""
        return self.record.id


async def device_of(request: Request) -> Device:
    """Return the device that asks. The door has looked it up; it lets nothing else in."""
    device = request.scope.get("device")
    if device is None:
        raise HTTPException(HTTPStatus.UNAUTHORIZED, "This device has not joined.")
    return cast("Device", device)


class Seats:
    """The seats at the games of a service."""

    def __init__(self, games: Games) -> None:
        self._games = games

    def of(self, game: str, device: Device) -> Seat:
        """Return a device's seat.

        Raises:
            NoGameError: if it has none.
        """
        found = self._games.seat(game, device)
        if found is None:
            raise NoGameError
        record, role = found
        return Seat(record, device, role)

    def for_roles(self, *roles: Role) -> Callable[[Device, str], Seat]:
        """Return a dependency that lets only these roles pass."""

        def seat(device: Annotated[Device, Depends(device_of)], game: GameId) -> Seat:
            found = self.of(game, device)
            if found.role not in roles:
                raise RoleError("This is for the host of the game to do." if roles == ("host",) else "Viewers look on.")
            return found

        return seat

    @property
    def any(self) -> Callable[[Device, str], Seat]:
        """A dependency that lets every member pass."""
        return self.for_roles("host", "player", "viewer")
