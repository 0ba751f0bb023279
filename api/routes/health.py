"""Whether the service is there, whether it can do its work, and what it counts.

``/healthz`` and ``/readyz`` are for what starts and watches services, and tell nothing that is anybody's.
"""

from __future__ import annotations

from http import HTTPStatus
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel

from api.door import METRICS_PATH
from api.metrics import CONTENT_TYPE, Metrics
from api.problems import problem
from api.readiness import Readiness
from api.seats import device_of
from api.store.devices import Device
from engine.rules import Rules


class Health(BaseModel):
    """The state of the service."""

    status: str
    version: str
    rules: str
    """The rule system as people say it."""


class Alive(BaseModel):
    """The process answers."""

    status: str


class Ready(BaseModel):
    """Every part is ready."""

    status: str
    parts: list[str]


RETRY_S = 10
"""When to ask again whether the service is ready, in seconds."""


def health_router(rules: Rules, readiness: Readiness, metrics: Metrics) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["service"])

    @router.get("/healthz")
    async def healthz() -> Alive:
        """Say that the process is up."""
        return Alive(status="ok")

    @router.get("/readyz", response_model=Ready)
    async def readyz() -> Ready | Response:
        """Say whether photos can be sent here and hands be recorded; if not, which parts are in the way."""
        problems = await readiness.problems()
        failing = {part: sentence for part, sentence in problems.items() if sentence}
        if not failing:
            return Ready(status="ok", parts=list(problems))
        sentence = next(iter(failing.values()))
        again = {"Retry-After": str(RETRY_S)}
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, sentence, again, details={"failing": failing})

    @router.get(METRICS_PATH, response_class=Response)
    async def collect() -> Response:
        """Return what the service counts, for Prometheus; the door asks for the token."""
        await readiness.problems()
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    @router.get("/api/health")
    async def health(_: Annotated[Device, Depends(device_of)]) -> Health:
        """Say that the service is up."""
        return Health(status="ok", version=version("meldsight"), rules=rules.title)

    return router
