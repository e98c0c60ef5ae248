"""Makes a commit of each turn on a branch of its conversation, in workspaces whose person asked for it.

It runs in a thread of its own, because hooks of the person may take long. A commit that cannot be made is reported and
made together with the next turn: the snapshots have everything.
"""

import os
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from chorus.base.git import PersonsGit
from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import SnapshotFacts
from chorus.keep.snapshots.publishing import branch_of, publish, steps_of
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.vault.safe_files import open_locked

CLOSE_S = 30.0
_SEARCHED = 200
"""How many commits of the branch are searched for the last turn that was committed."""
_FORMAT = "%x00".join(f"%(trailers:key=Chorus-{name},valueonly,separator=%x2C)" for name in ("Conversation", "Turn"))


class _Turn(Struct, frozen=True):
    session: str
    messages: dict[str, str]


class TurnCommits:
    """Commits the turns of one workspace. Nothing that it does raises; problems are reported."""

    def __init__(self, home: Path, workspace: str, folder: Path) -> None:
        self._home = home
        self._workspace = workspace
        self._folder = folder
        self._turns: queue.SimpleQueue[_Turn | None] = queue.SimpleQueue()
        self._problems: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def put(self, session: str, messages: dict[str, str]) -> None:
        """Leaves the commit of a turn that has ended to the thread. `messages` is prompt → its first line."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="turn-commits", daemon=True)
            self._thread.start()
        self._turns.put(_Turn(session, dict(messages)))

    def problems(self) -> list[str]:
        """Returns why turns could not be committed since the last call."""
        found: list[str] = []
        while not self._problems.empty():
            found.append(self._problems.get())
        return found

    def close(self) -> None:
        """Waits until everything is committed, for a limited time."""
        if self._thread is not None:
            self._turns.put(None)
            self._thread.join(CLOSE_S)

    def _work(self) -> None:
        last = ""
        while (turn := self._turns.get()) is not None:
            why = ""
            store = SnapshotRepository(self._home, self._workspace)
            try:
                # Another process may report the same turn.
                with _alone(store):
                    commit_turns(store, self._folder, turn.session, turn.messages)
            except (ChorusError, OSError) as error:
                why = str(error)
            finally:
                store.reader.close()
            if why and why != last:
                self._problems.put(f"a turn was not committed: {why}")
            last = why


@contextmanager
def _alone(store: SnapshotRepository) -> Iterator[None]:
    """Waits until no other process commits turns of the workspace. Snapshots are taken meanwhile."""
    store.create()
    fd = open_locked(store.git_dir / "publish.lock")
    try:
        yield
    finally:
        os.close(fd)


def commit_turns(store: SnapshotRepository, folder: Path, session: str, messages: dict[str, str]) -> None:
    """Adds the turns to the branch of a conversation that it does not have yet. Raises `ChorusError` if it cannot."""
    branch = branch_of(session)
    steps = [step for step in steps_of(store, session, is_squashed=False) if step]
    git = PersonsGit(folder)
    answer = git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"refs/heads/{branch}")
    tip = answer.output.decode().strip() if answer.code == 0 else ""
    if tip:
        last = _last_turn(git, tip, session)
        steps = [step for step in steps if step[0].commit.facts.turn > last]
    if not steps:
        return

    def subject(facts: SnapshotFacts) -> str:
        return messages.get(facts.prompt) or f"Turn {facts.turn}"

    publish(store, folder, steps, branch, subject, base=tip or None, is_forced=bool(tip))


def _last_turn(git: PersonsGit, tip: str, session: str) -> int:
    """Returns the last turn on the branch. A person may have added commits of their own."""
    for line in git.run("log", "-n", str(_SEARCHED), f"--format={_FORMAT}", tip).decode("utf-8", "replace").split("\n"):
        whose, _, turns = line.partition("\0")
        numbers = [int(each) for each in turns.split(",") if each.strip().isdecimal()]
        if session in whose.split(",") and numbers:
            return max(numbers)
    raise ChorusError(f"the branch {branch_of(session)} exists, and is not of this conversation: rename it")
