"""Goal: the storage for torch.distributed.checkpoint writes and reads each item as the planner says, and its failures
are heard. Method: a stand-in for the module, made from its documentation; one rank here, several in test_daemons."""

import importlib.util
import io
import os
import pickle
import unittest

import scr

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("torch is not installed (Debian: python3-torch)")

import stand_in_dcp
import test_torch
import torch

stand_in_dcp.install()

import scr.dcp


class DcpTest(test_torch.CheckpointsCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.cache)
        self.session.close()
        self.session = scr.open_session(0, 1, prefix=self.prefix, socket=self.daemon.path)
        self.addCleanup(self.session.close)
        self.checkpoints = scr.dcp.Checkpoints(self.session)
        self.special["start-restart"] = lambda call: {
            "dataset": 4, "name": "old", "directory": self.cache,
            "files": [{"path": "old/" + name, "name": name} for name in os.listdir(self.cache)],
        }  # fmt: skip

    def state(self):
        return {"w": torch.arange(6.0).reshape(2, 3).t(), "h": torch.tensor([1.5, -0.0], dtype=torch.bfloat16),
                "c": torch.tensor([1j, 2]).conj(), "empty": torch.empty(0, 2), "one": torch.tensor(7), "step": {"n": 3},
                "shard": stand_in_dcp.Shard(torch.ones(2, 2), (4, 0))}  # fmt: skip

    def zeros(self):
        return {"w": torch.zeros(3, 2), "h": torch.zeros(2, dtype=torch.bfloat16),
                "c": torch.zeros(2, dtype=torch.complex64), "empty": torch.empty(0, 2), "one": torch.tensor(0),
                "step": None, "shard": stand_in_dcp.Shard(torch.zeros(1, 2), (5, 0))}  # fmt: skip

    def assert_loaded(self, state):
        expected = self.state()
        self.assertEqual(torch.equal(state.pop("shard").tensor, torch.ones(1, 2)), True)
        del expected["shard"]
        self.assertEqual(test_torch.bits(state), test_torch.bits(expected))

    def test_a_state_is_saved_in_the_background_and_loaded_in_place(self):
        state = self.state()
        self.checkpoints.save(state, "s")
        state["w"].zero_()
        self.checkpoints.wait()
        self.assertEqual([body["valid"] for body in self.daemon.bodies("complete-output")], [True])
        self.assertEqual([file["path"] for file in self.daemon.bodies("complete-output")[0]["files"]],
                         [os.path.join(self.prefix, "s", name) for name in ("rank-0.dcp", "metadata.dcp")])  # fmt: skip
        loaded = self.zeros()
        self.assertTrue(self.checkpoints.load(loaded))
        self.assert_loaded(loaded)
        self.assertEqual([body["valid"] for body in self.daemon.bodies("complete-restart")], [True])

    def test_writer_and_reader_go_with_calls_of_ones_own(self):
        with scr._dataset.Block(self.session, "s", scr.FLAG_CHECKPOINT) as dataset:
            stand_in_dcp.save(self.state(), storage_writer=scr.dcp.Writer(dataset))
        loaded = self.zeros()
        with scr._dataset.RestartBlock(self.session) as dataset:
            stand_in_dcp.load(loaded, storage_reader=scr.dcp.Reader(dataset))
        self.assert_loaded(loaded)

    def test_tensors_are_in_the_file_as_they_are_in_memory(self):
        self.checkpoints.save({"a": torch.tensor([1, 2], dtype=torch.int16), "b": torch.tensor([1.0])})
        self.checkpoints.wait()
        with open(os.path.join(self.cache, "rank-0.dcp"), "rb") as file:
            self.assertEqual(file.read(), b"\1\0\2\0" + b"\0\0\x80?")

    def test_what_fails_while_it_is_saved_makes_the_checkpoint_invalid(self):
        for special in (lambda: os.rmdir(self.cache) or open(self.cache, "w").close(),
                        lambda: self.special.update({"start-output": self.fail(scr.Fault.NO_SPACE)})):  # fmt: skip
            special()
            self.checkpoints.save(self.state())
            with self.assertRaises(scr.NotValidError):
                self.checkpoints.wait()
        self.assertEqual([body["valid"] for body in self.daemon.bodies("complete-output")], [False])

    def test_what_cannot_be_loaded_leaves_the_checkpoint_as_it_is(self):
        self.checkpoints.save({"w": torch.ones(100)})
        self.checkpoints.wait()
        os.truncate(os.path.join(self.cache, "rank-0.dcp"), 399)
        with self.assertRaisesRegex(stand_in_dcp.CheckpointException, "ends before byte 400"):
            self.checkpoints.load({"w": torch.zeros(100)})
        self.assertEqual(self.daemon.bodies("complete-restart"), [])

    def test_a_checkpoint_without_metadata_is_another_programs(self):
        with self.assertRaisesRegex(stand_in_dcp.CheckpointException, "no rank has written metadata.dcp"):
            self.checkpoints.load({})

    def test_an_id_of_another_checkpoint_is_refused(self):
        with scr._dataset.Block(self.session, "s", scr.FLAG_CHECKPOINT) as dataset:
            writer = scr.dcp.Writer(dataset)
            writer.reset()
            writer.reset("s")
            with self.assertRaisesRegex(ValueError, "'/tmp/x', but the dataset is called 's'"):
                writer.reset("/tmp/x")
            self.assertFalse(writer.validate_checkpoint_id("s") or scr.dcp.Reader.validate_checkpoint_id("s"))
            with self.assertRaisesRegex(TypeError, "with threads"):
                pickle.dump(writer, io.BytesIO())

    def test_shards_of_other_ranks_are_loaded_from_where_the_daemon_has_them(self):
        self.checkpoints.save(self.state(), "old")
        self.checkpoints.wait()
        self.assertEqual([body["flags"] for body in self.daemon.bodies("start-output")], [5])
        self.special["start-restart"] = lambda call: {
            "dataset": 4, "name": "old", "directory": "/none", "writers": 3,
        }  # fmt: skip
        brought = []

        def shard(call):
            body = call["body"]
            file = os.path.join(self.cache, os.path.basename(body["name"]))
            size = body.get("bytes", os.path.getsize(file) - body["offset"])
            with open(file, "rb") as content, open(f"{file}.{len(brought)}", "wb") as out:
                content.seek(body["offset"])
                out.write(b"?" * len(brought) + content.read(size))
            brought.append(body)
            return {"file": out.name, "offset": len(brought) - 1, "bytes": size}

        self.special["shard"] = shard
        loaded = self.zeros()
        self.assertTrue(self.checkpoints.load(loaded))
        self.assert_loaded(loaded)
        self.assertEqual([(body["name"], body.get("writer")) for body in brought],
                         [(os.path.join(self.prefix, "old", "metadata.dcp"), None),
                          (os.path.join(self.prefix, "old", "rank-0.dcp"), 0)])  # fmt: skip

    def test_questions_for_shards_are_bounded_and_leave_out_what_nobody_wants(self):
        place, bound = scr.dcp._Place, scr.dcp._ROUND_BYTES
        numbers = (0, 0, 10), (0, 10, 5), (0, 16, 1), (0, 17, bound), (1, 0, 0), (1, 0, 3)
        places = [place(*of) for of in numbers]
        self.assertEqual(scr.dcp._stretches(places), [places[:2], places[2:3], places[3:4], places[4:]])
        self.assertEqual(scr.dcp._stretches([]), [])

    def test_rounds_are_bounded_and_of_one_rank_each(self):
        place = scr.dcp._Place
        places = [place(0, 0, 10), place(0, 10, scr.dcp._ROUND_BYTES), place(0, 99, 1), place(1, 0, 1), place(1, 1, 1)]
        self.assertEqual(scr.dcp._rounds(places), [places[:1], places[1:2], places[2:3], places[3:]])
        self.assertEqual(scr.dcp._rounds([]), [])


if __name__ == "__main__":
    unittest.main()
