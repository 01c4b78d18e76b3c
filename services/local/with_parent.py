"""``python -m services.local.with_parent [--kill] PROGRAM ARGUMENT...``: become PROGRAM, and stop when the parent dies.

So nobody's crash leaves an orphan that holds a port or a folder. It is a program of its own because a process with
gRPC's threads cannot safely run Python between fork and exec. With ``--kill`` PROGRAM is not asked, and ends even while
it is stopped by a signal.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent = os.getppid()
    program = sys.argv[1:]
    how = signal.SIGTERM
    if program[0] == "--kill":
        how, program = signal.SIGKILL, program[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, how)
    if os.getppid() != parent:
        sys.exit(1)  # it died in between
    os.execv(program[0], program)  # noqa: S606 - our own programs


if __name__ == "__main__":
    main()
