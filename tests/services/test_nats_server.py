"""nats-server as a child process: its port, its data, and what it says when it cannot go on."""

from pathlib import Path

import pytest

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Refusal
from services.kit.jetstream import JetStreamLog
from services.local.nats_server import NatsServer
from tests.kit.lines import fill


class TestServer:
    async def test_a_port_in_use_is_named(self, own_nats: NatsServer, tmp_path: Path) -> None:
        with pytest.raises(Refusal) as refused:
            await NatsServer(tmp_path / "second", port=own_nats.port).start()
        assert refused.value.code == "port_in_use"
        assert str(own_nats.port) in refused.value.sentence

    async def test_it_keeps_its_port_and_data_over_a_restart(self, own_nats: NatsServer) -> None:
        port = own_nats.port
        async with await JetStreamLog.connect(own_nats.url, create=True) as log:
            await fill(log, "hearts", "m1", 3)
        await own_nats.restart()
        assert own_nats.port == port
        async with await JetStreamLog.connect(own_nats.url, create=True) as log:
            assert (await log.bounds(0)).last == 3

    async def test_a_server_that_cannot_start_shows_its_log(self, tmp_path: Path) -> None:
        (tmp_path / "nats").mkdir()
        (tmp_path / "nats" / "jetstream").write_text("in the way")
        with pytest.raises(Exception, match="Its log ends") as failed:
            await NatsServer(tmp_path / "nats").start()
        assert type(failed.value).__name__ == "ServerFailed"

    async def test_a_disk_that_is_full_is_told(self, tmp_path: Path) -> None:
        server = NatsServer(tmp_path / "nats", store_bytes_max=256 * 1024)
        async with server, await JetStreamLog.connect(server.url, create=True) as log:
            with pytest.raises(Unavailable) as full:
                await fill(log, "hearts", "m1", 100, padding=16 * 1024)
            assert full.value.code == "log_full"
