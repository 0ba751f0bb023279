"""The files of the page: what a browser would only find out on a phone."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from api.app import PAGE
from vision import photo

MODULES = sorted(PAGE.rglob("*.js"))


def imports(path: Path) -> list[str]:
    named = r'(?:^(?:import|export)\b[^;"]*?\bfrom|^import|\bimport\()\s*"([^"]+)"'
    return re.findall(named, path.read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_import_is_a_file_of_the_page(path: Path) -> None:
    """A bare name would need an import map, which is an inline script."""
    for name in imports(path):
        assert name.startswith(("./", "../")), name
        target = (path.parent / name).resolve()
        assert target.is_file(), name
        assert target.is_relative_to(PAGE), name


def test_imports_are_found() -> None:
    assert "./vendor/htm.module.js" in imports(PAGE / "html.js")
    assert imports(PAGE / "vendor" / "hooks.module.js") == ["./preact.module.js"]
    assert "./screens/round.js" in imports(PAGE / "app.js")


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


def test_the_worker_keeps_every_file_of_the_page() -> None:
    text = (PAGE / "worker.js").read_text("utf-8")
    listed = re.findall(r'^  "([^"]+)",$', text, re.MULTILINE)
    kinds = {".js", ".css", ".svg", ".png", ".webmanifest"}
    apart = {"worker.js", "join.js"}
    found = {path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.suffix in kinds} - apart
    assert len(listed) == len(set(listed))
    assert set(listed) == found | {"index.html"}


def test_every_module_is_reached_from_the_page() -> None:
    reached: set[Path] = set()
    waiting = [PAGE / "app.js", PAGE / "join.js", PAGE / "worker.js"]
    while waiting:
        path = waiting.pop()
        reached.add(path)
        waiting += [target for name in imports(path) if (target := (path.parent / name).resolve()) not in reached]
    assert reached == set(MODULES)


def test_the_manifest_s_files_are_there() -> None:
    manifest = json.loads((PAGE / "manifest.webmanifest").read_text("utf-8"))
    for icon in manifest["icons"]:
        assert (PAGE / icon["src"]).is_file()
