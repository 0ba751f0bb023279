"""``meldsight serve``: where it listens, what it prints, and how it fails."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from pydantic import SecretStr

from api import service
from api.errors import InputError, UsageError
from api.store.alone import only_service
from benchmarks.serving import Phone

ROOT = Path(__file__).parents[2]


def test_the_qr_code_says_the_link() -> None:
    """Read back from the characters, as a phone would from the screen."""
    link = "http://192.168.1.20:8000/#abcdefghijklmnopqrstuv"
    halves = {"█": (1, 1), "▀": (1, 0), "▄": (0, 1), " ": (0, 0)}
    rows = [[halves[sign] for sign in line] for line in service.qr_code(link, colour=False).splitlines()]
    light = np.array(rows).transpose(0, 2, 1).reshape(-1, len(rows[0]))
    picture = np.kron(np.pad(light, 4, constant_values=1), np.ones((8, 8))).astype(np.uint8) * 255
    assert cv2.QRCodeDetector().detectAndDecode(picture)[0] == link


def test_colours_make_it_white_on_black_in_any_terminal() -> None:
    lines = service.qr_code("x", colour=True).splitlines()
    assert all(line.startswith("\033[97;40m") and line.endswith("\033[0m") for line in lines)


def test_the_secret_stands_behind_the_hash() -> None:
    text = service.welcome("http://192.168.1.20:8000/", SecretStr("abcdefghijklmnop"))
    assert "http://192.168.1.20:8000/#abcdefghijklmnop" in text.splitlines()


def test_the_unspecified_address_is_shown_as_one_that_phones_can_open() -> None:
    shown = service.address("0.0.0.0", 8000)
    assert re.fullmatch(r"http://\d+\.\d+\.\d+\.\d+:8000/", shown)
    assert "0.0.0.0" not in shown


def test_a_port_in_use_is_said_in_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"Port {port} .* choose another with --port"):
            service.run("127.0.0.1", port, None)


def test_a_setting_that_does_not_fit_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDSIGHT_SCANS_AT_ONCE", "many")
    with pytest.raises(UsageError, match="MELDSIGHT_SCANS_AT_ONCE"):
        service.run("127.0.0.1", 0, None)


def test_unknown_rules_are_said_in_a_sentence() -> None:
    with pytest.raises(InputError, match="no rules named 'nix'"):
        service.run("127.0.0.1", 0, "nix")


SERVE = """
import sys
import threading
sys.argv = ["meldsight", "serve", *sys.argv[1:]]
from api.cli import main
main()
"""


@contextmanager
def served(*arguments: str, data: Path) -> Iterator[tuple[Any, str]]:
    """The command, serving: its process and what it has printed. Stopping it must leave no error behind."""
    process: Any = subprocess.Popen(
        [sys.executable, "-c", SERVE, "--port", "0", *arguments],
        cwd=ROOT,
        env=os.environ | {"MELDSIGHT_DATA": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        printed = ""
        while "Ctrl+C" not in printed:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            printed += line
        yield process, printed
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        _, errors = process.communicate(timeout=20)
    assert errors == ""


def get(port: int, path: str = "/", trusted: ssl.SSLContext | None = None) -> tuple[int, str]:
    """The answer of a service that may be just starting."""
    deadline = time.monotonic() + 20
    while True:
        if trusted:
            connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=trusted)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        finally:
            connection.close()


@pytest.mark.parametrize("lan", [False, True])
def test_the_command_serves_the_page_until_it_is_stopped(lan: bool, tmp_path: Path) -> None:
    with served(*(["--lan"] if lan else []), data=tmp_path) as (_, printed):
        port = int(re.search(r"http://[\d.]+:(\d+)/", printed)[1])
        status, page = get(port)
        assert status == 200
        assert ("Join the table" in page) is lan
        assert get(port, "/api/health")[0] == 401
        assert (re.search(r"/#[\w-]{22}$", printed, re.MULTILINE) is not None) is lan


SECRET = "correct-horse-battery"


def test_with_json_logs_every_line_is_json_and_none_a_secret(tmp_path: Path) -> None:
    process: Any = subprocess.Popen(
        [sys.executable, "-c", SERVE, "--port", "0", "--lan"],
        cwd=ROOT,
        env=os.environ | {"MELDSIGHT_DATA": str(tmp_path), "MELDSIGHT_LOG": "json", "MELDSIGHT_JOIN_SECRET": SECRET},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        lines = [process.stderr.readline()]
        port = int(re.search(r":(\d+)/", json.loads(lines[0])["address"])[1])
        # With the real weights in real workers: ready, once the test picture has been read right.
        deadline = time.monotonic() + 60
        while get(port, "/readyz")[0] != 200:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert get(port, f"/?secret={SECRET}")[0] == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        out, errors = process.communicate(timeout=20)
    assert out == ""
    told = [json.loads(line) for line in (*lines, *errors.splitlines())]
    assert [each["status"] for each in told if each["message"] == "request"][-1] == 200
    assert "the test picture is read right" in {each["message"] for each in told}
    assert SECRET not in str(told)


@pytest.mark.parametrize("is_there", [False, True])
def test_weights_that_are_missing_or_broken_are_refused_at_the_start(is_there: bool, tmp_path: Path) -> None:
    for part in ("api", "engine", "vision"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "models").mkdir()
    for name in ("manifest.json", "canary.json", "canary.jpg"):
        shutil.copy(ROOT / "models" / name, tmp_path / "models" / name)
    if is_there:
        (tmp_path / "models" / "detector.onnx").write_bytes(b"half a model")
    done = subprocess.run(
        [sys.executable, "-c", SERVE, "--port", "0"],
        cwd=tmp_path,
        env=os.environ | {"MELDSIGHT_DATA": str(tmp_path / "data"), "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (1, "")
    (sentence,) = done.stderr.splitlines()
    assert str(tmp_path / "models" / "detector.onnx") in sentence
    assert ("SHA-256 differs" if is_there else "is missing") in sentence


def test_over_https_a_phone_that_trusts_this_computer_gets_in(tmp_path: Path) -> None:
    with served("--lan", "--https", data=tmp_path) as (process, printed):
        port = int(re.search(r"https://[\d.]+:(\d+)/", printed)[1])
        assert f":{port}/ca.crt" in process.stdout.readline(), "it says where phones get the certificate"
        authority = tmp_path / "https" / "ca.crt"
        trusted = ssl.create_default_context(cafile=authority)
        status, page = get(port, "/", trusted)
        assert (status, "Join the table" in page) == (200, True)
        # Whoever has not joined yet can fetch what is to be trusted, and nothing else.
        assert get(port, "/ca.crt", trusted) == (200, authority.read_text())
        assert get(port, "/api/games", trusted)[0] == 401
        with pytest.raises(ssl.SSLCertVerificationError):
            get(port, "/", ssl.create_default_context())
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            get(port)
        before = authority.read_bytes()
    with served("--lan", "--https", data=tmp_path) as (_, printed):
        port = int(re.search(r"https://[\d.]+:(\d+)/", printed)[1])
        assert get(port, "/", trusted)[0] == 200, "a phone that trusted it once trusts it the next evening"
        assert authority.read_bytes() == before


def test_a_second_service_on_one_file_is_refused_and_the_archive_is_not(tmp_path: Path) -> None:
    def meldsight(*arguments: str) -> Any:
        return subprocess.run(
            [sys.executable, "-c", SERVE.replace('"serve", ', ""), *arguments],
            cwd=ROOT,
            env=os.environ | {"MELDSIGHT_DATA": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
        )

    with served(data=tmp_path) as (_, printed):
        port = int(re.search(r"http://[\d.]+:(\d+)/", printed)[1])
        second = meldsight("serve", "--port", "0")
        assert (second.returncode, second.stdout) == (1, "")
        (sentence,) = second.stderr.splitlines()
        assert "games.sqlite, and a SQLite file takes one" in sentence
        assert "PostgreSQL" in sentence
        assert get(port)[0] == 200, "the first goes on"
        listed = meldsight("games", "list")
        assert (listed.returncode, listed.stdout) == (0, "There are no games yet.\n")
        assert meldsight("games", "export", "--to", str(tmp_path / "out")).returncode == 0
        copy = tmp_path / "copy.sqlite"
        assert meldsight("games", "backup", str(copy)).returncode == 0
        before = (tmp_path / "games.sqlite").stat().st_ino
        refused = meldsight("games", "restore", str(copy))
        assert refused.returncode == 1
        assert "stop it first" in refused.stderr
        assert (tmp_path / "games.sqlite").stat().st_ino == before, "it is the file that the service writes"
    assert meldsight("games", "restore", str(copy)).returncode == 0


def test_a_service_that_was_killed_leaves_no_lock(tmp_path: Path) -> None:
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, "--port", "0"],
            cwd=ROOT,
            env=os.environ | {"MELDSIGHT_DATA": str(tmp_path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert "is ready" in process.stdout.readline()
        process.kill()
        process.communicate(timeout=20)


def test_postgresql_takes_any_number_of_services() -> None:
    url = "postgresql://nobody@localhost/games"
    with only_service(url), only_service(url):
        pass


def test_a_service_that_is_terminated_ends_live_connections_and_finishes_what_it_answers(tmp_path: Path) -> None:
    with served(data=tmp_path) as (process, printed):
        port = int(re.search(r"http://[\d.]+:(\d+)/", printed)[1])
        phone = Phone(port, "Ana's phone")
        wanted = {"rules": "shanghai", "players": ["Ana", "Ben", "Cy"]}
        _, game = phone.ask("POST", "/api/games", wanted, Idempotency_Key="start-the-game")
        heard = phone.listen(f"/api/games/{game['id']}/live", 0, threading.Event())
        assert next(heard)[0] == "entry"
        # A request of which the service has the half when it is told to end.
        body = b'{"cards": ["9C", "KD", "3S"]}'
        half = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        half.putrequest("POST", "/api/score")
        for name, value in (("Cookie", phone.cookie), ("Content-Type", "application/json")):
            half.putheader(name, value)
        half.putheader("Content-Length", str(len(body)))
        half.endheaders()
        half.send(body[:20])
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        assert "board" in {kind for kind, *_ in heard}, "and then the live connection ends"
        assert process.poll() is None
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=5)
        half.send(body[20:])
        answer = half.getresponse()
        told = json.loads(answer.read())
        assert (answer.status, told.get("points")) == (200, 25), told
        half.close()
        phone.close()
        assert process.wait(20) == 0


def test_only_a_proxy_that_is_named_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a request comes from decides how many wrong codes it may try."""

    def guesses(port: int) -> list[int]:
        statuses = []
        for number in range(6):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            # What the phone claims of itself stands first; the proxy has put behind it where it was asked from.
            headers = {"Content-Type": "application/json", "X-Forwarded-For": f"198.51.100.1, 203.0.113.{number}"}
            connection.request("POST", "/api/join", b'{"code": "AAAAAA"}', headers)
            answer = connection.getresponse()
            statuses.append(answer.status)
            answer.read()
            connection.close()
        return statuses

    with served(data=tmp_path / "plain") as (_, printed):
        port = int(re.search(r"http://[\d.]+:(\d+)/", printed)[1])
        assert guesses(port) == [403] * 5 + [429]
    monkeypatch.setenv("MELDSIGHT_PROXIES", "127.0.0.1, 10.0.0.0/8")
    monkeypatch.setenv("MELDSIGHT_JOIN_SECRET", "a secret for the test")
    with served(data=tmp_path / "behind") as (_, printed):
        assert "a secret for the test" not in printed, "it is a log that this is written to"
        port = int(re.search(r"http://[\d.]+:(\d+)/", printed)[1])
        assert guesses(port) == [403] * 6
        status, page = get(port)
        assert (status, "Join the table" in page) == (200, True), "the own computer is not alone any more"


def test_behind_a_proxy_a_secret_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDSIGHT_PROXIES", "127.0.0.1")
    with pytest.raises(UsageError, match="set MELDSIGHT_JOIN_SECRET"):
        service.run("127.0.0.1", 0, None)
    monkeypatch.setenv("MELDSIGHT_PROXIES", "nginx")
    with pytest.raises(UsageError, match=r"MELDSIGHT_PROXIES .*'nginx' is neither"):
        service.run("127.0.0.1", 0, None)
