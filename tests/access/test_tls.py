"""Services that speak TLS speak to nobody who shows no certificate of their house."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from cryptography import x509

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from engine.kernel.value import Spectator
from services.kit.access.making import write_tls
from services.kit.config import Settings
from services.kit.memory_log import MemoryLog
from services.kit.wire.channel import open_channel
from services.kit.wire.clients import MatchClient, SpectatorClient
from services.kit.wire.tls import speak_tls, tls_of
from tests.services.small_house import GAME, small_house


def settings(folder: Path, name: str) -> Settings:
    tls = folder / "tls"
    return Settings(tls_ca_file=tls / "ca.pem", tls_cert_file=tls / f"{name}.pem", tls_key_file=tls / f"{name}.key")


@asynccontextmanager
async def spectator_at(address: str, who: Settings) -> AsyncIterator[SpectatorClient]:
    speak_tls(who)
    async with open_channel(address) as channel:
        yield SpectatorClient(channel)


async def test_a_house_speaks_tls_and_only_with_its_own(tmp_path: Path) -> None:
    for whose in ("ours", "theirs"):
        write_tls(tmp_path / whose, ["rules", "operator"])
    speak_tls(settings(tmp_path / "ours", "rules"))
    async with small_house(MemoryLog(), tmp_path) as house:
        async with open_channel(house.addresses["rules"]) as channel:
            await MatchClient(channel).open("m1", GAME, 2)  # which asks the deck, by TLS, too
        address = house.addresses["spectator"]
        async with spectator_at(address, settings(tmp_path / "ours", "operator")) as client:
            assert (await client.snapshot("m1", Spectator())).match_id == "m1"
        by_name = address.replace("127.0.0.1", "localhost")
        async with spectator_at(by_name, settings(tmp_path / "ours", "operator")) as client:
            assert (await client.snapshot("m1", Spectator())).match_id == "m1"
        for stranger in (settings(tmp_path / "theirs", "operator"), Settings()):
            async with spectator_at(address, stranger) as client:
                with pytest.raises(Unavailable):
                    await client.snapshot("m1", Spectator())
        speak_tls(Settings())
        ours = tls_of(settings(tmp_path / "ours", "operator"))
        assert ours is not None
        nameless = grpc.ssl_channel_credentials(ours.authority)
        async with grpc.aio.secure_channel(address, nameless) as channel:
            with pytest.raises(Unavailable):
                await SpectatorClient(channel).snapshot("m1", Spectator())


async def test_who_speaks_tls_asks_nobody_who_does_not(tmp_path: Path) -> None:
    """A server in the place of ours that shows another certificate, or none, learns no token."""
    write_tls(tmp_path, ["operator"])
    async with (
        small_house(MemoryLog(), tmp_path) as house,
        spectator_at(house.addresses["spectator"], settings(tmp_path, "operator")) as client,
    ):
        with pytest.raises(Unavailable):
            await client.snapshot("m1", Spectator())


def test_certificates_name_their_service_and_last_a_year(tmp_path: Path) -> None:
    made = write_tls(tmp_path, ["rules-welcome-to"], ["rules.example", "192.0.2.7"])
    assert sorted(each.name for each in made) == [
        "ca.key", "ca.pem", "rules-welcome-to.key", "rules-welcome-to.pem",
    ]  # fmt: skip
    assert all(each.stat().st_mode & 0o077 == 0 for each in made if each.suffix == ".key")
    found = x509.load_pem_x509_certificate((tmp_path / "tls/rules-welcome-to.pem").read_bytes())
    names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["rules-welcome-to", "localhost", "rules.example"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "192.0.2.7"]
    assert 360 < (found.not_valid_after_utc - found.not_valid_before_utc).days <= 366
    context = ssl.create_default_context(cafile=tmp_path / "tls/ca.pem")
    context.load_cert_chain(tmp_path / "tls/rules-welcome-to.pem", tmp_path / "tls/rules-welcome-to.key")
    authority = (tmp_path / "tls/ca.pem").read_bytes()
    again = write_tls(tmp_path, ["rules-welcome-to", "deck"])
    assert sorted(each.name for each in again) == ["deck.key", "deck.pem"]
    assert (tmp_path / "tls/ca.pem").read_bytes() == authority


def test_half_a_certificate_is_told(tmp_path: Path) -> None:
    write_tls(tmp_path, ["deck"])
    with pytest.raises(Refusal) as caught:
        tls_of(Settings(tls_ca_file=tmp_path / "tls/ca.pem"))
    assert caught.value.code == "tls_incomplete"
    with pytest.raises(Refusal) as caught:
        tls_of(settings(tmp_path, "scoring"))
    assert caught.value.code == "tls_file"
    assert tls_of(Settings()) is None
    assert "PRIVATE" not in repr(tls_of(settings(tmp_path, "deck")))


def test_a_key_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    write_tls(tmp_path, ["deck"])
    (tmp_path / "tls/deck.key").chmod(0o440)  # as a pod is handed it
    assert tls_of(settings(tmp_path, "deck")) is not None
    (tmp_path / "tls/deck.key").chmod(0o644)
    with pytest.raises(Refusal) as caught:
        tls_of(settings(tmp_path, "deck"))
    assert caught.value.code == "key_file_open"
