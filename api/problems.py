"""Errors as the service tells them: one sentence each, as problem+json (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from api.corrections import CorrectionError
from api.decks import DeckNameError, NoDeckError
from api.recording import ConflictError, RoleError, UnsettledError
from api.rulebook import NoSuchRulesError
from api.scans import BusyError, ScanError
from api.seats import NoGameError
from api.shelf import CrowdedDeckError
from api.store.database import StoreBusyError, StoreFullError
from api.store.decks import TooManyDecksError
from api.store.games import KeyUsedError, LastHostError
from api.store.guesses import TriesError
from engine.cards import UnreadableError
from engine.ledger import LedgerError
from engine.rules import RulesError
from engine.scoring import ContradictionError
from vision.photo import NotAPhotoError, PhotoTooLargeError, UnsupportedPhotoError
from vision.reader import DeckError

STATUS_OF: dict[type[Exception], HTTPStatus] = {
    PhotoTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    UnsupportedPhotoError: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    NotAPhotoError: HTTPStatus.UNPROCESSABLE_ENTITY,
    ScanError: HTTPStatus.UNPROCESSABLE_ENTITY,
    DeckError: HTTPStatus.UNPROCESSABLE_ENTITY,
    DeckNameError: HTTPStatus.UNPROCESSABLE_ENTITY,
    TooManyDecksError: HTTPStatus.UNPROCESSABLE_ENTITY,
    NoDeckError: HTTPStatus.NOT_FOUND,
    UnreadableError: HTTPStatus.UNPROCESSABLE_ENTITY,
    ContradictionError: HTTPStatus.UNPROCESSABLE_ENTITY,
    LedgerError: HTTPStatus.UNPROCESSABLE_ENTITY,
    RulesError: HTTPStatus.UNPROCESSABLE_ENTITY,
    CorrectionError: HTTPStatus.UNPROCESSABLE_ENTITY,
    KeyUsedError: HTTPStatus.UNPROCESSABLE_ENTITY,
    RoleError: HTTPStatus.FORBIDDEN,
    NoGameError: HTTPStatus.NOT_FOUND,
    NoSuchRulesError: HTTPStatus.NOT_FOUND,
    LastHostError: HTTPStatus.CONFLICT,
    ConflictError: HTTPStatus.CONFLICT,
    UnsettledError: HTTPStatus.CONFLICT,
    TriesError: HTTPStatus.TOO_MANY_REQUESTS,
    BusyError: HTTPStatus.SERVICE_UNAVAILABLE,
    CrowdedDeckError: HTTPStatus.SERVICE_UNAVAILABLE,
    StoreBusyError: HTTPStatus.SERVICE_UNAVAILABLE,
    StoreFullError: HTTPStatus.INSUFFICIENT_STORAGE,
}
"""The errors whose own sentence goes to the player, and the status that it goes with."""

_TYPE_OF: dict[type[Exception], str] = {
    ConflictError: "urn:meldsight:conflict",
    UnsettledError: "urn:meldsight:question",
}
"""The problems that a program has to tell apart; they carry details."""

_SENTENCES = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take that kind of request.",
}
_UNFORESEEN = "Something went wrong in the service; its log says what. Try again."


def problem(
    status: HTTPStatus | int,
    sentence: str,
    headers: Mapping[str, str] | None = None,
    kind: str = "about:blank",
    details: Mapping[str, Any] | None = None,
) -> JSONResponse:
    """Return an error as a response.

    >>> problem(404, "There is nothing at this address.").media_type
    'application/problem+json'
    """
    status = HTTPStatus(status)
    # What a request says may hold half a sign, which no answer can carry.
    sentence = " ".join(sentence.encode(errors="replace").decode().split())
    body = {"type": kind, "title": status.phrase, "status": status.value, "detail": sentence, **(details or {})}
    return JSONResponse(body, status, headers, "application/problem+json")


def problem_of(error: Exception) -> JSONResponse:
    """Return any error as a response; of one that was not foreseen nothing but that."""
    for kind in type(error).__mro__:
        if kind in STATUS_OF:
            wait = getattr(error, "retry_after_s", None)
            headers = {"Retry-After": str(wait)} if wait is not None else None
            details = getattr(error, "details", None)
            return problem(STATUS_OF[kind], str(error), headers, _TYPE_OF.get(kind, "about:blank"), details)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, _UNFORESEEN)


def tell_problems(app: FastAPI) -> None:
    """Make an application answer every error that was foreseen by one sentence; the door answers the others."""
    for kind in STATUS_OF:
        app.add_exception_handler(kind, _own_sentence)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)


async def _own_sentence(_: Request, error: Exception) -> JSONResponse:
    return problem_of(error)


async def _malformed(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or "the body"
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, f"The request does not fit at {place}: {first['msg']}.")


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    return problem(status, _SENTENCES.get(status, error.detail), error.headers)
