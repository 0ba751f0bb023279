"""The canary: a picture whose cards are known, read again and again by what reads the players' photos.

A reader that has gone blind answers like one that sees no cards, and nobody notices. So a rendered picture that lies
beside the weights goes the same way as photos do, and when what comes back is not what lies on it, or nothing comes
back, the service says that it is not ready.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from api.inquiry import Inquiry
from api.metrics import Metrics
from api.scans import Reader
from engine.cards import Card, print_cards
from vision.limits import Limits
from vision.scanner import MODELS, ModelError

LIMIT_S = 25
"""How long the picture may take to be read, its turn included: no answer by then is a failure."""
AGAIN_S = 10
"""How soon it is read again after a failure."""
QUIET_S = 4
"""How long it lets photos go first while there are as many as are read at once."""
SLACK_S = LIMIT_S + QUIET_S + 30
"""How much older than its turn the last right reading may be."""

_log = logging.getLogger("meldsight")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture file, and what lies on it."""

    data: bytes
    cards: tuple[Card, ...]


def load_picture(folder: Path = MODELS) -> Picture:
    """Return the picture that lies beside the weights; ``datasets.samples`` renders it.

    Raises:
        ModelError: if it does not.
    """
    try:
        told = json.loads((folder / "canary.json").read_text(encoding="utf-8"))
        return Picture((folder / told["photo"]).read_bytes(), tuple(Card(code) for code in told["cards"]))
    except FileNotFoundError as error:
        raise ModelError(f"{error.filename} is missing: the test picture belongs beside the weights.") from None


def difference(expected: Sequence[Card], found: Sequence[Card]) -> str | None:
    """Return in a sentence how the cards found differ from those on the picture; none where they agree.

    >>> nine, king = Card("9C"), Card("KD")
    >>> difference([nine, king], [king, nine]) is None
    True
    >>> difference([nine, nine], [nine]), difference([nine], [])
    ('The test picture was read wrong: 9C not seen.', 'The test picture was read as showing no cards.')
    """
    if not found:
        return "The test picture was read as showing no cards."
    missed, invented = Counter(expected) - Counter(found), Counter(found) - Counter(expected)
    parts = [
        f"{print_cards(tuple(cards.elements()))} {what}"
        for cards, what in ((missed, "not seen"), (invented, "not on it"))
        if cards
    ]
    return f"The test picture was read wrong: {', '.join(parts)}." if parts else None


class Canary:
    """Reads the picture now and then, and after a failure soon again.

    Args:
        reader: what reads the photos of players.
        picture: the picture.
        minutes: time between two readings.
        is_busy: whether a reading now would keep a photo waiting.
        metrics: where each reading is counted.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        reader: Reader,
        picture: Picture,
        minutes: float,
        is_busy: Callable[[], bool],
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._picture = picture
        self._reading = Inquiry(lambda: reader.read(picture.data, Limits()))
        self._every_s = minutes * 60
        self._is_busy = is_busy
        self._metrics = metrics
        self._clock = clock
        self._problem: str | None = "The test picture has not been read yet."
        self._right_at = clock()

    def problem(self) -> str | None:
        """Return in a sentence why what is read now may be wrong; none where the last reading was right."""
        if self._problem is None and self._clock() - self._right_at > self._every_s + SLACK_S:
            return "The test picture has not been read for too long."
        return self._problem

    async def watch(self) -> None:
        """Read the picture at once, and then for as long as the service runs."""
        while True:
            await self._let_photos_go_first()
            await self.look()
            await asyncio.sleep(AGAIN_S if self._problem else self._every_s)

    async def look(self) -> None:
        """Read the picture once, and remember how that went."""
        outcome, problem = await self._outcome()
        self._metrics.canary_read(outcome)
        if problem is None:
            self._right_at = self._clock()
        if problem != self._problem:
            if problem is None:
                _log.info("the test picture is read right")
            else:
                _log.error("%s Photos may be read wrong too.", problem)
        self._problem = problem

    async def _outcome(self) -> tuple[str, str | None]:
        try:
            done = await self._reading.answer(LIMIT_S)
        except TimeoutError:
            return "late", f"The test picture was not read within {LIMIT_S} seconds."
        except Exception as error:  # Whatever a reader trips over, photos will meet it too.
            return "failed", f"The test picture could not be read ({type(error).__name__})."
        problem = difference(self._picture.cards, [seen.card for seen in done.scene.cards])
        return "wrong" if problem else "right", problem

    async def _let_photos_go_first(self) -> None:
        until = self._clock() + QUIET_S
        while self._is_busy() and self._clock() < until:
            await asyncio.sleep(1)
