"""Fetches the peers, once: a virtual environment for those in Python, a folder of modules for the one in Node.js.

A stamp says of which pins each was made; when they change it is made anew. Whatever cannot be had is a ``PeerMissing``
with a sentence, since a machine without Node.js or without a network can still measure everything else.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.kit.figures import PeerMissing
from bench.kit.run import Run

ROOT: Final = Path(__file__).parents[2]
REQUIREMENTS: Final = ROOT / "requirements/bench.txt"
BOARDGAME: Final = ROOT / "bench/peers/boardgame"
INSTALL_S: Final = 600.0
STAMP: Final = ".made-of"


def peers_python(run: Run) -> Path:
    """The interpreter that has the Python peers. Raises ``PeerMissing``."""
    folder = run.peers / "venv"

    def make() -> None:
        venv.create(folder, with_pip=True)
        pip = (str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        _install("the Python peers", (*pip, "--require-hashes", "-r", str(REQUIREMENTS)), folder)

    _once(folder, (REQUIREMENTS,), sys.version, make, lambda: run.say("installing the Python peers"))
    return folder / "bin/python"


def node() -> Path:
    """The machine's Node.js, or the one that the pages were made with. Raises ``PeerMissing``."""
    beside = Path(sys.executable).parent / "node"
    found = shutil.which("node") or (str(beside) if beside.exists() else None)
    if found is None:
        raise PeerMissing("There is no Node.js here; `make setup` fetches one.")
    return Path(found)


def boardgame_modules(run: Run) -> Path:
    """``node_modules`` with boardgame.io and a bare client for it. Raises ``PeerMissing``."""
    folder = run.peers / "boardgame"
    pins = (BOARDGAME / "package.json", BOARDGAME / "package-lock.json")
    runs_it = node()

    def make() -> None:
        npm = runs_it.parent / "npm"
        if not npm.exists():
            raise PeerMissing("There is a Node.js here without npm, so boardgame.io cannot be installed.")
        folder.mkdir(parents=True)
        for pinned in pins:
            shutil.copy(pinned, folder)
        # No peer needs its install scripts, so none is run.
        command = (str(npm), "ci", "--ignore-scripts", "--silent", "--no-audit", "--no-fund")
        _install("boardgame.io", command, folder, with_path(runs_it.parent))

    _once(folder, pins, "", make, lambda: run.say("installing boardgame.io"))
    return folder / "node_modules"


def with_path(first: Path) -> dict[str, str]:
    """The environment, with a folder of programs before all others: npm is a script that asks it for Node.js."""
    return {**os.environ, "PATH": f"{first}{os.pathsep}{os.environ.get('PATH', '')}"}


def _once(folder: Path, pins: Sequence[Path], maker: str, make: Callable[[], None], tell: Callable[[], None]) -> None:
    """``make`` the folder, unless it was made of these pins before. Half of one is none: the stamp comes last."""
    wanted = fingerprint(pins, maker)
    stamp = folder / STAMP
    if stamp.exists() and stamp.read_text() == wanted:
        return
    tell()
    shutil.rmtree(folder, ignore_errors=True)
    make()
    stamp.write_text(wanted)


def fingerprint(pins: Sequence[Path], maker: str = "") -> str:
    """Of the pins' bytes, and of what makes a difference beside them."""
    whole = hashlib.sha256(maker.encode())
    for pinned in pins:
        whole.update(hashlib.sha256(pinned.read_bytes()).digest())
    return whole.hexdigest()


def _install(what: str, command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> None:
    try:
        ended = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=INSTALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerMissing(f"There is no way to install {what} here: {type(error).__name__}.") from error
    if ended.returncode:
        raise PeerMissing(f"There is no way to install {what} here: {Path(command[0]).name} failed.")
