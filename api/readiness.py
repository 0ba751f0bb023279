"""Whether the service can do its work just now, part by part."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from api.canary import Canary
from api.inquiry import Inquiry
from api.metrics import Metrics
from api.scans import Reader
from api.store.database import Database, StoreError

LEAST_FREE_BYTES = 50_000_000
"""Room on the disk of the games below which entries may soon not be kept; an evening takes less than 1 MB."""
ANSWER_S = 5
"""How long the database may take to answer, in seconds."""

_NO_DATABASE = "The database of the games does not answer."


class Readiness:
    """What is asked before phones are sent here.

    Args:
        database: where the games are.
        reader: what reads photos.
        canary: what sees whether it reads right; none where that is switched off.
        metrics: where the parts are noted.
    """

    def __init__(self, database: Database, reader: Reader, canary: Canary | None, metrics: Metrics) -> None:
        self._database = database
        self._reader = reader
        self._canary = canary
        self._metrics = metrics
        self._ping = Inquiry(database.ping)

    async def problems(self) -> Mapping[str, str | None]:
        """Return for each part, in a sentence, why it is not ready; none where it is."""
        found = {"database": await self._database_problem(), "workers": self._reader.problem()}
        if self._database.is_sqlite:
            found["disk"] = disk_problem(self._database.path.parent)
        if self._canary:
            found["canary"] = self._canary.problem()
        self._metrics.parts_checked(found)
        return found

    async def _database_problem(self) -> str | None:
        try:
            await self._ping.answer(ANSWER_S)
        except (StoreError, TimeoutError):
            return _NO_DATABASE
        return None


def disk_problem(folder: Path, least: int = LEAST_FREE_BYTES) -> str | None:
    """Return in a sentence why entries may soon not be kept in a folder; none where there is room.

    Args:
        folder: where the games are.
        least: bytes that must be free.

    >>> disk_problem(Path("nowhere at all"))
    'The folder of the games cannot be written to.'
    """
    if not os.access(folder, os.W_OK):
        return "The folder of the games cannot be written to."
    if shutil.disk_usage(folder).free < least:
        return f"Less than {least // 10**6} MB are free on the disk of the games."
    return None
