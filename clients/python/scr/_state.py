"""A state of PyTorch as one file: tensors as they are in memory, all else as text.

There is no pickle, so reading runs no code. The file has the form of `safetensors
<https://huggingface.co/docs/safetensors>`_, whose readers can read the tensors::

    8 bytes   n, little endian
    n bytes   JSON: for each tensor its name, dtype, shape and data_offsets; padded with blanks to a multiple of 8
    the rest  the tensors, without gaps, those of the largest elements first

``__metadata__`` of the JSON has under ``scr`` the state as JSON in which a list is a list, and an object has one key
that says what it stands for: ``{"dict": [[key, value], ...]}``, ``{"tensor": name}``, ``{"tuple": [...]}`` and so on.
There is no checksum, since the daemons have one of each file.
"""

import base64
import collections
import ctypes
import io
import json
import math
import os
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Tuple, Type

import torch

from .errors import CorruptError

# That of the readers of the form.
_MAX_HEADER_BYTES = 100_000_000
_BUFFER_BYTES = 1 << 20
_OURS = "scr"

# The names of the form; not every PyTorch has each type.
_TYPE_NAMES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U64": "uint64",
    "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
_TYPES = {name: getattr(torch, of_torch) for name, of_torch in _TYPE_NAMES.items() if hasattr(torch, of_torch)}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}
_COMPLEX = {torch.complex64: torch.float32, torch.complex128: torch.float64}

