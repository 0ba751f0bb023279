"""Drawn decks: designs made up from a seed, as different from one another as real decks are."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator

from datasets.backs import draw_back
from datasets.courts import CourtDesign, corner_pips, draw_court, draw_court_design, print_letter
from datasets.decks import FACE_HEIGHT, CornerIndex, Deck, Face
from datasets.ink import (
    Box,
    Colour,
    Mask,
    Picture,
    Piece,
    embolden,
    fit,
    font_family,
    glyph,
    has_glyphs,
    hollow,
    paint_centred,
    print_pieces,
    row,
    turned,
)
from datasets.jokers import JokerDesign, draw_joker_picture, draw_jokers, joker_corner
from datasets.pips import PLACES, draw_suits
from engine.cards import JOKER, KINDS, Card, Rank, Suit

Courts = Callable[[Rank, Suit, Generator], Picture | None]
"""Gives the inner picture of a court card as another deck has it, without indices, or nothing.

Equal generators choose the same deck."""
JokerArt = Callable[[Generator], Picture | None]
"""Gives the inner picture of a joker of another deck, without indices, or nothing."""


def courts_of(decks: Sequence[Deck]) -> Courts:
    """Return the courts of ``decks``, where known indices leave room for a picture between them."""

    def court(rank: Rank, suit: Suit, rng: Generator) -> Picture | None:
        face = decks[rng.integers(len(decks))].face(Card(rank + suit))
        return _inner(face) if face.indices else None

    return court


def joker_art_of(decks: Sequence[Deck]) -> JokerArt:
    """Return the jokers of ``decks``, where their indices leave room for a picture between them."""

    def joker(rng: Generator) -> Picture | None:
        deck = decks[rng.integers(len(decks))]
        return _inner(deck.face(JOKER, int(rng.integers(deck.joker_styles))))

    return joker


def _inner(face: Face) -> Picture | None:
    """Return what lies between the index columns of a face, if that is 45 % of its width at least."""
    height, width = face.image.shape[:2]
    edge, top = round(0.04 * width), round(0.035 * height)
    for index in face.indices:
        reach = index.box[2] if index.box[0] + index.box[2] < width else width - index.box[0]
        edge = max(edge, round(reach) + 3)
    return face.image[top : height - top, edge : width - edge] if width - 2 * edge >= 0.45 * width else None


_COURT_RANKS = (Rank.JACK, Rank.QUEEN, Rank.KING)
_LETTERS = "A234567890JQKOER1"


@cache
def held_out_font(path: Path) -> bool:
    """Return whether only held-out decks use the font: one family in six, by a hash of its first name.

    The cuts of a family, such as ``Lato Black`` and ``Lato Light``, fall on the same side.
    """
    family = font_family(path).lower().split()[0]
    return hashlib.sha256(family.encode()).digest()[0] % 6 == 4


@cache
def _writes_indices(path: Path) -> bool:
    return has_glyphs(path, _LETTERS)


@dataclass(frozen=True)
class IndexDesign:
    """The corner index of a deck; lengths in face pixels."""

    font: Path
    bold: int
    """Pixels by which strokes are grown at the size of ``GLYPH_EM``."""
    rank_height: float
    suit_height: float
    gap: float
    """Free rows between rank and suit."""
    top: float
    left: float
    """Left edge of the widest rank but ten."""
    widest: float
    """Greatest width of a rank but ten."""
    stretch: float
    """Factor on the width of rank glyphs."""
    ten_gap: float
    """Space between 1 and 0 as a share of the rank's height."""
    ten_width: float
    """Greatest width of the ten as a share of the widest other rank."""
    left_aligned: bool
    """Rank and suit begin at the same column; otherwise they share their axis."""
    is_hollow: bool
    """Ranks are outlines."""

    @property
    def height(self) -> float:
        """Height of rank, gap and suit together."""
        return self.rank_height + self.gap + self.suit_height


