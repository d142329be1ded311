"""Where the files of a dataset are, found out without a message (docs/messages.md, files placed by the client)."""

import errno
import json
import os
import re
import stat
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from .errors import BadRequestError, InputOutputError, NoSuchFileError, OutsidePrefixError, ScrError

MAX_NAME_CHARS = 1023
MAX_COMPONENT_BYTES = 255

# Longest list of files in a message, as in the client for C; and what an entry has beside path and base name.
MAX_LIST_BYTES = 14 << 20
_ENTRY_BYTES = 33
_NUMBER = re.compile("[1-9][0-9]{0,7}")


class NamedFile(NamedTuple):
    """A file of the rank: where it belongs in the prefix directory, and its name below the rank's directory."""

    path: str
    name: str


class CacheNames:
    """Names of one rank's files below its directory: the base name, or ``<k>/<base name>`` with the smallest free k.

    The rule is that of the daemons, which hold each list against it: no two files get the same name, and no file the
    name of another one's directory. The same paths in the same order always give the same names.
    """

    def __init__(self) -> None:
        self._direct: Set[str] = set()
        self._numbered: List[Set[str]] = []
        self._first_free: Dict[str, int] = {}

    def next(self, path: str) -> str:
        """The name of the rank's next file; only the last component of its path counts."""
        base = path.rpartition("/")[2]
        if not self._is_subdirectory(base) and base not in self._direct:
            self._direct.add(base)
            return base
        k = self._first_free.get(base, 1)
        while str(k) in self._direct or base in self._subdirectory(k):
            k += 1
        self._subdirectory(k).add(base)
        self._first_free[base] = k + 1
        return f"{k}/{base}"

    def _subdirectory(self, k: int) -> Set[str]:
        while len(self._numbered) < k:
            self._numbered.append(set())
        return self._numbered[k - 1]

    def _is_subdirectory(self, base: str) -> bool:
        if not _NUMBER.fullmatch(base):
            return False
        k = int(base)
        return k <= len(self._numbered) and bool(self._numbered[k - 1])


