"""How long ``meldsight score PHOTO`` takes, start-up included: ``python -m benchmarks.command FOLDER [--most 20]``."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def seconds(photo: Path) -> float:
    """Return the wall time of scoring one photo in a fresh process."""
    command = [sys.executable, "-c", "from api.cli import main; main()", "score", str(photo)]
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Print median and worst."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.command", description=__doc__.split(":")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=20, help="photos to take, evenly spread")
    arguments = parser.parse_args()
    photos = sorted(path for path in arguments.folder.rglob("*.jpg"))
    photos = photos[:: max(1, len(photos) // arguments.most)][: arguments.most]
    if not photos:
        sys.exit(f"{arguments.folder} holds no .jpg photos.")
    spans = [(seconds(photo), photo.name) for photo in photos]
    worst, name = max(spans)
    middle = statistics.median(span for span, _ in spans)
    print(f"{len(spans)} photos: median {middle:.2f} s, worst {worst:.2f} s ({name})")


if __name__ == "__main__":
    main()
