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
