"""The whole on several processes, with some of them killed in the middle: ``make cluster-test``.

    python -m benchmarks.cluster --tables 40 --rounds 5

PostgreSQL, a Ray with two replicas of the detector tier, two services that ask it, nginx in front: tables play their
rounds through it, each phone listening, recording a hand a round and now and then sending a photo. When half is
played, one replica of the tier and one service are killed by SIGKILL; the service is started again a little later, as
its supervisor would. What was acknowledged must be on record, every phone must have heard of every entry, every photo
must have been answered, and rightly. Exits with 1 if a bar is missed; prints its figures last. Loopback only.
"""

from __future__ import annotations

import argparse
import http.client
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.serving import Phone, Service, free_port, named
from benchmarks.table import PHOTO, Figures, Table, listen, lost, percentile, set_table
from cluster.local import Plan, down, up
from cluster.local import status as tier_status
from tests import nginx, postgres

REPLICA = b"ray::ServeReplica:meldsight"
"""What the process of a replica calls itself."""
DEADLINE_S = 90
"""Within which everything sent must be answered, sent again where a connection was cut."""
AWAY_S = 3
"""How long the killed service is away."""
CARDS = "9C KD 3S"


@dataclass
class Evening:
    """What all tables have done so far."""

    hands: int = 0
    scans: list[float] = field(default_factory=list)
    late: int = 0
    """Photos of which the service says that it read them by itself, since the tier did not answer."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class Seat(threading.Thread):
    """One phone: a hand a round, and for the first phone of a table a photo before it."""

    def __init__(self, table: Table, place: int, rounds: int, photo: bytes, figures: Figures, evening: Evening) -> None:
        super().__init__(daemon=True)
        self.table, self.place, self.rounds = table, place, rounds
        self.photo, self.figures, self.evening = photo, figures, evening
        self.cards: list[tuple[str, ...]] = []
        """What each photo was read as."""

    def run(self) -> None:
        phone, player = self.table.phones[self.place], self.table.players[self.place]
        for number in range(1, self.rounds + 1):
            try:
                if self.place == 0:
                    self._scan(phone)
                body = {"kind": "hand_scored", "round": number, "player": player, "cards": CARDS}
                start = time.monotonic()
                status, answer = self._insist(
                    phone,
                    f"/api/games/{self.table.game}/events",
                    body,
                    Idempotency_Key=f"phone-{self.place}-round-{number}",
                    If_Match=f'"{self.table.revision}"',
                )
            except TimeoutError as error:
                with self.figures.lock:
                    self.figures.faults.append(f"{player} of table {self.table.game} got no answer: {error!r}.")
                continue
            with self.figures.lock:
                self.figures.statuses["record", status] += 1
                self.figures.recorded_ms.append((time.monotonic() - start) * 1000)
                if status == 201:
                    self.table.acknowledged[player, number] = answer["number"]
            with self.evening.lock:
                self.evening.hands += 1

    def _scan(self, phone: Phone) -> None:
        start = time.monotonic()
        status, answer = self._insist(phone, f"/api/scan?game={self.table.game}", self.photo)
        with self.figures.lock:
            self.figures.statuses["scan", status] += 1
        if status == 200:
            self.cards.append(tuple(seen["card"] for seen in answer["scene"]["cards"]))
            with self.evening.lock:
                self.evening.scans.append(time.monotonic() - start)
                self.evening.late += bool(answer["fell_back"])

    def _insist(self, phone: Phone, path: str, body: object, **headers: str) -> tuple[int, dict[str, object]]:
        """Send until there is an answer that is no refusal for now, as a phone's outbox does."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            try:
                status, answer = phone.ask("POST", path, body, **headers)
                if status not in (429, 502, 503, 504):
                    return status, answer
                last = str(status)
            except (OSError, http.client.HTTPException) as error:
                last = repr(error)
            if time.monotonic() > deadline:
                raise TimeoutError(f"for {DEADLINE_S} seconds, at last {last}")
            time.sleep(0.5)


