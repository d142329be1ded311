"""One rank in its run: what is legal when, and the numbers of its calls."""

import os
import re
import sys
import threading
from enum import IntFlag
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, TypeVar, Union

from ._connection import Body, Notice, Prepared, Transport
from ._fields import boolean, integer, named_files, text, texts
from ._placing import OutputFiles, RestartFiles
from ._settings import Settings, of_scr
from .errors import (
    BadConfigurationError,
    BadRequestError,
    BusyError,
    CallTimeoutError,
    CorruptError,
    FileChangedError,
    HaltedError,
    HaltExitError,
    InputOutputError,
    NodeLostError,
    NoSpaceError,
    NoSuchDatasetError,
    NoSuchFileError,
    NotValidError,
    OutsidePrefixError,
    RankLostError,
    RanksDisagreeError,
    ScrError,
    StoppingError,
    TooManyLostError,
    UnknownRankError,
    WrongStateError,
)

MESSAGES_VERSION = 1
_CACHE_NAMES = 1
_MOST_CAUSE_CHARS = 500

_T = TypeVar("_T")

# Nothing was done, or nobody knows: the same call again has the same number.
_NOT_COUNTED = (CallTimeoutError, BusyError, StoppingError, BadRequestError)
# After these refusals of a complete the phase is still open.
_STILL_OPEN = (*_NOT_COUNTED, WrongStateError, UnknownRankError, RanksDisagreeError)
_RUN_OVER = (RankLostError, NodeLostError, HaltedError)
# What a complete says where files are not good, the same on all ranks: without the dataset the run goes on.
FILES_NOT_GOOD = (
    NotValidError, FileChangedError, NoSpaceError, InputOutputError, CorruptError, TooManyLostError, NoSuchFileError,
    NoSuchDatasetError, OutsidePrefixError,
)  # fmt: skip


class Flag(IntFlag):
    """What a dataset is; to be combined with ``|``."""

    NONE = 0
    CHECKPOINT = 1
    OUTPUT = 2
    SHARDS = 4


class _Phase(NamedTuple):
    """The dataset that is being written or read, and its files where they are found without messages."""

    dataset: int
    name: str
    complete_verb: str
    files: Union[OutputFiles, RestartFiles, None]
    writers: Optional[int]


class Shard(NamedTuple):
    """Bytes of a checkpoint: at ``offset`` of ``file``, which may have more of them."""

    file: str
    offset: int
    size: int

    def read(self) -> bytes:
        """The bytes."""
        with open(self.file, "rb") as file:
            file.seek(self.offset)
            content = file.read(self.size)
        if len(content) != self.size:
            raise CorruptError(f"{self.file} ends before byte {self.offset + self.size}")
        return content


class _Exit(NamedTuple):
    exit: bool
    reason: Optional[str]


class _Numbers:
    """The calls of one sequence of numbers: at most one is under way."""

    def __init__(self) -> None:
        self.next = 1
        self.under_way: Optional[str] = None
        self.ask_again: Optional[str] = None
        self.answered = 0  # the last that had an answer which is no failure
        self.answer: object = None


