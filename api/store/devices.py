"""The devices that have joined. Their tokens are kept as hashes, so a copied database lets nobody in."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from threading import Lock

import sqlalchemy as sa

from api.store.database import Database, now
from api.store.notices import Notices
from api.store.tables import DEVICES

TOPIC = "device"
REMEMBERED_S = 10
"""How long a token that was looked up is taken as known. The other services on one database are told when it ends, and
forget it at once; one that cannot be told, because its connection is cut, has learnt it by then."""
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
    """The devices of one database.

    Args:
        database: where they are.
        notices: what other services tell of them.
    """

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database = database
        self._notices = notices
        self._remembered: dict[bytes, tuple[Device, float]] = {}
        self._changes = 0
        self._lock = Lock()
        notices.subscribe({TOPIC}, lambda _, device: self._forget(device), self._forget_all)

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
        changes = self._changes
        with self._database.reading() as connection:
            row = connection.execute(sa.select(DEVICES.c.id, DEVICES.c.name).where(DEVICES.c.token == key)).first()
        device = None if row is None else Device(row.id, row.name)
        with self._lock:
            if device is None:
                self._remembered.pop(key, None)
            elif changes == self._changes:
                # What was forgotten while it was looked up stays forgotten.
                if len(self._remembered) >= MOST_REMEMBERED:
                    self._remembered.clear()
                self._remembered[key] = device, time.monotonic() + REMEMBERED_S
        return device

    def rename(self, device: Device, name: str) -> Device:
        """Return the device under another name; what it wrote before keeps the name of then."""
        with self._database.writing() as connection:
            connection.execute(DEVICES.update().where(DEVICES.c.id == device.id).values(name=name))
        self._tell(device)
        return Device(device.id, name)

    def put_out(self, device: Device) -> None:
        """End a device's token."""
        with self._database.writing() as connection:
            connection.execute(DEVICES.update().where(DEVICES.c.id == device.id).values(token=None))
        self._tell(device)

    def _tell(self, device: Device) -> None:
        self._forget(device.id)
        self._notices.send(TOPIC, device.id)

    def _forget(self, device: str) -> None:
        with self._lock:
            self._changes += 1
            self._remembered = {key: known for key, known in self._remembered.items() if known[0].id != device}

    def _forget_all(self) -> None:
        with self._lock:
            self._changes += 1
            self._remembered.clear()
