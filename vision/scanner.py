"""The whole way from a photo to a scene, with the weights that lie in models/."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.cards import KINDS, UNKNOWN, Card
from vision.cards import Thresholds, resolve
from vision.corners import Corners
from vision.crops import reader_crops
from vision.deck import LearntDeck, Lesson, learn
from vision.detector import Detector, YoloDetector, find_corners
from vision.graph import Graph, OnnxGraph
from vision.layout import group_cards
from vision.limits import Limits
from vision.photo import Photo
from vision.presence import Presence
from vision.reader import REJECT, DeckError, Probabilities, Reader
from vision.scene import Doubt, Scene, SeenCard, SeenCorner
from vision.stages import stage
from vision.tier import Tier, TierGraph

SURVEYED = 99
"""How many equal cards a survey may show: more than anybody lays out, so that none is doubted for its number."""
UNNAMED = -1
MODELS = Path(__file__).resolve().parent.parent / "models"


class ModelError(RuntimeError):
    """Weights that are missing, or not those that the manifest names."""


def checked(folder: Path, manifest: dict[str, object], name: str) -> Path:
    """Return the path of a graph after comparing its SHA-256 with the manifest's.

    Raises:
        ModelError: if the file is missing or another.
    """
    path = folder / f"{name}.onnx"
    if not path.is_file():
        raise ModelError(f"{path} is missing: the weights belong into that folder.")
    entry = manifest.get(name)
    wanted = entry.get("sha256") if isinstance(entry, dict) else None
    if hashlib.sha256(path.read_bytes()).hexdigest() != wanted:
        raise ModelError(f"{path} is not the file that manifest.json names (its SHA-256 differs).")
    return path


class Scanner:
    """Reads photos; safe to share between threads.

    Args:
        detector: finds corner indices.
        reader: reads them.
        least: least confidence of a corner index.
        presence: how likely there is an index where one was found.
        thresholds: from which chances on a card counts.
    """

    def __init__(
        self,
        detector: Detector,
        reader: Reader,
        least: float,
        presence: Presence,
        thresholds: Thresholds,
    ) -> None:
        self.detector = detector
        self.reader = reader
        self.least = least
        self.presence = presence
        self.thresholds = thresholds

    @classmethod
    def load(cls, folder: Path = MODELS, tier: str | None = None) -> Scanner:
        """Open the weights in a folder.

        Args:
            folder: where the graphs and their manifest lie.
            tier: address of a detector tier that runs the same graphs; this process runs them unless given.

        Raises:
            ModelError: if a file is missing or its hash differs from the manifest's.
            TierError: if the address is none.
        """
        try:
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ModelError(f"{folder / 'manifest.json'} is missing: the weights belong into that folder.") from None
        limits = manifest["thresholds"]
        asked = Tier(tier) if tier else None

        graphs: dict[str, Graph] = {name: OnnxGraph(checked(folder, manifest, name)) for name in ("detector", "reader")}
        if asked:
            graphs = {name: TierGraph(asked, name, manifest[name]["sha256"], own) for name, own in graphs.items()}
        return cls(
            YoloDetector(graphs["detector"]),
            Reader(
                graphs["reader"],
                float(manifest["reader"]["temperature"]),
                f"{manifest['reader']['sha256']} {manifest['reader']['temperature']}",
            ),
            float(limits["least"]),
            Presence(**{name: float(value) for name, value in manifest["presence"].items()}),
            Thresholds(*(float(limits[name]) for name in ("there", "keep", "unread", "present", "sure"))),
        )

    def scan(self, photo: Photo, limits: Limits = Limits(), deck: LearntDeck | None = None) -> Scene:
        """Return what is on a photo.

        Args:
            photo: the upright photo.
            limits: how many equal cards there can be, so that a third one, say, is asked about.
            deck: the deck that is played with, where it was learnt.

        Raises:
            DeckError: if the deck was learnt with other weights.
        """
        with stage("detect"):
            corners = find_corners(self.detector, photo, self.least)
        with stage("read"):
            readings = self.reader.read(photo, corners, deck)
        with stage("arrange"):
            return arrange(photo.size_wh, corners, readings, self.presence, self.thresholds, limits)

    def survey(self, photo: Photo) -> Scene:
        """Return every place of a photo that may show a card, for a person to name: nothing is left out.

        Args:
            photo: the upright photo, of cards of one deck.
        """
        return self._surveyed(photo)[0]

    def lesson(self, photo: Photo, names: Sequence[Card | None]) -> Lesson:
        """Return what a photo teaches.

        Args:
            photo: the photo that was surveyed.
            names: what the cards of the survey are, in its order; None for what is no card, ``UNKNOWN`` for what
                nothing is to be learnt from.

        Raises:
            DeckError: if there are not as many names as the survey shows places.
        """
        scene, corners = self._surveyed(photo)
        if len(names) != len(scene.cards):
            raise DeckError(f"{len(names)} cards are named, but {len(scene.cards)} places were found.")
        kinds = np.full(len(corners), REJECT, np.int64)
        for seen, name in zip(scene.cards, names, strict=True):
            kinds[list(seen.corners)] = REJECT if name is None else UNNAMED if name == UNKNOWN else name.index
        named = kinds != UNNAMED
        return Lesson(reader_crops(photo, corners.rank[named], corners.suit[named]), kinds[named])

    def learn(self, name: str, lesson: Lesson) -> LearntDeck:
        """Return the deck that a lesson shows, for the weights that are loaded."""
        return learn(name, lesson, self.reader)

    def deck(self, path: Path) -> LearntDeck:
        """Open a deck file; one of other weights is learnt anew from the crops that it keeps.

        Raises:
            DeckError: if there is none, it is none, or not all of its cards were named.
        """
        deck = LearntDeck.open(path)
        if deck.missing:
            names = ", ".join(card.label for card in deck.missing)
            raise DeckError(f"The deck {deck.name!r} is not learnt yet: {names} must be shown and confirmed first.")
        return deck if deck.weights == self.reader.version else self.learn(deck.name, deck.lesson)

    def _surveyed(self, photo: Photo) -> tuple[Scene, Corners]:
        """The survey, and the indices that it shows in its order."""
        corners = find_corners(self.detector, photo, self.least)
        readings = self.reader.read(photo, corners)
        everything = replace(self.thresholds, there=0.0, keep=0.0, unread=2.0)
        scene, shown = _arranged(
            photo.size_wh, corners, readings, self.presence, everything, Limits(SURVEYED, SURVEYED)
        )
        return scene, corners[np.array(shown, np.int64)]


def arrange(
    size_wh: tuple[int, int],
    corners: Corners,
    readings: Probabilities,
    presence: Presence,
    thresholds: Thresholds,
    limits: Limits,
) -> Scene:
    """Return the scene that corner indices and their readings make.

    Args:
        size_wh: width and height of the upright photo in pixels.
        corners: N corner indices.
        readings: (N, 54) what each says.
        presence: how likely there is an index where one was found.
        thresholds: from which chances on a card counts.
        limits: how many equal cards the packs hold.
    """
    return _arranged(size_wh, corners, readings, presence, thresholds, limits)[0]


def _arranged(
    size_wh: tuple[int, int],
    corners: Corners,
    readings: Probabilities,
    presence: Presence,
    thresholds: Thresholds,
    limits: Limits,
) -> tuple[Scene, list[int]]:
    """The scene, and which of the corner indices it shows."""
    cards, doubts = resolve(corners, readings, presence, thresholds, limits, size_wh)
    groups = group_cards([seen.quad for seen in cards])
    order = [place for group in groups for place in group]
    renumbered = {place: number for number, place in enumerate(order)}
    shown = sorted({corner for seen in cards for corner in seen.corners})
    places = {corner: number for number, corner in enumerate(shown)}
    scene = Scene(
        size_wh=(int(size_wh[0]), int(size_wh[1])),
        cards=tuple(_renumbered(cards[place], places) for place in order),
        groups=tuple(tuple(renumbered[place] for place in group) for group in groups),
        corners=tuple(_corner(corners, readings, corner) for corner in shown),
        doubts=tuple(
            Doubt(doubt.kind, doubt.text, tuple(sorted(renumbered[place] for place in doubt.cards))) for doubt in doubts
        ),
    )
    return scene, shown


def _renumbered(seen: SeenCard, places: dict[int, int]) -> SeenCard:
    return replace(seen, corners=tuple(places[corner] for corner in seen.corners))


def _corner(corners: Corners, readings: Probabilities, place: int) -> SeenCorner:
    kind = int(readings[place, :REJECT].argmax())
    x0, y0, x1, y1 = (round(float(value), 1) for value in corners.xyxy[place])
    confidence = float(corners.confidence[place]) * float(readings[place, kind])
    return SeenCorner((x0, y0, x1, y1), KINDS[kind], round(confidence, 4))
