"""The tables of the database as the newest migration leaves them."""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

VERSION = "0003"
"""The newest migration."""

METADATA = MetaData()


def _table(name: str, *parts: Column[object] | CheckConstraint | ForeignKeyConstraint) -> Table:
    return Table(name, METADATA, *parts, sqlite_strict=True)


def _game() -> Column[object]:
    return Column("game", Text, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)


def _device(*, is_key: bool) -> Column[object]:
    return Column("device", Text, ForeignKey("devices.id", ondelete="CASCADE"), primary_key=is_key, nullable=False)


DEVICES = _table(
    "devices",
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    # A device that was put out keeps its row, for the names in the record; it has no token.
    Column("token", LargeBinary, unique=True),
    Column("joined", Text, nullable=False),
)

GAMES = _table(
    "games",
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("changed", Text, nullable=False),
    Column("revision", Integer, CheckConstraint("revision > 0"), nullable=False),
)

EVENTS = _table(
    "events",
    _game(),
    Column("number", Integer, CheckConstraint("number >= 0"), primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),
    # Who wrote it, by the name the device had then.
    Column("by", Text, nullable=False),
    Column("event", Text, nullable=False),
)
"""The record. Rows are only ever added; the key keeps two entries from taking one place."""

MEMBERS = _table(
    "members",
    _game(),
    _device(is_key=True),
    Column("role", Text, CheckConstraint("role IN ('host', 'player', 'viewer')"), nullable=False),
    Column("joined", Text, nullable=False),
)

INVITATIONS = _table(
    "invitations",
    _game(),
    Column("role", Text, CheckConstraint("role IN ('host', 'player', 'viewer')"), nullable=False),
    Column("secret", LargeBinary, unique=True, nullable=False),
    Column("code", LargeBinary, unique=True),
    Column("expires", Text, nullable=False),
)

MELDS = _table(
    "melds",
    _game(),
    Column("round", Integer, CheckConstraint("round > 0"), primary_key=True, autoincrement=False),
    Column("player", Text, primary_key=True),
    Column("melds", Text, nullable=False),
)

ANSWERS = _table(
    "answers",
    _device(is_key=True),
    Column("key", Text, primary_key=True),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("answer", Text, nullable=False),
    Column("at", Text, nullable=False),
)
"""What was answered to each key, so that a request sent twice is recorded once."""

GUESSES = _table(
    "guesses",
    Column("number", Integer, primary_key=True),
    Column("address", Text, nullable=False),
    Column("at", Text, nullable=False),
    # Whether it was wrong, and no codes have been ended for it yet.
    Column("counts", Integer, CheckConstraint("counts IN (0, 1)"), nullable=False),
)
"""Codes typed within the last minutes; older rows are dropped."""

DECKS = _table(
    "decks",
    Column("name", Text, primary_key=True),
    # The hash of the content: who adds to a deck says by it what they added to.
    Column("digest", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
"""The decks that were learnt, each as its file holds it."""

FIRST_TABLES = frozenset(METADATA.tables) - {GUESSES.name, DECKS.name}
"""What a database of any version holds."""
