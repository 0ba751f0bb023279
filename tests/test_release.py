"""What a release needs to agree on: version, licence, command."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import entry_points, version
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_changelog_opens_with_the_version() -> None:
    newest = re.search(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest
    assert newest.group(1) == PROJECT["project"]["version"] == version("meldsight")


def test_the_licence_is_the_whole_agpl() -> None:
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert "GNU AFFERO GENERAL PUBLIC LICENSE" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_the_command_is_installed() -> None:
    (command,) = entry_points(group="console_scripts", name="meldsight")
    assert callable(command.load())


def test_package_data_is_there() -> None:
    """A pattern that matches nothing would leave a file out of the wheel without a word."""
    patterns = PROJECT["tool"]["setuptools"]["package-data"]
    empty = [
        f"{package}/{pattern}"
        for package, globs in patterns.items()
        for pattern in globs
        if not any(path.is_file() for path in (ROOT / package).glob(pattern))
    ]
    assert not empty
