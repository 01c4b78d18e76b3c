"""Every line of a log is one JSON object, whoever writes it, and tells where an error was and not what it said."""

import json
import subprocess
import sys

SECRET = "the ace of spades"

PROGRAM = f"""
import asyncio, logging, warnings
import structlog
from services.kit.config import Settings
from services.kit.lifecycle import introduced

async def lost_task(hand):
    raise KeyError(hand)

def look_up(hand):
    raise KeyError(hand)

def both(hand):
    try:
        look_up(hand)
    except KeyError as error:
        raise ExceptionGroup(hand, [ValueError(hand)]) from error

async def main():
    async with introduced("test", Settings()):
        structlog.get_logger().info("said", match="m-1", revision=7)
        logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
        warnings.warn("old", DeprecationWarning)
        for throw in (look_up, both):
            try:
                throw({SECRET!r})
            except Exception as error:
                structlog.get_logger().error("internal_error", exc_info=error)
                logging.getLogger("asyncio").error("broken", exc_info=True)
        asyncio.create_task(lost_task({SECRET!r}))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        import gc; gc.collect()
        raise RuntimeError({SECRET!r})

try:
    asyncio.run(main())
except RuntimeError:
    pass
"""


def test_lines_are_json_and_quote_no_error() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "default", "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60
    )
    assert SECRET not in ran.stderr
    lines = [json.loads(line) for line in ran.stderr.splitlines()]
    assert {line["service"] for line in lines} == {"test"}
    said = {line["event"]: line for line in lines}
    assert (said["said"]["match"], said["said"]["revision"], said["said"]["level"]) == ("m-1", 7, "info")
    assert said["Invalid HTTP request received."]["logger"] == "uvicorn.error"
    assert [line for line in lines if "DeprecationWarning" in line["event"]]
    plain, both = (line["broke"] for line in lines if line["event"] == "internal_error")
    assert [where.rpartition(" ")[2] for where in plain] == ["KeyError", "main", "look_up"]
    names = ["KeyError", "both", "look_up", "ExceptionGroup", "main", "both", "ValueError"]
    assert [where.rpartition(" ")[2] for where in both] == names
    assert said["lost_error"]["broke"][0] == "KeyError"
    assert said["broken"]["broke"]
    assert said["ended"]["broke"][0] == "RuntimeError"
