"""A real Chromium, and the real service on the loopback address; what the run measured is printed at its end."""

from __future__ import annotations

import base64
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import uvicorn

from api.app import create_app
from api.settings import Settings
from vision.scanner import MODELS, Scanner

SCENES = Path(__file__).parent / "scenes"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
]
PHONE = {"width": 360, "height": 740}
LAPTOP = {"width": 1280, "height": 800}
PATIENCE_MS = 45_000

# A camera that shows what the test lays before it, and a voice that writes down what it says.
STAND = """(() => {
  if (!navigator.mediaDevices) return;
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  let scene = null;
  canvas.width = 1280;
  canvas.height = 960;
  window.lay = async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    scene = image;
  };
  setInterval(() => (scene ? pen.drawImage(scene, 0, 0) : pen.fillRect(0, 0, 1280, 960)), 100);
  navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(10);
  window.spoken = [];
  const speechSynthesis = { speaking: false, cancel() {}, speak: ({ text }) => text && window.spoken.push(text) };
  Object.defineProperty(window, "speechSynthesis", { value: speechSynthesis });
})();"""

figures: dict[str, str] = {}
"""What the tests measured, by what it is; printed last."""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the figures."""
    if figures:
        terminalreporter.section("figures")
        for name, value in figures.items():
            terminalreporter.write_line(f"{name}: {value}")


@contextmanager
def running(app: Any) -> Iterator[str]:
    """Serve an application; yields its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    # Live updates are answers without an end; they are cut off when the service stops.
    config = uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started:
        assert time.monotonic() < deadline, "the service did not start"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Serve with a scanner and settings given; returns the address."""
    with ExitStack() as stack:

        def start(scanner: Any, **settings: Any) -> str:
            app = create_app(Settings(**{"data": tmp_path, "canary_minutes": 0, **settings}), scanner)
            return stack.enter_context(running(app))

        yield start


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    """Playwright, started."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Where Chromium is."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("there is no Chromium on this machine")
    return path


@pytest.fixture(scope="session")
def browser(playwright: Any, chromium_path: str) -> Iterator[Any]:
    """Chromium."""
    chromium = playwright.chromium.launch(executable_path=chromium_path, args=ARGUMENTS)
    yield chromium
    chromium.close()


def _is_fault(message: Any) -> bool:
    return message.type in ("error", "warning") and "Service Worker registration blocked" not in message.text


@pytest.fixture
def phone(browser: Any, serve: Any) -> Iterator[Callable[..., Any]]:  # noqa: ARG001 - phones leave before it stops
    """Take one more phone: a page with cookies of its own. Script errors and messages of the console fail the test."""
    phones = []

    def take(*, on_stand: bool = False, viewport: dict[str, int] = PHONE, **options: Any) -> Any:
        # Without a service worker, unless it is what is tested: it loads every file of the page once more.
        kept = {"device_scale_factor": 2, "has_touch": True, "service_workers": "block", **options}
        context = browser.new_context(viewport=viewport, **kept)
        if on_stand:
            context.add_init_script(STAND)
        page = context.new_page()
        page.faults = faults = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: _is_fault(message) and faults.append(message.text))
        page.set_default_timeout(PATIENCE_MS)
        phones.append(page)
        return page

    yield take
    for page in phones:
        page.context.close()
    assert not any(page.faults for page in phones), [page.faults for page in phones]


@pytest.fixture
def page(phone: Callable[..., Any]) -> Any:
    """One phone."""
    return phone()


@pytest.fixture(scope="session")
def scanner() -> Scanner:
    """The real networks."""
    if not (MODELS / "detector.onnx").is_file():
        pytest.skip("there are no weights in models/")
    return Scanner.load()


def until(page: Any, condition: str, given: Any = None) -> None:
    """Wait for a condition in JavaScript; Playwright's own way needs ``eval``, which the page's policy bars."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not page.evaluate(condition, given):
        assert time.monotonic() < deadline, condition
        page.wait_for_timeout(100)


def lay(page: Any, scene: str) -> None:
    """Lay a scene before the camera of a phone on a stand."""
    data = base64.b64encode((SCENES / f"{scene}.jpg").read_bytes()).decode()
    page.evaluate("(address) => lay(address)", f"data:image/jpeg;base64,{data}")


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scene as the raw video file that Chromium's fake camera plays."""
    picture = cv2.imread(str(SCENES / "five.jpg"))
    height, width = picture.shape[:2]
    planes = cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420)
    path = tmp_path_factory.mktemp("clip") / "five.y4m"
    with path.open("wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F10:1 Ip A1:1 C420jpeg\n".encode())
        for _ in range(3):
            file.write(b"FRAME\n" + np.ascontiguousarray(planes).tobytes())
    return path


@pytest.fixture
def picture_file(tmp_path: Path) -> Callable[[bytes], Path]:
    """Write a picture to a file; returns its path."""

    def write(data: bytes) -> Path:
        path = tmp_path / "hand.png"
        path.write_bytes(data)
        return path

    return write
