"""The games of one database: their records, their members, their invitations."""

from __future__ import annotations

import hashlib
import json
import secrets
import string
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any, Literal, cast

import sqlalchemy as sa

from api.store.database import Database, now
from api.store.devices import Device, hashed
from api.store.tables import ANSWERS, DEVICES, EVENTS, GAMES, INVITATIONS, MELDS, MEMBERS
from engine.ledger import Event, Ledger, event_from_json, event_json

Role = Literal["host", "player", "viewer"]

MOST_KEPT = 256
"""Records kept in memory, so that a game is not read and added up anew for every request."""
ANSWERS_KEPT_DAYS = 30


class KeyUsedError(ValueError):
    """A key that came before with another request."""


class LastHostError(ValueError):
    """A change that would leave a game without a host."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a game's record, as it was written down."""

    number: int
    at: str
    by: str
    """Name of the device that wrote it."""
    event: Event


@dataclass(frozen=True, eq=False)
class Record:
    """One game as it is written down; what is worked out from it is kept by which record it is."""

    id: str
    name: str
    created: str
    changed: str
    entries: tuple[Entry, ...]

    @property
    def revision(self) -> int:
        """The number of entries."""
        return len(self.entries)

    @cached_property
    def ledger(self) -> Ledger:
        """The engine's view of it."""
        return Ledger(tuple(entry.event for entry in self.entries))

    def append(self, event: Event, by: str) -> Record:
        """Return the record with one more entry, written by a device of this name at the event's time.

        Raises:
            LedgerError: if the event does not fit.
        """
        ledger = self.ledger.append(event)
        entry = Entry(self.revision, event.at, by, event)
        after = replace(self, changed=event.at, entries=(*self.entries, entry))
        # What the engine has added up to see whether the event fits is not added up again.
        vars(after)["ledger"] = ledger
        return after