def _draw_index(rng: Generator, fonts: Sequence[Path], width: int) -> IndexDesign:
    kind = rng.choice(["small", "normal", "jumbo", "large"], p=[0.14, 0.5, 0.24, 0.12])
    low, high = {
        "small": (0.09, 0.13),
        "normal": (0.125, 0.18),
        "jumbo": (0.18, 0.25),
        "large": (0.24, 0.31),
    }[kind]
    height = rng.uniform(low, high) * FACE_HEIGHT
    ratio = rng.uniform(0.5, 0.85)
    if rng.random() < 0.16:
        ratio = rng.choice([rng.uniform(0.32, 0.48), rng.uniform(0.9, 1.15)])
    gap = max(3.0, rng.uniform(0.02, 0.13) * height)
    rank_height = (height - gap) / (1 + ratio)
    widest = {"small": 0.1, "normal": 0.14, "jumbo": 0.2, "large": 0.26}[kind] * width
    return IndexDesign(
        font=fonts[rng.integers(len(fonts))],
        bold=int(rng.integers(-6, 6)),
        rank_height=float(rank_height),
        suit_height=float(ratio * rank_height),
        gap=float(gap),
        top=float(rng.uniform(0.022, 0.055) * FACE_HEIGHT),
        left=float(rng.uniform(0.025, 0.06) * width),
        widest=float(widest * rng.uniform(0.75, 1.05)),
        stretch=float(rng.choice([1.0, rng.uniform(0.6, 0.95), rng.uniform(1.0, 1.15)], p=[0.35, 0.5, 0.15])),
        ten_gap=float(rng.uniform(-0.03, 0.09)),
        ten_width=float(rng.uniform(1.0, 1.6)),
        left_aligned=bool(rng.random() < 0.06),
        is_hollow=bool(rng.random() < 0.025),
    )


_REDS: tuple[Colour, ...] = (
    (205, 22, 36),
    (222, 40, 40),
    (178, 18, 30),
    (232, 62, 48),
    (220, 34, 72),
    (188, 58, 44),
)
_DARKS: tuple[Colour, ...] = (
    (18, 18, 20),
    (18, 18, 20),
    (34, 32, 36),
    (22, 30, 84),
    (48, 46, 50),
    (30, 40, 44),
)
_FOUR: tuple[tuple[Colour, Colour], ...] = (
    ((16, 120, 52), (24, 84, 196)),
    ((30, 150, 70), (20, 110, 210)),
    ((16, 120, 52), (236, 122, 18)),
    ((24, 84, 196), (236, 110, 30)),
    ((90, 50, 140), (20, 140, 160)),
    ((20, 70, 160), (226, 90, 140)),
)
"""Clubs and diamonds of four-coloured decks."""


_GOLD: Colour = (206, 150, 22)


def _draw_inks(rng: Generator) -> Mapping[Suit, Colour]:
    red = _shade(rng, _REDS[rng.integers(len(_REDS))])
    dark = _shade(rng, _DARKS[rng.integers(len(_DARKS))])
    inks = {Suit.CLUBS: dark, Suit.DIAMONDS: red, Suit.HEARTS: red, Suit.SPADES: dark}
    if rng.random() < 0.18:
        clubs, diamonds = _FOUR[rng.integers(len(_FOUR))]
        inks[Suit.CLUBS], inks[Suit.DIAMONDS] = _shade(rng, clubs), _shade(rng, diamonds)
    return inks


def _shade(rng: Generator, colour: Colour) -> Colour:
    red, green, blue = np.clip(np.array(colour) + rng.integers(-12, 13, 3), 0, 255)
    return int(red), int(green), int(blue)


def _draw_ground(rng: Generator, width: int) -> tuple[Picture, Colour]:
    """Return the unprinted card and its mean colour."""
    kind = rng.choice(["white", "off-white", "cream", "tinted", "aged"], p=[0.48, 0.27, 0.13, 0.04, 0.08])
    base = {
        "white": rng.uniform(248, 255) * np.ones(3),
        "off-white": rng.uniform(238, 249) - np.array([0, 0.5, 4]) * rng.uniform(0, 1.5),
        "cream": np.array([250, 243, 226]) - rng.uniform(0, 8, 3),
        "tinted": 255 - rng.uniform(0, 36, 3),
        "aged": np.array([236, 222, 190]) - rng.uniform(0, 18) * np.array([0.8, 1, 1.2]),
    }[kind]
    sheet = np.broadcast_to(base, (FACE_HEIGHT, width, 3)).astype(np.float32)
    if kind == "aged" or rng.random() < 0.1:
        blotches = rng.normal(0, 2.5, (7, 5)).astype(np.float32)
        sheet = sheet + cv2.resize(blotches, (width, FACE_HEIGHT), interpolation=cv2.INTER_CUBIC)[..., None]
    if rng.random() < 0.6:
        grain = rng.normal(0, rng.uniform(0.4, 1.8), (FACE_HEIGHT, width, 1)).astype(np.float32)
        sheet = sheet + grain
    red, green, blue = (int(value) for value in np.clip(base, 0, 255))
    return np.clip(sheet, 0, 255).astype(np.uint8), (red, green, blue)


