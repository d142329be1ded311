"""Goal: no bytes of a daemon make the client crash, hang or mistake an answer for another; whatever ends a connection
is an error that says so. Method: a daemon of the test that sends what it likes."""

import os
import pickle
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import fake_daemon
from fake_daemon import FakeDaemon, Fault, Last, encoded

import scr
from scr._connection import Connection, Notice

SEED = int(os.environ.get("SCR_TEST_SEED", "1"))


def echo(call):
    return call["body"]


class ConnectionTest(unittest.TestCase):
    def open(self, daemon):
        connection = Connection(daemon.path)
        self.addCleanup(connection.close)
        return connection

    def test_an_answer_is_what_the_daemon_sent(self):
        with FakeDaemon(echo) as daemon:
            body = {"text": "naïve ☃ \U0001f40d", "number": 2**53 - 1, "list": [None, True, {}]}
            self.assertEqual(self.open(daemon).call("status", body), body)

    def quick(self, daemon):
        """Gives up after 0.2 s."""
        connection = Connection(daemon.path, tick_s=0.05)
        self.addCleanup(connection.close)
        return connection

    def test_a_silent_daemon_is_given_up_with_its_node_and_the_call(self):
        with FakeDaemon(lambda call: {"node": "n7"} if "init" in call["address"] else None) as daemon:
            daemon.answers_pings = False
            connection = self.quick(daemon)
            connection.call("init", {})
            with self.assertRaisesRegex(scr.NodeLostError, "node n7 .*silent for 0.2 s while start-output waited"):
                connection.call("start-output", {})
            with self.assertRaisesRegex(scr.NodeLostError, "silent"):
                connection.call("finalize", {})
            daemon.hung_up.wait()
            self.assertEqual(daemon.pings, 3)

    def test_a_call_may_take_long_while_the_daemon_answers_pings(self):
        with FakeDaemon(lambda call: None) as daemon:
            connection = self.quick(daemon)
            answer = []
            caller = threading.Thread(target=lambda: answer.append(connection.call("start-output", {})))
            caller.start()
            for _ in range(12):
                daemon.pinged.acquire()
            daemon.send(encoded({"type": "message", "address": "1", "body": {"dataset": 5}}))
            caller.join()
            self.assertEqual(answer, [{"dataset": 5}])

    def test_a_call_that_waits_long_is_told_what_for(self):
        questions = []

        def answer(call):
            if call["address"] == "scr._.finalize":
                daemon.send(encoded({"type": "message", "address": questions[2], "body": {"told": "late"}}))
                return {}
            if call["address"] != "scr._.init-wait":
                return None
            self.assertEqual(call["body"], {"waitedSeconds": 0})
            questions.append(call["replyAddress"])
            if len(questions) == 2:  # as a daemon that does not know the question
                raise Fault(21, "access_denied")
            if len(questions) == 3:
                return encoded({"type": "message", "address": "1", "body": {"node": "n7"}})
            return {"told": "rank 3"} if len(questions) == 1 else None

        told = []
        with FakeDaemon(answer) as daemon:
            connection = self.open(daemon)
            self.assertEqual(connection.call("init", {}, Notice(0.001, told.append)), {"node": "n7"})
            self.assertEqual(connection.call("finalize", {}), {})
        self.assertEqual(told, [{"told": "rank 3"}])
        self.assertEqual(daemon.verbs(), ["init", "init-wait", "init-wait", "init-wait", "finalize"])

    def test_a_daemon_that_takes_no_bytes_is_given_up_too(self):
        stopped = threading.Event()
        self.addCleanup(stopped.set)

        def stop(call):
            stopped.wait()

        with FakeDaemon(stop) as daemon:
            connection = self.quick(daemon)
            first = threading.Thread(target=lambda: self.assertRaises(scr.NodeLostError, connection.call, "init", {}))
            first.start()
            with self.assertRaisesRegex(scr.NodeLostError, "silent"):
                connection.call("complete-output", {"files": "x" * (8 << 20)})
            first.join()
            stopped.set()

    def test_no_daemon_is_an_error_that_names_the_socket(self):
        with self.assertRaisesRegex(scr.NodeLostError, "/no/such/scr.sock") as caught:
            Connection("/no/such/scr.sock")
        self.assertIsInstance(caught.exception.__cause__, OSError)

    def test_a_token_file_must_be_one(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = os.path.join(directory.name, "scr.tcp")
        token = "0123456789abcdef" * 4
        for text in ["", "\n", "127.0.0.1:1 x\n", f"127.0.0.1:65536 {token}\n", f"10.0.0.1:1 {token}\n",
                     f"127.0.0.1:1 {token}", f"127.0.0.1:1 {token}0\n", "\xff\n"]:  # fmt: skip
            with open(path, "w", encoding="latin-1") as file:
                file.write(text)
            with self.subTest(text=text), self.assertRaisesRegex(scr.BadConfigurationError, "not a token file"):
                Connection(path)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"127.0.0.1:1 {token}\n")
        with self.assertRaisesRegex(scr.NodeLostError, "start `scr node`"):
            Connection(path)
        with self.assertRaisesRegex(scr.NodeLostError, "start `scr node`"):
            Connection(path + "-none.tcp")

    def test_every_fault_has_its_class_and_an_unknown_one_is_internal(self):
        def refuse(call):
            raise fake_daemon.Fault(call["body"]["fault"], "because")

        with FakeDaemon(refuse) as daemon:
            connection = self.open(daemon)
            for fault in scr.Fault:
                with self.assertRaises(scr.ScrError) as caught:
                    connection.call("status", {"fault": int(fault)})
                self.assertEqual(caught.exception.fault, fault)
                self.assertIsNot(type(caught.exception), scr.ScrError)
                self.assertEqual(str(caught.exception), f"because [{fault.name}]")
                copy = pickle.loads(pickle.dumps(caught.exception))
                self.assertEqual((type(copy), str(copy)), (type(caught.exception), str(caught.exception)))
            with self.assertRaises(scr.InternalError):
                connection.call("status", {"fault": 4711})

    def test_threads_get_their_own_answers_in_whatever_order_they_come(self):
        waiting, lock = [], threading.Lock()

        def batch(call):
            with lock:
                waiting.append(call)
                if len(waiting) < 4:
                    return None
                random.Random(SEED).shuffle(waiting)
                out = [{"type": "message", "address": c["replyAddress"], "body": c["body"]} for c in waiting]
                waiting.clear()
                return b"".join(map(encoded, out))

        with FakeDaemon(batch) as daemon:
            connection, wrong = self.open(daemon), []

            def calls(number):
                for i in range(100):
                    if connection.call("status", {"is": [number, i]}) != {"is": [number, i]}:
                        wrong.append((number, i))

            threads = [threading.Thread(target=calls, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])

    def test_an_answer_that_comes_in_single_bytes_is_whole(self):
        whole = {}

        def slowly(call):
            whole["rest"] = encoded({"type": "message", "address": call["replyAddress"], "body": {"a": 1}})
            return None

        with FakeDaemon(slowly) as daemon:
            connection = self.open(daemon)
            result = []
            thread = threading.Thread(target=lambda: result.append(connection.call("status", {})))
            thread.start()
            while "rest" not in whole:
                pass
            for i in range(len(whole["rest"])):
                daemon.send(whole["rest"][i : i + 1])
            thread.join()
            self.assertEqual(result, [{"a": 1}])

    def test_an_answer_nobody_waits_for_changes_nothing(self):
        def twice(call):
            stray = encoded({"type": "message", "address": "4711", "body": {}})
            right = encoded({"type": "message", "address": call["replyAddress"], "body": call["body"]})
            return stray + encoded({"type": "pong"}) + right + right

        with FakeDaemon(twice) as daemon:
            connection = self.open(daemon)
            self.assertEqual([connection.call("status", {"n": n})["n"] for n in range(5)], list(range(5)))

    def test_a_daemon_that_dies_fails_all_who_wait_and_all_who_come(self):
        with FakeDaemon(lambda call: None) as daemon:
            connection, failed = self.open(daemon), []

            def call():
                try:
                    connection.call("status", {})
                except scr.NodeLostError as e:
                    failed.append(str(e))

            threads = [threading.Thread(target=call) for _ in range(3)]
            for thread in threads:
                thread.start()
            while len(daemon.calls) < 3:
                pass
            daemon.hang_up()
            for thread in threads:
                thread.join()
            call()
            self.assertEqual(len(failed), 4)
            self.assertTrue(all("the daemon stopped or died" in text for text in failed), failed)

    def test_close_ends_the_wait_of_another_thread(self):
        with FakeDaemon(lambda call: None) as daemon:
            connection, failed = self.open(daemon), []

            def call():
                try:
                    connection.call("status", {})
                except scr.NodeLostError as e:
                    failed.append(str(e))

            thread = threading.Thread(target=call)
            thread.start()
            while not daemon.calls:
                pass
            connection.close()
            connection.close()
            thread.join()
            self.assertIn("closed by this process", failed[0])

    def test_what_cannot_be_sent_is_refused_and_the_connection_goes_on(self):
        with FakeDaemon(echo) as daemon:
            connection = self.open(daemon)
            with self.assertRaisesRegex(scr.BadRequestError, "Unicode"):
                connection.call("status", {"name": "\udc80"})
            with self.assertRaisesRegex(scr.BadRequestError, "at most 16777216"):
                connection.call("status", {"name": "x" * (16 << 20)})
            self.assertEqual(connection.call("status", {"name": "x" * (15 << 20)}), {"name": "x" * (15 << 20)})


