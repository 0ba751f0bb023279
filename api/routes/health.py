"""``GET /api/health``: whether the service is there, and what it plays by."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel

from api.seats import device_of
from api.store.devices import Device
from engine.rules import Rules


class Health(BaseModel):
    """The state of the service."""

    status: str
    version: str
    rules: str
    """The rule system as people say it."""


def health_router(rules: Rules) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["service"])

    @router.get("/api/health")
    async def health(_: Annotated[Device, Depends(device_of)]) -> Health:
        """Say that the service is up."""
        return Health(status="ok", version=version("meldsight"), rules=rules.title)

    return router
