"""TLS at both ends of a connection: who shows no certificate of our authority is not spoken to."""

from contextvars import ContextVar

import grpc
import msgspec

from engine.kernel.refusal import Kind, Refusal
from services.kit.config import Settings
from services.kit.secret_files import read_secret


class Tls(msgspec.Struct, frozen=True):
    """PEM: who signs certificates here, and this process's own."""

    authority: bytes
    certificate: bytes
    key: bytes

    def __repr__(self) -> str:
        return "Tls()"  # its key must not land in a log

    def server(self) -> grpc.ServerCredentials:
        return grpc.ssl_server_credentials([(self.key, self.certificate)], self.authority, require_client_auth=True)

    def channel(self) -> grpc.ChannelCredentials:
        return grpc.ssl_channel_credentials(self.authority, self.key, self.certificate)


_TLS: ContextVar[Tls | None] = ContextVar("tls", default=None)


def tls() -> Tls | None:
    """What connections of this process are made with; ``None`` for plain ones."""
    return _TLS.get()


def speak_tls(settings: Settings) -> None:
    """From now on, if the settings have certificates. Raises ``Refusal`` for some of them only, or for none."""
    _TLS.set(tls_of(settings))


def tls_of(settings: Settings) -> Tls | None:
    """``None`` if they say nothing of certificates. Raises ``Refusal``, also for a key that others may read."""
    ca_file, cert_file, key_file = files = (settings.tls_ca_file, settings.tls_cert_file, settings.tls_key_file)
    if not any(files):
        return None
    if ca_file is None or cert_file is None or key_file is None:
        sentence = "TAVOLATA_TLS_CA_FILE, TAVOLATA_TLS_CERT_FILE and TAVOLATA_TLS_KEY_FILE go together."
        raise Refusal("tls_incomplete", sentence, Kind.INVALID)
    try:
        return Tls(ca_file.read_bytes(), cert_file.read_bytes(), read_secret(key_file))
    except OSError as error:
        raise Refusal("tls_file", f"{error.filename} cannot be read: {error.strerror}.", Kind.INVALID) from error
