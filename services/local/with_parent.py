"""``python -m services.local.with_parent PROGRAM ARGUMENT...``: become PROGRAM, and stop when the parent dies.

So nobody's crash leaves an orphan that holds a port or a folder. It is a program of its own because a process with
gRPC's threads cannot safely run Python between fork and exec.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(1)  # it died in between
    os.execv(sys.argv[1], sys.argv[1:])  # noqa: S606 - our own programs


if __name__ == "__main__":
    main()
