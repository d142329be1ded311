"""Heat in a rod that is spread over the ranks, with NumPy and mpi4py.

It stops anywhere, and goes on from its newest checkpoint:

    mpirun -n 4 python heat_mpi.py 1000          # start it again after a failure: the result is the same

Needs NumPy and mpi4py. The working directory, or SCR_PREFIX, is where flushed checkpoints end up.
"""

import sys

import numpy as np
from mpi4py import MPI

import scr

CELLS = 1000  # of each rank
EVERY = 10


def load(rank, ranks):
    """Step and temperatures to go on from, with a cell of each neighbour at the ends."""
    rod = np.zeros(CELLS + 2)
    with scr.restart() as checkpoint:
        if checkpoint is not None:
            with np.load(checkpoint.route(f"rod-{rank}.npz")) as state:
                rod[1:-1] = state["rod"]
                return int(state["step"]), rod
    if rank == ranks // 2:
        rod[1] = 1000.0
    return 0, rod


def exchange(world, rod):
    """Cells at the ends go to the neighbours; beyond the first and the last rank it stays cold."""
    rank, last = world.Get_rank(), world.Get_size() - 1
    left, right = rank - 1 if rank > 0 else MPI.PROC_NULL, rank + 1 if rank < last else MPI.PROC_NULL
    world.Sendrecv(rod[1:2], left, recvbuf=rod[-1:], source=right)
    world.Sendrecv(rod[-2:-1], right, recvbuf=rod[:1], source=left)


def main():
    steps = int(sys.argv[1])
    world = MPI.COMM_WORLD
    with scr.init(rank=world.Get_rank(), ranks=world.Get_size()) as session:
        step, rod = load(session.rank, session.ranks)
        while step < steps and not scr.should_exit():
            exchange(world, rod)
            rod[1:-1] += 0.25 * (rod[:-2] - 2 * rod[1:-1] + rod[2:])
            step += 1
            if step % EVERY == 0:
                with scr.checkpoint(f"heat-{step}") as checkpoint:
                    np.savez(checkpoint.route(f"heat/{step}/rod-{session.rank}.npz"), step=step, rod=rod[1:-1])
        heat = world.allreduce(rod[1:-1].sum())
        warm = np.count_nonzero(rod[1:-1])
        print(f"rank {session.rank}: step {step}, {heat:.12f} in all, {warm} cells warm", flush=True)


if __name__ == "__main__":
    main()
