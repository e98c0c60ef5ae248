"""The calls of a session that have no result yet, read from its own files: that of the session and its sub-agents'."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from chorus.core.records.session_ids import is_session_id
from chorus.errors import SourceUnreadable
from chorus.keep.sources.file_access import Bounds, open_file

LARGEST_BYTES = 256 << 20
"""A longer file is not read: nothing is said about its calls."""
MAX_FILES = 200
_PIECE_BYTES = 4 << 20
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class OpenCall(Struct, frozen=True):
    """A call that the client made and that has no result."""

    id: str
    tool: str
    input: str
    """The JSON text of its input, as it is in the file."""
    agent: str | None = None
    """The sub-agent that made it."""
    cwd: str = ""
    at: str = ""
    """When the client wrote it."""


class _Block(Struct):
    type: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw(b"{}")
    tool_use_id: str | None = None


class _Message(Struct):
    content: Raw = Raw(b"[]")


class _Line(Struct):
    type: str | None = None
    message: _Message | None = None
    timestamp: str | None = None
    cwd: str | None = None


class OpenCalls:
    """The open calls of one session. Each look reads only what is new. Not thread-safe; never raises."""

    def __init__(self, folders: Iterable[Path], session: str) -> None:
        """`folders` are client folders."""
        self._folders = list(folders)
        self._session = session
        self._files: dict[Path, _File] = {}

    def look(self) -> list[OpenCall] | None:
        """Returns the open calls; None if that cannot be determined: no file, several files, or one that is damaged."""
        if not is_session_id(self._session):
            return None
        found = [path for folder in self._folders for path in _files_of(folder, self._session)]
        main = [path for path in found if path.stem == self._session]
        if len(main) != 1 or len(found) > MAX_FILES:
            return None
        calls: list[OpenCall] = []
        for path in found:
            agent = None if path in main else path.stem.removeprefix("agent-")
            file = self._files.setdefault(path, _File(path, agent))
            if not file.read(Bounds(*self._folders, *(folder / "projects" for folder in self._folders))):
                return None
            calls += file.open.values()
        return calls


class _File:
    """One file and the calls in it."""

    def __init__(self, path: Path, agent: str | None) -> None:
        self._path = path
        self._agent = agent
        self._offset = 0
        self._rest = b""
        self._done: set[str] = set()
        self.open: dict[str, OpenCall] = {}

    def read(self, bounds: Bounds) -> bool:
        """Reads what is new; returns False if the file cannot be understood completely."""
        try:
            with open_file(self._path, bounds) as file:
                size = os.fstat(file.fileno()).st_size
                if size < self._offset:
                    # It was rewritten.
                    self._offset, self._rest = 0, b""
                    self._done.clear()
                    self.open.clear()
                if size > LARGEST_BYTES:
                    return False
                pieces = [self._rest]
                while piece := os.pread(file.fileno(), _PIECE_BYTES, self._offset):
                    self._offset += len(piece)
                    pieces.append(piece)
        except (OSError, SourceUnreadable):
            return False
        *lines, self._rest = b"".join(pieces).split(b"\n")
        taken = [self._take(line) for line in lines]
        # A line that is being written may be the result.
        return all(taken) and not self._rest

    def _take(self, line: bytes) -> bool:
        if b'"tool_' not in line:
            return True
        try:
            record = msgspec.json.decode(line, type=_Line)
            if record.type not in ("assistant", "user") or record.message is None:
                return True
            if bytes(record.message.content).lstrip()[:1] != b"[":
                return True
            blocks = msgspec.json.decode(record.message.content, type=list[_Block])
        except (*_REFUSALS, msgspec.ValidationError):
            return False
        for block in blocks:
            if record.type == "assistant" and block.type == "tool_use" and block.id and block.name:
                if block.id not in self._done:
                    given = bytes(block.input).decode("utf-8", "replace")
                    call = OpenCall(block.id, block.name, given, self._agent, record.cwd or "", record.timestamp or "")
                    self.open.setdefault(block.id, call)
            elif record.type == "user" and block.type == "tool_result" and block.tool_use_id:
                self._done.add(block.tool_use_id)
                self.open.pop(block.tool_use_id, None)
        return True


def _files_of(folder: Path, session: str) -> list[Path]:
    projects = folder / "projects"
    try:
        return [*projects.glob(f"*/{session}.jsonl"), *projects.glob(f"*/{session}/subagents/**/agent-*.jsonl")]
    except OSError:
        return []
