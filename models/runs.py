"""The record of training runs: ``runs.csv``, a line for each, settings and figures."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

RUNS = Path(__file__).parent / "runs.csv"
COLUMNS = ("date", "commit", "part", "settings", "data", "minutes", "figures")


def record(
    part: str, settings: dict[str, object], data: Sequence[str], minutes: float, figures: dict[str, object]
) -> dict[str, str]:
    """Append a run and return its line.

    Args:
        part: ``detector`` or ``reader``.
        settings: what was chosen.
        data: the sets trained on, as ``describe`` names them.
        minutes: time trained.
        figures: what validation said of the best weights.
    """
    line = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": commit(),
        "part": part,
        "settings": json.dumps(settings),
        "data": "; ".join(data),
        "minutes": f"{minutes:.0f}",
        "figures": json.dumps(figures),
    }
    new = not RUNS.exists()
    with open(RUNS, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        writer.writerow(line)
    return line


def describe(folder: Path) -> str:
    """Return what a rendered set comes back from, such as ``train, 3000 scenes, seed 1``.

    A folder that ``datasets.build`` did not write is called by its name.
    """
    try:
        made = json.loads((folder / "set.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return folder.name
    return f"{made['split']}, {made['scenes']} scenes, seed {made['seed']}"


def commit() -> str:
    """Return the short name of the commit that is checked out, or nothing outside of git."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
