"""HTTPS in a house: an authority that this computer makes once, and a certificate that it signs for its addresses."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_DAYS = 3650
CERTIFICATE_DAYS = 397
"""Phones trust no certificate that is valid for longer than 398 days."""
RENEW_DAYS = 30


@dataclass(frozen=True, slots=True)
class Certificates:
    """The files of a service over HTTPS."""

    authority: Path
    """What phones install."""
    certificate: Path
    key: Path

    @classmethod
    def kept(cls, data: Path, names: Iterable[str], addresses: Collection[str]) -> Certificates:
        """Return the certificates in a folder; made where they are missing, old, or for other addresses.

        Args:
            data: folder of the service's data.
            names: names by which browsers call the service.
            addresses: IP addresses by which they do; this computer's own is always among them.
        """
        folder = data / "https"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        own = cls(folder / "ca.crt", folder / "server.crt", folder / "server.key")
        wanted = [*map(x509.DNSName, sorted(set(names))), *_ip_names({*addresses, "127.0.0.1", "::1"})]
        if not _is_good(own.authority, folder / "ca.key"):
            _make_authority(own.authority, folder / "ca.key")
            own.certificate.unlink(missing_ok=True)
        if not _is_good(own.certificate, own.key) or _names_of(own.certificate) != set(wanted):
            _make_certificate(own, folder / "ca.key", wanted)
        return own


def _ip_names(addresses: Iterable[str]) -> list[x509.GeneralName]:
    read = {ipaddress.ip_address(address) for address in addresses}
    return [x509.IPAddress(address) for address in sorted(read, key=str) if not address.is_unspecified]


def _is_good(certificate: Path, key: Path) -> bool:
    """Whether both files are there, and the certificate is valid for a while."""
    if not certificate.is_file() or not key.is_file():
        return False
    ends = x509.load_pem_x509_certificate(certificate.read_bytes()).not_valid_after_utc
    return ends > datetime.now(UTC) + timedelta(days=RENEW_DAYS)


def _names_of(certificate: Path) -> set[x509.GeneralName]:
    loaded = x509.load_pem_x509_certificate(certificate.read_bytes())
    return set(loaded.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)


def _make_authority(target: Path, key_target: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Meldsight of this computer")])
    authority = (
        _builder(name, name, key.public_key(), AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write_key(key_target, key)
    target.write_bytes(authority.public_bytes(serialization.Encoding.PEM))


def _make_certificate(own: Certificates, authority_key: Path, names: list[x509.GeneralName]) -> None:
    signer = serialization.load_pem_private_key(authority_key.read_bytes(), None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    authority = x509.load_pem_x509_certificate(own.authority.read_bytes())
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Meldsight")])
    certificate = (
        _builder(name, authority.subject, key.public_key(), CERTIFICATE_DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        .sign(signer, hashes.SHA256())
    )
    _write_key(own.key, key)
    own.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int
) -> x509.CertificateBuilder:
    # A phone whose clock is a little behind takes it too.
    start = datetime.now(UTC) - timedelta(days=1)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=days))
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _write_key(target: Path, key: ec.EllipticCurvePrivateKey) -> None:
    target.unlink(missing_ok=True)
    with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
