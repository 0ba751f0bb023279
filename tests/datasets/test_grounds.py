"""Grounds: right form, the same from the same seed, held-out textures apart."""

from pathlib import Path

import numpy as np
import pytest

from datasets.assets import AssetsError, default_cache, textures
from datasets.grounds import DRAWN, HELD_OUT_TEXTURES, Grounds


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("size", [(1, 1), (37, 200), (480, 360)])
def test_a_drawn_ground_has_the_asked_form(name: str, size: tuple[int, int]) -> None:
    ground = DRAWN[name](np.random.default_rng(3), size)
    assert ground.shape == (*size, 3)
    assert ground.dtype == np.uint8


@pytest.mark.parametrize("name", DRAWN)
def test_drawn_grounds_follow_from_the_seed_and_vary_with_it(name: str) -> None:
    first, again, other = (DRAWN[name](np.random.default_rng(seed), (60, 80)) for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_without_a_cache_grounds_are_drawn() -> None:
    assert Grounds(None).textures == ()
    assert Grounds(None).sample(np.random.default_rng(0), (20, 30)).shape == (20, 30, 3)


def test_an_empty_cache_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AssetsError, match=r"run `python -m datasets\.assets` first"):
        Grounds(tmp_path)


@pytest.mark.art
def test_textures_are_split_and_their_crops_have_the_asked_form() -> None:
    try:
        every = set(textures(default_cache()))
    except AssetsError as error:
        pytest.skip(str(error))
    train, val = (Grounds(default_cache(), held_out=held_out) for held_out in (False, True))
    assert {path.name for path in val.textures} == HELD_OUT_TEXTURES
    assert set(train.textures) | set(val.textures) == every
    assert not set(train.textures) & set(val.textures)
    rng = np.random.default_rng(1)
    pictures = [train.sample(rng, (300, 200)) for _ in range(20)]
    assert all(picture.shape == (300, 200, 3) and picture.dtype == np.uint8 for picture in pictures)
    assert all(picture.any() for picture in pictures)
