"""Checkpoints of PyTorch programs: states that are saved while the next steps are computed.

::

    import scr
    import scr.torch

    with scr.init(), scr.torch.Checkpoints() as checkpoints:
        state = checkpoints.load()
        if state is not None:
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
        while step < steps and not checkpoints.should_exit():
            train()
            if checkpoints.need_checkpoint():
                checkpoints.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step})

``scr`` itself needs no PyTorch; this module does.
"""

import os
import random
import sys
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Type, TypeVar

import torch

from . import session as _session_of_process
from ._background import Background
from ._dataset import Dataset
from ._session import Flag, Session, say
from ._state import ForeignFileError, Stage, read
from .errors import CorruptError, InputOutputError, NotValidError, WrongStateError

__all__ = ["Callback", "Checkpoints", "ForeignFileError", "random_state", "set_random_state"]

_T = TypeVar("_T")


class Checkpoints:
    """Saves and loads the states of one rank. For one thread; all ranks make the same calls.

    At the end of the ``with`` block, or with :meth:`close`, the last state is waited for. An exception in the block
    does not wait.
    """

    _flags = Flag.CHECKPOINT

    def __init__(self, session: Optional[Session] = None) -> None:
        """For the session of this process, :func:`scr.init`, unless another one is given."""
        session = _session_of_process() if session is None else session
        self._session = session
        self._background = Background(session, self._flags)
        self._stage = Stage()
        self._is_closed = False

    def save(self, state: Any, name: Optional[str] = None) -> None:
        """Saves a state; returns as soon as it is copied, while a thread writes and completes the checkpoint.

        The state may have tensors, also on other devices, numbers, text, bytes, ``None``, NumPy arrays, and
        dictionaries, lists, tuples and sets of these, as the ``state_dict()`` of modules, optimizers and schedulers do;
        :class:`TypeError` names what else it has. ``name`` is that of the checkpoint, the same on all ranks, and of its
        directory below the prefix directory; by default the daemons choose one.

        Waits for the state before. If that is not complete, which is the same on all ranks, :class:`NotValidError` says
        why, and *this* state is not saved: the checkpoint before both is still there, and the call can be made again.
        Any other :class:`ScrError` ends the run.
        """
        self._check_open()
        self._background.wait()
        snapshot = self._stage.copy(state)
        self._background.begin(name, lambda dataset: snapshot.write(self._file(dataset)))

    def wait(self) -> None:
        """Waits until the last state is complete; raises why it is not, as the next :meth:`save` would."""
        self._background.wait()

    def load(self) -> Optional[Any]:
        """The state to go on from, with its tensors in the memory of the host; ``None`` where there is none.

        All ranks get states of the same checkpoint. One that some rank cannot read is given up for an older one, and
        the rank says why on standard error. A checkpoint of another program is no reason for that:
        :class:`ForeignFileError` or :class:`NoSuchFileError` end the run, and leave the checkpoint as it is.
        """
        self._check_open()
        self._background.wait()
        while self._session.have_restart() is not None:
            self._session.start_restart()
            is_read, state = True, None
            try:
                state = read(self._session.route_file(_file_name(self._session)))
            except (CorruptError, InputOutputError, OSError) as e:
                say(f"rank {self._session.rank} cannot read its state: {e}")
                is_read = False
            if self._session.complete_restart(is_read):
                return state
        return None

    def need_checkpoint(self) -> bool:
        """Whether it is time for a checkpoint: :func:`scr.need_checkpoint`; also while one is written."""
        return self._ask(self._session.need_checkpoint)

    def should_exit(self) -> bool:
        """Whether the program should end now: :func:`scr.should_exit`; also while a checkpoint is written."""
        return self._ask(self._session.should_exit)

    def close(self) -> None:
        """Waits for the last state, and raises why it is not complete. No call is possible afterwards."""
        self._is_closed = True
        self._background.wait()

    def __enter__(self) -> "Checkpoints":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._is_closed = True
            self._background.abandon()

    def _ask(self, question: Callable[[], _T]) -> _T:
        """Raises no :class:`NotValidError`: some ranks would hear it with an earlier call than others."""
        self._check_open()
        try:
            return question()
        except WrongStateError:
            self._background.wait()  # with SCR_HALT_EXIT=1 its end finalizes, and raises SystemExit here
            raise

    def _check_open(self) -> None:
        if self._is_closed:
            raise WrongStateError("these Checkpoints are closed", self._session.rank)

    def _file(self, dataset: Dataset) -> str:
        return dataset.route(os.path.join(self._session.prefix, dataset.name, _file_name(self._session)))


def _file_name(session: Session) -> str:
    return f"rank-{session.rank}.safetensors"


def random_state() -> Dict[str, Any]:
    """Where the random generators are: of PyTorch, on all its devices, of Python, and of NumPy if it is in use."""
    state: Dict[str, Any] = {"torch": torch.get_rng_state(), "python": random.getstate()}
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        state["numpy"] = numpy.random.get_state()
    return state


