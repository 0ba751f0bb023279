"""``/api/games``: starting games, recording them, watching them."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, HTTPException, Path, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from api.bodies import Melds, NewGame, Recorded
from api.live import Listener, Live
from api.metrics import Metrics
from api.recording import entry_json, next_entry, round_of
from api.rulebook import Rulebook
from api.scoreboard import GameLine, Scoreboard, game_line, scoreboard_json
from api.seats import NoGameError, Seat, Seats, device_of
from api.store.devices import Device
from api.store.games import Games, Record
from engine.cards import parse_cards, print_cards
from engine.ledger import DealerSet, GameStarted, Ledger, LedgerError, RoundStarted

HEARTBEAT_S = 15
"""A sign of life on a live connection, in seconds."""

_KEY = re.compile(r"[\x21-\x7e]{8,128}")


class Line(BaseModel):
    """One entry of a record."""

    number: int
    by: str
    at: str
    stands: bool
    event: dict[str, Any]
    text: str


class Lines(BaseModel):
    """A part of a record."""

    revision: int
    entries: list[Line]


class Taken(Line):
    """An entry that was recorded."""

    revision: int
    points: int | None
    warnings: list[str]


async def entry_key(idempotency_key: Annotated[str | None, Header(examples=["5f0c6d3e-capture-12"])] = None) -> str:
    """Return the key that the phone made for this request.

    Raises:
        HTTPException: 400, if it made none.
    """
    if idempotency_key is None or not _KEY.fullmatch(idempotency_key):
        raise HTTPException(
            HTTPStatus.BAD_REQUEST,
            "This request needs an Idempotency-Key of 8 to 128 signs: sent twice, it is then recorded once.",
        )
    return idempotency_key


async def seen_revision(if_match: Annotated[str | None, Header(examples=['"7"'])] = None) -> int:
    """Return the revision of the game that the phone shows.

    Raises:
        HTTPException: 428, if it does not say; 400, if that is no revision.
    """
    if if_match is None:
        raise HTTPException(
            HTTPStatus.PRECONDITION_REQUIRED, 'This request needs If-Match: the revision that is shown, such as "7".'
        )
    found = re.fullmatch(r'(?:W/)?"?(\d{1,9})"?', if_match.strip())
    if found is None:
        raise HTTPException(HTTPStatus.BAD_REQUEST, 'If-Match is the revision that is shown, such as "7".')
    return int(found[1])


def games_router(games: Games, seats: Seats, rulebook: Rulebook, live: Live, metrics: Metrics) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["games"])
    anyone = Depends(seats.any)
    recorder = Depends(seats.for_roles("host", "player"))
    host = Depends(seats.for_roles("host"))

    def shown(seat: Seat) -> str:
        laid = games.laid(seat.game, seat.record.ledger.game.round)
        return scoreboard_json(seat.record, seat.role, tuple((player, tuple(melds)) for player, melds in laid.items()))

    def board(seat: Seat, status: HTTPStatus = HTTPStatus.OK) -> Response:
        revision = {"ETag": f'"{seat.record.revision}"'}
        return Response(shown(seat), status, headers=revision, media_type="application/json")

    @router.post("/api/games", status_code=HTTPStatus.CREATED, response_model=Scoreboard)
    def start(
        wanted: NewGame,
        device: Annotated[Device, Depends(device_of)],
        key: Annotated[str, Depends(entry_key)],
    ) -> Response:
        """Start a game, with its first round; this device is its host."""
        events = first_events(wanted, rulebook)
        name = wanted.name or f"{rulebook.get(wanted.rules).title} with {', '.join(wanted.players)}"
        kept = games.start(device, key, ["games", wanted.sent()], name[:200], events)
        return board(seats.of(kept.answer.get("id", ""), device), HTTPStatus.CREATED)

    @router.get("/api/games")
    def own_games(device: Annotated[Device, Depends(device_of)]) -> list[GameLine]:
        """List this device's games, the last played first."""
        found = ((games.record(game), role) for game, role in games.ids(device))
        return [game_line(record, role) for record, role in found if record]

    @router.get("/api/games/{game}", response_model=Scoreboard)
    def one(seat: Seat = anyone) -> Response:
        """Return everything that is shown of a game."""
        return board(seat)

    @router.delete("/api/games/{game}", status_code=HTTPStatus.NO_CONTENT)
    def delete(seat: Seat = host) -> None:
        """Remove a game with all its entries."""
        games.delete(seat.game)
        live.tell(seat.game, "members")

    @router.post("/api/games/{game}/events", status_code=HTTPStatus.CREATED)
    def record(
        wanted: Recorded,
        response: Response,
        key: Annotated[str, Depends(entry_key)],
        seen: Annotated[int, Depends(seen_revision)],
        seat: Seat = recorder,
        confirmed: Annotated[bool, Query(description="Close the round in spite of what was asked.")] = False,
    ) -> Taken:
        """Write down one event; what is acknowledged is on disk."""
        sent = wanted.sent()
        # A photo on which no card was seen was scanned too.
        scanned = None if sent.get("scanned") is None else parse_cards(sent["scanned"])
        sent.pop("scanned", None)
        laid: dict[str, list[str]] = {}
        if "cards" in sent:
            laid = games.laid(seat.game, round_of(seat.record, sent))
        kept = games.append(
            seat.game,
            seat.device,
            key,
            [seat.game, sent],
            lambda record: next_entry(record, sent, seen, seat.role, seat.device.name, confirmed=confirmed, laid=laid),
        )
        if kept is None:
            raise NoGameError
        if not kept.is_repeated:
            live.tell(seat.game, "board")
            if scanned is not None and "cards" in sent:
                metrics.hand_confirmed(scanned, parse_cards(sent["cards"] or ""))
            elif sent["kind"] == "hand_corrected" and "cards" in sent:
                metrics.hand_corrected_later()
        taken = Taken.model_validate(kept.answer)
        response.headers["ETag"] = f'"{taken.revision}"'
        return taken

    @router.get("/api/games/{game}/events")
    def entries(seat: Seat = anyone, after: Annotated[int, Query(ge=-1, le=1_000_000)] = -1) -> Lines:
        """Return the entries after a number, or all."""
        record = seat.record
        found = (entry_json(entry, record) for entry in record.entries[after + 1 :])
        return Lines(revision=record.revision, entries=[Line.model_validate(each) for each in found])

    @router.put("/api/games/{game}/rounds/{number}/melds/{player}", status_code=HTTPStatus.NO_CONTENT)
    def lay(
        melds: Melds,
        number: Annotated[int, Path(ge=1, le=1000)],
        player: Annotated[str, Path(max_length=40)],
        seat: Seat = recorder,
    ) -> None:
        """Write down what a player has on the table, so that it counts against the packs."""
        game = seat.record.ledger.game
        if not 1 <= number <= game.round or player not in game.players:
            raise LedgerError(f"{player!r} plays no round {number} of this game.")
        games.lay(seat.game, number, player, [print_cards(parse_cards(meld)) for meld in melds.melds])
        live.tell(seat.game, "board")

    @router.get("/api/games/{game}/live", response_class=StreamingResponse)
    async def watch(
        seat: Seat = anyone,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> StreamingResponse:
        """Tell of every change as it comes (server-sent events); after a pause, of all that was missed."""
        live.check_room(seat.game)
        missed_from = int(last_event_id) if last_event_id and re.fullmatch(r"\d{1,9}", last_event_id) else None
        return StreamingResponse(
            _changes(seat, missed_from), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
        )

    async def _changes(seat: Seat, missed_from: int | None) -> AsyncIterator[str]:
        with live.listening(seat.game) as listener:
            async for message in _messages(listener, seat, missed_from):
                yield message

    def look(seat: Seat) -> tuple[Record, str] | None:
        try:
            now = seats.of(seat.game, seat.device)
        except NoGameError:
            return None
        return now.record, shown(now)

    async def _messages(listener: Listener, seat: Seat, told: int | None) -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        before = ""
        topics: frozenset[str] = frozenset()
        while not live.is_over:
            seen = await to_thread.run_sync(look, seat)
            if seen is None:
                yield _message("ended", "{}")
                return
            record, board = seen
            told = record.revision if told is None else min(told, record.revision)
            for entry in record.entries[told:]:
                yield _message("entry", json.dumps(entry_json(entry, record), ensure_ascii=False), entry.number + 1)
            told = record.revision
            if board != before:
                yield _message("board", board, told)
            before = board
            if "members" in topics:
                yield _message("members", "{}")
            topics = await listener.topics(HEARTBEAT_S)
            if not topics:
                yield ": still here\n\n"

    return router


def first_events(wanted: NewGame, rulebook: Rulebook) -> list[GameStarted | DealerSet | RoundStarted]:
    """Return the events that start a game: its rules and players, who deals, the first round.

    Raises:
        ValueError: if the engine refuses them.
        NoSuchRulesError: if there are no such rules.
    """
    rulebook.get(wanted.rules)
    options = tuple(
        sorted((key, tuple(value) if isinstance(value, list) else value) for key, value in wanted.options.items())
    )
    events: list[GameStarted | DealerSet | RoundStarted] = [
        GameStarted(rules=rulebook.written(wanted.rules), players=tuple(wanted.players), options=options),
        DealerSet(player=wanted.dealer or wanted.players[0]),
        RoundStarted(round=1),
    ]
    ledger = Ledger()
    for event in events:
        ledger = ledger.append(event)
    return events


def _message(kind: str, data: str, number: int | None = None) -> str:
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}event: {kind}\ndata: {data}\n\n"
