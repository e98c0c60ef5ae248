"""A tool call with its decoded input and result."""

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw

from chorus.core.conversation import items
from chorus.core.records.model import blocks
from chorus.core.records.model.base import is_present

if TYPE_CHECKING:
    from chorus.core.conversation.conversation import Conversation

_DECODE_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError)
_content = msgspec.json.Decoder(str | list[blocks.Block])


class ToolOutput:
    """The result of a tool call."""

    __slots__ = ("item", "side_file")

    def __init__(self, item: items.ToolResult, side_file: items.SideFile | None) -> None:
        self.item = item
        self.side_file = side_file
        """The file with the whole output, if the client moved it out of the transcript."""

    @property
    def is_error(self) -> bool:
        return self.item.is_error

    @property
    def content(self) -> Any:
        """The content that the model sees: a text or a list of content blocks; None if it cannot be decoded."""
        return decoded(self.item.content)

    @property
    def structured(self) -> Any:
        """The client's structured form of the result, or None."""
        return decoded(self.item.structured)

    @property
    def text(self) -> str:
        """The text that the model sees, without images."""
        try:
            content = _content.decode(self.item.content)
        except _DECODE_ERRORS:
            return ""
        if isinstance(content, str):
            return content
        return "\n".join(block.text for block in content if block.text)

    def __repr__(self) -> str:
        return f"<ToolOutput {self.text[:60]!r}{', error' if self.is_error else ''}>"


class ToolCall:
    """One tool call, with its input and its result."""

    __slots__ = ("_conversation", "item")

    def __init__(self, conversation: "Conversation", item: items.Call) -> None:
        self._conversation = conversation
        self.item = item
        """The header of the call, as in the fold."""

    @property
    def id(self) -> str:
        """The id from the API (`toolu_…`)."""
        return self.item.tool_use_id

    @property
    def tool_use_id(self) -> str:
        """The same as `id`, under the name that records use."""
        return self.item.tool_use_id

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.item.name

    @property
    def state(self) -> items.CallState:
        return self.item.state

    @property
    def decision(self) -> str | None:
        """`approved` or `denied`, if the record says what was decided about the call."""
        return self.item.decision

    @property
    def decided_by(self) -> str | None:
        """Who or what decided, as text."""
        return self.item.decided_by

    @property
    def agent(self) -> str:
        """The sub-agent that made the call; "" for the main thread."""
        return self.item.agent

    @property
    def subagent(self) -> str | None:
        """The sub-agent that the call started."""
        return self.item.subagent

    @property
    def files(self) -> tuple[str, ...]:
        """Files that the call writes."""
        return self.item.files

    @property
    def started_at(self) -> str | None:
        return self.item.started_at

    @property
    def ended_at(self) -> str | None:
        return self.item.ended_at

    @property
    def message(self) -> items.Message | None:
        """The message that made the call."""
        found = self._conversation.items.get(self.item.message or "")
        return found if isinstance(found, items.Message) else None

    @property
    def input(self) -> Any:
        """The decoded input of the tool; None if it is not known."""
        block = self._conversation.items.get(self.item.block or "")
        return decoded(block.block.input) if isinstance(block, items.Block) else None

    @property
    def result(self) -> ToolOutput | None:
        """The result of the tool, or None if there is none yet."""
        found = self._conversation.result(self.item)
        return ToolOutput(found, self._conversation.side_files.get(found.id)) if found else None

    def __repr__(self) -> str:
        return f"<ToolCall {self.name} {self.id}: {self.state.value}>"


def decoded(raw: Raw) -> Any:
    """Returns the value of a JSON text, or None if it is absent or cannot be decoded."""
    if not is_present(raw):
        return None
    try:
        return msgspec.json.decode(raw)
    except _DECODE_ERRORS:
        return None