class InterruptTest(unittest.TestCase):
    """A signal whose handler raises, as that of Ctrl-C does."""

    def test_it_ends_the_wait_and_the_connection_goes_on(self):
        late = []

        def answer(call):
            if call["body"].get("late"):
                late.append(call)
                os.kill(os.getpid(), signal.SIGINT)
                return None
            old = [{"type": "message", "address": c["replyAddress"], "body": {"old": True}} for c in late]
            new = {"type": "message", "address": call["replyAddress"], "body": {"new": True}}
            return b"".join(map(encoded, old + [new]))

        with FakeDaemon(answer) as daemon:
            connection = Connection(daemon.path)
            for _ in range(20):
                with self.assertRaises(KeyboardInterrupt):
                    connection.call("status", {"late": True})
                self.assertEqual(connection.call("status", {}), {"new": True})
            connection.close()


class NoStreamsTest(unittest.TestCase):
    def test_what_a_program_writes_to_streams_that_it_has_not_is_no_frame(self):
        program = (
            "import os, sys\n"
            "from scr._connection import Connection\n"
            "connection = Connection(sys.argv[1])\n"
            "for stream in 0, 1, 2:\n"
            "    try:\n"
            "        os.write(stream, b'text')\n"
            "    except OSError:\n"
            "        pass\n"
            "connection.call('status', {})\n"
        )
        with FakeDaemon(echo) as daemon:
            watchdog = threading.Timer(60, daemon.hang_up)
            watchdog.start()
            environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(scr.__file__)))
            shell = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", program, daemon.path]
            self.assertEqual(subprocess.run(shell, env=environment).returncode, 0)
            watchdog.cancel()