class Prefix:
    """Says where a name belongs below the prefix directory. For one phase: it remembers what links lead to.

    ``.`` and ``..`` are taken out textually, then the links of what exists are followed, as the daemon does. So one
    file has one place, by any of its names.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._real = os.path.realpath(prefix)
        self._directories: Dict[str, str] = {}

    def place(self, name: str) -> str:
        """The path relative to the prefix.

        Raises :class:`OutsidePrefixError`, :class:`BadRequestError` for what cannot be the name of a file, or
        :class:`InputOutputError` where the system does not say.
        """
        if not name or "\0" in name:
            raise self._bad(name, "is empty" if not name else "has a zero character")
        if os.path.basename(name) in ("", ".", ".."):
            raise self._bad(name, "names a directory")
        if len(name) > MAX_NAME_CHARS:
            raise self._bad(name, f"has {len(name)} characters, at most {MAX_NAME_CHARS} are taken")
        path = os.path.normpath(name if os.path.isabs(name) else os.path.join(os.getcwd(), name))
        if any(len(os.fsencode(component)) > MAX_COMPONENT_BYTES for component in path.split("/")):
            raise self._bad(name, f"has a component of more than {MAX_COMPONENT_BYTES} bytes")
        real = os.path.join(self._real_directory(os.path.dirname(path), name), os.path.basename(path))
        if os.path.islink(real):
            real, _ = self._follow(real, name)
        relative = os.path.relpath(real, self._real)
        if relative == ".." or relative.startswith("../"):
            how = "leads, through a symbolic link, out of" if self._is_below(path) else "is outside"
            raise OutsidePrefixError(f"'{name}' ({path}) {how} the prefix directory {self._prefix}")
        if relative == ".scr" or relative.startswith(".scr/"):
            raise self._bad(name, "is inside .scr, which is not for the application's files")
        if os.path.isdir(real):
            raise self._bad(name, "is a directory")
        return relative

    def _real_directory(self, directory: str, name: str) -> str:
        known = self._directories.get(directory)
        if known is None:
            known = self._directories[directory] = self._find(directory, name)
        return known

    def _find(self, directory: str, name: str) -> str:
        """Real path of the longest part that is there, with the rest appended as it is."""
        existing = directory
        try:
            while not _is_there(existing):
                existing = os.path.dirname(existing)
        except OSError as e:
            raise self._unknown(name, e) from e
        real, mode = self._follow(existing, name)
        if not stat.S_ISDIR(mode) and (real + "/").startswith(self._real.rstrip("/") + "/"):
            raise self._bad(name, "goes through a file as if that were a directory")
        missing = directory[len(existing) :].lstrip("/")
        return os.path.join(real, missing) if missing else real

    def _follow(self, existing: str, name: str) -> Tuple[str, int]:
        """Real path and mode of what is there."""
        try:
            mode = os.stat(existing).st_mode  # realpath itself says nothing of what it cannot follow
        except OSError as e:
            raise self._unknown(name, e) from e
        return os.path.realpath(existing), mode

    def _unknown(self, name: str, cause: OSError) -> ScrError:
        """Where links that lead nowhere, or in a circle, hide it; else the system does not say."""
        if cause.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return OutsidePrefixError(
                f"'{name}' goes through a link of which it cannot be said that it is inside the prefix directory"
                f" {self._prefix}: {cause.strerror}"
            )
        return InputOutputError(
            f"'{name}' cannot be looked at, to say whether it is inside the prefix directory {self._prefix}:"
            f" {cause.strerror}"
        )

    def _is_below(self, path: str) -> bool:
        return path.startswith(self._prefix.rstrip("/") + "/")

    def _bad(self, name: str, why: str) -> BadRequestError:
        return BadRequestError(
            f"'{name[:100]}' {why}; it cannot be a file of a dataset below the prefix directory {self._prefix}"
        )


def _is_there(path: str) -> bool:
    try:
        os.lstat(path)
        return True
    except (FileNotFoundError, NotADirectoryError):
        return False


class OutputFiles:
    """The files of a rank in the dataset that it writes. For one thread at a time."""

    def __init__(self, prefix: str, directory: str) -> None:
        self._prefix_path = prefix
        self._prefix = Prefix(prefix)
        self._directory = directory
        self._names = CacheNames()
        self._name_of: Dict[str, str] = {}
        self._list_bytes = 0
        self._made: Set[str] = set()

    def route(self, name: str) -> str:
        """Where to write the file; its directory exists."""
        relative = self._prefix.place(name)
        if len(self._listed(relative)) > MAX_NAME_CHARS:
            raise BadRequestError(f"'{relative[:100]}...' has, made absolute, more than {MAX_NAME_CHARS} characters")
        placed = self._name_of.get(relative)
        if placed is None:
            self._check_listable(relative)
            placed = self._name_of[relative] = self._names.next(relative)
        file = os.path.join(self._directory, placed)
        parent = os.path.dirname(file)
        if parent not in self._made:
            os.makedirs(parent, exist_ok=True)
            self._made.add(parent)
        return file

    def _check_listable(self, relative: str) -> None:
        """Refuses here what complete-output could not say: by then the other ranks wait for it."""
        path = self._listed(relative)
        try:
            texts = json.dumps([path, os.path.basename(relative)], ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as e:
            raise BadRequestError(f"{path!r} is not valid Unicode; it cannot be a file of a dataset") from e
        if self._list_bytes + len(texts) + _ENTRY_BYTES > MAX_LIST_BYTES:
            raise BadRequestError(
                f"'{path}' is one file too many: what a rank writes in one dataset must be named in one message of"
                f" {MAX_LIST_BYTES} bytes, about 100,000 files"
            )
        self._list_bytes += len(texts) + _ENTRY_BYTES

    def listed(self) -> List[NamedFile]:
        """What complete-output is told, in the order of the calls."""
        return [NamedFile(self._listed(relative), name) for relative, name in self._name_of.items()]

    def _listed(self, relative: str) -> str:
        return os.path.join(self._prefix_path, relative)


class RestartFiles:
    """The files of a rank in the checkpoint that it reads."""

    def __init__(self, prefix: str, directory: str, files: Sequence[NamedFile], dataset: str) -> None:
        self._prefix = Prefix(prefix)
        self._directory = directory
        self._files = files
        self._dataset = dataset
        self._name_of: Dict[str, str] = dict(files)
        self._of_base: Dict[str, List[NamedFile]] = {}
        for file in files:
            self._of_base.setdefault(os.path.basename(file.path), []).append(file)

    def route(self, name: str) -> str:
        """Where the file is: by its path below the prefix, or by its base name if only one has it."""
        placed = self._name_of.get(self._place(name) or "")
        if placed is None:
            same_base = self._of_base.get(name.rpartition("/")[2], [])
            if len(same_base) != 1:
                raise NoSuchFileError(f"no file '{name}' of {self._dataset}: " + self._why(same_base))
            placed = same_base[0].name
        return os.path.join(self._directory, placed)

    def _place(self, name: str) -> Optional[str]:
        try:
            return self._prefix.place(name)
        except ScrError:
            return None  # its base name may be enough

    def _why(self, same_base: Sequence[NamedFile]) -> str:
        if same_base:
            return "ambiguous, give one of the paths " + _some(same_base)
        return "this rank wrote no file of that name; it wrote " + _some(self._files)


def _some(files: Sequence[NamedFile]) -> str:
    shown = ", ".join(file.path for file in files[:5]) or "none"
    return shown if len(files) <= 5 else f"{shown}, ... ({len(files)} in all)"
