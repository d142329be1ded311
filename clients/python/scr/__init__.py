"""Checkpoints that survive the loss of nodes: the calls of SCR for Python programs.

::

    import scr

    scr.init()                                              # waits until all ranks are there
    with scr.restart() as checkpoint:
        if checkpoint is not None:
            load(checkpoint.route("state.npy"))
    while step < steps and not scr.should_exit():
        compute()
        if scr.need_checkpoint():
            with scr.checkpoint(f"step-{step}") as checkpoint:
                save(checkpoint.route(f"ckpt/{step}/rank-{scr.rank()}/state.npy"))
    scr.finalize()

Every process of a parallel program is a rank; its launcher says which (Open MPI, MPICH, PMI, PMIx, Slurm, Flux,
torchrun, or ``SCR_RANK`` and ``SCR_RANKS``). All functions but :func:`route_file`, :func:`shard`, :func:`rank`,
:func:`ranks`, :func:`config` and :func:`get_version` are collective: every rank must call them, in the same order. A
failure is a :class:`ScrError`, a :class:`RuntimeError`, that names rank and cause; ``docs/messages.md`` says what is
possible after each.

Any thread may call, one collective call at a time. A process that was forked from a rank is none, and may not call.
"""

import os
import threading
from typing import Mapping, Optional, Sequence, Union

from . import _environment
from ._connection import Connection, Transport
from ._dataset import Block, Dataset, RestartBlock
from ._idle import Idle
from ._session import Flag, Session, Shard
from ._settings import Settings, entries_of, is_query, of_scr
from .errors import (
    BadConfigurationError,
    BadRequestError,
    BusyError,
    CallTimeoutError,
    CorruptError,
    DuplicateNodeError,
    DuplicateRankError,
    Fault,
    FileChangedError,
    HaltedError,
    HaltExitError,
    InputOutputError,
    InternalError,
    NodeLostError,
    NoSpaceError,
    NoSuchDatasetError,
    NoSuchFileError,
    NotAuthorizedError,
    NotLeaderError,
    NotValidError,
    OutsidePrefixError,
    RankLostError,
    RanksDisagreeError,
    RunInProgressError,
    ScrError,
    StoppingError,
    TakenOverError,
    TooManyLostError,
    UnknownRankError,
    WrongStateError,
)

__version__ = "0.1.0"

#: Longest name of a file or dataset, with the zero that ends it in C.
MAX_FILENAME = 1024

FLAG_NONE = Flag.NONE
FLAG_CHECKPOINT = Flag.CHECKPOINT
FLAG_OUTPUT = Flag.OUTPUT
FLAG_SHARDS = Flag.SHARDS

__all__ = [
    "FLAG_CHECKPOINT", "FLAG_NONE", "FLAG_OUTPUT", "FLAG_SHARDS", "MAX_FILENAME",
    "Dataset", "Fault", "Flag", "Session", "Shard",
    "await_flush", "checkpoint", "complete_checkpoint", "complete_output", "complete_restart", "config", "current",
    "delete", "drop", "exit_reason", "finalize", "flushed", "get_version", "have_restart", "init", "need_checkpoint",
    "open_session", "output",
    "rank", "ranks",
    "restart", "route_file", "session", "shard", "should_exit", "start_checkpoint", "start_output", "start_restart",
    "BadConfigurationError", "BadRequestError", "BusyError", "CallTimeoutError", "CorruptError", "DuplicateNodeError",
    "DuplicateRankError", "FileChangedError", "HaltedError", "HaltExitError", "InputOutputError", "InternalError",
    "NodeLostError", "NoSpaceError", "NoSuchDatasetError", "NoSuchFileError", "NotAuthorizedError", "NotLeaderError",
    "NotValidError", "OutsidePrefixError", "RankLostError", "RanksDisagreeError", "RunInProgressError", "ScrError",
    "StoppingError", "TakenOverError", "TooManyLostError", "UnknownRankError", "WrongStateError",
]  # fmt: skip

_lock = threading.Lock()
_session: Optional[Session] = None
_settings = Settings()


