"""The designs of the packaged card art: where their faces are, and what their jokers have for an index."""

from __future__ import annotations

from dataclasses import dataclass

from datasets.assets import AGUILAR_CARDS, GNOME_CARDS, KDE_CARDS, KENNARD_CARDS, Package
from datasets.indices import Window
from engine.cards import Card

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
    """Names of the joker faces; a deck without any takes those of another (``joker_design``)."""
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
        rank, suit = card.code[0], card.code[1]
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
    name: str,
    sheet: str,
    *joker_windows: Window,
    jokers: tuple[str, ...] = (),
    back: str | None = None,
    held_out: bool = False,
) -> Design:
    return Design(
        f"kde/{name}",
        KDE_CARDS,
        f"svg-{name}/{sheet}.svgz",
        "{rank}_{suit}",
        jokers,
        joker_windows,
        back,
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
    # Its own back shows cards, which would be seen as cards.
    _kde("nicu-white", "white", (0.07, 0.02, 0.22, 0.46), jokers=("black_joker", "red_joker")),
    _kde("standard", "standard", back="back", held_out=True),
    _kennard("2color"),
    _kennard("4color"),
    _kennard("2color-bf"),
    _kennard("4color-bf"),
    Design("aguilar", AGUILAR_CARDS, "", "{code}", back="Blue_Back"),
)
"""Every design that has English indices, each with rank and suit one above the other."""


def joker_design(design: Design) -> Design:
    """Return the design whose jokers a deck has: itself, or one of the same split where it has none.

    >>> joker_design(design_named("kde/standard")).name
    'gnome/plastic'
    """
    if design.jokers:
        return design
    return design_named("gnome/plastic" if design.held_out else "kennard/2color")


def design_named(name: str) -> Design:
    """Return the design of a name.

    Raises:
        KeyError: if there is none.
    """
    return {design.name: design for design in DESIGNS}[name]
