"""Goal: the calls are SCR's, numbered as docs/messages.md says, and legal only where they are; a dataset that is left
by an exception is never called valid. Method: a daemon of the test that answers, refuses, falls silent or talks
nonsense."""

import contextlib
import io
import logging
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import unittest
import unittest.mock

import fake_daemon
from fake_daemon import FakeDaemon, encoded

import scr
from scr._dataset import RestartBlock
from scr._settings import Settings

COLLECTIVE = {
    "have-restart": lambda s: s.have_restart(),
    "start-restart": lambda s: s.start_restart(),
    "complete-restart": lambda s: s.complete_restart(),
    "start-output": lambda s: s.start_output("new", scr.FLAG_CHECKPOINT),
    "complete-output": lambda s: s.complete_output(),
    "current": lambda s: s.current("d"),
    "drop": lambda s: s.drop("d"),
    "delete": lambda s: s.delete("d"),
    "finalize": lambda s: s.finalize(),
}
ANY_STATE = {"need-checkpoint": lambda s: s.need_checkpoint(), "should-exit": lambda s: s.should_exit()}


class SessionCase(unittest.TestCase):
    def setUp(self):
        self.daemon = FakeDaemon()
        self.addCleanup(self.daemon.__exit__)

    def open(self, rank=3):
        session = scr.open_session(rank, 8, prefix="/p", socket=self.daemon.path, job_name="job")
        self.addCleanup(session.close)
        return session

    def fail_once(self, verb, fault):
        """The next call of this verb is answered so, all others as usual."""
        failed = []

        def answer(call):
            if call["address"] == "scr._." + verb and not failed:
                failed.append(call)
                raise fake_daemon.Fault(fault, "because")
            return fake_daemon.answers(call)

        self.daemon.answer = answer


class ShardTest(SessionCase):
    def test_a_range_of_another_ranks_file_is_asked_for_and_read(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"....shard..")
            file.flush()

            def answer(call):
                verb = call["address"].rpartition(".")[2]
                more = {
                    "start-restart": {"writers": 9}, "shard": {"file": file.name, "offset": 4, "bytes": 5},
                }.get(verb, {})  # fmt: skip
                return {**fake_daemon.answers(call), **more}

            self.daemon.answer = answer
            session = self.open()
            self.assertIsNone(session.writers)
            with self.assertRaisesRegex(scr.WrongStateError, "no checkpoint is being read"):
                session.shard("a")
            session.have_restart()
            session.start_restart()
            self.assertEqual(session.writers, 9)
            self.assertEqual(session.shard("d/a", 7, 5, writer=8).read(), b"shard")
            self.assertEqual(session.shard("a"), scr.Shard(file.name, 4, 5))
            with self.assertRaisesRegex(scr.CorruptError, "ends before byte 99"):
                scr.Shard(file.name, 90, 9).read()
            session.complete_restart()
            self.assertIsNone(session.writers)
            where = {"run": 7, "rank": 3, "directory": os.getcwd()}
            self.assertEqual(self.daemon.bodies("shard"), [
                {**where, "name": "d/a", "offset": 7, "bytes": 5, "writer": 8}, {**where, "name": "a", "offset": 0},
            ])  # fmt: skip

    def test_no_working_directory_is_needed_where_names_are_absolute(self):
        """Of a job that cleans up too early."""
        session = self.open()
        before = os.getcwd()
        gone = tempfile.mkdtemp(prefix="scr")
        os.chdir(gone)
        self.addCleanup(os.chdir, before)
        os.rmdir(gone)
        more = {"shard": {"file": "/f", "offset": 0, "bytes": 1}}
        self.daemon.answer = lambda call: more.get(call["address"].rpartition(".")[2]) or fake_daemon.answers(call)
        session.have_restart()
        session.start_restart()
        for verb, call in (("shard", session.shard), ("route", session.route_file)):
            call("/p/a")
            self.assertEqual([body["name"] for body in self.daemon.bodies(verb)], ["/p/a"])
            with self.assertRaisesRegex(scr.InputOutputError, "rank 3: 'a'.*No such file"):
                call("a")

    def test_a_checkpoint_of_shards_says_so(self):
        session = self.open()
        with unittest.mock.patch("scr._session", session), scr.checkpoint("new", shards=True):
            pass
        self.assertEqual([body["flags"] for body in self.daemon.bodies("start-output")], [5])


class FlushTest(SessionCase):
    def test_a_rank_asks_and_waits_by_itself(self):
        answers = [(False, True), (False, True), (True, False)]

        def answer(call):
            if call["address"].startswith("scr._.flush-"):
                flushed, wanted = answers.pop(0)
                return {"flushed": flushed, "wanted": wanted}
            return fake_daemon.answers(call)

        session = self.open()
        self.daemon.answer = answer
        self.assertFalse(session.flushed("d"))
        self.assertTrue(session.await_flush("d"))
        self.assertEqual([], answers)

    def test_what_fails_names_the_rank(self):
        session = self.open()
        self.fail_once("flush-wait", 9)
        with self.assertRaises(scr.NoSuchDatasetError) as caught:
            session.await_flush("d")
        self.assertEqual(3, caught.exception.rank)


