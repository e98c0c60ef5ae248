"""Runs on disk: one folder per run in `runs/` of the home of Chorus, readable whether or not the holder is alive.

run.json    what was started, where it is recorded, its state and its ending
lock        locked by the holder as long as it lives
socket      where the holder listens
log         messages of the holder about itself
"""

import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field

from chorus.core.protocol.launch import Launch
from chorus.errors import ChorusError
from chorus.keep.vault import safe_files
from chorus.keep.vault.keys import StreamKey, is_safe_name
from chorus.steer.runs.containment import Containment

FOLDER = "runs"
STREAMS = ("out", "in", "err")
"""The pipes of a run; each is a stream of its conversation."""
NOTES = "notes"
"""The stream of the holder's notes."""
Phase = Literal["starting", "running", "ended", "lost"]
"""`lost`: the holder is gone without recording an ending; the client is gone with it."""
KEPT_DAYS = 30
"""How long an ended run is listed. Its output is part of its conversation and stays."""
LOST = "its holder was killed, and the client with it; `chorus resume` goes on"
_RUN_BYTES = 1 << 20
_FRESH_NS = 2_000_000_000
"""A change this recent may be followed by another one with the same time: clocks of file systems tick slowly."""
_LOOK_AGAIN_S = 0.01
SHORTEST = 4
"""The fewest characters of a session's id that can name its run."""


class Ending(Struct, frozen=True, kw_only=True, rename="camel"):
    """How a run ended."""

    at: str
    code: int | None = None
    """The client's exit code; negative for the signal that ended it; None if it never started."""
    is_failure: bool = False
    words: str = ""
    """What happened and what to do about it, for a person."""


class Run(Struct, kw_only=True, rename="camel"):
    """Everything that is known about a run."""

    id: str
    started_at: str
    path: str
    """The folder of the workspace, in which the client works."""
    workspace: str
    agent: str
    """The ids of the workspace and the agent under which its conversation is stored."""
    name: str = ""
    """The agent's name; empty if no agent was chosen."""
    launch: Launch
    program: str
    """The client's binary."""
    environment: list[str] = field(default_factory=list)
    """The names of variables that the person allowed."""
    contain: Containment | None = None
    """How the client is contained; None if it is not."""
    is_once: bool = False
    """Whether it ends when its work is done, instead of waiting for more."""
    vault: str
    """The path of the vault."""
    state: str
    """The folder of the permission ledger."""
    title: str = ""
    sessions: list[str] = field(default_factory=list)
    """The sessions of the run: more than one after `/clear`. The last one is the current one."""
    holder: int | None = None
    warden: int | None = None
    client: int | None = None
    ending: Ending | None = None
    tampering: str = ""
    """What was done to it from outside, so that it was stopped; below the first line, what was changed."""

    @property
    def alarm(self) -> str:
        """What was done to it from outside, on one line; usually empty."""
        return self.tampering.partition("\n")[0]

    @property
    def session(self) -> str:
        return self.sessions[-1] if self.sessions else self.launch.session

    def key(self, stream: str, session: str | None = None) -> StreamKey:
        """Returns the stream of the vault for one of its pipes."""
        return StreamKey(self.workspace, self.agent, session or self.session, stream_name(self.id, stream))


def stream_name(run: str, stream: str) -> str:
    return f"run-{run}-{stream}"


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Run | None:
        """Returns the run; None if it is missing, cannot be read, or contains an unsafe name."""
        try:
            with os.fdopen(safe_files.open_file(self.path / "run.json", safe_files.READ), "rb") as file:
                run = msgspec.json.decode(file.read(_RUN_BYTES), type=Run)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        # An agent can write here, and these become names of files.
        names = (run.id, run.workspace, run.agent, run.launch.session, *run.sessions)
        return run if run.id == self.path.name and all(map(is_safe_name, names)) else None

    def write(self, run: Run) -> None:
        """Writes the run atomically, readable only by this user. Raises `ChorusError` if that fails."""
        half = self.path / f"run.json.{os.getpid()}.tmp"
        try:
            home = self.path.parent.parent
            safe_files.make_folders(home, self.path)
            fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(run)) + b"\n")
            half.replace(self.path / "run.json")
        except OSError as error:
            half.unlink(missing_ok=True)
            raise ChorusError(f"{self.path}: {error.strerror or error}") from error

    def hold(self, patience_s: float = 0.0) -> int | None:
        """Takes the lock until the process ends; returns None if another process has it.

        A holder waits `patience_s`: a process that checks whether a holder lives takes the lock for a moment.
        """
        fd = safe_files.open_file(self.path / "lock", os.O_RDWR | os.O_CREAT)
        until = time.monotonic() + patience_s
        while not safe_files.try_lock(fd):
            if time.monotonic() >= until:
                os.close(fd)
                return None
            time.sleep(_LOOK_AGAIN_S)
        return fd

    def is_held(self) -> bool:
        """Returns whether a holder is alive."""
        if not (self.path / "lock").exists():
            return False
        try:
            fd = self.hold()
        except OSError:
            return False
        if fd is None:
            return True
        os.close(fd)
        return False

    def record_loss(self, run: Run, at: str) -> None:
        """Records the ending of a lost run, which could not do so itself."""
        run.ending = Ending(at=at, is_failure=True, words=LOST)
        self.write(run)

    def phase(self, run: Run) -> Phase:
        if run.ending is not None:
            return "ended"
        if self.is_held():
            return "running" if run.client is not None else "starting"
        return "lost" if run.holder is not None else "starting"


