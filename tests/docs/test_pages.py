"""Pages point to what is there: links, headings, files, settings; the follower of the feed runs as it is printed."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

from bots.attendant import BOT
from engine.kernel.ports import Unavailable
from services.kit.config import Settings
from services.kit.wire.house import HouseClients, connect
from services.local.house import House
from services.local.plan import plan_house
from tests.tidy.tree import ROOT, tracked

PAGES = [
    path
    for path in tracked()
    if path.endswith(".md") and (path.startswith("docs/") or path in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FILE = re.compile(r"`((?:engine|services|bots|cli|tests|proto|docs)/[\w/.-]*)`")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
RUNS_S = 60.0


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def anchors(page: Path) -> set[str]:
    """Headings as links name them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in LINK.findall(FENCE.sub("", text_of(page))):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), f"{page} links to {link}, which is not there"
        if anchor:
            assert anchor in anchors(target), f"{page} links to {link}: there is no such heading"


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_are_there(page: str) -> None:
    for path in FILE.findall(text_of(page)):
        assert (ROOT / path).exists(), f"{page} names {path}, which is not there"


def test_every_setting_is_explained() -> None:
    page = text_of("docs/how-to/run-a-house.md")
    told = set(re.findall(r"^\| `TAVOLATA_([A-Z_]+)` \|", page, re.MULTILINE))
    assert told == {field.upper() for field in Settings.__struct_fields__}


def test_every_decision_is_listed() -> None:
    pages = {path.removeprefix("docs/decisions/") for path in tracked() if re.match(r"docs/decisions/\d{4}-", path)}
    assert set(LINK.findall(text_of("docs/decisions/README.md"))) == pages


async def test_the_follower_of_the_feed_hears_every_revision_once(tmp_path: Path) -> None:
    """It begins in the middle of a match, so the first thing it meets is a gap."""
    page = text_of("docs/how-to/follow-the-feed.md")
    script = tmp_path / "follow.py"
    script.write_text(next(block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL)))
    plan = plan_house(tmp_path / "data", 0, bots=True)
    async with House(plan) as house, connect(house.url) as clients:
        await clients.rules("just4fun").open("early", "just4fun", 2, players=["", f"{BOT}greedy"])
        await _reaches(clients, "early", 3)
        follower = await asyncio.create_subprocess_exec(
            sys.executable,
            str(script),
            f"nats://127.0.0.1:{plan.nats_port}",
            house.url,
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        assert follower.stdout is not None
        heard: dict[str, list[int]] = {}
        try:
            async with asyncio.timeout(RUNS_S):
                assert await follower.stdout.readline() == b"listening\n"
                leave = '{"type": "tavolata.leave", "data": {"seat": 0}}'
                await clients.rules("just4fun").act("early", "leave", 0, leave)
                await clients.rules("just4fun").open("late", "just4fun", 2, players=[f"{BOT}greedy"] * 2)
                complete: set[str] = set()
                while complete != {"early", "late"}:
                    match, revision, *words = (await follower.stdout.readline()).decode().split()
                    heard.setdefault(match, []).append(int(revision))
                    if "seed" in words:
                        complete.add(match)
        finally:
            follower.kill()
            await follower.wait()
    for match, revisions in heard.items():
        assert revisions == list(range(1, len(revisions) + 1)), f"{match}: {revisions}"


async def _reaches(clients: HouseClients, match: str, revision: int) -> None:
    """Until the scoring service has counted so far; the opening alone waits for its cards."""
    async with asyncio.timeout(RUNS_S):
        async for standing in clients.scoring.watch():
            if standing.match_id == match and standing.revision >= revision:
                return
    raise Unavailable("test", "The stream ended.")