class CallsTest(SessionCase):
    def test_init_says_who_it_is(self):
        session = self.open()
        body = self.daemon.bodies("init")[0]
        self.assertEqual(body.pop("environment"), {k: v for k, v in os.environ.items() if k.startswith("SCR_")})
        self.assertEqual(body, {"rank": 3, "ranks": 8, "prefix": "/p", "jobName": "job", "config": []})
        self.assertEqual((session.rank, session.ranks, session.node, session.prefix), (3, 8, "n1", "/p"))

    def test_a_whole_run_is_numbered_without_a_gap(self):
        session = self.open()
        self.assertEqual(session.have_restart(), "old")
        self.assertEqual(session.start_restart(), "old")
        session.complete_restart()
        self.assertEqual(session.start_output(None, scr.FLAG_OUTPUT | scr.FLAG_CHECKPOINT), "scr.dataset.5")
        session.complete_output(True)
        self.assertEqual(session.start_checkpoint("new"), "new")
        self.assertTrue(session.need_checkpoint())
        self.assertTrue(session.should_exit())
        self.assertEqual(session.exit_reason, "told so")
        session.complete_checkpoint()
        self.assertTrue(session.should_exit())
        session.current("a")
        session.drop("b")
        session.delete("c")
        session.finalize()
        sent = [(verb, call["body"]) for verb, call in zip(self.daemon.verbs(), self.daemon.calls)][1:]
        self.assertTrue(all(body.pop("run") == 7 and body.pop("rank") == 3 for _, body in sent))
        self.assertEqual(sent, [
            ("have-restart", {"call": 1}), ("start-restart", {"call": 2}),
            ("complete-restart", {"call": 3, "valid": True}), ("start-output", {"call": 4, "flags": 3}),
            ("complete-output", {"call": 5, "valid": True}), ("start-output", {"call": 6, "name": "new", "flags": 1}),
            ("need-checkpoint", {"call": 1}), ("should-exit", {"call": 1}),
            ("complete-output", {"call": 7, "valid": True}), ("should-exit", {"call": 2}),
            ("current", {"call": 8, "name": "a"}), ("drop", {"call": 9, "name": "b"}),
            ("delete", {"call": 10, "name": "c"}), ("finalize", {"call": 11}),
        ])  # fmt: skip

    def test_without_a_checkpoint_there_is_no_name(self):
        self.daemon.answer = lambda call: (
            {"available": False} if "have" in call["address"] else fake_daemon.answers(call)
        )
        self.assertIsNone(self.open().have_restart())

    def test_route_asks_the_daemon_in_a_phase_and_nobody_outside(self):
        session = self.open()
        self.assertEqual(session.route_file("a/../b"), "a/../b")
        self.assertEqual(self.daemon.verbs(), ["init"])
        session.start_checkpoint()
        self.assertEqual(session.route_file("b"), "/cache/5/rank.0/b")
        self.assertEqual(session.route_file(fname=pathlib.Path("c/d")), "/cache/5/rank.0/c/d")
        self.assertEqual([(body["run"], body["rank"], body["name"], body["directory"])
                          for body in self.daemon.bodies("route")],
                         [(7, 3, "b", os.getcwd()), (7, 3, "c/d", os.getcwd())])  # fmt: skip

    def test_every_collective_call_where_it_is_not_legal_is_refused_and_not_sent(self):
        legal = {"": {*COLLECTIVE} - {"complete-restart", "complete-output"}, "start-output": {"complete-output"},
                 "start-restart": {"complete-restart"}}  # fmt: skip
        for state, calls in legal.items():
            for verb in {*COLLECTIVE} - calls:
                with self.subTest(state=state, verb=verb):
                    session = self.open()
                    if state:
                        COLLECTIVE[state](session)
                    sent = len(self.daemon.calls)
                    with self.assertRaisesRegex(scr.WrongStateError, f"rank 3: {verb} is not possible"):
                        COLLECTIVE[verb](session)
                    self.assertEqual(len(self.daemon.calls), sent)

    def test_after_finalize_nothing_is_possible_but_to_route(self):
        session = self.open()
        session.finalize()
        self.assertEqual(session.route_file("a/../b"), "a/../b")
        for call in [*COLLECTIVE.values(), *ANY_STATE.values()]:
            with self.assertRaisesRegex(scr.WrongStateError, "finalize was called before"):
                call(session)

    def test_a_second_collective_call_while_one_is_under_way_is_refused(self):
        session = self.open()
        self.daemon.answer = lambda call: None if "start" in call["address"] else fake_daemon.answers(call)
        thread = threading.Thread(target=lambda: self.assertRaises(scr.NodeLostError, session.start_checkpoint))
        thread.start()
        while self.daemon.verbs()[-1] != "start-output":
            pass
        for call in (lambda: session.drop("x"), lambda: session.route_file("f")):
            with self.assertRaisesRegex(scr.WrongStateError, "start-output is under way in another thread"):
                call()
        self.assertTrue(session.should_exit())  # has numbers of its own
        self.daemon.hang_up()
        thread.join()


