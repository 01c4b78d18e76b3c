"""A disk whose power can be cut: an ext4 file system in a file, which forgets what was never written through.

The kernel is asked to shut the file system down without flushing its journal (``EXT4_IOC_SHUTDOWN``). What a program
has written and not synced is then as gone as after a power cut, and so is the cache of the machine, because the file
system is mounted anew. It needs root, loop devices and e2fsprogs.
"""

import fcntl
import os
import shutil
import struct
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Final, Self

EXT4_IOC_SHUTDOWN: Final = 0x8004587D
"""``_IOR('X', 125, __u32)``"""
NO_LOG_FLUSH: Final = 2
SIZE_BYTES: Final = 128 * 1024 * 1024
"""The file has holes: it takes what is written."""


class NoPowerDisk(Exception):
    """There can be none here; the text says why."""


class PowerDisk:
    """A context: an empty file system mounted at ``folder``, whose bytes are in ``file``. Raises ``NoPowerDisk``."""

    def __init__(self, file: Path, folder: Path) -> None:
        self.file = file
        self.folder = folder

    def __enter__(self) -> Self:
        if os.geteuid() != 0:
            raise NoPowerDisk("only root may mount a file system")
        mkfs = shutil.which("mkfs.ext4") or shutil.which("mkfs.ext4", path="/sbin:/usr/sbin")
        if mkfs is None:
            raise NoPowerDisk("mkfs.ext4 is not installed")
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.file.open("wb") as made:
            made.truncate(SIZE_BYTES)
        _run(mkfs, "-q", "-F", str(self.file))
        self.mount()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _run("umount", str(self.folder))
        self.file.unlink()

    def mount(self) -> None:
        _run("mount", "-o", "loop", str(self.file), str(self.folder))

    def cut_power(self) -> None:
        """From now on nothing reaches the disk, and nothing that had not yet ever will."""
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(folder)

    def come_back(self) -> None:
        """Mounted again, by whoever has no file open there any more: the journal is played, the rest is lost."""
        _run("umount", str(self.folder))
        self.mount()


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoPowerDisk(f"{command[0]}: {done.stderr.strip() or done.returncode}")