_SEQUENCES: Dict[str, Type[Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset, "size": torch.Size}
_MAPPINGS: Dict[str, Type[Any]] = {"dict": dict, "ordered": collections.OrderedDict, "counter": collections.Counter}


class ForeignFileError(ValueError):
    """A file that is whole, but was not written by :mod:`scr.torch`."""


class _Part(NamedTuple):
    """A tensor of the file, in the memory of the host, its elements side by side."""

    name: str
    tensor: Any

    @property
    def size(self) -> int:
        return int(self.tensor.numel()) * int(self.tensor.element_size())


class Snapshot:
    """A copy of a state that nobody changes, ready to be written."""

    def __init__(self, tree: Any, parts: List[_Part]) -> None:
        self._parts = sorted(parts, key=lambda part: -int(part.tensor.element_size()))
        entries: Dict[str, Any] = {"__metadata__": {_OURS: json.dumps(tree, allow_nan=False)}}
        offset = 0
        for part in self._parts:
            end = offset + part.size
            shape = list(part.tensor.shape)
            entries[part.name] = {"dtype": _NAMES[part.tensor.dtype], "shape": shape, "data_offsets": [offset, end]}
            offset = end
        header = json.dumps(entries, allow_nan=False).encode("utf-8")
        if len(header) > _MAX_HEADER_BYTES:
            raise ValueError(
                f"the state without its tensors has {len(header)} bytes; at most {_MAX_HEADER_BYTES} can be saved:"
                " keep large data in tensors or NumPy arrays"
            )
        self._header = header + b" " * (-len(header) % 8)

    def write(self, path: str) -> None:
        """Writes the file."""
        with open(path, "wb", buffering=_BUFFER_BYTES) as file:
            file.write(len(self._header).to_bytes(8, "little"))
            file.write(self._header)
            for part in self._parts:
                if part.size:
                    file.write(memory_of(part.tensor))


class Stage:
    """Copies states, into the same memory each time where the tensors are as before. For one state at a time."""

    def __init__(self) -> None:
        if sys.byteorder != "little":
            raise ValueError("the file of a state is little endian, this machine is not")
        self._kept: Dict[str, Any] = {}

    def copy(self, state: Any) -> Snapshot:
        """The state as it is now; what :meth:`copy` returned before changes.

        Raises :class:`TypeError` for what cannot be saved, with its place in the state.
        """
        copier = _Copier(self._kept)
        with torch.no_grad():
            tree = copier.tree(state, "state")
        self._kept = copier.copies
        return Snapshot(tree, [_Part(name, tensor) for name, tensor in copier.copies.items()])


class _Copier:
    """Goes through one state."""

    def __init__(self, kept: Dict[str, Any]) -> None:
        self._kept = kept
        self._name_of: Dict[Tuple[Any, ...], str] = {}
        self.copies: Dict[str, Any] = {}

    def tree(self, value: Any, place: str) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, torch.Tensor):
            return self._tensor(value, place)
        if kind is list:
            return [self.tree(item, f"{place}[{number}]") for number, item in enumerate(value)]
        for tag, known in _SEQUENCES.items():
            if kind is known:
                return {tag: [self.tree(item, f"{place}[{number}]") for number, item in enumerate(value)]}
        for tag, known in _MAPPINGS.items():
            if kind is known:
                return self._mapping(tag, value, place)
        if kind is bytes:
            return {"bytes": base64.b64encode(value).decode("ascii")}
        if kind in (torch.dtype, torch.device):
            return {kind.__name__: str(value).rpartition("torch.")[2]}
        if kind.__module__ == "numpy" and hasattr(value, "__array_interface__") and not value.dtype.hasobject:
            return self._array(value, place)
        raise TypeError(
            f"{place} is of type {kind.__module__}.{kind.__qualname__}, which cannot be saved; tensors, numbers, text,"
            " bytes, None, NumPy arrays, and dictionaries, lists, tuples and sets of these can"
        )

    def _mapping(self, tag: str, value: Any, place: str) -> Any:
        items = [[self.tree(key, f"a key of {place}"), self.tree(item, f"{place}[{key!r}]")]
                 for key, item in value.items()]  # fmt: skip
        metadata = getattr(value, "_metadata", None)  # of Module.state_dict: versions of its modules
        if metadata is None:
            return {tag: items}
        return {"of_module": [items, self.tree(metadata, f"{place}._metadata")]}

    def _tensor(self, tensor: Any, place: str) -> Any:
        self._check(tensor, place)
        same = (tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride(), tensor.device, tensor.is_conj(),
                tensor.is_neg())  # fmt: skip
        if not tensor.numel() or same not in self._name_of:
            self._name_of[same] = self._copied(tensor, self._free_name(place))
        return {"complex" if tensor.dtype in _COMPLEX else "tensor": self._name_of[same]}

    def _check(self, tensor: Any, place: str) -> None:
        why = None
        if hasattr(tensor, "to_local") or hasattr(tensor, "local_shards"):
            why = "is spread over several ranks; save it with scr.dcp"
        elif tensor.is_quantized or tensor.layout is not torch.strided:
            why = "is quantized" if tensor.is_quantized else f"has the layout {tensor.layout}"
        elif tensor.device.type == "meta":
            why = "has no data (device meta)"
        elif tensor.dtype not in _NAMES and tensor.dtype not in _COMPLEX:
            why = f"has the type {tensor.dtype}"
        if why is not None:
            raise TypeError(f"{place} cannot be saved: this tensor {why}")

    def _copied(self, tensor: Any, name: str) -> str:
        tensor = tensor.detach()
        if tensor.dtype in _COMPLEX:
            tensor = torch.view_as_real(tensor.resolve_conj())
        copy = self._kept.get(name)
        if copy is None or copy.shape != tensor.shape or copy.dtype != tensor.dtype:
            copy = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu")
        copy.copy_(tensor)
        self.copies[name] = copy
        return name

    def _free_name(self, place: str) -> str:
        """The place as safetensors of models have it: ``model.0.weight``."""
        words = place.replace("[", ".").replace("]", "").replace("'", "")
        base = name = words.partition(".")[2] or words
        number = 1
        while name in self.copies or name == "__metadata__":
            number += 1
            name = f"{base}#{number}"
        return name

    def _array(self, value: Any, place: str) -> Any:
        """A NumPy array or number: its bytes, since NumPy has types that PyTorch has not."""
        data = bytearray(value.tobytes())
        tensor = torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
        tag = "number" if value.shape == () and type(value).__name__ != "ndarray" else "array"
        return {tag: [value.dtype.str, list(value.shape), self._copied(tensor, self._free_name(place))]}


