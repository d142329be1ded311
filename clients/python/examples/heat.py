"""Heat in a rod, one per rank, with NumPy: stops anywhere, and goes on from its newest checkpoint.

    mpirun -n 4 python heat.py 1000          # start it again after a failure: the result is the same

Needs NumPy. The working directory, or SCR_PREFIX, is where flushed checkpoints end up.
"""

import sys

import numpy as np

import scr

CELLS = 1000
EVERY = 10


def load(rank):
    """Step and temperatures to go on from."""
    with scr.restart() as checkpoint:
        if checkpoint is not None:
            with np.load(checkpoint.route(f"rod-{rank}.npz")) as state:
                return int(state["step"]), state["rod"]
    rod = np.zeros(CELLS)
    rod[rank % CELLS] = 1000.0
    return 0, rod


def save(rank, step, rod):
    with scr.checkpoint(f"heat-{step}") as checkpoint:
        np.savez(checkpoint.route(f"heat/{step}/rod-{rank}.npz"), step=step, rod=rod)


def main():
    steps = int(sys.argv[1])
    with scr.init() as session:  # finalizes at the end; an exception ends the run for all ranks
        step, rod = load(session.rank)
        while step < steps:
            rod[1:-1] += 0.25 * (rod[:-2] - 2 * rod[1:-1] + rod[2:])
            step += 1
            if step % EVERY == 0:
                save(session.rank, step, rod)
        print(f"rank {session.rank}: step {step}, {rod.sum():.12f} in {np.count_nonzero(rod)} cells", flush=True)


if __name__ == "__main__":
    main()
