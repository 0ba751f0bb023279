"""Devices, games with their events and members, and the answers given to each key."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _game() -> sa.Column[object]:
    return sa.Column("game", sa.Text, sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)


def _device() -> sa.Column[object]:
    key = sa.ForeignKey("devices.id", ondelete="CASCADE")
    return sa.Column("device", sa.Text, key, primary_key=True, nullable=False)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "devices",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("token", sa.LargeBinary, unique=True),
        sa.Column("joined", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "games",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("changed", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer, sa.CheckConstraint("revision > 0"), nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "events",
        _game(),
        sa.Column("number", sa.Integer, sa.CheckConstraint("number >= 0"), primary_key=True, autoincrement=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "members",
        _game(),
        _device(),
        sa.Column("role", sa.Text, sa.CheckConstraint("role IN ('host', 'player', 'viewer')"), nullable=False),
        sa.Column("joined", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "invitations",
        _game(),
        sa.Column("role", sa.Text, sa.CheckConstraint("role IN ('host', 'player', 'viewer')"), nullable=False),
        sa.Column("secret", sa.LargeBinary, unique=True, nullable=False),
        sa.Column("code", sa.LargeBinary, unique=True),
        sa.Column("expires", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "melds",
        _game(),
        sa.Column("round", sa.Integer, sa.CheckConstraint("round > 0"), primary_key=True, autoincrement=False),
        sa.Column("player", sa.Text, primary_key=True),
        sa.Column("melds", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "answers",
        _device(),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.LargeBinary, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sqlite_strict=True,
    )
