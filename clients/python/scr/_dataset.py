"""Datasets as context managers."""

import logging
import os
from types import TracebackType
from typing import Optional, Type, Union

from ._session import Session, Shard
from .errors import NotValidError, ScrError

_LOG = logging.getLogger("scr")


class Dataset:
    """A dataset that this rank is writing, or a checkpoint that it is reading.

    ``complete`` is called at the end of the ``with`` block. An exception in the block calls the rank's files not valid,
    for all ranks, and goes on as it was.
    """

    def __init__(self, session: Session, name: str, complete_verb: str) -> None:
        self._session = session
        self._name = name
        self._complete_verb = complete_verb
        self._is_open = True

    @property
    def name(self) -> str:
        """Name of the dataset."""
        return self._name

    @property
    def session(self) -> Session:
        """Of the rank that writes or reads it."""
        return self._session

    def route(self, name: Union[str, "os.PathLike[str]"]) -> str:
        """Where to write or read a file: :func:`scr.route_file`."""
        return self._session.route_file(name)

    @property
    def writers(self) -> Optional[int]:
        """In a restart from shards, how many ranks wrote them: :meth:`shard` finds every file. Else ``None``."""
        return self._session.writers

    def shard(
        self,
        name: Union[str, "os.PathLike[str]"],
        offset: int = 0,
        size: Optional[int] = None,
        writer: Optional[int] = None,
    ) -> Shard:
        """Where a file of any rank, or a range of it, is on this node: :meth:`Session.shard`."""
        return self._session.shard(name, offset, size, writer)

    def complete(self, valid: bool = True) -> None:
        """Ends it before the block does; ``valid=False`` where a rank knows better without an exception.

        Raises :class:`NotValidError` on all ranks, as the end of the block does, if one of them has said so.
        """
        self._is_open = False
        try:
            self._session._complete(self._complete_verb, valid)
        except ScrError as e:
            self._is_open = e.retry
            raise


class Block:
    """What ``with scr.checkpoint()`` and ``with scr.output()`` enter: a new :class:`Dataset`."""

    def __init__(self, session: Session, name: Optional[str], flags: int) -> None:
        self._session = session
        self._wanted = name
        self._flags = flags
        self._dataset: Optional[Dataset] = None

    def __enter__(self) -> Dataset:
        dataset = Dataset(self._session, "", "complete-output")
        dataset._name = self._session.start_output(self._wanted, self._flags)
        self._dataset = dataset
        return dataset

    def __exit__(
        self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        _end(self._dataset, kind)


class RestartBlock:
    """What ``with scr.restart()`` enters: the checkpoint to read, or ``None`` where there is none.

    Where a signal or a failure that allows it interrupts that, a new one goes on where it was.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._dataset: Optional[Dataset] = None

    def __enter__(self) -> Optional[Dataset]:
        dataset = Dataset(self._session, "", "complete-restart")
        name = self._session._enter_restart()
        # Plain assignments from here on, between which no signal is handled.
        self._session._entry = None
        if name is not None:
            dataset._name = name
            self._dataset = dataset
        return self._dataset

    def __exit__(
        self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        _end(self._dataset, kind)


def _end(dataset: Optional[Dataset], failure: Optional[Type[BaseException]]) -> None:
    if dataset is None or not dataset._is_open:
        return
    if failure is None:
        dataset.complete(True)
        return
    try:
        dataset.complete(False)
    except NotValidError:
        pass  # as it must be
    except ScrError as e:
        _LOG.warning("while an exception ends dataset '%s': %s", dataset.name, e)