def config(conf: str) -> Optional[str]:
    """Sets a parameter, before :func:`init`, or asks for one. Not collective; the entries of rank 0 count for the run.

    ``"SCR_FLUSH=5"`` and ``"CKPT=0 TYPE=XOR"`` set, ``"SCR_FLUSH="`` takes back, and ``None`` is returned.
    ``"SCR_FLUSH"`` and ``"CKPT=0 TYPE"`` ask the daemon of this node for the value that would hold; ``None`` if
    there is none. The environment of the process wins over entries.
    """
    if not is_query(conf):
        with _lock:
            if _session is not None and _session.over is None:
                raise WrongStateError(f"config cannot set '{conf}' after init", _session.rank)
            _settings.entries.append(conf)
        return None
    environment = _settings.environment()
    if environment.get("SCR_ENABLE") == "0":
        return None
    connection = Connection(_environment.socket_path(environment, _environment.place_or_alone(environment)))
    try:
        value = connection.call(
            "config", {"environment": of_scr(os.environ), "config": list(_settings.entries), "query": conf}
        ).get("value")
    finally:
        connection.close()
    if value is not None and not isinstance(value, str):
        raise InternalError(f"the daemon's answer has {value!r:.40} as field 'value', expected text")
    return value


def init(
    params: Union[None, str, Sequence[object], Mapping[str, object]] = None,
    *,
    rank: Optional[int] = None,
    ranks: Optional[int] = None,
    prefix: Optional[str] = None,
    socket: Optional[str] = None,
    job_name: Optional[str] = None,
) -> Session:
    """Brings this process into its run; waits until all ranks are there and their restart is prepared.

    ``params`` are set before, as by :func:`config`: one entry, a list of them, or a dictionary of names and values in
    which ``None`` takes a value back.
    What is not given comes from the environment: ``rank`` and ``ranks`` (both or none) from that of the launcher,
    ``prefix`` from SCR_PREFIX, else the working directory, ``socket`` from SCR_SOCKET, else from where the control
    directory is, ``job_name`` from SCR_JOB_NAME. After a run that is over (:class:`RankLostError`,
    :class:`NodeLostError`, or :func:`finalize`) it begins the next one. With SCR_ENABLE=0 all calls succeed and do
    nothing, without daemons, and files are where the program calls them. Where no run may begin, because somebody has
    halted the job, it raises :class:`HaltedError`; with SCR_HALT_EXIT=1 :class:`SystemExit`, and rank 0 says why.

    The session that it returns has the same calls as this module, and finalizes at the end of a ``with`` block.
    """
    global _session
    for entry in entries_of(params):
        config(entry)
    with _lock:
        if _session is not None:
            if _session.over is None:
                raise WrongStateError("init is not possible, it was called before", _session.rank)
            _session.close()
        _session = open_session(rank, ranks, prefix=prefix, socket=socket, job_name=job_name)
        return _session


def open_session(
    rank: Optional[int] = None,
    ranks: Optional[int] = None,
    *,
    prefix: Optional[str] = None,
    socket: Optional[str] = None,
    job_name: Optional[str] = None,
) -> Session:
    """:func:`init` for programs with several ranks in one process: the session is the caller's, not the module's."""
    environment = _settings.environment()
    if (rank is None) != (ranks is None):
        raise BadRequestError("init takes rank and ranks, or none of them")
    is_off = environment.get("SCR_ENABLE") == "0"
    if rank is None or ranks is None:
        rank, ranks = _environment.place_or_alone(environment) if is_off else _environment.place(environment)
    place = _environment.checked(rank, ranks, "the arguments of init")
    directory = os.path.abspath(prefix) if prefix is not None else _environment.prefix(environment)
    notice_s = 0 if is_off else _environment.init_notice_s(os.environ)
    connection: Transport
    if is_off:
        connection = Idle()
    else:
        connection = Connection(socket if socket is not None else _environment.socket_path(environment, place))
    session = Session(connection, directory, rank, ranks)
    try:
        session.init(job_name if job_name is not None else environment.get("SCR_JOB_NAME", ""), _settings, notice_s)
    except BaseException:
        connection.close()
        raise
    return session


def session() -> Session:
    """The session of this process; raises :class:`WrongStateError` before :func:`init`."""
    current_session = _session
    if current_session is None:
        raise WrongStateError("init must be called first")
    return current_session


def finalize() -> None:
    """Takes this rank out of the run; the last call. What must be flushed is handed to the daemons."""
    session().finalize()


def get_version() -> str:
    """Version of SCR in use: that of the daemon of this node, or, before :func:`init`, of this client."""
    current_session = _session
    return __version__ if current_session is None else current_session.release


def rank() -> int:
    """This process, from 0."""
    return session().rank


def ranks() -> int:
    """Size of the run."""
    return session().ranks


