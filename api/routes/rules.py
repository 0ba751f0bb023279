"""``/api/rules``: the rule systems, each on a page, and a blank score sheet of each."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from api.prints import printable, sheet
from api.rulebook import Rulebook, RulesLine, RulesPage, rules_page
from api.seats import Seats, device_of
from api.store.devices import Device


def rules_router(rulebook: Rulebook, seats: Seats) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["rules"])

    @router.get("/api/rules")
    def rules(_: Annotated[Device, Depends(device_of)]) -> list[RulesLine]:
        """List the rule systems, the service's own first."""
        return rulebook.lines()

    @router.get("/api/rules/{name}")
    def page(
        name: str,
        device: Annotated[Device, Depends(device_of)],
        game: Annotated[str | None, Query(max_length=40)] = None,
    ) -> RulesPage:
        """Return a rule system on one page; with a game, as that game plays it."""
        if game is not None:
            played = seats.of(game, device).record.ledger.game.rules
            return rules_page(played.name, played)
        return rules_page(name, rulebook.get(name))

    @router.get("/api/rules/{name}/sheet", response_class=Response)
    def blank(
        name: str,
        _: Annotated[Device, Depends(device_of)],
        players: Annotated[str, Query(max_length=400)] = "",
    ) -> Response:
        """Return a blank score sheet to be printed, on one page."""
        return printable(sheet(rulebook.get(name), [part.strip() for part in players.split(",") if part.strip()]))

    return router
