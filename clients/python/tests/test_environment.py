"""Goal: a process finds its rank and its daemon under every launcher, and says so where it cannot."""

import os
import shutil
import socket
import tempfile
import unittest

import scr
from scr import _environment

ALLOCATION = {"SLURM_PROCID": "0", "SLURM_NTASKS": "64", "FLUX_JOB_SIZE": "9"}


class PlaceTest(unittest.TestCase):
    def test_each_launcher(self):
        for name, environment in {
            "by hand": {"SCR_RANK": "3", "SCR_RANKS": "8"},
            "Open MPI": {"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "8", "PMIX_RANK": "3"},
            "MPICH, Intel MPI": {"PMI_RANK": "3", "PMI_SIZE": "8"},
            "old MPICH": {"MPIRUN_RANK": "3", "MPIRUN_NPROCS": "8"},
            "MVAPICH": {"MV2_COMM_WORLD_RANK": "3", "MV2_COMM_WORLD_SIZE": "8"},
            "PMIx in Slurm": {"PMIX_RANK": "3", "SLURM_PROCID": "3", "SLURM_NTASKS": "8"},
            "Flux": {"FLUX_TASK_RANK": "3", "FLUX_JOB_SIZE": "8"},
            "srun": {"SLURM_PROCID": "3", "SLURM_NTASKS": "8"},
            "a step smaller than its allocation": {
                "SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "8", "SLURM_NTASKS": "64"
            },
            "torch.distributed": {"RANK": "3", "WORLD_SIZE": "8"},
        }.items():  # fmt: skip
            with self.subTest(name):
                self.assertEqual(_environment.place(environment), (3, 8))

    def test_the_innermost_launcher_counts(self):
        torchrun = {"TORCHELASTIC_RUN_ID": "none", "RANK": "5", "WORLD_SIZE": "6"}
        mpirun = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
        by_hand = {"SCR_RANK": "7", "SCR_RANKS": "9"}
        self.assertEqual(_environment.place({**ALLOCATION, **mpirun}), (1, 2))
        self.assertEqual(_environment.place({**ALLOCATION, **mpirun, "RANK": "5", "WORLD_SIZE": "6"}), (1, 2))
        self.assertEqual(_environment.place({**ALLOCATION, **mpirun, **torchrun}), (5, 6))
        self.assertEqual(_environment.place({**ALLOCATION, **mpirun, **torchrun, **by_hand}), (7, 9))

    def test_torchrun_of_two_nodes_that_has_restarted_its_workers(self):
        """What it sets (PyTorch 2.4, --nnodes=2 --nproc-per-node=2 --max-restarts=3), here for the last worker."""
        recorded = {
            "LOCAL_RANK": "1", "RANK": "3", "GROUP_RANK": "1", "ROLE_RANK": "3", "ROLE_NAME": "default",
            "LOCAL_WORLD_SIZE": "2", "WORLD_SIZE": "4", "GROUP_WORLD_SIZE": "2", "ROLE_WORLD_SIZE": "4",
            "MASTER_ADDR": "n1", "MASTER_PORT": "29500", "TORCHELASTIC_RESTART_COUNT": "1",
            "TORCHELASTIC_MAX_RESTARTS": "3", "TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_USE_AGENT_STORE": "True",
        }  # fmt: skip
        self.assertEqual(_environment.place(recorded), (3, 4))
        self.assertEqual(_environment.place({**ALLOCATION, **recorded}), (3, 4))

    def test_what_makes_no_sense_is_refused_by_name(self):
        for environment, words in [
            ({}, ["no launcher", "SCR_RANK"]),
            ({"SCR_RANK": "3"}, ["SCR_RANK", "SCR_RANKS"]),
            ({"SCR_RANK": "", "SCR_RANKS": "3"}, ["no launcher"]),
            ({"PMIX_RANK": "3"}, ["PMIx", "PMIX_SIZE"]),
            ({"SCR_RANK": "x", "SCR_RANKS": "8"}, ["SCR_RANK", "'x'"]),
            ({"SCR_RANK": "-1", "SCR_RANKS": "8"}, ["SCR_RANK", "'-1'"]),
            ({"SCR_RANK": "8", "SCR_RANKS": "8"}, ["rank 8 of 8"]),
            ({"SCR_RANK": "0", "SCR_RANKS": str((1 << 20) + 1)}, ["1048577"]),
        ]:
            with self.subTest(environment=environment), self.assertRaises(scr.BadConfigurationError) as caught:
                _environment.place(environment)
            for word in words:
                self.assertIn(word, str(caught.exception))


class SocketTest(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="scr")
        self.addCleanup(shutil.rmtree, self.base)
        self.environment = {"SCR_CNTL_BASE": self.base, "USER": "u"}

    def make(self, job, node):
        directory = os.path.join(self.base, "u", "scr." + job, node)
        os.makedirs(directory)
        path = os.path.join(directory, "scr.sock")
        open(path, "w").close()
        return path

    def test_the_variable_counts_first(self):
        self.make("local", socket.gethostname())
        self.assertEqual(_environment.socket_path({**self.environment, "SCR_SOCKET": "/x"}), "/x")

    def test_only_a_socket_must_have_a_short_path(self) -> None:
        long = "/" + "x" * 200
        with self.assertRaises(scr.BadConfigurationError):
            _environment.socket_path({"SCR_SOCKET": long})
        self.assertEqual(_environment.socket_path({"SCR_SOCKET": long + ".tcp"}), long + ".tcp")

    def test_of_several_sockets_neighbours_share_one(self) -> None:
        environment = {"SCR_SOCKET": "/a:/b:/c"}
        for ranks, expected in ((8, "aaabbbcc"), (3, "abc"), (2, "ab"), (1, "a")):
            found = [_environment.socket_path(environment, _environment.Place(r, ranks)) for r in range(ranks)]
            self.assertEqual(found, ["/" + name for name in expected])

    def test_the_node_of_this_host_is_found_among_others(self):
        self.make("local", "another")
        path = self.make("local", socket.gethostname())
        self.assertEqual(_environment.socket_path(self.environment), path)

    def test_the_only_node_is_found_whatever_its_name(self):
        path = self.make("local", "n1")
        self.assertEqual(_environment.socket_path(self.environment), path)

    def test_the_job_is_the_daemons(self):
        for name in ("LSB_JOBID", "PBS_JOBID", "FLUX_JOB_ID", "SLURM_JOB_ID", "SCR_JOB_ID"):
            self.environment[name] = name
            path = self.make(name, "n1")
            self.assertEqual(_environment.socket_path(self.environment), path)

    def test_none_and_several_are_refused_with_what_there_is(self):
        with self.assertRaisesRegex(scr.BadConfigurationError, self.base + "/u/scr.local; there is none"):
            _environment.socket_path(self.environment)
        self.make("local", "n1")
        self.make("local", "n2")
        with self.assertRaisesRegex(scr.BadConfigurationError, "n1/scr.sock, .*n2/scr.sock"):
            _environment.socket_path(self.environment)
        with self.assertRaisesRegex(scr.BadConfigurationError, "USER"):
            _environment.socket_path({})

    def test_a_path_that_no_socket_can_have_is_refused(self):
        self.assertEqual(len(_environment.socket_path({"SCR_SOCKET": "/" + "x" * 106})), 107)
        with self.assertRaisesRegex(scr.BadConfigurationError, "108 bytes"):
            _environment.socket_path({"SCR_SOCKET": "/" + "x" * 107})


class PrefixTest(unittest.TestCase):
    def test_it_is_absolute_and_the_working_directory_where_nothing_is_said(self):
        self.assertEqual(_environment.prefix({"SCR_PREFIX": "/a/../b"}), "/b")
        self.assertEqual(_environment.prefix({"SCR_PREFIX": "x"}), os.path.join(os.getcwd(), "x"))
        self.assertEqual(_environment.prefix({}), os.getcwd())


if __name__ == "__main__":
    unittest.main()
