"""Every public function of the engine shows how it is called, in an example that is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

MODULES = sorted((Path(__file__).parents[2] / "engine").glob("*.py"))
VALUES = {"property", "cached_property"}


def public_functions(source: str) -> Iterator[ast.FunctionDef]:
    """The functions of a module and the methods of its classes; properties are values of their class."""
    for node in ast.parse(source).body:
        inside = node.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_") else [node]
        for each in inside:
            if not isinstance(each, ast.FunctionDef) or each.name.startswith("_"):
                continue
            if not VALUES & {ast.unparse(decorator) for decorator in each.decorator_list}:
                yield each


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_public_function_has_an_example(path: Path) -> None:
    without = [
        each.name for each in public_functions(path.read_text("utf-8")) if ">>> " not in (ast.get_docstring(each) or "")
    ]
    assert not without


def test_functions_and_methods_are_found() -> None:
    source = (
        "def one(): ...\ndef _two(): ...\nclass A:\n    def three(self): ...\n    @property\n    def four(self): ..."
    )
    assert [each.name for each in public_functions(source)] == ["one", "three"]
