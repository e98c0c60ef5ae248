"""Whether a tool call that a person was asked about has its result by now, as the session's own file tells.

The request does not name the call, so it is found by tool and input: whatever had its result before the question was
put is an earlier call of the same kind.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from chorus.capture.door import Bounds, open_file
from chorus.errors import SourceUnreadable

LOOK_BACK_BYTES = 4 << 20
_PIECE_BYTES = 4 << 20
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class AskedCall:
    """One call, looked for over and over. Never raises; not for several threads."""

    def __init__(self, folders: Iterable[Path], session: str, agent: str | None, tool: str, input_text: str) -> None:
        """`session` must have the form of an id; `folders` are those of clients."""
        self._folders = list(folders)
        self._bounds = Bounds(*self._folders, *(folder / "projects" for folder in self._folders))
        self._session = session
        self._agent = agent
        self._tool = tool
        self._input = _decoded(input_text.encode("utf-8", "replace"))
        self._path: Path | None = None
        self._offset = 0
        self._rest = b""
        self._is_first = True
        self._before: set[str] = set()
        self._open: set[str] = set()
        self._done: set[str] = set()

    def has_result(self) -> bool:
        """Whether it was answered somewhere: the call was made, and something came of it.

        What has its result at the first look is an earlier call: look once before anybody can answer.
        """
        if self._path is None:
            self._path = self._found()
        if self._path is not None:
            for line in self._news(self._path):
                self._take(line)
        if self._is_first:
            self._is_first, self._before = False, self._open & self._done
        return bool((self._open & self._done) - self._before)

    def _found(self) -> Path | None:
        name = f"{self._session}.jsonl"
        pattern = f"*/{name}"
        if self._agent is not None:
            if not self._agent.isalnum():
                return None
            pattern = f"*/{self._session}/subagents/**/agent-{self._agent}.jsonl"
        for folder in self._folders:
            try:
                for path in (folder / "projects").glob(pattern):
                    return path
            except OSError:
                continue
        return None

    def _news(self, path: Path) -> list[bytes]:
        """The whole lines that were written since the last look; from near the end the first time."""
        try:
            file = open_file(path, self._bounds)
        except SourceUnreadable:
            return []
        fd = file.fileno()
        try:
            status = os.fstat(fd)
            if self._offset == 0 and self._is_first:
                self._offset = max(0, status.st_size - LOOK_BACK_BYTES)
            if status.st_size < self._offset:
                self._offset, self._rest = 0, b""
            pieces = [self._rest]
            while piece := os.pread(fd, _PIECE_BYTES, self._offset):
                self._offset += len(piece)
                pieces.append(piece)
        except OSError:
            return []
        finally:
            file.close()
        *lines, self._rest = b"".join(pieces).split(b"\n")
        return lines

    def _take(self, line: bytes) -> None:
        if b'"tool_' not in line:
            return
        record = _decoded(line)
        message = record.get("message") if isinstance(record, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            call, result = block.get("id"), block.get("tool_use_id")
            if block.get("type") == "tool_use" and isinstance(call, str):
                if block.get("name") == self._tool and block.get("input") == self._input:
                    self._open.add(call)
            elif block.get("type") == "tool_result" and isinstance(result, str):
                self._done.add(result)


def _decoded(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except _REFUSALS:
        return None
