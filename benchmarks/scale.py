"""How far it goes: ``python -m benchmarks.scale``.

Photos read and hands recorded a second on this computer, with one service and with two, the networks in the service or
in a detector tier of one replica or two; what each costs in processor time, and where that goes; what a photo weighs
on the network as a JPEG and as the tensors that the tier is sent. docs/scaling.md reckons with these figures. The
services keep their games in PostgreSQL. Loopback only.
"""

from __future__ import annotations

import argparse
import http.client
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import psycopg
from numpy.typing import NDArray

from benchmarks.cluster import REPLICA
from benchmarks.scan import enlarged
from benchmarks.serving import Phone, Service, free_port, named
from benchmarks.table import PHOTO, percentile, set_table
from cluster.local import Plan, down, up
from tests import postgres
from vision.detector import YoloDetector
from vision.graph import Graph, OnnxGraph
from vision.photo import read_photo
from vision.reader import Reader
from vision.scanner import MODELS, Scanner
from vision.tier import packed

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
CAMERAS = 4
"""Phones that send photos without a pause."""
RECORDERS = 8
"""Phones that record without a pause."""
ROUNDS = 60
"""Rounds that a table has open, as long as a very long evening; a phone that has recorded all of them is done."""


@dataclass(frozen=True)
class Setting:
    """What runs."""

    services: int
    replicas: int
    """Of the detector tier; 0 where the services' own workers run the networks."""

    def __str__(self) -> str:
        networks = f"tier of {self.replicas}" if self.replicas else "own networks"
        return f"{self.services} service{'s' * (self.services > 1)}, {networks}"


def processor_s(pids: list[int]) -> float:
    """Return the processor time that some processes have taken so far, in seconds."""
    total = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        total += (int(fields[11]) + int(fields[12])) * TICK_S
    return total


@contextmanager
def running(setting: Setting, database: postgres.Server) -> Iterator[tuple[list[Service], str]]:
    """Start the services and the tier of a setting; the services, and the URL of their database."""
    with ExitStack() as ending, tempfile.TemporaryDirectory() as scratch:
        address = None
        if setting.replicas:
            address = up(Plan(setting.replicas, setting.replicas, cpus=0.5), port=free_port())
            ending.callback(down)
        url = database.new_database()
        services = [Service(url, Path(scratch), detector=address) for _ in range(setting.services)]
        for service in services:
            service.start(is_patient=True, workers=2)
            ending.callback(service.kill)
        yield services, url


