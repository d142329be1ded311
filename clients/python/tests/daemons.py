"""Real daemons on this host, ``bin/scr node``, and the ranks that use them."""

import json
import multiprocessing
import os
import random
import re
import runpy
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest.mock
from itertools import zip_longest
from typing import Any, Dict, List, Optional, Sequence, Union

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENT = os.path.dirname(HERE)
HOME = os.environ.get("SCR_HOME") or os.path.dirname(os.path.dirname(CLIENT))
COMMAND = os.path.join(HOME, "bin", "scr")
JAR = os.path.join(HOME, "target", "vertx-scr.jar")
PATIENCE_S = 180
READY = re.compile(r" is ready: .* socket (.+)$", re.MULTILINE)


def missing() -> Optional[str]:
    """Why no daemons can be started; ``None`` where they can."""
    if not os.path.exists(COMMAND):
        return f"{COMMAND} is not there: set SCR_HOME"
    return None if os.path.exists(JAR) else f"{JAR} is not there: mvn package"


def own_environment(**more: str) -> Dict[str, str]:
    """Of this process, without what a launcher or SCR has put there."""
    ours = {name: value for name, value in os.environ.items() if not re.match("SCR_|OMPI_|PMI|SLURM_|FLUX_", name)}
    return {**ours, **{name: os.environ[name] for name in ("SCR_JAVA_HOME",) if name in os.environ}, **more}


