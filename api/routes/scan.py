"""``POST /api/scan``: a photo in, the hand out. ``POST /api/scan/frames``: several looks at one table, as one hand."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, HTTPException, Query, Request

from api.decks import LONGEST_NAME
from api.hands import ScannedHand, scanned_hand
from api.metrics import Metrics
from api.places import Place, Places
from api.scans import Scans
from api.shelf import Shelf
from vision.fusion import fuse
from vision.photo import MAX_BYTES, NotAPhotoError
from vision.scene import Scene

UPLOAD_S = 60
"""How long a photo may take to arrive, in seconds."""

_BINARY = {"schema": {"type": "string", "format": "binary", "maxLength": MAX_BYTES}}
PHOTO_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": dict.fromkeys(("image/jpeg", "image/png", "image/webp", "image/heic"), _BINARY),
    }
}
"""What the OpenAPI says of a request whose body is a photo."""

MOST_FRAMES = 8
FRAMES_TYPE = "application/octet-stream"
_FRAMES_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {FRAMES_TYPE: _BINARY},
        "description": "Pictures in turn, each behind its length in bytes as four bytes, the highest first.",
    }
}


def frames_of(body: bytes) -> list[bytes]:
    """Return the pictures in a body, each of which follows its length in four bytes.

    Raises:
        NotAPhotoError: if it holds none, too many, or ends before a picture does.

    >>> frames_of(bytes([0, 0, 0, 2]) + b"ab" + bytes([0, 0, 0, 1]) + b"c")
    [b'ab', b'c']
    """
    frames: list[bytes] = []
    start = 0
    while start < len(body):
        end = start + 4 + int.from_bytes(body[start : start + 4], "big")
        frames.append(body[start + 4 : end])
        if end > len(body) or start + 4 > len(body):
            raise NotAPhotoError("The frames end before the last of them does; send them again.")
        start = end
    if not 1 <= len(frames) <= MOST_FRAMES:
        raise NotAPhotoError(f"Between one and {MOST_FRAMES} frames can be read together, not {len(frames)}.")
    return frames


@dataclass(frozen=True, slots=True)
class PlacedHand(ScannedHand):
    """A hand that was read, and what is odd about it in its game."""

    warnings: tuple[str, ...] = ()
    fell_back: bool = False
    """Whether the service ran the networks by itself because its detector tier did not answer."""


async def photo_of(request: Request) -> bytes:
    """Return the photo in the body of a request.

    Raises:
        HTTPException: 408, if it takes too long to arrive.
    """
    try:
        async with asyncio.timeout(UPLOAD_S):
            return await request.body()
    except TimeoutError:
        raise HTTPException(
            HTTPStatus.REQUEST_TIMEOUT,
            f"The photo did not arrive within {UPLOAD_S} seconds; send it again.",
        ) from None


def scan_router(scans: Scans, places: Places, shelf: Shelf, metrics: Metrics) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["cards"])
    placed = Depends(places.of_query)

    def played(
        deck: Annotated[
            str | None, Query(max_length=LONGEST_NAME, description="The deck, where it was learnt.")
        ] = None,
    ) -> Path | None:
        return None if deck is None else shelf.file(deck)

    deck_played = Depends(played)

    @router.post("/api/scan", openapi_extra=PHOTO_BODY)
    async def scan(request: Request, place: Place = placed, deck: Path | None = deck_played) -> PlacedHand:
        """Read the cards of the photo in the body; it is dropped once it is read."""
        with scans.place():
            done = await scans.scan(await photo_of(request), place.limits, deck)
        return await placed_hand(done.scene, place, fell_back=done.fell_back)

    @router.post("/api/scan/frames", openapi_extra=_FRAMES_BODY)
    async def scan_frames(request: Request, place: Place = placed, deck: Path | None = deck_played) -> PlacedHand:
        """Read the cards of several frames of one scene together; what they disagree on is asked."""
        with scans.place():
            frames = frames_of(await photo_of(request))
            looks = [await scans.scan(frame, place.limits, deck) for frame in frames]
        fused = await to_thread.run_sync(fuse, [done.scene for done in looks], place.limits)
        return await placed_hand(fused, place, fell_back=any(done.fell_back for done in looks))

    async def placed_hand(scene: Scene, place: Place, *, fell_back: bool) -> PlacedHand:
        metrics.hand_read(scene)
        hand = scanned_hand(scene, place.rules)
        warnings = await to_thread.run_sync(place.warnings, [seen.card for seen in scene.cards])
        return PlacedHand(hand.scene, hand.score, hand.settled and not warnings, warnings, fell_back)

    return router
