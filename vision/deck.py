"""A family's own deck: what is learnt of it from cards that a person confirmed.

The reader itself stays as it is. A deck adds to its logits what a small matrix makes of them, fitted to the corner
indices of one deck alone, so nothing learnt from one deck touches another. Only what the reader is not sure of pulls
at the matrix; and it stays zero unless more indices are read right by one that was fitted without them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER, KINDS, Card
from vision.crops import CROP_COLUMNS, CROP_ROWS, SURROUNDINGS
from vision.reader import CLASSES, REJECT, DeckError, Probabilities, chances

if TYPE_CHECKING:
    from vision.reader import Reader

FORMAT = 1
"""Version of the file."""
KEPT = 4
"""Most crops kept of one kind: both ends of a card on two photos."""
KEPT_MORE = 24
"""The same for jokers, which come in several designs, and for what is no index."""
LARGEST_FILE = 8_000_000
"""Most bytes of a deck file that is opened."""
ENOUGH = 0.9
"""A crop whose right answer has this chance teaches nothing more."""
VARIANTS = 3
"""Each crop is also learnt from as this many other photos might have shown it."""
FOLDS = 5
"""Parts of which each is read by a matrix that was fitted to the others."""
STRENGTHS = (3.0, 1.0, 0.3, 0.1)
"""Weights of the penalty on the matrix that are tried, the strongest first."""
STEPS = 40
"""Steps of the fit."""


@dataclass(frozen=True)
class Lesson:
    """Corner indices that a person named, and places where there is none. A row of each array is one."""

    crops: NDArray[np.uint8]
    """(N, 64, 48, 6) as ``vision.crops.reader_crops`` cuts them."""
    kinds: NDArray[np.int64]
    """(N,) places in ``KINDS``, or ``REJECT``."""

    @classmethod
    def none(cls) -> Lesson:
        """Return no indices.

        >>> len(Lesson.none().missing)
        53
        """
        return cls(np.zeros((0, CROP_ROWS, CROP_COLUMNS, 6), np.uint8), np.zeros(0, np.int64))

    @property
    def missing(self) -> tuple[Card, ...]:
        """The kinds of which no index was named yet, in the order of ``KINDS``."""
        return tuple(card for card in KINDS if card.index not in self.kinds)

    def joined(self, later: Lesson) -> Lesson:
        """Return both; of what there is too much, what came last is kept.

        >>> one = Lesson(np.zeros((3, 64, 48, 6), np.uint8), np.array([7, 7, 7]))
        >>> len(one.joined(one).kinds)
        4
        """
        crops = np.concatenate([self.crops, later.crops])
        kinds = np.concatenate([self.kinds, later.kinds])
        keep = np.zeros(len(kinds), bool)
        for kind in np.unique(kinds):
            most = KEPT_MORE if kind in (JOKER.index, REJECT) else KEPT
            keep[np.flatnonzero(kinds == kind)[-most:]] = True
        return Lesson(crops[keep], kinds[keep])


@dataclass(frozen=True)
class Figures:
    """How the indices of a lesson are read: each is judged by what was learnt from the others."""

    indices: int
    right_before: int
    """Of them right, by the reader alone."""
    right_after: int
    sure_before: int
    """Of them right with a chance of at least ``ENOUGH``."""
    sure_after: int

    def __str__(self) -> str:
        """Say it in a sentence.

        >>> print(Figures(118, 113, 116, 101, 110))
        Of 118 indices 113 were read right before and 116 are now; 101 for sure before, 110 now.
        """
        return (
            f"Of {self.indices} indices {self.right_before} were read right before and {self.right_after} are now; "
            f"{self.sure_before} for sure before, {self.sure_after} now."
        )


@dataclass(frozen=True)
class LearntDeck:
    """One deck, as far as it is known."""

    name: str
    lesson: Lesson
    weights: str
    """The version of the reader that it belongs to."""
    matrix: NDArray[np.float64]
    """(54, 54): times what logits say, is added to them. All zeros where nothing that was tried reads better."""
    figures: Figures | None
    """None until it is learnt: every kind but the joker must have been named first."""

    @property
    def missing(self) -> tuple[Card, ...]:
        """The kinds that must still be named. Jokers need not: not every joker's index is found."""
        return tuple(card for card in self.lesson.missing if card != JOKER)

    @property
    def has_joker(self) -> bool:
        """Whether a joker was named."""
        return JOKER.index in self.lesson.kinds

    @property
    def helps(self) -> bool:
        """Whether indices are read otherwise than without the deck."""
        return bool(self.matrix.any())

    def chances(self, logits: NDArray[np.float64]) -> Probabilities:
        """Return the chances that logits give, with what is known of the deck.

        Args:
            logits: (N, 54) calibrated.

        Returns:
            (N, 54), each row adding up to one.
        """
        return _taught(logits, self.matrix) if self.helps else chances(logits)

    def to_bytes(self) -> bytes:
        """Return the deck as its file holds it."""
        sheet = self.lesson.crops.reshape(-1, CROP_COLUMNS, 6)
        picture = np.concatenate([sheet[..., :3], sheet[..., 3:]], axis=1)
        png = cv2.imencode(".png", picture)[1] if len(picture) else np.zeros(0, np.uint8)
        figures = self.figures
        counts = [] if figures is None else [getattr(figures, name) for name in Figures.__dataclass_fields__]
        file = io.BytesIO()
        np.savez(
            file,
            format=np.array(FORMAT),
            name=np.array(self.name),
            weights=np.array(self.weights),
            matrix=self.matrix.astype(np.float32),
            figures=np.array(counts, np.int64),
            kinds=self.lesson.kinds.astype(np.int64),
            crops=png,
        )
        return file.getvalue()

    @classmethod
    def open(cls, path: Path) -> LearntDeck:
        """Return the deck of a file.

        Raises:
            DeckError: if there is none, or it is no deck file.
        """
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise DeckError(f"{path} is too large for a deck.")
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as kept:
                parts = {name: kept[name] for name in kept.files}
        except FileNotFoundError:
            raise DeckError(f"There is no deck {path.stem!r}.") from None
        except (OSError, ValueError, BadZipFile, EOFError) as error:
            if isinstance(error, DeckError):
                raise
            raise DeckError(f"{path} is no deck that can be read.") from None
        try:
            if int(parts["format"]) != FORMAT:
                raise DeckError(f"{path} is a deck of format {parts['format']}; this version reads {FORMAT}.")
            kinds = parts["kinds"].astype(np.int64)
            counts = [int(count) for count in parts["figures"]]
            deck = cls(
                str(parts["name"]),
                Lesson(_crops_of(parts["crops"], len(kinds)), kinds),
                str(parts["weights"]),
                parts["matrix"].astype(np.float64).reshape(CLASSES, CLASSES),
                Figures(*counts) if counts else None,
            )
        except (KeyError, TypeError, cv2.error) as error:
            raise DeckError(f"{path} is no deck that can be read.") from error
        if len(kinds) and (kinds.min() < 0 or kinds.max() > REJECT or not np.isfinite(deck.matrix).all()):
            raise DeckError(f"{path} is no deck that can be read.")
        return deck