class ForkTest(unittest.TestCase):
    def test_a_forked_child_is_told_and_the_parents_connection_goes_on(self):
        with FakeDaemon(echo) as daemon:
            connection = Connection(daemon.path)
            child = os.fork()
            if child == 0:
                try:
                    connection.close()
                    connection.call("status", {})
                except scr.WrongStateError as e:
                    os._exit(0 if "forked" in str(e) else 1)
                finally:
                    os._exit(2)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(connection.call("status", {"a": 1}), {"a": 1})
            connection.close()

    def test_the_end_of_the_parent_is_seen_while_its_child_lives(self):
        program = (
            "import os, sys, time\n"
            "from scr._connection import Connection\n"
            "connection = Connection(sys.argv[1])\n"
            "connection.call('status', {})\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    sys.stdin.read()\n"
            "    os._exit(0)\n"
            "os.write(1, b'%d\\n' % child)\n"
            "os._exit(0)\n"
        )
        with FakeDaemon(echo) as daemon:
            environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(scr.__file__)))
            parent = subprocess.Popen(
                [sys.executable, "-c", program, daemon.path],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
            )  # fmt: skip
            child = int(parent.stdout.readline())
            parent.wait()
            self.assertTrue(daemon.hung_up.wait(30))
            os.kill(child, 0)  # it lives
            parent.stdin.close()
            parent.stdout.close()