class FailuresTest(SessionCase):
    def test_each_fault_leaves_the_number_and_the_phase_as_the_table_says(self):
        again = {"BUSY", "STOPPING", "TIMEOUT", "BAD_REQUEST"}
        open_still = {"WRONG_STATE", "UNKNOWN_RANK", "RANKS_DISAGREE"}
        not_valid = {"NOT_VALID", "FILE_CHANGED", "NO_SPACE", "IO", "CORRUPT", "TOO_MANY_LOST", "NO_SUCH_FILE",
                     "NO_SUCH_DATASET", "OUTSIDE_PREFIX"}  # fmt: skip
        for fault in set(scr.Fault) - {scr.Fault.RANK_LOST, scr.Fault.NODE_LOST, scr.Fault.HALTED}:
            with self.subTest(fault=fault.name):
                session = self.open()
                session.start_checkpoint()
                self.fail_once("complete-output", fault)
                if fault.name in not_valid:
                    self.assertIs(session.complete_checkpoint(), False)
                else:
                    with self.assertRaises(scr.ScrError) as caught:
                        session.complete_checkpoint()
                    self.assertEqual((caught.exception.fault, caught.exception.rank), (fault, 3))
                counted = fault.name not in again
                self.assertEqual(session.is_open(), fault.name in again | open_still)
                if session.is_open():
                    self.assertIs(session.complete_checkpoint(), True)
                else:
                    session.drop("next")
                self.assertEqual(self.daemon.calls[-1]["body"]["call"], 3 if counted else 2)

    def test_files_that_are_not_valid_on_some_rank_are_an_answer_and_rank_0_says_why(self):
        for rank, said in ((0, "scr: because\n"), (1, "")):
            session = self.open(rank)
            for start, complete in (("start_checkpoint", "complete_checkpoint"), ("start_restart", "complete_restart")):
                verb = "complete-restart" if complete == "complete_restart" else "complete-output"
                with self.subTest(rank=rank, call=complete), contextlib.redirect_stderr(io.StringIO()) as err:
                    getattr(session, start)()
                    self.fail_once(verb, scr.Fault.NOT_VALID)
                    self.assertIs(getattr(session, complete)(), False)
                    self.assertEqual(err.getvalue(), said)
                    getattr(session, start)()
                    self.assertIs(getattr(session, complete)(1), True)  # numbers will do, as in SCR

    def test_every_failure_is_a_runtime_error(self):
        self.assertTrue(issubclass(scr.ScrError, RuntimeError))
        session = self.open()
        self.fail_once("have-restart", scr.Fault.IO)
        with self.assertRaisesRegex(RuntimeError, "because"):
            session.have_restart()

    def test_after_a_timeout_only_the_same_call_is_possible(self):
        for verb in {*COLLECTIVE} - {"complete-restart", "complete-output"}:
            with self.subTest(verb=verb):
                session = self.open()
                self.fail_once(verb, scr.Fault.TIMEOUT)
                with self.assertRaises(scr.CallTimeoutError):
                    COLLECTIVE[verb](session)
                other = "drop" if verb != "drop" else "current"
                with self.assertRaisesRegex(scr.WrongStateError, "make that call again first"):
                    COLLECTIVE[other](session)
                COLLECTIVE[verb](session)
                self.assertEqual([body["call"] for body in self.daemon.bodies(verb)][-2:], [1, 1])

    def test_a_run_that_is_over_says_so_in_every_later_call(self):
        for fault, kind in ((scr.Fault.RANK_LOST, scr.RankLostError), (scr.Fault.NODE_LOST, scr.NodeLostError)):
            session = self.open()
            session.start_checkpoint()
            self.fail_once("complete-output", fault)
            for call in (session.complete_checkpoint, session.should_exit, lambda: session.route_file("f")):
                with self.assertRaisesRegex(kind, "because"):
                    call()

    def test_a_run_that_is_halted_at_once_can_only_be_finalized(self):
        for verb in ("complete-output", "should-exit"):
            call = {**COLLECTIVE, **ANY_STATE}[verb]
            session = self.open()
            session.start_checkpoint()
            self.fail_once(verb, scr.Fault.HALTED)
            with self.assertRaises(scr.HaltedError):
                call(session)
            with self.assertRaisesRegex(scr.HaltedError, "because"):
                session.start_checkpoint()
            session.finalize()

    def test_where_the_run_is_to_stop_by_itself_a_complete_finalizes_and_exits(self):
        self.daemon.answer = lambda call: {**fake_daemon.answers(call), **(
            {"exit": True, "halt": "TIME_EXPIRED"} if "complete" in call["address"] else {})}  # fmt: skip
        session = self.open()
        session.start_checkpoint()
        with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(io.StringIO()) as printed:
            session.complete_checkpoint()
        self.assertEqual(caught.exception.code, 0)
        self.assertIn("rank 3: the run ends here (SCR_HALT_EXIT=1): TIME_EXPIRED", printed.getvalue())
        self.assertEqual(self.daemon.verbs()[-1], "finalize")

    def test_a_program_without_a_standard_error_hears_nothing_and_finalizes_too(self):
        self.daemon.answer = lambda call: {**fake_daemon.answers(call), **(
            {"exit": True, "halt": "TIME_EXPIRED"} if "complete" in call["address"] else {})}  # fmt: skip
        session = self.open()
        session.start_checkpoint()
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(None):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                session.complete_checkpoint()
        self.assertEqual((self.daemon.verbs()[-1], printed.getvalue()), ("finalize", ""))

    def test_what_standard_error_does_not_take_changes_no_outcome(self):
        self.daemon.answer = lambda call: {**fake_daemon.answers(call), "remarks": ["x"]}
        closed, broken = io.StringIO(), io.StringIO()
        closed.close()  # as the program may do, or who reads what it says
        broken.write = unittest.mock.Mock(side_effect=BrokenPipeError)
        for error in closed, broken:
            with contextlib.redirect_stderr(error):
                session = self.open()
                self.assertTrue(session.need_checkpoint())
                session.start_checkpoint()
                self.assertTrue(session.complete_checkpoint())
                session.finalize()
        broken.write.assert_called()

    def test_where_no_run_may_begin_every_rank_ends_and_rank_0_says_why(self):
        for rank, said in ((0, "scr: the run ends here (SCR_HALT_EXIT=1): because\n"), (3, "")):
            self.fail_once("init", scr.Fault.HALT_EXIT)
            with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(io.StringIO()) as printed:
                self.open(rank)
            self.assertEqual((caught.exception.code, printed.getvalue()), (0, said))

    def test_an_interrupted_call_is_made_again_with_its_number(self):
        session = self.open()

        def interrupt(call):
            os.kill(os.getpid(), signal.SIGINT)

        self.daemon.answer = interrupt
        with self.assertRaises(KeyboardInterrupt):
            session.start_checkpoint("a")
        self.daemon.answer = fake_daemon.answers
        with self.assertRaises(scr.WrongStateError):
            session.drop("b")
        session.start_checkpoint("a")
        self.assertEqual([body["call"] for body in self.daemon.bodies("start-output")], [1, 1])

    def interrupted_at(self, moment, call):
        """Where signals are handled: at the begin of a function, and after one that is not Python's."""
        seen = 0

        def profile(frame, event, _):
            nonlocal seen
            if event in ("call", "c_return") and frame.f_globals["__name__"].startswith("scr."):
                seen += 1
                if seen == moment:
                    sys.setprofile(None)
                    raise KeyboardInterrupt

        sys.setprofile(profile)
        try:
            call()
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(None)
        return False

    def test_an_interrupt_at_any_moment_of_a_call_leaves_it_to_be_made_again(self):
        phase, last = [], {}

        def answer(call):  # as the daemons: a number that comes again gets its answer again, and has no second effect
            verb, body = call["address"].rpartition(".")[2], call["body"]
            number = body.get("call", 0)
            if number not in (0, last.get("call")):
                if number != last.get("call", 0) + 1 or (verb == "complete-output") != bool(phase):
                    raise fake_daemon.Fault(scr.Fault.WRONG_STATE, f"{verb} with number {number} after {last}")
                last["call"] = number
                phase[:] = ["output"] if verb == "start-output" else []
            return fake_daemon.answers(call)

        self.daemon.answer = answer
        calls = [lambda s: s.start_output("a", 1), lambda s: s.complete_output(), lambda s: s.have_restart()]
        for number, call in enumerate(calls):
            for moment in range(1, 10_000):
                last.clear()
                phase.clear()
                session = self.open()
                for before in calls[:number]:
                    before(session)
                if not self.interrupted_at(moment, lambda: call(session)):  # noqa: B023
                    break
                for after in calls[number:]:
                    after(session)
                session.close()
            self.assertGreater(moment, 20)

    def test_an_interrupt_at_any_moment_leaves_a_restart_block_to_be_entered_again(self):
        """The other ranks, which nothing has interrupted, make the same calls with the same numbers."""
        for available in (True, False):
            calls = ["have-restart", "start-restart", "complete-restart"] if available else ["have-restart", "drop"]
            last = [0]

            def answer(call):
                verb, number = call["address"].rpartition(".")[2], call["body"].get("call", 0)
                if number:
                    if number not in (last[0], last[0] + 1) or calls[number - 1] != verb:  # noqa: B023
                        raise fake_daemon.Fault(scr.Fault.RANKS_DISAGREE, f"{verb} with number {number}")
                    last[0] = number  # noqa: B023
                return fake_daemon.answers(call) if verb != "have-restart" or available else {"available": False}  # noqa: B023

            self.daemon.answer = answer
            for moment in range(1, 10_000):
                last[0] = 0
                session = self.open()
                if not self.interrupted_at(moment, RestartBlock(session).__enter__):
                    break
                with RestartBlock(session) as checkpoint:
                    self.assertEqual(checkpoint.name if checkpoint else None, "old" if available else None)
                    if available:
                        with self.assertRaises(scr.WrongStateError):
                            RestartBlock(session).__enter__()
                if not available:
                    session.drop("d")
                self.assertEqual(last[0], len(calls))
                session.close()
            self.assertGreater(moment, 40 if available else 20)

    def test_an_interrupted_block_is_forgotten_where_the_program_goes_on_without(self):
        session = self.open()
        self.fail_once("start-restart", scr.Fault.NO_SUCH_DATASET)
        with self.assertRaises(scr.NoSuchDatasetError):
            RestartBlock(session).__enter__()
        with RestartBlock(session):
            pass
        self.fail_once("start-restart", scr.Fault.BUSY)
        for _ in range(2):
            with self.assertRaises(scr.BusyError):
                RestartBlock(session).__enter__()
            self.fail_once("start-restart", scr.Fault.BUSY)  # the block goes on where it was refused
        session.drop("d")
        self.daemon.answer = fake_daemon.answers
        with RestartBlock(session):
            pass
        calls = ["have-restart", "start-restart", "have-restart", "start-restart", "complete-restart", "have-restart",
                 "start-restart", "start-restart", "drop", "have-restart", "start-restart", "complete-restart"]  # fmt: skip
        self.assertEqual(self.daemon.verbs()[1:], calls)

    def test_what_cannot_be_sent_takes_no_number(self):
        session = self.open()
        with self.assertRaises(scr.BadRequestError):
            session.start_checkpoint("\udc80")
        session.start_checkpoint("a")
        self.assertEqual(self.daemon.bodies("start-output")[0]["call"], 1)

    def test_answers_that_make_no_sense_are_errors_that_name_the_field(self):
        nonsense = [None, True, 1, 1.5, "x", [], {}, [1], [{"path": 1, "name": "x"}]]
        for verb, field in [("init", "run"), ("init", "node"), ("init", "version"), ("init", "release"),
                            ("have-restart", "available"),
                            ("have-restart", "name"), ("start-output", "dataset"), ("start-output", "name"),
                            ("start-output", "directory"), ("start-restart", "files"), ("need-checkpoint", "need"),
                            ("should-exit", "exit"), ("should-exit", "reason")]:  # fmt: skip
            calls = {**COLLECTIVE, **ANY_STATE, "init": lambda _: self.open()}
            for value in nonsense:
                self.daemon.answer = fake_daemon.answers
                session = self.open()
                right = fake_daemon.answers({"address": verb, "body": {}}).get(field, [])
                self.daemon.answer = lambda call, v=verb, f=field, x=value: (
                    {**fake_daemon.answers(call), **({f: x} if call["address"].endswith("." + v) else {})}
                )
                if type(value) is type(right) and value != [1] and value != nonsense[-1]:
                    if (verb, field) != ("init", "version") or value == 1:
                        calls[verb](session)
                    continue
                with self.subTest(verb=verb, field=field, value=value):
                    with self.assertRaisesRegex(scr.ScrError, "field '"):
                        calls[verb](session)

    def test_what_rank_0_is_told_with_any_answer_is_said_once_on_standard_error(self):
        told = {"init": ["no checkpoint", "made"], "current": ["left alone"], "have-restart": ["passed over"],
                "need-checkpoint": ["by the interval"]}

        def answer(call):
            remarks = told.get(call["address"].rpartition(".")[2])
            return {**fake_daemon.answers(call), **({"remarks": remarks} if remarks else {})}

        self.daemon.answer = answer
        with contextlib.redirect_stderr(io.StringIO()) as err:
            session = self.open()
            session.current("step-2")
            session.have_restart()
            self.assertTrue(session.need_checkpoint())
            session.drop("step-3")
        self.assertEqual(err.getvalue(), "".join(f"scr: {remark}\n" for remarks in told.values() for remark in remarks))
        for nonsense in ("x", [1], None):
            self.daemon.answer = lambda call, x=nonsense: {**fake_daemon.answers(call), "remarks": x}
            with self.assertRaisesRegex(scr.ScrError, "field 'remarks'"):
                self.open()

    def test_a_daemon_of_another_version_is_refused(self):
        self.daemon.answer = lambda call: {"run": 7, "node": "n1", "version": 2}
        with self.assertRaisesRegex(scr.BadRequestError, "version 2 .* version 1"):
            self.open()


