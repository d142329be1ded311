"""Goal: a state is saved as it was at the time of the call while the program goes on, is read again bit for bit, and
what fails is heard by the next call, as one of the faults of all ranks. Method: files that are cut and changed; a
daemon of the test that answers late, refuses, or says that the run ends."""

import collections
import importlib.util
import json
import math
import os
import queue
import shutil
import tempfile
import threading
import unittest
import unittest.mock

import fake_daemon
import stand_in_lightning
from fake_daemon import FakeDaemon

import scr

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("torch is not installed (Debian: python3-torch)")

import torch

import scr.torch
from scr import _state

HAS_NUMPY = importlib.util.find_spec("numpy") is not None


def bits(value):
    """What tells two states apart: types, order and every bit."""
    if isinstance(value, torch.Tensor):
        flat = (torch.view_as_real(value.resolve_conj()) if value.is_complex() else value).contiguous()
        return ("tensor", str(value.dtype), tuple(value.shape), bytes(_state.memory_of(flat)) if flat.numel() else b"")
    if isinstance(value, collections.abc.Mapping):
        return (type(value), [(bits(key), bits(item)) for key, item in value.items()],
                bits(getattr(value, "_metadata", None)))  # fmt: skip
    if isinstance(value, (list, tuple)):
        return (type(value), [bits(item) for item in value])
    if isinstance(value, float):
        return (type(value), value.hex())
    if type(value).__module__ == "numpy":
        return (type(value), str(value.dtype), value.shape, value.tobytes())
    return (type(value), value)


