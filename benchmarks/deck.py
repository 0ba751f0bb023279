"""What learning a deck brings: ``python -m benchmarks.deck --scenes 20`` prints, for designs that no network was
trained on, how cards are read before and after.

Each deck is laid out once on five rendered photos and named by its labels, as a person would; then other scenes of it
are read without and with what was learnt. ``faint`` is the design before it in pale grey ink, which nothing was trained
on either. Needs the art cache (datasets/README.md).
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from datasets.assets import default_cache
from datasets.build import Workshop, wish, workshop
from datasets.decks import Deck, Face
from datasets.drawn import DrawnDeck
from datasets.photosets import LabelledPhoto
from datasets.scenes import LabelledScene, Wish, render
from engine.cards import JOKER, KINDS, Card
from models.metrics import Tally, add_up, tallies
from vision.deck import Lesson
from vision.photo import Photo
from vision.scanner import Scanner
from vision.scene import Scene

PHOTOS = 5
"""Photos on which a deck is laid out."""
QUALITY = 88
NEAR = 0.35
"""A place names the index whose centre is within so many index heights."""
DESIGNS = (
    *("gnome/atlasnye", "gnome/orell", "gnome/plastic", "gnome/tigullio", "kde/standard", "kde/standard faint"),
    *("drawn/901", "drawn/902", "drawn/903"),
)
SHOWN = {
    "card_recall": "cards",
    "false_cards_per_photo": "false/photo",
    "joker_recall": "jokers",
    "photo_exact": "exact",
    "silent_error": "silent",
    "asked": "asked",
}


@dataclass(frozen=True)
class Faint:
    """A deck in pale grey ink."""

    printed: Deck

    @property
    def name(self) -> str:
        """See ``Deck``."""
        return f"{self.printed.name} faint"

    @property
    def corner_radius(self) -> float:
        """See ``Deck``."""
        return self.printed.corner_radius

    @property
    def joker_styles(self) -> int:
        """See ``Deck``."""
        return self.printed.joker_styles

    def face(self, card: Card, style: int = 0) -> Face:
        """See ``Deck``."""
        face = self.printed.face(card, style)
        grey = 255 - face.image.astype(np.float64).mean(axis=2, keepdims=True)
        return replace(face, image=(235 - 0.25 * grey).repeat(3, axis=2).astype(np.uint8))

    def back(self) -> Face:
        """See ``Deck``."""
        return self.printed.back()


def design(name: str, shop: Workshop) -> Deck:
    """Return a design by its name."""
    if name.endswith(" faint"):
        return Faint(design(name.removesuffix(" faint"), shop))
    if name.startswith("drawn/"):
        return DrawnDeck(int(name.removeprefix("drawn/")), shop.fonts, shop.courts, shop.held_out, shop.joker_art)
    found = [deck for deck in shop.art if deck.name == name]
    if not found:
        sys.exit(f"There is no held-out design {name}.")
    return found[0]


def photographed(scene: LabelledScene) -> Photo:
    """Return a scene as a phone's file would bring it."""
    data = cv2.imencode(".jpg", scene.image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
    return Photo(np.ascontiguousarray(cv2.imdecode(data, cv2.IMREAD_COLOR)[..., ::-1]))


def named(survey: Scene, scene: LabelledScene) -> Iterator[Card | None]:
    """Yield what a person would call the places of a survey: by the index there, or the joker that it lies on."""
    jokers = [seen.quad.astype(np.float32) for seen in scene.cards if seen.card == JOKER]
    for seen in survey.cards:
        x0, y0, x1, y1 = survey.corners[seen.corners[0]].box
        middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
        gaps = [float(np.linalg.norm((index.rank + index.suit) / 2 - middle)) / index.height for index in scene.indices]
        if gaps and min(gaps) < NEAR:
            yield scene.indices[int(np.argmin(gaps))].card
        elif any(cv2.pointPolygonTest(quad, (float(middle[0]), float(middle[1])), False) >= 0 for quad in jokers):
            yield JOKER
        else:
            yield None


@dataclass(frozen=True)
class Outcome:
    """One design, before and after."""

    name: str
    learnt: str
    before: dict[str, Tally]
    after: dict[str, Tally]


def measure(name: str, scenes: int, cache: Path) -> Outcome:
    """Learn a design, then read other scenes of it."""
    cv2.setNumThreads(1)
    shop = workshop("val", cache)
    deck = design(name, shop)
    scanner = Scanner.load()
    rng = np.random.default_rng(5)
    cards = (*KINDS[: JOKER.index], *[JOKER] * deck.joker_styles)
    lesson = Lesson.none()
    for part in range(PHOTOS):
        laid = Wish("few", laid_out=cards[part::PHOTOS], index_height=(36.0, 60.0))
        scene = render(rng, laid, (deck, deck), shop.clutter)
        photo = photographed(scene)
        lesson = lesson.joined(scanner.lesson(photo, list(named(scanner.survey(photo), scene))))
    learnt = scanner.learn(name, lesson)
    before, after = [], []
    for _ in range(scenes):
        scene = render(rng, replace(wish(rng, "val"), jokers=0.12), (deck, deck), shop.clutter)
        truth = LabelledPhoto(Path(name), tuple(seen.card for seen in scene.cards), None, None, None, None)
        photo = photographed(scene)
        before.append(tallies(truth, scanner.scan(photo)))
        after.append(tallies(truth, scanner.scan(photo, deck=None if learnt.missing else learnt)))
    if learnt.missing:
        state = f"not learnt: {len(learnt.missing)} cards were not found"
    else:
        state = f"{learnt.figures} {'' if learnt.helps else 'Nothing is changed.'}"
    return Outcome(name, state, add_up(before), add_up(after))


def lines(outcome: Outcome) -> Iterator[str]:
    """Yield the table's lines of one design."""
    yield f"{outcome.name}: {outcome.learnt}"
    for when, total in (("before", outcome.before), ("after", outcome.after)):
        yield f"  {when:8}" + "".join(f"{total[key].count:>7}/{total[key].of:<5}" for key in SHOWN)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.deck", description=__doc__.split(":")[0])
    parser.add_argument("designs", nargs="*", default=DESIGNS)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    job = functools.partial(measure, scenes=arguments.scenes, cache=arguments.cache)
    print(" " * 10 + "".join(f"{word:>12} " for word in SHOWN.values()))
    with multiprocessing.get_context("spawn").Pool(arguments.processes) as pool:
        for outcome in pool.imap(job, arguments.designs):
            print("\n".join(lines(outcome)), flush=True)


if __name__ == "__main__":
    main()