def in_turn(count: int, seconds: float, work: Callable[[int, int], None]) -> list[float]:
    """Let several threads do a piece of work over and over, and return how long each piece took, in seconds.

    Args:
        count: how many threads.
        seconds: for how long.
        work: called with the number of the thread and of the piece.
    """
    spans: list[float] = []
    until = time.monotonic() + seconds

    def go(thread: int) -> None:
        piece = 0
        while time.monotonic() < until:
            start = time.monotonic()
            try:
                work(thread, piece)
            except (OSError, http.client.HTTPException):
                continue
            spans.append(time.monotonic() - start)
            piece += 1

    threads = [threading.Thread(target=go, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return spans


def parts(services: list[Service]) -> dict[str, list[int]]:
    """Return the process ids of each part."""
    return {
        "service": [service.pids[0] for service in services],
        "workers": [pid for service in services for pid in service.pids[1:]],
        "tier": named(REPLICA),
        "tier's door": named(b"ray::ProxyActor"),
        "database": named(b"postgres: meldsight"),
    }


def costs(before: Mapping[str, float], services: list[Service], count: int) -> str:
    """Return what a piece of work cost each part, in milliseconds of processor time."""
    spent = {name: processor_s(pids) - before[name] for name, pids in parts(services).items()}
    return ", ".join(f"{name} {1000 * value / max(count, 1):.0f}" for name, value in spent.items() if value > 0.05)


def measure_scans(setting: Setting, database: postgres.Server, photo: bytes, seconds: float) -> float:
    """Print how many photos are read a second; return it."""
    with running(setting, database) as (services, _):
        cameras = [Phone(services[n % len(services)].port, f"camera {n}", 60) for n in range(CAMERAS)]
        for camera in cameras:
            camera.ask("POST", "/api/scan", photo)
        before = {name: processor_s(pids) for name, pids in parts(services).items()}

        def send(thread: int, _: int) -> None:
            status, answer = cameras[thread].ask("POST", "/api/scan", photo)
            if status != 200 or answer["fell_back"]:
                raise OSError(f"{status}")

        spans = in_turn(CAMERAS, seconds, send)
        rate = len(spans) / seconds
        print(
            f"{setting!s:30} {rate:6.2f} photos/s   median {median(spans or [0]):.2f} s, "
            f"p99 {percentile(spans, 0.99):.2f} s   processor ms a photo: {costs(before, services, len(spans))}",
            flush=True,
        )
        return rate


def measure_records(setting: Setting, database: postgres.Server, seconds: float) -> None:
    """Print how many hands are recorded a second, each by a table of its own."""
    with running(setting, database) as (services, url):
        tables = [set_table(services[n % len(services)].port, n, 3, ROUNDS) for n in range(RECORDERS)]
        before = {name: processor_s(pids) for name, pids in parts(services).items()}
        written = wal_bytes(url)

        def record(thread: int, piece: int) -> None:
            if piece >= 3 * ROUNDS:
                time.sleep(0.1)
                raise OSError("every hand is recorded")
            table = tables[thread]
            player = table.players[piece % 3]
            status, _ = table.phones[0].ask(
                "POST",
                f"/api/games/{table.game}/events",
                {"kind": "hand_scored", "round": piece // 3 + 1, "player": player, "cards": "9C KD 3S"},
                Idempotency_Key=f"hand-number-{piece}",
                If_Match=f'"{table.revision}"',
            )
            if status != 201:
                raise OSError(f"{status}")

        spans = in_turn(RECORDERS, seconds, record)
        ms = [1000 * span for span in spans]
        print(
            f"{setting!s:30} {len(spans) / seconds:6.1f} hands/s    median {median(ms or [0]):.0f} ms, "
            f"p99 {percentile(ms, 0.99):.0f} ms   processor ms a hand: {costs(before, services, len(spans))}   "
            f"{(wal_bytes(url) - written) / max(len(spans), 1) / 1000:.1f} kB of log a hand",
            flush=True,
        )


def wal_bytes(url: str) -> int:
    """Return how much a PostgreSQL server has written to its log so far."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn").fetchone()
    return int(row[0]) if row else 0


class Weighed:
    """A graph that counts the bytes that a tier would be sent."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.sent = self.received = 0

    def run(self, pictures: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """See ``Graph.run``."""
        outputs = self._graph.run(pictures)
        self.sent += len(packed([pictures]))
        self.received += len(packed(outputs))
        return outputs


def measure_weight(photo: bytes, name: str) -> None:
    """Print what one photo weighs on the way to a tier."""
    scanner = Scanner.load()
    detector, reader = (Weighed(OnnxGraph(MODELS / f"{part}.onnx")) for part in ("detector", "reader"))
    scanner.detector, scanner.reader = YoloDetector(detector), Reader(reader, 1.0)
    decoded = read_photo(photo)
    start = time.process_time()
    read_photo(photo)
    decoding = time.process_time() - start
    scanner.scan(decoded)
    print(
        f"{name}: JPEG {len(photo) / 1e6:.2f} MB, {1000 * decoding:.0f} ms of a processor to decode; "
        f"tensors {(detector.sent + reader.sent) / 1e6:.2f} MB (looks {detector.sent / 1e6:.2f}, crops "
        f"{reader.sent / 1e6:.2f}), answers {(detector.received + reader.received) / 1e3:.0f} kB"
    )


def main() -> None:
    """Measure all settings, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20, help="for each setting")
    asked = parser.parse_args()
    photo = PHOTO.read_bytes()
    print(
        f"{os.cpu_count()} processors, {CAMERAS} cameras without a pause, {RECORDERS} recording phones without a pause"
    )
    measure_weight(photo, "the sample hand")
    measure_weight(enlarged(photo, 12), "the same at 12 megapixels")
    database = postgres.Server(is_safe=True)
    try:
        for setting in (Setting(1, 0), Setting(1, 1), Setting(1, 2), Setting(2, 0), Setting(2, 2)):
            measure_scans(setting, database, photo, asked.seconds)
        for setting in (Setting(1, 0), Setting(2, 0)):
            measure_records(setting, database, asked.seconds)
    finally:
        database.stop()


if __name__ == "__main__":
    main()
