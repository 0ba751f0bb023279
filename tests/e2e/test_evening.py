"""An evening at the table with the real networks: phones that join, hands by camera, contracts, a round hands-free."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import tables
from tests.e2e.conftest import ARGUMENTS, LAPTOP, PATIENCE_MS, SCENES, figures, lay, until

pytestmark = [pytest.mark.browser, pytest.mark.evening]


def plain(text: str) -> str:
    return " ".join(text.replace("\ufe0e", "").split())


def new_game(page: Any, address: str, players: list[str]) -> str:
    """Begin a game by hand; returns its id."""
    page.goto(f"{address}#/new")
    page.get_by_label("Player 1", exact=True).wait_for()
    while page.locator(".players li").count() < len(players):
        page.get_by_role("button", name="Add a player").click()
    for place, player in enumerate(players, start=1):
        page.get_by_label(f"Player {place}", exact=True).fill(player)
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("heading", name="Round 1 of 7").wait_for()
    return str(page.url.rsplit("/", 1)[1])


def confirm(page: Any) -> None:
    page.locator(".outcome.settled").wait_for()
    page.get_by_role("button", name="Confirm").click()
    page.locator(".seats").wait_for()


def seat(page: Any, player: str) -> Any:
    return page.locator(".seat", has=page.locator("strong", has_text=re.compile(f"^{player}\\b")))


def test_a_round_by_camera_and_a_phone_that_joins(phone: Any, serve: Any, scanner: Any) -> None:
    address = serve(scanner, join_secret="correct-horse-battery")
    host, guest = phone(on_stand=True), phone()
    host.goto(f"{address}#correct-horse-battery")
    host.get_by_role("link", name="New game").wait_for()
    new_game(host, address, ["Ana", "Ben", "Cy", "Dot", "Eve"])

    host.get_by_role("link", name="Table").click()
    host.get_by_role("button", name="Show the code").click()
    code = host.locator("p.code").inner_text()
    assert re.fullmatch(r"[A-Z2-9]{6}", code)
    until(host, "document.querySelector('.invitation img').naturalWidth > 0")
    guest.goto(address)
    guest.get_by_label("Or type the table's code").fill(code.lower())
    guest.get_by_role("button", name="Join").click()
    guest.get_by_role("heading", name="Round 1 of 7").wait_for()
    assert "Missing: Ana, Ben, Cy, Dot and Eve" in guest.locator(".screen").inner_text()
    host.get_by_role("link", name="Round", exact=True).click()

    # Three hands by the live camera, outlined where they lie.
    for player, scene, points in (("Ana", "three", 25), ("Ben", "five", 35), ("Cy", "two", 15)):
        host.get_by_role("link", name=f"Score {player}'s hand").click()
        host.get_by_role("button", name="Live camera").click()
        lay(host, scene)
        host.get_by_role("button", name="Take these cards").click()
        confirm(host)
        assert f"{points} points" in plain(seat(host, player).inner_text())

    # The fourth by photo, with a correction.
    host.get_by_role("link", name="Score Dot's hand").click()
    host.get_by_label("Choose a picture").set_input_files(SCENES / "joker.jpg")
    host.get_by_role("button", name="four of diamonds").click()
    host.get_by_role("dialog").get_by_role("button", name="five of diamonds").click()
    host.locator(".total", has_text="55").wait_for()
    confirm(host)
    host.get_by_role("button", name="Eve went out").click()
    host.get_by_role("heading", name="Every hand is in").wait_for()

    # The other phone saw all of it without being touched.
    guest.get_by_role("heading", name="Every hand is in").wait_for()
    guest.get_by_role("link", name="Scores").click()
    guest.locator("tfoot td").first.wait_for()
    totals = [plain(text) for text in guest.locator("tfoot td").all_inner_texts()]
    assert totals == ["25", "35", "15", "55", "0"]
    # The browser itself notes what was refused before the phone had joined.
    guest.faults[:] = [fault for fault in guest.faults if "401" not in fault]
    host.faults[:] = [fault for fault in host.faults if "401" not in fault]


def test_the_camera_of_the_browser_itself(
    playwright: Any, chromium_path: str, clip: Path, serve: Any, scanner: Any
) -> None:
    """Not a picture that the page is handed, but a video through Chromium's own camera."""
    arguments = [*ARGUMENTS, f"--use-file-for-fake-video-capture={clip}"]
    chromium = playwright.chromium.launch(executable_path=chromium_path, args=arguments)
    try:
        page = chromium.new_page(viewport={"width": 360, "height": 740})
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{serve(scanner)}#/score")
        page.get_by_role("button", name="Live camera").click()
        page.get_by_role("button", name="Take these cards").click()
        page.locator(".arithmetic .total", has_text="35").wait_for()
    finally:
        chromium.close()


