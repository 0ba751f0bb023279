"""A PostgreSQL server of one's own, where its programs are installed: for tests, and for the crash run."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path

import psycopg

MISSING = "PostgreSQL is not installed here (on Debian: apt-get install postgresql)"


def programs() -> Path | None:
    """Return the folder of the server's programs; none where there is no server."""
    found = shutil.which("initdb")
    folders = (
        [Path(found).resolve().parent] if found else [Path(each) for each in glob.glob("/usr/lib/postgresql/*/bin")]
    )
    return max(folders, default=None)


class Server:
    """A server on a socket in a folder of its own.

    Args:
        is_safe: whether it flushes to disk as a real one does.
    """

    def __init__(self, *, is_safe: bool = False) -> None:
        found = programs()
        assert found is not None, MISSING
        self._programs = found
        self._folder = Path(tempfile.mkdtemp(prefix="meldsight-pg-"))
        self._data = self._folder / "data"
        self._numbers = count(1)
        # The server refuses to run as root.
        self._as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self._as_user:
            shutil.chown(self._folder, "postgres")
        self._run("initdb", "-D", self._data, "-U", "meldsight", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        options = f"-k {self._folder} -c listen_addresses='' -c max_connections=200"
        if not is_safe:
            options += " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        self._options = options
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._run("pg_ctl", "-D", self._data, "-o", self._options, "-l", self._folder / "log", "-w", "start")

    def crash(self) -> None:
        """Kill it without a word, as a power cut would."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")

    def stop(self) -> None:
        """Stop it and remove all that it holds."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")
        for _ in range(50):
            shutil.rmtree(self._folder, ignore_errors=True)
            if not self._folder.exists():
                break
            time.sleep(0.1)

    def new_database(self) -> str:
        """Return the URL of a place without tables: a schema, which is made in no time."""
        name = f"games{next(self._numbers)}"
        place = f"postgresql://meldsight@/postgres?host={self._folder}"
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{place}&options=-csearch_path%3D{name}"

    def _run(self, program: str, *arguments: object) -> None:
        command = [*self._as_user, str(self._programs / program), *map(str, arguments)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self._folder, timeout=120)
