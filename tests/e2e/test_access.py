"""Every screen on a small phone and a laptop, light and dark: reachable, large enough, legible; what it weighs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.e2e import tables
from tests.e2e.conftest import LAPTOP, PHONE, SCENES, figures, lay, until

pytestmark = [pytest.mark.browser, pytest.mark.evening]

FIRST_LOAD_BYTES = 250_000
SERIOUS = ("serious", "critical")
PICTURES = os.environ.get("MELDSIGHT_PICTURES")
"""Where pictures of the screens go; they are taken in any case."""

SMALL_TARGETS = """() => [
    ...document.querySelectorAll("button, a, label.button, select, input:not([type=file]), summary")
  ]
    .filter((each) => each.checkVisibility() && !each.closest("p, .unseen"))
    .map((each) => [each, (each.type === "radio" || each.type === "checkbox") && each.closest("label") || each])
    .map(([each, target]) => [each.outerHTML.slice(0, 90), target.getBoundingClientRect()])
    .filter(([, box]) => box.width && (box.width < 43.9 || box.height < 43.9))
    .map(([text, box]) => `${text}: ${box.width} x ${box.height}`)"""

Show = Callable[[Any, str], None]


def _at(hash_of: str, ready: str) -> Show:
    def show(page: Any, game: str) -> None:
        page.evaluate("location.hash = '#/'")
        page.locator(".home").wait_for()
        page.evaluate("(hash) => { location.hash = hash; }", hash_of.format(game=game))
        page.locator(ready).first.wait_for()

    return show


def _hand(page: Any, game: str) -> None:
    _at("#/game/{game}/score/Ana", ".actions")(page, game)
    page.get_by_label("Choose a picture").set_input_files(SCENES / "seven.jpg")
    page.locator(".outcome.settled").wait_for()
    until(page, "document.querySelector('.picture img').complete")


def _sheet(page: Any, game: str) -> None:
    _hand(page, game)
    page.get_by_role("button", name="nine of spades").click()
    page.get_by_role("dialog").wait_for()


def _live(page: Any, game: str) -> None:
    _at("#/game/{game}/score/Ben", ".actions")(page, game)
    page.get_by_role("button", name="Live camera").click()
    lay(page, "five")
    page.get_by_role("button", name="Take these cards").wait_for()


def _contract(scene: str, verdict: str) -> Show:
    def show(page: Any, game: str) -> None:
        _at("#/game/{game}/check", ".actions")(page, game)
        page.get_by_label("Choose a picture").set_input_files(SCENES / f"{scene}.jpg")
        page.locator(f".verdict.{verdict}").wait_for()

    return show


def _hands_free(page: Any, game: str) -> None:
    _at("#/game/{game}/hands-free", ".steps")(page, game)
    page.get_by_role("button", name="Start").click()
    lay(page, "three")
    page.get_by_text("Take the cards away to confirm").wait_for()


def _cell(page: Any, game: str) -> None:
    _at("#/game/{game}/scores", ".grid")(page, game)
    page.get_by_role("button", name="Dot, round 1").click()
    page.get_by_role("dialog").wait_for()


SCREENS: dict[str, Show] = {
    "home": _at("#/", ".game-link"),
    "new-game": _at("#/new", ".new-game"),
    "round": _at("#/game/{game}", ".seats"),
    "score": _at("#/game/{game}/score/Ana", ".actions"),
    "hand": _hand,
    "sheet": _sheet,
    "live": _live,
    "contract-legal": _contract("legal", "legal"),
    "contract-illegal": _contract("illegal", "illegal"),
    "hands-free": _hands_free,
    "scores": _at("#/game/{game}/scores", ".chart"),
    "cell": _cell,
    "rules": _at("#/game/{game}/rules", ".mistakes"),
    "table": _at("#/game/{game}/table", ".phones li"),
    "history": _at("#/history", ".statistics"),
    "connection": _at("#/connection", ".rungs"),
}
"""The screens by name, in the order in which an evening meets them; the last games are there before."""

KEPT = {f"{kind}-{name}" for kind in ("phone", "laptop") for name in SCREENS} | {
    "phone-dark-round",
    "phone-dark-scores",
}
"""The pictures that go into the documents."""
PICTURE_SIZE = (900, 780)


def _evening(page: Any, address: str) -> str:
    """Two games: one finished, one in its fifth round with Cy down and Dot out; returns the second."""
    page.goto(address)
    page.get_by_role("link", name="New game").wait_for()
    tables.play(page, tables.begin(page), 7)
    game = tables.begin(page)
    tables.play(page, game, 1)
    tables.record(page, game, "round_started", round=2)
    tables.record(page, game, "hand_scored", round=2, player="Dot", cards="")
    # The list of games is read when the first screen opens.
    page.reload()
    page.get_by_role("link", name="New game").wait_for()
    return game


def _serious_faults(page: Any) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


def _keep_picture(page: Any, name: str, folder: Path) -> None:
    path = folder / f"{name}.png"
    page.screenshot(path=path)
    if PICTURES and name in KEPT:
        picture = Image.open(path).convert("RGB")
        picture.thumbnail(PICTURE_SIZE, Image.Resampling.LANCZOS)
        target = Path(PICTURES)
        target.mkdir(parents=True, exist_ok=True)
        picture.save(target / f"{name}.jpg", quality=78, optimize=True)


@pytest.mark.parametrize("kind", ["phone", "phone-dark", "laptop"])
def test_every_screen(phone: Any, serve: Any, scanner: Any, tmp_path: Path, kind: str) -> None:
    is_laptop = kind == "laptop"
    page = phone(
        on_stand=True,
        viewport=LAPTOP if is_laptop else PHONE,
        device_scale_factor=1 if is_laptop else 1.5,
        color_scheme="dark" if kind == "phone-dark" else "light",
        reduced_motion="reduce",
    )
    game = _evening(page, serve(scanner))
    faults: dict[str, list[str]] = {}
    for name, show in SCREENS.items():
        show(page, game)
        page.evaluate("document.fonts.ready")
        _keep_picture(page, f"{kind}-{name}", tmp_path)
        found = _serious_faults(page)
        found += page.evaluate(SMALL_TARGETS)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append("wider than the screen")
        if page.locator("h1").count() != 1:
            found.append(f"{page.locator('h1').count()} main headings")
        if found:
            faults[name] = found
        page.keyboard.press("Escape")
    figures[f"screens without serious fault ({kind})"] = f"{len(SCREENS) - len(faults)} of {len(SCREENS)}"
    assert not faults, "\n".join(f"{name}: {fault}" for name, found in faults.items() for fault in found)


def test_a_game_is_begun_and_a_hand_counted_by_keyboard_alone(page: Any, serve: Any, scanner: Any) -> None:
    page.goto(serve(scanner))
    page.get_by_role("link", name="New game").wait_for()

    def tab_to(role: str, name: str) -> None:
        target = page.get_by_role(role, name=name, exact=True)
        target.wait_for()
        for _ in range(80):
            if target.evaluate("(each) => each === document.activeElement"):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{name} cannot be reached by the Tab key")

    tab_to("link", "New game")
    page.keyboard.press("Enter")
    for place, name in enumerate(("Ana", "Ben", "Cy"), start=1):
        tab_to("textbox", f"Player {place}")
        page.keyboard.type(name)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Round 1 of 7").wait_for()
    tab_to("link", "Score Ana's hand")
    page.keyboard.press("Enter")
    tab_to("button", "Tap cards in")
    page.keyboard.press("Enter")
    tab_to("button", "king of hearts")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.locator(".outcome.settled").wait_for()
    tab_to("button", "Confirm")
    page.keyboard.press("Enter")
    page.locator(".seat.confirmed").wait_for()


def test_what_the_first_visit_weighs(phone: Any, serve: Any, scanner: Any) -> None:
    """Everything that a phone without a cache loads until the first screen is quiet, headers and all."""
    page = phone()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    weights: list[float] = []
    session.on("Network.loadingFinished", lambda event: weights.append(event["encodedDataLength"]))
    page.goto(serve(scanner))
    page.get_by_role("link", name="New game").wait_for()
    page.wait_for_load_state("networkidle")
    figures["first load"] = f"{sum(weights) / 1000:.0f} kB in {len(weights)} requests, of {FIRST_LOAD_BYTES // 1000} kB"
    assert len(weights) > 12, "the modules were loaded"
    assert sum(weights) <= FIRST_LOAD_BYTES


def test_the_page_opens_while_the_service_is_away(phone: Any, serve: Any, scanner: Any) -> None:
    page = phone(service_workers="allow")
    page.goto(serve(scanner))
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    until(page, "caches.open('page').then((cache) => cache.match('screens/history.js')).then(Boolean)")
    page.reload()
    page.get_by_role("link", name="New game").wait_for()
    page.context.set_offline(True)
    page.reload()
    page.get_by_role("heading", name="The phone that counts your cards").wait_for()
    page.get_by_text("does not answer").wait_for()
    page.evaluate("location.hash = '#/connection'")
    page.get_by_text("Trusted").wait_for()
    page.context.set_offline(False)
    manifest = page.evaluate("fetch('manifest.webmanifest').then((answer) => answer.json())")
    assert manifest["display"] == "standalone"
    page.faults[:] = [fault for fault in page.faults if "ERR_INTERNET_DISCONNECTED" not in fault]
