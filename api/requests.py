"""Every request, measured and written down: what kind of address, how it ended, how long it took, from which device."""

from __future__ import annotations

import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.logs import FIELDS, route_of, short_id
from api.metrics import Metrics

_log = logging.getLogger("meldsight.requests")


class RequestLog:
    """ASGI middleware around everything, the door too.

    A request is told of when its answer begins, since a live connection ends only hours later. The address stands as
    its template, so no query, game, name or file is written down.

    Args:
        app: what answers.
        metrics: where requests are counted.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, and tell of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()

        async def send_and_tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._tell(scope, int(message["status"]), time.perf_counter() - start)
            await send(message)

        await self._app(scope, receive, send_and_tell)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        method, route = scope["method"] if scope["method"] in _METHODS else "other", route_of(scope)
        self._metrics.request_answered(method, route, status, seconds)
        device = scope.get("device")
        fields = {
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "device": short_id(device.id) if device else None,
        }
        _log.info("request", extra={FIELDS: fields})


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Anybody may invent others, and each would be a series of its own."""
