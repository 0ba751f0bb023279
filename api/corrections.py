"""Photos that players gave for training, each with the cards that they say are on it, in a folder.

Nothing else of a photo is ever kept. It is written anew from its pixels, so that place, time and camera stay behind;
who gave it is not written down.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from PIL import Image

from api.store.database import StoreFullError
from engine.cards import UNKNOWN, Card
from vision.photo import Photo
from vision.scene import Box, Scene

NO_CARD = "-"
"""What a person says of something that was read as a card and is none."""
MOST_PHOTOS = 5_000
"""Photos kept; somebody should look through them before there are more."""
QUALITY = 95


class CorrectionError(ValueError):
    """A correction that does not fit its photo."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person made of what was read."""

    read: tuple[Card, ...]
    """The cards as they were read, in the order of the scene."""
    put: tuple[Card | None, ...]
    """What each of these is; none where it is no card."""
    added: tuple[Card, ...] = ()
    """Cards that lie there too and were not read: nobody says where."""

    @classmethod
    def of(cls, read: Sequence[str], put: Sequence[str], added: Sequence[str]) -> Correction:
        """Return the correction that these codes write.

        Raises:
            CorrectionError: if it does not fit what was read, or corrects nothing.
            UnreadableError: if a code is none.

        >>> Correction.of(["9C", "KD"], ["8C", "-"], []).put
        (Card('8C'), None)
        """
        made = cls(
            tuple(map(Card.parse, read)),
            tuple(None if code == NO_CARD else Card.parse(code) for code in put),
            tuple(map(Card.parse, added)),
        )
        if len(made.put) != len(made.read):
            raise CorrectionError(f"{len(made.read)} cards were read, and {len(made.put)} are said to be there.")
        if UNKNOWN in (*made.put, *made.added):
            raise CorrectionError("A correction names every card; one of these is still unread.")
        if made.put == made.read and not made.added:
            raise CorrectionError("Nothing was corrected on this photo, so it is not kept.")
        return made


@dataclass(frozen=True, slots=True)
class LabelledPhoto:
    """One photo of the folder."""

    photo: Path
    size_wh: tuple[int, int]
    boxes: tuple[tuple[Card, Box], ...]
    """Corner indices with the card that a person says they belong to; x_min, y_min, x_max, y_max in pixels."""
    cards: tuple[Card, ...]
    """All cards that lie there."""
    is_whole: bool
    """Whether every card that lies there has a box."""


def labelled_boxes(scene: Scene, correction: Correction) -> tuple[tuple[Card, Box], ...]:
    """Return the corner indices of a scene with the cards that they belong to by a person's word."""
    return tuple(
        (card, scene.corners[place].box)
        for seen, card in zip(scene.cards, correction.put, strict=True)
        if card is not None
        for place in seen.corners
    )


class Corrections:
    """The corrected photos of a folder.

    Args:
        folder: where they are; made when the first comes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, photo: Photo, scene: Scene, correction: Correction) -> None:
        """Write down a photo with its cards; the same photo again takes the place of the first.

        Args:
            photo: the upright photo.
            scene: what was read on it.
            correction: what a person made of that.

        Raises:
            CorrectionError: if the scene shows other cards than were corrected.
            StoreFullError: if there are many photos already, or the disk is full.
        """
        if tuple(seen.card for seen in scene.cards) != correction.read:
            raise CorrectionError("This photo reads otherwise now than when it was corrected, so it is not kept.")
        target = io.BytesIO()
        Image.fromarray(photo.pixels).save(target, "JPEG", quality=QUALITY)
        name = sha256(photo.pixels.tobytes()).hexdigest()[:20]
        label = {
            "photo": f"{name}.jpg",
            "size": list(scene.size_wh),
            "read": [card.code for card in correction.read],
            "cards": [card.code for card in (*correction.put, *correction.added) if card],
            "added": [card.code for card in correction.added],
            "boxes": [[card.code, *box] for card, box in labelled_boxes(scene, correction)],
        }
        if sum(1 for _ in self._folder.glob("*.json")) >= MOST_PHOTOS:
            raise StoreFullError(f"{MOST_PHOTOS} photos for training are kept already; this one is not.")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # The label comes last: without one a photo does not count as kept.
            _write(self._folder / f"{name}.jpg", target.getvalue())
            _write(self._folder / f"{name}.json", json.dumps(label).encode())
        except OSError as error:
            raise StoreFullError("The photo could not be kept: its folder cannot be written to.") from error

    def __iter__(self) -> Iterator[LabelledPhoto]:
        """Yield the photos, sorted by name.

        Raises:
            CorrectionError: if a label is damaged.
        """
        for path in sorted(self._folder.glob("*.json")):
            try:
                yield _labelled(self._folder, json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, LookupError, TypeError) as error:
                raise CorrectionError(f"{path} is no label of a corrected photo: {error}.") from error


def _labelled(folder: Path, label: Mapping[str, Any]) -> LabelledPhoto:
    width, height = label["size"]
    return LabelledPhoto(
        photo=folder / Path(label["photo"]).name,
        size_wh=(int(width), int(height)),
        boxes=tuple((Card(code), (x0, y0, x1, y1)) for code, x0, y0, x1, y1 in label["boxes"]),
        cards=tuple(map(Card, label["cards"])),
        is_whole=not label["added"],
    )


def _write(path: Path, data: bytes) -> None:
    draft = path.with_name(f".{path.name}.part")
    draft.write_bytes(data)
    draft.replace(path)
