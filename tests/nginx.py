"""An nginx of one's own on loopback, where it is installed, with the configuration that is shipped."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path
from socket import create_connection

MISSING = "nginx is not installed here (on Debian: apt-get install nginx-light)"
SHIPPED = Path(__file__).parents[1] / "deploy" / "nginx" / "meldsight.conf"


def program() -> str | None:
    """Return the path of nginx; none where there is none."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def replaced(pattern: str, by: str, text: str) -> str:
    """Return a text with lines put in the place of others, which must be there."""
    after, count = re.subn(pattern, by, text, flags=re.MULTILINE)
    assert count, f"{pattern} is not in {SHIPPED.name} any more"
    return after


def configuration(folder: Path, shipped: str) -> Path:
    """Write a whole configuration around what is shipped, all of whose files are in one folder; return its path."""
    folders = "".join(
        f"  {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = (
        f"pid {folder}/pid;\nerror_log {folder}/error.log;\ndaemon off;\nevents {{}}\nhttp {{\n{folders}{shipped}}}\n"
    )
    target = folder / "nginx.conf"
    target.write_text(whole, encoding="utf-8")
    return target


def command(folder: Path, *arguments: str) -> list[str]:
    """Return the command line of nginx with the configuration in a folder."""
    found = program()
    assert found is not None, MISSING
    return [found, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log"), *arguments]


class Proxy:
    """The shipped configuration in front of services on loopback, without TLS.

    Args:
        folder: where its files go.
        port: where it listens.
        services: the ports of the services.
    """

    def __init__(self, folder: Path, port: int, services: list[int]) -> None:
        text = SHIPPED.read_text("utf-8")
        text = replaced(r"(\n    server 127\.0\.0\.1:\d+ max_fails=0;)+", "\n    SERVICES", text)
        text = text.replace("SERVICES", "\n    ".join(f"server 127.0.0.1:{each} max_fails=0;" for each in services))
        text = replaced(r"^    listen 443 ssl;$", f"    listen 127.0.0.1:{port};", text)
        text = replaced(r"^    (listen \[::\]:443 ssl|ssl_\w+ .*);\n", "", text)
        # The other server only sends browsers here.
        text = replaced(r"^server \{\n    listen 80;\n(?:.*\n)*?\}\n", "", text)
        # Run by root, it would give its work to a user who may not enter the folder.
        configuration(folder, text)
        self._process = subprocess.Popen(command(folder, "-g", "master_process off;"))
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            assert self._process.poll() is None, (folder / "error.log").read_text()
            try:
                with create_connection(("127.0.0.1", port), timeout=1):
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("nginx did not start within 20 seconds")

    def stop(self) -> None:
        """Stop it."""
        self._process.terminate()
        self._process.wait(20)
