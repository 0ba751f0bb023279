"""Render labelled scenes: ``python -m datasets.build --split train --scenes 500 --seed 1 --out DIR``.

Writes ``DIR/images/*.jpg`` and ``DIR/labels.jsonl``. A scene depends on split, seed and its number alone, so the
same seed gives the same bytes whatever the number of processes, or of computers (``--ray ADDRESS``).
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tqdm import tqdm

from datasets.art import ArtDeck, art_decks
from datasets.assets import default_cache, fonts, hands
from datasets.clutter import Clutter
from datasets.decks import Deck, corner_count
from datasets.drawn import Courts, DrawnDeck, JokerArt, courts_of, joker_art_of
from datasets.grounds import Grounds
from datasets.scenes import READABLE, LabelledScene, Stage, Wish, picture, set_up

SPLITS = ("train", "val")


@dataclass(frozen=True)
class Workshop:
    """What one process renders with."""

    art: tuple[ArtDeck, ...]
    fonts: tuple[Path, ...]
    clutter: Clutter
    held_out: bool

    def deck(self, rng: np.random.Generator) -> Deck:
        """Draw a design: packaged art or a new drawn deck."""
        if self.art and rng.random() < 0.45:
            return self.art[int(rng.integers(len(self.art)))]
        return DrawnDeck(int(rng.integers(2**31)), self.fonts, self.courts, self.held_out, self.joker_art)

    def packs(self, rng: np.random.Generator) -> tuple[Deck, Deck]:
        """Draw the two packs of a game: mostly of one design, else both with as many corner indices a card."""
        first = second = self.deck(rng)
        if rng.random() < 0.3:
            other = self.deck(rng)
            second = other if corner_count(other) == corner_count(first) else first
        return first, second

    @property
    def courts(self) -> Courts | None:
        """Court pictures of the packaged designs, or none without them."""
        return courts_of(self.art) if self.art else None

    @property
    def joker_art(self) -> JokerArt | None:
        """Joker pictures of the packaged designs, or none without them."""
        return joker_art_of(self.art) if self.art else None


@functools.cache
def workshop(split: str, cache: Path, is_free: bool = False) -> Workshop:
    """Open decks, fonts and grounds of a split; designs held out for ``val`` appear in it alone.

    Args:
        split: ``train`` or ``val``.
        cache: the card art.
        is_free: drawn decks on drawn grounds alone, whose pictures anybody may show.
    """
    held_out = split == "val"
    art = () if is_free else art_decks(cache)
    return Workshop(
        tuple(deck for deck in art if deck.held_out == held_out),
        tuple(fonts(cache)),
        Clutter(
            Grounds(None if is_free else cache, held_out=held_out),
            [] if is_free else [_rgba(path) for path in hands(cache)],
            fonts(cache),
        ),
        held_out,
    )


def _rgba(path: Path) -> NDArray[np.uint8]:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGBA"))


def wish(rng: np.random.Generator, split: str, is_empty: bool = False) -> Wish:
    """Draw what a scene should be. Half of val's hands are fans of 8 and more, a quarter dim or glaring."""
    kind = str(
        rng.choice(["hand", "held", "hands", "melds", "scattered", "few"], p=[0.25, 0.12, 0.23, 0.22, 0.08, 0.1])
    )
    dark = rng.random()
    close = kind == "few" and rng.random() < 0.6
    return Wish(
        kind=kind,
        long_hands=rng.random() < (0.62 if split == "val" else 0.5),
        fingers=kind in ("hand", "held") and rng.random() < 0.4,
        mood="dim" if dark < 0.14 else "glare" if dark < 0.28 else "plain",
        index_height=(60.0, 220.0) if close else (13.0, 90.0),
        jokers=0.1 if split == "train" else 0.06,
        is_empty=is_empty,
    )


@dataclass(frozen=True)
class Recipe:
    """What a set of scenes comes from: the same recipe gives the same bytes."""

    split: str
    """``train`` or ``val``."""
    seed: int
    cache: Path
    """The card art, which every worker needs at the same place."""
    is_empty: bool = False
    """The same tables without a face in sight."""
    is_free: bool = False
    """Drawn decks on drawn grounds alone."""

    @property
    def workshop(self) -> Workshop:
        """What the scenes are made with."""
        return workshop(self.split, self.cache, self.is_free)

    def chance(self, number: int, *more: int) -> np.random.Generator:
        """Return the source of chance of a scene."""
        return np.random.default_rng([SPLITS.index(self.split), self.seed, number, *more])

    def told(self, scenes: int) -> dict[str, Any]:
        """Return what is written down beside a set."""
        made = {"split": self.split, "scenes": scenes, "seed": self.seed}
        return made | ({"empty": True} if self.is_empty else {}) | ({"free": True} if self.is_free else {})


def stage(recipe: Recipe, number: int) -> Stage:
    """Set up scene ``number`` of a set without drawing it."""
    return _set_up(recipe, recipe.chance(number))


def scene(recipe: Recipe, number: int) -> LabelledScene:
    """Render scene ``number`` of a set, or what is left of it when no face shows."""
    rng = recipe.chance(number)
    return picture(rng, _set_up(recipe, rng), recipe.workshop.clutter)