def wait_for(what: str, condition: Any) -> Any:
    """The first true value of the condition, about another process, which has no events to wait for."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"after {PATIENCE_S} s still not: {what}")


class Daemons:
    """A cluster in a directory of its own with a short path; closing it kills what is left."""

    def __init__(self, count: int, **settings: str) -> None:
        self.directory = tempfile.mkdtemp(prefix="scr")
        self.prefix = os.path.join(self.directory, "p")
        os.mkdir(self.prefix)
        self._settings = settings
        self._ports = free_ports(count + 4)
        self._running: Dict[str, subprocess.Popen] = {}
        self._sockets: Dict[str, str] = {}
        self._logs: Dict[str, str] = {}
        self.names: List[str] = []
        try:
            names = [f"n{number + 1}" for number in range(count)]
            for name in names:
                self._launch(name)
            for name in names:
                self._await_ready(name)
        except BaseException:
            self.close()
            raise

    def start(self, name: str) -> None:
        """Starts one and waits until it is ready."""
        self._launch(name)
        self._await_ready(name)

    def _launch(self, name: str) -> None:
        taken = len(self._logs)
        log = os.path.join(self.directory, f"{taken}.{name}.log")
        command = [COMMAND, "node", "--name", name, "--port", str(self._ports[taken]), "--members",
                   ",".join(f"127.0.0.1:{port}" for port in self._ports)]  # fmt: skip
        environment = own_environment(
            SCR_USER_NAME="u", SCR_JOB_ID="1",
            SCR_CNTL_BASE=self.directory + "/c", SCR_CACHE_BASE=self.directory + "/k",
            SCR_PREFIX=self.prefix, SCR_AOT="0",
            SCR_JAVA_OPTIONS=os.environ.get("SCR_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1"), **self._settings,
        )  # fmt: skip
        with open(log, "wb") as output:
            process = subprocess.Popen(
                command, cwd=self.directory, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        self._running[name] = process
        self._logs[name] = log

    def _await_ready(self, name: str) -> None:
        process, log = self._running[name], self._logs[name]

        def ready() -> Any:
            with open(log, encoding="utf-8") as text:
                printed = text.read()
            if process.poll() is not None:
                raise AssertionError(f"daemon {name} ended with {process.returncode}: {printed}")
            return READY.search(printed)

        self._sockets[name] = wait_for(f"daemon {name} is ready", ready).group(1)
        self.names.append(name)

    def socket(self, name: str) -> str:
        return self._sockets[name]

    def token_file(self, name: str) -> str:
        """Of one that was started with SCR_BRIDGE_TCP."""
        return os.path.join(os.path.dirname(self._sockets[name]), "scr.tcp")

    def kill(self, name: str) -> None:
        """SIGKILL; its storage is gone with it."""
        self.names.remove(name)
        process = self._running.pop(name)
        process.kill()
        process.wait()
        for base in ("c", "k"):
            shutil.rmtree(os.path.join(self.directory, base, "u", "scr.1", name))

    def close(self) -> None:
        for process in self._running.values():
            process.kill()
            process.wait()
        shutil.rmtree(self.directory)


def free_ports(count: int) -> List[int]:
    """Below those that the system gives to a program that asks for any: nobody takes them before the daemons do."""
    ports: List[int] = []
    sockets: List[socket.socket] = []
    try:
        for port in range(random.randrange(10_000, 30_000), 65_536):
            one = socket.socket()
            sockets.append(one)
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            ports.append(port)
            if len(ports) == count:
                break
        return ports
    finally:
        for one in sockets:
            one.close()


class Forked:
    """A Python program in a process that has imported PyTorch already: that takes longer than most tests run.

    All are forked from one process, which ends with this one. Used as one of ``subprocess.Popen``.
    """

    def __init__(self, command: Sequence[str], directory: str, environment: Dict[str, str], output: str) -> None:
        fork = multiprocessing.get_context("forkserver")
        fork.set_forkserver_preload(["torch"])
        self._process = fork.Process(target=run_program, args=(command, directory, environment, output))
        with unittest.mock.patch.dict(os.environ, environment):  # of the process that imports it
            self._process.start()

    def poll(self) -> Optional[int]:
        return self._process.exitcode

    def wait(self, timeout: Optional[float] = None) -> None:
        self._process.join(timeout)
        if self.poll() is None:
            raise subprocess.TimeoutExpired(str(self._process), timeout or 0)

    def kill(self) -> None:
        self._process.kill()


def run_program(command: Sequence[str], directory: str, environment: Dict[str, str], output: str) -> None:
    """As the process of this command, of which the first word, the interpreter, is running already."""
    with open(output, "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = list(command[1:])
    sys.path.insert(0, os.path.dirname(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


class Ranks:
    """Processes of one run, spread over the daemons in blocks; each leaves a result in a file of its own.

    ``launcher``: a command such as mpirun that starts them all; without it they are started one by one, with the
    ``variables`` of another one: the rank goes into the first, the size into the second; others are as they are.
    ``forked``: each is a `Forked`, of programs that use PyTorch.
    """

    def __init__(
        self,
        daemons: Daemons,
        ranks: int,
        program: Sequence[str],
        launcher: Optional[Sequence[str]] = None,
        over_tcp: bool = False,
        variables: Sequence[str] = ("SCR_RANK={}", "SCR_RANKS={}"),
        forked: bool = False,
    ) -> None:
        self._daemons = daemons
        self._ranks = ranks
        self._forked = forked
        self._door = daemons.token_file if over_tcp else daemons.socket
        self._results = tempfile.mkdtemp(prefix="r", dir=daemons.directory)
        self._outputs: List[str] = []
        command = [sys.executable, *program]
        if launcher:
            self.processes = [self._start([*launcher, *command], {})]
        else:
            self.processes = [
                self._start(command, dict(text.format(number).split("=") for text, number in
                                          zip_longest(variables, (rank, ranks)))) for rank in range(ranks)  # fmt: skip
            ]

    def node(self, rank: int) -> str:
        names = self._daemons.names
        return names[rank * len(names) // self._ranks]

    def _start(self, command: Sequence[str], more: Dict[str, str]) -> Union[subprocess.Popen, Forked]:
        sockets = ":".join(self._door(self.node(rank)) for rank in range(self._ranks))
        environment = own_environment(
            PYTHONPATH=CLIENT, SCR_PREFIX=self._daemons.prefix, TEST_SOCKETS=sockets, TEST_RESULTS=self._results, **more
        )
        self._outputs.append(os.path.join(self._results, f"output.{len(self._outputs)}"))
        if self._forked:
            return Forked(command, self._daemons.prefix, environment, self._outputs[-1])
        with open(self._outputs[-1], "wb") as output:
            return subprocess.Popen(
                command, cwd=self._daemons.prefix, env=environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def wait_for(self, what: str, condition: Any) -> Any:
        """As the function, while none of the processes ends."""

        def while_running() -> Any:
            if any(process.poll() is not None for process in self.processes):
                raise AssertionError("a rank has ended: " + "\n".join(self.output()[-100:]))
            return condition()

        return wait_for(what, while_running)

    def output(self) -> List[str]:
        """The lines that all have printed, sorted, after they have ended."""
        for process in self.processes:
            process.wait(PATIENCE_S)
        lines = []
        for path in self._outputs:
            with open(path, encoding="utf-8") as file:
                lines += file.read().splitlines()
        return sorted(lines)

    def results(self) -> List[Any]:
        """What the ranks have left, after they have ended; those that were killed have left ``None``."""
        for process in self.processes:
            process.wait(PATIENCE_S)
        return [self._result(rank) for rank in range(self._ranks)]

    def said(self, rank: int, word: str) -> bool:
        """Whether the rank has said this already."""
        return os.path.exists(os.path.join(self._results, f"{rank}.{word}"))

    def kill(self, rank: int) -> None:
        self.processes[rank].kill()
        self.processes[rank].wait()

    def _result(self, rank: int) -> Any:
        try:
            with open(os.path.join(self._results, str(rank)), encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