class BlocksTest(SessionCase):
    """The context managers of the module, and its session."""

    def setUp(self):
        super().setUp()
        self.session = scr.init(rank=0, ranks=1, prefix="/p", socket=self.daemon.path)
        self.addCleanup(self.end)

    def end(self):
        """The session of the module is over for the next test."""
        self.session.close()
        with self.assertRaises(scr.ScrError):
            self.session.should_exit()

    def valid(self, verb="complete-output"):
        return [body["valid"] for body in self.daemon.bodies(verb)]

    def test_a_block_that_ends_well_completes_as_valid(self):
        with scr.checkpoint("a") as checkpoint:
            self.assertEqual(checkpoint.name, "a")
            self.assertEqual(checkpoint.route("f"), "/cache/5/rank.0/f")
            self.assertEqual(self.valid(), [])
        self.assertEqual(self.valid(), [True])
        with scr.output("b"), self.assertRaises(scr.WrongStateError):
            scr.start_output("c", scr.FLAG_OUTPUT)
        self.assertEqual([body["flags"] for body in self.daemon.bodies("start-output")], [1, 2])

    def test_an_exception_completes_as_invalid_and_goes_on_as_it_was(self):
        for kind in (ValueError, KeyboardInterrupt, SystemExit, scr.NoSpaceError):
            failure = kind("mine")
            self.daemon.calls.clear()
            self.fail_once("complete-output", scr.Fault.NOT_VALID)
            with self.assertRaises(kind) as caught:
                with scr.checkpoint("a"):
                    raise failure
            self.assertIs(caught.exception, failure)
            self.assertEqual(self.valid(), [False])
            self.assertFalse(self.session.is_open())

    def test_an_exception_is_not_hidden_by_a_run_that_ends_meanwhile(self):
        self.fail_once("complete-output", scr.Fault.RANK_LOST)
        with self.assertLogs("scr", logging.WARNING) as logs, self.assertRaises(ValueError):
            with scr.checkpoint("a"):
                raise ValueError("mine")
        self.assertIn("RANK_LOST", logs.output[0])

    def test_invalid_files_of_another_rank_are_an_error_of_the_block(self):
        self.fail_once("complete-output", scr.Fault.NOT_VALID)
        with self.assertRaises(scr.NotValidError):
            with scr.checkpoint("a"):
                pass
        with scr.checkpoint("b"):
            pass

    def test_a_rank_may_complete_before_the_end_of_the_block(self):
        self.fail_once("complete-output", scr.Fault.NOT_VALID)
        with scr.checkpoint("a") as checkpoint, self.assertRaises(scr.NotValidError):
            checkpoint.complete(valid=False)
        self.assertEqual(self.valid(), [False])

    def test_a_complete_that_can_be_made_again_is_left_to_the_block(self):
        self.fail_once("complete-output", scr.Fault.BUSY)
        with scr.checkpoint("a") as checkpoint, self.assertRaises(scr.BusyError):
            checkpoint.complete()
        self.assertEqual([body["call"] for body in self.daemon.bodies("complete-output")], [2, 2])

    def test_a_restart_is_read_or_is_not_there(self):
        with scr.restart() as checkpoint:
            self.assertEqual((checkpoint.name, checkpoint.route("f")), ("old", "/cache/5/rank.0/f"))
        self.assertEqual(self.valid("complete-restart"), [True])
        self.daemon.answer = lambda call: {"available": False}
        with scr.restart() as checkpoint:
            self.assertIsNone(checkpoint)
        self.assertEqual(self.valid("complete-restart"), [True])

    def test_a_checkpoint_that_cannot_be_read_is_called_so(self):
        with self.assertRaises(OSError):
            with scr.restart():
                raise OSError("mine")
        self.assertEqual(self.valid("complete-restart"), [False])

    def test_init_twice_is_refused_and_after_the_end_begins_the_next_run(self):
        with self.assertRaisesRegex(scr.WrongStateError, "called before"):
            scr.init(rank=0, ranks=1, prefix="/p", socket=self.daemon.path)
        scr.finalize()
        self.session = scr.init(rank=0, ranks=1, prefix="/p", socket=self.daemon.path)
        self.assertIsNone(self.session.over)
        self.assertEqual((scr.rank(), scr.ranks()), (0, 1))

    def test_a_session_finalizes_at_the_end_of_its_block_and_hangs_up_after_an_exception(self):
        with self.session:
            pass
        self.assertEqual(self.daemon.verbs()[-1], "finalize")
        self.session = scr.init(rank=0, ranks=1, prefix="/p", socket=self.daemon.path)
        with self.assertRaises(ValueError), self.session:
            raise ValueError
        self.assertEqual(self.daemon.verbs()[-1], "abort")
        self.daemon.hung_up.wait(30)

    def test_a_block_that_an_exception_ends_says_why_in_one_line(self):
        with self.assertRaises(RuntimeError), self.session:
            raise RuntimeError("no\nbatch\x1b[31m " + "x" * 1000)
        (said,) = self.daemon.bodies("abort")
        self.assertEqual((said["run"], said["rank"]), (7, 0))
        self.assertRegex(said["cause"], r"^RuntimeError: no batch\[31m x{400}")
        self.assertEqual(len(said["cause"]), 500)

    def refuse(self, verb, fault, reason):
        def answer(call):
            if call["address"].endswith(verb):
                raise fake_daemon.Fault(fault, reason)
            return fake_daemon.answers(call)

        self.daemon.answer = answer

    def test_a_daemon_that_knows_no_abort_hides_no_exception(self):
        self.refuse("abort", 1, "no handlers for address")
        with self.assertRaises(ValueError), self.session:
            raise ValueError
        self.daemon.hung_up.wait(30)

    def test_a_run_that_is_over_is_not_ended_again(self):
        self.refuse("have-restart", 11, "rank 1 on node b is lost")
        with self.assertRaises(scr.RankLostError), self.session:
            self.session.have_restart()
        self.assertEqual(self.daemon.bodies("abort"), [])

    def test_the_version_is_the_daemons(self):
        self.assertEqual(scr.get_version(), "1.2.3")


