"""The JSON form of a scene round-trips."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import KINDS, UNKNOWN
from vision.scene import Doubt, Scene, SeenCard, SeenCorner

numbers = st.floats(-1e4, 1e4, allow_nan=False)
points = st.tuples(numbers, numbers)
kinds = st.sampled_from([*KINDS, UNKNOWN])
chances = st.floats(0, 1)
places = st.lists(st.integers(0, 50), max_size=4).map(tuple)
seen_cards = st.builds(
    SeenCard,
    kinds,
    chances,
    st.tuples(points, points, points, points),
    st.lists(st.tuples(kinds, chances), max_size=3).map(tuple),
    places,
)
scenes = st.builds(
    Scene,
    st.tuples(st.integers(1, 9000), st.integers(1, 9000)),
    st.lists(seen_cards, max_size=4).map(tuple),
    st.lists(places, max_size=3).map(tuple),
    st.lists(st.builds(SeenCorner, st.tuples(numbers, numbers, numbers, numbers), kinds, chances), max_size=4).map(
        tuple
    ),
    st.lists(st.builds(Doubt, st.sampled_from(["unsure", "copies"]), st.text(), places), max_size=3).map(tuple),
)


@given(scenes)
def test_what_is_written_is_read_back(scene: Scene) -> None:
    assert Scene.from_json(json.loads(json.dumps(scene.to_json()))) == scene


def test_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="format 99"):
        Scene.from_json({**Scene((1, 1)).to_json(), "format": 99})


def test_doubtful_names_each_card_of_each_doubt() -> None:
    scene = Scene((1, 1), doubts=(Doubt("unsure", "", (1,)), Doubt("copies", "", (1, 3))))
    assert scene.doubtful == {1, 3}
