"""Where reading fails: ``python -m models.failures DIR`` sorts the failures of rendered scenes into kinds, with counts.

Indices in sight are counted by height, by light and by who drew the deck: how many the detector finds, and how many of
those the reader reads right; cards by light, by deck and by how they lie. Then every card that was missed, and every
card that was read but does not lie there, by the first step that went wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.crops import SceneIndices, read_scenes
from datasets.photosets import LabelsError, read_labels
from engine.cards import JOKER, KINDS, Card
from vision.corners import Corners
from vision.detector import find_corners
from vision.limits import Limits
from vision.photo import Photo
from vision.reader import REJECT, Probabilities
from vision.scanner import ModelError, Scanner, arrange
from vision.scene import Scene

HEIGHTS = (0, 10, 14, 18, 24, 32, 48, 80, np.inf)
"""Bounds of index heights in pixels."""
NONE = "none"
"""What is read where there is no index."""
READABLE = 0.75
"""Least share in sight of an index that should be found."""


@dataclass(frozen=True)
class Seen:
    """One scene: what lies there, and what was found and read."""

    truth: SceneIndices
    owners: NDArray[np.int_]
    """(N,) the physical card that each index belongs to."""
    tags: tuple[str, ...]
    corners: Corners
    readings: Probabilities
    scene: Scene

    def matches(self) -> NDArray[np.int_]:
        """(M,) the index that each found corner lies on, -1 for none."""
        return self.truth.at(self.corners.centre)


@dataclass
class Count:
    """Indices of one kind."""

    there: int = 0
    found: int = 0
    right: int = 0


@dataclass
class CardCount:
    """Cards of the scenes of one kind."""

    there: int = 0
    right: int = 0
    read: int = 0


@dataclass
class Failures:
    """Counts over scenes."""

    indices: dict[str, Count] = field(default_factory=dict)
    """By height, light, deck and kind of card."""
    cards_in: dict[str, CardCount] = field(default_factory=dict)
    """By light, deck and layout of the scene."""
    missed: Counter[str] = field(default_factory=Counter)
    """Cards that lie there and were not read, by cause."""
    false: Counter[str] = field(default_factory=Counter)
    """Cards that were read and do not lie there, by cause."""
    confused: Counter[tuple[str, str]] = field(default_factory=Counter)
    """What an index shows and what it was read as, where they differ."""
    cards: int = 0
    read: int = 0


def add(failures: Failures, seen: Seen) -> None:
    """Count what went wrong in a scene."""
    matches = seen.matches()
    told = seen.readings.argmax(axis=1)
    kinds = np.array([Card(card).index for card in seen.truth.cards], int)
    for index in np.flatnonzero(seen.truth.visible >= READABLE):
        at = np.flatnonzero(matches == index)
        for name in _kinds_of(seen, int(index)):
            count = failures.indices.setdefault(name, Count())
            count.there += 1
            count.found += bool(len(at))
            count.right += bool(len(at)) and bool(told[at[0]] == kinds[index])
        if len(at) and told[at[0]] != kinds[index]:
            read = NONE if told[at[0]] == REJECT else KINDS[told[at[0]]].code
            failures.confused[seen.truth.cards[index], read] += 1
    _count_cards(failures, seen, matches, told, kinds)


def _kinds_of(seen: Seen, index: int) -> list[str]:
    height = float(seen.truth.heights[index])
    place = int(np.searchsorted(HEIGHTS, height, side="right")) - 1
    low, high = HEIGHTS[place], HEIGHTS[place + 1]
    band = f"{low:.0f} to {high:.0f} px" if np.isfinite(high) else f"{low:.0f} px and more"
    cover = "partly covered" if seen.truth.visible[index] < 0.99 else "in full sight"
    card = "joker" if seen.truth.cards[index] == JOKER.code else "card"
    return [band, cover, card, *_scene_kinds(seen.tags)[:2]]


def _scene_kinds(tags: Sequence[str]) -> list[str]:
    """Light, who drew the decks, and how the cards lie; the layout is the first tag."""
    light = next((tag for tag in ("dim", "glare") if tag in tags), "plain light")
    deck = "drawn deck" if any(tag.startswith("drawn/") for tag in tags) else "packaged art"
    return [light, deck, tags[0]]


def _count_cards(
    failures: Failures, seen: Seen, matches: NDArray[np.int_], told: NDArray[np.int_], kinds: NDArray[np.int_]
) -> None:
    """Count cards missed and false, matched by place: the indices that a read card was read from."""
    owners = seen.owners
    boxes = np.array([corner.box for corner in seen.scene.corners], np.float64).reshape(-1, 4)
    on = seen.truth.at((boxes[:, :2] + boxes[:, 2:]) / 2)
    claimed: Counter[int] = Counter()
    missed_before = failures.missed.total()
    for card in seen.scene.cards:
        lies_on = [int(on[corner]) for corner in card.corners if on[corner] >= 0]
        failures.read += 1
        if not lies_on:
            failures.false["no index there"] += 1
            continue
        owner = Counter(int(owners[index]) for index in lies_on).most_common(1)[0][0]
        if kinds[lies_on[0]] != card.card.index:
            failures.false["misread"] += 1
        elif claimed[owner]:
            failures.false["one card taken for two"] += 1
        claimed[owner] += kinds[lies_on[0]] == card.card.index
    for owner in np.unique(owners):
        own = np.flatnonzero(owners == owner)
        failures.cards += 1
        if claimed[int(owner)]:
            continue
        at = np.flatnonzero(np.isin(matches, own))
        if not len(at):
            failures.missed["not found"] += 1
        elif (told[at] == kinds[own[0]]).any():
            shown = {index for card in seen.scene.cards for index in (on[corner] for corner in card.corners)}
            failures.missed["two cards taken for one" if shown & set(own) else "held back as too doubtful"] += 1
        elif (told[at] == REJECT).all():
            failures.missed["taken for no index"] += 1
        else:
            failures.missed["misread"] += 1
    there = len(np.unique(owners))
    for kind in _scene_kinds(seen.tags):
        count = failures.cards_in.setdefault(kind, CardCount())
        count.there += there
        count.right += there - (failures.missed.total() - missed_before)
        count.read += len(seen.scene.cards)


def look(folder: Path, scanner: Scanner) -> Failures:
    """Read the scenes of a folder and count their failures.

    Raises:
        LabelsError: if the folder's labels are missing or cannot be read.
    """
    failures = Failures()
    labels = read_labels(folder)
    scenes = read_scenes(folder)
    for truth, label in tqdm(zip(scenes, labels, strict=True), total=len(labels), unit="scene", mininterval=5):
        photo = Photo(truth.read_image())
        corners = find_corners(scanner.detector, photo, scanner.least)
        readings = scanner.reader.read(photo, corners)
        scene = arrange(photo.size_wh, corners, readings, scanner.presence, scanner.thresholds, Limits())
        owners = np.array([index["of"] for index in label["indices"]], int)
        add(failures, Seen(truth, owners, tuple(label["tags"]), corners, readings, scene))
    return failures


def tables(failures: Failures) -> str:
    """Return the counts as tables for people."""
    total = max(1, failures.indices.get("card", Count()).there + failures.indices.get("joker", Count()).there)
    lines = [f"{'indices':22}{'share':>7}{'found':>8}{'of those right':>16}"]
    for name in sorted(failures.indices, key=_by_height):
        count = failures.indices[name]
        found, right = count.found / max(1, count.there), count.right / max(1, count.found)
        lines.append(f"{name:22}{count.there / total:7.1%}{found:8.1%}{right:16.1%}")
    lines.append(f"\n{'cards of scenes':22}{'there':>7}{'read':>8}{'not there':>16}")
    for name, cards in sorted(failures.cards_in.items()):
        recall, false = cards.right / max(1, cards.there), 1 - cards.right / max(1, cards.read)
        lines.append(f"{name:22}{cards.there:7}{recall:8.1%}{false:16.1%}")
    for title, counts, of in (
        ("cards missed", failures.missed, failures.cards),
        ("cards read that do not lie there", failures.false, failures.read),
    ):
        lines.append(f"\n{title}: {counts.total()} of {of}")
        lines += [f"{count:6} {cause}" for cause, count in counts.most_common()]
    lines.append("\nread as another most often")
    lines += [f"{count:6} {shown} read as {read}" for (shown, read), count in failures.confused.most_common(15)]
    lines.append("\n" + _by_part(failures.confused))
    return "\n".join(lines)


def _by_height(name: str) -> tuple[bool, int, str]:
    low = name.split(" ")[0]
    return not low.isdecimal(), int(low) if low.isdecimal() else 0, name


def _by_part(confused: Counter[tuple[str, str]]) -> str:
    """Say which part of an index misleads: rank, suit, both, the joker, or what is and what is no index."""
    parts: Counter[str] = Counter()
    for (shown, read), count in confused.items():
        if NONE in (shown, read):
            part = "no index"
        elif JOKER.code in (shown, read):
            part = "joker"
        else:
            part = "suit" if shown[0] == read[0] else "rank" if shown[1] == read[1] else "rank and suit"
        parts[part] += count
    return "misread: " + (", ".join(f"{part} {count}" for part, count in parts.most_common()) or "nothing")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, read the scenes, print the tables."""
    parser = argparse.ArgumentParser(prog="python -m models.failures", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="scenes that datasets.build wrote")
    options = parser.parse_args(arguments)
    try:
        failures = look(options.folder, Scanner.load())
    except (LabelsError, ModelError, OSError) as error:
        sys.exit(f"{options.folder} cannot be looked at: {error}")
    print(tables(failures))


if __name__ == "__main__":
    main()