def trained():
    """A model, its optimizer and schedulers, after some steps."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedulers = [torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 5]),
                  torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)]  # fmt: skip
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(5, 3)).square().sum().backward()
        optimizer.step()
        schedulers[0].step()
    return model, optimizer, schedulers


class FileCase(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="scr")
        self.addCleanup(shutil.rmtree, self.directory)
        self.path = os.path.join(self.directory, "f")

    def written(self, state):
        _state.Stage().copy(state).write(self.path)
        with open(self.path, "rb") as file:
            return file.read()

    def again(self, state):
        self.written(state)
        return _state.read(self.path)


class StateTest(FileCase):
    def assert_same(self, state):
        self.assertEqual(bits(self.again(state)), bits(state))

    def test_every_type_of_number_keeps_every_bit(self):
        for name, dtype in _state._TYPES.items():
            with self.subTest(name):
                data = bytes(range(256)) if name != "BOOL" else bytes([0, 1]) * 8
                self.assert_same(torch.frombuffer(bytearray(data), dtype=torch.uint8).view(dtype).reshape(4, -1))
        self.assert_same(torch.tensor([complex(math.nan, -0.0), 1j]))
        self.assert_same(torch.tensor([1 - 2j], dtype=torch.complex128).conj())

    def test_tensors_of_any_shape_and_layout_keep_their_elements(self):
        base = torch.arange(24).reshape(2, 3, 4)
        for tensor in (torch.tensor(5), torch.empty(0), torch.empty(3, 0, dtype=torch.int8), base.transpose(0, 2),
                       base[:, ::2], base[1].expand(5, 3, 4), torch.nn.Parameter(torch.ones(2))):  # fmt: skip
            with self.subTest(tuple(tensor.shape)):
                self.assert_same(tensor.detach())
                self.assertFalse(self.again(tensor).requires_grad)

    def test_what_is_no_tensor_comes_back_as_the_type_that_it_was(self):
        self.assert_same([
            None, True, 0, -(10**30), 1.0, 0.1, -0.0, math.inf, -math.inf, math.nan, "", "ü\ud800", b"\x00\xff", (),
            (1, (2,)), {}, {1: "a", "1": "b", (1, 2): [], None: 3, 1.5: 4}, collections.OrderedDict(b=1, a=2),
            collections.Counter([2, 5, 2]), torch.Size([2, 3]), torch.float16, torch.device("cuda:1"), [[[]]],
            {"tensor": "x"}, {"dict": []},
        ])  # fmt: skip
        self.assertEqual(self.again([{1, "b"}, frozenset([3])]), [{1, "b"}, frozenset([3])])

    @unittest.skipUnless(HAS_NUMPY, "numpy is not installed")
    def test_arrays_of_numpy_come_back_too(self):
        import numpy

        self.assert_same([numpy.arange(6, dtype=">u2").reshape(2, 3), numpy.float64(0.1), numpy.zeros((0, 3)),
                          numpy.array(7), numpy.array(["a", "bc"]), numpy.random.get_state()])  # fmt: skip
        self.again(numpy.zeros(3))[0] = 1  # can be written to

    def test_states_of_modules_optimizers_and_schedulers_go_back_to_where_they_come_from(self):
        model, optimizer, schedulers = trained()
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                 "schedulers": [scheduler.state_dict() for scheduler in schedulers],
                 "random": scr.torch.random_state()}  # fmt: skip
        self.assert_same(state)
        read = _state.read(self.path)
        model.load_state_dict(read["model"])
        optimizer.load_state_dict(read["optimizer"])
        schedulers[0].load_state_dict(read["schedulers"][0])
        expected = torch.rand(3)
        scr.torch.set_random_state(read["random"])
        self.assertTrue(torch.equal(torch.rand(3), expected))

    def test_a_tensor_that_two_names_share_is_written_once_and_shared_again(self):
        weight = torch.ones(1000)
        size = len(self.written({"a": weight, "b": weight, "view": weight[:10]}))
        self.assertLess(size, 2 * 4000)
        read = _state.read(self.path)
        self.assertIs(read["a"], read["b"])
        self.assertEqual(read["view"].shape, (10,))

    def test_a_reader_of_safetensors_finds_each_tensor_by_its_place(self):
        state = {"model": {"0.weight": torch.ones(3, dtype=torch.int8)}, "step": 4, "x": [torch.tensor([1.0, 2.0])]}
        data = self.written(state)
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + size])
        self.assertEqual(size % 8, 0)
        self.assertEqual({type(value) for value in header.pop("__metadata__").values()}, {str})
        self.assertEqual(header, {
            "x.0": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
            "model.0.weight": {"dtype": "I8", "shape": [3], "data_offsets": [8, 11]},
        })  # fmt: skip
        self.assertEqual(data[8 + size :], b"\0\0\x80?\0\0\0@" + b"\1\1\1")

    def test_names_that_would_be_the_same_stay_apart(self):
        self.assert_same({"a": {"b": torch.zeros(1)}, "a.b": torch.ones(1), "__metadata__": torch.ones(2),
                          "'": torch.ones(3), "": torch.ones(4)})  # fmt: skip

    def test_what_cannot_be_saved_is_named_with_its_place(self):
        for value, why in (
            (object(), "builtins.object"), (lambda: 0, "function"), (torch.ones(2).to_sparse(), "sparse"),
            (torch.empty(2, device="meta"), "meta"), (collections.defaultdict(int), "collections.defaultdict"),
            (torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8), "quantized"),
        ):  # fmt: skip
            with self.subTest(why), self.assertRaisesRegex(TypeError, r"^state\['m'\]\[1\] .*" + why):
                _state.Stage().copy({"m": [0, value]})

    def test_a_file_that_is_cut_is_never_read(self):
        data = self.written({"a": torch.arange(3), "b": [1, "x"]})
        for size in range(len(data)):
            with open(self.path, "wb") as file:
                file.write(data[:size])
            with self.assertRaises((scr.CorruptError, scr.torch.ForeignFileError), msg=size):
                _state.read(self.path)
        with open(self.path, "wb") as file:
            file.write(data + b"x")
        with self.assertRaises(scr.CorruptError):
            _state.read(self.path)

    def test_a_file_of_another_program_is_called_that(self):
        entry = {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}
        header = json.dumps({"__metadata__": {"format": "pt"}, "x": entry})
        for data in (b"", b"PK\3\4" * 100, len(header).to_bytes(8, "little") + header.encode()):
            with open(self.path, "wb") as file:
                file.write(data)
            with self.assertRaises(scr.torch.ForeignFileError):
                _state.read(self.path)

    def test_memory_of_the_copy_is_used_again_where_the_tensors_are_as_before(self):
        stage = _state.Stage()
        stage.copy({"a": torch.zeros(5), "b": torch.zeros(2)})
        first = dict(stage._kept)
        stage.copy({"a": torch.ones(5), "b": torch.ones(3)})
        self.assertIs(stage._kept["a"], first["a"])
        self.assertEqual(stage._kept["b"].tolist(), [1, 1, 1])


class DocumentTest(unittest.TestCase):
    def test_the_program_of_the_document_is_the_example_that_is_run(self):
        client = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        with open(os.path.join(client, "examples", "train_torch.py"), encoding="utf-8") as file:
            example = file.read()
        with open(os.path.join(client, "..", "..", "docs", "training.md"), encoding="utf-8") as file:
            document = file.read()
        program = document.partition("```python\n")[2].partition("```")[0]
        self.assertEqual(program, example.rpartition('"""\n\n')[2])


