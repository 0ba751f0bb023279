"""Decks of the packaged card art: faces drawn once into the cache, with the place of every corner index.

``python -m datasets.art`` draws every deck that the cache lacks; a deck that is used before is drawn then.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets import svg
from datasets.assets import (
    AGUILAR_CARDS,
    GNOME_CARDS,
    KDE_CARDS,
    KENNARD_CARDS,
    AssetsError,
    Package,
    default_cache,
    files,
    fonts,
)
from datasets.backs import draw_back
from datasets.decks import FACE_HEIGHT, CornerIndex, Face
from datasets.indices import Window, find_indices, find_joker_indices
from engine.cards import KINDS, Card

DRAWING = 1
"""Version of the drawn faces: raise it when they would come out differently, and caches are redrawn."""

_WORDS = {"A": "1", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
_SUITS = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}


@dataclass(frozen=True)
class Design:
    """One design of a package: where its faces are and how they are named."""

    name: str
    package: Package
    source: str
    """The sheet, or the folder with a file for each face, inside the package's folder."""
    pattern: str
    """Name of a face: ``rank``, ``suit`` as words, or ``code`` as files of cards write it."""
    jokers: tuple[str, ...] = ()
    """Names of the joker faces; a deck without any takes Kennard's jester."""
    joker_windows: tuple[Window, ...] = ()
    """Where the jokers have an index; another one lies opposite. None: they have no index."""
    back: str | None = None
    """Name of the back; a deck without any takes a drawn one."""
    four_corners: bool = False
    """Whether all four corners have an index."""
    held_out: bool = False
    """Whether only validation scenes show the deck."""

    def face_name(self, card: Card) -> str:
        """Return the name of a card's face.

        >>> DESIGNS[0].face_name(Card("TD"))
        'diamond_10'
        """
        rank, suit = card.code
        return self.pattern.format(rank=_WORDS.get(rank, rank), suit=_SUITS[suit], code=card.code)


def _gnome(name: str, *joker_windows: Window, jokers: bool = True, **more: bool) -> Design:
    """Return a sheet of gnome-cards-data; its two jokers can be passed over."""
    names = ("joker_black", "joker_red") if jokers else ()
    return Design(
        f"gnome/{name}",
        GNOME_CARDS,
        f"{name}.svgz",
        "{suit}_{rank}",
        names,
        joker_windows,
        back="back",
        **more,
    )


def _kde(
    name: str, sheet: str, *joker_windows: Window, jokers: tuple[str, ...] = (), held_out: bool = False
) -> Design:
    return Design(
        f"kde/{name}",
        KDE_CARDS,
        f"svg-{name}/{sheet}.svgz",
        "{rank}_{suit}",
        jokers,
        joker_windows,
        back="back",
        held_out=held_out,
    )


def _kennard(name: str) -> Design:
    return Design(f"kennard/{name}", KENNARD_CARDS, name, "{code}", jokers=("2J",))


DESIGNS: tuple[Design, ...] = (
    _gnome("anglo", (0.02, 0.02, 0.125, 0.272)),
    _gnome("anglo_bitmap", (0.02, 0.02, 0.125, 0.272)),
    _gnome("anglo_modern", (0.04, 0.02, 0.22, 0.14), (0.78, 0.02, 0.98, 0.14)),
    _gnome("anglo_modern_4_color", (0.04, 0.02, 0.22, 0.14), (0.78, 0.02, 0.98, 0.14)),
    _gnome("anglo_poker", (0.02, 0.01, 0.22, 0.15)),
    _gnome("atlasnye", (0.02, 0.01, 0.16, 0.545), held_out=True),
    _gnome("bellot", (0.01, 0.01, 0.34, 0.135)),
    _gnome("dondorf", four_corners=True),
    _gnome("gnomangelo", (0.02, 0.01, 0.26, 0.16)),
    _gnome("gnomangelo_bitmap", (0.0, 0.02, 0.33, 0.16)),
    _gnome("neoclassical", (0.02, 0.01, 0.25, 0.16), (0.79, 0.02, 0.97, 0.45)),
    _gnome("neoclassical_4_color", (0.02, 0.01, 0.25, 0.16), (0.79, 0.02, 0.97, 0.45)),
    _gnome("orell", (0.05, 0.02, 0.195, 0.118), held_out=True),
    _gnome("ornamental", (0.07, 0.02, 0.22, 0.46)),
    _gnome("paris", (0.0, 0.0, 0.29, 0.19)),
    _gnome("plastic", (0.02, 0.01, 0.24, 0.16), (0.76, 0.01, 0.98, 0.16), held_out=True),
    _gnome("tango", jokers=False),
    _gnome("tigullio", (0.06, 0.03, 0.28, 0.19), held_out=True),
    _kde("nicu-white", "white", (0.07, 0.02, 0.22, 0.46), jokers=("black_joker", "red_joker")),
    _kde("standard", "standard", held_out=True),
    _kennard("2color"),
    _kennard("4color"),
    _kennard("2color-bf"),
    _kennard("4color-bf"),
    Design("aguilar", AGUILAR_CARDS, "", "{code}", back="Blue_Back"),
)
"""Every design that has English indices, each with rank and suit one above the other."""

