"""The parts of the project and the arrows between them, read from the code itself."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

ARROWS = {
    "engine": (),
    "vision": ("engine.cards",),
    "cluster": ("vision.graph", "vision.scanner", "vision.tier"),
    "datasets": ("engine.cards", "vision.geometry", "cluster.tasks"),
    "models": ("datasets", "vision", "engine", "cluster.tasks"),
    "api": ("vision", "engine", "cluster.local"),
}
"""What each part may import of the others, besides itself: a package or one module of it."""

TRAINING_ONLY = {"torch", "torchvision", "ultralytics", "timm", "resvg_py"}
"""Libraries that the running service never imports, not even inside a function."""

SERVING = ("engine", "vision", "api")


def imported_names(source: str, package: str) -> Iterator[str]:
    """Yield the full dotted name of everything that a module imports.

    Args:
        source: the module's code.
        package: the dotted name of the package that the module lies in.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                parents = package.split(".")[: len(package.split(".")) - level + 1] if level else []
                start = ".".join([*parents, *([module] if module else [])])
                yield from (f"{start}.{alias.name}" for alias in names)
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
                args=[first, *_],
            ):
                yield first.value if isinstance(first, ast.Constant) else "a name known only at run time"


def fault(part: str, name: str) -> str | None:
    """Return why ``part`` may not import ``name``, or None if it may."""
    top = name.split(".")[0]
    if top == part:
        return None
    if top in ARROWS or top in ("tests", "benchmarks"):
        if any(f"{name}.".startswith(f"{allowed}.") for allowed in ARROWS[part]):
            return None
        return f"{part} may not import {name}"
    if part == "engine" and top not in sys.stdlib_module_names:
        return f"engine may import the standard library only, not {name}"
    if part in SERVING and top in TRAINING_ONLY:
        return f"{part} may not import {name}, which is for training"
    return None


def modules(part: str) -> list[Path]:
    return sorted((ROOT / part).rglob("*.py"))


@pytest.mark.parametrize("part", ARROWS)
def test_only_allowed_arrows(part: str) -> None:
    assert modules(part)
    faults = [
        f"{path.relative_to(ROOT)}: {reason}"
        for path in modules(part)
        for name in imported_names(path.read_text("utf-8"), ".".join(path.relative_to(ROOT).parent.parts))
        if (reason := fault(part, name))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("vision", "import engine.cards as cards, json", ["engine.cards", "json"]),
        ("vision", "from engine import cards, scoring", ["engine.cards", "engine.scoring"]),
        ("api.routes", "from . import scan", ["api.routes.scan"]),
        ("api.routes", "from ..app import create", ["api.app.create"]),
        ("api", "def late():\n    from models import train", ["models.train"]),
        ("api", "import importlib\nimportlib.import_module('models.train')", ["importlib", "models.train"]),
        ("engine", "__import__('numpy')", ["numpy"]),
        ("engine", "__import__(name)", ["a name known only at run time"]),
    ],
)
def test_imports_are_found(path: str, source: str, names: list[str]) -> None:
    assert list(imported_names(source, path)) == names


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("engine", "vision.scene"),
        ("engine", "numpy"),
        ("engine", "a name known only at run time"),
        ("vision", "engine"),
        ("vision", "engine.cards_of_others"),
        ("vision", "engine.scoring"),
        ("vision", "models.train"),
        ("vision", "torch"),
        ("datasets", "vision.corners"),
        ("datasets", "models"),
        ("models", "api.app"),
        ("api", "models.evaluate"),
        ("api", "datasets.decks"),
        ("api", "ultralytics"),
        ("api", "tests.samples"),
    ],
)
def test_a_wrong_arrow_is_a_fault(part: str, name: str) -> None:
    assert fault(part, name)


def test_every_part_is_watched() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages - {"tests", "benchmarks"} == set(ARROWS)


def test_serving_imports_nothing_of_training() -> None:
    """In a fresh interpreter, since other tests may have imported torch into this one."""
    names = [
        module.name
        for part in SERVING
        for module in pkgutil.walk_packages([str(ROOT / part)], prefix=f"{part}.")
        if not module.name.endswith("__main__")
    ]
    assert names
    code = (
        "import importlib, sys\n"
        f"for name in {[*SERVING, *names]!r}: importlib.import_module(name)\n"
        f"print(*sorted({TRAINING_ONLY | {'models', 'datasets'}!r} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []
