"""The connection to the daemon of this node: frames over a Unix socket (docs/messages.md, the application socket).

There is no thread of our own: one waiting thread reads for all. A program that forks workers is
not warned of threads that it never made, and nothing runs while nobody calls.
"""

import errno
import fcntl
import itertools
import json
import math
import os
import re
import select
import socket as sockets
import struct
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Protocol, Tuple

from ._dial import dial
from .errors import (
    BadConfigurationError,
    BadRequestError,
    NodeLostError,
    NotAuthorizedError,
    ScrError,
    WrongStateError,
    error_of,
)

MAX_FRAME_BYTES = 16 << 20
_LENGTH = struct.Struct(">I")
_PIECE_BYTES = 1 << 18
_STANDARD_ERROR = 2

# A call may wait for other ranks for hours, so only the daemon's silence ends it: after each tick without a byte it is
# pinged, which it answers at once; after so many ticks in a row it is given up. Ticks, because a process that was
# stopped itself has missed one of them at most.
_TICK_S = 7.5
_SILENT_TICKS = 4

_INIT_WAIT = "init-wait"
_NOTICE_GROWTH = 4

TOKEN_FILE_SUFFIX = ".tcp"
_TOKEN = re.compile(r"(127\.[0-9.]{5,11}):([0-9]{1,5}) ([0-9a-f]{64})\n")

Body = Dict[str, Any]


class Prepared(NamedTuple):
    """A call that can be sent: where its answer goes, and its bytes; or its answer, where nobody needs to be asked."""

    name: str
    frame: bytes
    answer: Body = {}
    verb: str = ""


class Transport(Protocol):
    """How calls get to their answers."""

    def prepare(self, verb: str, body: Body) -> Prepared:
        """What :meth:`ask` sends."""
        ...

    def ask(self, prepared: Prepared) -> Body:
        """Makes a call that was prepared."""
        ...

    def call(self, verb: str, body: Body, notice: Optional["Notice"] = None) -> Body:
        """Prepares and asks."""
        ...

    def check_process(self) -> None:
        """Raises :class:`WrongStateError` where this process may not call."""
        ...

    def close(self) -> None:
        """Ends it."""
        ...


class _Call:
    """A call under way, and its outcome."""

    def __init__(self, verb: str) -> None:
        self.verb = verb
        self.body: Optional[Body] = None
        self.error: Optional[ScrError] = None

    @property
    def done(self) -> bool:
        return self.body is not None or self.error is not None


class Notice:
    """While a call waits long, the daemon is asked what for, beside it.

    After ``first_s``, then after four times as long, and so on; ``tell`` gets what it says.
    """

    def __init__(self, first_s: float, tell: Callable[[Body], None]) -> None:
        self._tell = tell
        self._begin_s = time.monotonic()
        self._next_s = first_s
        self._question: Optional[_Call] = None
        self.name = ""

    def left_s(self) -> float:
        """Until it is time to ask; not while a question is open."""
        return math.inf if self._question is not None else max(0.0, self._next_s - self._waited_s())

    def ask(self, name: str) -> _Call:
        """Asks now; the answer belongs to the call that is returned."""
        self._question, self.name = _Call(_INIT_WAIT), name
        self._next_s = _NOTICE_GROWTH * self._waited_s()
        return self._question

    def body(self) -> Body:
        """Of the question."""
        return {"waitedSeconds": int(self._waited_s())}

    def tell(self) -> None:
        """Hands over the answer, if it has come. An earlier daemon does not know the question."""
        question = self._question
        if question is not None and question.done:
            self._question = None
            if question.body is not None:
                self._tell(question.body)

    def _waited_s(self) -> float:
        return time.monotonic() - self._begin_s


class _Outgoing:
    """A frame on its way, and how much of it the socket has taken, piece by piece."""

    def __init__(self, frame: bytes) -> None:
        self.frame = frame
        self.sent: List[int] = []


