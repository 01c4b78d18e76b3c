"""Three servers of the test kit: they are one cluster, and none of them outlives whoever started it."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

from tests.kit.logs import ClusterPlace
from tests.kit.nats import until

ROOT = Path(__file__).parents[2]

LEAVES_EVERYTHING = """
import asyncio, os, pathlib, signal, sys
from tests.kit.nats_cluster import NatsCluster

async def main() -> None:
    cluster = NatsCluster(pathlib.Path(sys.argv[1]), durability="fast")
    async with asyncio.TaskGroup() as starting:
        for node in cluster.nodes:
            starting.create_task(node.start())
    cluster.nodes[0].pause()
    print(*(node.pid for node in cluster.nodes), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_a_killed_process_leaves_no_server_not_even_a_paused_one(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LEAVES_EVERYTHING, str(tmp_path)]
    ended = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    pids = [int(pid) for pid in ended.stdout.split()]
    assert len(pids) == 3
    await until(lambda: not any(map(_is_alive, pids)), "all servers are gone")


async def test_a_paused_node_is_not_healthy_and_leads_nothing(three_nodes: ClusterPlace) -> None:
    cluster = three_nodes.cluster
    async with await three_nodes.open():
        leader = await three_nodes.leader()
        assert await cluster.stream_leader("MATCHES_00") in cluster.nodes
        assert await cluster.stream_leader("NOBODY_00") is None
        leader.pause()
        assert await three_nodes.leader(but=leader) != leader
        assert "not healthy" in str(await cluster._unhealthy())
        leader.resume()
        await cluster.wait_healthy()
        assert await cluster.leader() in cluster.nodes


def _is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
