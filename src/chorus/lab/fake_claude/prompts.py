"""Matches the caller's messages with those of the recorded host: which one begins a turn, which one a turn absorbs."""

import re
from collections import deque
from typing import Any

from chorus.lab.fake_claude.lines import ScriptLine, Value, at, message_text, read, text_at, write
from chorus.lab.fake_claude.naming import with_string

LOCAL_COMMANDS = frozenset(
    {"agents", "clear", "config", "context", "cost", "doctor", "help", "hooks", "mcp", "memory", "model"}
    | {"output-style", "permissions", "release-notes", "status", "todos", "usage"}
)
"""Commands that the client answers without asking the model."""
_COMMAND = re.compile(r"/([a-z][a-z-]*)(?:\s.*)?\Z", re.DOTALL)


class Prompts:
    """The caller's messages; the n-th of them corresponds to the n-th of the recording."""

    def __init__(self, recorded: list[Value]) -> None:
        self._recorded = recorded
        self._numbers = {
            text_at(value, "uuid"): number for number, value in enumerate(recorded) if text_at(value, "uuid")
        }
        self._given: list[Value] = []
        self._queue: deque[int] = deque()
        self.current = -1
        """The number of the message that began the turn."""

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, message: Value) -> None:
        self._queue.append(len(self._given))
        self._given.append(message)

    def begin_turn(self) -> None:
        """Makes the next message the prompt of a turn."""
        self.current = self._queue.popleft()

    def next_local_command(self) -> str | None:
        """Returns the next message, if it is a command that the client answers by itself; else None.

        A message that equals the recorded one at this position begins a turn, even if it is such a command.
        """
        if not self._queue:
            return None
        number = self._queue[0]
        command = _COMMAND.match(message_text(self._given[number]).strip())
        if command is None or command[1] not in LOCAL_COMMANDS:
            return None
        recorded = self._recorded[number] if number < len(self._recorded) else {}
        return None if message_text(recorded).strip() == command[0] else command[1]

    def drop(self) -> None:
        """Removes the next message: the one after it takes its position relative to the recording."""
        number = self._queue.popleft()
        del self._given[number]
        self._queue = deque(other - 1 for other in self._queue)

    @property
    def prompt(self) -> Value:
        """The message that began the turn."""
        return self._given[self.current] if self.current >= 0 else {}

    def absorb(self, count: int) -> int:
        """Lets a running turn absorb up to `count` waiting messages; returns how many it may still absorb."""
        while count and self._queue:
            self._queue.popleft()
            count -= 1
        return count

    def difference(self) -> str | None:
        """Returns how the prompt of the turn differs from the recorded one; None if it does not."""
        if self.current >= len(self._recorded):
            return None
        then, now = message_text(self._recorded[self.current]), message_text(self._given[self.current])
        if then == now:
            return None
        return f"prompt {self.current + 1} differs from the recorded one: recorded {then!r}, given {now!r}"

    def adapted(self, line: ScriptLine) -> ScriptLine | None:
        """Returns a recorded line about a message of the host, with the caller's message; None if the caller sent none.

        A line with a uuid of no recorded message is about the prompt of the turn.
        """
        uuid = text_at(line.value, "command_uuid" if line.kind == "command_lifecycle" else "uuid")
        number = self._numbers.get(uuid, self.current)
        if not 0 <= number < len(self._given):
            return None
        now, raw = self._given[number], line.raw
        if uuid in self._numbers:
            if not text_at(now, "uuid"):
                return None
            raw = with_string(raw, uuid, text_at(now, "uuid"))
        then = self._recorded[number] if number < len(self._recorded) else now
        if line.kind == "user" and _content(then) != _content(now):
            return write({**read(raw).value, "message": at(now, "message")})
        return ScriptLine(raw, line.value)


def _content(message: Value) -> Any:
    return at(message, "message", "content")
