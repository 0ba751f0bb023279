"""The record of a game as phones see it: corrections, undo, ties, two phones at once, a service that is away."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from engine.ledger import Ledger
from tests.e2e import tables
from tests.e2e.conftest import until

pytestmark = [pytest.mark.browser, pytest.mark.evening]


def plain(text: str) -> str:
    return " ".join(text.replace("\ufe0e", "").split())


def go(page: Any, game: str, *parts: str) -> None:
    page.evaluate("(hash) => { location.hash = hash; }", "/".join(["#/game", game, *parts]))


def totals(page: Any) -> list[str]:
    return [plain(text) for text in page.locator("tfoot td").all_inner_texts()]


def wait_for_totals(page: Any, expected: list[str]) -> None:
    until(
        page,
        "(sums) => [...document.querySelectorAll('tfoot td')].map((cell) => cell.innerText.trim()).join() === sums",
        ",".join(expected),
    )


@pytest.fixture
def table(page: Any, serve: Any, scanner_of: Any, hand: Any) -> tuple[Any, str]:
    """A phone, and the game of four that it has begun."""
    page.goto(serve(scanner_of(hand.scene)))
    page.get_by_role("link", name="New game").wait_for()
    return page, tables.begin(page)


def test_round_1_is_corrected_after_round_3_and_all_totals_follow(table: tuple[Any, str]) -> None:
    page, game = table
    tables.play(page, game, 3)
    go(page, game, "scores")
    wait_for_totals(page, ["45", "50", "55", "95"])
    page.get_by_role("button", name="Dot, round 1: 55 points, in all 55").click()
    assert "Joker 50 + 4♦ 5 = 55" in plain(page.get_by_role("dialog").inner_text())
    page.get_by_role("link", name="Correct the cards").click()
    page.get_by_role("button", name="four of diamonds").click()
    page.get_by_role("dialog").get_by_role("button", name="king of diamonds").click()
    page.locator(".total", has_text="60").wait_for()
    page.get_by_role("button", name="Correct it").click()
    wait_for_totals(page, ["45", "50", "55", "100"])
    assert page.get_by_role("button", name="Dot, round 3: 25 points, in all 100").count() == 1
    page.get_by_role("button", name="Undo").click()
    wait_for_totals(page, ["45", "50", "55", "95"])
    page.reload()
    wait_for_totals(page, ["45", "50", "55", "95"])


def test_a_hand_goes_to_another_player_and_is_taken_back(table: tuple[Any, str]) -> None:
    page, game = table
    tables.record(page, game, "hand_scored", round=1, player="Ana", cards="9C KD 3S")
    go(page, game, "scores")
    page.get_by_role("button", name=re.compile("^Ana, round 1")).click()
    page.get_by_label("It was another player's hand").select_option("Ben")
    wait_for_totals(page, ["0", "25", "0", "0"])
    page.get_by_role("button", name=re.compile("^Ben, round 1")).click()
    page.get_by_role("button", name="Take this hand back").click()
    wait_for_totals(page, ["0", "0", "0", "0"])


def test_seven_rounds_end_with_a_tie_and_go_out_on_paper(table: tuple[Any, str]) -> None:
    page, game = table
    tables.play(page, game, 6)
    tables.record(page, game, "round_started", round=7)
    go(page, game)
    # Ana and Ben have drawn level, and do so once more.
    for player, points in (("Ana", "10"), ("Ben", "5+5"), ("Dot", "7")):
        page.get_by_role("link", name=f"Score {player}'s hand").click()
        page.get_by_label("Or type the points").fill(points)
        page.get_by_role("button", name="Record").click()
        page.locator(".seats").wait_for()
    page.get_by_role("button", name="Cy went out").click()
    page.get_by_role("heading", name="Ana and Ben share the win").wait_for()
    page.get_by_role("link", name="Look at the scores").click()
    assert "Ana and Ben are tied and share the win" in page.locator(".lead").inner_text()

    with page.expect_download() as csv:
        page.get_by_role("link", name="CSV").click()
    lines = csv.value.path().read_text("utf-8").splitlines()
    assert len(lines) == 1 + 7 * 4
    with page.expect_download() as exported:
        page.get_by_role("link", name="JSON").click()
    assert json.loads(exported.value.path().read_text("utf-8"))
    page.reload()
    page.get_by_text("Ana and Ben are tied and share the win").wait_for()
    for link in ("Print", "Blank score sheet"):
        with page.context.expect_page() as opened:
            page.get_by_role("link", name=link).click()
        opened.value.wait_for_load_state()
        assert "Ana" in opened.value.locator("body").inner_text()
        opened.value.close()
    page.evaluate("location.hash = '#/history'")
    page.get_by_text("Ana and Ben won, Saturday").wait_for()


def test_nobody_out_is_asked_before_the_round_closes(table: tuple[Any, str]) -> None:
    page, game = table
    for player in tables.PLAYERS:
        tables.record(page, game, "hand_scored", round=1, player=player, cards="9C")
    go(page, game)
    page.get_by_role("button", name="Start round 2").click()
    assert "Nobody went out in round 1" in page.get_by_role("dialog").inner_text()
    page.get_by_role("button", name="No, look again").click()
    page.get_by_role("heading", name="Round 1 of 7").wait_for()
    page.get_by_role("button", name="Start round 2").click()
    page.get_by_role("button", name="Yes, go on").click()
    page.get_by_role("heading", name="Round 2 of 7").wait_for()
    # The browser notes the refusal; the page asked about it.
    page.faults[:] = [fault for fault in page.faults if "409" not in fault]


def test_two_phones_score_one_hand_and_both_are_shown(phone: Any, table: tuple[Any, str]) -> None:
    page, game = table
    address = page.url.split("#")[0]
    second = phone()
    second.goto(address)
    second.get_by_role("link", name="New game").wait_for()
    invited = page.evaluate(
        """async (game) => (await fetch(`api/games/${game}/invite`, {
            method: "POST", headers: {"Content-Type": "application/json"}, body: '{"role": "player"}',
        })).json()""",
        game,
    )
    # A device that is in already follows the link of the table.
    second.goto(f"{address}#{invited['link'].split('#')[1]}")
    second.get_by_role("heading", name="Round 1 of 7").wait_for()

    # The first phone does not hear of what the second enters meanwhile.
    page.route("**/live", lambda route: route.abort())
    page.reload()
    go(page, game, "score", "Cy")
    page.get_by_role("button", name="Tap cards in").click()
    page.get_by_role("dialog").get_by_role("button", name="ace of hearts").click()
    page.get_by_role("dialog").locator(".done").click()
    page.locator(".outcome.settled").wait_for()
    tables.record(second, game, "hand_scored", round=1, player="Cy", cards="AH 2C")
    page.get_by_role("button", name="Confirm").click()
    dialog = page.get_by_role("dialog")
    assert "see both" in dialog.inner_text()
    assert dialog.locator(".face").count() == 3
    dialog.get_by_role("button", name="Use mine").click()
    page.locator(".seats").wait_for()
    go(second, game, "scores")
    wait_for_totals(second, ["0", "0", "20", "0"])
    page.faults[:] = [fault for fault in page.faults if "409" not in fault and "ERR_FAILED" not in fault]


def test_entries_wait_while_the_service_is_away_and_count_once(table: tuple[Any, str]) -> None:
    page, game = table
    tries = []
    page.route("**/events", lambda route: (tries.append(route.request.headers), route.abort())[1])
    go(page, game)
    page.get_by_role("button", name="Ben went out").click()
    page.locator(".seat.kept").wait_for()
    assert "1 entry is kept on this phone" in page.locator(".screen").inner_text()
    page.unroute("**/events")
    # The page is closed and opened again before the service is back.
    page.reload()
    page.locator(".seat.out").wait_for()
    cells = tables.state(page, game)["rounds"][0]["cells"]
    assert list(cells) == ["Ben"]
    assert tables.state(page, game)["revision"] == 2 + cells["Ben"]["event"] - 1
    assert {headers["idempotency-key"] for headers in tries}
    page.faults[:] = [fault for fault in page.faults if "ERR_FAILED" not in fault]


def test_a_photo_outlives_the_page_until_it_is_read(table: tuple[Any, str], picture_file: Any, hand: Any) -> None:
    page, game = table
    page.route("**/api/scan**", lambda route: route.abort())
    go(page, game, "score", "Ben")
    page.get_by_label("Choose a picture").set_input_files(picture_file(hand.picture))
    page.get_by_text("kept on this phone").wait_for()
    page.reload()
    page.unroute("**/api/scan**")
    go(page, game)
    page.get_by_text("A photo of Ben's hand, round 1, was not read yet.").wait_for()
    page.get_by_role("link", name="Read it").click()
    page.locator(".total", has_text="25").wait_for()
    page.get_by_role("button", name="Confirm").click()
    page.locator(".seat.confirmed").wait_for()
    assert page.get_by_text("was not read yet").count() == 0
    page.faults[:] = [fault for fault in page.faults if "ERR_FAILED" not in fault]


@pytest.mark.parametrize("is_given", [False, True])
def test_a_corrected_photo_is_shared_only_by_who_says_so(
    page: Any, serve: Any, scanner_of: Any, hand: Any, picture_file: Any, tmp_path: Path, is_given: bool
) -> None:
    folder = tmp_path / "given"
    page.goto(serve(scanner_of(hand.scene), keep_corrections=folder, metrics_token="token-of-this-test"))
    page.get_by_role("link", name="New game").wait_for()
    game = tables.begin(page)
    go(page, game)
    page.get_by_role("link", name="Score Ana's hand").click()
    page.locator('input[type="file"]').first.set_input_files(picture_file(hand.picture))
    page.get_by_role("button", name="three of spades").wait_for()
    sharing = page.get_by_label("Share this photo")
    assert sharing.count() == 0, "there is nothing to learn from a hand that was read right"
    page.get_by_role("button", name="three of spades").click()
    page.get_by_role("dialog").get_by_role("button", name="ace of spades").click()
    page.locator(".total", has_text="40").wait_for()
    assert not sharing.is_checked()
    if is_given:
        sharing.check()
    page.get_by_role("button", name="Confirm").click()
    page.locator(".seats").wait_for()
    assert (
        page.evaluate("(game) => fetch(`api/games/${game}`).then((it) => it.json()).then((it) => it.totals.Ana)", game)
        == 40
    )
    if is_given:
        deadline = time.monotonic() + 30
        while not list(folder.glob("*.json")):
            assert time.monotonic() < deadline
            page.wait_for_timeout(50)
        (label,) = folder.glob("*.json")
        assert json.loads(label.read_text())["cards"] == ["9C", "KD", "AS"]
    assert folder.exists() == is_given
    metrics = page.request.get(
        page.url.split("#")[0] + "metrics", headers={"Authorization": "Bearer token-of-this-test"}
    )
    assert 'meldsight_hands_confirmed_total{cards="corrected"} 1.0' in metrics.text()


def test_a_viewer_looks_and_touches_nothing(phone: Any, table: tuple[Any, str]) -> None:
    page, game = table
    tables.play(page, game, 1)
    go(page, game, "table")
    page.get_by_label("as viewer").check()
    page.get_by_role("button", name="Show the code").click()
    code = page.locator("p.code").inner_text()
    viewer = phone()
    viewer.goto(page.url.split("#")[0])
    viewer.get_by_label("Join another table by its code").fill(code)
    viewer.get_by_role("button", name="Join").click()
    viewer.locator(".seats").wait_for()
    assert viewer.get_by_role("button", name="Look at Ana's hand").count() == 1
    for name in ("Out", "Undo", "Start round 2"):
        assert viewer.get_by_role("button", name=name).count() == 0
    assert viewer.get_by_role("link", name="Hands-free").count() == 0


def test_house_rules_change_and_every_hand_is_counted_anew(table: tuple[Any, str]) -> None:
    page, game = table
    tables.record(page, game, "hand_scored", round=1, player="Dot", cards="JK 4D")
    go(page, game, "table")
    page.get_by_text("House rules of this game").click()
    page.locator("summary", has_text="Score").click()
    page.get_by_label("points of a joker, instead of the table's").fill("25")
    page.get_by_label("points of a joker, instead of the table's").blur()
    page.get_by_role("button", name="Play by these").click()
    go(page, game, "scores")
    wait_for_totals(page, ["0", "0", "0", "30"])
    # Found by the ledger as well, event by event.
    entries = page.evaluate("async (game) => (await fetch(`api/games/${game}/events`)).json()", game)["entries"]
    ledger = Ledger.from_json("\n".join(json.dumps(entry["event"]) for entry in entries))
    assert ledger.game.totals["Dot"] == 30


def test_liverpool_s_exact_cut(page: Any, serve: Any, scanner_of: Any, hand: Any) -> None:
    page.goto(serve(scanner_of(hand.scene)))
    page.get_by_role("link", name="New game").wait_for()
    game = tables.begin(page, rules="liverpool")
    go(page, game)
    page.get_by_role("button", name="Cut exactly").click()
    page.get_by_role("dialog").get_by_role("button", name="Ben").click()
    go(page, game, "scores")
    wait_for_totals(page, ["0", "−50", "0", "0"])