def set_random_state(state: Mapping[str, Any]) -> None:
    """Sets them to where they were."""
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["cuda"])
    if "numpy" in state:
        import numpy

        numpy.random.set_state(state["numpy"])


def _no_hook(*_: Any, **__: Any) -> None:
    return None


class Callback:
    """Checkpoints of a training with PyTorch Lightning, or anything else that calls the same hooks.

    Loads when the fit begins, saves at the end of a batch, and stops the trainer where the run is to end. It needs no
    Lightning; :meth:`state` and :meth:`restore` say what it uses of the trainer, and can be overridden.
    """

    def __init__(self, checkpoints: Checkpoints, every: Optional[int] = None) -> None:
        """Saves each so many steps of the optimizer; by default whenever :func:`scr.need_checkpoint` says so."""
        if every is not None and every < 1:
            raise ValueError(f"every is {every}, expected None or a number of steps from 1")
        self._checkpoints = checkpoints
        self._every = every
        self._step = 0

    def state(self, trainer: Any, module: Any) -> Dict[str, Any]:
        """What is saved."""
        state: Dict[str, Any] = {
            "model": module.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in trainer.optimizers],
            "schedulers": [config.scheduler.state_dict() for config in trainer.lr_scheduler_configs],
            "callbacks": self._states_of_callbacks(trainer),
            "random": random_state(),
            "step": int(trainer.global_step),
        }
        if hasattr(trainer, "fit_loop"):
            state["loop"] = trainer.fit_loop.state_dict()
        return state

    def restore(self, trainer: Any, module: Any, state: Mapping[str, Any]) -> None:
        """Puts it back, before the first step."""
        module.load_state_dict(state["model"])
        for optimizer, saved in _pairs("optimizers", trainer.optimizers, state["optimizers"]):
            optimizer.load_state_dict(saved)
        for config, saved in _pairs("schedulers", trainer.lr_scheduler_configs, state["schedulers"]):
            config.scheduler.load_state_dict(saved)
        for callback in trainer.callbacks:
            if state["callbacks"].get(callback.state_key):
                callback.load_state_dict(state["callbacks"][callback.state_key])
        if "loop" in state:
            trainer.fit_loop.load_state_dict(state["loop"])
        set_random_state(state["random"])

    def on_fit_start(self, trainer: Any, module: Any) -> None:
        """Goes on from the newest checkpoint, if there is one."""
        state = self._checkpoints.load()
        if state is not None:
            self.restore(trainer, module, state)
            self._step = state["step"]

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """Saves if it is time, after a step of the optimizer; asks whether the run is to end."""
        step = int(trainer.global_step)
        if step == self._step:
            return  # gradients are being accumulated
        self._step = step
        is_last = self._checkpoints.should_exit()
        is_due = self._checkpoints.need_checkpoint() if self._every is None else step % self._every == 0
        if is_last or is_due:
            self._wait()
            self._checkpoints.save(self.state(trainer, module), f"step-{step}")
        if is_last:
            trainer.should_stop = True

    def on_train_end(self, trainer: Any, module: Any) -> None:
        """Waits for the last checkpoint."""
        self._wait()

    @property
    def state_key(self) -> str:
        """Under which Lightning keeps :meth:`state_dict` in checkpoints of its own."""
        return "scr.torch.Callback"

    def state_dict(self) -> Dict[str, Any]:
        """The last step that was seen."""
        return {"step": self._step}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes it back."""
        self._step = int(state_dict["step"])

    def _wait(self) -> None:
        """For the checkpoint before; one that is not complete does not end the training."""
        try:
            self._checkpoints.wait()
        except NotValidError as e:
            if e.rank == 0:
                say(e.reason)

    def _states_of_callbacks(self, trainer: Any) -> Dict[str, Any]:
        return {callback.state_key: callback.state_dict() for callback in trainer.callbacks if callback is not self}

    # The trainer calls every hook of every callback.
    setup = teardown = on_fit_end = on_exception = on_train_start = _no_hook
    on_sanity_check_start = on_sanity_check_end = _no_hook
    on_train_epoch_start = on_train_epoch_end = on_train_batch_start = _no_hook
    on_validation_start = on_validation_end = on_validation_epoch_start = on_validation_epoch_end = _no_hook
    on_validation_batch_start = on_validation_batch_end = _no_hook
    on_test_start = on_test_end = on_test_epoch_start = on_test_epoch_end = _no_hook
    on_test_batch_start = on_test_batch_end = _no_hook
    on_predict_start = on_predict_end = on_predict_epoch_start = on_predict_epoch_end = _no_hook
    on_predict_batch_start = on_predict_batch_end = _no_hook
    on_save_checkpoint = on_load_checkpoint = _no_hook
    on_before_backward = on_after_backward = on_before_optimizer_step = on_before_zero_grad = _no_hook


def _pairs(what: str, present: Any, saved: List[Any]) -> List[Any]:
    if len(present) != len(saved):
        raise ValueError(f"the checkpoint has {len(saved)} {what}, the trainer {len(present)}")
    return list(zip(present, saved))
