"""Scoring one hand in a real browser, over a scanner that knows the hand; all but the networks is real."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.cards import parse_cards
from vision.limits import Limits
from vision.scene import Doubt, Scene

pytestmark = pytest.mark.browser


def give(page: Any, path: Any) -> None:
    """Choose a picture as a person does, and wait for the hand."""
    page.get_by_label("Choose a picture").set_input_files(path)
    page.get_by_role("heading", name="The hand", exact=True).wait_for(state="attached")


def sum_of(page: Any) -> str:
    """The sum as it is spelt out once it has come, with plain suits."""
    page.locator(".arithmetic .sum .total, .arithmetic .sum.none:not(:text('Adding up'))").wait_for()
    return " ".join(page.locator(".arithmetic .sum").inner_text().replace("\ufe0e", "").split())


def outcome(page: Any) -> str:
    return " ".join(page.locator(".outcome").inner_text().split())


def test_a_hand_is_read_and_its_sum_spelt_out(
    page: Any, serve: Any, hand: Any, scanner_of: Any, picture_file: Any
) -> None:
    page.goto(f"{serve(scanner_of(hand.scene))}#/score")
    give(page, picture_file(hand.picture))
    assert sum_of(page) == "9♣ 10 + K♦ 10 + 3♠ 5 = 25"
    assert outcome(page) == "25 points"
    assert page.locator(".picture .sure").count() == 3
    assert [tag.replace("\ufe0e", "") for tag in page.locator(".tag").all_inner_texts()] == ["9♣", "K♦", "3♠"]
    assert page.locator("ol.cards .points").all_inner_texts()[:3] == ["10", "10", "5"]
    assert page.get_by_role("button", name="nine of clubs, 10 points").count() == 1


def test_a_card_is_corrected_and_the_sum_follows(
    page: Any, serve: Any, hand: Any, scanner_of: Any, picture_file: Any
) -> None:
    page.goto(f"{serve(scanner_of(hand.scene))}#/score")
    give(page, picture_file(hand.picture))
    page.get_by_role("button", name="three of spades").click()
    page.get_by_role("dialog").get_by_role("button", name="ace of spades").click()
    page.locator(".total", has_text="40").wait_for()
    assert sum_of(page) == "9♣ 10 + K♦ 10 + A♠ 20 = 40"
    page.get_by_role("button", name="Undo").click()
    page.locator(".total", has_text="25").wait_for()
    assert sum_of(page) == "9♣ 10 + K♦ 10 + 3♠ 5 = 25"
    assert page.get_by_role("button", name="Undo").is_disabled()


def test_cards_are_removed_and_added(page: Any, serve: Any, hand: Any, scanner_of: Any, picture_file: Any) -> None:
    page.goto(f"{serve(scanner_of(hand.scene))}#/score")
    give(page, picture_file(hand.picture))
    page.get_by_role("button", name="king of diamonds").click()
    page.get_by_role("button", name="Not a card").click()
    page.locator(".total", has_text="15").wait_for()
    page.get_by_role("button", name="Add a card").click()
    page.get_by_role("dialog").get_by_role("button", name="Joker").click()
    page.get_by_role("dialog").get_by_role("button", name="two of hearts").click()
    page.get_by_role("dialog").locator(".done").click()
    page.locator(".total", has_text="70").wait_for()
    assert sum_of(page) == "9♣ 10 + 3♠ 5 + Joker 50 + 2♥ 5 = 70"


def test_a_tap_on_the_picture_opens_the_card_under_it(
    page: Any, serve: Any, hand: Any, scanner_of: Any, picture_file: Any
) -> None:
    page.goto(f"{serve(scanner_of(hand.scene))}#/score")
    give(page, picture_file(hand.picture))
    x0, y0, x1, y1 = hand.scene.corners[1].box
    frame = page.locator(".picture").bounding_box()
    scale = frame["width"] / hand.scene.size_wh[0]
    page.locator(".picture").click(position={"x": (x0 + x1) / 2 * scale, "y": (y0 + y1) / 2 * scale})
    assert "K♦" in page.get_by_role("dialog").inner_text().replace("\ufe0e", "")
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")


def test_a_doubt_leaves_the_sum_unsettled_until_it_is_answered(
    page: Any, serve: Any, doubtful_hand: Any, scanner_of: Any, picture_file: Any
) -> None:
    page.goto(f"{serve(scanner_of(doubtful_hand.scene))}#/score")
    give(page, picture_file(doubtful_hand.picture))
    assert outcome(page) == "85 not settled"
    assert page.locator(".picture .line.doubtful").count() == 1
    assert "which is it?" in page.locator(".question").inner_text()
    page.get_by_role("button", name="It is the eight of spades").click()
    page.locator(".outcome.settled").wait_for()
    assert outcome(page) == "90 points"
    assert page.locator(".questions").count() == 0
    assert page.locator(".picture .line.doubtful").count() == 0


def test_confirming_what_was_read_settles_it(
    page: Any, serve: Any, doubtful_hand: Any, scanner_of: Any, picture_file: Any
) -> None:
    page.goto(f"{serve(scanner_of(doubtful_hand.scene))}#/score")
    give(page, picture_file(doubtful_hand.picture))
    page.get_by_role("button", name="It is the three of spades").click()
    page.locator(".outcome.settled").wait_for()
    assert outcome(page) == "85 points"
    page.get_by_role("button", name="Undo").click()
    page.locator(".outcome:not(.settled)").wait_for()


def test_too_many_equal_cards_are_not_scored(
    page: Any, serve: Any, fan: Any, scanner_of: Any, picture_file: Any
) -> None:
    drawn = fan(parse_cards("8C 8C 8C"), [Doubt("copies", "Three 8♣, but two packs hold two.", (0, 1, 2))])
    page.goto(f"{serve(scanner_of(drawn.scene))}#/score")
    give(page, picture_file(drawn.picture))
    assert outcome(page) == "– not settled"
    assert "3 × 8♣ cannot be" in sum_of(page)
    assert page.locator(".asked").count() == 3
    page.locator(".asked").nth(2).get_by_role("button", name="Not a card").click()
    page.locator(".outcome.settled").wait_for()
    assert outcome(page) == "20 points"


def test_no_cards_are_not_a_hand_of_nothing(
    page: Any, serve: Any, fan: Any, scanner_of: Any, picture_file: Any
) -> None:
    drawn = fan([])
    page.goto(f"{serve(scanner_of(Scene(drawn.scene.size_wh)))}#/score")
    give(page, picture_file(drawn.picture))
    page.locator(".hint").wait_for()
    assert "No cards were found" in page.locator(".hint").inner_text()
    assert outcome(page) == "– no cards"


def test_a_file_that_is_no_picture_gets_the_service_s_sentence(
    page: Any, serve: Any, hand: Any, scanner_of: Any, picture_file: Any
) -> None:
    page.goto(f"{serve(scanner_of(hand.scene))}#/score")
    page.get_by_label("Choose a picture").set_input_files(picture_file(b"dear sir"))
    assert "This is not a picture" in page.get_by_role("alert").inner_text()
    assert page.get_by_role("button", name="Send it again").count() == 0
    # The browser itself notes the refused request; that is no fault of the page.
    page.faults[:] = [fault for fault in page.faults if "422" not in fault]


def test_a_photo_that_got_lost_on_the_way_is_sent_again(
    page: Any, serve: Any, hand: Any, scanner_of: Any, picture_file: Any
) -> None:
    scanner = scanner_of(hand.scene)
    page.goto(f"{serve(scanner)}#/score")
    page.route("**/api/scan", lambda route: route.abort())
    page.get_by_label("Choose a picture").set_input_files(picture_file(hand.picture))
    page.get_by_text("does not answer").wait_for()
    assert "kept on this phone" in page.locator(".reading").inner_text()
    page.unroute("**/api/scan")
    assert sum_of(page).endswith("= 25")
    assert len(scanner.seen) == 1
    page.faults[:] = [fault for fault in page.faults if "ERR_FAILED" not in fault]


def test_a_second_photo_adds_what_is_new(
    page: Any, serve: Any, hand: Any, fan: Any, scanner_of: Any, picture_file: Any
) -> None:
    scanner = scanner_of(hand.scene)
    page.goto(f"{serve(scanner)}#/score")
    give(page, picture_file(hand.picture))
    scanner.scene = fan(parse_cards("3S JK")).scene
    page.get_by_label("Second photo of this hand").set_input_files(picture_file(hand.picture))
    page.locator(".total", has_text="75").wait_for()
    assert sum_of(page) == "9♣ 10 + K♦ 10 + 3♠ 5 + Joker 50 = 75"
    assert "counted once: three of spades" in " ".join(page.locator(".read").inner_text().split())
    page.get_by_role("button", name="Undo").click()
    page.locator(".total", has_text="25").wait_for()


def test_a_picture_above_the_limits_is_made_smaller(
    page: Any, serve: Any, hand: Any, scanner_of: Any, picture_file: Any
) -> None:
    scanner = scanner_of(hand.scene)
    page.goto(f"{serve(scanner)}#/score")
    page.get_by_label("Choose a picture").set_input_files(picture_file(huge_picture()))
    page.get_by_role("heading", name="The hand", exact=True).wait_for(state="attached", timeout=60_000)
    ((size, limits),) = scanner.seen
    assert size == (4000, 3000)
    assert limits == Limits(packs=2, jokers=4)


def huge_picture() -> bytes:
    """A picture of 56 million pixels, above the limit of 50."""
    import io

    from PIL import Image

    target = io.BytesIO()
    Image.new("RGB", (8640, 6480), (20, 90, 60)).save(target, "PNG", compress_level=1)
    return target.getvalue()


def test_cards_can_be_tapped_in_without_a_photo(page: Any, serve: Any, hand: Any, scanner_of: Any) -> None:
    page.goto(f"{serve(scanner_of(hand.scene))}#/score")
    page.get_by_role("button", name="Tap cards in").click()
    for name in ("ace of hearts", "ten of diamonds"):
        page.get_by_role("dialog").get_by_role("button", name=name).click()
    page.get_by_role("dialog").locator(".done").click()
    assert sum_of(page) == "A♥ 20 + 10♦ 10 = 30"
    page.get_by_role("button", name="New hand").click()
    page.get_by_role("heading", name=re.compile("left in the hand")).wait_for()


def test_the_live_camera_takes_a_photo(page: Any, serve: Any, hand: Any, scanner_of: Any) -> None:
    scanner = scanner_of(hand.scene)
    page.goto(f"{serve(scanner)}#/score")
    page.get_by_role("button", name="Live camera").click()
    page.locator("button.shutter:enabled").click()
    page.get_by_role("heading", name="The hand", exact=True).wait_for(state="attached")
    assert len(scanner.seen) == 1


def test_the_sum_is_never_shown_for_other_cards(
    page: Any, serve: Any, hand: Any, scanner_of: Any, picture_file: Any
) -> None:
    page.goto(f"{serve(scanner_of(hand.scene))}#/score")
    give(page, picture_file(hand.picture))
    page.route("**/api/score", lambda route: route.abort())
    page.get_by_role("button", name="three of spades").click()
    page.get_by_role("dialog").get_by_role("button", name="ace of spades").click()
    page.locator(".arithmetic .notice").wait_for()
    assert "does not answer" in page.locator(".arithmetic .notice").inner_text()
    assert outcome(page) == "– not settled"
    page.unroute("**/api/score")
    page.get_by_role("button", name="Try again").click()
    page.locator(".total", has_text="40").wait_for()
    page.faults[:] = [fault for fault in page.faults if "ERR_FAILED" not in fault]


def test_a_phone_joins_by_the_code(page: Any, serve: Any, hand: Any, scanner_of: Any) -> None:
    address = serve(scanner_of(hand.scene), join_secret="correct-horse-battery")
    page.goto(address)
    page.get_by_role("heading", name="Join the table").wait_for()
    page.goto("about:blank")
    page.goto(f"{address}#correct-horse-battery")
    page.get_by_role("heading", name=re.compile("counts your cards")).wait_for()
    assert page.evaluate("location.hash") == ""
    page.goto("about:blank")
    page.goto(address)
    page.get_by_role("heading", name=re.compile("counts your cards")).wait_for()
