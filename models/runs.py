"""The record of training runs: ``runs.csv``, a line for each, settings and figures."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RUNS = Path(__file__).parent / "runs.csv"
COLUMNS = ("date", "commit", "part", "settings", "data", "epochs", "minutes", "figures")
MADE, FIGURES = "run.json", "figures.json"


def begin(run: Path, part: str, settings: dict[str, Any], data: Sequence[str]) -> None:
    """Note in a run's folder what it is made from; a run that goes on keeps what was noted first.

    Args:
        run: folder of the run.
        part: ``detector`` or ``reader``.
        settings: what was chosen.
        data: the sets trained on, as ``describe`` names them.
    """
    run.mkdir(parents=True, exist_ok=True)
    if not (run / MADE).exists():
        made = {"part": part, "settings": settings, "data": list(data), "commit": commit()}
        (run / MADE).write_text(json.dumps(made), encoding="utf-8")


def note_figures(run: Path, figures: dict[str, Any]) -> None:
    """Note in a run's folder what validation says of its best weights so far."""
    (run / FIGURES).write_text(json.dumps(figures), encoding="utf-8")


def read_run(run: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a run, finished or not, is made from, and the figures of its best weights.

    Raises:
        FileNotFoundError: if the folder holds no run with at least one epoch.
    """
    return (
        json.loads((run / MADE).read_text(encoding="utf-8")),
        json.loads((run / FIGURES).read_text(encoding="utf-8")),
    )


def record(run: Path, epochs: int, minutes: float) -> None:
    """Append a run to the record."""
    made, figures = read_run(run)
    line = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": made["commit"],
        "part": made["part"],
        "settings": json.dumps(made["settings"]),
        "data": "; ".join(made["data"]),
        "epochs": str(epochs),
        "minutes": f"{minutes:.0f}",
        "figures": json.dumps(figures),
    }
    new = not RUNS.exists()
    with open(RUNS, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(line)


def describe(folder: Path) -> str:
    """Return what a rendered set comes back from, such as ``train, 3000 scenes, seed 1``.

    A folder that ``datasets.build`` did not write is called by its name.
    """
    try:
        made = json.loads((folder / "set.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return folder.name
    kinds = [kind for kind in ("empty", "free") if made.get(kind)]
    return f"{made['split']}, {made['scenes']} {' '.join([*kinds, 'scenes'])}, seed {made['seed']}"


def commit() -> str:
    """Return the short name of the commit that is checked out, or nothing outside of git."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
