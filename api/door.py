"""The door of the service: who gets in, how much and how often they may ask, the headers of every answer."""

from __future__ import annotations

import hmac
import ipaddress
import logging
from collections.abc import Collection
from http import HTTPStatus
from http.cookies import SimpleCookie
from math import ceil
from urllib.parse import urlsplit

from anyio import to_thread
from fastapi import HTTPException
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.limits import Buckets
from api.logs import route_of
from api.problems import problem, problem_of
from api.store.database import StoreError
from api.store.devices import Device, Devices
from vision.photo import MAX_BYTES, too_many_bytes

COOKIE = "meldsight"
COOKIE_AGE_S = 180 * 24 * 3600

JOIN_PAGE = "/join.html"
OPEN_PATHS = frozenset({JOIN_PAGE, "/join.js", "/style.css", "/icon.svg", "/api/join", "/ca.crt"})
"""All that a device gets before it has joined."""

PROBE_PATHS = frozenset({"/healthz", "/readyz"})
"""For what starts and watches services; nothing in the answers is private."""

METRICS_PATH = "/metrics"
"""Not for devices: who shows the token of the metrics gets it, and nobody else."""

PHOTO_PATHS = frozenset({"/api/scan", "/api/scan/frames", "/api/corrections", "/api/decks/survey", "/api/decks/photos"})
MAX_OTHER_BYTES = 64_000
"""Largest body of a request that carries no photo."""

