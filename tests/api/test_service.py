"""The service from outside: what it answers, what it refuses, and who gets in."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from api import door
from api.app import create_app
from api.routes import scan as scan_route
from api.settings import Settings
from vision import photo
from vision.limits import Limits
from vision.photo import Photo
from vision.scene import Scene

SECRET = "correct-horse-battery"
BASE = "http://127.0.0.1:8000"


def client_of(scanner: Any, **settings: Any) -> TestClient:
    client = TestClient(create_app(Settings(**settings), scanner), BASE, raise_server_exceptions=False)
    if "join_secret" not in settings:
        client.post("/api/join", json={})
    return client


@pytest.fixture
def client(hand: Any, scanner_of: Any) -> TestClient:
    return client_of(scanner_of(hand.scene))


@pytest.fixture
def guarded(hand: Any, scanner_of: Any) -> TestClient:
    return client_of(scanner_of(hand.scene), join_secret=SECRET)


def detail(answer: Any, status: int) -> str:
    """The sentence of an error, after checking its form."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["detail"].endswith(".")
    assert "\n" not in body["detail"]
    return str(body["detail"])


# Scanning and scoring ------------------------------------------------------------------------------------


def test_a_photo_comes_back_as_a_scored_hand(client: TestClient, hand: Any) -> None:
    answer = client.post("/api/scan", content=hand.picture, headers={"content-type": "image/png"})
    assert answer.status_code == 200
    told = answer.json()
    assert Scene.from_json(told["scene"]) == hand.scene
    assert told["score"] == {
        "points": 25,
        "parts": [["9C", 10], ["KD", 10], ["3S", 5]],
        "text": "9♣ 10 + K♦ 10 + 3♠ 5 = 25",
    }
    assert told["settled"] is True


def frames(*pictures: bytes) -> bytes:
    return b"".join(len(picture).to_bytes(4, "big") + picture for picture in pictures)


def test_frames_of_one_scene_come_back_as_one_hand(client: TestClient, hand: Any) -> None:
    answer = client.post("/api/scan/frames", content=frames(hand.picture, hand.picture, hand.picture))
    assert answer.status_code == 200
    told = answer.json()
    assert [seen["card"] for seen in told["scene"]["cards"]] == [seen.card.code for seen in hand.scene.cards]
    assert told["score"]["points"] == 25


def test_frames_that_are_none_get_a_sentence(client: TestClient, hand: Any) -> None:
    for body, words in (
        (b"", "not 0"),
        (frames(*[b"x"] * 9), "not 9"),
        (frames(hand.picture)[:-1], "end before"),
        (b"\0\0", "end before"),
        (frames(hand.picture, b"dear sir"), "not a picture"),
    ):
        assert words in detail(client.post("/api/scan/frames", content=body), 422)


def test_the_scanner_is_told_what_is_in_play(hand: Any, scanner_of: Any) -> None:
    scanner = scanner_of(hand.scene)
    client_of(scanner).post("/api/scan", content=hand.picture)
    assert scanner.seen == [((1200, 900), Limits(packs=2, jokers=4))]


def picture_bytes(kind: str) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (60, 40)).save(target, kind)
    return target.getvalue()


PIXEL = picture_bytes("PNG")


@pytest.mark.parametrize(
    ("body", "content_type", "status", "words"),
    [
        (b"", "image/jpeg", 422, "0 bytes"),
        (b"dear sir", "image/jpeg", 422, "not a picture"),
        (picture_bytes("JPEG")[:-40], "image/jpeg", 422, "cut short"),
        (picture_bytes("GIF"), "image/jpeg", 415, "GIF"),
        (b"\xff\xd8\xff" + bytes(photo.MAX_BYTES), "image/jpeg", 413, "larger than 15 MB"),
    ],
)
def test_bad_photos_get_a_status_and_a_sentence(
    client: TestClient, body: bytes, content_type: str, status: int, words: str
) -> None:
    answer = client.post("/api/scan", content=body, headers={"content-type": content_type})
    assert words in detail(answer, status)


def test_a_wrong_content_type_does_not_matter(client: TestClient) -> None:
    answer = client.post("/api/scan", content=picture_bytes("PNG"), headers={"content-type": "text/html"})
    assert answer.status_code == 200


def test_a_body_in_pieces_is_counted(client: TestClient) -> None:
    sent = 0

    def pieces() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(40):
            sent += 1_000_000
            yield bytes(1_000_000)

    assert "larger than 15 MB" in detail(client.post("/api/scan", content=pieces()), 413)


