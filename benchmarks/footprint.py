"""What an ordinary installation takes, and whether it grows: ``python -m benchmarks.footprint --before REVISION``.

A clone of each revision is installed as ``make run`` does it, without extras, and then asked the same things in turn,
so that whatever else the machine does slows both: how large it is, how soon the service answers, how long scoring a
photo takes with start-up and without, and how much memory the idle service holds. Linux; fetches packages.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError

from tqdm import tqdm

from benchmarks.serving import free_port

ROOT = Path(__file__).resolve().parent.parent
PHOTO = Path("tests/data/hand.jpg")
PATIENCE_S = 60
_SCANS = """
import statistics, sys, time
from vision.photo import read_photo
from vision.scanner import Scanner
data, scanner, spans = open(sys.argv[1], "rb").read(), Scanner.load(), []
for _ in range(12):
    start = time.perf_counter()
    scanner.scan(read_photo(data))
    spans.append(time.perf_counter() - start)
print(1000 * statistics.median(spans[2:]))
"""


@dataclass
class Installation:
    """One revision, installed in a folder of its own."""

    revision: str
    folder: Path
    size_mb: float = 0.0
    serve_s: list[float] = field(default_factory=list)
    score_s: list[float] = field(default_factory=list)
    scan_ms: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)

    def install(self) -> None:
        """Clone and install the revision, and note how large the environment is."""
        for command in (
            ["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(self.folder)],
            ["git", "-C", str(self.folder), "checkout", "--quiet", self.revision],
            ["make", "--quiet", "-C", str(self.folder), ".venv/plain.stamp", f"PYTHON={sys.executable}"],
        ):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        environment = self.folder / ".venv"
        files = [path for path in environment.rglob("*") if path.is_file() and not path.is_symlink()]
        self.size_mb = sum(path.stat().st_blocks * 512 for path in files) / 1e6

    def measure(self) -> None:
        """Take every time once more."""
        self.score_s.append(self._timed("meldsight", "score", str(self.folder / PHOTO)))
        scans = subprocess.run(
            [self._program("python"), "-c", _SCANS, str(PHOTO)],
            cwd=self.folder, check=True, capture_output=True, text=True,
        )  # fmt: skip
        self.scan_ms.append(float(scans.stdout))
        self._serve()

    def _program(self, name: str) -> str:
        return str(self.folder / ".venv" / "bin" / name)

    def _timed(self, program: str, *arguments: str) -> float:
        start = time.perf_counter()
        subprocess.run([self._program(program), *arguments], cwd=self.folder, check=True, capture_output=True)
        return time.perf_counter() - start

    def _serve(self) -> None:
        port = free_port()
        with tempfile.TemporaryDirectory() as data:
            start = time.perf_counter()
            service = subprocess.Popen(
                [self._program("meldsight"), "serve", "--port", str(port)],
                cwd=self.folder, env={**os.environ, "MELDSIGHT_DATA": data},
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            try:
                while not _answers(port):
                    if time.perf_counter() - start > PATIENCE_S or service.poll() is not None:
                        raise RuntimeError(f"The service of {self.revision} did not answer.")
                    time.sleep(0.02)
                self.serve_s.append(time.perf_counter() - start)
                time.sleep(2)  # its workers have loaded their weights by then, and have read the test picture
                self.memory_mb.append(sum(map(memory_mb, family(service.pid))))
            finally:
                service.terminate()
                service.wait()


def family(pid: int) -> list[int]:
    """Return a process and all that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *(each for child in children for each in family(int(child)))]


def memory_mb(pid: int) -> float:
    """Return how much memory a process holds, in MB; what several share is shared out among them."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e6


def _answers(port: int) -> bool:
    """Say whether a service answers: with its page, or with a refusal."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1):
            return True
    except HTTPError:
        return True
    except OSError:
        return False


def table(installations: Sequence[Installation]) -> str:
    """Return the figures side by side: medians, and the last one as a multiple of the first."""
    rows = {
        "installed, MB": [each.size_mb for each in installations],
        "service answers after, s": [statistics.median(each.serve_s) for each in installations],
        "meldsight score PHOTO, s": [statistics.median(each.score_s) for each in installations],
        "scan of a photo, ms": [statistics.median(each.scan_ms) for each in installations],
        "memory of the idle service, MB": [statistics.median(each.memory_mb) for each in installations],
    }
    lines = [f"{'':32}" + "".join(f"{each.revision[:12]:>14}" for each in installations)]
    for name, values in rows.items():
        line = f"{name:32}" + "".join(f"{value:14.2f}" for value in values)
        lines.append(line + (f"   {values[-1] / values[0]:.2f} times" if len(values) > 1 else ""))
    return "\n".join(lines)


def main() -> None:
    """Install, measure in turn, print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.footprint", description=__doc__.split(":")[0])
    parser.add_argument("--before", metavar="REVISION", help="what to compare with")
    parser.add_argument("--now", metavar="REVISION", default="HEAD")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        revisions = [asked.before, asked.now] if asked.before else [asked.now]
        installations = [Installation(revision, Path(scratch, str(place))) for place, revision in enumerate(revisions)]
        for each in installations:
            each.install()
        for _ in tqdm(range(asked.rounds), unit="round", file=sys.stderr):
            for each in installations:
                each.measure()
        print(table(installations))


if __name__ == "__main__":
    main()
