"""Goal: Python programs checkpoint and restart on real daemons, under each launcher that is here. Method: four daemons,
processes as ranks; each test has a prefix directory of its own."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest

import daemons
import scr
from scr import _connection

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(os.path.dirname(HERE), "examples")
PROGRAM = os.path.join(HERE, "rank_program.py")
NODES = 4

cluster = None


def setUpModule():
    global cluster
    why = daemons.missing()
    if why:
        raise unittest.SkipTest(why)
    cluster = daemons.Daemons(NODES, SCR_COPY_TYPE="XOR", SCR_FLUSH="2", SCR_BRIDGE_TCP="0")


def tearDownModule():
    if cluster is not None:
        cluster.close()


def mpirun(ranks):
    """The command that starts so many ranks, or a skip that says what is missing."""
    command = shutil.which("mpirun")
    if command is None:
        raise unittest.SkipTest("mpirun is not installed (Debian: openmpi-bin)")
    version = subprocess.run([command, "--version"], stdout=subprocess.PIPE, check=True).stdout
    more = ["--oversubscribe", "--allow-run-as-root"] if b"Open MPI" in version else []
    return [command, *more, "-n", str(ranks)]


def needs(module):
    if importlib.util.find_spec(module) is None:
        raise unittest.SkipTest(f"{module} is not installed for {sys.executable}")


class DaemonsTest(unittest.TestCase):
    def setUp(self):
        self.use_fresh_prefix()

    def use_fresh_prefix(self, more=""):
        cluster.prefix = os.path.join(cluster.directory, "p-" + self.id().rpartition(".")[2] + more)
        os.makedirs(cluster.prefix, exist_ok=True)

    def ranks(self, count, *arguments, launcher=None):
        ranks = daemons.Ranks(cluster, count, [PROGRAM, *arguments], launcher)
        self.addCleanup(ranks.close)
        return ranks

    def ranks_of_torch(self, count, *arguments, more=()):
        """With the variables of torchrun."""
        variables = ("RANK={}", "WORLD_SIZE={}", "TORCHELASTIC_RUN_ID=none", "GLOO_SOCKET_IFNAME=lo",
                     "OMP_NUM_THREADS=1", "MASTER_ADDR=127.0.0.1", f"MASTER_PORT={daemons.free_ports(1)[0]}",
                     *more)  # fmt: skip
        ranks = daemons.Ranks(cluster, count, [PROGRAM, *arguments], variables=variables, forked=True)
        self.addCleanup(ranks.close)
        return ranks

    def assert_good(self, ranks, first, steps):
        self.assertEqual(ranks.results(), [{"first": first, "outcome": ["good"] * steps}] * len(ranks.results()))

    def test_a_run_goes_on_where_the_last_one_ended(self):
        self.assert_good(self.ranks(6, "3"), 0, 3)
        self.assert_good(self.ranks(6, "2"), 3, 2)

    def test_a_run_under_mpirun_goes_on_where_the_last_one_ended(self):
        self.assert_good(self.ranks(6, "3", launcher=mpirun(6)), 0, 3)
        self.assert_good(self.ranks(6, "2", launcher=mpirun(6)), 3, 2)

    def test_a_run_goes_on_under_another_launcher_by_its_variables(self):
        torchrun = ("RANK={}", "WORLD_SIZE={}", "TORCHELASTIC_RUN_ID=none", "TORCHELASTIC_RESTART_COUNT=1")
        for first, variables in enumerate([torchrun, ("SLURM_PROCID={}", "SLURM_STEP_NUM_TASKS={}")]):
            ranks = daemons.Ranks(cluster, 2, [PROGRAM, "1"], variables=variables)
            self.addCleanup(ranks.close)
            self.assert_good(ranks, first, 1)

    def test_over_tcp_the_token_of_the_daemon_opens_and_no_other(self):
        ranks = daemons.Ranks(cluster, 4, [PROGRAM, "1"], over_tcp=True)
        self.addCleanup(ranks.close)
        self.assert_good(ranks, 0, 1)
        right = cluster.token_file(cluster.names[0])
        self.assertEqual(os.stat(right).st_mode & 0o777, 0o600)
        with open(right, encoding="ascii") as file:
            text = file.read()
        wrong = os.path.join(cluster.directory, "wrong.tcp")
        with open(wrong, "w", encoding="ascii") as file:
            file.write(text[:-2] + ("0" if text[-2] != "0" else "1") + "\n")
        with self.assertRaisesRegex(scr.NodeLostError, "no frame of type token with the token of this daemon"):
            _connection.Connection(wrong).call("status", {"gaps": False})
        connection = _connection.Connection(right)
        self.addCleanup(connection.close)
        self.assertEqual(connection.call("status", {"gaps": False})["node"], cluster.names[0])

    def test_flushed_files_are_where_the_application_named_them(self):
        self.assert_good(self.ranks(2, "2"), 0, 2)
        where = os.path.join(cluster.prefix, "ckpt", "2")
        daemons.wait_for("the files are in the prefix directory", lambda: os.path.isdir(where) and len(
            [name for name in os.listdir(where) if name.startswith("rank-")]) == 6)  # fmt: skip

    def test_a_rank_that_fails_makes_the_checkpoint_invalid_for_all(self):
        self.assert_good(self.ranks(4, "1"), 0, 1)
        outcomes = [result["outcome"] for result in self.ranks(4, "1", "fail", "2").results()]
        self.assertEqual(outcomes, [["NotValidError"], ["NotValidError"], ["ValueError"], ["NotValidError"]])
        self.assert_good(self.ranks(4, "1"), 1, 1)

    def test_a_program_with_the_loop_of_scr_hears_what_is_valid_and_ends(self):
        ranks = self.ranks(4, "3", "loop")
        self.assertEqual(ranks.results(), [{"tried": [], "first": 0, "written": [True, False, True]}] * 4)
        self.assertRegex("\n".join(ranks.output()), "(?m)^scr: dataset .* is discarded: rank 1 on node n2")
        self.assertEqual(self.ranks(4, "1", "loop", "loop-3").results(),
                         [{"tried": ["loop-3", "loop-1"], "first": 1, "written": [False]}] * 4)  # fmt: skip
        self.assertEqual(self.ranks(4, "0", "loop", "loop-1").results(),
                         [{"tried": ["loop-1"], "first": 0, "written": []}] * 4)  # fmt: skip

    def test_files_of_one_base_name_stay_apart_and_are_found_again(self):
        written = self.ranks(2, "1", "odd-names").results()
        self.assertTrue(all(count > 50 for count in written))
        self.assertEqual(self.ranks(2, "0", "odd-names").results(), written)

    def test_the_example_heat_goes_on_to_the_same_result(self):
        needs("numpy")
        heat = os.path.join(EXAMPLES, "heat.py")
        whole = self.ranks(2, heat, "100").output()
        self.assertEqual([line.partition(",")[0] for line in whole], ["rank 0: step 100", "rank 1: step 100"])
        self.use_fresh_prefix("again")
        self.ranks(2, heat, "50").output()
        self.assertEqual(self.ranks(2, heat, "100").output(), whole)

    def test_the_example_with_mpi4py_goes_on_to_the_same_result(self):
        needs("numpy")
        needs("mpi4py")
        heat = os.path.join(EXAMPLES, "heat_mpi.py")

        def results(steps):  # mpirun mixes the lines of ranks
            output = " ".join(self.ranks(4, heat, steps, launcher=mpirun(4)).output())
            return sorted(re.findall(r"rank \d: step \d+, \S+ in all, \d+ cells warm", output))

        whole = results("100")
        self.assertEqual([line.partition(",")[0] for line in whole], [f"rank {rank}: step 100" for rank in range(4)])
        self.assertAlmostEqual(float(whole[0].split()[4]), 1000.0, places=6)
        self.use_fresh_prefix("again")
        self.assertEqual(len(results("50")), 4)
        self.assertEqual(results("100"), whole)

    def test_a_state_that_is_spread_over_the_ranks_is_loaded_with_other_rows_by_as_many_by_fewer_and_by_more(self):
        needs("torch")
        program = os.path.join(HERE, "dcp_program.py")
        for ranks, verb, outcome in ((3, "save", "saved"), *((ranks, "load", "good") for ranks in (3, 2, 4))):
            with self.subTest(ranks=ranks):
                self.assertEqual(
                    self.ranks_of_torch(ranks, program, verb).output(), [f"rank {r}: {outcome}" for r in range(ranks)]
                )

    def test_settings_of_the_program_have_their_effect_in_the_daemons(self):
        self.assertEqual(self.ranks(2, "1", "settings").results(), [["SINGLE", "SINGLE"]] * 2)

    def test_a_killed_node_ends_the_run_and_its_files_are_rebuilt(self):
        ranks = self.ranks(NODES, "1000000")
        daemons.wait_for("two checkpoints", lambda: ranks.said(NODES - 1, "step-2"))
        lost = ranks.node(NODES - 1)
        ranks.kill(NODES - 1)
        cluster.kill(lost)
        survivors = ranks.results()[:-1]
        self.assertTrue(all(result["error"] in ("RANK_LOST", "NODE_LOST") for result in survivors), survivors)
        cluster.start("spare")
        results = self.ranks(NODES, "1").results()
        self.assertEqual({result["first"] >= 2 for result in results}, {True})
        self.assertEqual([result["outcome"] for result in results], [["good"]] * NODES)
        self.assertEqual(len({result["first"] for result in results}), 1)

    def test_a_training_goes_on_with_the_same_losses_after_a_killed_node(self):
        self.assert_goes_on(os.path.join(EXAMPLES, "train_torch.py"), "spare2")

    def test_a_training_with_the_callback_goes_on_with_the_same_losses_after_a_killed_node(self):
        self.assert_goes_on(os.path.join(HERE, "callback_program.py"), "spare3")

    def assert_goes_on(self, program, spare):
        needs("torch")

        def train(steps, *more):
            return self.ranks_of_torch(NODES, program, str(steps), more=more)

        def protected():
            datasets = connection.call("status", {"gaps": False})["datasets"]
            return [int(re.sub("[^0-9]", "", dataset["name"])) for dataset in datasets
                    if dataset["protection"] == "protected" and dataset["prefix"] == cluster.prefix]  # fmt: skip

        def losses(lines, first, last):
            found = re.findall(r"^rank (\d) step (\d+) loss (\S+)$", "\n".join(lines), re.MULTILINE)
            return {(rank, int(step)): loss for rank, step, loss in found if first <= int(step) <= last}

        connection = _connection.Connection(cluster.socket(cluster.names[0]))
        self.addCleanup(connection.close)
        ranks = train(1_000_000)
        ranks.wait_for("the third state is protected", lambda: any(step >= 30 for step in protected()))
        lost = ranks.node(NODES - 1)
        ranks.kill(NODES - 1)
        cluster.kill(lost)
        before = losses(ranks.output(), 1, 1_000_000)
        steps = max(step for _, step in before) + 25
        cluster.start(spare)
        output = train(steps).output()
        restart = int(output[0].rpartition(" ")[2])
        self.assertEqual([line for line in output if " goes on " in line],
                         [f"rank {rank} goes on from step {restart}" for rank in range(NODES)])  # fmt: skip
        self.assertGreaterEqual(restart, 30)
        undisturbed = train(steps, "SCR_ENABLE=0").output()
        self.assertEqual(len(losses(undisturbed, 1, steps)), NODES * steps)
        self.assertEqual(losses(output, 1, steps), losses(undisturbed, restart + 1, steps))
        self.assertLessEqual(before.items(), losses(undisturbed, 1, steps).items())


if __name__ == "__main__":
    unittest.main()
