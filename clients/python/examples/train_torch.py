"""Training with PyTorch whose state is saved in a background thread, while the next steps are computed.

    torchrun --nproc_per_node 2 train_torch.py 100       # start it again after a failure: it goes on

Only the copy of the state to the host is waited for. Needs PyTorch.
"""

import copy
import sys
import threading

try:
    import torch
except ImportError:
    sys.exit("this example needs PyTorch, which is not installed")

import scr

EVERY = 10


class Background:
    """Saves one state at a time. All ranks must save the same steps; a failure is raised by the next call."""

    def __init__(self, rank):
        self._rank = rank
        self._thread = None
        self._failure = None

    def save(self, step, state):
        self.wait()
        host = copy.deepcopy(state)  # from here on the training may change what it has
        self._thread = threading.Thread(target=self._write, args=(step, host))
        self._thread.start()

    def wait(self):
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._failure is not None:
            raise self._failure

    def _write(self, step, state):
        try:
            with scr.checkpoint(f"train-{step}") as checkpoint:
                torch.save(state, checkpoint.route(f"train/{step}/rank-{self._rank}.pt"))
        except scr.NotValidError as e:
            print(f"rank {self._rank}: step {step} was not saved, the previous checkpoint stays: {e}", flush=True)
        except Exception as e:
            self._failure = e


def main():
    steps = int(sys.argv[1])
    with scr.init() as session:
        torch.manual_seed(session.rank)
        model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
        optimizer = torch.optim.Adam(model.parameters())
        step = 0
        with scr.restart() as checkpoint:
            if checkpoint is not None:
                state = torch.load(checkpoint.route(f"rank-{session.rank}.pt"))
                model.load_state_dict(state["model"])
                optimizer.load_state_dict(state["optimizer"])
                torch.set_rng_state(state["random"])
                step = state["step"]
        background, loss = Background(session.rank), None
        while step < steps:
            inputs = torch.randn(64, 8)
            loss = (model(inputs).squeeze(1) - inputs.sum(1)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % EVERY == 0:
                background.save(step, {
                    "model": model.state_dict(), "optimizer": optimizer.state_dict(),
                    "random": torch.get_rng_state(), "step": step,
                })  # fmt: skip
        background.wait()
        print(f"rank {session.rank}: step {step}, loss {'not computed' if loss is None else loss.item()}", flush=True)


if __name__ == "__main__":
    main()
