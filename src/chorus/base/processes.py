"""Facts about processes: what a process id means, its parent, its terminal, and whether it runs below an agent.

On Linux they come from /proc; elsewhere from `ps`, called by its full path with only a number in its arguments.
`call_quietly` calls a program that a person named, for a bounded time.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

from chorus.core.protocol.environment import RUN_VARIABLE

HOLDER = "chorus.steer.runs"
"""The module that holds a run: every process below it belongs to the agent."""
HOLDER_FOLDER = f"/{HOLDER.replace('.', '/')}/"
"""The same for a program of the holder that is started by its path, such as the warden."""
_PROC = Path("/proc")
_PS = "/bin/ps"
_PATIENCE_S = 5.0
_FURTHEST = 200
_TERMINAL_VARIABLES = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMUX_TMPDIR", "USER", "XDG_CONFIG_HOME")

Piped = subprocess.Popen[bytes]
"""A program that runs beside this process, with pipes to its standard input and output."""


class Process(Struct, frozen=True):
    """A running process."""

    parent: int
    started_at: str
    """Equal only for the same process; a process id may be used again for another one."""
    command: str
    ticks: int | None = None
    """When it began, counted from the start of the machine; None if the system does not report that."""


def look(pid: int) -> Process | None:
    """Return the process that has this id now.

    Returns None if there is no such process, if it is a zombie, or if the system does not report it.
    """
    if not 0 < pid < 1 << 31:
        return None
    return _from_proc(pid) if has_proc() else _from_ps(pid)


class AtTerminal(Struct, frozen=True):
    """A process with a terminal."""

    pid: int
    device: int
    """The device number of its terminal, as `st_rdev` of the terminal's file has it."""
    is_foreground: bool
    """Whether it is in the group of processes that the terminal sends its keys to."""
    group: int
    """The number of its group, which is that of the first process in it."""


def at_terminals() -> dict[int, AtTerminal]:
    """Return the processes that have a terminal, by their ids."""
    found = _terminals_from_proc() if has_proc() else _terminals_from_ps()
    return {each.pid: each for each in found}


def start_piped(call: Sequence[str], environment: Mapping[str, str]) -> Piped:
    """Start a program in a session of its own: no signal for the group of this process reaches it.

    Its standard error is its standard output. Raises OSError if it cannot be started.
    """
    return subprocess.Popen(  # noqa: S603 - a list, and no shell
        list(call),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
        env=dict(environment),
        start_new_session=True,
    )


def run_once(
    call: Sequence[str], environment: Mapping[str, str], *, patience_s: float = _PATIENCE_S
) -> tuple[int, str]:
    """Run a program to its end; return its exit code and what it printed.

    Raises OSError if it cannot be started, or does not end in time.
    """
    try:
        done = subprocess.run(  # noqa: S603 - a list, and no shell
            list(call),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=patience_s,
            check=False,
            env=dict(environment),
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"{call[0]} did not end within {patience_s:.0f} s") from error
    return done.returncode, done.stdout.decode("utf-8", "replace")


def end(process: Piped) -> None:
    """Close the standard input of a program; end it if it does not end by itself, and wait until it is gone.

    The caller closes its standard output: another thread may be reading it.
    """
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    for act in (lambda: None, process.terminate, process.kill):
        with contextlib.suppress(OSError):
            act()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
            return


def terminal_environment() -> dict[str, str]:
    """Return the environment for programs that serve terminals: no variable of a run, and none that nests them."""
    known = {name: os.environ[name] for name in _TERMINAL_VARIABLES if name in os.environ}
    return {"TERM": "xterm-256color"} | known


def answers(pid: int) -> bool:
    """Return whether any process has this id. This is the only check that works everywhere at no cost."""
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return True


def is_hidden(pid: int) -> bool:
    """Return whether a process of this user exists but /proc does not show it, as `hidepid` does with shielded ones."""
    return 0 < pid < 1 << 31 and has_proc() and answers(pid) and not os.access(_PROC / str(pid) / "stat", os.R_OK)


def supervisor(pid: int | None = None) -> str | None:
    """Return why a process (by default this one) counts as part of a supervised run, or None if it does not.

    The warden carries the mark of its run, and every orphan below a warden becomes its child again (on Linux), so no
    process can hide its origin by leaving its parent or clearing its environment. In doubt the process counts as part
    of a run.
    """
    if pid is None and os.environ.get(RUN_VARIABLE):
        return f"{RUN_VARIABLE} is set"
    above = _own_pid() if pid is None else pid
    for _ in range(_FURTHEST):
        seen = look(above)
        if seen is None:
            return None if _is_other_users(above) else f"process {above} above it cannot be inspected"
        if any(word == HOLDER or HOLDER_FOLDER in word for word in seen.command.split()):
            return f"process {above} above it holds a run"
        if _has_mark(above):
            return f"process {above} above it is part of a run"
        if seen.parent <= 0 or seen.parent == above:
            return None
        above = seen.parent
    return "too many processes are above it"