def test_a_legal_and_an_illegal_contract(page: Any, serve: Any, scanner: Any) -> None:
    page.goto(serve(scanner))
    game = tables.begin(page)
    tables.play(page, game, 1)
    tables.record(page, game, "round_started", round=2)
    page.evaluate("(game) => { location.hash = `#/game/${game}/check`; }", game)
    page.get_by_text("Round 2: 1 set of 3 and 1 run of 4").wait_for()

    page.get_by_label("Choose a picture").set_input_files(SCENES / "illegal.jpg")
    page.locator(".verdict.illegal").wait_for()
    verdict = plain(page.locator(".verdict").inner_text())
    assert "Not allowed" in verdict
    assert "7♠ is missing" in verdict
    assert re.search(r"Rule: .*L\d", verdict), "the rule is quoted with its source"
    assert page.locator(".tag.meld.legal").count() == 1
    assert page.locator(".tag.meld.illegal").count() == 1

    page.get_by_role("button", name="New photo").click()
    page.get_by_label("Choose a picture").set_input_files(SCENES / "legal.jpg")
    page.locator(".verdict.legal").wait_for()
    assert [plain(text) for text in page.locator(".tag.meld").all_inner_texts()] == ["set of 8", "run 5-8♠"]

    # A group is put wrong by a tap and right again by undo.
    page.get_by_role("button", name="five of spades").click()
    page.get_by_role("button", name="8♣").click()
    page.locator(".verdict.illegal").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.locator(".verdict.legal").wait_for()

    # A joker in the run: what it must be stands on it.
    page.get_by_role("button", name="seven of spades").click()
    page.get_by_role("button", name="It is another card").click()
    page.get_by_role("dialog").get_by_role("button", name="Joker").click()
    page.locator(".verdict.legal").wait_for()
    page.get_by_role("button", name="joker, stands for 7♠").wait_for()

    page.get_by_role("button", name="Ben is down").click()
    page.evaluate("(game) => { location.hash = `#/game/${game}`; }", game)
    seat(page, "Ben").get_by_text("down", exact=True).wait_for()


def test_a_card_is_dragged_to_another_group(phone: Any, serve: Any, scanner: Any) -> None:
    page = phone(viewport=LAPTOP, has_touch=False)
    page.goto(f"{serve(scanner)}#/check")
    page.locator("#round").select_option(index=1)
    page.get_by_label("Choose a picture").set_input_files(SCENES / "legal.jpg")
    page.locator(".verdict.legal").wait_for()
    page.get_by_role("button", name="eight of hearts").drag_to(page.locator("section.meld").nth(1))
    page.locator(".verdict.illegal").wait_for()
    assert page.locator("section.meld").nth(1).locator("li").count() == 6


def test_a_round_is_counted_hands_free(phone: Any, serve: Any, scanner: Any) -> None:
    page = phone(on_stand=True)
    page.goto(serve(scanner))
    game = tables.begin(page, ("Ana", "Ben", "Cy"))
    page.evaluate("(game) => { location.hash = `#/game/${game}/hands-free`; }", game)
    page.get_by_role("button", name="Start").wait_for()
    lay(page, "empty")
    page.get_by_role("button", name="Start").click()

    def said(pattern: str) -> None:
        until(page, "(pattern) => spoken.some((text) => new RegExp(pattern).test(text))", pattern)

    said("^Ana, please lay your cards")
    lay(page, "three")
    said("nine of clubs, king of diamonds, three of spades: twenty-five")
    assert tables.state(page, game)["totals"]["Ana"] == 0, "nothing is recorded before the cards are taken away"
    lay(page, "empty")
    said("^Ana has twenty-five. Ben, please")
    lay(page, "five")
    said("four of hearts, seven of spades, queen of diamonds, two of clubs, ten of hearts: thirty-five")
    lay(page, "empty")
    said("^Ben has thirty-five. Cy, please")

    # One big undo takes Ben's hand back, and it is counted again.
    page.get_by_role("button", name="Undo").click()
    said("Ben's hand is taken back")
    until(page, "async (game) => !('Ben' in (await (await fetch(`api/games/${game}`)).json()).rounds[0].cells)", game)
    lay(page, "seven")
    said("nine of spades: sixty-five|nine of spades: sixty")
    lay(page, "empty")
    said("^Ben has sixty")

    # Cy lays nothing down, and is asked.
    said("Did Cy go out")
    said("^Cy is out")
    said(
        "^Totals after round one: Cy zero, Ana twenty-five, Ben sixty.*Round two: 1 set of 3 and 1 run of 4. Ben deals"
    )
    page.get_by_role("heading", name="Round 1 is counted").wait_for()
    game_now = tables.state(page, game)
    assert game_now["totals"]["Ana"] == 25
    assert game_now["totals"]["Cy"] == 0
    assert game_now["round"]["missing"] == []


def test_hands_free_pauses_with_the_screen(phone: Any, serve: Any, scanner: Any) -> None:
    page = phone(on_stand=True)
    page.goto(serve(scanner))
    game = tables.begin(page, ("Ana", "Ben", "Cy"))
    page.evaluate("(game) => { location.hash = `#/game/${game}/hands-free`; }", game)
    page.get_by_role("button", name="Start").click()
    lay(page, "three")
    until(page, "spoken.some((text) => text.includes('twenty-five'))")
    turn = """(state) => {
        Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(turn, "hidden")
    page.get_by_text("Paused").wait_for()
    page.evaluate(turn, "visible")
    until(page, "spoken.filter((text) => text.startsWith('Ana, please')).length === 2")
    until(page, "spoken.filter((text) => text.includes('twenty-five')).length === 2")
    lay(page, "empty")
    until(page, "spoken.some((text) => text.startsWith('Ana has twenty-five'))")


def test_how_long_it_takes_to_see_the_cards(page: Any, serve: Any, scanner: Any) -> None:
    """Printed, not judged: machines differ."""
    page.goto(f"{serve(scanner)}#/score")
    times = []
    for scene in ("three", "five", "seven"):
        page.get_by_label("Choose a picture").wait_for(state="attached")
        start = time.perf_counter()
        page.get_by_label("Choose a picture").set_input_files(SCENES / f"{scene}.jpg")
        page.locator(".arithmetic .total").wait_for()
        times.append(time.perf_counter() - start)
        page.get_by_role("button", name="New hand").click()
    figures["from the photo to cards and sum"] = f"{sorted(times)[1]:.1f} s"