@dataclass(frozen=True, slots=True)
class Member:
    """A device that belongs to a game."""

    device: str
    name: str
    role: Role
    joined: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What a request led to: its answer, and whether the same request had been answered before."""

    answer: dict[str, Any]
    is_repeated: bool


class Games:
    """The games of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._lock = Lock()

    # Records

    def start(
        self,
        device: Device,
        key: str,
        request: object,
        name: str,
        events: Sequence[Event],
    ) -> Kept:
        """Write down a new game, whose host is the device.

        Args:
            device: who starts it.
            key: the phone's key for this request.
            request: what was asked, to tell a repeated request from another with the same key.
            name: what people call the game.
            events: its first events.

        Returns:
            What is kept as the answer: the new game's ``id``.

        Raises:
            KeyUsedError: if the key came before with another request.
        """
        with self._database.writing() as connection:
            if before := self._answered(connection, device, key, request):
                return before
            at = now()
            game = new_id()
            connection.execute(
                GAMES.insert().values(id=game, name=name, created=at, changed=at, revision=len(events)),
            )
            connection.execute(
                MEMBERS.insert().values(game=game, device=device.id, role="host", joined=at),
            )
            entries = (Entry(number, at, device.name, event) for number, event in enumerate(events))
            connection.execute(EVENTS.insert(), [_row(game, entry) for entry in entries])
            return self._answer(connection, device, key, request, {"id": game})

    def record(self, game: str) -> Record | None:
        """Return a game's record; none if there is no such game."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(GAMES).where(GAMES.c.id == game)).first()
            record = None if row is None else self._read(connection, row)
        self._keep(game, record)
        return record

    def append(
        self,
        game: str,
        device: Device,
        key: str,
        request: object,
        take: Callable[[Record], tuple[Record, dict[str, Any]]],
    ) -> Kept | None:
        """Write down one more event and the answer to its request, both or neither.

        Args:
            game: the game's id.
            device: who records.
            key: the phone's key for this entry.
            request: what was asked, to tell a repeated request from another with the same key.
            take: returns the record with the new entry, and what is answered, given the record so far; what it raises
                is passed on, and then nothing is written.

        Returns:
            The answer; none if there is no such game.

        Raises:
            KeyUsedError: if the key came before with another request.
        """
        with self._database.writing() as connection:
            row = connection.execute(sa.select(GAMES).where(GAMES.c.id == game).with_for_update()).first()
            if before := self._answered(connection, device, key, request):
                return before
            if row is None:
                return None
            after, answer = take(self._read(connection, row))
            connection.execute(EVENTS.insert(), [_row(game, after.entries[-1])])
            connection.execute(
                GAMES.update().where(GAMES.c.id == game).values(changed=after.changed, revision=after.revision),
            )
            kept = self._answer(connection, device, key, request, answer)
        self._keep(game, after)
        return kept

    def delete(self, game: str) -> None:
        """Remove a game with all that belongs to it."""
        with self._database.writing() as connection:
            connection.execute(GAMES.delete().where(GAMES.c.id == game))
        self._keep(game, None)

    def restore(self, record: Record) -> None:
        """Write down a game that was exported; nobody belongs to it yet, and an id that is taken is refused.

        Raises:
            ValueError: if there is a game with this id.
        """
        with self._database.writing() as connection:
            if connection.execute(sa.select(GAMES.c.id).where(GAMES.c.id == record.id)).first():
                raise ValueError(f"The game {record.id} is in this database already.")
            connection.execute(
                GAMES.insert().values(
                    id=record.id,
                    name=record.name,
                    created=record.created,
                    changed=record.changed,
                    revision=record.revision,
                )
            )
            connection.execute(EVENTS.insert(), [_row(record.id, entry) for entry in record.entries])

    def ids(self, device: Device | None = None) -> list[tuple[str, Role]]:
        """Return a device's games with its role in each, the last changed first; of no device, all games."""
        with self._database.reading() as connection:
            query = sa.select(GAMES.c.id, sa.literal("host").label("role"))
            if device is not None:
                query = sa.select(GAMES.c.id, MEMBERS.c.role).join(MEMBERS).where(MEMBERS.c.device == device.id)
            rows = connection.execute(query.order_by(GAMES.c.changed.desc(), GAMES.c.created.desc(), GAMES.c.id))
            return [(row.id, row.role) for row in rows]

    # Members

    def seat(self, game: str, device: Device) -> tuple[Record, Role] | None:
        """Return a game's record and what a device is in it; none where it does not belong to it."""
        with self._database.reading() as connection:
            one = (MEMBERS.c.game == game) & (MEMBERS.c.device == device.id)
            row = connection.execute(sa.select(GAMES, MEMBERS.c.role).join(MEMBERS).where(one)).first()
            if row is None:
                return None
            record = self._read(connection, row)
        self._keep(game, record)
        return record, cast("Role", row.role)

    def members(self, game: str) -> list[Member]:
        """Return who belongs to a game: the hosts first, then in the order in which they joined."""
        with self._database.reading() as connection:
            rows = connection.execute(
                sa.select(DEVICES.c.id, DEVICES.c.name, MEMBERS.c.role, MEMBERS.c.joined)
                .join(MEMBERS)
                .where(MEMBERS.c.game == game)
                .order_by(sa.case((MEMBERS.c.role == "host", 0), else_=1), MEMBERS.c.joined, DEVICES.c.id)
            )
            return [Member(row.id, row.name, row.role, row.joined) for row in rows]

    def set_role(self, game: str, device: str, role: Role | None) -> bool:
        """Give a member another role, or none; return whether there was such a member.

        Raises:
            LastHostError: if the game would be left without a host.
        """
        with self._database.writing() as connection:
            connection.execute(sa.select(GAMES.c.id).where(GAMES.c.id == game).with_for_update())
            one = (MEMBERS.c.game == game) & (MEMBERS.c.device == device)
            before = connection.execute(sa.select(MEMBERS.c.role).where(one)).scalar()
            if before is None:
                return False
            others = sa.select(sa.func.count()).where(
                MEMBERS.c.game == game, MEMBERS.c.device != device, MEMBERS.c.role == "host"
            )
            if before == "host" and role != "host" and not connection.execute(others).scalar():
                raise LastHostError("A game needs a host: make somebody else the host first, or delete the game.")
            if role is None:
                connection.execute(MEMBERS.delete().where(one))
            else:
                connection.execute(MEMBERS.update().where(one).values(role=role))
        return True

    # Invitations

    def invite(self, game: str, role: Role, secret: str, code: str, expires: str) -> None:
        """Open a game to whoever has the secret or, until it expires, the code; ends the invitation before."""
        with self._database.writing() as connection:
            connection.execute(INVITATIONS.delete().where(INVITATIONS.c.game == game))
            connection.execute(
                INVITATIONS.insert().values(
                    game=game, role=role, secret=hashed(secret), code=hashed(code), expires=expires
                )
            )

    def accept(self, device: Device, *, secret: str | None = None, code: str | None = None) -> str | None:
        """Let a device into the game of a secret or a code, and return the game; none if there is none.

        Who belongs to it already keeps the role, unless it is the host's that the invitation gives.
        """
        with self._database.writing() as connection:
            row = connection.execute(invitation_of(secret=secret, code=code)).first()
            if row is None:
                return None
            one = (MEMBERS.c.game == row.game) & (MEMBERS.c.device == device.id)
            if connection.execute(sa.select(MEMBERS.c.role).where(one)).first() is None:
                connection.execute(
                    MEMBERS.insert().values(game=row.game, device=device.id, role=row.role, joined=now()),
                )
            elif row.role == "host":
                connection.execute(MEMBERS.update().where(one).values(role="host"))
        return str(row.game)

    def is_open_to(self, secret: str) -> bool:
        """Return whether a secret opens a game."""
        with self._database.reading() as connection:
            return connection.execute(invitation_of(secret=secret)).first() is not None

    # Melds on the table

    def lay(self, game: str, round_number: int, player: str, melds: Sequence[str]) -> None:
        """Write down what a player has laid on the table in a round; no melds take it back."""
        with self._database.writing() as connection:
            connection.execute(sa.select(GAMES.c.id).where(GAMES.c.id == game).with_for_update())
            connection.execute(
                MELDS.delete().where(MELDS.c.game == game, MELDS.c.round == round_number, MELDS.c.player == player)
            )
            if melds:
                connection.execute(
                    MELDS.insert().values(game=game, round=round_number, player=player, melds=json.dumps(list(melds)))
                )

    def laid(self, game: str, round_number: int) -> dict[str, list[str]]:
        """Return each player's melds on the table in a round."""
        with self._database.reading() as connection:
            rows = connection.execute(
                sa.select(MELDS.c.player, MELDS.c.melds)
                .where(MELDS.c.game == game, MELDS.c.round == round_number)
                .order_by(MELDS.c.player)
            )
            return {row.player: json.loads(row.melds) for row in rows}

    # Answers

    def forget_answers(self, before: str) -> None:
        """Drop the answers that were kept before a time: nobody repeats a request after so long."""
        with self._database.writing() as connection:
            connection.execute(ANSWERS.delete().where(ANSWERS.c.at < before))

    @staticmethod
    def _answered(connection: sa.Connection, device: Device, key: str, request: object) -> Kept | None:
        # A key that comes twice at once waits here for the first, where the database does not make all writers wait.
        connection.execute(sa.select(DEVICES.c.id).where(DEVICES.c.id == device.id).with_for_update())
        query = sa.select(ANSWERS.c.fingerprint, ANSWERS.c.answer)
        row = connection.execute(query.where(ANSWERS.c.device == device.id, ANSWERS.c.key == key)).first()
        if row is None:
            return None
        if row.fingerprint != _fingerprint(request):
            raise KeyUsedError("This Idempotency-Key came before with another request: make a new key for each entry.")
        return Kept(json.loads(row.answer), is_repeated=True)

    @staticmethod
    def _answer(connection: sa.Connection, device: Device, key: str, request: object, answer: dict[str, Any]) -> Kept:
        connection.execute(
            ANSWERS.insert().values(
                device=device.id,
                key=key,
                fingerprint=_fingerprint(request),
                answer=json.dumps(answer, ensure_ascii=False),
                at=now(),
            )
        )
        return Kept(answer, is_repeated=False)

    # Reading and writing

    def _read(self, connection: sa.Connection, row: sa.Row[Any]) -> Record:
        """The record as the transaction sees it, of a game's row; what is in memory already is not read again."""
        game = row.id
        with self._lock:
            known = self._records.get(game)
        entries = known.entries if known else ()
        if known and len(entries) == row.revision:
            return known
        rows = connection.execute(
            sa.select(EVENTS).where(EVENTS.c.game == game, EVENTS.c.number >= len(entries)).order_by(EVENTS.c.number)
        )
        read = (Entry(each.number, each.at, each.by, event_from_json(json.loads(each.event))) for each in rows)
        return Record(game, row.name, row.created, row.changed, (*entries, *read))

    def _keep(self, game: str, record: Record | None) -> None:
        with self._lock:
            before = self._records.pop(game, None)
            if record is None:
                return
            newer = before if before and before.revision >= record.revision else record
            self._records[game] = newer
            if len(self._records) > MOST_KEPT:
                self._records.popitem(last=False)


def _row(game: str, entry: Entry) -> dict[str, object]:
    written = json.dumps(event_json(entry.event), ensure_ascii=False)
    return {"game": game, "number": entry.number, "at": entry.at, "by": entry.by, "event": written}


def _fingerprint(request: object) -> bytes:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).digest()


def invitation_of(*, secret: str | None = None, code: str | None = None) -> sa.Select[Any]:
    """Return the query for the game and the role that a secret or, until it expires, a code opens."""
    query = sa.select(INVITATIONS.c.game, INVITATIONS.c.role)
    if secret is not None:
        return query.where(INVITATIONS.c.secret == hashed(secret))
    return query.where(INVITATIONS.c.code == hashed(code or ""), INVITATIONS.c.expires > now())


def new_id() -> str:
    """Return the id of a new game: letters and digits alone, so that no command takes it for an option.

    >>> len(new_id()), new_id().isalnum()
    (12, True)
    """
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(12))
