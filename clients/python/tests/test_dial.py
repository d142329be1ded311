"""Goal: a daemon that takes no connection is given up in time, whatever signals come, and none is taken for one that is
there. Method: listeners whose backlog is full, as that of a stopped daemon is in the end."""

import os
import shutil
import signal
import socket
import tempfile
import threading
import unittest
import unittest.mock

import scr
from scr import _environment
from scr._connection import Connection

SHORT_S = 0.2
SIGNAL_EVERY_S = 0.02


class DialTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="scr")
        self.addCleanup(shutil.rmtree, self.directory)

    def listen(self, node, backlog):
        path = os.path.join(self.directory, "u", "scr.local", node, "scr.sock")
        os.makedirs(os.path.dirname(path))
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen(backlog)
        return path, listener

    def busy(self, node="n1"):
        """The path of a Unix socket whose backlog is full, and its listener."""
        path, listener = self.listen(node, 0)
        self.fill(socket.AF_UNIX, path)
        return path, listener

    def fill(self, family, address):
        for _ in range(8):
            filler = socket.socket(family)
            self.addCleanup(filler.close)
            filler.setblocking(False)
            if filler.connect_ex(address) != 0 and family == socket.AF_UNIX:
                return

    def signal_every(self, seconds):
        before = signal.signal(signal.SIGALRM, lambda *_: None)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)

    def assert_given_up(self, path):
        with unittest.mock.patch("scr._dial.DIAL_S", SHORT_S):
            with self.assertRaisesRegex(scr.NodeLostError, f"{path}.* taken no connection for 0.2 s; it is stopped"):
                Connection(path)

    def test_a_daemon_that_takes_no_connection_is_given_up(self):
        self.assert_given_up(self.busy()[0])

    def test_what_the_program_has_as_default_for_its_own_sockets_does_not_count(self):
        self.addCleanup(socket.setdefaulttimeout, None)
        path, _ = self.busy()
        socket.setdefaulttimeout(0.01)
        self.assert_given_up(path)
        connection = Connection(self.free("n2"))
        self.addCleanup(connection.close)
        self.assertIsNone(connection._socket.gettimeout())

    def test_signals_do_not_prolong_it(self):
        path, _ = self.busy()
        self.signal_every(SIGNAL_EVERY_S)
        self.assert_given_up(path)

    def test_a_signal_ends_no_attempt(self):
        path, listener = self.busy()
        came = threading.Event()
        signals = []

        def take_after_signals():
            came.wait()
            try:
                while True:
                    listener.accept()[0].close()
            except OSError:
                pass  # the end of the test

        taker = threading.Thread(target=take_after_signals, daemon=True)
        taker.start()
        self.signal_every(SIGNAL_EVERY_S)
        signal.signal(signal.SIGALRM, lambda *_: signals.append(1) or (came.set() if len(signals) > 1 else None))
        connection = Connection(path)
        connection._socket.getpeername()  # it is connected
        connection.close()
        listener.shutdown(socket.SHUT_RDWR)
        taker.join()

    def test_a_port_that_takes_no_connection_is_given_up_too(self):
        listener = socket.socket()
        self.addCleanup(listener.close)
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        self.fill(socket.AF_INET, listener.getsockname())
        path = os.path.join(self.directory, "scr.tcp")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"127.0.0.1:{listener.getsockname()[1]} {'0' * 64}\n")
        self.assert_given_up(path)

    def free(self, node):
        """The path of a socket whose listener has room."""
        return self.listen(node, 8)[0]

    def test_one_of_the_control_directory_is_told_and_not_passed_over_but_for_that_of_this_host(self):
        path, _ = self.busy("n1")
        self.free("n2")
        environment = {"SCR_CNTL_BASE": self.directory, "USER": "u"}
        with unittest.mock.patch("scr._dial.DIAL_S", SHORT_S):
            with self.assertRaisesRegex(scr.NodeLostError, f"{path}.* taken no connection"):
                _environment.socket_path(environment)
            of_host = self.free(socket.gethostname())
            self.assertEqual(_environment.socket_path(environment), of_host)


if __name__ == "__main__":
    unittest.main()