class Connection:
    """One connection, and so one client of the daemon: its end is the loss of its rank. Any thread.

    A child that was forked has none: its copy of the socket is closed at once, so that the parent's death is seen even
    while the child lives, and each of its calls fails with :class:`WrongStateError`.
    """

    def __init__(self, path: str, tick_s: float = _TICK_S) -> None:
        """Connects; raises :class:`NodeLostError` if nobody listens there, or takes no connection for half a minute."""
        self._path = path
        self._tick_s = tick_s
        self._quiet = 0
        self._node: Optional[str] = None
        self._process = os.getpid()
        self._numbers = itertools.count(1)
        self._writing = threading.Lock()
        self._change = threading.Condition()
        self._waiting: Dict[str, _Call] = {}
        self._reader: Optional[int] = None
        self._end: Optional[str] = None
        self._outgoing = _Outgoing(b"")
        self._received: List[bytes] = []
        try:
            self._socket = _connected(path)
        except OSError as e:
            raise NodeLostError(f"no daemon listens on {path}: {e}; start `scr node`, or set SCR_SOCKET") from e
        _OPEN.add(self)

    def prepare(self, verb: str, body: Body) -> Prepared:
        """The bytes of a call; raises :class:`BadRequestError` for what cannot be sent."""
        name = str(next(self._numbers))
        return Prepared(
            name, _encoded({"type": "send", "address": "scr._." + verb, "replyAddress": name, "body": body}), verb=verb
        )

    def ask(self, prepared: Prepared, notice: Optional[Notice] = None) -> Body:
        """Sends a call and waits for the answer, as long as it takes: the daemon owns all waits, and always answers.

        Raises the :class:`ScrError` that the daemon answers, or :class:`NodeLostError` once the connection is gone, or the
        daemon has been silent for half a minute, pings included. An exception of a signal handler ends the wait; whether the call took effect is not known then.
        """
        self.check_process()
        call = _Call(prepared.verb)
        with self._change:
            self._check_open()
            if not self._waiting:
                self._quiet = 0
            self._waiting[prepared.name] = call
        try:
            self._send(prepared.frame)
            self._wait(call, notice)
        finally:
            with self._change:
                self._waiting.pop(prepared.name, None)
                if notice is not None:
                    self._waiting.pop(notice.name, None)
        if call.error is not None:
            raise call.error
        assert call.body is not None
        return call.body

    def call(self, verb: str, body: Body, notice: Optional[Notice] = None) -> Body:
        """Prepares and asks."""
        return self.ask(self.prepare(verb, body), notice)

    def check_process(self) -> None:
        """Raises :class:`WrongStateError` in a process that was forked from that of the connection."""
        if os.getpid() != self._process:
            raise WrongStateError(
                f"process {os.getpid()} was forked from process {self._process}, which is the rank; only that one may"
                " call. Let the parent make the calls, or start the child with another method than fork"
            )

    def close(self) -> None:
        """Ends the connection; calls that wait fail. Doing it twice, or in a forked child, does nothing."""
        if os.getpid() == self._process:
            self._finish("was closed by this process")

    # An exception of a signal handler may come between any two steps of Python, but not within a call into C. Therefore
    # `list.extend(map(...))`: what the socket has taken or given is on record before anything can be raised.

    def _send(self, frame: bytes) -> None:
        with self._writing:
            try:
                self._write_out()  # what a signal has left of the last one
                self._outgoing = _Outgoing(frame)
                self._write_out()
            except OSError:
                # The reader gets the daemon's last answers, if any, and then the end.
                self._shutdown(sockets.SHUT_WR)

    def _write_out(self) -> None:
        frame, sent = memoryview(self._outgoing.frame), self._outgoing.sent
        quiet = 0
        while sum(sent) < len(frame):
            try:
                sent.extend(map(self._socket.send, (frame[sum(sent) :],), (sockets.MSG_DONTWAIT,)))
                quiet = 0
            except BlockingIOError:
                if not self._ready(select.POLLOUT):
                    quiet += 1
                if quiet == _SILENT_TICKS:
                    self._finish(self._silence())
                    return

    def _ready(self, event: int, most_s: float = math.inf) -> bool:
        """Waits a tick, or less, until the socket is ready; whether it is."""
        descriptor = self._socket.fileno()
        if descriptor < 0:
            raise OSError(errno.EBADF, "the connection is closed")
        poll = select.poll()
        poll.register(descriptor, event)
        return bool(poll.poll(min(self._tick_s, most_s) * 1000))

    def _ping(self) -> None:
        """Asks for a sign of life; does nothing while another frame is on its way."""
        if not self._writing.acquire(blocking=False):
            return
        try:
            if sum(self._outgoing.sent) == len(self._outgoing.frame):
                self._outgoing = _Outgoing(_PING)
                # What the socket does not take of it goes before the next call.
                self._outgoing.sent.extend(map(self._socket.send, (_PING,), (sockets.MSG_DONTWAIT,)))
        except OSError:
            pass  # the reader finds out
        finally:
            self._writing.release()

    def _silence(self) -> str:
        with self._change:
            verbs = sorted({call.verb for call in self._waiting.values()})
        of = "" if self._node is None else f" of node {self._node}"
        return (
            f"was given up: the daemon{of} has been silent for {self._tick_s * _SILENT_TICKS:g} s while"
            f" {', '.join(verbs)} waited for an answer, and answers no ping; it is stopped or hangs"
        )

    def _wait(self, call: _Call, notice: Optional[Notice]) -> None:
        thread = threading.get_ident()
        while not call.done:
            try:
                with self._change:
                    while self._reader not in (None, thread) and not call.done:
                        self._change.wait()
                    if call.done:
                        return
                    self._reader = thread
                self._read(math.inf if notice is None else notice.left_s())
                if notice is not None:
                    notice.tell()
                    self._ask_if_due(notice, call)
            finally:
                with self._change:
                    if self._reader == thread:
                        self._reader = None
                        self._close_unless_read()
                        self._change.notify_all()

    def _ask_if_due(self, notice: Notice, call: _Call) -> None:
        """Asks what the call waits for."""
        if call.done or notice.left_s() > 0:
            return
        prepared = self.prepare(_INIT_WAIT, notice.body())
        with self._change:
            self._waiting.pop(notice.name, None)
            self._waiting[prepared.name] = notice.ask(prepared.name)
        self._send(prepared.frame)

    def _read(self, most_s: float) -> None:
        """Waits a tick, or less, for bytes, and delivers the answers that are whole. For one thread at a time."""
        try:
            if not self._ready(select.POLLIN, most_s):
                if most_s < self._tick_s:
                    return
                self._quiet += 1
                if self._quiet >= _SILENT_TICKS:
                    self._finish(self._silence())
                else:
                    self._ping()
                return
            self._quiet = 0
            self._received.extend(map(self._socket.recv, (_PIECE_BYTES,)))
            if self._received[-1] == b"":
                self._finish("ended: the daemon stopped or died")
            self._deliver()
        except OSError as e:
            self._finish(f"failed: {e}")
        except _BrokenFrame as e:
            self._finish(f"carried {e}")

    def _deliver(self) -> None:
        received = b"".join(self._received)
        while len(received) >= _LENGTH.size:
            (size,) = _LENGTH.unpack_from(received)
            if not 1 <= size <= MAX_FRAME_BYTES:
                raise _BrokenFrame(f"a frame of {size} bytes")
            end = _LENGTH.size + size
            if len(received) < end:
                return
            self._take(_decoded(received[_LENGTH.size : end]))  # after a signal perhaps twice, which changes nothing
            received = received[end:]
            self._received = [received]

    def _take(self, frame: Body) -> None:
        kind, name = frame.get("type"), frame.get("address")
        if kind == "pong":
            return
        if kind == "message":
            body = frame.get("body", {})
            if not isinstance(body, dict) or not isinstance(name, str):
                raise _BrokenFrame("an answer without body or address")
            if isinstance(body.get("node"), str):
                self._node = body["node"]
            self._complete(name, body, None)
        elif kind == "err":
            number, reason = frame.get("failureCode", 1), frame.get("message", "the daemon gave no reason")
            if type(number) is not int or not isinstance(reason, str):
                raise _BrokenFrame("a failure without number or reason")
            if name is None:
                raise _BrokenFrame(f"the daemon's refusal: {reason}")
            if not isinstance(name, str):
                raise _BrokenFrame("a failure with an address that is no text")
            self._complete(name, None, error_of(number, reason))
        else:
            raise _BrokenFrame(f"a frame of type {kind!r}"[:100])

    def _complete(self, name: str, body: Optional[Body], error: Optional[ScrError]) -> None:
        with self._change:
            call = self._waiting.get(name)  # none: its caller was interrupted
            if call is not None:
                call.body, call.error = body, error
                self._change.notify_all()

    def _finish(self, how: str) -> None:
        """Fails all that wait and all to come; only the first reason counts."""
        with self._change:
            if self._end is None:
                self._end = how
            for call in self._waiting.values():
                if not call.done:
                    call.error = self._lost()
            self._change.notify_all()
        # A thread that waits for bytes wakes up from this, and then closes.
        self._shutdown(sockets.SHUT_RDWR)
        with self._change:
            self._close_unless_read()

    def _close_unless_read(self) -> None:
        if self._end is not None and self._reader is None:
            self._socket.close()

    def _shutdown(self, how: int) -> None:
        try:
            self._socket.shutdown(how)
        except OSError:
            pass  # it is gone already

    def _lost(self) -> NodeLostError:
        return NodeLostError(f"the connection to the node's daemon at {self._path} {self._end}")

    def _check_open(self) -> None:
        if self._end is not None:
            raise self._lost()

    def _forget_after_fork(self) -> None:
        # close, not shutdown: the connection is the parent's, and goes on. Locks may be held by threads that are gone.
        self._socket.close()


