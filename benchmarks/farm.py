"""Data work on a cluster against the same work here: ``python -m benchmarks.farm --scenes 500``.

Renders a set with the processes of this computer, then on a Ray of two workers one of which is killed in the middle;
both must be the same to the byte. Then reads it both ways; all figures but the time must be the same. Exits with 1
where they are not. Needs the art cache (datasets/README.md), and the render and cluster extras.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import ray

from benchmarks.serving import named
from datasets.assets import default_cache
from datasets.build import Recipe, build
from models.evaluate import read_folder, summary

WORKERS = 2
TITLE = b"ray::work_of"
"""What a worker calls itself while it has something to do."""


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder, by its path there."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def kill_one(folder: Path, after: int, killed: list[int]) -> None:
    """Kill a worker, by SIGKILL, once so many pictures have come; note which."""
    while len(list(folder.glob("images/*"))) < after:
        time.sleep(0.05)
    while not killed:
        for pid in named(TITLE)[:1]:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)


def figures_of(folder: Path, address: str | None) -> dict[str, Any]:
    """Return what models.evaluate says of a folder, times left out."""
    return {name: value for name, value in summary(read_folder(folder, address)).items() if name != "ms_median"}


def main() -> int:
    """Render and read both ways, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=21)
    asked = parser.parse_args()
    recipe = Recipe("val", asked.seed, default_cache())
    with tempfile.TemporaryDirectory() as scratch:
        here, there = Path(scratch, "here"), Path(scratch, "there")
        start = time.monotonic()
        build(recipe, asked.scenes, here, WORKERS)
        took_here = time.monotonic() - start
        ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        killed: list[int] = []
        killer = threading.Thread(target=kill_one, args=(there, asked.scenes // 4, killed), daemon=True)
        killer.start()
        start = time.monotonic()
        build(recipe, asked.scenes, there, WORKERS, ray="auto")
        took_there = time.monotonic() - start
        same_bytes = digests(here) == digests(there)
        figures = figures_of(here, None)
        same_figures = figures == figures_of(there, "auto")
        ray.shutdown()
    print(f"{asked.scenes} scenes rendered here in {took_here:.0f} s, on {WORKERS} workers in {took_there:.0f} s")
    print(f"workers killed meanwhile: {len(killed)}")
    print(f"{'the same' if same_bytes else 'OTHER'} bytes, {'the same' if same_figures else 'OTHER'} figures")
    print(f"card recall {figures['card_recall']}, precision {figures['card_precision']}")
    return 0 if same_bytes and same_figures and killed else 1


if __name__ == "__main__":
    sys.exit(main())