@dataclass(frozen=True)
class _Style:
    """What else the faces of a deck have in common; lengths in face pixels."""

    middle: str
    """Middle of the number cards: ``pips``, ``small-pips``, ``huge-pip`` or ``rank``."""
    pip: float
    """Height of a pip."""
    pip_top: float
    """Height of the middle of the uppermost pips."""
    frame: tuple[int, int] | None
    """Distance from the edge and thickness of a line around the face."""
    court: str
    """``framed``, ``notched`` or ``open``."""
    court_top: float
    court_line: int
    has_corner_pips: bool
    uses_art: float
    """Chance that a court picture is taken from another deck."""
    ace: float
    """Height of the ace's pip."""
    is_ornate: bool
    """The ace of spades is ornamented."""


def _draw_style(rng: Generator) -> _Style:
    middle = rng.choice(["pips", "small-pips", "huge-pip", "rank"], p=[0.74, 0.1, 0.11, 0.05])
    pip = rng.uniform(0.13, 0.18) if middle == "pips" else rng.uniform(0.08, 0.12)
    frame = (int(rng.uniform(5, 12)), int(rng.integers(1, 5))) if rng.random() < 0.1 else None
    return _Style(
        middle=str(middle),
        pip=float(pip * FACE_HEIGHT),
        pip_top=float(rng.uniform(0.14, 0.21) * FACE_HEIGHT),
        frame=frame,
        court=str(rng.choice(["framed", "notched", "open"], p=[0.55, 0.2, 0.25])),
        court_top=float(rng.uniform(0.04, 0.1) * FACE_HEIGHT),
        court_line=int(rng.integers(1, 5)),
        has_corner_pips=bool(rng.random() < 0.7),
        uses_art=float(rng.choice([1.0, 0.5, 0.0], p=[0.4, 0.2, 0.4])),
        ace=float(rng.uniform(0.16, 0.42) * FACE_HEIGHT),
        is_ornate=bool(rng.random() < 0.6),
    )