def read(path: str) -> Any:
    """The state of a file; tensors are in the memory of the host.

    Raises :class:`ForeignFileError` for a file of somebody else, and :class:`CorruptError` for one that is not whole.
    """
    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        header_bytes = int.from_bytes(file.read(8), "little")
        if not 2 <= header_bytes <= min(_MAX_HEADER_BYTES + 8, size - 8):
            raise ForeignFileError(f"{path} is not a file of tensors")
        header = file.read(header_bytes)
        try:
            entries = json.loads(header.decode("utf-8"))
            tree = json.loads(entries.pop("__metadata__")[_OURS])
        except (AttributeError, KeyError, TypeError, ValueError) as e:
            raise ForeignFileError(f"{path} was not written by scr.torch") from e
        try:
            tensors = _read_tensors(file, entries, size - 8 - header_bytes)
            return _Builder(tensors).value(tree)
        except ForeignFileError:
            raise
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as e:
            raise CorruptError(f"{path} is not whole: {e!r}") from e


def _read_tensors(file: io.FileIO, entries: Dict[str, Any], size: int) -> Dict[str, Any]:
    tensors: Dict[str, Any] = {}
    offset = 0
    for name, entry in sorted(entries.items(), key=lambda item: int(item[1]["data_offsets"][0])):
        if entry["dtype"] not in _TYPES:
            raise ForeignFileError(f"{file.name!r} has {name} of type {entry['dtype']}, which this PyTorch has not")
        tensor = torch.empty(entry["shape"], dtype=_TYPES[entry["dtype"]], device="cpu")
        part = _Part(name, tensor)
        if entry["data_offsets"] != [offset, offset + part.size]:
            raise ValueError(f"the offsets of {name}")
        offset += part.size
        if offset > size:
            raise ValueError(f"{name} is beyond its end")
        if part.size:
            _read_fully(file, memory_of(tensor))
        tensors[name] = tensor
    if offset != size:
        raise ValueError(f"it has {size} bytes of tensors, expected {offset}")
    return tensors


def _read_fully(file: io.FileIO, memory: memoryview) -> None:
    done = 0
    while done < len(memory):
        count = file.readinto(memory[done:])
        if not count:
            raise ValueError("it ends too early")
        done += count


class _Builder:
    """Builds what :class:`_Copier` has taken apart."""

    def __init__(self, tensors: Dict[str, Any]) -> None:
        self._tensors = tensors
        self._of: Dict[str, Callable[[Any], Any]] = {
            "float": float, "bytes": base64.b64decode, "device": torch.device,
            "dtype": lambda name: getattr(torch, name),
            "tensor": lambda name: tensors[name],
            "complex": lambda name: torch.view_as_complex(tensors[name]),
            "array": self._array, "number": lambda content: self._array(content)[()],
            "of_module": self._of_module,
        }  # fmt: skip

    def value(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return [self.value(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        ((tag, content),) = tree.items()
        if tag in _SEQUENCES:
            return _SEQUENCES[tag](self.value(item) for item in content)
        if tag in _MAPPINGS:
            return _MAPPINGS[tag]({self.value(key): self.value(item) for key, item in content})
        return self._of[tag](content)

    def _of_module(self, content: Any) -> Any:
        items, metadata = content
        state = collections.OrderedDict((self.value(key), self.value(item)) for key, item in items)
        state._metadata = self.value(metadata)  # type: ignore[attr-defined]
        return state

    def _array(self, content: Any) -> Any:
        import numpy

        dtype, shape, name = content
        data = bytearray(memory_of(self._tensors[name])) if self._tensors[name].numel() else bytearray()
        return numpy.frombuffer(data, dtype=numpy.dtype(dtype)).reshape(shape)


def memory_of(tensor: Any) -> memoryview:
    """The bytes of a tensor of the host that is not empty, whose elements are side by side; valid as long as it is."""
    size = int(tensor.numel()) * int(tensor.element_size())
    return memoryview((ctypes.c_ubyte * size).from_address(tensor.data_ptr())).cast("B")