class CheckpointsCase(FileCase):
    """A daemon that lets files be placed by the client, below ``cache``."""

    def setUp(self):
        super().setUp()
        self.cache = os.path.join(self.directory, "cache")
        self.prefix = os.path.join(self.directory, "prefix")
        os.mkdir(self.prefix)
        self.special = {}
        self.daemon = FakeDaemon(self.answer)
        self.addCleanup(self.daemon.__exit__)
        self.session = scr.open_session(3, 8, prefix=self.prefix, socket=self.daemon.path)
        self.addCleanup(self.session.close)
        self.checkpoints = scr.torch.Checkpoints(self.session)

    def answer(self, call):
        verb, body = call["address"].rpartition(".")[2], call["body"]
        if verb in self.special:
            return self.special[verb](call)
        if verb == "start-output":
            return {"dataset": 5, "name": body.get("name", "scr.dataset.5"), "directory": self.cache, "naming": 1}
        if verb == "start-restart":
            return {"dataset": 4, "name": "old", "directory": self.cache,
                    "files": [{"path": "old/rank-3.safetensors", "name": "rank-3.safetensors"}]}  # fmt: skip
        if verb in ("need-checkpoint", "should-exit"):
            return {"need": False} if verb == "need-checkpoint" else {"exit": False}
        return fake_daemon.answers(call)

    def fail(self, fault):
        def answer(call):
            raise fake_daemon.Fault(fault, "because")

        return answer

    def hold(self, verb, answer):
        """Answers the next call of this verb when it is told to; returns what waits for the call, and what answers."""
        calls = queue.Queue()

        def keep(call):
            del self.special[verb]
            calls.put(call)

        self.special[verb] = keep
        return calls.get, lambda call: self.daemon.send(
            fake_daemon.encoded({"type": "message", "address": call["replyAddress"], "body": answer})
        )

    def file(self):
        return os.path.join(self.cache, "rank-3.safetensors")


