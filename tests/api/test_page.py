"""The files of the page: what a browser would only find out on a phone."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from api.app import PAGE
from vision import photo

MODULES = sorted(PAGE.rglob("*.js"))
FIRST_LOAD_BYTES = 250_000


def imports(path: Path) -> list[str]:
    return re.findall(r'(?:\bfrom|^import)\s*"([^"]+)"', path.read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_import_is_a_file_of_the_page(path: Path) -> None:
    """A bare name would need an import map, which is an inline script."""
    for name in imports(path):
        assert name.startswith("./"), name
        assert (path.parent / name).is_file(), name


def test_imports_are_found() -> None:
    assert "./vendor/htm.module.js" in imports(PAGE / "html.js")
    assert imports(PAGE / "vendor" / "hooks.module.js") == ["./preact.module.js"]


@pytest.mark.parametrize("path", sorted(PAGE.glob("*.html")), ids=lambda path: path.name)
def test_no_page_has_inline_script_or_style(path: Path) -> None:
    text = path.read_text("utf-8")
    assert re.search(r"<script(?![^>]*\bsrc=)", text) is None
    assert re.search(r"<style|\sstyle=|\son\w+=|javascript:|https?://", text) is None


def test_the_vendored_files_are_those_listed() -> None:
    table = (PAGE / "vendor" / "README.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| (\S+\.js) \|.* ([0-9a-f]{64}) \|$", table, re.MULTILINE))
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (PAGE / "vendor").glob("*.js")}
    assert listed == found


def test_the_page_knows_the_limits_of_the_service() -> None:
    text = (PAGE / "picture.js").read_text("utf-8")
    limits = {name: int(value.replace("_", "")) for name, value in re.findall(r"const (MAX_\w+) = ([\d_]+);", text)}
    assert limits == {"MAX_BYTES": photo.MAX_BYTES, "MAX_PIXELS": photo.MAX_PIXELS}


def test_the_first_load_is_small() -> None:
    sizes = [path.stat().st_size for path in PAGE.rglob("*") if path.suffix in {".js", ".css", ".html", ".svg"}]
    assert sum(sizes) < FIRST_LOAD_BYTES
