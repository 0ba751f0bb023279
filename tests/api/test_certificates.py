"""HTTPS with a certificate of one's own: made once, kept, trusted by who trusts its authority."""

from __future__ import annotations

import socket
import ssl
import threading
from pathlib import Path

import pytest

from api.certificates import Certificates

NAMES = ("localhost", "attic.local")


def greet(certificates: Certificates, name: str) -> str:
    """What a client that trusts the authority hears from a server with the certificate, called by a name."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificates.certificate, certificates.key)
    client = ssl.create_default_context(cafile=certificates.authority)
    ours, theirs = socket.socketpair()

    def answer() -> None:
        try:
            with server.wrap_socket(theirs, server_side=True) as wrapped:
                wrapped.sendall(b"hello")
        except (ssl.SSLError, OSError):
            pass

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        with client.wrap_socket(ours, server_hostname=name) as wrapped:
            return wrapped.recv(5).decode()
    finally:
        ours.close()
        thread.join()


def test_who_trusts_the_authority_trusts_the_service(tmp_path: Path) -> None:
    made = Certificates.kept(tmp_path, NAMES, {"192.168.1.20"})
    for name in (*NAMES, "192.168.1.20", "127.0.0.1"):
        assert greet(made, name) == "hello"
    with pytest.raises(ssl.SSLCertVerificationError):
        greet(made, "evil.example")


def test_they_are_kept_until_the_addresses_change(tmp_path: Path) -> None:
    first = Certificates.kept(tmp_path, NAMES, {"192.168.1.20"})
    authority, certificate = first.authority.read_bytes(), first.certificate.read_bytes()
    again = Certificates.kept(tmp_path, NAMES, {"192.168.1.20"})
    assert again.certificate.read_bytes() == certificate
    moved = Certificates.kept(tmp_path, NAMES, {"192.168.1.21"})
    assert moved.certificate.read_bytes() != certificate
    assert moved.authority.read_bytes() == authority
    assert greet(moved, "192.168.1.21") == "hello"


def test_one_that_ends_soon_is_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from api import certificates

    monkeypatch.setattr(certificates, "CERTIFICATE_DAYS", 20)
    old = Certificates.kept(tmp_path, NAMES, ()).certificate.read_bytes()
    monkeypatch.undo()
    assert Certificates.kept(tmp_path, NAMES, ()).certificate.read_bytes() != old


def test_keys_are_for_the_owner_alone(tmp_path: Path) -> None:
    made = Certificates.kept(tmp_path, NAMES, ())
    for key in (made.key, made.authority.with_name("ca.key")):
        assert key.stat().st_mode & 0o077 == 0
