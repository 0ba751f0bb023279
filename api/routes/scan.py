"""``POST /api/scan``: a photo in, the hand out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Depends, HTTPException, Request

from api.hands import ScannedHand, scanned_hand
from api.places import Place, Places
from api.scans import Scans
from vision.photo import MAX_BYTES

UPLOAD_S = 60
"""How long a photo may take to arrive, in seconds."""

_BINARY = {"schema": {"type": "string", "format": "binary", "maxLength": MAX_BYTES}}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": dict.fromkeys(("image/jpeg", "image/png", "image/webp", "image/heic"), _BINARY),
    }
}


@dataclass(frozen=True, slots=True)
class PlacedHand(ScannedHand):
    """A hand that was read, and what is odd about it in its game."""

    warnings: tuple[str, ...] = ()


def scan_router(scans: Scans, places: Places) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["cards"])

    async def photo(request: Request) -> bytes:
        try:
            async with asyncio.timeout(UPLOAD_S):
                return await request.body()
        except TimeoutError:
            raise HTTPException(
                HTTPStatus.REQUEST_TIMEOUT,
                f"The photo did not arrive within {UPLOAD_S} seconds; send it again.",
            ) from None

    placed = Depends(places.of_query)

    @router.post("/api/scan", openapi_extra=_BODY)
    async def scan(request: Request, place: Place = placed) -> PlacedHand:
        """Read the cards of the photo in the body; it is dropped once it is read."""
        with scans.place():
            scene = await scans.scan(await photo(request), *place.packs)
        hand = scanned_hand(scene, place.rules)
        warnings = await to_thread.run_sync(place.warnings, [seen.card for seen in scene.cards])
        return PlacedHand(hand.scene, hand.score, hand.settled and not warnings, warnings)

    return router
