"""Where games are kept: a SQLite file, or PostgreSQL. Nothing outside this package writes SQL."""