def test_other_bodies_are_small(client: TestClient) -> None:
    large = b'{"cards": ["' + b"9" * door.MAX_OTHER_BYTES + b'"]}'
    assert "64000 bytes" in detail(client.post("/api/score", content=large), 413)
    assert "64000 bytes" in detail(client.post("/api/score", content=iter([large[:40_000], large[40_000:]])), 413)


def test_cards_are_added_up(client: TestClient) -> None:
    answer = client.post("/api/score", json={"cards": ["9C", "10D", "JK"]})
    assert answer.json() == {
        "points": 70,
        "parts": [["9C", 10], ["TD", 10], ["JK", 50]],
        "text": "9♣ 10 + 10♦ 10 + Joker 50 = 70",
        "warnings": [],
    }


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"cards": ["9X"]}, "'9X' is not a card"),
        ({"cards": ["9C"] * 217}, "cards"),
        ({"card": ["9C"]}, "cards"),
        ([], "body"),
        ({"cards": ["9C" * 10]}, "cards.0"),
    ],
)
def test_what_is_no_hand_of_cards_gets_a_sentence(client: TestClient, body: Any, words: str) -> None:
    assert words in detail(client.post("/api/score", json=body), 422)


class SlowScanner:
    """Holds every scan until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.running = 0
        self.most = 0
        self._lock = threading.Lock()

    def scan(self, photo: Photo, **_: int) -> Scene:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self.go.wait(20)
        with self._lock:
            self.running -= 1
        return Scene(photo.size_wh)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_too_many_photos_are_asked_to_come_back() -> None:
    scanner = SlowScanner()
    with client_of(scanner, scans_at_once=2, scan_places=2) as client, ThreadPoolExecutor(2) as phones:
        try:
            waiting = [phones.submit(client.post, "/api/scan", content=PIXEL) for _ in range(2)]
            wait_until(lambda: scanner.running == 2)
            refused = client.post("/api/scan", content=PIXEL)
        finally:
            scanner.go.set()
        assert "try again" in detail(refused, 503)
        assert int(refused.headers["retry-after"]) > 0
        assert [answer.result().status_code for answer in waiting] == [200, 200]
        assert client.post("/api/scan", content=PIXEL).status_code == 200


def test_photos_wait_for_their_turn() -> None:
    scanner = SlowScanner()
    with client_of(scanner, scans_at_once=1, scan_places=3) as client, ThreadPoolExecutor(3) as phones:
        waiting = [phones.submit(client.post, "/api/scan", content=PIXEL) for _ in range(3)]
        wait_until(lambda: scanner.running == 1)
        time.sleep(0.2)
        scanner.go.set()
        assert [answer.result().status_code for answer in waiting] == [200, 200, 200]
    assert scanner.most == 1


def test_a_photo_that_never_arrives_gives_its_place_back(
    hand: Any, scanner_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    monkeypatch.setattr(scan_route, "UPLOAD_S", 0.05)
    client = client_of(scanner_of(hand.scene), scan_places=1)
    app = client.app
    cookie = f"{door.COOKIE}={client.cookies[door.COOKIE]}".encode()

    async def never() -> Any:
        await asyncio.sleep(20)

    async def post(receive: Any) -> list[Any]:
        sent: list[Any] = []
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": "/api/scan",
            "raw_path": b"/api/scan",
            "query_string": b"",
            "root_path": "",
            "scheme": "http",
            "server": ("127.0.0.1", 8000),
            "headers": [(b"host", b"127.0.0.1"), (b"cookie", cookie)],
        }

        async def send(message: Any) -> None:
            sent.append(message)

        await app(scope, receive, send)
        return sent

    async def whole() -> Any:
        return {"type": "http.request", "body": hand.picture, "more_body": False}

    async def both() -> tuple[list[Any], list[Any]]:
        return await post(never), await post(whole)

    late, in_time = asyncio.run(both())
    assert late[0]["status"] == 408
    assert in_time[0]["status"] == 200


def test_an_unforeseen_fault_is_no_bare_trace() -> None:
    class Broken:
        def scan(self, *_: Photo, **__: int) -> Scene:
            raise RuntimeError("secret detail")

    answer = client_of(Broken()).post("/api/scan", content=PIXEL)
    assert "secret" not in detail(answer, 500)
    for name, value in door.HEADERS.items():
        assert answer.headers[name] == value


# Page and headers ----------------------------------------------------------------------------------------


def test_the_page_is_served(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "<html" in page.text
    assert client.get("/app.js").headers["content-type"].startswith("text/javascript")


def test_every_answer_carries_the_security_headers(client: TestClient, guarded: TestClient) -> None:
    answers = [
        client.get("/"),
        client.get("/nowhere"),
        client.get("/api/health"),
        client.post("/api/scan", content=b"x"),
        client.get("/", headers={"host": "evil.example"}),
        guarded.get("/"),
        guarded.get("/app.js"),
    ]
    for answer in answers:
        for name, value in door.HEADERS.items():
            assert answer.headers[name] == value
    policy = door.HEADERS["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert client.get("/api/health").headers["cache-control"] == "no-store"


def test_there_is_nothing_for_other_sites(client: TestClient) -> None:
    answer = client.post("/api/score", json={"cards": ["9C"]}, headers={"origin": "http://evil.example"})
    assert "other sites" in detail(answer, 403)
    assert "access-control-allow-origin" not in client.get("/", headers={"origin": "http://evil.example"}).headers
    own = client.post("/api/score", json={"cards": ["9C"]}, headers={"origin": BASE})
    assert own.status_code == 200
    assert client.post("/api/score", json={"cards": ["9C"]}, headers={"origin": "null"}).status_code == 403


@pytest.mark.parametrize(
    ("host", "is_answered"),
    [
        ("127.0.0.1:8000", True),
        ("192.168.1.20:8000", True),
        ("[fe80::1]:8000", True),
        ("localhost:8000", True),
        ("attic.local", True),
        ("ATTIC.LOCAL:8000", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("[::1", False),
        ("", False),
    ],
)
def test_a_rebound_name_is_refused(hand: Any, scanner_of: Any, host: str, is_answered: bool) -> None:
    client = client_of(scanner_of(hand.scene), hosts="localhost, attic.local")
    assert client.get("/api/health", headers={"host": host}).status_code == (200 if is_answered else 421)


def test_addresses_that_are_not_there_get_a_sentence(client: TestClient) -> None:
    assert "nothing at this address" in detail(client.get("/api/nothing"), 404)
    assert "kind of request" in detail(client.post("/app.js"), 405)
    assert client.get("/../settings.py").status_code == 404
    assert client.get("/%2e%2e/settings.py").status_code == 404
    assert client.get("/docs").status_code == 404


def test_health_says_what_is_played(client: TestClient) -> None:
    assert client.get("/api/health").json()["rules"] == "Shanghai Rummy"


# The join secret -----------------------------------------------------------------------------------------


def test_without_the_secret_only_the_join_page_is_served(guarded: TestClient) -> None:
    assert "Join the table" in guarded.get("/").text
    for path in guarded.app.openapi()["paths"]:  # type: ignore[attr-defined]
        if path not in door.OPEN_PATHS | door.PROBE_PATHS | {door.METRICS_PATH}:
            assert "QR code" in detail(guarded.get(path), 401)
    for path in ("/index.html", "/app.js", "/hand.js", "/openapi.json", "/nowhere", "/vendor/README.md"):
        assert "QR code" in detail(guarded.get(path), 401)
    assert "QR code" in detail(guarded.post("/api/scan", content=b"x"), 401)


def test_the_open_paths_are_what_the_join_page_needs(guarded: TestClient) -> None:
    for path in door.OPEN_PATHS - {"/api/join", "/ca.crt"}:
        assert guarded.get(path).status_code == 200


def test_the_secret_lets_a_device_in(guarded: TestClient, hand: Any) -> None:
    answer = guarded.post("/api/join", json={"secret": SECRET})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert SECRET not in cookie
    assert "What" not in guarded.get("/").text
    assert "app.js" in guarded.get("/").text
    assert guarded.post("/api/scan", content=hand.picture).status_code == 200


@pytest.mark.parametrize("secret", ["", "correct-horse-batterz", "é" * 10])
def test_another_secret_does_not(guarded: TestClient, secret: str) -> None:
    assert "not valid" in detail(guarded.post("/api/join", json={"secret": secret}), 403)
    assert guarded.get("/api/health").status_code == 401


def test_an_invented_token_does_not(guarded: TestClient) -> None:
    guarded.cookies.set(door.COOKIE, SECRET)
    assert guarded.get("/api/health").status_code == 401


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="16 characters"):
        Settings(join_secret="changethis")
