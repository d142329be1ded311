"""In the place of torch.distributed.checkpoint, which Debian's PyTorch does not have.

As much of it as its documentation says of the interfaces for storage and planners, with a simple planner. What is
saved by it is no proof for the real one.

A state has tensors that all ranks have alike, of which the lowest rank that plans one saves it; :class:`Shard`; and
other objects, which rank 0 saves as bytes.
"""

import abc
import concurrent.futures
import copy
import enum
import io
import sys
import types
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Optional, Tuple

import torch
import torch.distributed


class WriteItemType(enum.Enum):
    TENSOR = 1
    SHARD = 2
    BYTE_IO = 3


class LoadItemType(enum.Enum):
    TENSOR = 1
    BYTE_IO = 2


@dataclass(frozen=True)
class MetadataIndex:
    fqn: str
    offset: Optional[Tuple[int, ...]] = None


@dataclass(frozen=True)
class WriteItem:
    index: MetadataIndex
    type: WriteItemType
    sizes: Tuple[int, ...] = ()


@dataclass(frozen=True)
class ReadItem:
    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: Tuple[int, ...]
    storage_index: MetadataIndex
    storage_offsets: Tuple[int, ...]
    lengths: Tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    items: List[Any]


@dataclass
class Metadata:
    chunks: Dict[str, List[WriteItem]]
    storage_data: Any = None


@dataclass(frozen=True)
class WriteResult:
    index: MetadataIndex
    size_in_bytes: int
    storage_data: Any


class StorageWriter(abc.ABC):
    @abc.abstractmethod
    def reset(self, checkpoint_id=None): ...

    @abc.abstractmethod
    def set_up_storage_writer(self, is_coordinator): ...

    @abc.abstractmethod
    def prepare_local_plan(self, plan): ...

    @abc.abstractmethod
    def prepare_global_plan(self, plans): ...

    @abc.abstractmethod
    def write_data(self, plan, planner): ...

    @abc.abstractmethod
    def finish(self, metadata, results): ...

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id): ...


class StorageReader(abc.ABC):
    @abc.abstractmethod
    def reset(self, checkpoint_id=None): ...

    @abc.abstractmethod
    def read_metadata(self): ...

    @abc.abstractmethod
    def set_up_storage_reader(self, metadata, is_coordinator): ...

    @abc.abstractmethod
    def prepare_local_plan(self, plan): ...

    @abc.abstractmethod
    def prepare_global_plan(self, plans): ...

    @abc.abstractmethod
    def read_data(self, plan, planner): ...

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id): ...


class CheckpointException(BaseException):
    """Of all ranks, if one has failed."""


@dataclass
class Shard:
    """The part of a tensor that this rank has, which begins at an offset."""

    tensor: Any
    offset: Tuple[int, ...] = field(default=(0,))


def _meta(name, value):
    if isinstance(value, Shard):
        return WriteItem(MetadataIndex(name, value.offset), WriteItemType.SHARD, tuple(value.tensor.shape))
    if isinstance(value, torch.Tensor):
        return WriteItem(MetadataIndex(name, (0,) * value.dim()), WriteItemType.TENSOR, tuple(value.shape))
    return WriteItem(MetadataIndex(name), WriteItemType.BYTE_IO)


class SavePlanner:
    def __init__(self, state, is_coordinator):
        self.state = state
        self.is_coordinator = is_coordinator

    def create_local_plan(self):
        items = [_meta(name, value) for name, value in self.state.items()]
        return Plan([item for item in items if self.is_coordinator or item.type != WriteItemType.BYTE_IO])

    @staticmethod
    def create_global_plan(plans):
        seen, unique, chunks = set(), [], {}
        for plan in plans:
            items = [item for item in plan.items if item.index not in seen]
            seen.update(item.index for item in items)
            unique.append(Plan(items))
            for item in items:
                chunks.setdefault(item.index.fqn, []).append(item)
        return unique, Metadata(chunks)

    def resolve_data(self, item):
        value = self.state[item.index.fqn]
        if item.type == WriteItemType.BYTE_IO:
            data = io.BytesIO()
            torch.save(value, data)
            return data
        return value.tensor if isinstance(value, Shard) else value