REQUESTS_PER_S = 30
REQUESTS_AT_ONCE = 150
"""How often one device, or one address that has not joined, may ask."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' blob: data:; media-src 'self' blob:; manifest-src 'self'; worker-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), microphone=(self), geolocation=(), screen-wake-lock=(self)",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

_log = logging.getLogger("meldsight")


class Guests:
    """Who may come in: devices that knew a secret once, and still show the token that they got for it.

    Args:
        devices: the devices known.
        secret: what the QR code of the service carries; none if everybody who can reach it may come in.
    """

    def __init__(self, devices: Devices, secret: str | None) -> None:
        self._devices = devices
        self._secret = secret

    @property
    def is_open(self) -> bool:
        """Whether everybody may come in."""
        return self._secret is None

    def knows(self, secret: str | None) -> bool:
        """Return whether this is the secret; where there is none, none is right too."""
        if self._secret is None:
            return True
        return secret is not None and hmac.compare_digest(secret.encode(), self._secret.encode())

    def admit(self, name: str) -> tuple[Device, str]:
        """Return a new device and its token."""
        return self._devices.admit(name)

    async def of(self, token: str | None) -> Device | None:
        """Return the device that shows a token."""
        if not token:
            return None
        return self._devices.remembered(token) or await to_thread.run_sync(self._devices.of, token)


def device_name(agent: str) -> str:
    """Return what a device is called until somebody says better.

    >>> device_name("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)"), device_name("curl/8")
    ('iPhone', 'Device')
    """
    kinds = {
        "iPhone": "iPhone",
        "iPad": "iPad",
        "Android": "Android phone",
        "Windows": "Windows computer",
        "Macintosh": "Mac",
        "Linux": "Linux computer",
    }
    return next((name for sign, name in kinds.items() if sign in agent), "Device")


def cookie_of(token: str, *, is_secure: bool) -> str:
    """Return the ``Set-Cookie`` header that gives a device its token."""
    cookie = SimpleCookie({COOKIE: token})
    cookie[COOKIE] |= {"path": "/", "max-age": COOKIE_AGE_S, "httponly": True, "samesite": "strict"}
    cookie[COOKIE]["secure"] = is_secure
    return cookie[COOKIE].OutputString()


def is_own_host(host: str, names: Collection[str]) -> bool:
    """Return whether a request's ``Host`` names this service: by an IP address or by one of its names.

    A page that rebinds its DNS name to this computer still sends its own name here, never an address.

    >>> is_own_host("192.168.1.7:8000", ()), is_own_host("[::1]:8000", ()), is_own_host("evil.example", ())
    (True, True, False)
    >>> is_own_host("Attic.local", {"attic.local"})
    True
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Door:
    """ASGI middleware in front of everything that the service answers.

    Args:
        app: what is behind it.
        guests: who may come in.
        names: names of the service besides its addresses.
        metrics_token: what opens the metrics; where there is none, they are not there.
    """

    def __init__(self, app: ASGIApp, guests: Guests, names: Collection[str], metrics_token: str | None = None) -> None:
        self._app = app
        self._guests = guests
        self._names = frozenset(names)
        self._metrics_token = metrics_token
        self._requests = Buckets(REQUESTS_PER_S, REQUESTS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_started = False
        cookies: list[str] = []

        async def send_with_headers(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                headers = MutableHeaders(scope=message)
                policy = headers.get("Content-Security-Policy")
                for name, value in HEADERS.items():
                    headers[name] = value
                if policy:
                    # A page to be printed allows its own style, and nothing else.
                    headers["Content-Security-Policy"] = policy
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
                for cookie in cookies:
                    headers.append("Set-Cookie", cookie)
            await send(message)

        try:
            await self._admit(scope, receive, send_with_headers, cookies)
        except Exception as error:
            if has_started:
                raise
            if not isinstance(error, StoreError):
                _log.exception("%s %s failed", scope["method"], route_of(scope))
            await problem_of(error)(scope, receive, send_with_headers)

    async def _admit(self, scope: Scope, receive: Receive, send: Send, cookies: list[str]) -> None:
        request = HTTPConnection(scope)
        path: str = scope["path"]

        async def refuse(status: HTTPStatus, sentence: str, headers: dict[str, str] | None = None) -> None:
            await problem(status, sentence, headers)(scope, receive, send)

        host = request.headers.get("host", "")
        origin = request.headers.get("origin")
        if not is_own_host(host, self._names):
            await refuse(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"The service does not answer to the name {host!r}; use its address, or set MELDSIGHT_HOSTS.",
            )
            return
        if scope["method"] not in ("GET", "HEAD") and origin and urlsplit(origin).netloc != host:
            await refuse(HTTPStatus.FORBIDDEN, "Requests from the pages of other sites are not answered.")
            return
        device = await self._guests.of(request.cookies.get(COOKIE))
        address = request.client.host if request.client else ""
        if wait := self._requests.wait(device.id if device else address):
            again = {"Retry-After": str(ceil(wait))}
            await refuse(HTTPStatus.TOO_MANY_REQUESTS, "This device asks too often; it may try again soon.", again)
            return
        if path == METRICS_PATH:
            shown = request.headers.get("authorization", "")
            if self._metrics_token is None:
                await refuse(HTTPStatus.NOT_FOUND, "There is nothing at this address.")
            elif not hmac.compare_digest(shown.encode(), f"Bearer {self._metrics_token}".encode()):
                told = {"WWW-Authenticate": "Bearer"}
                await refuse(HTTPStatus.UNAUTHORIZED, "The metrics are for who shows their token.", told)
            else:
                await self._app(scope, _counted(receive, MAX_OTHER_BYTES), send)
            return
        if device is None and path == "/" and scope["method"] == "GET" and self._guests.is_open:
            device, token = await to_thread.run_sync(
                self._guests.admit, device_name(request.headers.get("user-agent", ""))
            )
            cookies.append(cookie_of(token, is_secure=scope["scheme"] == "https"))
        scope["device"] = device
        if device is None and path == "/" and not self._guests.is_open:
            scope = {**scope, "path": JOIN_PAGE, "raw_path": JOIN_PAGE.encode()}
        elif device is None and not self._is_open(path):
            way_in = "Open the page of the service" if self._guests.is_open else "Scan the QR code that Meldsight shows"
            await refuse(HTTPStatus.UNAUTHORIZED, f"This device has not joined. {way_in} to join.")
            return
        limit = MAX_BYTES if path in PHOTO_PATHS else MAX_OTHER_BYTES
        if _announced(request) > limit:
            await refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large(limit))
        else:
            await self._app(scope, _counted(receive, limit), send)

    def _is_open(self, path: str) -> bool:
        is_page = not path.startswith("/api/") and path != "/openapi.json"
        return path in OPEN_PATHS | PROBE_PATHS or (self._guests.is_open and is_page)


def _announced(request: HTTPConnection) -> int:
    length = request.headers.get("content-length", "0")
    return int(length) if length.isascii() and length.isdigit() else 0


def _counted(receive: Receive, limit: int) -> Receive:
    """Return ``receive`` with an end: a body sent in pieces need not say its length, or may lie."""
    received = 0

    async def receive_counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large(limit))
        return message

    return receive_counted


def _too_large(limit: int) -> str:
    return str(too_many_bytes()) if limit == MAX_BYTES else f"The request is larger than {limit} bytes."
