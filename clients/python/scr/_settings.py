"""What the process says of its configuration: entries of :func:`scr.config`, and SCR's variables of its environment."""

import os
import re
from typing import Dict, List, Mapping, Sequence, Union

from .errors import BadRequestError

_WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')

# Entries of which this client itself makes use; all others have their effect in the daemons.
_OURS = ("SCR_PREFIX", "SCR_JOB_NAME", "SCR_CNTL_BASE", "SCR_USER_NAME", "SCR_JOB_ID", "SCR_SOCKET")


def is_query(entry: str) -> bool:
    """Whether an entry asks for a value: its last word sets none."""
    words = _WORD.findall(entry)
    if not words:
        raise BadRequestError("config needs an entry such as SCR_FLUSH=5, or the name of a parameter; it is empty")
    return "=" not in words[-1]


def entries_of(params: Union[None, str, Sequence[object], Mapping[str, object]]) -> List[str]:
    """What :func:`scr.init` is told of parameters, as entries of :func:`scr.config`; ``None`` takes a value back."""
    if params is None:
        return []
    if isinstance(params, str):
        return [params]
    if isinstance(params, Mapping):
        return [f"{name}={'' if value is None else value}" for name, value in params.items()]
    if isinstance(params, Sequence):
        return [str(entry) for entry in params]
    raise BadRequestError(
        f"params of init are text, a list or a dictionary, not {type(params).__name__}; rank and ranks have names:"
        " init(rank=0, ranks=4)"
    )


class Settings:
    """Entries in the order in which they were made."""

    def __init__(self) -> None:
        self.entries: List[str] = []

    def environment(self) -> Mapping[str, str]:
        """The environment of this process, with the entries where it says nothing, or an empty text."""
        return {**os.environ, **{name: value for name, value in self._simple().items() if not os.environ.get(name)}}

    def need_daemon(self) -> bool:
        """Whether an entry has its effect in the daemons only."""
        return any(not entry.strip().startswith(tuple(name + "=" for name in _OURS)) for entry in self.entries)

    def _simple(self) -> Dict[str, str]:
        values: Dict[str, str] = {}
        for entry in self.entries:
            words = _WORD.findall(entry)
            name, _, value = words[0].partition("=")
            if len(words) == 1:
                values[name] = value.replace('"', "")
        return values


def of_scr(environment: Mapping[str, str]) -> Dict[str, str]:
    """The variables that a daemon is told; what is not Unicode cannot be a setting and is left out."""
    return {name: value for name, value in environment.items() if name.startswith("SCR_") and _is_unicode(name + value)}


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