def learn(name: str, lesson: Lesson, reader: Reader) -> LearntDeck:
    """Return the deck that a lesson shows; what is missing is told by ``LearntDeck.missing``.

    Args:
        name: what the family calls it.
        lesson: its indices.
        reader: what reads them.
    """
    unlearnt = LearntDeck(name, lesson, reader.version, np.zeros((CLASSES, CLASSES)), None)
    if unlearnt.missing:
        return unlearnt
    count = len(lesson.kinds)
    logits = np.concatenate([reader.logits(crops) for crops in (lesson.crops, *_variants(lesson.crops))])
    of = np.arange(len(logits)) % count
    kinds = lesson.kinds[of]
    matrix, after = _fitted(logits, kinds, of)
    before = chances(logits[:count])
    return LearntDeck(name, lesson, reader.version, matrix, _figures(before, after[:count], lesson.kinds))


def _figures(before: Probabilities, after: Probabilities, kinds: NDArray[np.int64]) -> Figures:
    shown = kinds != REJECT
    rows = np.flatnonzero(shown)
    counts = []
    for read in (before, after):
        right = read[rows].argmax(axis=1) == kinds[rows]
        counts.append((int(right.sum()), int((right & (read[rows, kinds[rows]] >= ENOUGH)).sum())))
    (right_before, sure_before), (right_after, sure_after) = counts
    return Figures(len(rows), right_before, right_after, sure_before, sure_after)