class BeforeInitTest(unittest.TestCase):
    def test_calls_are_refused_but_to_route(self):
        self.addCleanup(setattr, scr, "_session", scr._session)
        scr._session = None
        self.assertEqual(scr.route_file("a/../b"), "a/../b")
        self.assertEqual(scr.get_version(), scr.__version__)
        for call in (scr.finalize, scr.should_exit, scr.rank, scr.checkpoint):
            with self.assertRaisesRegex(scr.WrongStateError, "init must be called first"):
                call()

    def test_rank_without_ranks_is_refused(self):
        with self.assertRaises(scr.BadRequestError):
            scr.open_session(rank=1)
        with self.assertRaises(scr.BadConfigurationError):
            scr.open_session(rank=1, ranks=1)


class ConfigTest(SessionCase):
    def setUp(self):
        super().setUp()
        for name, value in (("_session", None), ("_settings", Settings())):
            self.addCleanup(setattr, scr, name, getattr(scr, name))
            setattr(scr, name, value)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("SCR_")}
        patched = unittest.mock.patch.dict(os.environ, {**self.environment, "SCR_SOCKET": self.daemon.path}, clear=True)
        patched.start()
        self.addCleanup(patched.stop)

    def init(self):
        session = scr.open_session(0, 1)
        self.addCleanup(session.close)
        return session

    def test_entries_travel_with_init_in_their_order(self):
        for entry in ("SCR_FLUSH=5", "CKPT=0 TYPE=XOR", "SCR_FLUSH=", 'SCR_PREFIX="/a b"', "SCR_JOB_NAME=mine"):
            self.assertIsNone(scr.config(entry))
        self.init()
        body = self.daemon.bodies("init")[0]
        self.assertEqual(
            body["config"], ["SCR_FLUSH=5", "CKPT=0 TYPE=XOR", "SCR_FLUSH=", 'SCR_PREFIX="/a b"', "SCR_JOB_NAME=mine"]
        )
        self.assertEqual((body["prefix"], body["jobName"]), ("/a b", "mine"))
        self.assertEqual(body["environment"], {"SCR_SOCKET": self.daemon.path})

    def test_an_init_that_waits_long_says_what_for(self):
        def answer(call):
            if call["address"] == "scr._.init-wait":
                self.daemon.send(encoded({"type": "message", "address": call["replyAddress"], "body": told}))
                return encoded({"type": "message", "address": "1", "body": fake_daemon.answers(self.daemon.calls[0])})
            return None

        told = {"remarks": ["init has waited 1 s for 1 of 2 ranks: rank 1"]}
        self.daemon.answer = answer
        os.environ["SCR_INIT_NOTICE_SECONDS"] = "1"
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.init()
        self.assertEqual(err.getvalue(), "scr: init has waited 1 s for 1 of 2 ranks: rank 1\n")

    def test_init_takes_entries_as_text_list_and_dictionary(self):
        launcher = unittest.mock.patch.dict(os.environ, {"SCR_RANK": "0", "SCR_RANKS": "1"})
        launcher.start()
        self.addCleanup(launcher.stop)
        for params, entries in [
            ("SCR_FLUSH=5", ["SCR_FLUSH=5"]),
            (["SCR_FLUSH=5", "CKPT=0 TYPE=XOR"], ["SCR_FLUSH=5", "CKPT=0 TYPE=XOR"]),
            ({"SCR_FLUSH": 5, "SCR_COPY_TYPE": None}, ["SCR_FLUSH=5", "SCR_COPY_TYPE="]),
            (None, []),
            ({}, []),
        ]:
            with self.subTest(params=params):
                scr._settings = Settings()
                scr.init(params)
                self.assertEqual(self.daemon.bodies("init")[-1]["config"], entries)
                scr.finalize()
        for nonsense in (7, 1.5, object()):
            with self.assertRaisesRegex(RuntimeError, "params of init"):
                scr.init(nonsense)

    def test_the_environment_wins_over_entries(self):
        scr.config("SCR_PREFIX=/entry")
        os.environ["SCR_PREFIX"] = "/environment"
        self.assertEqual(self.init().prefix, "/environment")
        os.environ["SCR_PREFIX"] = ""  # says nothing, as in C
        self.assertEqual(self.init().prefix, "/entry")

    def test_a_query_asks_the_daemon(self):
        self.daemon.answer = lambda call: {"value": "5"} if call["body"]["query"] == "SCR_FLUSH" else {}
        scr.config("SCR_FLUSH=5")
        self.assertEqual(scr.config("SCR_FLUSH"), "5")
        self.assertIsNone(scr.config("CKPT=0 TYPE"))
        self.assertEqual(self.daemon.bodies("config")[1], {
            "environment": {"SCR_SOCKET": self.daemon.path}, "config": ["SCR_FLUSH=5"], "query": "CKPT=0 TYPE"
        })  # fmt: skip
        with self.assertRaises(scr.BadRequestError):
            scr.config(" ")

    def test_after_init_it_sets_nothing(self):
        scr._session = self.init()
        with self.assertRaisesRegex(scr.WrongStateError, "after init"):
            scr.config("SCR_FLUSH=5")
        self.assertIsNone(scr.config("SCR_FLUSH"))

    def test_a_daemon_that_takes_no_settings_is_asked_without_them_unless_they_matter(self):
        def refuse(call):
            if "config" in call["body"]:
                raise fake_daemon.Fault(2, "field 'config' is unknown")
            return fake_daemon.answers(call)

        self.daemon.answer = refuse
        scr.config("SCR_PREFIX=/p")
        self.assertEqual(self.init().prefix, "/p")
        scr.config("SCR_FLUSH=5")
        with self.assertRaisesRegex(scr.BadConfigurationError, "takes no settings"):
            self.init()


