"""Lines as dicts, and what all builders share: encoding, stable ids, an advancing clock."""

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import msgspec

Line = dict[str, Any]
"""One record, as its JSON object."""

SESSION_ID = "5e551011-0000-4000-8000-000000000001"
MODEL = "claude-test-1"
CWD = "/home/dev/work"
START = "2026-01-05T09:00:00.000Z"


def encode(line: Line) -> bytes:
    """Returns the line as a client writes it: compact, unescaped UTF-8, with a newline at the end."""
    return msgspec.json.encode(line) + b"\n"


def encode_all(lines: Iterable[Line]) -> bytes:
    return b"".join(map(encode, lines))


class Ids:
    """Generates ids in the form of a client's; they are the same in every run with the same `seed`."""

    def __init__(self, seed: str) -> None:
        self._mark = hashlib.blake2b(seed.encode(), digest_size=6).hexdigest()
        self._count = 0

    def uuid(self) -> str:
        return f"{self._next():08x}-0000-4000-8000-{self._mark}"

    def message(self) -> str:
        return f"msg_{self._mark}{self._next():08d}"

    def request(self) -> str:
        return f"req_{self._mark}{self._next():08d}"

    def tool(self) -> str:
        return f"toolu_{self._mark}{self._next():08d}"

    def _next(self) -> int:
        self._count += 1
        return self._count


class Clock:
    """Generates increasing timestamps in the client's format."""

    def __init__(self, start: str = START, *, step_ms: int = 1000) -> None:
        self._now = datetime.fromisoformat(start)
        self._step_ms = step_ms

    def tick(self, milliseconds: int | None = None) -> str:
        """Returns the current time, then advances by `milliseconds` or by one step."""
        now = self._now
        self._now = now + timedelta(milliseconds=self._step_ms if milliseconds is None else milliseconds)
        return f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"


class Script:
    """A list of lines in order; the base class of the builders of single dialects."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def add(self, line: Line) -> Line:
        """Adds any line unchanged; for lines that have no method."""
        self.lines.append(line)
        return line

    def __bytes__(self) -> bytes:
        return encode_all(self.lines)


def model_message(model: str, message_id: str, stop: str | None, tokens: dict[str, Any]) -> dict[str, Any]:
    """Returns a message of the model as the API has it, without content."""
    return {
        "model": model,
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": tokens,
    }


def usage(
    *, given: int = 10, said: int = 20, cache_creation: int = 0, cache_read: int = 0, **more: Any
) -> dict[str, Any]:
    """Returns the `usage` of an API message: `given` are the input tokens, `said` the output tokens."""
    return {
        "input_tokens": given,
        "cache_creation_input_tokens": cache_creation,
        "cache_read_input_tokens": cache_read,
        "output_tokens": said,
        **more,
    }
