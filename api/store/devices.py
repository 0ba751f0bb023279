"""The devices that have joined. Their tokens are kept as hashes, so a copied database lets nobody in."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass

import sqlalchemy as sa

from api.store.database import Database, now
from api.store.tables import DEVICES

REMEMBERED_S = 10
"""How long a token that was looked up is taken as known: other programs on one database learn by then."""
MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Device:
    """A phone or a computer that has joined."""

    id: str
    name: str


def hashed(secret: str) -> bytes:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode()).digest()


class Devices:
    """The devices of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._remembered: dict[bytes, tuple[Device, float]] = {}

    def admit(self, name: str) -> tuple[Device, str]:
        """Return a new device, and the token that it will show."""
        device = Device(f"d_{secrets.token_hex(8)}", name)
        token = secrets.token_urlsafe(32)
        with self._database.writing() as connection:
            connection.execute(
                DEVICES.insert().values(id=device.id, name=name, token=hashed(token), joined=now()),
            )
        return device, token

    def remembered(self, token: str) -> Device | None:
        """Return the device of a token that was looked up a moment ago."""
        device, until = self._remembered.get(hashed(token), (None, 0.0))
        return device if time.monotonic() < until else None

    def of(self, token: str) -> Device | None:
        """Return the device that shows this token; none if it was never given, or has ended."""
        key = hashed(token)
        with self._database.reading() as connection:
            row = connection.execute(sa.select(DEVICES.c.id, DEVICES.c.name).where(DEVICES.c.token == key)).first()
        if row is None:
            self._remembered.pop(key, None)
            return None
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        device = Device(row.id, row.name)
        self._remembered[key] = device, time.monotonic() + REMEMBERED_S
        return device

    def rename(self, device: Device, name: str) -> Device:
        """Return the device under another name; what it wrote before keeps the name of then."""
        with self._database.writing() as connection:
            connection.execute(DEVICES.update().where(DEVICES.c.id == device.id).values(name=name))
        self._forget(device.id)
        return Device(device.id, name)

    def put_out(self, device: Device) -> None:
        """End a device's token."""
        with self._database.writing() as connection:
            connection.execute(DEVICES.update().where(DEVICES.c.id == device.id).values(token=None))
        self._forget(device.id)

    def _forget(self, device: str) -> None:
        self._remembered = {key: known for key, known in self._remembered.items() if known[0].id != device}
