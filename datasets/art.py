"""Decks of the packaged card art: faces drawn once into the cache, with the place of every corner index.

``python -m datasets.art`` draws every deck that the cache lacks; a deck that is used before is drawn then.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.assets import AssetsError, default_cache, files
from datasets.decks import CornerIndex, Face
from datasets.designs import DESIGNS, Design, joker_design
from datasets.indices import find_indices, find_joker_indices
from datasets.sheets import Sheet
from engine.cards import Card

DRAWING = 2
"""Version of the drawn faces: raise it when they would come out differently, and caches are redrawn."""


class ArtDeck:
    """A packaged deck; drawn into the cache when it is first used."""

    def __init__(self, design: Design, cache: Path) -> None:
        self.design = design
        self.cache = cache

    def __reduce__(self) -> tuple[type[ArtDeck], tuple[Design, Path]]:
        """Pickle what finds the deck, not its pictures."""
        return ArtDeck, (self.design, self.cache)

    def __repr__(self) -> str:
        return f"ArtDeck({self.name!r})"

    @property
    def name(self) -> str:
        """Name of the design, such as ``gnome/anglo``."""
        return self.design.name

    @property
    def licence(self) -> str:
        """Licence of the art."""
        return self.design.package.licence

    @property
    def held_out(self) -> bool:
        """Whether only validation scenes show the deck."""
        return self.design.held_out

    @property
    def corner_radius(self) -> float:
        """Radius of the rounded corners in face pixels."""
        return float(self._notes["corner_radius"])

    @property
    def joker_styles(self) -> int:
        """Number of different jokers."""
        return len(joker_design(self.design).jokers)

    def face(self, card: Card, style: int = 0) -> Face:
        """Return the face of a card; ``style`` chooses among the jokers, modulo their number."""
        return self._face(card.index + (style % self.joker_styles if card.is_joker else 0))

    def back(self) -> Face:
        """Return the back of the cards."""
        return self._face(len(self._pictures) - 1)

    def _face(self, place: int) -> Face:
        indices = tuple(
            CornerIndex(tuple(index["box"]), tuple(index["rank"]), tuple(index["suit"]))
            for index in self._notes["indices"][place]
        )
        return Face(np.asarray(self._pictures[place]), indices)

    @cached_property
    def _pictures(self) -> NDArray[np.uint8]:
        render(self.design, self.cache)
        return np.asarray(np.load(_stem(self.design, self.cache).with_suffix(".npy"), mmap_mode="r"))

    @cached_property
    def _notes(self) -> dict[str, Any]:
        render(self.design, self.cache)
        notes: dict[str, Any] = json.loads(_stem(self.design, self.cache).with_suffix(".json").read_text())
        return notes


def art_decks(cache: Path) -> list[ArtDeck]:
    """Return every packaged deck; see ``ArtDeck.held_out`` for the split.

    Raises:
        AssetsError: if the cache does not hold the packages.
    """
    for package in {design.package.name: design.package for design in DESIGNS}.values():
        files(package, cache)
    return [ArtDeck(design, cache) for design in DESIGNS]


def render(design: Design, cache: Path) -> None:
    """Draw a deck's faces into the cache and note their indices, unless they are there already."""
    stem = _stem(design, cache)
    noted = stem.with_suffix(".json")
    drawing = f"{DRAWING} {design}"
    if noted.is_file() and json.loads(noted.read_text())["drawing"] == drawing:
        return
    stem.parent.mkdir(parents=True, exist_ok=True)
    sheet = Sheet(design, cache)
    cards, jokers = np.stack(list(sheet.faces())), np.stack(list(sheet.jokers()))
    windows = joker_design(design).joker_windows
    indices = [
        *find_indices(cards, design.four_corners),
        *(find_joker_indices(joker, windows) for joker in jokers),
        (),
    ]
    # Whole or not at all, also when two processes draw the same deck.
    stored = stem.with_suffix(f".{os.getpid()}.part")
    with stored.open("wb") as file:
        np.save(file, np.concatenate([cards, jokers, sheet.back()[None]]))
    stored.replace(stem.with_suffix(".npy"))
    stored.write_text(
        json.dumps({"drawing": drawing, "corner_radius": sheet.radius, "indices": [*map(_plain, indices)]})
    )
    stored.replace(noted)


def _stem(design: Design, cache: Path) -> Path:
    return cache / "faces" / design.name.replace("/", "_")


def _plain(indices: tuple[CornerIndex, ...]) -> list[dict[str, tuple[float, ...]]]:
    return [{"box": index.box, "rank": index.rank, "suit": index.suit} for index in indices]


def _render(task: tuple[Design, Path]) -> str:
    render(*task)
    return task[0].name


def main() -> None:
    """Draw every packaged deck into the cache."""
    parser = argparse.ArgumentParser(prog="python -m datasets.art", description=main.__doc__)
    parser.add_argument("--cache", type=Path, default=default_cache(), help="folder (default: %(default)s)")
    cache = parser.parse_args().cache
    try:
        decks = art_decks(cache)
        with ProcessPoolExecutor() as pool:
            tasks = [(deck.design, cache) for deck in decks]
            for name in (progress := tqdm(pool.map(_render, tasks), total=len(tasks), unit="deck")):
                progress.set_description(name)
    except AssetsError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
