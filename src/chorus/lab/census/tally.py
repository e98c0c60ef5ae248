"""Counts the content of records: types, kinds, versions, content blocks, tools and the fields of their inputs."""

from typing import Any

import msgspec
from msgspec import Raw

from chorus.core.conversation.call_permissions import DENIED, verdict_of
from chorus.core.conversation.flat import call_of as flat_call
from chorus.core.records.model import flat
from chorus.core.records.model.blocks import Block
from chorus.core.records.model.system import System
from chorus.core.records.model.turns import Assistant, User
from chorus.core.records.record import Record, Unread
from chorus.lab.census.calls import Calls
from chorus.lab.census.messages import Messages
from chorus.lab.census.names import MAX_LENGTH, MAX_NAMES, REST, FieldNames, Names
from chorus.lab.census.unknown import is_known_block, unknown_name

NO_TYPE = "(no type)"
_fields = msgspec.json.Decoder(dict[str, Raw])


class Tool(msgspec.Struct):
    """A tool's uses, and how many of them contained each input field."""

    uses: int = 0
    inputs: FieldNames = msgspec.field(default_factory=FieldNames)


class Tally:
    """Counts over records of any number of streams; mergeable, and small whatever the records contain."""

    def __init__(self) -> None:
        self.unread = 0
        self.records = Names()
        self.subtypes = Names()
        self.versions = Names()
        self.blocks = Names()
        self.unknown = Names()
        self.tools: dict[str, Tool] = {}
        self.calls = Calls()
        self.messages = Messages()
        self._flat_calls: set[str | None] = set()
        """Calls of this stream that had an event of their own."""

    def add(self, record: Record) -> None:
        """Counts one record; never raises."""
        if isinstance(record, Unread):
            self.unread += 1
            return
        self.records.count(record.type or NO_TYPE)
        if record.subtype:
            self.subtypes.count(f"{record.type or NO_TYPE}/{record.subtype}")
        if (strange := unknown_name(record)) is not None:
            self.unknown.count(strange)
        value = record.value
        version = value.version
        if isinstance(value, User | Assistant):
            self._message(record, value)
        elif isinstance(value, System):
            version = version or value.claude_code_version
        elif isinstance(value, flat.ToolUse):
            self._use_flat(value, value.id or _place(record))
        elif isinstance(value, flat.ToolResult):
            is_error = value.is_error if value.isError is None else value.isError
            self.calls.returned(value.toolUseId or value.tool_use_id or _place(record), is_error=bool(is_error))
        if version:
            self.versions.count(version)

    def merge(self, other: "Tally") -> None:
        """Adds everything that another object counted."""
        self.unread += other.unread
        self.records.add(other.records)
        self.subtypes.add(other.subtypes)
        self.versions.add(other.versions)
        self.blocks.add(other.blocks)
        self.unknown.add(other.unknown)
        for name, tool in other.tools.items():
            mine = self._tool(name)
            mine.uses += tool.uses
            mine.inputs.add(tool.inputs)
        self.calls.merge(other.calls)
        self.messages.merge(other.messages)

    def tool_list(self) -> list[dict[str, Any]]:
        """Returns the tools, the most used first, then by name."""
        errors = self.calls.errors()
        ranked = sorted(self.tools.items(), key=lambda entry: (-entry[1].uses, entry[0]))
        return [
            {"name": name, "uses": tool.uses, "errors": errors.get(name, 0), "inputs": tool.inputs.ranked()}
            for name, tool in ranked
        ]

    def _message(self, record: Record, value: User | Assistant) -> None:
        message = value.message
        if isinstance(value, Assistant):
            message_id, model = (message.id, message.model) if message else (None, None)
            self.messages.saw(message_id or value.uuid or _place(record), model or value.model)
        if message is None or not isinstance(message.content, list):
            return
        for n, block in enumerate(message.content):
            kind = block.type or NO_TYPE
            self.blocks.count(kind)
            if kind == "tool_use" and block.id not in self._flat_calls:
                self._use(block, block.id or f"{_place(record)}:{n}")
            elif kind == "tool_result":
                call_id = block.tool_use_id or f"{_place(record)}:{n}"
                self.calls.returned(call_id, is_error=bool(block.is_error) and not _is_refused(value, block))
            elif not is_known_block(kind):
                self.unknown.count(f"block/{kind}")

    def _use_flat(self, value: flat.ToolUse, call_id: str) -> None:
        """Counts a call that has an event of its own; the complete message after it repeats the call."""
        if call_id not in self._flat_calls and not self.calls.has(call_id):
            self._flat_calls.add(call_id)
            self._use(flat_call(value), call_id)

    def _use(self, block: Block, call_id: str) -> None:
        tool = self._tool((block.name or "")[:MAX_LENGTH])
        tool.uses += 1
        for name in _field_names(block.input):
            tool.inputs.count(name)
        self.calls.called(call_id, (block.name or "")[:MAX_LENGTH])

    def _tool(self, name: str) -> Tool:
        tool = self.tools.get(name)
        if tool is None:
            name = name if len(self.tools) < MAX_NAMES else REST
            tool = self.tools.setdefault(name, Tool())
        return tool


def _place(record: Record) -> str:
    return f"{record.stream}@{record.offset}"


def _field_names(raw: Raw) -> list[str]:
    try:
        return list(_fields.decode(raw))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return []


def _is_refused(value: User | Assistant, block: Block) -> bool:
    """Whether a result says that the call was not allowed: that is no failure of the tool."""
    content = value.message.content if value.message else None
    if not isinstance(value, User) or not isinstance(content, list):
        return False
    is_alone = sum(other.type == "tool_result" for other in content) == 1
    found = verdict_of(value, block, is_alone=is_alone)
    return found is not None and found[0] == DENIED
