"""Who this process is, and where its daemon listens: from the environment that its launcher has made."""

import os
import pwd
import socket as sockets
from typing import List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._connection import TOKEN_FILE_SUFFIX, is_ours
from ._dial import dial
from .errors import BadConfigurationError, NodeLostError

MAX_RANKS = 1 << 20
MAX_SOCKET_PATH_BYTES = 107

# Launchers, the innermost first: torchrun runs inside of mpirun or srun, mpirun inside of an allocation of Slurm or
# Flux, and each of them leaves the variables of the outer ones in place. For each the variables of rank and size. The
# same table is in the clients for C and Java; clients/launchers.txt has the cases for the tests of all three.
# The size in a batch script (SLURM_NTASKS) says nothing of this process, only that of a step does. PMIx has no variable
# of its own for the size, so what starts processes with it must set one.
_LAUNCHERS: Sequence[Tuple[str, str]] = (
    ("SCR_RANK", "SCR_RANKS"),
    ("RANK", "WORLD_SIZE"),  # torchrun, only where it says so
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),  # Open MPI
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),  # MVAPICH
    ("PMI_RANK", "PMI_SIZE"),  # MPICH, Intel MPI, Flux
    ("MPIRUN_RANK", "MPIRUN_NPROCS"),  # older MPICH and MVAPICH
    ("PMIX_RANK", "PMIX_SIZE"),
    ("FLUX_TASK_RANK", "FLUX_JOB_SIZE"),
    ("PMIX_RANK", "SLURM_STEP_NUM_TASKS"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
    ("RANK", "WORLD_SIZE"),  # torch.distributed
)
_TORCHRUN = 1
_INIT_NOTICE = "SCR_INIT_NOTICE_SECONDS"
_MOST_NOTICE_S = 1_000_000
_USERS = ("SCR_USER_NAME", "USER", "LOGNAME")
_JOB_IDS = ("SCR_JOB_ID", "SLURM_JOB_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID")


class Place(NamedTuple):
    """A rank, from 0, and the size of the run."""

    rank: int
    ranks: int


def place(environment: Mapping[str, str]) -> Place:
    """Rank and size of this process.

    Raises :class:`BadConfigurationError` if no launcher is known, or its variables make no sense. There is no default:
    to run alone by mistake would be worse than to be refused.
    """
    if bool(environment.get("SCR_RANK")) != bool(environment.get("SCR_RANKS")):
        raise BadConfigurationError("of SCR_RANK and SCR_RANKS only one is set")
    for launcher, (rank, size) in enumerate(_LAUNCHERS):
        if launcher == _TORCHRUN and not environment.get("TORCHELASTIC_RUN_ID"):
            continue
        if environment.get(rank) and environment.get(size):
            return checked(_number(environment, rank), _number(environment, size), f"{rank} and {size}")
    raise BadConfigurationError(
        "rank and size of this process are not known: no launcher has set them (torchrun, Open MPI, MVAPICH, MPICH,"
        " PMI, PMIx, Flux, Slurm); start the program with one of them, or set SCR_RANK and SCR_RANKS"
    )


def place_or_alone(environment: Mapping[str, str]) -> Place:
    """The same; alone where no launcher is known, because nobody needs to agree."""
    try:
        return place(environment)
    except BadConfigurationError:
        return Place(0, 1)


def checked(rank: int, ranks: int, source: str) -> Place:
    """Rank and size if they fit each other."""
    if not 1 <= ranks <= MAX_RANKS or not 0 <= rank < ranks:
        raise BadConfigurationError(f"rank {rank} of {ranks}, from {source}: expected 0 <= rank < ranks <= {MAX_RANKS}")
    return Place(rank, ranks)


def init_notice_s(environment: Mapping[str, str]) -> int:
    """How long init waits until it says what for; 0: it never does."""
    if not environment.get(_INIT_NOTICE):
        return 30
    seconds = _number(environment, _INIT_NOTICE)
    if seconds > _MOST_NOTICE_S:
        raise BadConfigurationError(f"environment variable {_INIT_NOTICE} is {seconds}, at most {_MOST_NOTICE_S}")
    return seconds


def prefix(environment: Mapping[str, str]) -> str:
    """The prefix directory, absolute: SCR_PREFIX, or else the working directory."""
    return os.path.abspath(environment.get("SCR_PREFIX") or os.getcwd())


def socket_path(environment: Mapping[str, str], of: Place = Place(0, 1)) -> str:
    """Where the daemon of this node listens: SCR_SOCKET, or else where its control directory must be.

    SCR_SOCKET may be a list, separated by colons, for several daemons on one machine: rank r of n takes entry
    r * entries / n, so that neighbours share a daemon. An entry that ends in ``.tcp`` is the token file of a daemon
    that listens on the loopback address.

    That is ``<SCR_CNTL_BASE>/<user>/scr.<job>/<node>/scr.sock``, as a daemon with the same environment has it. The
    node's name is that of the host; where a daemon has another name it is found if it is the only one that listens.
    """
    given = environment.get("SCR_SOCKET", "").split(":")
    if given == [""]:
        return _short_enough(_in_control_directory(environment))
    if "" in given:
        raise BadConfigurationError(
            f"SCR_SOCKET is '{':'.join(given)}' and has an empty entry, expected sockets of daemons, separated by colons"
        )
    return _short_enough(given[of.rank * len(given) // of.ranks])


def _in_control_directory(environment: Mapping[str, str]) -> str:
    user = next((environment[name] for name in _USERS if environment.get(name)), None) or _user_of_process()
    job = next((environment[name] for name in _JOB_IDS if environment.get(name)), "local")
    base = environment.get("SCR_CNTL_BASE") or "/tmp"
    directory = os.path.join(base, user, "scr." + job)
    host = sockets.gethostname()
    of_host = os.path.join(directory, host, "scr.sock")
    if _is_listening(of_host):
        return of_host
    found = _listening(directory)
    if len(found) == 1:
        return found[0]
    what = "there are several: " + ", ".join(found) if found else "there is none"
    refusal = BadConfigurationError if found else NodeLostError
    raise refusal(
        f"which daemon to call? Looked for scr.sock of node {host} in {directory}; {what}. Start the program with"
        " `scr run`, or start `scr node` and set SCR_SOCKET to the socket that it prints when it is ready, or to those of"
        " several daemons of this host, separated by colons"
    )


def _user_of_process() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        raise BadConfigurationError(
            "the daemon's socket cannot be found: set SCR_SOCKET, or USER as the daemon has it"
        ) from None


def _listening(directory: str) -> List[str]:
    """Daemons that were killed leave their sockets behind, where nobody listens; those of other users are none of ours."""
    try:
        nodes = sorted(os.listdir(directory))
    except OSError:
        return []
    return [path for path in (os.path.join(directory, node, "scr.sock") for node in nodes) if _is_listening(path)]


def _is_listening(path: str) -> bool:
    with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as socket:
        try:
            dial(socket, path, path)
        except OSError:
            return False
        return is_ours(socket)


def _short_enough(path: str) -> str:
    size = len(os.fsencode(path))
    if size > MAX_SOCKET_PATH_BYTES and not path.endswith(TOKEN_FILE_SUFFIX):
        raise BadConfigurationError(
            f"socket path {path} has {size} bytes; the system allows {MAX_SOCKET_PATH_BYTES}:"
            " choose a shorter control directory"
        )
    return path


def _number(environment: Mapping[str, str], name: str) -> int:
    text = environment[name].strip()
    if not (text.isascii() and text.isdigit()):
        raise BadConfigurationError(f"environment variable {name} is '{text}', expected a whole number")
    return int(text)
