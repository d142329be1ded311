"""A daemon of a test: speaks the frames, and answers what the test says."""

import json
import os
import shutil
import signal
import socket
import struct
import tempfile
import threading
from typing import Any, Callable, Dict, List, Optional, Union

# A shell that starts us in the background has it ignored, which is inherited; tests of interrupts need it.
signal.signal(signal.SIGINT, signal.default_int_handler)

Answer = Union[Dict[str, Any], bytes, None]


class Last(bytes):
    """Bytes after which the daemon hangs up."""


class Fault(Exception):
    """Answers a call with a failure."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(number, message)
        self.number = number
        self.message = message


def encoded(frame: Dict[str, Any]) -> bytes:
    text = json.dumps(frame).encode()
    return struct.pack(">I", len(text)) + text


def answers(call: Dict[str, Any]) -> Dict[str, Any]:
    """What a run of one rank would hear, with a checkpoint to restart from."""
    verb, body = call["address"].rpartition(".")[2], call["body"]
    return {
        "init": lambda: {"run": 7, "node": "n1", "version": 1, "release": "1.2.3"},
        "have-restart": lambda: {"available": True, "dataset": 4, "name": "old"},
        "start-restart": lambda: {"dataset": 4, "name": "old", "directory": "/cache/4/rank.0"},
        "complete-restart": lambda: {"dataset": 4, "name": "old"},
        "start-output": lambda: {
            "dataset": 5, "name": body.get("name", "scr.dataset.5"), "directory": "/cache/5/rank.0"
        },
        "complete-output": lambda: {"dataset": 5, "name": "new"},
        "route": lambda: {"file": "/cache/5/rank.0/" + body["name"]},
        "need-checkpoint": lambda: {"need": True},
        "should-exit": lambda: {"exit": True, "reason": "told so"},
    }.get(verb, dict)()


class FakeDaemon:
    """Listens until it is closed. ``answer`` gets each call; ``calls`` has them all, in their order.

    It returns the body of the answer, or bytes to send as they are, or ``None`` for no answer at all.
    """

    def __init__(self, answer: Callable[[Dict[str, Any]], Answer] = answers) -> None:
        self.answer = answer
        self.calls: List[Dict[str, Any]] = []
        self.pings = 0
        self.pinged = threading.Semaphore(0)
        self.answers_pings = True
        self.hung_up = threading.Event()
        self._directory = tempfile.mkdtemp(prefix="scr")
        self.path = os.path.join(self._directory, "scr.sock")
        self._connections: List[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def __enter__(self) -> "FakeDaemon":
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self.hang_up()
        for thread in self._threads:
            thread.join()
        self._listener.close()
        shutil.rmtree(self._directory)

    def verbs(self) -> List[str]:
        return [call["address"].rpartition(".")[2] for call in self.calls]

    def bodies(self, verb: str) -> List[Dict[str, Any]]:
        return [call["body"] for call in self.calls if call["address"] == "scr._." + verb]

    def hang_up(self) -> None:
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def send(self, data: bytes) -> None:
        """To the last client that came."""
        self._connections[-1].sendall(data)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as stream:
            try:
                while self._answer(connection, stream):
                    pass
            except OSError:
                pass
            finally:
                self.hung_up.set()

    def _answer(self, connection: socket.socket, stream: Any) -> bool:
        length = stream.read(4)
        if len(length) < 4:
            return False
        call = json.loads(stream.read(struct.unpack(">I", length)[0]))
        if call["type"] == "ping":
            self.pings += 1
            self.pinged.release()
            if self.answers_pings:
                connection.sendall(encoded({"type": "pong"}))
            return True
        self.calls.append(call)
        try:
            answer = self.answer(call)
        except Fault as e:
            answer = encoded(
                {"type": "err", "address": call["replyAddress"], "failureCode": e.number, "message": e.message}
            )
        if isinstance(answer, dict):
            answer = encoded({"type": "message", "address": call["replyAddress"], "body": answer})
        if answer is not None:
            connection.sendall(answer)
        return not isinstance(answer, Last)
