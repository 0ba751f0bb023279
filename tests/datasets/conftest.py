"""What the tests of scenes and decks share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from datasets.assets import AssetsError, default_cache, fonts


@pytest.fixture(scope="session")
def typefaces() -> Sequence[Path]:
    """Return the fonts of drawn decks; skip the test where they were never fetched."""
    try:
        return fonts(default_cache())
    except AssetsError as missing:
        pytest.skip(str(missing))
