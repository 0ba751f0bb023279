"""Who belongs to a game, and inviting others."""

from __future__ import annotations

from http import HTTPStatus

import segno
from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel

from api.bodies import Inviting, RoleChange
from api.invitations import Invitations
from api.live import Live
from api.recording import RoleError
from api.seats import NoGameError, Seat, Seats
from api.store.games import Games, Role


class Invited(BaseModel):
    """What to show to whoever is to join."""

    code: str
    expires: str
    link: str
    qr: str
    role: Role


class MemberLine(BaseModel):
    """A device that belongs to a game."""

    device: str
    name: str
    role: Role
    joined: str
    me: bool


def members_router(games: Games, seats: Seats, invitations: Invitations, live: Live, address: str | None) -> APIRouter:
    """Return the router.

    Args:
        address: address that invitations carry, ending in ``/``; none for the one that the request came by.
    """
    router = APIRouter(tags=["members"])
    anyone = Depends(seats.any)
    host = Depends(seats.for_roles("host"))

    def lines(seat: Seat) -> list[MemberLine]:
        return [
            MemberLine(
                device=member.device,
                name=member.name,
                role=member.role,
                joined=member.joined,
                me=member.device == seat.device.id,
            )
            for member in games.members(seat.game)
        ]

    @router.post("/api/games/{game}/invite")
    def invite(inviting: Inviting, request: Request, seat: Seat = host) -> Invited:
        """Open the game to others, by a QR code or six characters; the invitation before ends."""
        made = invitations.make(seat.game, inviting.role)
        link = f"{address or request.base_url}#table={made.secret}"
        qr = segno.make(link, error="m", micro=False).svg_inline(border=3, scale=1, omitsize=True, light="#fff")
        return Invited(code=made.code, expires=made.expires, link=link, qr=qr, role=made.role)

    @router.get("/api/games/{game}/members")
    def members(seat: Seat = anyone) -> list[MemberLine]:
        """List who belongs to the game."""
        return lines(seat)

    @router.patch("/api/games/{game}/members/{device}")
    def change(device: str, wanted: RoleChange, seat: Seat = host) -> MemberLine:
        """Give a member another role."""
        if not games.set_role(seat.game, device, wanted.role):
            raise NoGameError
        live.tell(seat.game, "members")
        return next(line for line in lines(seat) if line.device == device)

    @router.delete("/api/games/{game}/members/{device}", status_code=HTTPStatus.NO_CONTENT)
    def remove(device: str, seat: Seat = anyone) -> None:
        """Take a member out of the game; everybody may go by themselves."""
        if seat.role != "host" and device != seat.device.id:
            raise RoleError("This is for the host of the game to do.")
        if not games.set_role(seat.game, device, None):
            raise NoGameError
        live.tell(seat.game, "members")

    return router
