"""A rank of a test: trains with the callback, and says the loss of each step. Usage: ``callback_program.py steps``."""

import sys

import stand_in_lightning
import torch
from torch.nn.parallel import DistributedDataParallel

import scr
import scr.torch


class Trainer(stand_in_lightning.Trainer):
    def loss(self):
        inputs = torch.randn(64, 8)
        return (self.model(inputs).squeeze(1) - inputs.sum(1)).square().mean()


class Speaking:
    """A callback that says the losses."""

    state_key = "speaking"

    def __init__(self, rank):
        self.rank = rank

    def __getattr__(self, name):
        return lambda *_: None

    def state_dict(self):
        return {}

    def on_train_start(self, trainer, module):
        if trainer.global_step > 0:
            print(f"rank {self.rank} goes on from step {trainer.global_step}", flush=True)

    def on_train_batch_end(self, trainer, module, loss, batch, batch_idx):
        print(f"rank {self.rank} step {trainer.global_step} loss {loss.item().hex()}", flush=True)


def main():
    torch.distributed.init_process_group("gloo")
    with scr.init() as session, scr.torch.Checkpoints() as checkpoints:
        torch.manual_seed(session.rank)
        model = DistributedDataParallel(
            torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Dropout(0.1), torch.nn.Linear(32, 1))
        )
        model(torch.zeros(1, 8)).sum().backward()
        optimizer = torch.optim.Adam(model.parameters())
        optimizer.zero_grad()
        schedulers = [torch.optim.lr_scheduler.StepLR(optimizer, 7)]
        callbacks = [scr.torch.Callback(checkpoints, every=10), Speaking(session.rank)]
        Trainer(callbacks, model, optimizer, schedulers).fit(int(sys.argv[1]))


if __name__ == "__main__":
    main()
