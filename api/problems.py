"""Errors as the service tells them: one sentence each, as problem+json (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from api.scans import BusyError
from engine.cards import UnreadableError
from vision.photo import NotAPhotoError, PhotoTooLargeError, UnsupportedPhotoError

STATUS_OF: dict[type[Exception], HTTPStatus] = {
    PhotoTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    UnsupportedPhotoError: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    NotAPhotoError: HTTPStatus.UNPROCESSABLE_ENTITY,
    UnreadableError: HTTPStatus.UNPROCESSABLE_ENTITY,
    BusyError: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""The errors whose own sentence goes to the player, and the status that it goes with."""

_SENTENCES = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take that kind of request.",
}


def problem(status: HTTPStatus | int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return an error as a response.

    >>> problem(404, "There is nothing at this address.").media_type
    'application/problem+json'
    """
    status = HTTPStatus(status)
    body = {"title": status.phrase, "status": status.value, "detail": sentence}
    return JSONResponse(body, status, headers, "application/problem+json")


def tell_problems(app: FastAPI) -> None:
    """Make an application answer every error by one sentence."""
    for kind in STATUS_OF:
        app.add_exception_handler(kind, _own_sentence)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unforeseen)


async def _own_sentence(_: Request, error: Exception) -> JSONResponse:
    headers = {"Retry-After": str(error.retry_after_s)} if isinstance(error, BusyError) else None
    return problem(STATUS_OF[type(error)], str(error), headers)


async def _malformed(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or "the body"
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, f"The request does not fit at {place}: {first['msg']}.")


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    return problem(status, _SENTENCES.get(status, error.detail), error.headers)


async def _unforeseen(_: Request, __: Exception) -> JSONResponse:
    return problem(
        HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong in the service; its log says what. Try again."
    )
