"""Data-parallel training with PyTorch; each state is saved while the next steps are computed.

    torchrun --nproc_per_node 4 train_torch.py 100     # start it again after a failure: it goes on with the same losses

Needs PyTorch.
"""

import sys

import torch
from torch.nn.parallel import DistributedDataParallel

import scr
import scr.torch

EVERY = 10


def main():
    steps = int(sys.argv[1])
    torch.distributed.init_process_group("gloo")
    with scr.init() as session, scr.torch.Checkpoints() as checkpoints:
        torch.manual_seed(session.rank)  # each rank has data of its own
        model = DistributedDataParallel(
            torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(32, 1))
        )
        model(torch.zeros(1, 8)).sum().backward()  # from its second pass on DDP adds gradients in one and the same order
        optimizer = torch.optim.Adam(model.parameters())
        step = 0
        state = checkpoints.load()
        if state is not None:
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
            scr.torch.set_random_state(state["random"])
            step = state["step"]
            print(f"rank {session.rank} goes on from step {step}", flush=True)
        ends = False
        while step < steps and not ends:
            inputs = torch.randn(64, 8)
            loss = (model(inputs).squeeze(1) - inputs.sum(1)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            print(f"rank {session.rank} step {step} loss {loss.item().hex()}", flush=True)
            ends = checkpoints.should_exit()  # scr halt, or the end of the allocation is near
            if ends or step % EVERY == 0:
                checkpoints.save({
                    "model": model.state_dict(), "optimizer": optimizer.state_dict(),
                    "random": scr.torch.random_state(), "step": step,
                }, f"train/{step}")  # fmt: skip


if __name__ == "__main__":
    main()
