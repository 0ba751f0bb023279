"""What tests and the examples in docstrings share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

PRINTED = np.get_printoptions()


@pytest.fixture(autouse=True)
def _numpy_prints_as_usual() -> Iterator[None]:
    """The training library changes for everybody how numpy prints; examples show what users see."""
    with np.printoptions(**PRINTED):
        yield
