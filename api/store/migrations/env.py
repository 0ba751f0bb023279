"""What Alembic runs: the migrations, on the connection whose transaction is open already."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
