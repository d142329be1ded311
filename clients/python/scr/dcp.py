"""Checkpoints of torch.distributed.checkpoint, of PyTorch 2.3 or newer: for states that are spread over the ranks.

::

    with scr.init(), scr.dcp.Checkpoints() as checkpoints:
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        if checkpoints.load(state):
            model.load_state_dict(state["model"])
            ...
        checkpoints.save(state, f"step-{step}")          # returns as soon as async_save does

or, with one's own calls of ``torch.distributed.checkpoint``, :class:`Writer` within ``with scr.checkpoint()``, and
:class:`Reader` within ``with scr.restart()``.

The checkpoints of :class:`Checkpoints`, and those of ``with scr.checkpoint(name, shards=True)``, can be loaded by
another number of ranks: each gets the bytes that it needs from its daemon, whichever rank has saved them. Of other
checkpoints a rank reads what it has saved itself from its own files; what other ranks have saved of it, and the
metadata, they send by the process group, and the number of ranks stays.
"""

import io
import os
import pickle
from concurrent.futures import Future
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple, Union

import torch
import torch.distributed
import torch.distributed.checkpoint as checkpoint
from torch.distributed.checkpoint.planner import LoadItemType, WriteItemType
from torch.distributed.checkpoint.storage import StorageReader, StorageWriter, WriteResult

from . import torch as _torch
from ._dataset import Dataset
from ._session import Flag, Session, Shard
from ._state import memory_of
from .errors import CorruptError, NoSuchFileError

__all__ = ["Checkpoints", "Reader", "Writer"]

_METADATA = "metadata.dcp"
# What is sent at once, but for a piece that is larger.
_ROUND_BYTES = 64 << 20

CheckpointId = Union[str, "os.PathLike[str]", None]


class StoredAt(NamedTuple):
    """Where a piece of a state is, in the metadata of the checkpoint; without ``dtype`` and ``shape`` for bytes."""

    rank: int
    offset: int
    size: int
    dtype: Optional[Any]
    shape: Optional[Tuple[int, ...]]


class _Place(NamedTuple):
    rank: int
    offset: int
    size: int


class Writer(StorageWriter):  # type: ignore[misc]
    """Writes this rank's part of a state into a dataset that is being written."""

    def __init__(self, dataset: Union[Dataset, "Future[Dataset]"]) -> None:
        """The dataset that ``scr.checkpoint`` has begun, or that is going to be begun."""
        self._given = dataset

    @property
    def _dataset(self) -> Dataset:
        return self._given.result() if isinstance(self._given, Future) else self._given

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: CheckpointId) -> bool:
        """A dataset is not found by such an id."""
        return False

    def reset(self, checkpoint_id: CheckpointId = None) -> None:
        """The dataset has its name already, and no other is taken."""
        _check_id(checkpoint_id, self._dataset)

    def set_up_storage_writer(self, is_coordinator: bool) -> None:
        """Nothing is needed."""

    def prepare_local_plan(self, plan: Any) -> Any:
        """Nothing is changed."""
        return plan

    def prepare_global_plan(self, plans: List[Any]) -> List[Any]:
        """Nothing is changed."""
        return plans

    def write_data(self, plan: Any, planner: Any) -> Any:
        """Writes all items one after another, tensors as they are in memory."""
        rank = self._dataset.session.rank
        results, offset = [], 0
        with open(self._dataset.route(_file(self._dataset, f"rank-{rank}.dcp")), "wb", buffering=1 << 20) as file:
            for item in plan.items:
                data = planner.resolve_data(item)
                dtype = shape = None
                if item.type == WriteItemType.BYTE_IO:
                    memory = data.getbuffer()
                else:
                    data = data.detach().to("cpu").resolve_conj().resolve_neg().contiguous()
                    dtype, shape = data.dtype, tuple(data.shape)
                    memory = memory_of(data) if data.numel() else memoryview(b"")
                file.write(memory)
                stored = StoredAt(rank, offset, len(memory), dtype, shape)
                results.append(WriteResult(index=item.index, size_in_bytes=len(memory), storage_data=stored))
                offset += len(memory)
        return _done(results)

    def finish(self, metadata: Any, results: List[List[Any]]) -> None:
        """Writes where everything is; on one rank."""
        metadata.storage_data = {result.index: result.storage_data for of_rank in results for result in of_rank}
        with open(self._dataset.route(_file(self._dataset, _METADATA)), "wb") as file:
            pickle.dump(metadata, file)

    def __getstate__(self) -> Any:
        raise TypeError("a process of its own cannot write for this rank; use async_save with threads")


