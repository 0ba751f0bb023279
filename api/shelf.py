"""The decks as a service has them: kept in the database, and at hand as files for the processes that read photos."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from api.decks import NoDeckError, Taught, check_name
from api.store.database import StoreError
from api.store.decks import Decks, digest_of
from api.store.notices import Notices
from vision.deck import LearntDeck
from vision.reader import DeckError

TOPIC = "deck"
TRIES = 5
"""How often a photo is learnt from before it is given back: each time another one was quicker."""
AT_HAND_S = 3600
"""How long a file that nobody asks for any more stays, in seconds: longer than any photo is waited for and read."""

_log = logging.getLogger("meldsight")


class CrowdedDeckError(RuntimeError):
    """A deck that others change all the time."""

    retry_after_s = 2

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Others are adding photos to the deck {name!r} just now, and this one was not added: send it again."
        )


class Shelf:
    """The decks of one database, with a folder of those that were asked for.

    A file is called by its content's hash, so it is right or it is written anew, and it is never another deck than the
    one that was asked for. The folder may be emptied at any time.

    Args:
        decks: where they are kept.
        notices: what other services tell of them.
        folder: where the files are; it need not be there yet.
    """

    def __init__(self, decks: Decks, notices: Notices, folder: Path) -> None:
        self._decks = decks
        self._notices = notices
        self._folder = folder
        notices.subscribe({TOPIC}, lambda *_: self._catch_up(), self._catch_up)

    def names(self) -> list[str]:
        """Return the decks' names, in order."""
        return self._decks.names()

    def file(self, name: str) -> Path:
        """Return a file of a deck as it is now; it stays for an hour.

        Raises:
            DeckNameError: if a deck cannot be called so.
            NoDeckError: if there is none of this name.
            DeckError: if the file cannot be written.
        """
        path = self._file(name)
        if path is None:
            raise NoDeckError(name)
        return path

    def check_room(self, name: str) -> None:
        """Refuse a name that cannot be had.

        Raises:
            DeckNameError: if a deck cannot be called so.
            TooManyDecksError: if there are too many.
        """
        check_name(name)
        self._decks.check_room(name)

    def add(self, name: str, learn: Callable[[Path | None], Taught]) -> Taught:
        """Add to a deck, or begin it. Where another adds to it at the same time, both count.

        Args:
            name: the deck.
            learn: returns the deck with what is to be added, given the file of what it was, if it was any; called
                again where it has become another meanwhile. What it raises is passed on, and then nothing is written.

        Raises:
            DeckNameError: if a deck cannot be called so.
            TooManyDecksError: if there are too many.
            CrowdedDeckError: if others were quicker each time.
        """
        for _ in range(TRIES):
            before = self._file(name)
            try:
                taught = learn(before)
            except DeckError:
                if before is None or before.is_file():
                    raise
                # It was forgotten before it could be opened: begun anew it can be learnt.
                continue
            if self._decks.put(name, taught.content, before.stem if before else None):
                return taught
        raise CrowdedDeckError(name)

    def forget(self, name: str) -> None:
        """Remove a deck, here and at the other services.

        Raises:
            DeckNameError: if a deck cannot be called so.
            NoDeckError: if there is none of this name.
        """
        check_name(name)
        if not self._decks.forget(name):
            raise NoDeckError(name)
        shutil.rmtree(self._folder / name, ignore_errors=True)
        self._notices.send(TOPIC, name)

    def take_over(self, folder: Path) -> None:
        """Bring the decks of a folder into the database, where they were kept before; each file goes once it is there.

        A file stays, and a line in the log says why, where there is a deck of its name already, where there are too
        many, or where it is no deck.
        """
        for path in sorted(folder.glob("*.npz")):
            try:
                check_name(path.stem)
                content = replace(LearntDeck.open(path), name=path.stem).to_bytes()
                is_there = self._decks.put(path.stem, content, None) or (
                    # It was written down before, but its file could not be removed then.
                    self._decks.digest(path.stem) == digest_of(content)
                )
                if not is_there:
                    raise DeckError(f"There is another deck {path.stem!r}; rename the file, and it is taken over.")
                path.unlink(missing_ok=True)
            except (ValueError, OSError) as error:
                _log.warning("The deck file %s stays where it is: %s", path, error)

    def tidy(self) -> None:
        """Remove the files that nobody asks for any more, and all of decks that were forgotten."""
        # First the folders, then the names: what is learnt in between has both.
        folders = [path for path in self._folder.glob("*") if path.is_dir()]
        names = set(self._decks.names())
        for folder in folders:
            if folder.name in names:
                _clear(folder)
            else:
                shutil.rmtree(folder, ignore_errors=True)

    def _file(self, name: str) -> Path | None:
        """The file of a deck as it is now; none if there is no such deck."""
        check_name(name)
        digest = self._decks.digest(name)
        if digest is None:
            return None
        path = self._folder / name / f"{digest}.npz"
        try:
            with suppress(FileNotFoundError):
                # As it was asked for just now, nobody clears it away.
                os.utime(path)
                if digest_of(path.read_bytes()) == digest:
                    return path
            # It may have become another just now; this one is as good.
            content = self._decks.content(name)
            if content is None:
                return None
            path = path.with_stem(digest_of(content))
            path.parent.mkdir(parents=True, exist_ok=True)
            _clear(path.parent)
            # Whole or not at all: others may write the same file, and read it.
            part = path.with_suffix(f".{secrets.token_hex(4)}.part")
            part.write_bytes(content)
            part.replace(path)
        except OSError as error:
            raise DeckError(f"The deck {name!r} cannot be written to {path.parent}: {error.strerror}.") from error
        return path

    def _catch_up(self) -> None:
        try:
            self.tidy()
        except StoreError as error:
            # They are harmless; the next start removes them.
            _log.warning("The files of forgotten decks could not be removed: %s", error)


def _clear(folder: Path) -> None:
    for path in folder.glob("*"):
        # What another removes at the same time is gone, and what is held open goes another time.
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - AT_HAND_S:
                path.unlink()
