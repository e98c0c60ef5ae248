"""Takes the snapshots that events ask for, in a thread of its own, so that no agent waits for git.

The files of a call are read at once, because the call may change them a moment later. Storing them can wait.
"""

import os
import queue
import threading
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct, structs

from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import Commit, Feed, SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.edits import files_of
from chorus.keep.snapshots.nested_worktrees import worktree_around
from chorus.keep.snapshots.snapshots import FilesRead, Snapshots, snapshots_of
from chorus.steer.edits.events import EditEvent, Stage
from chorus.steer.edits.gitbutler import GitButler
from chorus.steer.edits.open_calls import OpenCalls
from chorus.steer.edits.recorded_calls import RecordedCall
from chorus.steer.edits.recorded_snapshots import RecordedSnapshots
from chorus.steer.edits.reports_file import ReportsFile
from chorus.steer.edits.turn_commits import TurnCommits

MAX_WAITING = 1_000
"""More events than this at once are dropped, and counted: the end of the turn finds the changes all the same."""
CLOSE_S = 30.0
"""How long a server that ends waits for its snapshots."""
END_S = 300.0
"""How long a run that has ended waits: a look at a very large change, or on a busy machine, takes minutes."""
AFTERWARDS_MS = 50
"""Files that changed within this time after a call was reported, or recorded, may still be changes of the call."""
_NEVER_MS = 1 << 62
MAX_RECENT = 20
"""So many files that changed last are read at once before a command: it may change them before a look sees them."""
MAX_RECENT_BYTES = 4_000_000
"""The agent waits until they are read."""
UNTIL_A_TOOL_MS = 25
"""No tool runs this soon after a prompt: the model has to answer first."""


class _Task(Struct):
    event: EditEvent
    time_ms: int
    model: str
    others: tuple[str, ...]
    files: FilesRead | None
    """The files as they were when the event came; None for an event that concerns the whole workspace."""
    payload: bytes
    record: RecordedCall | None = None
    """What the record says about the event, if it was read in one, after it happened."""
    recent: FilesRead | None = None
    """Before a command: the files that changed last in the session, as they were when the event came."""


