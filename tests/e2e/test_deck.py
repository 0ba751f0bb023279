"""The screen on which a family teaches its deck."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from api.store.database import Database
from api.store.decks import Decks
from tests.api.test_decks import Teacher, save_whole

pytestmark = pytest.mark.browser


def test_a_deck_is_named_on_the_phone_and_played_with(page: Any, serve: Any, hand: Any, picture_file: Any) -> None:
    teacher = Teacher(hand.scene)
    page.goto(f"{serve(teacher)}#/deck")
    page.get_by_label("What the deck is called").fill("ours")
    page.get_by_label("Choose a picture").set_input_files(picture_file(hand.picture))
    page.get_by_role("heading", name="Is every place right?").wait_for()

    page.get_by_role("button", name="Change three of spades").click()
    page.get_by_role("button", name="Not a card").click()
    page.get_by_role("button", name="Change no card").wait_for()
    page.get_by_role("button", name="Change nine of clubs").click()
    page.get_by_role("button", name="ace of hearts").click()
    page.get_by_role("button", name="All of this is right").click()

    page.get_by_role("heading", name="2 kinds of 53 confirmed").wait_for()
    assert page.get_by_text("ace of hearts: confirmed").count() == 1
    assert page.get_by_text("nine of clubs: missing").count() == 1
    assert page.get_by_text("Still to be shown").count() == 1
    assert page.get_by_role("button", name="Play with it on this phone").count() == 0


def test_a_deck_that_was_forgotten_is_no_longer_played_with(
    page: Any, serve: Any, hand: Any, picture_file: Any, tmp_path: Any
) -> None:
    save_whole(tmp_path / "decks" / "ours.npz")
    teacher = Teacher(hand.scene)
    address = serve(teacher)
    page.goto(f"{address}#/deck")
    page.get_by_label("What the deck is called").fill("ours")
    page.get_by_role("button", name="Play with it on this phone").click()
    page.get_by_role("button", name="Play without it").wait_for()

    for played in ("ours", None):
        page.goto(f"{address}#/score")
        page.get_by_label("Choose a picture").set_input_files(picture_file(hand.picture))
        page.get_by_role("heading", name="The hand", exact=True).wait_for(state="attached")
        assert teacher.played[-1] == played
        with closing(Database(f"sqlite:///{tmp_path / 'games.sqlite'}")) as database:
            Decks(database).forget("ours")
        page.goto(address)
    # The browser itself notes the refused request; that is no fault of the page.
    page.faults[:] = [fault for fault in page.faults if "404" not in fault]
