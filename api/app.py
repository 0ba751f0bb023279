"""The service: routes, page and door put together."""

from __future__ import annotations

import mimetypes
from asyncio import CancelledError, create_task
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path

from anyio import to_thread
from fastapi import FastAPI, HTTPException
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from api.canary import Canary, load_picture
from api.corrections import Corrections
from api.door import Door, Guests
from api.invitations import Invitations
from api.live import Live
from api.metrics import Metrics
from api.places import Places
from api.problems import tell_problems
from api.readiness import Readiness
from api.requests import RequestLog
from api.routes.check import check_router
from api.routes.corrections import corrections_router
from api.routes.decks import decks_router
from api.routes.exports import exports_router
from api.routes.games import games_router
from api.routes.health import health_router
from api.routes.join import join_router
from api.routes.members import members_router
from api.routes.rules import rules_router
from api.routes.scan import scan_router
from api.routes.score import score_router
from api.rulebook import Rulebook
from api.scans import Here, Reader, Scanner, Scans
from api.seats import Seats
from api.settings import Settings
from api.shelf import Shelf
from api.store.database import Database
from api.store.decks import Decks
from api.store.devices import Devices
from api.store.games import ANSWERS_KEPT_DAYS, Games
from api.store.guesses import Guesses
from api.store.notices import Notices

PAGE = Path(__file__).parent / "page"

# Windows may have registered another type, and browsers run no module of another type.
mimetypes.add_type("text/javascript", ".js")


def create_app(settings: Settings, scanner: Scanner) -> FastAPI:
    """Return the service, reading photos in this process.

    Args:
        settings: how it runs.
        scanner: what reads the cards of a photo.

    Raises:
        RulesError: if there is no such rule system, or its file has a fault.
        StoreError: if the database cannot be used.
    """
    return app_with(settings, Here(scanner, settings.scans_at_once))


def app_with(settings: Settings, reader: Reader) -> FastAPI:
    """Return the service.

    Args:
        settings: how it runs.
        reader: what reads photo files.

    Raises:
        RulesError: if there is no such rule system, or its file has a fault.
        StoreError: if the database cannot be used.
        ModelError: if the test picture is missing.
    """
    rulebook = Rulebook(settings.rules)
    database = Database(settings.url)
    notices = Notices(database)
    devices = Devices(database, notices)
    games = Games(database)
    games.forget_answers(f"{datetime.now(UTC) - timedelta(days=ANSWERS_KEPT_DAYS):%Y-%m-%d}")
    secret = settings.join_secret
    guests = Guests(devices, secret.get_secret_value() if secret else None)
    guesses = Guesses(database)
    guesses.forget()
    invitations = Invitations(games, guesses)
    seats = Seats(games)
    places = Places(rulebook.default, games, seats)
    live = Live(notices)
    metrics = Metrics()
    scans = Scans(reader, settings.scan_places, metrics)
    metrics.watch(lambda: scans.in_flight, lambda: scans.free, lambda: live.listeners)
    canary = None
    if settings.canary_minutes:
        canary = Canary(
            reader,
            load_picture(),
            settings.canary_minutes,
            lambda: scans.in_flight >= settings.scans_at_once,
            metrics,
        )
    corrections = Corrections(settings.keep_corrections) if settings.keep_corrections else None
    readiness = Readiness(database, reader, canary, metrics)
    shelf = Shelf(Decks(database), notices, settings.deck_files)
    shelf.take_over(settings.decks)
    shelf.tidy()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        notices.start()
        watching = create_task(canary.watch()) if canary else None
        yield
        if watching:
            watching.cancel()
            with suppress(CancelledError):
                await watching
        await to_thread.run_sync(notices.stop)
        database.close()

    app = FastAPI(title="Meldsight", version=version("meldsight"), docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.database = database
    app.state.live = live
    token = settings.metrics_token
    app.add_middleware(
        Door, guests=guests, names=settings.hosts, metrics_token=token.get_secret_value() if token else None
    )
    app.add_middleware(RequestLog, metrics=metrics)
    tell_problems(app)
    has_authority = settings.authority is not None
    for router in (
        join_router(
            guests, devices, invitations, live, has_authority=has_authority, keeps_photos=corrections is not None
        ),
        health_router(rulebook.default, readiness, metrics),
        rules_router(rulebook, seats),
        games_router(games, seats, rulebook, live, metrics),
        members_router(games, seats, invitations, live, settings.address),
        exports_router(games, seats),
        check_router(rulebook, seats),
        scan_router(scans, places, shelf, metrics),
        decks_router(shelf, scans, games),
        score_router(places),
        corrections_router(corrections, scans, places, metrics),
    ):
        app.include_router(router)

    @app.get("/ca.crt", response_class=FileResponse, include_in_schema=False)
    def authority() -> FileResponse:
        """Return the certificate that phones install to trust this computer."""
        if settings.authority is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return FileResponse(settings.authority, media_type="application/x-x509-ca-cert", filename="meldsight-ca.crt")

    app.mount("/", StaticFiles(directory=PAGE, html=True))
    return app
