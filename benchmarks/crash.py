"""Nothing acknowledged is lost: the service is killed again and again while four phones record 200 hands.

    python -m benchmarks.crash

The phones resend with the same key until they are answered. After every restart, and at the end, each acknowledged
hand must be on record exactly once. Then the disk is full: the service must say so, and leave nothing half-written. On
SQLite and, where it is installed, on PostgreSQL, whose server is killed too. Exits with 1 if anything is not so.
"""

from __future__ import annotations

import argparse
import http.client
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.serving import Phone, Service
from tests import postgres

PHONES = ("Ana", "Ben", "Cy", "Dan")
DEADLINE_S = 300
"""For one database, in seconds."""


@dataclass
class Evening:
    """What the phones know: the hands that were acknowledged."""

    game: str
    revision: int
    acknowledged: dict[tuple[str, int], int] = field(default_factory=dict)
    """Number of the entry, by player and round."""
    resent: int = 0
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def cards_of(player: str, number: int) -> str:
    """Return the hand of a player in a round, different in each."""
    chance = random.Random(f"{player} {number}")
    return " ".join(chance.sample([rank + suit for rank in "A23456789TJQK" for suit in "CDHS"], number % 7 + 1))


def record(phone: Phone, player: str, rounds: int, evening: Evening, deadline: float) -> None:
    """Record a player's hand of every round, each until it is acknowledged; some are sent again after that."""
    chance = random.Random(player)
    for number in range(1, rounds + 1):
        body = {"kind": "hand_scored", "round": number, "player": player, "cards": cards_of(player, number)}
        times = 0
        needed = 2 if chance.random() < 0.2 else 1
        while needed and time.monotonic() < deadline:
            times += 1
            try:
                status, answer = phone.ask(
                    "POST",
                    f"/api/games/{evening.game}/events",
                    body,
                    Idempotency_Key=f"{player}-round-{number}",
                    If_Match=f'"{evening.revision}"',
                )
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
                continue
            with evening.lock:
                if status == 201:
                    needed -= 1
                    known = evening.acknowledged.setdefault((player, number), answer["number"])
                    if known != answer["number"]:
                        evening.faults.append(f"{player}'s round {number} was answered as {known}, then {answer}.")
                elif status not in (429, 503):
                    evening.faults.append(f"{player}'s round {number}: {status} {answer}.")
                    return
            time.sleep(chance.random() * 0.1)
        evening.resent += times - 1


def check(phone: Phone, evening: Evening) -> None:
    """Compare the record with what was acknowledged."""
    with evening.lock:
        acknowledged = dict(evening.acknowledged)
    _, told = phone.insist("GET", f"/api/games/{evening.game}/events")
    hands = [line for line in told["entries"] if line["event"]["kind"] == "hand_scored"]
    places = Counter((line["event"]["player"], line["event"]["round"]) for line in hands)
    evening.faults += [f"{place} is on record {count} times." for place, count in places.items() if count > 1]
    if [line["number"] for line in told["entries"]] != list(range(told["revision"])):
        evening.faults.append("The numbers of the entries are not one after the other.")
    by_number = {line["number"]: line["event"] for line in hands}
    for (player, number), entry in acknowledged.items():
        event = by_number.get(entry, {})
        if (event.get("player"), event.get("round")) != (player, number) or event["cards"] != cards_of(player, number):
            evening.faults.append(f"{player}'s hand of round {number} was acknowledged as {entry}, which is {event}.")


def start_game(host: Phone, rounds: int) -> Evening:
    """Start a game with all its rounds begun, so that every phone records on its own."""
    body = {"rules": "manipulation", "players": list(PHONES)}
    status, game = host.insist("POST", "/api/games", body, Idempotency_Key="start-the-game")
    assert status == 201, game
    revision = game["revision"]
    for number in range(2, rounds + 1):
        status, answer = host.insist(
            "POST",
            f"/api/games/{game['id']}/events?confirmed=true",
            {"kind": "round_started", "round": number},
            Idempotency_Key=f"start-round-{number}",
            If_Match=f'"{revision}"',
        )
        assert status == 201, answer
        revision = answer["revision"]
    return Evening(game["id"], revision)


