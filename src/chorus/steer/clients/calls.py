"""Finds the outcome of a tool call that a person was asked about, in the session's own file.

A hook's request does not name the call, so the call is found by tool and input. A call that had its result before the
request is an earlier call of the same kind. If several such calls were open at the same time, the file must say the
same about all of them.
"""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from chorus.core.conversation.tool_facts import kind_of
from chorus.core.protocol.evidence import Evidence, of_hook, of_result
from chorus.errors import SourceUnreadable
from chorus.keep.sources.file_access import Bounds, open_file

LOOK_BACK_BYTES = 4 << 20
_PIECE_BYTES = 4 << 20
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)
_ATTACHED = b'"hook_permission_decision"'


class AskedCall:
    """One call that is looked for repeatedly. Never raises; not thread-safe."""

    def __init__(
        self,
        folders: Iterable[Path],
        *,
        session: str,
        agent: str | None,
        tool: str,
        input_text: str,
        call: str | None = None,
        since: str = "",
    ) -> None:
        """`session` must have the form of an id; `folders` are client folders.

        `call` is the id of the call if the request names it. `since` is when the request was made: an earlier answer
        belongs to another call. If times cannot be compared, so does an answer that is there at the first look.
        """
        self._folders = list(folders)
        self._bounds = Bounds(*self._folders, *(folder / "projects" for folder in self._folders))
        self._session = session
        self._agent = agent
        self._tool = tool
        self._input = _decoded(input_text.encode("utf-8", "replace"))
        self._call = call
        self._since = read_time(since)
        self._path: Path | None = None
        self._offset = 0
        self._rest = b""
        self._is_first = True
        self._before: set[str] = set()
        self._open: dict[str, int] = {}
        """Candidate calls, with the number of lines before each of them."""
        self._done: dict[str, tuple[int, Evidence]] = {}
        """The outcomes of calls, with the number of lines before the first report of each."""
        self._done_at: dict[str, datetime | None] = {}
        self._count = 0
        self.answered_at: datetime | None = None
        """When the client wrote the evidence that `look` returned last; None if it does not say."""

    def look(self) -> Evidence | None:
        """Returns how the call was answered; None while the file does not say, or not for which of several calls."""
        if self._path is None:
            self._path = self._find_file()
        if self._path is not None:
            for line in self._new_lines(self._path):
                self._take(line)
        if self._is_first:
            self._is_first = False
            if self._since is None:
                self._before = self._open.keys() & self._done.keys()
        return self._conclusion()

    def _conclusion(self) -> Evidence | None:
        done = {call: self._done[call] for call in self._open if call in self._done and call not in self._before}
        if not done:
            return None
        first = min(number for number, _ in done.values())
        together = [call for call, number in self._open.items() if number < first and call not in self._before]
        found = {self._done[call][1] for call in together if call in self._done}
        if len(found) != 1 or any(call not in self._done for call in together):
            return None
        times = [at for call in together if (at := self._done_at[call]) is not None]
        self.answered_at = min(times, default=None)
        return found.pop()

    def _find_file(self) -> Path | None:
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

    def _new_lines(self, path: Path) -> list[bytes]:
        """Returns the whole lines that were written since the last look; the first time only from near the end."""
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
        self._count += 1
        if b'"tool_' not in line and _ATTACHED not in line:
            return
        record = _decoded(line)
        if not isinstance(record, dict):
            return
        attached = record.get("attachment")
        if isinstance(attached, dict) and (decided := of_hook(attached)) is not None:
            self._settle(record, *decided)
            return
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if record.get("type") not in ("assistant", "user"):
            return
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            call, result = block.get("id"), block.get("tool_use_id")
            if block.get("type") == "tool_use" and isinstance(call, str):
                if self._is_asked(call, block):
                    self._open.setdefault(call, self._count)
            elif block.get("type") == "tool_result" and isinstance(result, str):
                evidence = of_result(block, record.get("permissionDecision"), record.get("toolDenialKind"))
                self._settle(record, result, evidence)

    def _is_asked(self, call: str, block: dict[str, Any]) -> bool:
        if self._call is not None:
            return call == self._call
        # Some clients ask about a plan without sending it.
        is_unsaid = self._input == {} and kind_of(self._tool) == "plan"
        return block.get("name") == self._tool and (block.get("input") == self._input or is_unsaid)

    def _settle(self, record: dict[str, Any], call: str, evidence: Evidence) -> None:
        at = read_time(record.get("timestamp"))
        if self._since is not None and at is not None and at < self._since:
            self._before.add(call)
        self._done.setdefault(call, (self._count, evidence))
        self._done_at.setdefault(call, at)


def read_time(text: object) -> datetime | None:
    """Returns the time that a record names; None if it is not a time with a time zone."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment is not None and moment.tzinfo is not None else None


def _decoded(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except _REFUSALS:
        return None