class SwitchedOffTest(unittest.TestCase):
    def test_every_call_succeeds_and_files_are_where_the_program_calls_them(self):
        base = os.path.realpath(tempfile.mkdtemp(prefix="scr"))
        self.addCleanup(shutil.rmtree, base)
        patched = unittest.mock.patch.dict(os.environ, {"SCR_ENABLE": "0", "SCR_PREFIX": base, "SCR_SOCKET": "/no"})
        patched.start()
        self.addCleanup(patched.stop)
        self.addCleanup(setattr, scr, "_session", scr._session)
        scr._session = None
        self.assertIsNone(scr.config("SCR_FLUSH"))
        with scr.init():
            self.assertEqual((scr.rank(), scr.ranks()), (0, 1))
            with scr.restart() as checkpoint:
                self.assertIsNone(checkpoint)
            self.assertFalse(scr.should_exit() or scr.need_checkpoint())
            with scr.checkpoint("a") as checkpoint, open(checkpoint.route(base + "/d/../e/f"), "w") as file:
                self.assertEqual((checkpoint.name, file.name), ("a", base + "/e/f"))
                with self.assertRaisesRegex(scr.BadRequestError, "empty"):
                    checkpoint.route("")
            scr.current("a")
            with self.assertRaises(scr.WrongStateError):
                scr.complete_output()


