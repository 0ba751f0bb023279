"""From a picture to a sum with the real networks, in a real browser."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine import rules, scoring
from engine.cards import Card
from vision.scanner import Scanner

pytestmark = pytest.mark.browser

SAMPLES = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def sample() -> tuple[Path, list[str]]:
    """A rendered picture and the cards on it."""
    labels = SAMPLES / "labels.jsonl"
    if not labels.is_file():
        pytest.skip("there are no rendered samples in tests/data/")
    first = json.loads(labels.read_text("utf-8").splitlines()[0])
    return SAMPLES / first["photo"], first["cards"]


def sum_on(page: Any) -> str:
    page.locator(".arithmetic .total").wait_for()
    return " ".join(page.locator(".arithmetic .sum").inner_text().replace("\ufe0e", "").split())


def cards_on(page: Any) -> list[Card]:
    """The cards of the sum, in order."""
    names = page.locator(".arithmetic .sum .name").all_inner_texts()
    return [Card.parse(name.replace("\ufe0e", "")) for name in names]


def test_a_rendered_hand_is_read_corrected_and_added_up(
    page: Any, serve: Any, scanner: Scanner, sample: tuple[Path, list[str]]
) -> None:
    path, truth = sample
    shanghai = rules.load("shanghai")
    page.goto(f"{serve(scanner)}#/score")
    page.get_by_label("Choose a picture").set_input_files(path)
    page.get_by_role("heading", name="The hand", exact=True).wait_for(state="attached")
    before = sum_on(page)
    read = cards_on(page)
    assert before == str(scoring.penalty(read, shanghai))
    right = sum((Counter(card.code for card in read) & Counter(truth)).values())
    assert right >= 0.8 * len(truth)

    page.locator("ol.cards button").first.click()
    replacement, name = ("2C", "two of clubs") if read[0].code != "2C" else ("3C", "three of clubs")
    page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()
    expected = str(scoring.penalty([Card(replacement), *read[1:]], shanghai))
    page.locator(".arithmetic .total", has_text=expected.rsplit(" ", 1)[1]).wait_for()
    assert sum_on(page) == expected