class Session:
    """One rank, from ``init`` to ``finalize``. Any thread; one collective call at a time.

    What is not legal now raises :class:`WrongStateError` here and is not sent. A collective call that ended with
    :class:`CallTimeoutError`, :class:`BusyError` or :class:`StoppingError`, or was interrupted by a signal, can be made
    again: it keeps its number, so that nothing happens twice. After a timeout and an interrupt no other collective call
    is possible before.
    """

    def __init__(self, connection: Transport, prefix: str, rank: int, ranks: int) -> None:
        self._connection = connection
        self._prefix = prefix
        self._rank = rank
        self._ranks = ranks
        self._run = 0
        self._node = ""
        self._release = ""
        self._lock = threading.Lock()
        self._numbers: Dict[str, _Numbers] = {}
        self._phase: Optional[_Phase] = None
        self._over: Optional[ScrError] = None
        self._exit_reason: Optional[str] = None
        self._entry: Optional[int] = None

    @property
    def rank(self) -> int:
        """This process, from 0."""
        return self._rank

    @property
    def ranks(self) -> int:
        """Size of the run."""
        return self._ranks

    @property
    def node(self) -> str:
        """The node whose daemon serves this rank."""
        return self._node

    @property
    def release(self) -> str:
        """Version of the node's program."""
        return self._release

    @property
    def prefix(self) -> str:
        """The prefix directory."""
        return self._prefix

    @property
    def over(self) -> Optional[ScrError]:
        """Why no more calls are possible: what they raise; ``None`` while they are."""
        return self._over

    @property
    def exit_reason(self) -> Optional[str]:
        """Why the last :meth:`should_exit` said yes; ``None`` before, or where there is no reason given."""
        return self._exit_reason

    def init(self, job_name: str, settings: Settings, notice_s: float = 0) -> None:
        """Brings the rank into the run; only :func:`scr.init` calls this.

        A wait of ``notice_s`` is told, with what it is for; 0: none is.
        """
        body: Body = {"rank": self._rank, "ranks": self._ranks, "prefix": self._prefix, "jobName": job_name}
        try:
            reply = self._join(body, settings, Notice(notice_s, _say_remarks) if notice_s > 0 else None)
            version = integer(reply, "version")
            if version != MESSAGES_VERSION:
                raise BadRequestError(
                    f"the daemon speaks version {version} of the messages, this client version {MESSAGES_VERSION}"
                )
            self._run, self._node = integer(reply, "run"), text(reply, "node")
            self._release = text(reply, "release")
            _say_remarks(reply)
        except HaltExitError as e:
            if self._rank == 0:
                say(f"the run ends here (SCR_HALT_EXIT=1): {e.reason}")
            raise SystemExit(0) from e
        except ScrError as e:
            raise self._of_rank(e)

    def _join(self, body: Body, settings: Settings, notice: Optional[Notice]) -> Body:
        said = {"environment": of_scr(os.environ), "config": settings.entries}
        try:
            return self._connection.call("init", {**body, **said}, notice)
        except BadRequestError as e:
            # A daemon of an earlier release refuses fields that it does not know, by their names.
            if not re.search("'(environment|config)'.* unknown", e.reason):
                raise
        if settings.need_daemon():
            raise BadConfigurationError(
                "the daemon is of a release that takes no settings of scr.config: set them in its environment"
            )
        return self._connection.call("init", body, notice)

    def have_restart(self) -> Optional[str]:
        """The name of the checkpoint to restart from; ``None`` if there is none. Collective."""
        return self._numbered(
            "have-restart", {}, lambda reply: text(reply, "name") if boolean(reply, "available") else None
        )

    def start_restart(self) -> str:
        """Begins to read the checkpoint that :meth:`have_restart` named; its name. Collective."""
        return self._start("start-restart", {}, "complete-restart")

    def _enter_restart(self) -> Optional[str]:
        """:meth:`have_restart` and :meth:`start_restart` as one, which an interrupt leaves to be made again as a whole.

        The name of the checkpoint, or ``None``. What has its answer is not asked again: the other ranks do not either.
        They are calls ``_entry`` and the next, until the caller sets that to ``None``.
        """
        numbers = self._numbers.setdefault("", _Numbers())
        phase = self._phase
        done = -1 if self._entry is None else numbers.next - self._entry
        if done == 2 and phase is not None and phase.complete_verb == "complete-restart":
            return phase.name
        if done != 1 or numbers.answered < numbers.next - 1:  # else that answer is known
            self._entry = numbers.next
            self.have_restart()
        return None if numbers.answer is None else self.start_restart()

    def complete_restart(self, valid: bool = True) -> bool:
        """Ends the reading; files are closed. Collective.

        ``False`` on all ranks if one of them could not read its files, and rank 0 says on standard error why; the next
        :meth:`have_restart` offers an older checkpoint then, if there is one.
        """
        return self._is_completed("complete-restart", valid)

    def start_output(self, name: Optional[str], flags: int) -> str:
        """Begins to write a dataset; its name, which the daemons choose if none is given.

        Collective, with the same arguments on all ranks.
        """
        body: Body = {"flags": int(flags)}
        if name is not None:
            body["name"] = name
        return self._start("start-output", body, "complete-output")

    def complete_output(self, valid: bool = True) -> bool:
        """Ends the writing; files are closed. The dataset is protected when this returns ``True``. Collective.

        ``valid`` says whether this rank has written all of its files without error. ``False`` on all ranks if one of
        them has not: the dataset is dropped, the run goes on with the previous one, and rank 0 says on standard error
        why. Where the run is to stop and has SCR_HALT_EXIT=1, it finalizes and raises :class:`SystemExit`.
        """
        return self._is_completed("complete-output", valid)

    def start_checkpoint(self, name: Optional[str] = None) -> str:
        """Begins to write a checkpoint; its name. Collective."""
        return self.start_output(name, Flag.CHECKPOINT)

    def complete_checkpoint(self, valid: bool = True) -> bool:
        """Ends the writing of a checkpoint: :meth:`complete_output`."""
        return self.complete_output(valid)

    def route_file(self, fname: Union[str, "os.PathLike[str]"]) -> str:
        """Where to write or read a file; its directory exists. Not collective, and no message within a phase.

        Relative names start in the working directory. In a restart the base name is enough where only one file has it.
        Outside of a phase this is the name as it is, and after :meth:`finalize` too.
        """
        name = os.fspath(fname)
        if isinstance(self._over, WrongStateError):  # finalize was called
            return name
        self._connection.check_process()
        try:
            with self._lock:
                self._check_route()
                if self._phase is None:
                    return name
                if self._phase.files is not None:
                    return self._phase.files.route(name)
            reply = self._connection.call(
                "route", {"run": self._run, "rank": self._rank, "name": name, "directory": _start_of(name)}
            )
            return text(reply, "file")
        except OSError as e:
            raise InputOutputError(f"'{name}' cannot be routed: {e}", self._rank) from e
        except ScrError as e:
            raise self._of_rank(e)

    @property
    def writers(self) -> Optional[int]:
        """In a restart from shards, how many ranks wrote them: every rank may read every file. Else ``None``."""
        phase = self._phase
        return phase.writers if phase is not None else None

    def shard(
        self,
        fname: Union[str, "os.PathLike[str]"],
        offset: int = 0,
        size: Optional[int] = None,
        writer: Optional[int] = None,
    ) -> Shard:
        """Where a file of any rank, or a range of it, is on this node, in a restart from shards. Not collective.

        ``fname`` is its path, or a base name that only one file has; ``writer`` the rank that wrote it, where that is
        known: then fewer nodes are asked. The answer is good until the restart is complete.
        """
        self._connection.check_process()
        name = os.fspath(fname)
        try:
            body: Body = {
                "run": self._run, "rank": self._rank, "name": name, "directory": _start_of(name), "offset": offset
            }  # fmt: skip
            body.update((key, value) for key, value in (("bytes", size), ("writer", writer)) if value is not None)
            with self._lock:
                self._check_route("shard")
                if self._phase is None or self._phase.complete_verb != "complete-restart":
                    raise WrongStateError("shard is not possible, no checkpoint is being read")
            reply = self._connection.call("shard", body)
            return Shard(text(reply, "file"), integer(reply, "offset"), integer(reply, "bytes"))
        except OSError as e:
            raise InputOutputError(f"'{name}' cannot be found: {e}", self._rank) from e
        except ScrError as e:
            raise self._of_rank(e)

    def need_checkpoint(self) -> bool:
        """Whether it is time for a checkpoint. Collective."""
        verb = "need-checkpoint"
        return self._numbered(verb, {}, lambda reply: boolean(reply, "need"), needs=None, sequence=verb)

    def should_exit(self) -> bool:
        """Whether the program should end now; :attr:`exit_reason` says why. Collective."""
        verb = "should-exit"
        reply = self._numbered(verb, {}, _exit_of, needs=None, sequence=verb)
        self._exit_reason = reply.reason
        return reply.exit

    def current(self, name: str) -> None:
        """Restarts begin with this checkpoint from now on. Collective.

        Before the program has restarted this selects what :meth:`have_restart` says; after it has restarted by
        itself, it says from which checkpoint.
        """
        self._numbered("current", {"name": name}, _nothing)

    def drop(self, name: str) -> None:
        """Takes a dataset out of the index, and leaves its files in the prefix directory. Collective."""
        self._numbered("drop", {"name": name}, _nothing)

    def delete(self, name: str) -> None:
        """Deletes a dataset, from the prefix directory too. Collective."""
        self._numbered("delete", {"name": name}, _nothing)

    def flushed(self, name: str) -> bool:
        """Whether a dataset is in the prefix directory, whole and durable. Not collective, at any time."""
        return self._flush("flush-test", name)[0]

    def await_flush(self, name: str) -> bool:
        """Waits until it is; false for one that stays in the caches. Not collective."""
        while True:
            flushed, wanted = self._flush("flush-wait", name)
            if not wanted:
                return flushed

    def _flush(self, verb: str, name: str) -> Tuple[bool, bool]:
        self._connection.check_process()
        if self._over is not None:
            raise self._of_rank(type(self._over)(f"{verb}: {self._over.reason}"))
        try:
            reply = self._connection.call(verb, {"run": self._run, "rank": self._rank, "name": name})
            return boolean(reply, "flushed"), boolean(reply, "wanted")
        except ScrError as e:
            raise self._of_rank(e)

    def finalize(self) -> None:
        """Takes the rank out of the run. Collective; the last call."""
        self._numbered("finalize", {}, _nothing)
        with self._lock:
            self._over = WrongStateError("finalize was called before")
        self._connection.close()

    def status(self) -> Body:
        """What the node says about itself and the run (docs/messages.md)."""
        return self._connection.call("status", {})

    def close(self) -> None:
        """Ends the connection. Before :meth:`finalize` this makes the rank a lost one, which ends the run for all."""
        self._connection.close()

    def is_open(self) -> bool:
        """Whether a dataset is being written or read."""
        return self._phase is not None and self._over is None

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: Optional[type], failure: Optional[BaseException], *_: Any) -> None:
        """Finalizes; after an exception it ends the run instead, so that no other rank waits for this one."""
        if failure is None:
            if self._over is None:
                self.finalize()
            return
        try:
            self._abort(failure)
        finally:
            self.close()

    def _abort(self, failure: BaseException) -> None:
        """Says why the rank cannot go on, and waits, for a second at most, until that or a better reason is known.

        Where another rank has died, this one often fails because of that, and before the daemon has heard of it.
        """
        if self._over is not None:
            return
        told = " ".join(f"{type(failure).__name__}: {failure}".split())
        cause = "".join(c for c in told if c.isprintable())[:_MOST_CAUSE_CHARS]
        try:
            self._connection.call("abort", {"run": self._run, "rank": self._rank, "cause": cause})
        except ScrError:
            pass  # the run is over, or the daemon is of an earlier release: the end of the connection says it all

    def _start(self, verb: str, body: Body, complete_verb: str) -> str:
        def read(reply: Body) -> _Phase:
            return self._phase_of(reply, complete_verb)

        return self._numbered(verb, body, read).name

    def _phase_of(self, reply: Body, complete_verb: str) -> _Phase:
        dataset, name, directory = integer(reply, "dataset"), text(reply, "name"), text(reply, "directory")
        files: Union[OutputFiles, RestartFiles, None] = None
        if complete_verb == "complete-output" and reply.get("naming") == _CACHE_NAMES:
            files = OutputFiles(self._prefix, directory)
        elif complete_verb == "complete-restart" and "files" in reply:
            files = RestartFiles(self._prefix, directory, named_files(reply), f"dataset {dataset} '{name}'")
        writers = integer(reply, "writers") if "writers" in reply else None
        return _Phase(dataset, name, complete_verb, files, writers)

    def _is_completed(self, verb: str, valid: bool) -> bool:
        try:
            self._complete(verb, valid)
            return True
        except FILES_NOT_GOOD as e:
            if self._rank == 0:
                say(e.reason)
            return False

    def _complete(self, verb: str, valid: bool) -> None:
        body: Body = {"valid": bool(valid)}
        phase = self._phase
        if valid and phase is not None and isinstance(phase.files, OutputFiles):
            listed = [file._asdict() for file in phase.files.listed()]
            if listed:
                body["files"] = listed
        ends = self._numbered(verb, body, _end_of, needs=verb)
        if ends.exit:
            # SCR_HALT_EXIT=1: all ranks hear it with the same call, and all take their leave.
            say(f"rank {self._rank}: the run ends here (SCR_HALT_EXIT=1): {ends.reason}")
            self.finalize()
            raise SystemExit(0)

    def _numbered(
        self,
        verb: str,
        body: Body,
        read: Callable[[Body], _T],
        needs: Optional[str] = "",
        sequence: str = "",
    ) -> _T:
        """Makes a collective call.

        ``read`` takes the answer apart. ``needs`` is the verb that completes the phase in which the call is legal;
        empty: between phases; ``None``: always. ``sequence`` counts the call; the empty one is that of all but two
        verbs.
        """
        self._connection.check_process()
        numbers = self._numbers.setdefault(sequence, _Numbers())
        call: Optional[Prepared] = None
        number, phase = 0, None
        try:
            failure: Optional[ScrError] = None
            try:
                with self._lock:
                    self._check(verb, numbers, needs)
                    number, phase = numbers.next, self._phase
                    call = self._connection.prepare(
                        verb, {"run": self._run, "rank": self._rank, "call": number, **body}
                    )
                    numbers.under_way = verb
                reply = self._connection.ask(call)
                _say_remarks(reply)
                result = read(reply)
            except ScrError as e:
                failure = self._of_rank(e)
                if call is None:
                    raise failure
            self._answered(numbers, failure, None if failure is not None else result)
            if failure is not None:
                raise failure
            return result
        except ScrError:
            raise
        except BaseException:  # a signal's, at any moment: the caller does not know the outcome, and makes the call again
            if call is not None:
                with self._lock:
                    numbers.under_way, numbers.ask_again, numbers.next = None, verb, number
                    self._phase = self._phase if sequence else phase
            raise

    def _check(self, verb: str, numbers: _Numbers, needs: Optional[str]) -> None:
        if isinstance(self._over, HaltedError) and verb == "finalize":
            return
        if self._over is not None:
            raise type(self._over)(f"{verb}: {self._over.reason}")
        if numbers.under_way is not None:
            raise WrongStateError(f"{verb} is not possible, {numbers.under_way} is under way in another thread")
        if numbers.ask_again not in (None, verb):
            raise WrongStateError(
                f"{verb} is not possible, the outcome of {numbers.ask_again} is unknown: make that call again first"
            )
        if needs is None or (self._phase.complete_verb if self._phase else "") == needs:
            return
        if self._phase is None:
            raise WrongStateError(f"{verb} is not possible, no dataset is open")
        first = f"{self._phase.complete_verb} of '{self._phase.name}'"
        raise WrongStateError(f"{verb} is not possible, {first} comes first")

    def _answered(self, numbers: _Numbers, failure: Optional[ScrError], answer: object) -> None:
        is_counted = not isinstance(failure, _NOT_COUNTED)
        is_unknown = isinstance(failure, CallTimeoutError)
        still_open = isinstance(failure, _STILL_OPEN)
        is_over = isinstance(failure, _RUN_OVER)
        opened = answer if isinstance(answer, _Phase) else None
        # Plain assignments from here on, between which no signal is handled.
        with self._lock:
            verb, numbers.under_way = numbers.under_way, None
            if is_counted:
                numbers.ask_again = None
                if failure is None:
                    numbers.answered, numbers.answer = numbers.next, answer
                numbers.next += 1
            elif is_unknown:
                numbers.ask_again = verb
            phase = self._phase
            if phase is not None and phase.complete_verb == verb and not still_open:
                self._phase = None
            if opened is not None:
                self._phase = opened
            if is_over:
                self._over = failure

    def _check_route(self, verb: str = "route") -> None:
        if self._over is not None:
            raise type(self._over)(f"{verb}: {self._over.reason}")
        collective = self._numbers.get("")
        if collective is not None and collective.under_way is not None:
            raise WrongStateError(f"{verb} is not possible, {collective.under_way} is under way in another thread")

    def _of_rank(self, error: ScrError) -> ScrError:
        error.rank = self._rank
        return error


def _start_of(name: str) -> str:
    """The directory in which a name starts; the working directory may be gone, and is asked only where it counts."""
    return "/" if os.path.isabs(name) else os.getcwd()


def say(line: str) -> None:
    """Prints it where the program has a standard error; ``print`` would take the standard output instead.

    One that is closed, or whose reader is gone, is no failure of the call that has something to say.
    """
    if sys.stderr is not None:
        try:
            print(f"scr: {line}", file=sys.stderr, flush=True)
        except (OSError, ValueError):
            pass


def _say_remarks(reply: Body) -> None:
    """Prints what rank 0 is told."""
    for remark in texts(reply, "remarks"):
        say(remark)


def _exit_of(reply: Body) -> _Exit:
    return _Exit(boolean(reply, "exit"), text(reply, "reason") if "reason" in reply else None)


def _end_of(reply: Body) -> _Exit:
    reason = text(reply, "halt") if "halt" in reply else None
    return _Exit("exit" in reply and boolean(reply, "exit"), reason)


def _nothing(_: Body) -> None:
    return None
