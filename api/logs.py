"""Logs for machines: one JSON object a line, and nothing in it that belongs to the players.

Photos, cards, names, tokens, secrets, codes and query strings are never handed to a logger, and of an exception only
its class and where it was raised are written: its message may quote what was sent.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from starlette.types import Scope

FIELDS = "fields"
"""Name under which a log record carries values of its own: ``extra={FIELDS: {...}}``."""

MOST_FRAMES = 20


class JsonLines(logging.Formatter):
    """Writes a log record as one line of JSON: time, level, logger, message, its own values, and where it failed."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line.

        >>> record = logging.LogRecord("meldsight", logging.INFO, "", 0, "%s is ready", ("It",), None)
        >>> record.created = 0.0
        >>> JsonLines().format(record)
        '{"time": "1970-01-01T00:00:00.000Z", "level": "info", "logger": "meldsight", "message": "It is ready"}'
        """
        time = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, FIELDS, {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            line["raised"] = raised_at(record.exc_info[2])
        return json.dumps(line, ensure_ascii=False, default=str)


def raised_at(trace: TracebackType | None) -> list[str]:
    """Return where an exception was raised, outermost call first, at most ``MOST_FRAMES`` of the innermost."""
    frames = traceback.extract_tb(trace)[-MOST_FRAMES:]
    return [f"{'/'.join(Path(frame.filename).parts[-2:])}:{frame.lineno} {frame.name}" for frame in frames]


def log_as(form: str | None, stream: TextIO | None = None) -> None:
    """Make everything that this process logs from now on take a form.

    Args:
        form: ``json`` for a line of JSON each, requests among them; anything else leaves logging as it is.
        stream: where the lines go; stderr unless given.
    """
    if form != "json":
        return
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("meldsight").setLevel(logging.INFO)


def route_of(scope: Scope) -> str:
    """Return which kind of address a request was for, without what it names.

    >>> route_of({"path": "/app.js", "endpoint": None}), route_of({"path": "/api/games/Zk3vQ8pW1aB0"})
    ('page', 'door')
    """
    route = scope.get("route")
    if route is not None:
        return str(route.path)
    # What was routed to no address of its own is a file of the page, or nothing; the rest the door sent away.
    return "page" if "endpoint" in scope else "door"


def short_id(device: str) -> str:
    """Return a device as logs name it: the same each time, and of no use to ask with.

    >>> short_id("d_5Qm2")
    '17c7e670'
    """
    return sha256(device.encode()).hexdigest()[:8]
