"""Runs on disk: a folder each in `runs/` of Chorus' home, which tells of them whether or not their holders live.

run.json    what was started, where it is kept, how it stands and how it ended
lock        held by the holder for as long as it lives
socket      where the holder listens
log         what the holder had to say about itself
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
"""A run's pipes, each a stream of its conversation."""
NOTES = "notes"
"""The stream of what the holder has to say."""
Phase = Literal["starting", "running", "ended", "lost"]
"""`lost`: the holder is gone without having said how it ended; whatever it held is gone with it."""
KEPT_DAYS = 30
"""How long a run that is over is listed. What it said is part of its conversation, and stays."""
LOST = "its holder was killed, and the client with it; `chorus resume` goes on"
_RUN_BYTES = 1 << 20
_FRESH_NS = 2_000_000_000
"""What changed so lately may have changed again without another time: clocks of file systems tick slowly."""
_LOOK_AGAIN_S = 0.01
SHORTEST = 4
"""Characters of a session's id that are enough to name its run."""


class Ending(Struct, frozen=True, kw_only=True, rename="camel"):
    """How a run ended."""

    at: str
    code: int | None = None
    """The client's exit code; negative: the signal that ended it; None when it never started."""
    is_failure: bool = False
    words: str = ""
    """What happened, and what to do about it, for a person."""


class Run(Struct, kw_only=True, rename="camel"):
    """All that is known of a run."""

    id: str
    started_at: str
    path: str
    """The workspace's folder, in which the client works."""
    workspace: str
    agent: str
    """Where its conversation is kept: the ids of workspace and agent."""
    name: str = ""
    """The agent's name; empty for none in particular."""
    launch: Launch
    program: str
    """The client's binary."""
    environment: list[str] = field(default_factory=list)
    """Names of variables that the person allowed."""
    contain: Containment | None = None
    """How the client is kept from the rest of the machine; None for one that is not."""
    is_once: bool = False
    """Whether it ends when its work is done, instead of waiting for more."""
    vault: str
    """Where it is kept."""
    state: str
    """The folder of the ledger."""
    title: str = ""
    sessions: list[str] = field(default_factory=list)
    """The sessions it went through: more than one after `/clear`. The last is the present one."""
    holder: int | None = None
    warden: int | None = None
    client: int | None = None
    ending: Ending | None = None
    tampering: str = ""
    """What was done to it from outside, for which it was stopped; below the first line, what was changed."""

    @property
    def alarm(self) -> str:
        """What was done to it from outside, on one line; empty for almost all."""
        return self.tampering.partition("\n")[0]

    @property
    def session(self) -> str:
        return self.sessions[-1] if self.sessions else self.launch.session

    def key(self, stream: str, session: str | None = None) -> StreamKey:
        """The stream of the vault that keeps what goes through one of its pipes."""
        return StreamKey(self.workspace, self.agent, session or self.session, stream_name(self.id, stream))


def stream_name(run: str, stream: str) -> str:
    return f"run-{run}-{stream}"


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Run | None:
        """What the folder tells; None when it is not there, cannot be understood, or names what is no name."""
        try:
            with os.fdopen(safe_files.open_file(self.path / "run.json", safe_files.READ), "rb") as file:
                run = msgspec.json.decode(file.read(_RUN_BYTES), type=Run)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        # An agent can write here, and these become names of files.
        names = (run.id, run.workspace, run.agent, run.launch.session, *run.sessions)
        return run if run.id == self.path.name and all(map(is_safe_name, names)) else None

    def write(self, run: Run) -> None:
        """Write it, whole or not at all, for this user alone. `ChorusError` when that cannot be."""
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
        """Take the lock, which is had until the process ends; None when another process has it.

        A holder is patient: whoever looks whether one lives has the lock for that moment.
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
        """Whether a holder lives."""
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

    def bury(self, run: Run, at: str) -> None:
        """Write down that a run that is lost has ended: it could not do so itself."""
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
        """What was read of each folder, and when it had last changed: runs are never written in place."""

    def new(self) -> RunFolder:
        """A folder for a new run, named by its id."""
        return RunFolder(self._folder / secrets.token_hex(6))

    def __iter__(self) -> Iterator[tuple[RunFolder, Run]]:
        """Every run, the newest first."""
        now: dict[str, tuple[int, Run | None]] = {}
        for name, changed_ns in self._look().items():
            before = self._read.get(name)
            is_read = before is not None and before[0] == changed_ns and not _is_fresh(changed_ns)
            run = before[1] if before is not None and is_read else RunFolder(Path(name)).read()
            now[name] = (changed_ns, run)
        self._read = now
        found = [(RunFolder(Path(name)), run) for name, (_, run) in now.items() if run is not None]
        return iter(sorted(found, key=lambda each: each[1].started_at, reverse=True))

    def living(self) -> list[tuple[RunFolder, Run]]:
        return [(folder, run) for folder, run in self if folder.phase(run) in ("starting", "running")]

    def tampered(self) -> list[Run]:
        """The runs that were stopped because something else than Chorus took hold of them, the newest first."""
        return [run for _, run in self if run.tampering]

    def find(self, name: str) -> tuple[RunFolder, Run]:
        """The run whose id, or whose session's id, begins so; of several of a session the living one, or the newest.

        `ChorusError` when there is none, or several.
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
        """Workspace and agent under which a session that was run here is kept; None for any other."""
        seen = self._look()
        if seen != self._seen or any(map(_is_fresh, seen.values())):
            self._seen = seen
            self._homes = {name: (run.workspace, run.agent) for _, run in self for name in run.sessions}
        return self._homes.get(session)

    def working_on(self, sessions: AbstractSet[str]) -> tuple[str, str] | None:
        """The ids of a session among these and of a live run that works on it, if there is one."""
        for _, run in self.living():
            if not sessions.isdisjoint(run.sessions):
                return run.session, run.id
        return None

    def forget(self, sessions: AbstractSet[str]) -> None:
        """Remove what is written down of runs of these sessions: what they began with is a person's words, too."""
        for folder, run in self:
            if not sessions.isdisjoint(run.sessions):
                shutil.rmtree(folder.path, ignore_errors=True)

    def prune(self, now_s: float) -> int:
        """Remove what is written down of runs that were over `KEPT_DAYS` ago; gives their number.

        What cannot be understood is left: it may be a newer Chorus', or evidence.
        """
        oldest_ns = int((now_s - KEPT_DAYS * 24 * 3600) * 1e9)
        changed_ns = self._look()
        pruned = 0
        for folder, _ in self:
            if changed_ns.get(str(folder.path), oldest_ns) < oldest_ns and not folder.is_held():
                shutil.rmtree(folder.path, ignore_errors=True)
                pruned += 1
        return pruned

    def _look(self) -> dict[str, int]:
        """The folders of runs, and when each last changed."""
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
