"""``/api/join`` and ``/api/me``: a secret or a code against a cookie for this device, and what the device is."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from pydantic import BaseModel

from api.bodies import DeviceName, Joining
from api.door import COOKIE, Guests, cookie_of, device_name
from api.invitations import Invitations
from api.live import Live
from api.seats import device_of
from api.store.devices import Device, Devices

_WRONG = "This code is not valid any more; scan the QR code that Meldsight shows now."


class Joined(BaseModel):
    """A device that is in."""

    device: str
    name: str
    game: str | None


class Me(BaseModel):
    """The device that asks."""

    device: str
    name: str
    secure: bool
    """Whether it came over HTTPS."""
    ca: bool
    """Whether there is a certificate authority to install."""
    keeps: bool
    """Whether the service keeps corrected photos of players who give them for training."""


def join_router(
    guests: Guests, devices: Devices, invitations: Invitations, live: Live, *, has_authority: bool, keeps_photos: bool
) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["devices"])

    @router.post("/api/join")
    def join(joining: Joining, request: Request, response: Response) -> Joined:
        """Let a device in: by the secret of the service, by a game's secret, or by a game's code."""
        device: Device | None = request.scope.get("device")
        address = request.client.host if request.client else ""
        to_game = joining.table is not None or joining.code is not None
        if to_game:
            is_right = invitations.opens(address, secret=joining.table, code=joining.code)
        else:
            is_right = guests.knows(joining.secret) or (device is not None and joining.secret is None)
        if not is_right:
            raise HTTPException(HTTPStatus.FORBIDDEN, _WRONG)
        if device is None:
            device, token = guests.admit(joining.name or device_name(request.headers.get("user-agent", "")))
            response.headers["Set-Cookie"] = cookie_of(token, is_secure=request.url.scheme == "https")
        elif joining.name:
            device = devices.rename(device, joining.name)
        game = invitations.accept(device, secret=joining.table, code=joining.code) if to_game else None
        if game is not None:
            live.tell(game, "members")
        return Joined(device=device.id, name=device.name, game=game)

    def told(device: Device, request: Request) -> Me:
        is_secure = request.url.scheme == "https"
        return Me(device=device.id, name=device.name, secure=is_secure, ca=has_authority, keeps=keeps_photos)

    @router.get("/api/me")
    def me(request: Request, device: Annotated[Device, Depends(device_of)]) -> Me:
        """Say which device this is."""
        return told(device, request)

    @router.patch("/api/me")
    def rename(name: DeviceName, request: Request, device: Annotated[Device, Depends(device_of)]) -> Me:
        """Give this device another name."""
        return told(devices.rename(device, name.name), request)

    @router.delete("/api/me", status_code=HTTPStatus.NO_CONTENT)
    def leave(response: Response, device: Annotated[Device, Depends(device_of)]) -> None:
        """End this device's token."""
        devices.put_out(device)
        response.delete_cookie(COOKIE)

    return router