class SaveTest(CheckpointsCase):
    def test_the_program_goes_on_while_the_state_of_the_call_is_written(self):
        started, go = self.hold(
            "start-output", {"dataset": 5, "name": "s", "directory": self.cache, "naming": 1}
        )  # fmt: skip
        weight, count = torch.zeros(4), [1]
        self.checkpoints.save({"w": weight, "n": count}, "s")  # returns though nobody has answered
        call = started()
        weight += 1
        count.append(2)
        self.assertFalse(self.checkpoints.should_exit())  # can be asked meanwhile
        go(call)
        self.checkpoints.close()
        self.assertEqual(bits(_state.read(self.file())), bits({"w": torch.zeros(4), "n": [1]}))
        self.assertEqual([(body["valid"], body["files"]) for body in self.daemon.bodies("complete-output")],
                         [(True, [{"path": os.path.join(self.prefix, "s", "rank-3.safetensors"),
                                   "name": "rank-3.safetensors"}])])  # fmt: skip

    def test_the_next_state_is_copied_after_the_one_before_is_complete(self):
        completing, go = self.hold("complete-output", {"dataset": 5, "name": "s"})
        self.checkpoints.save([1])
        call = completing()
        second = threading.Thread(target=self.checkpoints.save, args=([2],))
        second.start()
        second.join(0.05)
        self.assertTrue(second.is_alive())
        self.assertEqual(_state.read(self.file()), [1])
        go(call)
        second.join()
        self.checkpoints.close()
        self.assertEqual(_state.read(self.file()), [2])
        self.assertEqual(self.daemon.verbs(), ["init", *["start-output", "complete-output"] * 2])

    def test_a_rank_that_cannot_write_says_so_to_all_and_the_next_call_raises_it(self):
        with open(self.cache, "w", encoding="ascii"):
            pass  # where the directory should be
        self.special["complete-output"] = self.fail(scr.Fault.NOT_VALID)
        self.checkpoints.save([1])
        with self.assertRaisesRegex(scr.NotValidError, "because") as caught:
            self.checkpoints.save([2])
        self.assertIsInstance(caught.exception.__cause__, scr.InputOutputError)
        self.assertEqual([body["valid"] for body in self.daemon.bodies("complete-output")], [False])
        os.remove(self.cache)
        del self.special["complete-output"]
        self.checkpoints.save([3])  # once it is raised, the call can be made again
        self.checkpoints.close()
        self.assertEqual(_state.read(self.file()), [3])

    def test_where_the_run_goes_on_without_the_checkpoint_all_ranks_hear_the_same_type(self):
        for verb, fault in (("complete-output", scr.Fault.NOT_VALID), ("complete-output", scr.Fault.NO_SPACE),
                            ("complete-output", scr.Fault.IO), ("start-output", scr.Fault.NO_SPACE)):  # fmt: skip
            with self.subTest(verb=verb, fault=fault.name):
                self.special = {verb: self.fail(fault)}
                self.checkpoints.save([1], "s")
                with self.assertRaisesRegex(scr.NotValidError, "rank 3: checkpoint 's' is not there: because"):
                    self.checkpoints.wait()
                self.special = {}
                self.checkpoints.wait()
        self.checkpoints.save([1])
        self.checkpoints.close()

    def test_the_end_of_the_run_is_heard_by_whatever_is_called_next(self):
        for ask in (lambda c: c.save([2]), lambda c: c.wait(), lambda c: c.close(), lambda c: c.load()):
            session = scr.open_session(3, 8, prefix=self.prefix, socket=self.daemon.path)
            self.addCleanup(session.close)
            checkpoints = scr.torch.Checkpoints(session)
            self.special["complete-output"] = self.fail(scr.Fault.RANK_LOST)
            checkpoints.save([1])
            with self.assertRaises(scr.RankLostError):
                ask(checkpoints)

    def test_a_checkpoint_that_is_not_complete_is_heard_with_the_same_call_on_all_ranks(self):
        self.special["complete-output"] = self.fail(scr.Fault.NOT_VALID)
        self.checkpoints.save([1])
        self.checkpoints._background._thread.join()  # on another rank it may still wait
        self.assertFalse(self.checkpoints.need_checkpoint())
        self.assertFalse(self.checkpoints.should_exit())
        with self.assertRaises(scr.NotValidError):
            self.checkpoints.save([2])

    def test_where_the_run_ends_with_a_checkpoint_the_next_call_ends_the_program(self):
        for ask in (lambda c: c.save([2]), lambda c: c.should_exit(), lambda c: c.close()):
            session = scr.open_session(3, 8, prefix=self.prefix, socket=self.daemon.path)
            checkpoints = scr.torch.Checkpoints(session)
            self.special["complete-output"] = lambda call: {"dataset": 5, "name": "s", "exit": True, "halt": "told so"}
            checkpoints.save([1])
            checkpoints._background._thread.join()
            with self.assertRaises(SystemExit) as caught:
                ask(checkpoints)
            self.assertEqual(caught.exception.code, 0)
            self.assertEqual(self.daemon.verbs()[-1], "finalize")

    def test_an_exception_in_the_block_waits_for_nobody(self):
        completing, _ = self.hold("complete-output", {})  # which never comes
        with self.assertRaises(KeyError), self.checkpoints:
            self.checkpoints.save([1])
            completing()
            raise KeyError
        with self.assertRaisesRegex(scr.WrongStateError, "closed"):
            self.checkpoints.save([2])

    def test_a_busy_daemon_is_asked_again(self):
        refusals = [scr.Fault.BUSY, scr.Fault.TIMEOUT]

        def answer(call):
            if refusals:
                raise fake_daemon.Fault(refusals.pop(), "later")
            return {"dataset": 5, "name": "s"}

        self.special["complete-output"] = answer
        with unittest.mock.patch("scr._background._PAUSE_S", 0):
            self.checkpoints.save([1])
            self.checkpoints.close()
        self.assertEqual([body["call"] for body in self.daemon.bodies("complete-output")], [2, 2, 2])

    def test_what_cannot_be_saved_is_refused_before_anybody_hears_of_it(self):
        with self.assertRaises(TypeError):
            self.checkpoints.save(object())
        self.assertEqual(self.daemon.verbs(), ["init"])

    def test_after_close_nothing_is_possible(self):
        self.checkpoints.close()
        for call in (lambda: self.checkpoints.save([1]), self.checkpoints.load, self.checkpoints.should_exit):
            with self.assertRaisesRegex(scr.WrongStateError, "closed"):
                call()