class BrokenFramesTest(unittest.TestCase):
    def outcome(self, data):
        """What a call ends with whose answer is these bytes, followed by the end of the connection."""
        with FakeDaemon(data if callable(data) else lambda call: Last(data)) as daemon:
            connection = Connection(daemon.path)
            try:
                return connection.call("status", {"a": 1})
            except scr.ScrError as e:
                return e
            finally:
                connection.close()

    def outcomes(self, answers):
        """The same for many; fails if one of them takes forever or is an error of another kind."""
        answers = list(answers)
        rest = iter(answers)
        with FakeDaemon(lambda call: Last(next(rest))) as daemon:
            for answer in answers:
                connection = Connection(daemon.path)
                watchdog = threading.Timer(30, daemon.hang_up)
                watchdog.start()
                try:
                    yield answer, connection.call("status", {})
                except scr.ScrError as e:
                    yield answer, e
                except Exception as e:
                    raise AssertionError(f"seed {SEED}, answer {answer!r}") from e
                finally:
                    watchdog.cancel()
                    connection.close()

    def test_each_kind_is_named(self):
        for data, expected in [
            (struct.pack(">I", 0), "a frame of 0 bytes"),
            (struct.pack(">I", (16 << 20) + 1), "a frame of 16777217 bytes"),
            (b"HTTP/1.1 400", "a frame of 1213486160 bytes"),
            (struct.pack(">I", 3) + b"abc", "cannot be read"),
            (struct.pack(">I", 2) + b"\xff\xfe", "cannot be read"),
            (struct.pack(">I", 200000) + b"[" * 200000, "cannot be read"),
            (struct.pack(">I", 2) + b"[]", "no JSON object"),
            (encoded({"type": "publish"}), "a frame of type 'publish'"),
            (encoded({}), "a frame of type None"),
            (encoded({"type": "message", "address": 1}), "without body or address"),
            (encoded({"type": "message", "address": "1", "body": []}), "without body or address"),
            (encoded({"type": "err", "address": "1", "failureCode": "2"}), "without number or reason"),
            (encoded({"type": "err", "failureCode": 2, "message": "no frame"}), "the daemon's refusal: no frame"),
            (b"", "the daemon stopped or died"),
        ]:
            with self.subTest(data=data[:40]):
                error = self.outcome(data)
                self.assertIsInstance(error, scr.NodeLostError)
                self.assertIn(expected, str(error))

    def test_a_failure_without_number_and_reason_is_still_one(self):
        error = self.outcome(lambda call: encoded({"type": "err", "address": call["replyAddress"]}))
        self.assertIsInstance(error, scr.InternalError)
        self.assertIn("gave no reason", str(error))

    def test_every_truncation_is_the_loss_of_the_node(self):
        whole = encoded({"type": "message", "address": "1", "body": {"a": 1}})
        for answer, outcome in self.outcomes(whole[:size] for size in range(len(whole))):
            self.assertIsInstance(outcome, scr.NodeLostError, answer)

    def test_every_flipped_bit_ends_in_an_answer_or_in_an_error_that_says_so(self):
        whole = encoded({"type": "message", "address": "1", "body": {"a": 1}})
        flipped = []
        for bit in range(8 * len(whole)):
            other = bytearray(whole)
            other[bit // 8] ^= 1 << bit % 8
            flipped.append(bytes(other))
        for answer, outcome in self.outcomes(flipped):
            self.assertIsInstance(outcome, (dict, scr.NodeLostError), answer)

    def test_random_bytes_and_frames_of_random_json_end_in_an_error(self):
        dice = random.Random(SEED)

        def value(depth):
            kind = dice.randrange(8 if depth else 6)
            if kind == 6:
                return [value(depth - 1) for _ in range(dice.randrange(3))]
            if kind == 7:
                return {dice.choice(WORDS): value(depth - 1) for _ in range(dice.randrange(4))}
            return [None, True, dice.randrange(-5, 1 << 40), dice.random(), dice.choice(WORDS), ""][kind]

        answers = [dice.randbytes(dice.randrange(40)) for _ in range(300)]
        for _ in range(300):
            frame = {name: value(2) for name in ("type", "address", "body", "failureCode", "message")}
            frame["type"] = dice.choice(["message", "err", frame["type"]])
            answers.append(encoded(frame))
        for answer, outcome in self.outcomes(answers):
            self.assertIsInstance(outcome, (dict, scr.ScrError), f"seed {SEED}: {answer!r}")

    @unittest.skipUnless(os.geteuid() == 0, "not root: no process can be another user's")
    def test_a_process_of_another_user_is_not_called(self):
        with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX) as listener:
            os.chmod(directory, 0o777)
            path = os.path.join(directory, "scr.sock")
            os.seteuid(MALLORY)
            try:
                listener.bind(path)
                listener.listen()  # from here on the kernel tells those who connect whose socket it is
                os.chmod(path, 0o777)
            finally:
                os.seteuid(0)
            self.assertEqual(self.call_as(MALLORY, path), 0)
            self.assertEqual(self.call_as(ALICE, path), 1)
            self.assertEqual(self.call_as(0, path), 0)  # as the daemons of others are called by root's commands

    def call_as(self, user, path):
        """0 for a connection, 1 for a refusal, 2 for anything else; of a child process."""
        child = os.fork()
        if child == 0:
            try:
                os.setuid(user)
                Connection(path)
                os._exit(0)
            except scr.NotAuthorizedError:
                os._exit(1)
            finally:
                os._exit(2)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


ALICE, MALLORY = 54321, 54322
WORDS = ["type", "address", "body", "message", "err", "1", "failureCode", "\u2603"]

if __name__ == "__main__":
    unittest.main()