def run(url: str, hands: int, server: postgres.Server | None) -> list[str]:
    """Kill the service while hands are recorded; return what was wrong."""
    rounds = hands // len(PHONES)
    chance = random.Random(7)
    deadline = time.monotonic() + DEADLINE_S
    with tempfile.TemporaryDirectory() as folder:
        service = Service(url or f"sqlite:///{folder}/games.sqlite", Path(folder))
        service.start()
        phones = [Phone(service.port, f"{name}'s phone") for name in PHONES]
        evening = start_game(phones[0], rounds)
        _, invitation = phones[0].insist("POST", f"/api/games/{evening.game}/invite", {})
        for phone in phones[1:]:
            phone.insist("POST", "/api/join", {"code": invitation["code"]})
        threads = [
            threading.Thread(target=record, args=(phone, name, rounds, evening, deadline), daemon=True)
            for phone, name in zip(phones, PHONES, strict=True)
        ]
        watcher = Phone(service.port, "watcher")
        watcher.cookie = phones[0].cookie
        for thread in threads:
            thread.start()
        kills = 0
        while any(thread.is_alive() for thread in threads) and time.monotonic() < deadline:
            time.sleep(chance.uniform(0.2, 2.0))
            service.kill()
            kills += 1
            if server and kills % 3 == 0:
                server.crash()
                server.start()
            service.start()
            check(watcher, evening)
        for thread in threads:
            thread.join(timeout=5)
        check(watcher, evening)
        if len(evening.acknowledged) != rounds * len(PHONES):
            evening.faults.append(f"Only {len(evening.acknowledged)} hands were acknowledged in time.")
        if kills < 3:
            evening.faults.append(f"The service was killed {kills} times only.")
        print(
            f"  {len(evening.acknowledged)} hands acknowledged, service killed {kills} times, "
            f"{evening.resent} requests sent again, {len(evening.faults)} faults"
        )
        service.kill()
        if not url:
            evening.faults += fill_disk(service, watcher, evening, Path(folder) / "games.sqlite")
    return evening.faults


def fill_disk(service: Service, phone: Phone, evening: Evening, path: Path) -> list[str]:
    """Let the service write no further than a little beyond what it has; return what was wrong."""
    faults = []
    with closing(sqlite3.connect(path)) as connection:
        # The log is emptied into the file, so that both have the same way to go.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    service.start(most_bytes=path.stat().st_size + 200_000)
    taken = 0
    bonus = {"kind": "bonus_given", "round": 1, "player": "Ana", "points": 1, "reason": "x" * 199}
    _, before = phone.insist("GET", f"/api/games/{evening.game}")
    for number in range(2_000):
        key = f"bonus-{number:06}"
        revision = f'"{before["revision"] + taken}"'
        path_of_events = f"/api/games/{evening.game}/events"
        status, answer = phone.insist("POST", path_of_events, bonus, Idempotency_Key=key, If_Match=revision)
        if status != 201:
            break
        taken += 1
    print(f"  disk full after {taken} more entries: {status} {answer.get('detail')}")
    if status != 507:
        faults.append(f"A full disk was answered with {status}: {answer}.")
    service.kill()
    service.start()
    _, after = phone.insist("GET", f"/api/games/{evening.game}")
    if after["revision"] != before["revision"] + taken:
        faults.append(f"After the full disk there are {after['revision']} entries, not {before['revision']} + {taken}.")
    revision = f'"{after["revision"]}"'
    status, answer = phone.insist("POST", path_of_events, bonus, Idempotency_Key=key, If_Match=revision)
    if status != 201:
        faults.append(f"With room again the same entry was answered with {status}: {answer}.")
    check(phone, evening)
    service.kill()
    return faults


def main() -> int:
    """Run on both databases and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=200)
    hands = parser.parse_args().hands
    faults: list[str] = []
    print("SQLite")
    faults += run("", hands, None)
    if postgres.programs() is None:
        print(f"PostgreSQL: {postgres.MISSING}; not tried.")
    else:
        print("PostgreSQL")
        server = postgres.Server(is_safe=True)
        try:
            faults += run(server.new_database(), hands, server)
        finally:
            server.stop()
    for fault in faults[:20]:
        print(f"  FAULT: {fault}")
    print("Nothing acknowledged was lost or doubled." if not faults else f"{len(faults)} faults.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
