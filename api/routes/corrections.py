"""``POST /api/corrections``: a photo that a player gives for training, with what is really on it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, HTTPException, Query, Request

from api.corrections import Correction, Corrections
from api.metrics import Metrics
from api.places import Place, Places
from api.routes.scan import PHOTO_BODY, photo_of
from api.scans import Scans
from vision.photo import read_photo

Codes = Annotated[str, Query(max_length=700, examples=["9C KD -"])]


def corrections_router(corrections: Corrections | None, scans: Scans, places: Places, metrics: Metrics) -> APIRouter:
    """Return the router.

    Args:
        corrections: where the photos go; none where no photo is kept.
        scans: what reads them.
        places: by which packs they are read.
        metrics: where each is counted.
    """
    router = APIRouter(tags=["cards"])
    placed = Depends(places.of_query)

    @router.post("/api/corrections", status_code=HTTPStatus.NO_CONTENT, openapi_extra=PHOTO_BODY)
    async def give(
        request: Request,
        read: Codes = "",
        cards: Codes = "",
        added: Codes = "",
        place: Place = placed,
    ) -> None:
        """Keep the photo in the body with its corrected cards; only for players who said that they give it.

        ``read`` are the cards that a scan of it gave, ``cards`` what each of them is (``-`` where it is no card), and
        ``added`` those that it did not see.
        """
        if corrections is None:
            raise HTTPException(HTTPStatus.FORBIDDEN, "This service keeps no photos.")
        correction = Correction.of(read.split(), cards.split(), added.split())
        with scans.place():
            data = await photo_of(request)
            # Read once more, so that the boxes are those of the pixels that are kept, and nobody else's word.
            scene = (await scans.scan(data, place.limits)).scene
            # A worker has opened these bytes a moment ago, and came to no harm.
            photo = await to_thread.run_sync(read_photo, data)
            await to_thread.run_sync(corrections.keep, photo, scene, correction)
        metrics.correction_kept()

    return router
