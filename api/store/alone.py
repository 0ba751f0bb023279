"""One service to a SQLite file: each wakes only its own phones, so two on one file would leave phones behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from api.store.database import StoreError, file_of


class TakenError(StoreError):
    """A file that a service uses."""


@contextmanager
def only_service(url: str) -> Iterator[None]:
    """Be the one service of a database that takes one; the system ends the lock with the process, however that ends.

    The lock is a file of its own beside the games, so whoever lists, exports or copies them is not kept out.

    Args:
        url: the database, as ``Database`` takes it. PostgreSQL takes any number of services.

    Raises:
        TakenError: if another service uses the file.
        StoreError: if the lock cannot be made.
    """
    path = file_of(url)
    if path is None:
        yield
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}.") from error
    try:
        if not _take(handle):
            raise TakenError(
                f"Another meldsight serve uses {path}, and a SQLite file takes one: stop that one, or keep the games "
                "in PostgreSQL (MELDSIGHT_DATABASE_URL=postgresql://user:password@host/name), which takes many."
            )
        yield
    finally:
        os.close(handle)


def _take(handle: int) -> bool:
    """Lock an open file until it is closed; return whether that was to be had."""
    if sys.platform == "win32":
        import msvcrt

        with suppress(OSError):
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            return True
        return False
    import fcntl

    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
