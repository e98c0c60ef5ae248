"""What is known about GitButler in one workspace, in a small file, because several processes report edits there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.errors import ChorusError
from chorus.keep.snapshots.repository import FOLDER
from chorus.keep.vault.keys import is_safe_name
from chorus.keep.vault.safe_files import make_folders, open_locked, put_file, read_file

_MAX_SEEN = 400
_SAME_MS = 10_000
"""Two reports of the end of a turn within this time are one."""


class ButlerState(Struct, kw_only=True):
    """What happened with GitButler in a workspace."""

    version: str = ""
    """The version of `but` that was used last."""
    problem: str = ""
    """Why the last call did not work; empty if it did."""
    last_ms: int = 0
    """When a call worked last, in milliseconds since 1970."""
    branches: dict[str, str] = {}
    """Conversation → its branch (GitButler 0.20 and newer)."""
    pending: dict[str, list[str]] = {}
    """Conversation → files that are not committed yet, because a call did not work."""
    seen: dict[str, int] = {}
    """Reports that were passed on → when they were made."""


class StateFile:
    """The file of one workspace."""

    def __init__(self, home: Path, workspace: str) -> None:
        if not is_safe_name(workspace):
            raise ChorusError(f"{workspace!r} is not the id of a workspace")
        self._home = home
        self._path = home / FOLDER / f"{workspace}.gitbutler.json"

    def read(self) -> ButlerState:
        """Returns the state; the default if there is none, or none that can be read."""
        try:
            return msgspec.json.decode(read_file(self._path), type=ButlerState)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return ButlerState()

    @contextmanager
    def edit(self) -> Iterator[ButlerState]:
        """Yields the state for a change, and writes it at the end; no other process changes it in between."""
        make_folders(self._home, self._path.parent)
        fd = open_locked(self._path.with_suffix(".lock"))
        try:
            state = self.read()
            before = msgspec.json.encode(state)
            yield state
            if msgspec.json.encode(state) != before:
                put_file(self._path, msgspec.json.encode(state))
        finally:
            os.close(fd)

    def forget(self, conversation: str) -> None:
        """Removes everything about a conversation."""
        if not self._path.is_file():
            return
        with self.edit() as state:
            state.branches.pop(conversation, None)
            state.pending.pop(conversation, None)
            state.seen = {key: time_ms for key, time_ms in state.seen.items() if f":{conversation}:" not in key}

    def claim(self, key: str, time_ms: int, *, is_once: bool) -> bool:
        """Returns whether this report is new: two feeds may report the same call, and it is passed on once.

        With `is_once` the same key never comes again; otherwise it is new after some seconds.
        """
        with self.edit() as state:
            then_ms = state.seen.get(key)
            if then_ms is not None and (is_once or abs(time_ms - then_ms) < _SAME_MS):
                return False
            state.seen.pop(key, None)
            state.seen[key] = time_ms
            for old in list(state.seen)[:-_MAX_SEEN]:
                del state.seen[old]
            return True
