"""Invitations to a game: a secret for the QR code, and six characters to type for ten minutes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from api.store.devices import Device
from api.store.games import Games, Role
from api.store.guesses import MINUTES, Guesses

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""No I and O, no 0 and 1."""
LENGTH = 6


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

    def __init__(self, games: Games, guesses: Guesses) -> None:
        self._games = games
        self._guesses = guesses

    def make(self, game: str, role: Role) -> Invitation:
        """Return a new invitation to a game; the one before ends."""
        expires = (datetime.now(UTC) + timedelta(minutes=MINUTES)).strftime("%Y-%m-%dT%H:%M:%SZ")
        code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        invitation = Invitation(code, secrets.token_urlsafe(16), expires, role)
        self._games.invite(game, role, invitation.secret, code, expires)
        return invitation

    def opens(self, address: str, *, secret: str | None, code: str | None) -> bool:
        """Return whether a secret or a code opens a game, and count the codes that open none.

        Raises:
            TriesError: if too many codes were tried from this address.
        """
        if code is None:
            return secret is not None and self._games.is_open_to(secret)
        return self._guesses.take(address, read_code(code))

    def accept(self, device: Device, *, secret: str | None, code: str | None) -> str | None:
        """Let a device into the game that a secret or a code opens, and return the game."""
        return self._games.accept(device, secret=secret, code=None if code is None else read_code(code))
