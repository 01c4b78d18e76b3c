"""Ports of this machine: which are free, and what is said about one that is not."""

import socket

from engine.kernel.refusal import Kind, Refusal

LOOPBACK = "127.0.0.1"


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now. A port in TIME_WAIT is free, as it is for a server."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError:
            return False
    return True


def free_ports(count: int) -> list[int]:
    """Ports of loopback that are free now, held open together so that none comes twice."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()


def port_in_use(port: int) -> Refusal:
    return Refusal("port_in_use", f"Port {port} of this machine is in use by another program.", Kind.EXISTS)
