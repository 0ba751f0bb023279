"""``POST /api/scan``: a photo in, the hand out."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, HTTPException, Request

from api.hands import ScannedHand, scanned_hand
from api.scans import Scans
from engine.rules import Rules
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


def scan_router(scans: Scans, rules: Rules) -> APIRouter:
    """Return the router."""
    router = APIRouter()

    async def photo(request: Request) -> bytes:
        try:
            async with asyncio.timeout(UPLOAD_S):
                return await request.body()
        except TimeoutError:
            raise HTTPException(
                HTTPStatus.REQUEST_TIMEOUT,
                f"The photo did not arrive within {UPLOAD_S} seconds; send it again.",
            ) from None

    @router.post("/api/scan", openapi_extra=_BODY)
    async def scan(request: Request) -> ScannedHand:
        """Read the cards of the photo in the body; it is dropped once it is read."""
        with scans.place():
            return scanned_hand(await scans.scan(await photo(request)), rules)

    return router
