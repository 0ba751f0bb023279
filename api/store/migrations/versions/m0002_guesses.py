"""Codes that were typed, so that several services count a guesser's tries together."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "guesses",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("counts", sa.Integer, sa.CheckConstraint("counts IN (0, 1)"), nullable=False),
        sqlite_strict=True,
    )
