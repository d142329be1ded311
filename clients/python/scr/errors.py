"""What can go wrong, one class for each fault that a daemon can answer.

Each is a :class:`ScrError`, and that is a :class:`RuntimeError`. ``docs/messages.md`` says for each fault what the
rank's state is afterwards.
"""

from enum import IntEnum
from typing import Dict, Optional, Type


class Fault(IntEnum):
    """The number that a failure has on the wire. Numbers never change their meaning."""

    INTERNAL = 1
    BAD_REQUEST = 2
    WRONG_STATE = 3
    UNKNOWN_RANK = 4
    DUPLICATE_RANK = 5
    RANKS_DISAGREE = 6
    OUTSIDE_PREFIX = 7
    NO_SUCH_FILE = 8
    NO_SUCH_DATASET = 9
    RUN_IN_PROGRESS = 10
    RANK_LOST = 11
    NODE_LOST = 12
    BUSY = 13
    TIMEOUT = 14
    NO_SPACE = 15
    IO = 16
    CORRUPT = 17
    TOO_MANY_LOST = 18
    FILE_CHANGED = 19
    NOT_VALID = 20
    NOT_AUTHORIZED = 21
    STOPPING = 22
    DUPLICATE_NODE = 23
    BAD_CONFIGURATION = 24
    NOT_LEADER = 25
    HALTED = 26
    HALT_EXIT = 27
    TAKEN_OVER = 28

    @property
    def retry(self) -> bool:
        """Whether the very same call may succeed later without anybody changing anything."""
        return self in _RETRY


_RETRY = frozenset(
    {
        Fault.RUN_IN_PROGRESS,
        Fault.BUSY,
        Fault.TIMEOUT,
        Fault.NO_SPACE,
        Fault.IO,
        Fault.STOPPING,
        Fault.NOT_LEADER,
        Fault.TAKEN_OVER,
    }
)


class ScrError(RuntimeError):
    """A call that failed.

    ``fault`` is its kind, ``reason`` the sentence that says what happened and to whom, ``rank`` who called (``None``
    before the rank is known). An exception of the operating system that is behind it is its ``__cause__``.
    """

    fault: Fault = Fault.INTERNAL

    def __init__(self, reason: str, rank: Optional[int] = None) -> None:
        self.reason = reason
        self.rank = rank
        super().__init__(reason, rank)

    @property
    def retry(self) -> bool:
        """Whether the same call may succeed later."""
        return self.fault.retry

    def __str__(self) -> str:
        who = "" if self.rank is None else f"rank {self.rank}: "
        return f"{who}{self.reason} [{self.fault.name}]"


class InternalError(ScrError):
    """A bug of the daemon, whose log has more; or a fault that this client does not know."""

    fault = Fault.INTERNAL


class BadRequestError(ScrError):
    """A value is out of its range."""

    fault = Fault.BAD_REQUEST


class WrongStateError(ScrError):
    """The call is not possible now."""

    fault = Fault.WRONG_STATE


class UnknownRankError(ScrError):
    """No such rank in this run."""

    fault = Fault.UNKNOWN_RANK


class DuplicateRankError(ScrError):
    """Two processes claim the same rank."""

    fault = Fault.DUPLICATE_RANK


class RanksDisagreeError(ScrError):
    """Ranks said different things where all must say the same: size, name, flags, order of calls."""

    fault = Fault.RANKS_DISAGREE


class OutsidePrefixError(ScrError):
    """A path leads out of the prefix directory."""

    fault = Fault.OUTSIDE_PREFIX


class NoSuchFileError(ScrError):
    """The checkpoint that is being read has no file of that name."""

    fault = Fault.NO_SUCH_FILE


class NoSuchDatasetError(ScrError):
    """No dataset of that name."""

    fault = Fault.NO_SUCH_DATASET


class RunInProgressError(ScrError):
    """Another run uses these daemons."""

    fault = Fault.RUN_IN_PROGRESS


class RankLostError(ScrError):
    """A process of the run ended without finalize. The run is over; a new ``init`` begins the next."""

    fault = Fault.RANK_LOST


class NodeLostError(ScrError):
    """A node of the run, or the daemon of this one, is gone. The run is over; a new ``init`` begins the next."""

    fault = Fault.NODE_LOST


class BusyError(ScrError):
    """A queue is full; nothing was done. The same call can be made again."""

    fault = Fault.BUSY


class CallTimeoutError(ScrError):
    """Whether the call took effect is not known. Make the very same call again; nothing happens twice."""

    fault = Fault.TIMEOUT


class NoSpaceError(ScrError):
    """The file system has no room."""

    fault = Fault.NO_SPACE


class InputOutputError(ScrError):
    """The operating system failed an access to a file."""

    fault = Fault.IO


class CorruptError(ScrError):
    """Bytes are not what they were when they were written."""

    fault = Fault.CORRUPT


class TooManyLostError(ScrError):
    """More was lost than the redundancy can replace."""

    fault = Fault.TOO_MANY_LOST


class FileChangedError(ScrError):
    """A file was changed after its rank called the dataset complete."""

    fault = Fault.FILE_CHANGED


class NotValidError(ScrError):
    """A rank called its files not valid, or a file is missing. The dataset is dropped, the previous one is there.

    Raised by ``with`` blocks; :func:`scr.complete_output` and :func:`scr.complete_restart` return ``False``.
    """

    fault = Fault.NOT_VALID


class NotAuthorizedError(ScrError):
    """The daemon does not take this call from an application."""

    fault = Fault.NOT_AUTHORIZED


class StoppingError(ScrError):
    """The daemon is starting or stopping; nothing was done."""

    fault = Fault.STOPPING


class DuplicateNodeError(ScrError):
    """Two daemons claim the same name."""

    fault = Fault.DUPLICATE_NODE


class BadConfigurationError(ScrError):
    """An environment variable or a parameter is missing, unknown or malformed; the reason names it."""

    fault = Fault.BAD_CONFIGURATION


class NotLeaderError(ScrError):
    """The leader of the daemons changed; the same call can be made again."""

    fault = Fault.NOT_LEADER


class HaltedError(ScrError):
    """The run is to stop at once, or must not begin: a halt condition holds, and the reason says which."""

    fault = Fault.HALTED


class HaltExitError(ScrError):
    """No run may begin for a halt condition, and the process ends: :func:`scr.init` raises :class:`SystemExit`."""

    fault = Fault.HALT_EXIT


class TakenOverError(ScrError):
    """Another leader has taken over the prefix directory. Between daemons: no call raises it."""

    fault = Fault.TAKEN_OVER


_CLASSES: Dict[int, Type[ScrError]] = {int(known.fault): known for known in ScrError.__subclasses__()}


def error_of(number: int, reason: str, rank: Optional[int] = None) -> ScrError:
    """The error with this number; :class:`InternalError` for numbers that this version does not know."""
    return _CLASSES.get(number, InternalError)(reason, rank)
