"""A real Chromium, and the real service on the loopback address."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from api.app import create_app
from api.settings import Settings

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


@contextmanager
def running(app: Any) -> Iterator[str]:
    """Serve an application; yields its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
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
def serve() -> Iterator[Callable[..., str]]:
    """Serve with a scanner and settings given; returns the address."""
    with ExitStack() as stack:
        yield lambda scanner, **settings: stack.enter_context(running(create_app(Settings(**settings), scanner)))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a small phone that fails the test on any script error or message of the console."""
    context = browser.new_context(viewport=PHONE, device_scale_factor=2, has_touch=True)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: message.type in ("error", "warning") and faults.append(message.text))
    page.set_default_timeout(10_000)
    page.faults = faults
    yield page
    context.close()
    assert not faults, faults


@pytest.fixture
def picture_file(tmp_path: Path) -> Callable[[bytes], Path]:
    """Write a picture to a file; returns its path."""

    def write(data: bytes) -> Path:
        path = tmp_path / "hand.png"
        path.write_bytes(data)
        return path

    return write
