"""The modules of the page that need no browser, tested in Node.js by the files beside this one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LEAST = (18, 19)
TAKES_MODULES = (20, 19)
"""The first version that sees by itself that a ``.js`` file is a module."""


@pytest.fixture(scope="session")
def node() -> list[str]:
    """The command that runs a module and prints what its tests found."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("there is no Node.js on this machine")
    text = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    version = tuple(map(int, text.removeprefix("v").split(".")[:2]))
    if version < LEAST:
        pytest.skip(f"Node.js {text} is too old: {LEAST[0]}.{LEAST[1]} or newer is needed")
    flags = [] if version >= TAKES_MODULES else ["--experimental-default-type=module"]
    return [path, "--no-warnings", *flags, "--test-reporter=tap"]


@pytest.mark.parametrize("path", sorted(HERE.glob("*.test.js")), ids=lambda path: path.name.removesuffix(".test.js"))
def test_module(node: list[str], path: Path) -> None:
    done = subprocess.run([*node, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"^# pass (\d+)$", done.stdout, re.MULTILINE)[-1]) > 0