_JESTER = next(design for design in DESIGNS if design.name == "kennard/2color")


class ArtDeck:
    """A packaged deck; drawn into the cache when it is first used."""

    def __init__(self, design: Design, cache: Path) -> None:
        self.design = design
        self.cache = cache

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
        return float(self._sheet["corner_radius"])

    @property
    def joker_styles(self) -> int:
        """Number of different jokers."""
        return len(self.design.jokers or _JESTER.jokers)

    def face(self, card: Card, style: int = 0) -> Face:
        """Return the face of a card; ``style`` chooses among the jokers, modulo their number."""
        return self._face(card.index + (style % self.joker_styles if card.is_joker else 0))

    def back(self) -> Face:
        """Return the back of the cards."""
        return self._face(len(self._pictures) - 1)

    def _face(self, place: int) -> Face:
        indices = tuple(
            CornerIndex(tuple(index["box"]), tuple(index["rank"]), tuple(index["suit"]))
            for index in self._sheet["indices"][place]
        )
        return Face(np.asarray(self._pictures[place]), indices)

    @cached_property
    def _pictures(self) -> NDArray[np.uint8]:
        render(self.design, self.cache)
        return np.asarray(np.load(_stem(self.design, self.cache).with_suffix(".npy"), mmap_mode="r"))

    @cached_property
    def _sheet(self) -> dict:
        render(self.design, self.cache)
        return json.loads(_stem(self.design, self.cache).with_suffix(".json").read_text())


def art_decks(cache: Path | None = None, held_out: bool | None = None) -> list[ArtDeck]:
    """Return the packaged decks: those held out, those not, or all.

    Raises:
        AssetsError: if the cache does not hold the packages.
    """
    cache = cache or default_cache()
    for package in {design.package.name: design.package for design in DESIGNS}.values():
        files(package, cache)
    return [ArtDeck(design, cache) for design in DESIGNS if held_out in (None, design.held_out)]


def render(design: Design, cache: Path) -> None:
    """Draw a deck's faces into the cache and note their indices, unless they are there already."""
    stem = _stem(design, cache)
    noted = stem.with_suffix(".json")
    if noted.is_file() and json.loads(noted.read_text())["drawing"] == DRAWING:
        return
    stem.parent.mkdir(parents=True, exist_ok=True)
    sheet = _Sheet(design, cache)
    pictures = np.stack([*sheet.faces(), sheet.back()])
    cards = len(KINDS) - 1
    indices = find_indices(pictures[:cards], design.four_corners)
    indices += [find_joker_indices(picture, design.joker_windows) for picture in pictures[cards:-1]]
    stored = stem.with_suffix(f".{os.getpid()}.part")
    with stored.open("wb") as file:
        np.save(file, pictures)
    stored.replace(stem.with_suffix(".npy"))
    noted.write_text(
        json.dumps(
            {"drawing": DRAWING, "corner_radius": sheet.radius, "indices": [*map(_plain, indices), []]}
        )
    )


def _stem(design: Design, cache: Path) -> Path:
    return cache / "faces" / design.name.replace("/", "_")


def _plain(indices: tuple[CornerIndex, ...]) -> list[dict[str, tuple[float, ...]]]:
    return [{"box": index.box, "rank": index.rank, "suit": index.suit} for index in indices]


