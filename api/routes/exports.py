"""A game as CSV, JSON or a page to be printed; and the history of finished games."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response

from api.exports import to_csv, to_json
from api.history import History, history
from api.prints import printable, score_page
from api.scoreboard import scoreboard
from api.seats import Seat, Seats, device_of
from api.store.devices import Device
from api.store.games import Games


def exports_router(games: Games, seats: Seats) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["exports"])
    anyone = Depends(seats.any)

    def attached(seat: Seat, suffix: str) -> dict[str, str]:
        return {"Content-Disposition": f'attachment; filename="meldsight-{seat.game}.{suffix}"'}

    @router.get("/api/games/{game}/export.csv", response_class=Response)
    def as_csv(seat: Seat = anyone) -> Response:
        """Return a game for spreadsheets."""
        text = to_csv(scoreboard(seat.record, seat.role, {}))
        return Response(text, media_type="text/csv; charset=utf-8", headers=attached(seat, "csv"))

    @router.get("/api/games/{game}/export.json")
    def as_json(response: Response, seat: Seat = anyone) -> dict[str, Any]:
        """Return a game with every entry, as ``meldsight games restore`` reads it."""
        response.headers.update(attached(seat, "json"))
        return to_json(seat.record)

    @router.get("/api/games/{game}/print", response_class=Response)
    def as_page(seat: Seat = anyone) -> Response:
        """Return a game as a page to be printed."""
        return printable(score_page(scoreboard(seat.record, seat.role, {})))

    @router.get("/api/history")
    def past(device: Annotated[Device, Depends(device_of)]) -> History:
        """Return this device's finished games, and what they say of the players."""
        records = (games.record(game) for game, _ in games.ids(device))
        return history(record for record in records if record)

    return router