def _set_up(recipe: Recipe, rng: np.random.Generator) -> Stage:
    shop = recipe.workshop
    wanted = wish(rng, recipe.split, recipe.is_empty)
    return set_up(rng, wanted, shop.packs(rng), shop.clutter)


def _drawn(number: int, recipe: Recipe) -> tuple[dict[str, Any], bytes]:
    """The label and the picture file of one scene."""
    cv2.setNumThreads(1)
    rendered = scene(recipe, number)
    name = f"images/{number:06d}.jpg"
    quality = int(recipe.chance(number, 1).choice([95, 90, 80, 60, 40], p=[0.3, 0.3, 0.2, 0.12, 0.08]))
    _, data = cv2.imencode(".jpg", rendered.image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    return {**rendered.label(name), **_looks(rendered)}, data.tobytes()


def _looks(rendered: LabelledScene) -> dict[str, Any]:
    """Height, contrast and number of the indices, for the table that is printed at the end."""
    grey = cv2.cvtColor(rendered.image, cv2.COLOR_RGB2GRAY)
    contrasts = []
    for index in rendered.indices:
        x0, y0, x1, y1 = np.round(index.box).astype(int)
        patch = grey[max(y0, 0) : y1, max(x0, 0) : x1]
        if index.visible >= READABLE and patch.size:
            contrasts.append(round((float(np.percentile(patch, 95)) - float(np.percentile(patch, 5))) / 255, 3))
    return {"contrasts": contrasts}


def build(recipe: Recipe, scenes: int, out: Path, processes: int, ray: str | None = None) -> list[dict[str, Any]]:
    """Render a set into ``out`` and return its labels.

    Args:
        recipe: what it comes from.
        scenes: how many.
        out: the folder; everything is written by this process.
        processes: processes of this computer that draw.
        ray: address of a Ray cluster whose workers draw instead.
    """
    (out / "images").mkdir(parents=True, exist_ok=True)
    job = functools.partial(_drawn, recipe=recipe)
    labels = []
    with _drawing(job, scenes, processes, ray) as drawn:
        for label, picture_file in tqdm(drawn, total=scenes, unit="scene", file=sys.stderr):
            (out / label["photo"]).write_bytes(picture_file)
            labels.append(label)
    (out / "set.json").write_text(json.dumps(recipe.told(scenes)) + "\n", encoding="utf-8")
    with open(out / "labels.jsonl", "w", encoding="utf-8") as file:
        for label in labels:
            file.write(json.dumps(label, ensure_ascii=False) + "\n")
    return labels


@contextmanager
def _drawing(
    job: Callable[[int], tuple[dict[str, Any], bytes]], scenes: int, processes: int, ray: str | None
) -> Iterator[Iterator[tuple[dict[str, Any], bytes]]]:
    """What the job draws, in order, by the processes of this computer or of a cluster."""
    if ray is not None:
        from cluster.tasks import in_order

        yield in_order(job, range(scenes), ray)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield pool.imap(job, range(scenes), chunksize=2)


def summary(labels: list[dict[str, Any]]) -> str:
    """Return a table of what the set spans."""
    heights, shares, readable = [], [], []
    for label in labels:
        readable.append(len(label["corners"]))
        for index in label["indices"]:
            shares.append(index["visible"])
            if index["visible"] >= READABLE:
                heights.append(2 * np.hypot(*np.subtract(index["suit"], index["rank"])))
    rows = {
        "index height, px": heights,
        "visible share": shares,
        "tilt, degrees": [label["tilt"] for label in labels],
        "contrast, 0-1": [value for label in labels for value in label["contrasts"]],
        "cards a scene": [len(label["cards"]) for label in labels],
        "readable indices a scene": readable,
    }
    lines = [f"{'':26}{'5 %':>9}{'50 %':>9}{'95 %':>9}"]
    for name, values in rows.items():
        low, middle, high = np.percentile(values or [0], [5, 50, 95])
        lines.append(f"{name:26}{low:9.2f}{middle:9.2f}{high:9.2f}")
    count = max(len(labels), 1)
    for tag in ("hand", "held", "hands", "melds", "scattered", "few", "fingers", "dim", "glare"):
        lines.append(f"{'share ' + tag:26}{sum(tag in label['tags'] for label in labels) / count:9.2f}")
    return "\n".join(lines)


def main() -> None:
    """Parse the command line, render, print what the set spans."""
    parser = argparse.ArgumentParser(prog="python -m datasets.build", description=__doc__.split("\n")[0])
    parser.add_argument("--split", choices=SPLITS, required=True)
    parser.add_argument("--scenes", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--empty", action="store_true", help="the same tables without a face in sight")
    parser.add_argument("--free", action="store_true", help="drawn decks on drawn grounds alone")
    parser.add_argument("--ray", metavar="ADDRESS", help="let a Ray cluster draw: its address, auto or local")
    arguments = parser.parse_args()
    recipe = Recipe(arguments.split, arguments.seed, arguments.cache, arguments.empty, arguments.free)
    labels = build(recipe, arguments.scenes, arguments.out, arguments.processes, arguments.ray)
    print(summary(labels))


if __name__ == "__main__":
    main()
