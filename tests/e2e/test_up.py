"""``tavolata up``: what it keeps from one day to the next, and what it leaves behind."""

import os
import signal
from pathlib import Path
from time import monotonic

import pytest

from tests.cli.here import Client
from tests.e2e.command import ENDS_S, alive, up, wait_until_gone

CLOSES_S = 10.0
"""Until everything has stopped; a second on an idle machine."""


def open_with_bots(house: Client, match: str) -> None:
    house.ask("match", "open", "just4fun", "--seats", 2, "--bots", "random", "--id", match, "--json").document  # noqa: B018 - read for its check of the exit code


def watch_to_the_end(house: Client, match: str) -> list[int]:
    """The revisions that a spectator is told, to the last one."""
    return [fact["revision"] for fact in house.ask("watch", match, "--json").documents]


@pytest.mark.timeout(240)
def test_a_house_that_is_opened_again_finds_its_matches(tmp_path: Path) -> None:
    with up(tmp_path / "house") as opened:
        house = Client(opened)
        open_with_bots(house, "yesterday")
        watched = watch_to_the_end(house, "yesterday")
        assert watched == list(range(1, len(watched) + 1))
        exported = house.ask("export", "yesterday").out
        house.ask("match", "open", "just4fun", "--seats", 2, "--id", "half-played")
        started = opened.descendants()
        assert len(started) >= 6, "nats, deck, scoring, spectator, rules and bots"
        politely = {os.sched_getscheduler(pid) == os.SCHED_BATCH for pid in services(started)}
        assert politely == {True}, "nobody pushes in"

        before = monotonic()
        assert opened.interrupt() == 0
        assert monotonic() - before < CLOSES_S
        assert not alive(started)

    with up(tmp_path / "house") as opened:
        house = Client(opened)
        assert house.ask("export", "yesterday").out == exported
        listed = {match["match"]: match["status"] for match in house.ask("match", "list", "--json").document}
        assert listed == {"yesterday": "ended", "half-played": "running"}
        assert house.ask("verify", "--all").code == 0
        menu = house.ask("match", "choices", "half-played", "--seat", pending(house, "half-played"), "--json").document
        assert menu["choices"]


@pytest.mark.timeout(120)
def test_a_house_that_is_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    for name in ("bots", "cli", "engine", "services", "struct"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not ours')\n")  # which must not matter
    with up(tmp_path / "house", cwd=tmp_path) as house:
        started = house.descendants()
        house.process.send_signal(signal.SIGKILL)
        house.process.wait(ENDS_S)
        wait_until_gone(started, CLOSES_S)


def services(processes: frozenset[tuple[int, str]]) -> list[int]:
    """Those that a move goes through; the gateway and the bots are whom it comes from."""
    words = {pid: Path(f"/proc/{pid}/cmdline").read_text().split("\0") for pid, _ in processes}
    return [pid for pid, said in words.items() if "gateway" not in said and "bots" not in said]


def pending(house: Client, match: str) -> int:
    """The seat whose turn it is."""
    seat: int = house.ask("match", "show", match, "--json").document["pending"][0]
    return seat
