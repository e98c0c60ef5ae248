"""Which feed reported what in a workspace, in a small file: several processes see the same edit, and it counts once.

The feeds that see a call before it runs note it at once. A feed that reads records afterwards looks here first.
"""

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import Feed
from chorus.keep.snapshots.repository import FOLDER
from chorus.keep.vault.keys import is_safe_name
from chorus.keep.vault.safe_files import make_folders, open_locked, read_file, write_all
from chorus.steer.edits.events import EditEvent

MAX_BYTES = 1_000_000
"""From this size on, the older half is removed."""
_DIRECT = (Feed.CONTROL.value, Feed.HOOK.value)
"""Feeds that see a call before it runs. What they report, they report completely."""


class _Report(Struct, frozen=True, array_like=True):
    conversation: str
    feed: str
    stage: str
    call: str
    prompt: str


_report = msgspec.json.Decoder(_Report)


class ReportsFile:
    """The file of one workspace. It is no record: losing it means that an edit may be looked at twice."""

    def __init__(self, home: Path, workspace: str) -> None:
        if not is_safe_name(workspace):
            raise ChorusError(f"{workspace!r} is not the id of a workspace")
        self._home = home
        self._path = home / FOLDER / f"{workspace}.reports.jsonl"

    def note(self, event: EditEvent, feed: Feed) -> None:
        """Notes a report. Raises OSError if it cannot be written."""
        make_folders(self._home, self._path.parent)
        fd = open_locked(self._path)
        try:
            self._append(fd, event, feed)
        finally:
            os.close(fd)

    def claim(self, event: EditEvent, feed: Feed) -> bool:
        """Returns whether nobody has reported this yet, and notes it then. Raises OSError if it cannot be written.

        Only the process that writes the index claims anything, so nothing has to be locked meanwhile.
        """
        try:
            known = _reports_in(read_file(self._path))
        except FileNotFoundError:
            known = []
        if any(_is_same(each, event) for each in known):
            return False
        self.note(event, feed)
        return True

    def forget(self, conversation: str) -> None:
        """Removes everything about a conversation."""
        if not self._path.is_file():
            return
        fd = open_locked(self._path)
        try:
            known = _reports_in(os.pread(fd, 2 * MAX_BYTES, 0))
            _write(fd, [each for each in known if each.conversation != conversation])
        finally:
            os.close(fd)

    def _append(self, fd: int, event: EditEvent, feed: Feed) -> None:
        if os.lseek(fd, 0, os.SEEK_END) > MAX_BYTES:
            known = _reports_in(os.pread(fd, 2 * MAX_BYTES, 0))
            _write(fd, known[len(known) // 2 :])
        report = _Report(event.session, feed.value, event.stage.value, event.call, event.prompt)
        write_all(fd, msgspec.json.encode(report) + b"\n")


def _is_same(report: _Report, event: EditEvent) -> bool:
    if event.call:
        # A fork has copies of earlier calls, so the conversation does not matter.
        return report.call == event.call and (report.feed in _DIRECT or report.stage == event.stage.value)
    is_direct = report.conversation == event.session and report.feed in _DIRECT
    return is_direct and (not event.prompt or report.prompt == event.prompt)


def _reports_in(data: bytes) -> list[_Report]:
    found: list[_Report] = []
    for line in data.splitlines():
        try:
            found.append(_report.decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
    return found


def _write(fd: int, reports: list[_Report]) -> None:
    os.ftruncate(fd, 0)
    os.lseek(fd, 0, os.SEEK_SET)
    write_all(fd, b"".join(msgspec.json.encode(each) + b"\n" for each in reports))
