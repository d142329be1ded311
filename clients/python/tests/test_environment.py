"""Goal: a process finds its rank and its daemon under every launcher, and says so where it cannot."""

import os
import pwd
import shutil
import socket
import tempfile
import unittest

import scr
from scr import _environment

LAUNCHERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "launchers.txt")


class PlaceTest(unittest.TestCase):
    def test_rank_and_size_are_found_as_the_clients_of_other_languages_do(self):
        """Every line of the file that the clients' tests have in common; its form is described there."""
        with open(LAUNCHERS, encoding="ascii") as file:
            cases = [line.split() for line in file if line.strip() and not line.startswith("#")]
        self.assertGreater(len(cases), 40)
        for case in cases:
            environment = dict(word.split("=") for word in case if "=" in word)
            with self.subTest(environment=environment):
                if case[0] == "refused":
                    with self.assertRaisesRegex(scr.BadConfigurationError, "SCR_RANK|OMPI_COMM_WORLD_RANK"):
                        _environment.place(environment)
                else:
                    self.assertEqual(_environment.place(environment), (int(case[0]), int(case[1])))

    def test_torchrun_of_two_nodes_that_has_restarted_its_workers(self):
        """What it sets (PyTorch 2.4, --nnodes=2 --nproc-per-node=2 --max-restarts=3), here for the last worker."""
        recorded = {
            "LOCAL_RANK": "1", "RANK": "3", "GROUP_RANK": "1", "ROLE_RANK": "3", "ROLE_NAME": "default",
            "LOCAL_WORLD_SIZE": "2", "WORLD_SIZE": "4", "GROUP_WORLD_SIZE": "2", "ROLE_WORLD_SIZE": "4",
            "MASTER_ADDR": "n1", "MASTER_PORT": "29500", "TORCHELASTIC_RESTART_COUNT": "1",
            "TORCHELASTIC_MAX_RESTARTS": "3", "TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_USE_AGENT_STORE": "True",
        }  # fmt: skip
        self.assertEqual(_environment.place(recorded), (3, 4))

    def test_what_makes_no_sense_is_refused_by_name(self):
        for environment, words in [
            ({}, ["no launcher", "SCR_RANK"]),
            ({"SCR_RANK": "3"}, ["SCR_RANK", "SCR_RANKS"]),
            ({"SCR_RANK": "x", "SCR_RANKS": "8"}, ["SCR_RANK", "'x'"]),
            ({"SCR_RANK": "-1", "SCR_RANKS": "8"}, ["SCR_RANK", "'-1'"]),
            ({"SCR_RANK": "8", "SCR_RANKS": "8"}, ["rank 8 of 8"]),
            ({"SCR_RANK": "0", "SCR_RANKS": str((1 << 20) + 1)}, ["1048577"]),
        ]:
            with self.subTest(environment=environment), self.assertRaises(scr.BadConfigurationError) as caught:
                _environment.place(environment)
            for word in words:
                self.assertIn(word, str(caught.exception))


class NoticeTest(unittest.TestCase):
    def test_init_waits_in_silence_for_half_a_minute_or_as_the_environment_says(self):
        for value, seconds in (("", 30), ("0", 0), ("5", 5), ("1000000", 1_000_000)):
            self.assertEqual(_environment.init_notice_s({"SCR_INIT_NOTICE_SECONDS": value}), seconds)
        self.assertEqual(_environment.init_notice_s({}), 30)
        for value in ("-1", "1000001", "soon", "1.5"):
            with self.assertRaisesRegex(scr.BadConfigurationError, "SCR_INIT_NOTICE_SECONDS.*" + value):
                _environment.init_notice_s({"SCR_INIT_NOTICE_SECONDS": value})


class SocketTest(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="scr")
        self.addCleanup(shutil.rmtree, self.base)
        self.environment = {"SCR_CNTL_BASE": self.base, "USER": "u"}
        self.daemons = []

    def make(self, job, node):
        directory = os.path.join(self.base, "u", "scr." + job, node)
        os.makedirs(directory)
        path = os.path.join(directory, "scr.sock")
        daemon = socket.socket(socket.AF_UNIX)
        self.addCleanup(daemon.close)
        daemon.bind(path)
        daemon.listen()
        self.daemons.append(daemon)
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

    def test_a_list_with_an_empty_entry_is_refused_by_its_name(self) -> None:
        for given in (":", "/a:", ":/a", "/a::/b"):
            with self.assertRaisesRegex(scr.BadConfigurationError, f"SCR_SOCKET is '{given}' and has an empty entry"):
                _environment.socket_path({"SCR_SOCKET": given})

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
        with self.assertRaisesRegex(scr.NodeLostError, self.base + "/u/scr.local; there is none"):
            _environment.socket_path(self.environment)
        self.make("local", "n1")
        self.make("local", "n2")
        with self.assertRaisesRegex(scr.BadConfigurationError, "n1/scr.sock, .*n2/scr.sock"):
            _environment.socket_path(self.environment)

    def test_a_daemon_that_was_killed_leaves_a_socket_and_is_none(self):
        self.make("local", socket.gethostname())
        self.daemons.pop().close()
        with self.assertRaisesRegex(scr.NodeLostError, "there is none"):
            _environment.socket_path(self.environment)
        path = self.make("local", "n1")
        self.assertEqual(_environment.socket_path(self.environment), path)

    def test_the_user_is_the_owner_of_the_process_where_the_environment_names_none(self):
        names = [pwd.getpwuid(os.geteuid()).pw_name, "logname", "user", "scr"]
        variables = [None, "LOGNAME", "USER", "SCR_USER_NAME"]
        environment = {"SCR_CNTL_BASE": self.base}
        for variable, name in zip(variables, names):
            environment.update({variable: name} if variable else {})
            with self.assertRaisesRegex(scr.NodeLostError, f"{self.base}/{name}/scr.local; there is none"):
                _environment.socket_path(environment)

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