class _Sheet:
    """A design being drawn: its SVG, the size of its faces, and what is cut off their edges."""

    def __init__(self, design: Design, cache: Path) -> None:
        self.design = design
        self.cache = cache
        self.fonts = [path for path in fonts(cache) if path.name.startswith("DejaVu")]
        self.folder = cache / design.package.folder / design.source
        self.root = svg.read(self.folder) if self.folder.is_file() else None
        self.radius = 0.0
        self.margins = (0.0, 0.0, 0.0, 0.0)
        self.width = 0
        self._measure(design.face_name(Card("3C")))

    def faces(self) -> Iterator[NDArray[np.uint8]]:
        """Yield the 52 faces in index order, then the jokers."""
        for card in KINDS[:-1]:
            yield self._face(self.design.face_name(card))
        for name in self.design.jokers:
            yield self._face(name)
        if not self.design.jokers:
            jester = _Sheet(_JESTER, self.cache)
            for picture in map(jester._face, _JESTER.jokers):
                yield cv2.resize(picture, (self.width, FACE_HEIGHT), interpolation=cv2.INTER_AREA)

    def back(self) -> NDArray[np.uint8]:
        """Return the back."""
        if self.design.back:
            return self._face(self.design.back)
        ground = np.full((FACE_HEIGHT, self.width, 3), 250, np.uint8)
        return draw_back(np.random.default_rng(len(self.design.name)), self.width, FACE_HEIGHT, ground)

    def _element(self, name: str) -> ElementTree.Element:
        return svg.read(self.folder / f"{name}.svg") if self.root is None else svg.alone(self.root, name)

    def _measure(self, name: str) -> None:
        """Measure a face that has nothing at its edges: its size, corners and outline.

        Sheets made for screens outline each card; a real card has no such line, so it is cut off.
        """
        face = self._element(name)
        view = svg.inked(face)
        width = round(FACE_HEIGHT * view[2] / view[3])
        picture = svg.draw(face, view, (FACE_HEIGHT, width))
        depths = [_outline(np.rot90(picture, turn)) for turn in (0, 1, 2, 3)]
        left, top, right, bottom = depths[0], depths[1], depths[2], depths[3]
        self.margins = (left / width, top / FACE_HEIGHT, right / width, bottom / FACE_HEIGHT)
        scale = FACE_HEIGHT / (FACE_HEIGHT - top - bottom)
        self.width = round((width - left - right) * scale)
        # What a rounded corner leaves free of its square: (1 - pi / 4) of it.
        square = picture[: FACE_HEIGHT // 5, : width // 3, 3]
        rounding = np.sqrt((square < 128).sum() / (1 - np.pi / 4))
        self.radius = float(max(0.0, rounding - max(depths)) * scale)

    def _face(self, name: str) -> NDArray[np.uint8]:
        face = self._element(name)
        x, y, width, height = svg.inked(face)
        left, top, right, bottom = self.margins
        view = (x + left * width, y + top * height, width * (1 - left - right), height * (1 - top - bottom))
        picture = svg.draw(face, view, (FACE_HEIGHT, self.width), self.fonts)
        return _squared(picture, self.radius)


def _outline(picture: NDArray[np.uint8]) -> int:
    """Return the width in pixels of the line along the left side of a face (H, W, 4)."""
    height = len(picture)
    middle = picture[height * 3 // 10 : height * 7 // 10, : height // 40].astype(int)
    profile = np.median(middle, axis=0)
    differs = np.abs(profile - profile[-1]).max(axis=1) > 12
    return int(np.flatnonzero(differs)[-1]) + 2 if differs.any() else 1


def _squared(picture: NDArray[np.uint8], radius: float) -> NDArray[np.uint8]:
    """Return a face (H, W, 4) as RGB on which all outside the rounded corners repeats the card's ground."""
    side = int(np.ceil(radius)) + 2
    away = np.hypot(*(radius - 0.5 - np.mgrid[:side, :side]))
    colours = picture[..., :3].astype(np.float32)
    cover = picture[..., 3:] / np.float32(255)
    grounds = []
    for rows in (slice(None), slice(None, None, -1)):
        for columns in (slice(None), slice(None, None, -1)):
            corner, alpha = (part[rows, columns][:side, :side] for part in (colours, cover))
            # A strip just inside the arc: not the outline, and before any print.
            strip = (away > radius - 8) & (away < radius - 3) & (alpha[..., 0] > 0.98)
            ground = np.median(corner[strip], axis=0) if strip.any() else corner[-1, -1]
            corner[away > radius - 2] = ground
            alpha[away > radius - 2] = 1
            grounds.append(ground)
    colours = cover * colours + (1 - cover) * np.median(grounds, axis=0)
    return np.round(colours).astype(np.uint8)


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