def should_exit() -> bool:
    """Whether the program should end now; the same answer on all ranks. :func:`exit_reason` says why."""
    return session().should_exit()


def exit_reason() -> Optional[str]:
    """Why the last :func:`should_exit` said yes, where the daemon gave a reason."""
    return session().exit_reason


def need_checkpoint() -> bool:
    """Whether it is time for a checkpoint; the same answer on all ranks."""
    return session().need_checkpoint()


def shard(
    fname: Union[str, "os.PathLike[str]"],
    offset: int = 0,
    size: Optional[int] = None,
    writer: Optional[int] = None,
) -> Shard:
    """Where a file of any rank, or a range of it, is on this node, in a restart from shards; see Session.shard."""
    return session().shard(fname, offset, size, writer)


def route_file(fname: Union[str, "os.PathLike[str]"]) -> str:
    """Where to write or read a file; its directory exists. Not collective.

    While a dataset is written, ``fname`` also says where the file ends up: below the prefix directory, relative names
    starting in the working directory. In a restart the base name is enough where only one file has it. Outside of a
    phase, and before :func:`init`, this is the name as it is.
    """
    current_session = _session
    return os.fspath(fname) if current_session is None else current_session.route_file(fname)


def start_output(name: Optional[str], flags: int) -> str:
    """Begins to write a dataset; its name, which is chosen by the daemons where ``name`` is ``None``."""
    return session().start_output(name, flags)


def complete_output(valid: bool = True) -> bool:
    """Ends the writing of a dataset; this rank's files are closed, and written without error if ``valid``.

    ``True``: the dataset is protected. ``False``, on all ranks: the files of one of them are not valid, which rank 0
    tells on standard error; the dataset is dropped, and the previous one is still there. Raises :class:`ScrError` where
    it was no legal call, or the run is over.
    """
    return session().complete_output(valid)


def start_checkpoint(name: Optional[str] = None) -> str:
    """Begins to write a checkpoint; its name."""
    return session().start_checkpoint(name)


def complete_checkpoint(valid: bool = True) -> bool:
    """Ends the writing of a checkpoint: :func:`complete_output`."""
    return session().complete_checkpoint(valid)


def have_restart() -> Optional[str]:
    """Name of the checkpoint to restart from; ``None`` if there is none."""
    return session().have_restart()


def start_restart() -> str:
    """Begins to read the checkpoint that :func:`have_restart` named; its name."""
    return session().start_restart()


def complete_restart(valid: bool = True) -> bool:
    """Ends the reading; ``False`` on all ranks if one could not read its files, which rank 0 tells on standard error.

    The next :func:`have_restart` offers an older checkpoint then, if there is one.
    """
    return session().complete_restart(valid)


def current(name: str) -> None:
    """Restarts begin with this checkpoint, in this run too if it has not restarted yet; see Session.current."""
    session().current(name)


def drop(name: str) -> None:
    """Takes a dataset out of the index; its files stay in the prefix directory."""
    session().drop(name)


def delete(name: str) -> None:
    """Deletes a dataset, its files too."""
    session().delete(name)


def flushed(name: str) -> bool:
    """Whether a dataset is in the prefix directory, whole and durable."""
    return session().flushed(name)


def await_flush(name: str) -> bool:
    """Waits until it is; false for one that stays in the caches."""
    return session().await_flush(name)


def checkpoint(name: Optional[str] = None, shards: bool = False) -> Block:
    """``with scr.checkpoint("step-10") as c:`` writes a checkpoint to ``c.route(...)``.

    Completed at the end of the block; an exception in it makes the checkpoint invalid, for all ranks, and goes on. On
    the other ranks the end of the block raises :class:`NotValidError` then. With ``shards`` any number of ranks may
    restart from it, each of which may read every file, by ``shard``.
    """
    return Block(session(), name, Flag.CHECKPOINT | Flag.SHARDS if shards else Flag.CHECKPOINT)


def output(name: Optional[str] = None, flags: int = Flag.OUTPUT) -> Block:
    """The same for output; with ``FLAG_CHECKPOINT | FLAG_OUTPUT`` it is both."""
    return Block(session(), name, flags)


def restart() -> RestartBlock:
    """``with scr.restart() as c:`` reads from ``c.route(...)``; ``c`` is ``None`` where there is no checkpoint.

    An exception in the block says that this rank could not read its files: the checkpoint is not offered again.
    """
    return RestartBlock(session())
