"""What the caller said beside what the recorded host said: which message begins a turn, which one a turn takes up."""

import re
from collections import deque
from typing import Any

from chorus.lab.fake_claude.lines import Line, Value, at, read, said, words, write
from chorus.lab.fake_claude.naming import with_string

LOCAL_COMMANDS = frozenset(
    {"agents", "clear", "config", "context", "cost", "doctor", "help", "hooks", "mcp", "memory", "model"}
    | {"output-style", "permissions", "release-notes", "status", "todos", "usage"}
)
"""Commands that the client answers without asking the model."""
_COMMAND = re.compile(r"/([a-z][a-z-]*)(?:\s.*)?\Z", re.DOTALL)


class Prompts:
    """Messages of the caller; the n-th of them stands for the n-th of the recording."""

    def __init__(self, recorded: list[Value]) -> None:
        self._recorded = recorded
        self._numbers = {words(value, "uuid"): number for number, value in enumerate(recorded) if words(value, "uuid")}
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
        """Take the next message as the prompt of a turn."""
        self.current = self._queue.popleft()

    def next_local_command(self) -> str | None:
        """The waiting message, if it is a command that the client answers by itself; None if it is none.

        What the recording has at this place is a turn, whatever it looks like.
        """
        if not self._queue:
            return None
        number = self._queue[0]
        command = _COMMAND.match(said(self._given[number]).strip())
        if command is None or command[1] not in LOCAL_COMMANDS:
            return None
        recorded = self._recorded[number] if number < len(self._recorded) else {}
        return None if said(recorded).strip() == command[0] else command[1]

    def drop(self) -> None:
        """The waiting message is dealt with: the next one takes its place beside the recording."""
        number = self._queue.popleft()
        del self._given[number]
        self._queue = deque(other - 1 for other in self._queue)

    @property
    def prompt(self) -> Value:
        """The message that began the turn."""
        return self._given[self.current] if self.current >= 0 else {}

    def take_up(self, count: int) -> int:
        """Let a running turn have up to `count` waiting messages; how many it may still have."""
        while count and self._queue:
            self._queue.popleft()
            count -= 1
        return count

    def difference(self) -> str | None:
        """How the prompt of the turn differs from the recorded one; None where it does not."""
        if self.current >= len(self._recorded):
            return None
        then, now = said(self._recorded[self.current]), said(self._given[self.current])
        if then == now:
            return None
        return f"prompt {self.current + 1} differs from the recorded one: recorded {then!r}, given {now!r}"

    def retold(self, line: Line) -> Line | None:
        """A recorded line about a message of the host, with what the caller sent; None where the caller sent nothing.

        A line whose uuid no recorded message had is about the prompt of the turn.
        """
        uuid = words(line.value, "command_uuid" if line.kind == "command_lifecycle" else "uuid")
        number = self._numbers.get(uuid, self.current)
        if not 0 <= number < len(self._given):
            return None
        now, raw = self._given[number], line.raw
        if uuid in self._numbers:
            if not words(now, "uuid"):
                return None
            raw = with_string(raw, uuid, words(now, "uuid"))
        then = self._recorded[number] if number < len(self._recorded) else now
        if line.kind == "user" and _content(then) != _content(now):
            return write({**read(raw).value, "message": at(now, "message")})
        return Line(raw, line.value)


def _content(message: Value) -> Any:
    return at(message, "message", "content")