def _connected(path: str) -> sockets.socket:
    """A connection to a Unix socket, or to the port of the loopback address that a token file names."""
    address: Any = path
    token = None
    if path.endswith(TOKEN_FILE_SUFFIX):
        address, token = _of_token_file(path)
    socket = _above_standard(
        sockets.socket(sockets.AF_UNIX if token is None else sockets.AF_INET, sockets.SOCK_STREAM)
    )
    try:
        dial(socket, address, path)
        if token is None and not is_ours(socket):
            raise NotAuthorizedError(f"the process that listens on {path} belongs to another user")
        if token is not None:
            socket.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 1)
            socket.sendall(_encoded({"type": "token", "token": token}))
    except BaseException:
        socket.close()
        raise
    return socket


def _above_standard(socket: sockets.socket) -> sockets.socket:
    """Not in the place of a standard stream: what a program that has none writes there is no frame."""
    if socket.fileno() > _STANDARD_ERROR:
        return socket
    with socket:
        return sockets.socket(fileno=fcntl.fcntl(socket, fcntl.F_DUPFD_CLOEXEC, _STANDARD_ERROR + 1))


def is_ours(socket: sockets.socket) -> bool:
    """Whether a process of this user, or of root, listens at the other end; root may call anybody's daemon."""
    if not hasattr(sockets, "SO_PEERCRED"):
        return True  # no Linux; the mode of the socket has to do
    credentials = socket.getsockopt(sockets.SOL_SOCKET, sockets.SO_PEERCRED, struct.calcsize("iII"))
    _, user, _ = struct.unpack("iII", credentials)
    return user in (os.geteuid(), 0) or os.geteuid() == 0


