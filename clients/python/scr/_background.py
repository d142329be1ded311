"""Checkpoints that a thread writes while the program goes on."""

import threading
from typing import Callable, Optional, TypeVar

from ._dataset import Dataset
from ._session import FILES_NOT_GOOD, Flag, Session
from .errors import BusyError, CallTimeoutError, NotValidError, StoppingError

_T = TypeVar("_T")

_ATTEMPTS = 60
_PAUSE_S = 1.0
# Nothing was done, or nobody knows: the same call is made again.
_AGAIN = (BusyError, CallTimeoutError, StoppingError)


class Background:
    """One checkpoint at a time: started, written and completed by a thread. For one thread that calls.

    Whether a checkpoint is complete is the same on all ranks. What fails is raised once, by the next call: as
    :class:`NotValidError` on all ranks where the run goes on with the checkpoint before.
    """

    def __init__(self, session: Session, flags: Flag = Flag.CHECKPOINT) -> None:
        self._session = session
        self._flags = flags
        self._thread: Optional[threading.Thread] = None
        self._failure: Optional[BaseException] = None
        self._stop = threading.Event()

    @property
    def session(self) -> Session:
        """The rank in its run."""
        return self._session

    def begin(
        self,
        name: Optional[str],
        write: Callable[[Dataset], None],
        refused: Callable[[BaseException], None] = lambda _: None,
    ) -> None:
        """Waits for the checkpoint before, then lets a thread make this one; ``write`` fills it.

        ``refused`` is told, in the thread, why there is nothing to fill.

        An exception of ``write`` makes the checkpoint invalid for all ranks. What became of the one before is raised
        instead of beginning this one.
        """
        self.wait()
        # A daemon thread: a process that ends by an exception must not wait for other ranks.
        self._thread = threading.Thread(
            target=self._run, args=(name, write, refused), name="scr-checkpoint", daemon=True
        )
        self._thread.start()

    def wait(self) -> None:
        """Waits until what was begun is complete; raises why it is not."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def abandon(self) -> None:
        """Does not wait: what is under way ends with the connection, or by itself."""
        self._stop.set()

    def _run(
        self, name: Optional[str], write: Callable[[Dataset], None], refused: Callable[[BaseException], None]
    ) -> None:
        try:
            self._make(name, write, refused)
        except BaseException as e:  # SystemExit too, with SCR_HALT_EXIT=1: the thread that calls is to raise it
            self._failure = e

    def _make(
        self, name: Optional[str], write: Callable[[Dataset], None], refused: Callable[[BaseException], None]
    ) -> None:
        session = self._session
        cause: Optional[BaseException] = None
        try:
            try:
                name = self._insist(lambda: session.start_output(name, self._flags))
            except BaseException as e:
                refused(e)
                raise
            dataset = Dataset(session, name, "complete-output")
            try:
                write(dataset)
            except BaseException as e:  # failures of torch.distributed.checkpoint are no Exception
                cause = e
            self._insist(lambda: dataset.complete(cause is None))
        except FILES_NOT_GOOD as e:
            raise NotValidError(f"checkpoint '{name}' is not there: {e.reason}", session.rank) from (cause or e)
        if cause is not None:
            raise NotValidError(f"checkpoint '{name}' was not written: {cause}", session.rank) from cause

    def _insist(self, call: Callable[[], _T]) -> _T:
        for _ in range(_ATTEMPTS):
            try:
                return call()
            except _AGAIN:
                if self._stop.wait(_PAUSE_S):
                    raise
        return call()
