"""``/api/decks``: decks learnt from photos of their cards, which a person names."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from anyio import Lock, to_thread
from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel

from api.decks import LONGEST_NAME, DeckLine, deck_line, names_of
from api.recording import RoleError
from api.routes.scan import PHOTO_BODY, photo_of
from api.scans import Scans
from api.seats import device_of
from api.shelf import Shelf
from api.store.devices import Device
from api.store.games import Games
from vision.deck import LearntDeck
from vision.reader import DeckError

LONGEST_LIST = 1000
"""Most signs of the names of one photo's places."""


class Surveyed(BaseModel):
    """Every place of a photo that may show a card."""

    scene: dict[str, Any]


def decks_router(shelf: Shelf, scans: Scans, games: Games) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["decks"])
    turn = Lock()
    """Of two photos that were learnt from at once, one would have to be once more, on top of the other."""

    def owner(device: Annotated[Device, Depends(device_of)]) -> Device:
        roles = {role for _, role in games.ids(device)}
        if roles and "host" not in roles:
            raise RoleError("Decks are for the host of a game to change.")
        return device

    owned = Depends(owner)

    @router.get("/api/decks")
    def known(_: Annotated[Device, Depends(device_of)]) -> list[DeckLine]:
        """List the decks; what is none is left out."""
        lines = []
        for name in shelf.names():
            try:
                lines.append(deck_line(LearntDeck.open(shelf.file(name))))
            except (DeckError, LookupError):
                continue
        return lines

    @router.post("/api/decks/survey", openapi_extra=PHOTO_BODY)
    async def survey(request: Request, _: Device = owned) -> Surveyed:
        """Return every place of the photo in the body that may show a card, for a person to name."""
        with scans.place():
            scene = await scans.survey(await photo_of(request))
        return Surveyed(scene=scene.to_json())

    @router.post("/api/decks/photos", openapi_extra=PHOTO_BODY)
    async def add(
        request: Request,
        name: Annotated[str, Query(max_length=LONGEST_NAME)],
        cards: Annotated[str, Query(max_length=LONGEST_LIST, examples=["AC 2C - JK ?"])],
        _: Device = owned,
    ) -> DeckLine:
        """Add the photo in the body to a deck, or begin it, with what the places of its survey are.

        The pictures of the places that are named are kept where the scores are; the photo is not.
        """
        names = names_of(cards)
        await to_thread.run_sync(shelf.check_room, name)
        with scans.place():
            data = await photo_of(request)
            async with turn:
                return await scans.teach(data, names, name, shelf)

    @router.delete("/api/decks/{name}", status_code=HTTPStatus.NO_CONTENT)
    async def forget(name: str, _: Device = owned) -> None:
        """Remove a deck, with the pictures of its indices."""
        await to_thread.run_sync(shelf.forget, name)

    return router
