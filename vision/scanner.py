"""The whole way from a photo to a scene, with the weights that lie in models/."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from engine.cards import KINDS
from vision.cards import Thresholds, resolve
from vision.corners import Corners
from vision.detector import Detector, YoloDetector, find_corners
from vision.graph import Graph, OnnxGraph
from vision.layout import group_cards
from vision.pairing import Limits
from vision.photo import Photo
from vision.presence import Presence
from vision.reader import REJECT, Probabilities, Reader
from vision.scene import Doubt, Scene, SeenCard, SeenCorner
from vision.stages import stage
from vision.tier import Tier, TierGraph

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
            Reader(graphs["reader"], float(manifest["reader"]["temperature"])),
            float(limits["least"]),
            Presence(**{name: float(value) for name, value in manifest["presence"].items()}),
            Thresholds(*(float(limits[name]) for name in ("there", "keep", "unread", "present", "sure"))),
        )

    def scan(self, photo: Photo, packs: int = 2, jokers: int = 4) -> Scene:
        """Return what is on a photo.

        Args:
            photo: the upright photo.
            packs: packs in the game, so that a third equal card is asked about.
            jokers: jokers in the game.
        """
        with stage("detect"):
            corners = find_corners(self.detector, photo.pixels, self.least)
        with stage("read"):
            readings = self.reader.read(photo.pixels, corners)
        with stage("arrange"):
            return arrange(
                photo.pixels.shape[1::-1], corners, readings, self.presence, self.thresholds, Limits(packs, jokers)
            )


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
    cards, doubts = resolve(corners, readings, presence, thresholds, limits, size_wh)
    groups = group_cards([seen.quad for seen in cards])
    order = [place for group in groups for place in group]
    renumbered = {place: number for number, place in enumerate(order)}
    shown = sorted({corner for seen in cards for corner in seen.corners})
    places = {corner: number for number, corner in enumerate(shown)}
    return Scene(
        size_wh=(int(size_wh[0]), int(size_wh[1])),
        cards=tuple(_renumbered(cards[place], places) for place in order),
        groups=tuple(tuple(renumbered[place] for place in group) for group in groups),
        corners=tuple(_corner(corners, readings, corner) for corner in shown),
        doubts=tuple(
            Doubt(doubt.kind, doubt.text, tuple(sorted(renumbered[place] for place in doubt.cards))) for doubt in doubts
        ),
    )


def _renumbered(seen: SeenCard, places: dict[int, int]) -> SeenCard:
    return replace(seen, corners=tuple(places[corner] for corner in seen.corners))


def _corner(corners: Corners, readings: Probabilities, place: int) -> SeenCorner:
    kind = int(readings[place, :REJECT].argmax())
    x0, y0, x1, y1 = (round(float(value), 1) for value in corners.xyxy[place])
    confidence = float(corners.confidence[place]) * float(readings[place, kind])
    return SeenCorner((x0, y0, x1, y1), KINDS[kind], round(confidence, 4))