class Reader(StorageReader):  # type: ignore[misc]
    """Reads a state from the checkpoint that is being read; all ranks of the run.

    Where its files are shards, the ranks need not have saved it, and no messages are sent between them. Else it waits
    for the others.
    """

    def __init__(self, dataset: Dataset, process_group: Optional[Any] = None) -> None:
        """The dataset of ``scr.restart``; the group has all ranks of the run, as that of ``load``."""
        self._dataset = dataset
        self._group = process_group
        self._stored: Dict[Any, StoredAt] = {}

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: CheckpointId) -> bool:
        """A dataset is not found by such an id."""
        return False

    def reset(self, checkpoint_id: CheckpointId = None) -> None:
        """The dataset has its name already, and no other is taken."""
        _check_id(checkpoint_id, self._dataset)

    def read_metadata(self) -> Any:
        """Of the rank that has it. It is a pickle, as PyTorch's own is."""

        def read() -> Optional[bytes]:
            try:
                with open(self._dataset.route(_METADATA), "rb") as file:
                    return file.read()
            except NoSuchFileError:
                return None

        if self._dataset.writers is not None:
            return pickle.loads(self._dataset.shard(_file(self._dataset, _METADATA)).read())
        found = [content for content in self._gathered(_outcome(read)) if content is not None]
        if not found:
            raise NoSuchFileError(f"no rank has written {_METADATA} of '{self._dataset.name}'")
        return pickle.loads(found[0])

    def set_up_storage_reader(self, metadata: Any, is_coordinator: bool) -> None:
        """Keeps where everything is."""
        self._stored = metadata.storage_data

    def prepare_local_plan(self, plan: Any) -> Any:
        """Nothing is changed."""
        return plan

    def prepare_global_plan(self, plans: List[Any]) -> List[Any]:
        """Nothing is changed."""
        return plans

    def read_data(self, plan: Any, planner: Any) -> Any:
        """Reads what is here, and gets the rest from those who have it."""
        rank = self._dataset.session.rank
        wanted = {_Place(*self._stored[item.storage_index][:3]) for item in plan.items}
        if self._dataset.writers is not None:
            shards = self._shards(wanted)
            for item in plan.items:
                stored = self._stored[item.storage_index]
                self._load(item, stored, shards[_Place(*stored[:3])].read(), planner)
            return _done(None)
        pieces = self._from_others({place for place in wanted if place.rank != rank})
        path = self._dataset.route(f"rank-{rank}.dcp") if any(place.rank == rank for place in wanted) else os.devnull
        with open(path, "rb") as file:
            for item in plan.items:
                stored = self._stored[item.storage_index]
                place = _Place(*stored[:3])
                self._load(item, stored, _read(file, place) if place.rank == rank else pieces[place], planner)
        return _done(None)

    def _load(self, item: Any, stored: StoredAt, content: Union[bytes, bytearray], planner: Any) -> None:
        if item.type == LoadItemType.BYTE_IO:
            planner.load_bytes(item, io.BytesIO(content))
        else:
            _load_tensor(item, stored, content, planner)

    def _shards(self, wanted: Set[_Place]) -> Dict[_Place, Shard]:
        """Where the daemon has the pieces, one question for all that follow each other in a file."""
        found: Dict[_Place, Shard] = {}
        for places in _stretches(sorted(wanted)):
            first, end = places[0], places[-1].offset + places[-1].size
            path = _file(self._dataset, f"rank-{first.rank}.dcp")
            shard = self._dataset.shard(path, first.offset, end - first.offset, writer=first.rank)
            for place in places:
                found[place] = Shard(shard.file, shard.offset + place.offset - first.offset, place.size)
        return found

    def _from_others(self, wanted: Set[_Place]) -> Dict[_Place, bytearray]:
        """All ranks call, and all know who sends what: each owner what anybody wants, in rounds of a bounded size."""
        rank = self._dataset.session.rank
        asked = self._gathered(_outcome(lambda: (rank, wanted)))
        group_rank_of = {owner: number for number, (owner, _) in enumerate(asked)}
        pieces: Dict[_Place, bytearray] = {}
        for places in _rounds(sorted({place for _, places in asked for place in places})):
            sent = [_outcome(lambda: self._read_all(places)) if places[0].rank == rank else None]  # noqa: B023
            source = group_rank_of[places[0].rank]
            if self._group is not None:
                source = torch.distributed.get_global_rank(self._group, source)
            torch.distributed.broadcast_object_list(sent, src=source, group=self._group)
            contents = _result(sent[0])
            pieces.update((place, content) for place, content in zip(places, contents) if place in wanted)
        return pieces

    def _read_all(self, places: List[_Place]) -> List[bytearray]:
        with open(self._dataset.route(f"rank-{places[0].rank}.dcp"), "rb") as file:
            return [_read(file, place) for place in places]

    def _gathered(self, mine: Tuple[bool, Any]) -> List[Any]:
        """The results of all ranks; raises on all of them what one has raised."""
        if self._dataset.session.ranks == 1:
            return [_result(mine)]
        outcomes: List[Any] = [None] * torch.distributed.get_world_size(self._group)
        torch.distributed.all_gather_object(outcomes, mine, group=self._group)
        return [_result(outcome) for outcome in outcomes]


