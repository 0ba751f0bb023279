"""SVG sheets: one element alone, wherever it lies."""

import gzip
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("resvg_py", reason="Drawing SVG needs the render extra.")

from datasets import svg

SHEET = """
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="100">
  <g id="row" transform="translate(10, 0)">
    <g id="first"><rect id="pip" x="0" y="10" width="40" height="60" fill="red"/></g>
    <g id="second"><use xlink:href="#pip" x="80"/></g>
  </g>
  <rect id="outside" x="250" y="-60" width="20" height="40" fill="blue"/>
  <g id="nothing"/>
</svg>
"""


@pytest.fixture
def sheet() -> ElementTree.Element:
    return ElementTree.fromstring(SHEET)


def test_an_element_is_drawn_alone(sheet: ElementTree.Element) -> None:
    picture = svg.draw(svg.alone(sheet, "first"), svg.whole(sheet), (100, 200))
    assert picture.shape == (100, 200, 4)
    assert picture[40, 30].tolist() == [255, 0, 0, 255]
    picture[10:70, 10:50] = 0
    assert not picture.any()


def test_what_an_element_refers_to_is_still_found(sheet: ElementTree.Element) -> None:
    picture = svg.draw(svg.alone(sheet, "second"), svg.whole(sheet), (100, 200))
    assert picture[40, 110].tolist() == [255, 0, 0, 255]
    assert not picture[40, 30].any()


def test_the_sheet_stays_as_it_was(sheet: ElementTree.Element) -> None:
    before = ElementTree.tostring(sheet)
    svg.draw(svg.alone(sheet, "second"), (0, 0, 10, 10), (5, 5))
    assert ElementTree.tostring(sheet) == before


@pytest.mark.parametrize(
    ("name", "view"),
    [("first", (10, 10, 40, 60)), ("second", (90, 10, 40, 60)), ("outside", (250, -60, 20, 40))],
)
def test_an_element_is_found_also_off_the_sheet(sheet: ElementTree.Element, name: str, view: svg.View) -> None:
    assert svg.inked(svg.alone(sheet, name)) == pytest.approx(view, abs=0.2)


def test_a_view_is_stretched_to_the_size(sheet: ElementTree.Element) -> None:
    picture = svg.draw(svg.alone(sheet, "first"), (10, 10, 40, 60), (30, 90))
    assert picture.shape == (30, 90, 4)
    assert np.all(picture == (255, 0, 0, 255))


def test_what_is_not_there_is_an_error(sheet: ElementTree.Element) -> None:
    with pytest.raises(KeyError, match="no element 'third'"):
        svg.alone(sheet, "third")
    with pytest.raises(ValueError, match="Nothing is drawn"):
        svg.inked(svg.alone(sheet, "nothing"))


def test_files_are_read_gzipped_or_not(tmp_path: Path) -> None:
    plain, packed = tmp_path / "sheet.svg", tmp_path / "sheet.svgz"
    plain.write_text(SHEET)
    packed.write_bytes(gzip.compress(SHEET.encode()))
    assert ElementTree.tostring(svg.read(plain)) == ElementTree.tostring(svg.read(packed))


@pytest.mark.parametrize(
    ("attributes", "view"),
    [
        ({"width": "200", "height": "100"}, (0, 0, 200, 100)),
        ({"width": "200px", "height": "75pt"}, (0, 0, 200, 100)),
        ({"width": "9", "height": "9", "viewBox": "-1, -2 30 40"}, (-1, -2, 30, 40)),
    ],
)
def test_the_whole_view_is_in_user_units(attributes: dict[str, str], view: svg.View) -> None:
    assert svg.whole(ElementTree.Element("svg", attributes)) == pytest.approx(view)