def _of_token_file(path: str) -> Tuple[Tuple[str, int], str]:
    with open(path, encoding="ascii", errors="replace") as file:
        owner = os.fstat(file.fileno()).st_uid
        if owner not in (os.geteuid(), 0) and os.geteuid() != 0:
            raise NotAuthorizedError(f"token file {path} belongs to another user")  # who would tell us where to write
        found = _TOKEN.fullmatch(file.read(256))
    if found is None or int(found.group(2)) > 65_535:
        raise BadConfigurationError(f"{path} is not a token file of a daemon")
    return (found.group(1), int(found.group(2))), found.group(3)


class _BrokenFrame(Exception):
    """Bytes that cannot be the daemon's, or its last words; the text goes after 'the connection carried'."""


def _encoded(frame: Body) -> bytes:
    try:
        text = json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError as e:
        raise BadRequestError(f"{e.object!r} cannot be sent: it is not valid Unicode") from e
    if len(text) > MAX_FRAME_BYTES:
        raise BadRequestError(f"a call of {len(text)} bytes; at most {MAX_FRAME_BYTES} are taken")
    return _LENGTH.pack(len(text)) + text


_PING = _encoded({"type": "ping"})


def _decoded(text: bytes) -> Body:
    try:
        frame = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as e:
        raise _BrokenFrame(f"a frame that cannot be read: {e}") from e
    if not isinstance(frame, dict):
        raise _BrokenFrame("a frame that is no JSON object")
    return frame


_OPEN: "weakref.WeakSet[Connection]" = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for connection in list(_OPEN):
        connection._forget_after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)
