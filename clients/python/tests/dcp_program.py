"""A rank of a test: saves a state whose rows are spread over the ranks, or loads it with others.

Usage: ``dcp_program.py save|load``.
"""

import sys

import stand_in_dcp
import torch

stand_in_dcp.install()

import scr
import scr.dcp

ROWS = 12


def state(rank, ranks, filled):
    """Rows in blocks; when it is loaded, in blocks from the other end, so that most of them are somewhere else."""
    whole = torch.arange(ROWS * 5.0).reshape(ROWS, 5) / 7
    block = ROWS // ranks
    first = rank * block if filled else (ranks - 1 - rank) * block + 1
    rows = whole[first : first + block]
    common = torch.arange(4, dtype=torch.int32)
    return {
        "rows": stand_in_dcp.Shard(rows.clone() if filled else torch.zeros_like(rows), (first, 0)),
        "common": common if filled else torch.zeros_like(common),
        "step": 5 if filled else None,
    }, rows, common  # fmt: skip


def main():
    torch.distributed.init_process_group("gloo")
    with scr.init() as session, scr.dcp.Checkpoints() as checkpoints:
        is_save = sys.argv[1] == "save"
        mine, rows, common = state(session.rank, session.ranks, is_save)
        if is_save:
            checkpoints.save(mine, "spread")
            mine["rows"].tensor.zero_()
            outcome = "saved"
        else:
            assert checkpoints.load(mine)
            is_equal = torch.equal(mine["rows"].tensor, rows) and torch.equal(mine["common"], common)
            outcome = "good" if is_equal and mine["step"] == 5 else f"bad: {mine}"
    print(f"rank {session.rank}: {outcome}", flush=True)


if __name__ == "__main__":
    main()
