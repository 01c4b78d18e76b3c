"""Makes the keys of a house: of tokens, ``trust.json`` and ``sign/<name>.json``, and of connections, ``tls/``.

Nothing that is there is written over: a lost key would be everybody's. A file appears whole or not at all.
"""

import datetime
import os
import secrets
from collections.abc import Collection, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from engine.games import all_games
from engine.kernel.refusal import Kind, Refusal
from services.kit.access.signing import SigningKey, signing_key
from services.kit.access.trust import KindName, TrustFile, padless
from services.kit.secret_files import PUBLIC, put_file, write_secret

OPERATOR: Final = "operator"
"""Whose key signs tokens for people."""

FOR_PEOPLE: Final[tuple[KindName, ...]] = ("seat", "player", "organiser", "referee", "caster")

LIFE_DAYS: Final = 365
"""Of a certificate."""

BACKDATED: Final = datetime.timedelta(minutes=5)
"""Another machine's clock may be behind."""


def signers() -> dict[str, tuple[KindName, ...]]:
    """Who has a key, and what it may sign. The key of a service that is stolen makes no seats and no organisers."""
    rules: dict[str, tuple[KindName, ...]] = {f"rules-{game}": ("service",) for game in all_games()}
    return rules | {
        "bots": ("service",),
        "gateway": ("service",),
        "tournament": ("service", "player", "seat"),
        OPERATOR: FOR_PEOPLE,
    }


def tls_names() -> list[str]:
    """Who shows a certificate: every service, what they stand on, and the operator's commands."""
    services = ["deck", "scoring", "spectator", "tournament", "gateway", "door", "bots", "postgres", OPERATOR]
    rules = [f"rules-{host_label(game)}" for game in all_games()]
    return [*services, *rules, "nats", "nats-1", "nats-2", "nats-3"]


def host_label(game: str) -> str:
    """The key of a game as a part of a host's name, which has no underscore."""
    return game.replace("_", "-")


def write_signing_keys(folder: Path) -> list[Path]:
    """``sign/<name>.json`` for each of ``signers``, mode 0600. Returns the files that are new."""
    made: list[Path] = []
    for name, signs in signers().items():
        path = folder / "sign" / f"{name}.json"
        raw = Ed25519PrivateKey.generate().private_bytes_raw()
        kid = f"{name}-{secrets.token_hex(4)}"
        key = SigningKey(kid, padless(raw), signs, name if "service" in signs else "")
        if not path.exists():
            write_secret(path, msgspec.json.encode(key))
            made.append(path)
    return made


def write_trust(folder: Path) -> Path:
    """``trust.json``: the public halves of the keys in ``sign/``. One that is there keeps what it says, revocations
    above all, and learns what is new.
    """
    path = folder / "trust.json"
    known = msgspec.json.decode(path.read_bytes(), type=TrustFile).keys if path.exists() else ()
    kids = {each.kid for each in known}
    found = [signing_key(each).public() for each in sorted((folder / "sign").glob("*.json"))]
    trusted = TrustFile((*known, *(each for each in found if each.kid not in kids)))
    if len(trusted.keys) > len(known):
        put_file(path, _readable(trusted), PUBLIC)
    return path


def revoke(path: Path, kid: str) -> None:
    """From a second from now on, nobody believes what this key has signed. Raises ``Refusal``."""
    file = msgspec.json.decode(path.read_bytes(), type=TrustFile)
    if kid not in {each.kid for each in file.keys}:
        raise Refusal("unknown_key", f"{path} has no key {kid}.", Kind.MISSING)
    keys = tuple(msgspec.structs.replace(each, revoked=each.revoked or each.kid == kid) for each in file.keys)
    _write_over(path, _readable(TrustFile(keys)))


def write_tls(folder: Path, names: Collection[str] | None = None, also: Sequence[str] = ()) -> list[Path]:
    """``tls/ca.pem``, and ``tls/<name>.pem`` and ``.key`` for each of ``names`` (all of ``tls_names`` if ``None``).

    A certificate is for its name, ``localhost``, ``127.0.0.1`` and all of ``also``, for a year, at either end of a
    connection. ``tls/ca.key`` signs more of them; no service needs it. Returns the files that are new.
    """
    tls = folder / "tls"
    authority, authority_key, made = _authority(tls)
    for name in tls_names() if names is None else names:
        if (tls / f"{name}.pem").exists():
            continue
        key = generate_private_key(SECP256R1())
        certificate = _certificate(name, also, key, authority, authority_key)
        # The key first: a certificate without one would never be made again.
        put_file(tls / f"{name}.key", _private(key))
        put_file(tls / f"{name}.pem", certificate.public_bytes(Encoding.PEM), PUBLIC)
        made += [tls / f"{name}.key", tls / f"{name}.pem"]
    return made


def _authority(tls: Path) -> tuple[x509.Certificate, EllipticCurvePrivateKey, list[Path]]:
    file, key_file = tls / "ca.pem", tls / "ca.key"
    if file.exists():
        loaded = load_pem_private_key(key_file.read_bytes(), None)
        assert isinstance(loaded, EllipticCurvePrivateKey)
        return x509.load_pem_x509_certificate(file.read_bytes()), loaded, []
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Tavolata {secrets.token_hex(4)}")])
    usage = x509.KeyUsage(
        digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    made = (
        _from_now(x509.CertificateBuilder().subject_name(name).issuer_name(name), key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    put_file(key_file, _private(key))
    put_file(file, made.public_bytes(Encoding.PEM), PUBLIC)
    return made, key, [key_file, file]


def _certificate(
    name: str,
    also: Sequence[str],
    key: EllipticCurvePrivateKey,
    authority: x509.Certificate,
    authority_key: EllipticCurvePrivateKey,
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    names = [_general_name(each) for each in dict.fromkeys((name, "localhost", "127.0.0.1", *also))]
    both_ends = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    issuer = authority_key.public_key()
    return (
        _from_now(x509.CertificateBuilder().subject_name(subject).issuer_name(authority.subject), key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.ExtendedKeyUsage(both_ends), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), critical=False)
        .sign(authority_key, hashes.SHA256())
    )


def _from_now(builder: x509.CertificateBuilder, key: EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        builder.public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + datetime.timedelta(days=LIFE_DAYS))
    )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _readable(file: TrustFile) -> bytes:
    return msgspec.json.format(msgspec.json.encode(file)) + b"\n"


def _private(key: EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _write_over(path: Path, content: bytes) -> None:
    """Into the same file: a container that has it mounted would go on with the old one if there were a new. A reader
    that comes at the wrong moment finds a damaged file, believes nobody, and looks again.
    """
    with path.open("r+b", buffering=0) as file:
        file.write(content.ljust(path.stat().st_size))
        file.truncate(max(len(content), path.stat().st_size))
        os.fsync(file.fileno())


__all__ = ["revoke", "signers", "tls_names", "write_signing_keys", "write_tls", "write_trust"]
