"""The chance of an index is fitted to what was found."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")

from models.calibrate import fit
from vision.presence import Presence


def test_the_function_that_made_the_finds_is_found_again() -> None:
    rng = np.random.default_rng(0)
    evidence = rng.uniform(0.05, 0.95, (20_000, 2))
    true = Presence(0.4, 2.0, 0.7)
    there = rng.random(len(evidence)) < true.of(evidence[:, 0], evidence[:, 1])
    found = fit(evidence, there)
    assert (found.bias, found.detector, found.reader) == pytest.approx((0.4, 2.0, 0.7), abs=0.1)
