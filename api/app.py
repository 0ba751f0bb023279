"""The service: routes, page and door put together."""

from __future__ import annotations

import mimetypes
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from api.door import Door, Guests
from api.problems import tell_problems
from api.routes.health import health_router
from api.routes.join import join_router
from api.routes.scan import scan_router
from api.routes.score import score_router
from api.scans import Scanner, Scans
from api.settings import Settings
from engine import rules

PAGE = Path(__file__).parent / "page"

# Windows may have registered another type, and browsers run no module of another type.
mimetypes.add_type("text/javascript", ".js")


def create_app(settings: Settings, scanner: Scanner) -> FastAPI:
    """Return the service.

    Args:
        settings: how it runs.
        scanner: what reads the cards of a photo.

    Raises:
        RulesError: if there is no such rule system, or its file has a fault.
    """
    played = rules.load(settings.rules)
    secret = settings.join_secret
    guests = Guests(secret.get_secret_value() if secret else None)
    scans = Scans(scanner, played, settings.scans_at_once, settings.scan_places)

    app = FastAPI(title="Meldsight", version=version("meldsight"), docs_url=None, redoc_url=None)
    app.add_middleware(Door, guests=guests, names=settings.hosts)
    tell_problems(app)
    app.include_router(health_router(played))
    app.include_router(join_router(guests))
    app.include_router(scan_router(scans, played))
    app.include_router(score_router(played))
    app.mount("/", StaticFiles(directory=PAGE, html=True))
    return app