class LoadTest(CheckpointsCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.cache)
        self.offers = [True]
        self.special["have-restart"] = lambda call: (
            {"available": True, "dataset": 4, "name": "old"} if self.offers.pop(0) else {"available": False}
        )

    def test_the_state_is_read_and_the_restart_completed(self):
        _state.Stage().copy({"step": 7}).write(self.file())
        self.assertEqual(self.checkpoints.load(), {"step": 7})
        self.assertEqual([body["valid"] for body in self.daemon.bodies("complete-restart")], [True])

    def test_without_a_checkpoint_there_is_no_state(self):
        self.offers = [False]
        self.assertIsNone(self.checkpoints.load())

    def test_what_cannot_be_read_here_or_elsewhere_is_given_up_for_an_older_one(self):
        for valid, size in ((False, 1), (True, 0)):
            with self.subTest(valid=valid):
                self.offers = [True, True, False]
                _state.Stage().copy(torch.zeros(100)).write(self.file())
                os.truncate(self.file(), os.path.getsize(self.file()) - size)
                self.special["complete-restart"] = self.fail(scr.Fault.NOT_VALID)
                self.assertIsNone(self.checkpoints.load())
                self.assertEqual([body["valid"] for body in self.daemon.bodies("complete-restart")][-2:], [valid] * 2)

    def test_a_checkpoint_of_another_program_is_left_as_it_is(self):
        with open(self.file(), "wb") as file:
            file.write(b"something else")
        with self.assertRaises(scr.torch.ForeignFileError):
            self.checkpoints.load()
        self.assertEqual(self.daemon.bodies("complete-restart"), [])

    def test_a_checkpoint_without_the_file_is_left_as_it_is(self):
        self.special["start-restart"] = lambda call: {
            "dataset": 4, "name": "old", "directory": self.cache, "files": [{"path": "x/other", "name": "other"}]
        }  # fmt: skip
        with self.assertRaisesRegex(scr.NoSuchFileError, "x/other"):
            self.checkpoints.load()
        self.assertEqual(self.daemon.bodies("complete-restart"), [])


class Trainer(stand_in_lightning.Trainer):
    """Of a small model on this process alone."""

    HOOKS = stand_in_lightning.HOOKS

    def __init__(self, callbacks, accumulate=1):
        super().__init__(callbacks, *trained(), accumulate)

    def loss(self):
        return self.model(torch.randn(5, 3)).square().sum()


