"""The modules of the page that need no browser, tested in Node.js by the files beside this one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LEAST = (20, 19)
"""The first version that takes a ``.js`` file with imports for a module."""


@pytest.fixture(scope="session")
def node() -> str:
    """The program ``node``."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("there is no Node.js on this machine")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if tuple(map(int, version.removeprefix("v").split(".")[:2])) < LEAST:
        pytest.skip(f"Node.js {version} is too old: {LEAST[0]}.{LEAST[1]} or newer is needed")
    return path


@pytest.mark.parametrize("path", sorted(HERE.glob("*.test.js")), ids=lambda path: path.name.removesuffix(".test.js"))
def test_module(node: str, path: Path) -> None:
    done = subprocess.run(
        [node, "--no-warnings", "--test", "--test-reporter=tap", path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"^# pass (\d+)$", done.stdout, re.MULTILINE)[-1]) > 0
