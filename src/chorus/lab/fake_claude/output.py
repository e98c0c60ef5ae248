"""Writes lines in the output format of the caller: unchanged, or collected into one result."""

from typing import Protocol

from chorus.lab.fake_claude.arguments import STREAM, Invocation
from chorus.lab.fake_claude.lines import ScriptLine, at, text_at


class OutputFormatter(Protocol):
    """Receives lines and returns the bytes for standard output."""

    def add(self, line: ScriptLine) -> bytes: ...

    def close(self) -> bytes:
        """Returns the remaining bytes at the end."""
        ...


def formatter_for(asked: Invocation, *, has_result: bool) -> OutputFormatter:
    """Returns the formatter for a call; a recording without a result is passed on unchanged in every format."""
    if asked.output_format == STREAM or not has_result:
        return _Plain()
    if asked.output_format == "json":
        return _AllAsJson() if "verbose" in asked.given else _LastAsJson()
    return _LastAsText(asked)


class _Plain:
    def __init__(self) -> None:
        self._is_torn = False

    def add(self, line: ScriptLine) -> bytes:
        # Only the last line of a recording can be without a line end, and another line may still follow it.
        between = b"\n" if self._is_torn else b""
        self._is_torn = not line.raw.endswith(b"\n")
        return between + line.raw

    def close(self) -> bytes:
        return b""


class _LastAsJson:
    def __init__(self) -> None:
        self._last = b""

    def add(self, line: ScriptLine) -> bytes:
        if line.kind == "result":
            self._last = line.raw
        return b""

    def close(self) -> bytes:
        return self._last


class _AllAsJson:
    def __init__(self) -> None:
        self._raws: list[bytes] = []

    def add(self, line: ScriptLine) -> bytes:
        if line.value:
            self._raws.append(line.raw.strip())
        return b""

    def close(self) -> bytes:
        return b"[" + b",".join(self._raws) + b"]\n"


class _LastAsText:
    def __init__(self, asked: Invocation) -> None:
        self._asked = asked
        self._last: ScriptLine | None = None

    def add(self, line: ScriptLine) -> bytes:
        if line.kind == "result":
            self._last = line
        return b""

    def close(self) -> bytes:
        if self._last is None:
            return b""
        return self._words(self._last).encode(errors="replace") + b"\n"

    def _words(self, result: ScriptLine) -> str:
        match result.subtype:
            case "success":
                return text_at(result.value, "result")
            case "error_max_turns":
                return f"Error: Reached max turns ({self._asked.max_turns})"
            case "error_max_budget_usd":
                return f"Error: Exceeded USD budget ({self._asked.max_budget})"
            case _:
                errors = at(result.value, "errors")
                first = errors[0] if isinstance(errors, list) and errors else "Execution error"
                return f"Error: {first}" if isinstance(first, str) else "Execution error"