class LoadPlanner:
    def __init__(self, state, metadata):
        self.state = state
        self.metadata = metadata
        self.committed = []

    def create_local_plan(self):
        return Plan([item for name, value in self.state.items() for item in self._items(name, value)])

    def _items(self, name, value):
        mine = _meta(name, value)
        for chunk in self.metadata.chunks[name]:
            if chunk.type == WriteItemType.BYTE_IO:
                yield ReadItem(LoadItemType.BYTE_IO, mine.index, (), chunk.index, (), ())
                continue
            first = [max(a, b) for a, b in zip(mine.index.offset, chunk.index.offset)]
            last = [min(a + m, b + n)
                    for a, m, b, n in zip(mine.index.offset, mine.sizes, chunk.index.offset, chunk.sizes)]  # fmt: skip
            lengths = tuple(b - a for a, b in zip(first, last))
            if all(length > 0 for length in lengths):
                there = tuple(a - b for a, b in zip(first, mine.index.offset))
                here = tuple(a - b for a, b in zip(first, chunk.index.offset))
                yield ReadItem(LoadItemType.TENSOR, mine.index, there, chunk.index, here, lengths)

    def load_bytes(self, item, value):
        self.state[item.dest_index.fqn] = torch.load(value)

    def resolve_tensor(self, item):
        value = self.state[item.dest_index.fqn]
        tensor = value.tensor if isinstance(value, Shard) else value
        return tensor[tuple(slice(a, a + n) for a, n in zip(item.dest_offsets, item.lengths))]

    def commit_tensor(self, item, tensor):
        self.committed.append(item)


def _gathered(call, group):
    try:
        mine = (True, call())
    except Exception as e:
        mine = (False, repr(e))
    every = [mine]
    if torch.distributed.is_initialized():
        every = [None] * torch.distributed.get_world_size(group)
        torch.distributed.all_gather_object(every, mine, group=group)
    failures = [value for is_good, value in every if not is_good]
    if failures:
        raise CheckpointException(failures)
    return [value for _, value in every]


def _rank(group):
    return torch.distributed.get_rank(group) if torch.distributed.is_initialized() else 0


def save(state, *, checkpoint_id=None, storage_writer, process_group=None):
    rank = _rank(process_group)
    planner = SavePlanner(state, rank == 0)

    def plan():
        storage_writer.reset(checkpoint_id)
        storage_writer.set_up_storage_writer(rank == 0)
        return storage_writer.prepare_local_plan(planner.create_local_plan())

    plans, metadata = planner.create_global_plan(_gathered(plan, process_group))
    plans = storage_writer.prepare_global_plan(plans) if rank == 0 else plans
    results = _gathered(lambda: storage_writer.write_data(plans[rank], planner).wait(), process_group)
    _gathered(lambda: storage_writer.finish(metadata, results) if rank == 0 else None, process_group)
    return replace(metadata)


def async_save(state, *, checkpoint_id=None, storage_writer, process_group=None):
    staged = copy.deepcopy(state)
    executor = concurrent.futures.ThreadPoolExecutor(max_workers=1)
    future = executor.submit(
        save, staged, checkpoint_id=checkpoint_id, storage_writer=storage_writer, process_group=process_group
    )
    executor.shutdown(wait=False)
    return future


def load(state, *, checkpoint_id=None, storage_reader, process_group=None):
    planners = []

    def plan():
        storage_reader.reset(checkpoint_id)
        metadata = storage_reader.read_metadata()
        planners.append(LoadPlanner(state, metadata))
        storage_reader.set_up_storage_reader(metadata, _rank(process_group) == 0)
        return storage_reader.prepare_local_plan(planners[0].create_local_plan())

    plans = _gathered(plan, process_group)
    plans = storage_reader.prepare_global_plan(plans) if _rank(process_group) == 0 else plans
    _gathered(lambda: storage_reader.read_data(plans[_rank(process_group)], planners[0]).wait(), process_group)
    return planners[0].committed


def install():
    """Takes the place of the module and of those within it."""
    names = {name: value for name, value in globals().items() if not name.startswith("_")}
    for name in ("", ".planner", ".storage"):
        module = types.ModuleType("torch.distributed.checkpoint" + name)
        vars(module).update(names)
        sys.modules[module.__name__] = module
    torch.distributed.checkpoint = sys.modules["torch.distributed.checkpoint"]