def disturb(services: Sequence[Service], half: int, evening: Evening, stop: threading.Event) -> None:
    """Kill a replica and a service once half of the hands are recorded; start the service again."""
    while evening.hands < half:
        if stop.wait(0.05):
            return
    os.kill(named(REPLICA)[0], signal.SIGKILL)
    services[0].kill()
    print(f"one replica and one service killed after {evening.hands} hands", flush=True)
    time.sleep(AWAY_S)
    services[0].start(**_STARTED)


_STARTED = {"is_patient": True, "workers": 1}


def main() -> int:
    """Start everything, play, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--phones", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    photo = PHOTO.read_bytes()
    figures, evening, stop = Figures(), Evening(), threading.Event()
    with ExitStack() as ending, tempfile.TemporaryDirectory() as scratch:
        address = up(Plan(replicas=2, most=2, cpus=0.5), port=free_port())
        ending.callback(down)
        print(f"detector tier: {tier_status().running} replicas at {address}", flush=True)
        database = postgres.Server(is_safe=True)
        ending.callback(database.stop)
        url = database.new_database()
        services = [Service(url, Path(scratch), detector=address) for _ in range(2)]
        for service in services:
            service.start(**_STARTED)
            ending.callback(service.kill)
        port = free_port()
        folder = Path(scratch, "nginx")
        folder.mkdir()
        proxy = nginx.Proxy(folder, port, [service.port for service in services])
        ending.callback(proxy.stop)
        print("PostgreSQL, two services and nginx are there", flush=True)
        tables = [set_table(port, number, asked.phones, asked.rounds) for number in range(asked.tables)]
        places = [(table, place) for table in tables for place in range(asked.phones)]
        listeners = [
            threading.Thread(target=listen, args=(table, place, stop, figures), daemon=True) for table, place in places
        ]
        seats = [Seat(table, place, asked.rounds, photo, figures, evening) for table, place in places]
        killer = threading.Thread(
            target=disturb, args=(services, len(places) * asked.rounds // 2, evening, stop), daemon=True
        )
        start = time.monotonic()
        for thread in (*listeners, *seats, killer):
            thread.start()
        for thread in seats:
            thread.join()
        took = time.monotonic() - start
        killer.join(DEADLINE_S)
        deadline = time.monotonic() + DEADLINE_S
        while (faults := lost(tables)) and time.monotonic() < deadline:
            time.sleep(1)
        back = tier_status().running
        stop.set()
    # A cut connection is no fault: the phone connects again, and must then hear of all that it missed.
    faults += [fault for fault in figures.faults if "could not listen" not in fault]
    faults += [
        f"{count} × {status} to a {what}." for (what, status), count in figures.statuses.items() if status >= 400
    ]
    wanted = asked.tables * asked.rounds
    if len(evening.scans) != wanted:
        faults.append(f"{len(evening.scans)} of {wanted} photos were answered.")
    if len(read := {cards for seat in seats for cards in seat.cards}) != 1:
        faults.append(f"One photo was read in {len(read)} ways.")
    for fault in faults[:20]:
        print(f"FAULT: {fault}")
    print(f"{asked.tables} tables × {asked.phones} phones, {asked.rounds} rounds in {took:.0f} s")
    print(
        f"{len(figures.recorded_ms)} hands recorded: median {median(figures.recorded_ms or [0]):.0f} ms, "
        f"p99 {percentile(figures.recorded_ms, 0.99):.0f} ms"
    )
    print(
        f"{len(evening.scans)} photos answered: median {median(evening.scans or [0]):.1f} s, "
        f"slowest {max(evening.scans or [0]):.1f} s; {evening.late} of them read by the service itself"
    )
    print(f"live connections that ended and were made again: {figures.breaks}")
    print(f"replicas of the tier in the end: {back}")
    print("Nothing acknowledged was lost." if not faults else f"{len(faults)} faults.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