class LocalRouteTest(SessionCase):
    """Where the daemon allows it, route is no message."""

    def setUp(self):
        super().setUp()
        self.base = os.path.realpath(tempfile.mkdtemp(prefix="scr"))
        self.addCleanup(shutil.rmtree, self.base)

        def answer(call):
            local = {"directory": self.base + "/cache"}
            if call["address"].endswith(".start-output"):
                local["naming"] = 1
            if call["address"].endswith(".start-restart"):
                local["files"] = [{"path": "x/f", "name": "1/f"}]
            return {**fake_daemon.answers(call), **(local if ".start-" in call["address"] else {})}

        self.daemon.answer = answer
        self.session = scr.open_session(0, 1, prefix=self.base, socket=self.daemon.path)
        self.addCleanup(self.session.close)

    def test_files_are_placed_by_the_client_and_listed_at_the_end(self):
        self.session.start_checkpoint()
        for name in ("x/f", "y/f", "x/../x/f"):
            self.session.route_file(os.path.join(self.base, name))
        self.session.complete_checkpoint()
        self.assertNotIn("route", self.daemon.verbs())
        self.assertEqual(self.daemon.bodies("complete-output")[0]["files"], [
            {"path": self.base + "/x/f", "name": "f"}, {"path": self.base + "/y/f", "name": "1/f"}
        ])  # fmt: skip

    def test_a_dataset_that_is_not_valid_lists_nothing(self):
        self.session.start_checkpoint()
        self.session.route_file(os.path.join(self.base, "f"))
        self.session.complete_checkpoint(False)
        self.assertNotIn("files", self.daemon.bodies("complete-output")[0])

    def test_the_files_of_a_restart_are_found_without_asking(self):
        self.session.have_restart()
        self.session.start_restart()
        self.assertEqual(self.session.route_file("f"), self.base + "/cache/1/f")
        with self.assertRaises(scr.NoSuchFileError) as caught:
            self.session.route_file("g")
        self.assertEqual(caught.exception.rank, 0)
        self.assertNotIn("route", self.daemon.verbs())

    def test_a_file_system_that_fails_is_an_error_with_its_cause(self):
        open(self.base + "/cache", "w").close()
        self.session.start_checkpoint()
        with self.assertRaisesRegex(scr.InputOutputError, "cannot be routed") as caught:
            self.session.route_file(os.path.join(self.base, "f"))
        self.assertIsInstance(caught.exception.__cause__, OSError)


if __name__ == "__main__":
    unittest.main()