class Checkpoints(_torch.Checkpoints):
    """Saves and loads states that are spread over the ranks. For one thread; all ranks make the same calls.

    ``process_group`` has all ranks of the run, can send from the memory of the host, as ``gloo`` can, and is used by
    nobody else, because the thread that saves and the program would mix their messages; by default a new one.
    """

    _flags = Flag.CHECKPOINT | Flag.SHARDS

    def __init__(self, session: Optional[Session] = None, process_group: Optional[Any] = None) -> None:
        super().__init__(session)
        if process_group is None and self._session.ranks > 1:
            process_group = torch.distributed.new_group(backend="gloo")
        self._group = process_group

    def save(self, state: Any, name: Optional[str] = None) -> None:
        """Saves a state by ``async_save``; returns when that does, and a thread completes the checkpoint.

        What else it does, and what it raises, is as with :meth:`scr.torch.Checkpoints.save`.
        """
        self._check_open()
        self._background.wait()
        begun: "Future[Dataset]" = Future()
        saving = checkpoint.async_save(state, storage_writer=Writer(begun), process_group=self._group)
        saving = getattr(saving, "upload_completion", saving)

        def write(dataset: Dataset) -> None:
            begun.set_result(dataset)
            saving.result()

        self._background.begin(name, write, begun.set_exception)

    def load(self, state: Optional[Any] = None) -> bool:
        """Loads the newest checkpoint into ``state``, in place; false where there is none.

        What cannot be loaded ends the run, and leaves the checkpoint as it is.
        """
        if state is None:
            raise TypeError("load needs the state to load into")
        self._check_open()
        self._background.wait()
        while self._session.have_restart() is not None:
            dataset = Dataset(self._session, self._session.start_restart(), "complete-restart")
            checkpoint.load(state, storage_reader=Reader(dataset, self._group), process_group=self._group)
            if self._session.complete_restart(True):
                return True
        return False


def _file(dataset: Dataset, name: str) -> str:
    return os.path.join(dataset.session.prefix, dataset.name, name)


def _check_id(checkpoint_id: CheckpointId, dataset: Dataset) -> None:
    if checkpoint_id is not None and os.fspath(checkpoint_id) != dataset.name:
        raise ValueError(f"checkpoint_id '{checkpoint_id}', but the dataset is called '{dataset.name}': leave it out")


def _done(value: Any) -> Any:
    future = torch.futures.Future()
    future.set_result(value)
    return future


def _outcome(call: Callable[[], Any]) -> Tuple[bool, Any]:
    """What a call returns or raises, for all ranks to hear of: none may wait for one that has failed."""
    try:
        return True, call()
    except Exception as e:
        return False, f"{type(e).__name__}: {e}"


def _result(outcome: Any) -> Any:
    is_good, value = outcome
    if not is_good:
        raise CorruptError(f"a rank could not read what it had saved: {value}")
    return value


def _rounds(places: List[_Place]) -> List[List[_Place]]:
    """Sorted places in groups, each of one rank."""
    rounds: List[List[_Place]] = []
    size = 0
    for place in places:
        if not rounds or rounds[-1][0].rank != place.rank or size + place.size > _ROUND_BYTES:
            rounds.append([])
            size = 0
        rounds[-1].append(place)
        size += place.size
    return rounds


def _stretches(places: List[_Place]) -> List[List[_Place]]:
    """Sorted places in groups, each without gaps in a file, of a bounded size."""
    stretches: List[List[_Place]] = []
    for place in places:
        before = stretches[-1] if stretches else []
        follows = before and (before[-1].rank, before[-1].offset + before[-1].size) == (place.rank, place.offset)
        if follows and place.offset + place.size - before[0].offset <= _ROUND_BYTES:
            before.append(place)
        else:
            stretches.append([place])
    return stretches


def _read(file: Any, place: _Place) -> bytearray:
    file.seek(place.offset)
    content = bytearray(place.size)
    if file.readinto(content) != place.size:
        raise CorruptError(f"{file.name} ends before byte {place.offset + place.size}")
    return content


def _load_tensor(item: Any, stored: StoredAt, content: Union[bytes, bytearray], planner: Any) -> None:
    shape = stored.shape or ()
    source = torch.empty(shape, dtype=stored.dtype, device="cpu")
    if len(content):
        memory_of(source)[:] = content
    source = source[tuple(slice(start, start + length) for start, length in zip(item.storage_offsets, item.lengths))]
    target = planner.resolve_tensor(item).detach()
    if target.shape != source.shape:
        raise CorruptError(
            f"{item.storage_index} is saved with shape {tuple(source.shape)}, wanted with {tuple(target.shape)}"
        )
    target.copy_(source)
    planner.commit_tensor(item, target)
