"""Tells GitButler about edits, in a thread of its own: neither an agent nor a snapshot waits for `but`.

Up to 0.19.13, GitButler is told about each editing call and the end of each turn (`but claude …`), and makes one stack
for a session. From 0.20 on, the files that the agent changed in a turn are committed to a branch of the conversation.
Whatever fails is reported and stops nobody: the snapshots of Chorus do not depend on it.
"""

import os
import queue
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from chorus.base.but import But, find_but
from chorus.errors import ChorusError, GitFailed
from chorus.keep.snapshots.file_reading import path_in
from chorus.keep.snapshots.persons_repository import find_repository
from chorus.keep.sources.discover import config_folder
from chorus.steer.edits.events import EditEvent, Stage
from chorus.steer.edits.gitbutler_branches import commit_files
from chorus.steer.edits.gitbutler_hooks import FIRST_WITHOUT, but_hooks, settings_files
from chorus.steer.edits.gitbutler_input import stop_input, tool_input
from chorus.steer.edits.gitbutler_state import StateFile

MAX_WAITING = 1_000
CLOSE_S = 15.0
PAUSE_S = 60.0
"""After `but` could not be run to its end, nothing is tried for this time."""
_PATIENCE_S = 45.0
"""`but claude pre-tool` itself waits 30 seconds for a lock."""
_SETUP = "setup required"

Backend = Literal["auto", "plain", "gitbutler"]


class _Report(Struct, frozen=True):
    event: EditEvent
    data: bytes
    time_ms: int
    paths: tuple[str, ...] = ()
    """At the end of a turn: the files that the agent changed, relative to the workspace."""
    message: str = ""