class Runs:
    """All runs of a home."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER
        self._homes: dict[str, tuple[str, str]] = {}
        self._seen: dict[str, int] = {}
        self._read: dict[str, tuple[int, Run | None]] = {}
        """What was read of each folder, and when it last changed: a run is never written in place."""

    def new(self) -> RunFolder:
        """Returns a folder for a new run, named by its id."""
        return RunFolder(self._folder / secrets.token_hex(6))

    def __iter__(self) -> Iterator[tuple[RunFolder, Run]]:
        """Iterates over all runs, newest first."""
        now: dict[str, tuple[int, Run | None]] = {}
        for name, changed_ns in self._scan().items():
            before = self._read.get(name)
            is_read = before is not None and before[0] == changed_ns and not _is_fresh(changed_ns)
            run = before[1] if before is not None and is_read else RunFolder(Path(name)).read()
            now[name] = (changed_ns, run)
        self._read = now
        found = [(RunFolder(Path(name)), run) for name, (_, run) in now.items() if run is not None]
        return iter(sorted(found, key=lambda each: (each[1].started_at, each[1].id), reverse=True))

    def living(self) -> list[tuple[RunFolder, Run]]:
        return [(folder, run) for folder, run in self if folder.phase(run) in ("starting", "running")]

    def tampered(self) -> list[Run]:
        """Returns the runs that were stopped because of tampering, newest first."""
        return [run for _, run in self if run.tampering]

    def find(self, name: str) -> tuple[RunFolder, Run]:
        """Returns the run whose id, or whose session's id, begins with `name`.

        Of several runs of one session it is the living one, or the newest. Raises `ChorusError` if there is none, or
        several.
        """
        wanted = name.lower()
        every = list(self) if wanted else []
        found = [each for each in every if each[1].id.startswith(wanted)]
        if not found and len(wanted) >= SHORTEST:
            found = [each for each in every if any(session.startswith(wanted) for session in each[1].sessions)]
            alive = [each for each in found if each[0].phase(each[1]) in ("starting", "running")]
            of_one = len({each[1].session for each in found}) == 1
            found = alive or (found[:1] if of_one else found)
        if len(found) > 1:
            ids = ", ".join(run.id for _, run in found[:5])
            raise ChorusError(f"{name}: {len(found)} runs begin so: {ids}; write more of the id")
        if not found:
            raise ChorusError(f"{name}: no run of this id; `chorus runs` names them")
        return found[0]

    def home_of(self, session: str) -> tuple[str, str] | None:
        """Returns the workspace and agent of a session that was run here; None for any other session."""
        seen = self._scan()
        if seen != self._seen or any(map(_is_fresh, seen.values())):
            self._seen = seen
            self._homes = {name: (run.workspace, run.agent) for _, run in self for name in run.sessions}
        return self._homes.get(session)

    def working_on(self, sessions: AbstractSet[str]) -> tuple[str, str] | None:
        """Returns the ids of one of these sessions and of a live run that works on it; None if there is none."""
        for _, run in self.living():
            if not sessions.isdisjoint(run.sessions):
                return run.session, run.id
        return None

    def forget(self, sessions: AbstractSet[str]) -> None:
        """Removes the folders of the runs of these sessions: they contain a person's words, too."""
        for folder, run in self:
            if not sessions.isdisjoint(run.sessions):
                shutil.rmtree(folder.path, ignore_errors=True)

    def prune(self, now_s: float) -> int:
        """Removes the folders of runs that ended more than `KEPT_DAYS` ago, and returns their number.

        A folder that cannot be read stays: a newer version of Chorus may have written it, or it may be evidence.
        """
        oldest_ns = int((now_s - KEPT_DAYS * 24 * 3600) * 1e9)
        changed_ns = self._scan()
        pruned = 0
        for folder, _ in self:
            if changed_ns.get(str(folder.path), oldest_ns) < oldest_ns and not folder.is_held():
                shutil.rmtree(folder.path, ignore_errors=True)
                pruned += 1
        return pruned

    def _scan(self) -> dict[str, int]:
        """Returns the folders of runs, and when each last changed."""
        found: dict[str, int] = {}
        if self._folder.is_symlink():
            return found
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(status.st_mode):
                        found[entry.path] = status.st_mtime_ns
        except OSError:
            return {}
        return found


def _is_fresh(changed_ns: int) -> bool:
    return time.time_ns() - changed_ns < _FRESH_NS
