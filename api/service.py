"""Running the service: the socket, the address that phones use, and the QR code that lets them in."""

from __future__ import annotations

import io
import ipaddress
import logging
import secrets
import signal
import socket
import sys
from contextlib import ExitStack, suppress

import segno
import uvicorn
from pydantic import SecretStr
from uvicorn.config import LOGGING_CONFIG

from api.app import app_with
from api.certificates import Certificates
from api.errors import InputError, UsageError
from api.live import Live
from api.logs import FIELDS, log_as
from api.scans import ScanError, Workers
from api.settings import read_settings
from api.store.alone import only_service
from api.store.database import StoreError
from engine.rules import RulesError
from vision.scanner import ModelError
from vision.tier import TierError

_log = logging.getLogger("meldsight")

GOODBYE_S = 10
"""How long requests that are being answered may keep the service from ending, in seconds."""


class Server(uvicorn.Server):
    """A server that ends the live connections before it waits for the others: by themselves they would never end."""

    def __init__(self, config: uvicorn.Config, live: Live) -> None:
        super().__init__(config)
        self._live = live

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, and finish what is being answered."""
        self._live.end()
        await super().shutdown(sockets)


def run(host: str, port: int, rules: str | None, *, https: bool = False) -> None:
    """Serve until interrupted or terminated; what is being answered then is finished.

    Args:
        host: address to listen on. On any but the own computer's, a join secret guards the service.
        port: port to listen on; 0 takes a free one.
        rules: rule system or house-rule file, instead of the one in the settings.
        https: whether to serve over HTTPS, with a certificate that this computer makes.

    Raises:
        InputError: if the weights, the rules, the database, a setting or the address cannot be used.
    """
    settings = read_settings()
    if rules is not None:
        settings = settings.model_copy(update={"rules": rules})
    if settings.proxies and settings.join_secret is None:
        raise UsageError(
            "Behind a proxy everybody can reach the service, and every service behind it must know one secret: "
            "set MELDSIGHT_JOIN_SECRET."
        )
    if settings.log == "json" and settings.join_secret is None and not _is_loopback(host):
        raise UsageError(
            "With MELDSIGHT_LOG=json nothing secret is printed: set MELDSIGHT_JOIN_SECRET, so that phones can join."
        )
    log_as(settings.log)
    certificates = Certificates.kept(settings.data, settings.hosts, {host, lan_address()}) if https else None
    with _listen(host, port) as listener:
        shown = address(host, listener.getsockname()[1], https=https)
        is_called_so = not _is_loopback(host) and not settings.proxies
        changes: dict[str, object] = {"address": settings.address or (shown if is_called_so else None)}
        if not _is_loopback(host) and settings.join_secret is None:
            changes["join_secret"] = SecretStr(secrets.token_urlsafe(16))
        if certificates:
            changes["authority"] = certificates.authority
        settings = settings.model_copy(update=changes)
        workers = None
        alone = ExitStack()
        try:
            alone.enter_context(only_service(settings.url))
            workers = Workers(settings.scans_at_once, settings.detector)
            app = app_with(settings, workers)
            workers.wait()
            if settings.log == "json":
                _log.info("Meldsight is ready.", extra={FIELDS: {"address": shown}})
            elif settings.proxies:
                # What is printed goes into a log here, where no secret belongs.
                print(
                    f"Meldsight is ready at {shown} for {' and '.join(settings.proxies)}. Stop it with Ctrl+C.",
                    flush=True,
                )
            else:
                print(welcome(shown, settings.join_secret, authority=certificates is not None), flush=True)
            config = uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                server_header=False,
                log_config=None if settings.log == "json" else LOGGING_CONFIG,
                ws="none",
                proxy_headers=bool(settings.proxies),
                forwarded_allow_ips=list(settings.proxies),
                timeout_graceful_shutdown=GOODBYE_S,
                ssl_certfile=certificates.certificate if certificates else None,
                ssl_keyfile=certificates.key if certificates else None,
            )
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            with suppress(KeyboardInterrupt):
                Server(config, app.state.live).run(sockets=[listener])
        except (ModelError, RulesError, ScanError, StoreError, TierError) as error:
            raise InputError(str(error)) from error
        finally:
            if workers:
                workers.stop()
            alone.close()


def welcome(address: str, secret: SecretStr | None, *, authority: bool = False) -> str:
    """Return what is said at the start: the address, and for phones the QR code.

    >>> print(welcome("http://127.0.0.1:8000/", None))
    Meldsight is ready at http://127.0.0.1:8000/ for this computer. Stop it with Ctrl+C.
    """
    if secret is None:
        return f"Meldsight is ready at {address} for this computer. Stop it with Ctrl+C."
    # Behind the '#' the secret stays out of requests, and so out of logs.
    link = f"{address}#{secret.get_secret_value()}"
    lines = [
        "Meldsight is ready for the phones of this network. Scan this with a phone's camera:",
        "",
        qr_code(link, colour=sys.stdout.isatty()),
        "",
        link,
        "",
        "Whoever has this code or address can join. Stop it with Ctrl+C.",
    ]
    if authority:
        lines += [
            f"A phone that should not warn installs {address}ca.crt once: see docs/https.md.",
        ]
    return "\n".join(lines)


def qr_code(link: str, *, colour: bool) -> str:
    """Return a QR code as text, two modules to a character, light modules as blocks.

    Args:
        link: what it says.
        colour: whether to set white on black by escape codes, for terminals that are not dark.
    """
    text = io.StringIO()
    segno.make(link, error="m", micro=False).terminal(text, border=3, compact=True)
    lines = text.getvalue().splitlines()
    return "\n".join(f"\033[97;40m{line}\033[0m" if colour else line for line in lines)


def address(host: str, port: int, *, https: bool = False) -> str:
    """Return the address to open in a browser.

    >>> address("::1", 8000)
    'http://[::1]:8000/'
    """
    if ipaddress.ip_address(host).is_unspecified:
        host = lan_address()
    scheme = "https" if https else "http"
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"


def lan_address() -> str:
    """Return this computer's address on the local network; the loopback address where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket sends nothing; it only asks for the way out (RFC 5737).
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def _is_loopback(host: str) -> bool:
    return ipaddress.ip_address(host).is_loopback


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ipaddress.ip_address(host).version == 6 else socket.AF_INET
    except ValueError:
        raise UsageError(f"--host takes an IP address such as 192.168.1.7, not {host!r}.") from None
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(
            f"Port {port} of {host} cannot be used ({error.strerror}); choose another with --port."
        ) from error