class DrawnDeck:
    """A deck whose whole design follows from a seed; faces are drawn when first asked for.

    Args:
        seed: the design.
        fonts: font files for indices, lettering and, where they have them, suit symbols.
        courts: court pictures of other decks; drawn ones where it is missing.
        held_out: use only the fonts and joker styles kept for validation; otherwise only the others.
        joker_art: pictures of other decks' jokers; drawn ones where it is missing.

    Raises:
        ValueError: if no font of that kind writes all letters of an index.
    """

    def __init__(
        self,
        seed: int,
        fonts: Sequence[Path],
        courts: Courts | None = None,
        held_out: bool = False,
        joker_art: JokerArt | None = None,
    ) -> None:
        able = [path for path in fonts if held_out_font(path) == held_out and _writes_indices(path)]
        if not able:
            kind = "held-out" if held_out else "training"
            raise ValueError(f"A drawn deck needs a font: none of the {len(fonts)} given is a {kind} font.")
        self._seed = seed
        self._held_out = held_out
        self._courts = courts
        self._joker_art = joker_art
        rng = self._rng(0)
        ratio = rng.choice([63 / 88, 57 / 89, 70 / 120, rng.uniform(0.62, 0.75)], p=[0.62, 0.22, 0.02, 0.14])
        self._width = round(ratio * FACE_HEIGHT)
        self.corner_radius = float(rng.uniform(0.035, 0.075) * self._width)
        self._index = _draw_index(rng, able, self._width)
        self._inks = _draw_inks(rng)
        self._suits = draw_suits(rng, able)
        self._style = _draw_style(rng)
        self._court: CourtDesign = draw_court_design(rng)
        self._four_corners = bool(rng.random() < 0.15)
        self._ground, self._paper = _draw_ground(rng, self._width)
        self._place_indices()
        inks = (self._inks[Suit.SPADES], self._inks[Suit.HEARTS], self._court.palette[1], _GOLD)
        free = max(0.12 * self._width, self._index_right - 0.02 * self._width)
        self.jokers: tuple[JokerDesign, ...] = draw_jokers(rng, able, self._index.height, free, inks, held_out)
        self._faces: dict[tuple[Card, int], Face] = {}
        self._back: Face | None = None

    def _rng(self, *branch: int) -> Generator:
        return np.random.default_rng([self._seed, int(self._held_out), *branch])

    @property
    def name(self) -> str:
        """``drawn/SEED``, or ``drawn/held-out/SEED``."""
        return f"drawn/held-out/{self._seed}" if self._held_out else f"drawn/{self._seed}"

    @property
    def joker_styles(self) -> int:
        """How many different jokers the deck has."""
        return len(self.jokers)

    def face(self, card: Card, style: int = 0) -> Face:
        """Return the face of a card; ``style`` chooses among the jokers, modulo their number."""
        style = style % len(self.jokers) if card.is_joker else 0
        if (card, style) not in self._faces:
            self._faces[card, style] = self._draw(card, style)
        return self._faces[card, style]

    def back(self) -> Face:
        """Return the back of the cards."""
        if self._back is None:
            self._back = Face(draw_back(self._rng(1), self._width, FACE_HEIGHT, self._ground), ())
        return self._back

    def _draw(self, card: Card, style: int) -> Face:
        picture = self._ground.copy()
        rng = self._rng(2, card.index, style)
        if self._style.frame is not None:
            inset, line = self._style.frame
            corners = (inset, inset), (self._width - 1 - inset, FACE_HEIGHT - 1 - inset)
            cv2.rectangle(picture, *corners, self._inks[Suit.SPADES], line)
        rank, suit = card.rank, card.suit
        if rank is None or suit is None:
            pieces = self._print_joker(picture, self.jokers[style])
            return Face(picture, self._print_indices(picture, pieces, is_joker=True))
        if rank in _COURT_RANKS:
            self._print_court(picture, rank, suit, rng)
        elif rank is Rank.ACE:
            self._print_ace(picture, suit)
        else:
            self._print_number(picture, rank, suit)
        return Face(picture, self._print_indices(picture, self._pieces[card], is_joker=False))

    # Corner indices

    def _place_indices(self) -> None:
        """Set the pieces of all 52 indices, and the column and row at which all of them have ended."""
        index = self._index
        glyphs = {rank: self._rank_glyph(rank) for rank in Rank}
        symbols = {suit: self._suits.mask(suit, index.suit_height, plain=True) for suit in Suit}
        widest = max(mask.shape[1] for rank, mask in glyphs.items() if rank is not Rank.TEN)
        edge = 0.014 * self._width + (sum(self._style.frame) + 3 if self._style.frame else 0)
        top = round(max(index.top, edge + 2))
        broadest = max(mask.shape[1] for mask in symbols.values())
        left = max(index.left, edge)
        axis = max(left + widest / 2, edge + broadest / 2)
        ten = glyphs[Rank.TEN]
        ten_width = min(index.ten_width * widest, 2 * (axis - edge), ten.shape[1])
        glyphs[Rank.TEN] = fit(ten, ten.shape[0], ten_width)
        self._pieces: dict[Card, tuple[Piece, Piece]] = {}
        for card in KINDS[:-1]:
            rank, suit = glyphs[Rank(card.code[0])], symbols[Suit(card.code[1])]
            lefts = [left, left] if index.left_aligned else [axis - rank.shape[1] / 2, axis - suit.shape[1] / 2]
            low = top + max(index.rank_height + index.gap, rank.shape[0] + 3)
            ink = self._inks[Suit(card.code[1])]
            self._pieces[card] = (
                Piece(rank, round(lefts[0]), top, ink),
                Piece(suit, round(lefts[1]), round(low), ink),
            )
        pieces = [piece for pair in self._pieces.values() for piece in pair]
        self._index_left = min(piece.left for piece in pieces)
        self._index_top = top
        self._index_right = max(piece.right for piece in pieces)
        self._index_bottom = max(piece.bottom for piece in pieces)

    def _rank_glyph(self, rank: Rank) -> Mask:
        index = self._index
        capital = glyph(index.font, "K").shape[0]
        widest = max(glyph(index.font, letter).shape[1] for letter in "AQK") * index.rank_height / capital
        stretch = min(index.stretch, index.widest / widest)

        def letter(text: str) -> Mask:
            mask = glyph(index.font, text)
            height = mask.shape[0] * index.rank_height / capital
            # Old-style figures and letters with long tails are brought to the height of the others.
            if not 0.9 < mask.shape[0] / capital < (1.25 if text in "JQ" else 1.1):
                height = index.rank_height
            bold = embolden(mask, index.bold)
            return fit(bold, height, min(bold.shape[1] * height / bold.shape[0] * stretch, index.widest))

        if rank is Rank.TEN:
            mask = row([letter("1"), letter("0")], round(index.ten_gap * index.rank_height))
        else:
            mask = letter(rank.value)
        return hollow(mask, max(1, round(index.rank_height / 22))) if index.is_hollow else mask

    def _print_indices(self, picture: Picture, pieces: Sequence[Piece], is_joker: bool) -> tuple[CornerIndex, ...]:
        if not pieces:
            return ()
        indices = []
        for at_right in (False, True) if self._four_corners else (False,):
            for upside_down in (False, True):
                boxes = np.array(print_pieces(picture, pieces, at_right, upside_down))
                low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
                if is_joker:
                    quarter = np.array([0, (high[1] - low[1]) / 4])
                    ends = [(low + high) / 2 - quarter, (low + high) / 2 + quarter]
                    ends = ends[::-1] if upside_down else ends
                else:
                    ends = [(box[:2] + box[2:]) / 2 for box in boxes]
                indices.append(
                    CornerIndex(
                        box=(float(low[0]), float(low[1]), float(high[0]), float(high[1])),
                        rank=(float(ends[0][0]), float(ends[0][1])),
                        suit=(float(ends[1][0]), float(ends[1][1])),
                    )
                )
        return tuple(indices)

    # Middles of the faces

    def _print_number(self, picture: Picture, rank: Rank, suit: Suit) -> None:
        ink = self._inks[suit]
        x, y = self._width / 2, FACE_HEIGHT / 2
        free = 2 * (x - self._index_right - 8)
        if self._style.middle == "huge-pip":
            mask = self._suits.mask(suit, min(0.55 * FACE_HEIGHT, free))
            paint_centred(picture, mask, x, y, ink)
            return
        if self._style.middle == "rank":
            mask = fit(glyph(self._index.font, rank.label), 0.3 * FACE_HEIGHT)
            if mask.shape[1] > free:
                mask = fit(mask, mask.shape[0], free)
            paint_centred(picture, mask, x, y, ink)
            return
        pip, half_width = self._style.pip, 0.0
        while True:
            mask = self._suits.mask(suit, pip)
            half_width = min(0.22 * self._width, x - self._index_right - 7 - mask.shape[1] / 2)
            if half_width >= 0.85 * mask.shape[1] or pip < 0.05 * FACE_HEIGHT:
                break
            pip *= 0.92
        half_height = y - max(self._style.pip_top, 0.05 * FACE_HEIGHT + pip / 2)
        for across, down in PLACES[rank]:
            place = x + across * half_width, y + down * half_height
            paint_centred(picture, turned(mask) if down > 0 else mask, *place, ink)

    def _print_ace(self, picture: Picture, suit: Suit) -> None:
        x, y = self._width / 2, FACE_HEIGHT / 2
        free = 2 * (x - self._index_right - 8)
        ornate = self._style.is_ornate and suit is Suit.SPADES
        height = min(max(self._style.ace, 0.4 * FACE_HEIGHT) if ornate else self._style.ace, 0.95 * free)
        mask = self._suits.mask(suit, height, plain=ornate)
        paint_centred(picture, mask, x, y, self._inks[suit])
        if ornate:
            for share, colour in ((0.45, self._paper), (0.36, self._inks[suit]), (0.16, self._paper)):
                paint_centred(picture, self._suits.mask(suit, share * height, plain=True), x, y, colour)

    def _court_area(self) -> tuple[int, int, int, int]:
        """Return left, top, right, bottom of the court picture."""
        left = self._index_right + 6
        if self._is_notched:
            left = round(0.1 * self._width)
        top = round(self._style.court_top)
        return left, top, self._width - left, FACE_HEIGHT - top

    @property
    def _is_notched(self) -> bool:
        return self._style.court == "notched" or self._index_right > 0.2 * self._width

    def _print_court(self, picture: Picture, rank: Rank, suit: Suit, rng: Generator) -> None:
        left, top, right, bottom = self._court_area()
        size = right - left, bottom - top
        panel = None
        wants_art = rng.random() < self._style.uses_art
        if self._courts is not None and wants_art:
            panel = self._courts(rank, suit, self._rng(3))
        if panel is not None:
            panel = self._printed(_filled(panel, size))
        else:
            panel = draw_court(self._court, rng, rank, size, self._paper)
            if self._court.kind == "letter":
                print_letter(panel, self._court, glyph(self._index.font, rank.value), self._inks[suit])
            if self._style.has_corner_pips and not self._is_notched:
                corner_pips(panel, rng, self._suits, suit, self._inks[suit])
        picture[top:bottom, left:right] = panel
        line = 0 if self._style.court == "open" else self._style.court_line
        ink = self._inks[Suit.SPADES] if self._court.pattern % 2 else self._court.palette[1]
        if line:
            cv2.rectangle(picture, (left, top), (right - 1, bottom - 1), ink, line)
        if self._is_notched:
            self._clear_corners(picture, (left, top), ink, line)

    def _printed(self, panel: Picture) -> Picture:
        """Return a picture from white paper as it looks on this deck's paper."""
        paper = np.array(self._paper, np.uint16)
        return (panel * paper // 255).astype(np.uint8)

    def _clear_corners(self, picture: Picture, start: tuple[int, int], ink: Colour, line: int) -> None:
        """Cut the room of the indices out of a court picture that begins at ``start``."""
        across, down = self._index_right + 8, self._index_bottom + 8
        for at_right in (False, True) if self._four_corners else (False,):
            for view, ground in _both_ends(picture, self._ground, at_right):
                view[start[1] - line : down, start[0] - line : across] = ground[
                    start[1] - line : down, start[0] - line : across
                ]
                if line:
                    view[start[1] : down, across : across + line] = ink
                    view[down : down + line, start[0] : across + line] = ink

    def _print_joker(self, picture: Picture, design: JokerDesign) -> Sequence[Piece]:
        pieces = joker_corner(design, self._index_left, self._index_top)
        edge = max([piece.right for piece in pieces], default=round(0.08 * self._width)) + 8
        low = max([piece.bottom for piece in pieces], default=0)
        top = round(0.08 * FACE_HEIGHT)
        if edge > 0.24 * self._width:
            edge, top = round(0.1 * self._width), low + 8
        area: Box = (edge, top, self._width - edge, FACE_HEIGHT - top)
        panel = None
        if design.centre == "art" and self._joker_art is not None:
            panel = self._joker_art(self._rng(3, design.seed))
        if panel is not None:
            size = self._width - 2 * edge, FACE_HEIGHT - 2 * top
            picture[top : FACE_HEIGHT - top, edge : self._width - edge] = self._printed(_filled(panel, size))
        else:
            draw_joker_picture(design, picture, area, self._court, self._paper)
        return pieces


def _both_ends(picture: Picture, ground: Picture, at_right: bool) -> list[tuple[Picture, Picture]]:
    """Return face and ground as seen from the corner named, and the same turned by 180 degrees."""
    if at_right:
        picture, ground = picture[:, ::-1], ground[:, ::-1]
    return [(picture, ground), (picture[::-1, ::-1], ground[::-1, ::-1])]


def _filled(panel: Picture, size: tuple[int, int]) -> Picture:
    """Return a picture's middle scaled to ``size`` (width, height), changing its form by a tenth at most."""
    height, width = panel.shape[:2]
    excess = (width / height) / (size[0] / size[1])
    if excess > 1.1:
        cut = round(width * (1 - 1.1 / excess) / 2)
        panel = panel[:, cut : width - cut]
    elif excess < 1 / 1.1:
        cut = round(height * (1 - 1.1 * excess) / 2)
        panel = panel[cut : height - cut]
    return np.asarray(cv2.resize(panel, size, interpolation=cv2.INTER_AREA))