class GitButler:
    """Tells GitButler about the edits in one workspace. Nothing that it does raises; problems are reported."""

    def __init__(self, home: Path, workspace: str, folder: Path, backend: Backend) -> None:
        self._state = StateFile(home, workspace)
        self._folder = folder
        self._backend = backend
        self._reports: queue.Queue[_Report | None] = queue.Queue(MAX_WAITING)
        self._problems: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._is_used: bool | None = None
        self._but: But | None = None
        self._pause_until_s = 0.0
        self._held: set[tuple[str, str]] = set()
        """Session and file: locks that GitButler holds for a call that failed, until the turn ends."""

    def is_used(self, *, again: bool = False) -> bool:
        """Returns whether GitButler is to be told about edits here. Looks at the disk once, or `again`."""
        if self._is_used is None or again:
            self._is_used = self._backend == "gitbutler" or (self._backend == "auto" and is_managed(self._folder))
        return self._is_used

    def put(self, event: EditEvent, data: bytes, time_ms: int, *, paths: Iterable[str] = (), message: str = "") -> None:
        """Leaves a report to the thread: of an editing call, or of the end of a turn with the files that changed."""
        if not self.is_used(again=event.stage is Stage.PROMPT) or event.stage is Stage.PROMPT:
            return
        if event.stage is Stage.END and event.agent:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="gitbutler", daemon=True)
            self._thread.start()
        try:
            self._reports.put_nowait(_Report(event, data, time_ms, tuple(paths), message))
        except queue.Full:
            self._problems.put("GitButler does not keep up: some edits were not reported to it")

    def problems(self) -> list[str]:
        """Returns why GitButler could not be told something since the last call."""
        found: list[str] = []
        while not self._problems.empty():
            found.append(self._problems.get())
        return found

    def close(self) -> None:
        """Waits until everything is reported, for a limited time."""
        if self._thread is None:
            return
        try:
            self._reports.put(None, timeout=1.0)
        except queue.Full:
            return
        self._thread.join(CLOSE_S)

    def _work(self) -> None:
        last = ""
        while (report := self._reports.get()) is not None:
            try:
                why = self._tell(report)
            except (ChorusError, OSError) as error:
                why = str(error)
            if why is None:
                continue
            if why and why != last:
                self._problems.put(f"GitButler: {why}")
            last = why
            self._note(why, report)

    def _tell(self, report: _Report) -> str | None:
        """Passes a report on. Returns why it did not work, an empty text if it did, None if there was nothing to do."""
        if time.monotonic() < self._pause_until_s:
            self._keep(report)
            return None
        event = report.event
        key = f"{event.stage}:{event.session}:{event.call or event.prompt}"
        if not self._state.claim(key, report.time_ms, is_once=bool(event.call)):
            return None
        try:
            if self._but is None:
                self._but = find_but(self._folder)
            if self._but is None:
                self._keep(report)
                self._pause_until_s = time.monotonic() + PAUSE_S
                return "there is no `but` on PATH: install its command line, or set `gitBackend` to `plain`"
            if self._but.version < FIRST_WITHOUT:
                return self._tell_old(self._but, report)
            return self._commit(self._but, report) if event.stage is Stage.END else None
        except GitFailed as error:
            self._but = None
            self._keep(report)
            self._pause_until_s = time.monotonic() + PAUSE_S
            return str(error)

    def _tell_old(self, but: But, report: _Report) -> str | None:
        """Tells a GitButler that has `but claude`."""
        event = report.event
        if but_hooks(settings_files(config_folder(), [self._folder])):
            # Its own hooks tell it about every call already.
            return None
        if event.stage is Stage.END:
            self._held = {held for held in self._held if held[0] != event.session}
            return self._call_old(but, "stop", stop_input(report.data))
        for path in event.paths:
            relative = path_in(self._folder, path)
            if relative is None:
                continue
            place = os.path.normpath(self._folder / path)
            is_after = event.stage is Stage.AFTER
            if (event.session, place) in self._held and not is_after:
                continue
            if event.is_failure:
                # `post-tool` would assign changes of somebody else; `stop` releases the lock.
                self._held.add((event.session, place))
                continue
            self._held.discard((event.session, place))
            made = tool_input(report.data, place, is_after=is_after)
            if why := self._call_old(but, "post-tool" if is_after else "pre-tool", made):
                return why
        return ""

    def _call_old(self, but: But, step: str, made: bytes | None) -> str:
        if made is None:
            return f"`but claude {step}` was not called: the report has no transcript, or a session that is no UUID"
        answer = but.call(self._folder, "claude", step, input_bytes=made, patience_s=_PATIENCE_S)
        return "" if answer.code == 0 else self._why(f"claude {step}", answer.code, answer.error or answer.output)

    def _commit(self, but: But, report: _Report) -> str | None:
        """Commits the files of a turn with a GitButler that has no `but claude` any more."""
        session = report.event.session
        with self._state.edit() as state:
            paths = [*dict.fromkeys([*state.pending.pop(session, ()), *report.paths])]
        if not paths:
            return None
        self._keep(report, paths)
        branch = f"chorus-{session[:13]}"
        code, words = commit_files(but, self._folder, branch, report.message, paths)
        if code:
            return self._why("commit", code, words)
        with self._state.edit() as state:
            state.pending.pop(session, None)
            if words:
                state.branches[session] = branch
        return ""

    def _keep(self, report: _Report, paths: Iterable[str] = ()) -> None:
        """Remembers files that are still to be committed."""
        wanted = [*report.paths, *paths]
        if wanted:
            with self._state.edit() as state:
                state.pending[report.event.session] = [
                    *dict.fromkeys([*state.pending.get(report.event.session, ()), *wanted])
                ]

    def _why(self, words: str, code: int, printed: bytes) -> str:
        text = " ".join(printed.decode("utf-8", "replace").split())[:300]
        if _SETUP in text.lower():
            self._pause_until_s = time.monotonic() + PAUSE_S
            return "it is not set up in this repository: run `but setup`, or set `gitBackend` to `plain`"
        return f"`but {words}` failed with exit code {code}: {text}" if text else f"`but {words}` failed ({code})"

    def _note(self, why: str, report: _Report) -> None:
        try:
            with self._state.edit() as state:
                state.version = self._but.version_text if self._but else state.version
                state.problem = why
                state.last_ms = state.last_ms if why else report.time_ms
        except (ChorusError, OSError):
            return


def is_managed(folder: Path) -> bool:
    """Returns whether GitButler was set up in the repository of a folder."""
    repository = find_repository(folder)
    if repository is None:
        return False
    place = repository.git_dir / "gitbutler"
    return place.is_dir() and not place.is_symlink()
