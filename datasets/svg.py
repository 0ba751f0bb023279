"""SVG art into pixels: one element of a sheet alone, any part of it, at any size."""

from __future__ import annotations

import copy
import gzip
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import resvg_py
from numpy.typing import NDArray

View = tuple[float, float, float, float]
"""x, y, width and height in the units of an SVG."""

_DEFS = "{http://www.w3.org/2000/svg}defs"
_GZIP_MAGIC = b"\x1f\x8b"


def read(path: Path) -> ElementTree.Element:
    """Return the root of an SVG file, gzipped or not."""
    data = path.read_bytes()
    return ElementTree.fromstring(gzip.decompress(data) if data.startswith(_GZIP_MAGIC) else data)


def alone(sheet: ElementTree.Element, name: str) -> ElementTree.Element:
    """Return a copy of a sheet that shows one element only.

    The rest becomes definitions: it is not drawn, but what the element refers to is still found.

    Raises:
        KeyError: if no element has this id.
    """
    sheet = copy.deepcopy(sheet)
    parents = {child: parent for parent in sheet.iter() for child in parent}
    element = next((each for each in sheet.iter() if each.get("id") == name), None)
    if element is None:
        raise KeyError(f"The sheet has no element {name!r}.")
    while element is not sheet:
        parent = parents[element]
        hidden = ElementTree.Element(_DEFS)
        hidden.extend([child for child in parent if child is not element])
        parent[:] = [hidden, element]
        element = parent
    return sheet


def whole(svg: ElementTree.Element) -> View:
    """Return the view that an SVG shows as it is."""
    box = svg.get("viewBox")
    if box:
        x, y, width, height = (float(part) for part in box.replace(",", " ").split())
        return x, y, width, height
    width, height = (_length(svg.get(side, "")) for side in ("width", "height"))
    return 0.0, 0.0, width, height


def _length(text: str) -> float:
    """Return a length in user units: CSS pixels, of which 96 go to an inch of 72 points."""
    text = text.strip()
    return float(text.removesuffix("pt")) * 96 / 72 if text.endswith("pt") else float(text.removesuffix("px"))


def draw(svg: ElementTree.Element, view: View, size: tuple[int, int], fonts: Sequence[Path] = ()) -> NDArray[np.uint8]:
    """Return a view of an SVG, stretched to a height and width, as (H, W, 4) RGBA with straight alpha.

    Text is set in the given fonts alone, as those of the machine differ from place to place.
    """
    height, width = size
    svg = copy.copy(svg)
    for key, value in (
        ("viewBox", " ".join(f"{part:.6f}" for part in view)),
        ("width", str(width)),
        ("height", str(height)),
        ("preserveAspectRatio", "none"),
    ):
        svg.set(key, value)
    text = ElementTree.tostring(svg, encoding="unicode")
    png = resvg_py.svg_to_bytes(
        svg_string=text, skip_system_fonts=True, font_files=[str(path) for path in fonts] or None
    )
    return np.asarray(
        cv2.cvtColor(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED), cv2.COLOR_BGRA2RGBA)
    )


def inked(svg: ElementTree.Element) -> View:
    """Return the view that just holds everything drawn, also beyond the edges of the sheet.

    Raises:
        ValueError: if nothing is drawn.
    """
    x, y, width, height = whole(svg)
    view = (x - width, y - height, 3 * width, 3 * height)
    # First the element on its sheet, then its edges.
    x, y, width, height = _drawn_part(svg, view, longer=500)
    pad = max(width, height) / 20
    return _drawn_part(svg, (x - pad, y - pad, width + 2 * pad, height + 2 * pad), longer=500)


def _drawn_part(svg: ElementTree.Element, view: View, longer: int) -> View:
    """Return the part of a view that is drawn, to a pixel of a picture with this longer side."""
    x, y, width, height = view
    scale = longer / max(width, height)
    alpha = draw(svg, view, (max(1, round(height * scale)), max(1, round(width * scale))))[..., 3]
    columns, rows = (np.flatnonzero((alpha >= 128).any(axis=axis)) for axis in (0, 1))
    if not len(rows):
        raise ValueError("Nothing is drawn.")
    left, right = (x + width * column / alpha.shape[1] for column in (columns[0], columns[-1] + 1))
    top, bottom = (y + height * row / alpha.shape[0] for row in (rows[0], rows[-1] + 1))
    return left, top, right - left, bottom - top