def started_ms(ticks: int) -> int:
    """Convert `ticks` since the start of the machine to milliseconds since 1970."""
    return int((_booted_s() + ticks / os.sysconf("SC_CLK_TCK")) * 1_000)


def _own_pid() -> int:
    """Return the id of this process as /proc counts: inside a PID namespace, the process itself sees another id."""
    with contextlib.suppress(OSError, ValueError):
        return int(os.readlink(_PROC / "self"))  # noqa: PTH115 - its target is a number
    return os.getpid()


@cache
def own_space() -> str | None:
    """Return the PID namespace of this process; a container has its own."""
    try:
        return os.readlink(_PROC / "self" / "ns" / "pid")  # noqa: PTH115 - its target is no path
    except OSError:
        return None


def call_quietly(command: Sequence[str], variables: Mapping[str, str], patience_s: float) -> bool:
    """Call a program of the person's choice and wait at most `patience_s`; then it is killed with all that it started.

    It gets no input, and what it prints is dropped. Returns whether it ended well; never raises.
    """
    environment = {**os.environ, **variables}
    try:
        with subprocess.Popen(  # noqa: S603 - a person named it in their own settings
            list(command),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                return process.wait(patience_s) == 0
            except subprocess.TimeoutExpired:
                return False
            finally:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
    except (OSError, ValueError, subprocess.SubprocessError):
        return False


@cache
def has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


def _from_proc(pid: int) -> Process | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
        command = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return None
    # The name of the program is in parentheses and may contain anything, including parentheses.
    fields = stat.rpartition(b")")[2].split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    ticks = int(fields[19])
    text = command.replace(b"\0", b" ").decode("utf-8", "replace")
    return Process(int(fields[1]), f"{_boot()}-{ticks}", text, ticks)


@cache
def _boot() -> str:
    """Return the boot id of the machine: ticks since its start mean nothing after another boot."""
    try:
        return (_PROC / "sys" / "kernel" / "random" / "boot_id").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


@cache
def _booted_s() -> int:
    try:
        lines = (_PROC / "stat").read_bytes().splitlines()
    except OSError:
        return 0
    return next((int(line[6:]) for line in lines if line.startswith(b"btime ")), 0)


def _terminals_from_proc() -> list[AtTerminal]:
    found: list[AtTerminal] = []
    for name in os.listdir(_PROC):  # noqa: PTH208 - thousands of names, several times a second
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - as above
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        # State, parent, group, session, terminal, foreground group of the terminal.
        if len(fields) > 5 and fields[4] != b"0" and fields[0] not in (b"Z", b"X"):
            number = int(fields[4]) & 0xFFFFFFFF
            # The kernel packs the number in its old way: 8 bits of the minor, 12 of the major, the rest of the minor.
            device = os.makedev((number >> 8) & 0xFFF, (number & 0xFF) | (number >> 12 & 0xFFF00))
            found.append(AtTerminal(int(name), device, is_foreground=fields[2] == fields[5], group=int(fields[2])))
    return found


def _terminals_from_ps() -> list[AtTerminal]:
    try:
        code, said = run_once([_PS, "-axo", "pid=,pgid=,tpgid=,tty="], {"LC_ALL": "C"})
    except OSError:
        return []
    found: list[AtTerminal] = []
    for line in said.splitlines() if code == 0 else []:
        words = line.split()
        if len(words) == 4 and words[0].isdigit():
            with contextlib.suppress(OSError):
                device = os.stat(f"/dev/{words[3]}").st_rdev  # noqa: PTH116 - the name comes from the system
                found.append(AtTerminal(int(words[0]), device, is_foreground=words[1] == words[2], group=int(words[1])))
    return found


def _from_ps(pid: int) -> Process | None:
    call = [_PS, "-o", "ppid=,lstart=,command=", "-p", str(pid)]
    try:
        done = subprocess.run(  # noqa: S603 - a path of the system's and a number
            call, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, env={"LC_ALL": "C"}
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    words = done.stdout.split(None, 6)
    if done.returncode or len(words) < 6 or not words[0].isdigit():
        return None
    return Process(int(words[0]), " ".join(words[1:6]), words[6] if len(words) > 6 else "")


def _is_other_users(pid: int) -> bool:
    """Return whether a process belongs to another user. Some systems hide those, and an agent is never one of them."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _has_mark(pid: int) -> bool:
    """Return whether a process was started with the mark of a run; processes of other users cannot be read."""
    with contextlib.suppress(OSError):
        given = (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
        return any(each.startswith(f"{RUN_VARIABLE}=".encode()) for each in given)
    return False
