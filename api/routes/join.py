"""``POST /api/join``: the secret of the QR code against a cookie for this device."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel, Field

from api.door import COOKIE, COOKIE_AGE_S, Guests


class Invitation(BaseModel):
    """What the QR code carries."""

    secret: Annotated[str, Field(max_length=200)]


def join_router(guests: Guests) -> APIRouter:
    """Return the router."""
    router = APIRouter()

    @router.post("/api/join", status_code=HTTPStatus.NO_CONTENT)
    async def join(invitation: Invitation, request: Request, response: Response) -> None:
        """Let a device in."""
        token = guests.admit(invitation.secret)
        if token is None:
            raise HTTPException(
                HTTPStatus.FORBIDDEN,
                "This code is not valid any more; scan the QR code that Meldsight shows now.",
            )
        response.set_cookie(
            COOKIE,
            token,
            max_age=COOKIE_AGE_S,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )

    return router
