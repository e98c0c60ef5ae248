"""Output of `chorus files`: tables of files and versions, contents, differences and blame."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from chorus.cli.output import counted, print_json, print_table, printable, say
from chorus.cli.table import Cell, Column, Forms, cut, terminal_width
from chorus.core.file_versions.blame import blame
from chorus.core.file_versions.lines import difference
from chorus.core.file_versions.model import Certainty, FileVersions, Version
from chorus.core.file_versions.moments import NOW, Moment, NoMoment, files_at, version_at
from chorus.core.views.blocks import Hunk
from chorus.errors import ChorusError
from chorus.keep.archive.file_versions import FilesOverTime

_FILE_COLUMNS = (
    Column("Path", min_width=20, preferred_width=40, keeps_end=True),
    Column("Versions", drop_rank=2, is_right=True),
    Column("+", is_right=True),
    Column("-", is_right=True),
    Column("State"),
    Column("Last change", drop_rank=3),
)
_VERSION_COLUMNS = (
    Column("Version", is_right=True),
    Column("State"),
    Column("+", is_right=True),
    Column("-", is_right=True),
    Column("Bytes", drop_rank=4, is_right=True),
    Column("Time", drop_rank=2),
    Column("By", min_width=8),
    Column("Source", drop_rank=5),
    Column("Call", drop_rank=3, min_width=10),
    Column("Note", drop_rank=1, min_width=12, preferred_width=24),
)
_COLOURS = {"+": "green", "-": "red", "@": "cyan", "\\": "bright_black"}


class FileTables:
    """The files of a conversation as tables and as JSON."""

    def __init__(self, conversation: str, found: FilesOverTime) -> None:
        self._conversation = conversation
        self._found = found

    def short(self, path: str) -> str:
        """Return a path as people read it: relative to the folder of the conversation."""
        folder = self._found.folder
        return path.removeprefix(f"{folder}/") if folder else path

    def files(self, moment: Moment) -> dict[str, Any]:
        """Return the documented form of `chorus files ID --json`."""
        return {
            "conversation": self._conversation,
            "folder": self._found.folder,
            "files": [
                {
                    "path": file.path,
                    "versions": sum(each.order <= moment.order for each in file.versions),
                    "reads": file.reads,
                    "added": _sum(file, version, "added"),
                    "removed": _sum(file, version, "removed"),
                    "state": version_as_json(version),
                }
                for file, version in files_at(self._found.files, moment)
            ]
            + [
                {"path": file.path, "versions": 0, "reads": file.reads, "added": 0, "removed": 0, "state": None}
                for file in self._only_read(moment)
            ],
        }

    def _only_read(self, moment: Moment) -> list[FileVersions]:
        """Return the files of which no version is known. When they were read is not kept."""
        return [file for file in self._found.files if not file.versions] if moment == NOW else []

    def versions(self, file: FileVersions) -> dict[str, Any]:
        """Return the documented form of `chorus files ID PATH --json`."""
        return {
            "conversation": self._conversation,
            "path": file.path,
            "reads": file.reads,
            "versions": [version_as_json(each) for each in file.versions],
        }

    def print_files(self, moment: Moment) -> None:
        rows = [
            (
                self.short(file.path),
                str(version.number),
                f"{_sum(file, version, 'added'):,}",
                f"{_sum(file, version, 'removed'):,}",
                _state(version),
                _time(version),
            )
            for file, version in files_at(self._found.files, moment)
        ]
        rows += [(self.short(file.path), "0", "0", "0", "only read", "") for file in self._only_read(moment)]
        if not rows:
            say("No file was touched.")
        print_table("Files", _FILE_COLUMNS, rows)

    def print_versions(self, file: FileVersions) -> None:
        if not file.versions:
            say(f"{file.path}: no version of it is recorded; it was only read.")
        rows = [
            (
                str(each.number),
                _state(each),
                "" if each.added is None else f"{each.added:,}",
                "" if each.removed is None else f"{each.removed:,}",
                "" if each.size_bytes is None else f"{each.size_bytes:,}",
                _time(each),
                by(each),
                each.source.value,
                each.call,
                each.reason,
            )
            for each in file.versions
        ]
        print_table(self.short(file.path), _VERSION_COLUMNS, rows)


def version_as_json(version: Version) -> dict[str, Any]:
    """Return a version for programs."""
    return {
        "number": version.number,
        "certainty": version.certainty.value,
        "reason": version.reason,
        "absent": version.is_absent,
        "bytes": version.size_bytes,
        "cause": version.cause.value,
        "source": version.source.value,
        "call": version.call,
        "tool": version.tool,
        "conversation": version.conversation,
        "agent": version.agent,
        "time": version.time,
        "added": version.added,
        "removed": version.removed,
        "start": version.is_start,
    }


def state(version: Version) -> str:
    """Return the certainty of a version for people."""
    if version.is_absent:
        return "no file" if version.is_start else "deleted"
    return "unknown since" if version.certainty is Certainty.UNKNOWN else version.certainty.value


def _state(version: Version) -> Forms:
    return Forms(state(version), state(version).partition(" since")[0])


def _time(version: Version) -> Cell:
    time = version.time or ""
    return Forms(time, f"{time[5:10]} {time[11:19]}Z") if len(time) == 24 else time


def by(version: Version) -> str:
    """Return who made a version."""
    if version.is_start:
        return "as found"
    name = version.tool or {"backup": "not known", "found": "not known"}.get(version.cause, version.cause.value)
    return f"{name} ({version.agent[:8]})" if version.agent else name


def print_content(file: FileVersions, version: Version, *, as_json: bool) -> None:
    """Print a version: its exact bytes in a pipe, without active characters at a terminal."""
    content = known_content(file, version)
    if as_json:
        text = content.decode("utf-8", "replace")
        print_json({"path": file.path, "version": version_as_json(version), "text": text})
        return
    if version.reason:
        click.echo(f"chorus: rebuilt, perhaps not byte for byte: {printable(version.reason)}", err=True)
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    for line in content.decode("utf-8", "replace").splitlines():
        click.echo(_safe(line))


def known_content(file: FileVersions, version: Version) -> bytes:
    """Return the bytes of a version. Raises ChorusError if they are not known."""
    content = file.content(version)
    if content is None:
        what = "there was no file at this moment" if version.is_absent else f"not known since then: {version.reason}"
        raise ChorusError(f"{file.path}: {what}; `--at {max(1, version.number - 1)}` is the version before")
    return content


def print_diffs(
    files: Sequence[FileVersions], first: Moment, last: Moment, *, ignores_space: bool, as_json: bool, is_one: bool
) -> None:
    """Print what changed between two moments, as a unified diff."""
    found: list[dict[str, Any]] = []
    for file in files:
        compared = _compared(file, first, last, is_one=is_one)
        if compared is None:
            continue
        old, new, before, after = compared
        hunks = difference(before, after, ignores_space=ignores_space)
        if as_json:
            shown = [{"old_start": h.old_start, "new_start": h.new_start, "lines": list(h.lines)} for h in hunks]
            found.append({"path": file.path, "from": old and version_as_json(old), "to": version_as_json(new),
                          "hunks": shown})  # fmt: skip
        elif hunks:
            _print_diff(file.path, old, new, hunks)
    if as_json:
        print_json({"files": found})


def _compared(
    file: FileVersions, first: Moment, last: Moment, *, is_one: bool
) -> tuple[Version | None, Version, bytes, bytes] | None:
    """Return the versions at two moments and their contents; None if they cannot be compared and many were asked for.

    Before its first version, a file that was created did not exist.
    """
    try:
        new = version_at(file, last)
        try:
            old: Version | None = version_at(file, first)
        except NoMoment:
            if first.number is not None:
                raise
            old = None
        before = b"" if old is None or old.is_absent else known_content(file, old)
        after = b"" if new.is_absent else known_content(file, new)
    except ChorusError as error:
        if is_one:
            raise
        if not isinstance(error, NoMoment):
            click.echo(f"chorus: {printable(str(error))}", err=True)
        return None
    return old, new, before, after


def _print_diff(path: str, old: Version | None, new: Version, hunks: Sequence[Hunk]) -> None:
    left = "no file" if old is None or old.is_absent else f"version {old.number}, {old.certainty.value}"
    right = "no file" if new.is_absent else f"version {new.number}, {new.certainty.value}"
    _echo(f"--- {path}\t{left}", "bold")
    _echo(f"+++ {path}\t{right}", "bold")
    for hunk in hunks:
        removed = sum(line[:1] in (" ", "-") for line in hunk.lines)
        added = sum(line[:1] in (" ", "+") for line in hunk.lines)
        old_start = hunk.old_start if removed else (hunk.old_start or 1) - 1
        new_start = hunk.new_start if added else (hunk.new_start or 1) - 1
        _echo(f"@@ -{old_start},{removed} +{new_start},{added} @@", "cyan")
        for line in hunk.lines:
            _echo(line, _COLOURS.get(line[:1]))


def _echo(line: str, colour: str | None) -> None:
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()
        return
    bold = colour == "bold"
    click.echo(click.style(_safe(line), fg=None if bold else colour, bold=bold or None))


def print_blame(file: FileVersions, version: Version, *, as_json: bool) -> None:
    """Print the lines of a version with the versions and calls they came with."""
    known_content(file, version)
    groups = blame(file, version)
    if as_json:
        lines = [
            {"first": each.first, "lines": list(each.lines), "version": version_as_json(each.version)}
            for each in groups
        ]
        print_json({"path": file.path, "version": version_as_json(version), "blame": lines})
        return
    width = terminal_width()
    who = {each.version.number: f"v{each.version.number} {by(each.version)}" for each in groups}
    room = max(map(len, who.values()), default=0)
    digits = len(str(sum(len(each.lines) for each in groups)))
    for each in groups:
        for n, line in enumerate(each.lines):
            name = who[each.version.number] if n == 0 or width is None else ""
            text = f"{printable(name):{room}}  {each.first + n:{digits}}  {_safe(line)}"
            click.echo(text if width is None else cut(text, width))
    if not groups:
        say(f"The file is empty ({counted(0, 'byte')}).\n")


def _safe(line: str) -> str:
    return printable(line.replace("\t", "    "))


def _sum(file: FileVersions, version: Version, name: str) -> int:
    return sum(getattr(each, name) or 0 for each in file.versions[: version.number] if not each.is_start)
