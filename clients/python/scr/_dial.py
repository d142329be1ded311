"""Connections to daemons, which may be slow to take them."""

import socket as sockets
import struct
import time
from typing import Any

from .errors import NodeLostError

# How long a daemon may take no connection: as long as one may be silent.
DIAL_S = 30.0

_TIMEVAL = struct.Struct("@ll")


def dial(socket: sockets.socket, address: Any, where: str) -> None:
    """Connects; raises :class:`OSError`, or :class:`NodeLostError` where somebody listens who takes no connection.

    Such is a daemon that is stopped, once those that wait for it are many.
    """
    try:
        if socket.family == sockets.AF_UNIX:
            socket.settimeout(None)  # whatever the program has as default for its own
            _dial_unix(socket, address, time.monotonic() + DIAL_S)
        else:
            socket.settimeout(DIAL_S)
            socket.connect(address)
            socket.settimeout(None)
    except (TimeoutError, sockets.timeout) as e:  # two classes before Python 3.10
        raise NodeLostError(
            f"the daemon on {where} has taken no connection for {DIAL_S:g} s; it is stopped or hangs"
        ) from e


def _dial_unix(socket: sockets.socket, address: Any, end_s: float) -> None:
    # The timeout of a socket object is one of poll, which has no event for a Unix socket whose listener is busy: Python
    # calls that an error at once with a timeout, and connected without one, once a signal has come.
    while (left_s := end_s - time.monotonic()) > 1e-6:  # less would be no limit
        _limit(socket, left_s)
        try:
            socket.connect(address)
            if _is_connected(socket):
                _limit(socket, 0)
                return
        except BlockingIOError:
            pass
    raise TimeoutError


def _is_connected(socket: sockets.socket) -> bool:
    try:
        socket.getpeername()
    except OSError:
        return False
    return True


def _limit(socket: sockets.socket, seconds: float) -> None:
    """How long connect and send wait in the kernel at most; 0: as long as it takes."""
    timeval = _TIMEVAL.pack(int(seconds), int(seconds % 1 * 1_000_000))
    socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDTIMEO, timeval)
