"""Invitations to a game: a secret for the QR code, and six characters to type for ten minutes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from api.limits import Buckets
from api.store.devices import Device
from api.store.games import Games, Role

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""No I and O, no 0 and 1."""
LENGTH = 6
MINUTES = 10
TRIES_PER_MINUTE = 5
WRONG_TRIES = 20
"""After so many in all, every code ends: a guesser has had 20 of 2^30."""


class TriesError(RuntimeError):
    """Too many codes tried from one address."""

    retry_after_s = 60 // TRIES_PER_MINUTE


@dataclass(frozen=True, slots=True)
class Invitation:
    """What lets others into a game."""

    code: str
    secret: str
    expires: str
    role: Role


def read_code(text: str) -> str:
    """Return a code as it was made, however it was typed.

    >>> read_code("k7m 2qx")
    'K7M2QX'
    """
    return "".join(text.split()).upper()


class Invitations:
    """The invitations of a service."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._tries = Buckets(per_second=TRIES_PER_MINUTE / 60, burst=TRIES_PER_MINUTE)
        self._wrong = 0

    def make(self, game: str, role: Role) -> Invitation:
        """Return a new invitation to a game; the one before ends."""
        expires = (datetime.now(UTC) + timedelta(minutes=MINUTES)).strftime("%Y-%m-%dT%H:%M:%SZ")
        code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        invitation = Invitation(code, secrets.token_urlsafe(16), expires, role)
        self._games.invite(game, role, invitation.secret, code, expires)
        return invitation

    def opens(self, address: str, *, secret: str | None, code: str | None) -> bool:
        """Return whether a secret or a code opens a game, and count the tries.

        Raises:
            TriesError: if too many codes were tried from this address.
        """
        if code is None:
            return self._games.is_open_to(secret=secret)
        if self._tries.wait(address):
            raise TriesError("Too many codes were tried; wait a moment, then type it again.")
        if self._games.is_open_to(code=read_code(code)):
            return True
        self._wrong += 1
        if self._wrong >= WRONG_TRIES:
            self._wrong = 0
            self._games.end_codes()
        return False

    def accept(self, device: Device, *, secret: str | None, code: str | None) -> str | None:
        """Let a device into the game that a secret or a code opens, and return the game."""
        return self._games.accept(device, secret=secret, code=None if code is None else read_code(code))