class Counting:
    """A callback that has a state."""

    state_key = "counting"

    def __init__(self):
        self.count = 0

    def __getattr__(self, name):
        return lambda *_: None

    def on_train_batch_end(self, *_):
        self.count += 1

    def state_dict(self):
        return {"count": self.count}

    def load_state_dict(self, state):
        self.count = state["count"]


class CallbackTest(CheckpointsCase):
    def setUp(self):
        super().setUp()
        self.offers = []
        self.special["have-restart"] = lambda call: (
            {"available": True, "dataset": 4, "name": "old"} if self.offers else {"available": False}
        )

    def saved(self):
        return [body["name"] for body in self.daemon.bodies("start-output")]

    def test_a_training_goes_on_with_the_losses_that_it_would_have_had(self):
        whole = Trainer([]).fit(9)
        counting = Counting()
        Trainer([counting, scr.torch.Callback(self.checkpoints, every=2)]).fit(5)
        self.assertEqual(self.saved(), ["step-2", "step-4"])
        self.offers = [True]
        again = Trainer([counting, scr.torch.Callback(self.checkpoints, every=2)])
        torch.manual_seed(99)
        counting.count = 0
        self.assertEqual(again.fit(9), whole[4:])
        self.assertEqual(counting.count, 9)
        self.assertEqual(self.saved(), ["step-2", "step-4", "step-6", "step-8"])

    def test_it_saves_when_the_daemons_say_so_and_once_for_each_step(self):
        needs = [False, True, False, True]
        self.special["need-checkpoint"] = lambda call: {"need": needs.pop(0)}
        Trainer([scr.torch.Callback(self.checkpoints)], accumulate=3).fit(4)
        self.assertEqual(self.saved(), ["step-2", "step-4"])

    def test_where_the_run_is_to_end_it_saves_and_stops(self):
        exits = [False, False, True]
        self.special["should-exit"] = lambda call: {"exit": exits.pop(0), "reason": "told so"}
        trainer = Trainer([scr.torch.Callback(self.checkpoints, every=2)])
        trainer.fit(9)
        self.assertEqual((trainer.global_step, self.saved()), (3, ["step-2", "step-3"]))
        self.assertEqual(self.daemon.verbs()[-1], "complete-output")  # it has been waited for

    def test_a_checkpoint_that_is_not_complete_does_not_end_the_training(self):
        self.special["complete-output"] = self.fail(scr.Fault.NO_SPACE)
        self.assertEqual(len(Trainer([scr.torch.Callback(self.checkpoints, every=1)]).fit(3)), 3)
        self.assertEqual(self.saved(), ["step-1", "step-2", "step-3"])

    def test_the_end_of_the_run_ends_the_training(self):
        self.special["complete-output"] = self.fail(scr.Fault.NODE_LOST)
        with self.assertRaises(scr.NodeLostError):
            Trainer([scr.torch.Callback(self.checkpoints, every=1)]).fit(3)

    def test_a_checkpoint_of_another_training_is_refused(self):
        Trainer([scr.torch.Callback(self.checkpoints, every=1)]).fit(1)
        self.offers = [True]
        other = Trainer([scr.torch.Callback(self.checkpoints)])
        other.optimizers = []
        with self.assertRaisesRegex(ValueError, "has 1 optimizers, the trainer 0"):
            other.fit(2)

    def test_it_has_every_hook_that_is_called_and_a_state(self):
        callback = scr.torch.Callback(self.checkpoints, every=1)
        for hook in Trainer.HOOKS:
            self.assertTrue(callable(getattr(callback, hook)), hook)
        Trainer([callback]).fit(2)
        other = scr.torch.Callback(self.checkpoints)
        other.load_state_dict(callback.state_dict())
        self.assertEqual(other.state_dict(), {"step": 2})
        self.assertEqual(other.state_key, "scr.torch.Callback")
        with self.assertRaises(ValueError):
            scr.torch.Callback(self.checkpoints, every=0)


if __name__ == "__main__":
    unittest.main()
