"""The door of the service: who gets in, how much a request may carry, the headers of every answer."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Collection
from http import HTTPStatus
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import problem
from vision.photo import MAX_BYTES, too_many_bytes

COOKIE = "meldsight"
COOKIE_AGE_S = 24 * 3600

JOIN_PAGE = "/join.html"
OPEN_PATHS = frozenset({JOIN_PAGE, "/join.js", "/style.css", "/icon.svg", "/api/join"})
"""All that a device gets before it has joined."""

PHOTO_PATHS = frozenset({"/api/scan"})
MAX_OTHER_BYTES = 64_000
"""Largest body of a request that carries no photo."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' blob: data:; media-src 'self' blob:; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Guests:
    """The devices that have joined. Their tokens are kept as hashes, in memory alone.

    Args:
        secret: what the QR code carries; none if everybody is a guest.
    """

    def __init__(self, secret: str | None) -> None:
        self._secret = secret
        self._tokens: set[bytes] = set()

    def admit(self, secret: str) -> str | None:
        """Return a new token for a device that knows the secret, none for one that does not."""
        if self._secret is None or not hmac.compare_digest(secret.encode(), self._secret.encode()):
            return None
        token = secrets.token_urlsafe(32)
        self._tokens.add(_hashed(token))
        return token

    def knows(self, token: str | None) -> bool:
        """Return whether a device with this token may come in."""
        return self._secret is None or (token is not None and _hashed(token) in self._tokens)


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


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
    """ASGI middleware in front of everything that the service answers."""

    def __init__(self, app: ASGIApp, guests: Guests, names: Collection[str]) -> None:
        self._app = app
        self._guests = guests
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        path: str = scope["path"]
        joined = self._guests.knows(request.cookies.get(COOKIE))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store" if path.startswith("/api/") else "no-cache")
            await send(message)

        async def refuse(status: HTTPStatus, sentence: str) -> None:
            await problem(status, sentence)(scope, receive, send_with_headers)

        host = request.headers.get("host", "")
        origin = request.headers.get("origin")
        if not is_own_host(host, self._names):
            await refuse(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"The service does not answer to the name {host!r}; use its address, or set MELDSIGHT_HOSTS.",
            )
        elif scope["method"] not in ("GET", "HEAD") and origin and urlsplit(origin).netloc != host:
            await refuse(HTTPStatus.FORBIDDEN, "Requests from the pages of other sites are not answered.")
        elif not joined and path == "/":
            join_page = {**scope, "path": JOIN_PAGE, "raw_path": JOIN_PAGE.encode()}
            await self._app(join_page, receive, send_with_headers)
        elif not joined and path not in OPEN_PATHS:
            await refuse(HTTPStatus.UNAUTHORIZED, "Scan the QR code where Meldsight was started to join.")
        else:
            limit = MAX_BYTES if path in PHOTO_PATHS else MAX_OTHER_BYTES
            if _announced(request) > limit:
                await refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large(limit))
            else:
                await self._app(scope, _counted(receive, limit), send_with_headers)


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
