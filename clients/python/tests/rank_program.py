"""A rank of a test: reads the checkpoint, verifies every byte, writes more of them, and leaves a result.

Usage: ``rank_program.py <steps> [fail <rank> | odd-names | settings | loop <checkpoint that cannot be read>...]``, or
``rank_program.py <example.py> <arguments>``, which is run with the socket of this rank's daemon.
"""

import json
import os
import random
import runpy
import sys
from typing import Any, List

import scr
from scr import _environment

FILES = 3
BYTES = 50_000


def content(rank: int, step: int, number: int) -> bytes:
    return random.Random(rank * 1_000_003 + step * 1_009 + number).randbytes(BYTES + 37 * rank + number)


def say(rank: int, word: str) -> None:
    open(os.path.join(os.environ["TEST_RESULTS"], f"{rank}.{word}"), "w").close()


def restart(rank: int) -> int:
    """The step of the checkpoint, all of whose files are as they were written; 0 without one."""
    with scr.restart() as checkpoint:
        if checkpoint is None:
            return 0
        step = int(checkpoint.name.rpartition("-")[2])
        for number in range(FILES):
            with open(checkpoint.route(f"rank-{rank}.{number}"), "rb") as file:
                if file.read() != content(rank, step, number):
                    raise AssertionError(f"rank {rank}: file {number} of step {step} is not what was written")
        return step


def write(rank: int, step: int, failing: bool) -> None:
    with scr.checkpoint(f"step-{step}") as checkpoint:
        for number in range(FILES):
            with open(checkpoint.route(f"ckpt/{step}/rank-{rank}.{number}"), "wb") as file:
                file.write(content(rank, step, number))
        if failing:
            raise ValueError("the application's own")


def odd_names(rank: int) -> List[str]:
    """Names that share base names, are numbers, or lead through links; each is another file."""
    dice = random.Random(rank)
    names = [f"d{dice.randrange(30)}/{dice.choice(['a', '1', '2', '7', 'x y', 'ü'])}" for _ in range(200)]
    os.makedirs(f"rank-{rank}/real", exist_ok=True)
    if not os.path.lexists(f"rank-{rank}/link"):
        os.symlink("real", f"rank-{rank}/link")
    return [f"rank-{rank}/{name}" for name in [*dict.fromkeys(names), "link/a", "link/1", "real/../real/b"]]


def write_odd_names(rank: int) -> int:
    names = odd_names(rank)
    with scr.checkpoint("odd") as checkpoint:
        assert scr.session()._phase.files is not None, "files are placed without messages"
        for name in names:
            with open(checkpoint.route(name), "w", encoding="utf-8") as file:
                file.write(name)
    return len(names)


def read_odd_names(rank: int) -> int:
    with scr.restart() as checkpoint:
        assert checkpoint is not None and scr.session()._phase.files is not None
        for name in odd_names(rank):
            with open(checkpoint.route(name.replace("/link/", "/real/")), encoding="utf-8") as file:
                found = file.read()
            assert found == name, (found, name)
    return len(odd_names(rank))


def with_settings() -> Any:
    scr.config("SCR_COPY_TYPE=SINGLE")
    asked = scr.config("SCR_COPY_TYPE")
    session = scr.init()
    write(session.rank, 1, False)
    scheme = session.status()["datasets"][-1]["scheme"]
    scr.finalize()
    return [asked, scheme]


def loop_restart(rank: int, unreadable: List[str], tried: List[str]) -> int:
    """Takes what is offered until one is read by all ranks, as programs for SCR do it; 0 where none was."""
    while scr.have_restart():
        name = scr.start_restart()
        tried.append(name)
        assert len(tried) < 10, tried
        valid, step = True, 0
        try:
            with open(scr.route_file(f"rank-{rank}.txt"), encoding="ascii") as file:
                step = int(file.read())
        except OSError:
            valid = False
        if rank == 1 and name in unreadable:
            valid = False
        if scr.complete_restart(valid):
            return step
    return 0


def loop(steps: int, unreadable: List[str]) -> Any:
    """A program as those for SCR are: it asks what each call returns. On rank 1 every second checkpoint fails."""
    tried: List[str] = []
    written = []
    assert scr.config("SCR_CHECKPOINT_INTERVAL=1") is None
    scr.init({"SCR_CACHE_SIZE": 3})
    rank = scr.rank()
    first = loop_restart(rank, unreadable, tried)
    for step in range(first + 1, first + steps + 1):
        if scr.need_checkpoint():
            scr.start_output(f"loop-{step}", scr.FLAG_CHECKPOINT)
            with open(scr.route_file(f"loop/{step}/rank-{rank}.txt"), "w", encoding="ascii") as file:
                file.write(str(step))
            written.append(scr.complete_output(not (rank == 1 and step % 2 == 0)))
    scr.finalize()
    return {"tried": tried, "first": first, "written": written}


def run(arguments: List[str]) -> Any:
    steps, more = int(arguments[0]), arguments[1:]
    if more == ["settings"]:
        return with_settings()
    if more[:1] == ["loop"]:
        return loop(steps, more[1:])
    rank = scr.init().rank
    if more == ["odd-names"]:
        done = write_odd_names(rank) if steps else read_odd_names(rank)
        scr.finalize()
        return done
    first = restart(rank)
    step, outcome = first, []
    while step < first + steps:
        step += 1
        try:
            write(rank, step, more == ["fail", str(rank)])
            outcome.append("good")
        except (scr.NotValidError, ValueError) as e:
            outcome.append(type(e).__name__)
        say(rank, f"step-{step}")
    scr.finalize()
    return {"first": first, "outcome": outcome}


def main() -> None:
    rank = _environment.place(os.environ).rank
    os.environ["SCR_SOCKET"] = os.environ["TEST_SOCKETS"].split(":")[rank]
    if sys.argv[1].endswith(".py"):
        sys.argv = sys.argv[1:]
        runpy.run_path(sys.argv[0], run_name="__main__")
        return
    try:
        result = run(sys.argv[1:])
    except scr.ScrError as e:
        result = {"error": e.fault.name, "text": str(e)}
    with open(os.path.join(os.environ["TEST_RESULTS"], str(rank)), "w", encoding="utf-8") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