def _said(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logits as directions: what is said, whatever the emphasis."""
    levelled = logits - logits.mean(axis=1, keepdims=True)
    return np.asarray(levelled / np.maximum(np.linalg.norm(levelled, axis=1, keepdims=True), 1e-9))


def _taught(logits: NDArray[np.float64], matrix: NDArray[np.float64]) -> Probabilities:
    """(N, 54) chances with a matrix. It names indices and hides none: the chance that there is none never grows."""
    leant = logits + _said(logits) @ matrix
    none = np.minimum(chances(logits)[:, REJECT:], chances(leant)[:, REJECT:])
    return np.concatenate([(1 - none) * chances(leant[:, :REJECT]), none], axis=1)


def _fitted(
    logits: NDArray[np.float64], kinds: NDArray[np.int64], of: NDArray[np.int64]
) -> tuple[NDArray[np.float64], Probabilities]:
    """The matrix, and the chances that each row has by one fitted without its crop.

    Of the strengths that do about as well as the best, the strongest is taken: it changes least. None is taken unless
    the gain is more than its own error, more of the indices themselves are right, and no fewer of all rows.

    Args:
        logits: (N, 54) of crops and their variants.
        kinds: (N,) what they show.
        of: (N,) the crop that each row is a look at.
    """
    alone = chances(logits)
    fold = np.random.default_rng(0).permutation(int(of.max()) + 1)[of] % FOLDS
    tried = []
    for strength in STRENGTHS:
        read = np.empty_like(alone)
        for part in range(FOLDS):
            others = fold != part
            matrix = _fit(logits[others], kinds[others], strength)
            read[~others] = _taught(logits[~others], matrix)
        gains = np.bincount(of, _unsure(alone, kinds) - _unsure(read, kinds)) / np.bincount(of)
        tried.append((float(gains.mean()), float(gains.std() / np.sqrt(len(gains))), strength, read))
    best, error, _, _ = max(tried, key=lambda one: one[0])
    indices = np.flatnonzero(kinds[: int(of.max()) + 1] != REJECT)
    right = alone.argmax(axis=1) == kinds
    for gain, doubt, strength, read in tried:
        right_now = read.argmax(axis=1) == kinds
        helps = right_now[indices].sum() > right[indices].sum() and right_now.sum() >= right.sum()
        if helps and gain > doubt and gain >= best - error:
            return _fit(logits, kinds, strength), read
    return np.zeros((CLASSES, CLASSES)), alone


def _unsure(read: Probabilities, kinds: NDArray[np.int64]) -> NDArray[np.float64]:
    """(N,) how far each right answer is from being sure, as a logarithm; zero where it is."""
    right = read[np.arange(len(kinds)), kinds]
    return np.asarray(-np.log(np.clip(right, 1e-4, ENOUGH) / ENOUGH))


def _fit(logits: NDArray[np.float64], kinds: NDArray[np.int64], strength: float) -> NDArray[np.float64]:
    """The matrix for some rows: logistic regression on top of the reader's logits, by Nesterov's method."""
    said, rows = _said(logits), np.arange(len(kinds))
    answers = np.eye(CLASSES)[kinds]
    step = 1 / (np.linalg.eigvalsh(said.T @ said)[-1] / 2 + strength)
    matrix, ahead = np.zeros((CLASSES, CLASSES)), np.zeros((CLASSES, CLASSES))
    pace = 1.0
    for _ in range(STEPS):
        read = chances(logits + said @ ahead)
        lacking = np.clip(1 - read[rows, kinds] / ENOUGH, 0, 1)[:, None]
        stepped = ahead - step * (said.T @ (lacking * (read - answers)) + strength * ahead)
        faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
        ahead = stepped + (pace - 1) / faster * (stepped - matrix)
        matrix, pace = stepped, faster
    return matrix


def _variants(crops: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    """Yield the crops as other photos might have shown them: turned, shifted, blurred and lit a little otherwise."""
    rng = np.random.default_rng(0)
    for _ in range(VARIANTS):
        varied = np.empty_like(crops)
        for crop, into in zip(crops, varied, strict=True):
            degrees, scale = rng.normal(0, 5), np.exp(rng.normal(0, 0.1))
            shift, blur = rng.normal(0, 2.2, 2), rng.uniform(1, 3.5)
            gain, gamma = rng.uniform(0.6, 1.1), np.exp(rng.normal(0, 0.2))
            lit = (255 * np.clip(gain * (np.arange(256) / 255) ** gamma, 0, 1)).astype(np.uint8)
            for half, reach in ((slice(0, 3), 1.0), (slice(3, 6), SURROUNDINGS)):
                matrix = cv2.getRotationMatrix2D(((CROP_COLUMNS - 1) / 2, (CROP_ROWS - 1) / 2), degrees, scale)
                matrix[:, 2] += (shift / reach).tolist()
                size = CROP_COLUMNS, CROP_ROWS
                moved = cv2.warpAffine(
                    np.ascontiguousarray(crop[..., half]), matrix, size, borderMode=cv2.BORDER_REPLICATE
                )
                coarse = max(1.0, blur / reach)
                small = cv2.resize(moved, None, fx=1 / coarse, fy=1 / coarse, interpolation=cv2.INTER_AREA)
                into[..., half] = lit[cv2.resize(small, size)]
        yield varied


def _crops_of(png: NDArray[np.uint8], count: int) -> NDArray[np.uint8]:
    """(N, 64, 48, 6) from the picture that holds them one below the other, the index left of what lies around.

    Raises:
        DeckError: if it holds another number of them.
    """
    if not count and not png.size:
        return Lesson.none().crops
    picture = cv2.imdecode(png, cv2.IMREAD_COLOR)
    if picture is None or picture.shape != (count * CROP_ROWS, 2 * CROP_COLUMNS, 3):
        raise DeckError("The crops of this deck cannot be read.")
    halves = picture.reshape(count, CROP_ROWS, 2, CROP_COLUMNS, 3).transpose(0, 1, 3, 2, 4)
    return np.asarray(halves.reshape(count, CROP_ROWS, CROP_COLUMNS, 6), np.uint8)