class SnapshotQueue:
    """Takes the snapshots of one workspace. Nothing that it does can fail an agent: problems are reported."""

    def __init__(
        self,
        home: Path,
        workspace: str,
        folder: Path,
        feed: Feed,
        gitbutler: GitButler | None = None,
        commits: TurnCommits | None = None,
        *,
        is_early: bool = False,
    ) -> None:
        """`gitbutler` is told about edits, and `commits` about ended turns; both have threads of their own.

        One that is early begins by looking at a workspace that nobody has looked at: the first call of an agent may
        come before a look that only begins with its prompt is over.
        """
        self._early_ms = time.time_ns() // 1_000_000 if is_early else None
        self._gitbutler = gitbutler
        self._commits = commits
        self._changed: dict[str, dict[str, None]] = {}
        """Session → files that its agents changed since the last turn ended, relative to the workspace."""
        self._messages: dict[str, dict[str, str]] = {}
        """Session → prompt → its first line."""
        self._snapshots = Snapshots(home, workspace, folder)
        self._feed = feed
        self._said: set[str] = set()
        """Problems that were reported since the last snapshot that was stored."""
        self._reports = ReportsFile(home, workspace)
        self._recorded = RecordedSnapshots(self._snapshots)
        self._open = OpenCalls()
        self._began_ms: dict[str, int] = {}
        """Session → when it was heard of first. What its files were then is needed, also if a look then failed."""
        self._loose: set[str] = set()
        """Sessions whose changes may come at any time: something goes on in the background, or a look failed."""
        self._left: dict[str, tuple[SnapshotFacts, int]] = {}
        """Session → its last look that left files to an open call, and when that call began."""
        self._worktrees: dict[str, dict[bytes, None]] = {}
        """Session → the worktrees in the workspace that it worked in, with an empty name for the workspace itself."""
        self._recent: dict[str, tuple[str, ...]] = {}
        """Session → the files that changed last in it, relative to the workspace."""
        self._looked: set[str] = set()
        """Sessions for which the whole workspace was looked at before they changed something."""
        self._problems: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._tasks: queue.Queue[_Task | None] = queue.Queue(MAX_WAITING)
        self.dropped = 0
        self._prompts: dict[str, list[str]] = {}
        self._thread = threading.Thread(target=self._work, name="snapshots", daemon=True)
        self._thread.start()

    def put(self, event: EditEvent, *, model: str = "", others: tuple[str, ...] = (), payload: bytes = b"") -> None:
        """Reads the files that the event names, and leaves the rest to the thread. Returns within milliseconds.

        `payload` is what the client said, for GitButler.
        """
        time_ms = time.time_ns() // 1_000_000
        if event.stage is Stage.START or (event.goes_on and not event.matters):
            self._put(_Task(event, time_ms, model, others, None, b""))
        if not event.matters:
            return
        files = None if event.is_whole else self._snapshots.read_files(event.paths)
        is_command = event.is_whole and event.stage is Stage.BEFORE
        recent = self._read_recent(event.session) if is_command else None
        if self._gitbutler is not None and event.stage is not Stage.END and (files or event.stage is Stage.PROMPT):
            self._gitbutler.put(event, payload, time_ms)
        kept = payload if event.stage is Stage.END else b""
        with suppress(OSError):
            self._reports.note(event, self._feed)
        self._put(_Task(event, time_ms, model, others, files, kept, recent=recent))

    def put_recorded(self, event: EditEvent, record: RecordedCall, *, model: str = "") -> None:
        """Reads the files that an event names; for an event that was read in a record, after it happened.

        It counts only if no other feed reported it.
        """
        if event.matters:
            files = None if event.is_whole else self._snapshots.read_files(event.paths)
            time_ms = min(record.time_ms, time.time_ns() // 1_000_000)
            self._put(_Task(event, time_ms, model, (), files, b"", record))

    def _put(self, task: _Task) -> None:
        try:
            self._tasks.put_nowait(task)
        except queue.Full:
            self.dropped += 1

    def problems(self) -> list[str]:
        """Returns why snapshots could not be taken since the last call, each reason once."""
        found: list[str] = []
        while not self._problems.empty():
            found.append(self._problems.get())
        for each in (self._gitbutler, self._commits):
            found += each.problems() if each is not None else []
        return found

    def close(self, patience_s: float = CLOSE_S) -> None:
        """Waits until everything is stored, for a limited time; what was not stored by then is reported."""
        until_s = time.monotonic() + patience_s
        with suppress(queue.Full):
            self._tasks.put(None, timeout=patience_s)
            self._thread.join(max(0.0, until_s - time.monotonic()))
        if self._thread.is_alive():
            self._problems.put(_UNFINISHED)
        for each in (self._gitbutler, self._commits):
            if each is not None:
                each.close()

    def _work(self) -> None:
        if self._early_ms is not None:
            # It is tried again at the first event, which reports a problem.
            with suppress(Exception):
                self._snapshots.look_early(self._early_ms, before_ms=self._early_ms + UNTIL_A_TOOL_MS)
        while (task := self._tasks.get()) is not None:
            try:
                self._take(task)
            except Exception as error:  # noqa: BLE001 - whatever fails here must not stop the snapshots of later events
                self._loose.add(task.event.session)
                why = _reason(error)
                if why not in self._said:
                    self._said.add(why)
                    self._problems.put(why)
            self._tell_of_end(task)
        self._take_rest()
        self._snapshots.close()

    def _take(self, task: _Task) -> None:
        event = task.event
        if task.record is not None and not self._reports.claim(event, task.record.feed):
            return
        ended_ms = None
        if task.record is None:
            ended_ms = self._open.take(event, task.time_ms)
            if event.goes_on:
                self._loose.add(event.session)
            is_between = event.stage in (Stage.START, Stage.PROMPT)
            began_ms = task.time_ms + UNTIL_A_TOOL_MS if is_between else task.time_ms
            self._began_ms.setdefault(event.session, began_ms)
        if not event.matters:
            return
        facts = SnapshotFacts(
            kind=self._kind(event),
            conversation=event.session,
            time_ms=task.time_ms,
            agent=event.agent,
            call=event.call,
            tool=event.tool,
            turn=self._turn(event),
            prompt=event.prompt,
            model=task.model,
            feed=task.record.feed if task.record is not None else self._feed,
            others=task.others,
        )
        if task.files is not None and task.record is not None:
            taken = self._recorded.take(task.record, task.files, facts, _subject(event))
        elif task.files is not None:
            taken = self._snapshots.store_files(task.files, facts, _subject(event))
        else:
            if task.recent is not None and self._open.others_began_ms(event) is None:
                # What somebody changed before the command is not mixed with what the command changes.
                before = structs.replace(facts, kind=SnapshotKind.BEFORE)
                self._snapshots.store_files(task.recent, before, _subject(event))
            taken = self._take_changes(task, facts, ended_ms)
        if taken is not None:
            self._said.clear()
            self._note_recent(event.session, taken)
        if event.text:
            self._messages.setdefault(event.session, {})[event.prompt] = event.text
        if taken is not None and facts.kind in (SnapshotKind.AFTER, SnapshotKind.TURN):
            self._remember(event.session, taken)

    def _take_changes(self, task: _Task, facts: SnapshotFacts, ended_ms: int | None) -> Commit | None:
        """Looks at the whole workspace. What may be the doing of a call that is still open is left to its end.

        At the end of a turn, what changed outside of all calls is somebody else's, unless something of the agent goes
        on in the background. `ended_ms` is when the call began that the event ended, though its end was not reported.

        The look may come late: what changed after the event is left to the next one. Only the end of a turn takes
        everything, unless it was read in a record.
        """
        event = task.event
        others_ms = self._open.others_began_ms(event) if task.record is None else None
        bounds = [others_ms] if others_ms is not None and event.stage is not Stage.AFTER else []
        if task.record is not None and event.stage is Stage.END:
            bounds.append(task.time_ms + AFTERWARDS_MS)
        elif event.stage is Stage.PROMPT and task.record is None:
            bounds.append(task.time_ms + UNTIL_A_TOOL_MS)
        elif event.stage in (Stage.PROMPT, Stage.BEFORE):
            bounds.append(task.time_ms)
        elif event.stage is Stage.AFTER:
            bounds.append(task.time_ms + AFTERWARDS_MS)
        doubt_ms = others_ms if event.stage is Stage.AFTER else None
        since_ms = None
        if event.stage is Stage.END and task.record is None and event.session not in self._loose:
            since_ms = _NEVER_MS if ended_ms is None else ended_ms
        worktree = worktree_around(self._snapshots.folder, event.cwd) if event.cwd else b""
        known = self._worktrees.setdefault(event.session, {})
        known[worktree] = None
        # A turn may have changed files in a worktree without a command that began there.
        rest = [each for each in known if each != worktree] if event.stage is Stage.END else []
        taken = None
        for each in (worktree, *rest):
            found = self._snapshots.take_changes(
                facts,
                _subject(event),
                before_ms=min(bounds, default=None),
                began_ms=self._began_ms.get(event.session),
                doubt_ms=doubt_ms,
                since_ms=since_ms,
                worktree=each,
            )
            taken = taken or found
        if others_ms is None or event.stage is Stage.AFTER:
            self._left.pop(event.session, None)
        else:
            self._left[event.session] = (facts, others_ms)
        return taken

    def _take_rest(self) -> None:
        """Stores what was left to calls whose end was never reported."""
        for facts, others_ms in self._left.values():
            rest = structs.replace(facts, kind=SnapshotKind.TURN, call="", tool="", time_ms=time.time_ns() // 1_000_000)
            for worktree in self._worktrees.get(facts.conversation, ()):
                with suppress(ChorusError, OSError):
                    self._snapshots.take_changes(rest, _END_OF_TURN, doubt_ms=others_ms, worktree=worktree)

    def _kind(self, event: EditEvent) -> SnapshotKind:
        """Returns the kind of a snapshot. Without an earlier look, nobody knows who made the changes of a workspace."""
        if not event.is_whole:
            return _KINDS[event.stage]
        if event.stage in (Stage.PROMPT, Stage.BEFORE):
            self._looked.add(event.session)
        return _KINDS[event.stage] if event.session in self._looked else SnapshotKind.BEFORE

    def _read_recent(self, session: str) -> FilesRead:
        """Returns the files that changed last in a session, as far as they are small enough to be read at once."""
        paths: list[str] = []
        left = MAX_RECENT_BYTES
        for path in self._recent.get(session, ()):
            with suppress(OSError):
                left -= (self._snapshots.folder / path).lstat().st_size
            if left < 0:
                break
            paths.append(path)
        return self._snapshots.read_files(paths)

    def _note_recent(self, session: str, taken: Commit) -> None:
        """Notes the files of a snapshot as those that changed last, unless they are very many."""
        paths = [os.fsdecode(edit.path) for edit in islice(files_of(self._snapshots.store, taken), MAX_RECENT + 1)]
        if len(paths) <= MAX_RECENT:
            self._recent[session] = tuple(dict.fromkeys([*paths, *self._recent.get(session, ())]))[:MAX_RECENT]

    def _remember(self, session: str, taken: Commit) -> None:
        """Remembers which files the agents changed, for the end of the turn."""
        if self._gitbutler is not None and self._gitbutler.is_used():
            paths = (os.fsdecode(edit.path) for edit in files_of(self._snapshots.store, taken))
            self._changed.setdefault(session, {}).update(dict.fromkeys(paths))

    def _tell_of_end(self, task: _Task) -> None:
        event = task.event
        if event.stage is not Stage.END or event.agent:
            return
        messages = self._messages.get(event.session, {})
        if self._gitbutler is not None:
            paths = self._changed.pop(event.session, {})
            message = messages.get(event.prompt) or next(reversed(messages.values()), "")
            self._gitbutler.put(event, task.payload, task.time_ms, paths=paths, message=message)
        if self._commits is not None:
            self._commits.put(event.session, messages)

    def _turn(self, event: EditEvent) -> int:
        """Returns the number of the turn: prompts are counted, also those of earlier runs of the same session."""
        if not event.prompt:
            return len(self._prompts.get(event.session, ()))
        known = self._prompts.get(event.session)
        if known is None:
            earlier = reversed(list(snapshots_of(self._snapshots.store, event.session)))
            known = list(dict.fromkeys(commit.facts.prompt for commit in earlier if commit.facts.prompt))
            self._prompts[event.session] = known
        if event.prompt not in known:
            known.append(event.prompt)
        return known.index(event.prompt) + 1


_UNFINISHED = "the last changes were not stored in time; the next look at the workspace finds them"
_END_OF_TURN = "End of the turn"
_KINDS = {
    Stage.PROMPT: SnapshotKind.BEFORE,
    Stage.BEFORE: SnapshotKind.BEFORE,
    Stage.AFTER: SnapshotKind.AFTER,
    Stage.END: SnapshotKind.TURN,
}


def _reason(error: Exception) -> str:
    """Returns a reason that is the same for the same problem: names of temporary files differ each time."""
    if isinstance(error, ChorusError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"snapshots cannot be stored: {error.strerror}"
    return f"a snapshot failed: {type(error).__name__}: {error}"


def _subject(event: EditEvent) -> str:
    files = ", ".join(path.replace("\\", "/").rpartition("/")[2] for path in event.paths[:3])
    match event.stage:
        case Stage.PROMPT | Stage.START:
            return "Before the turn"
        case Stage.BEFORE:
            return f"Before {event.tool} {files}".rstrip()
        case Stage.AFTER:
            return f"{event.tool} {files}".rstrip()
        case Stage.END:
            return _END_OF_TURN if not event.agent else "End of the sub-agent"
