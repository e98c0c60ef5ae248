"""A tool call as a reader of a conversation wants it: what the tool was given and what it gave back, decoded."""

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw

from chorus.core.conversation import items
from chorus.core.records.model import blocks
from chorus.core.records.model.base import is_present

if TYPE_CHECKING:
    from chorus.core.conversation.conversation import Conversation

_REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError)
_content = msgspec.json.Decoder(str | list[blocks.Block])


class ToolOutput:
    """What a tool gave back."""

    __slots__ = ("item", "side_file")

    def __init__(self, item: items.ToolResult, side_file: items.SideFile | None) -> None:
        self.item = item
        self.side_file = side_file
        """The file that holds the whole output, where the client moved it out of the transcript."""

    @property
    def is_error(self) -> bool:
        return self.item.is_error

    @property
    def content(self) -> Any:
        """What the model was shown: a text or a list of content blocks; None when it cannot be read."""
        return decoded(self.item.content)

    @property
    def structured(self) -> Any:
        """The client's own form of the result, where it kept one; else None."""
        return decoded(self.item.structured)

    @property
    def text(self) -> str:
        """The text that the model was shown, without pictures."""
        try:
            content = _content.decode(self.item.content)
        except _REFUSALS:
            return ""
        if isinstance(content, str):
            return content
        return "\n".join(block.text for block in content if block.text)

    def __repr__(self) -> str:
        return f"<ToolOutput {self.text[:60]!r}{', error' if self.is_error else ''}>"


class ToolCall:
    """One call of a tool, with its input and its result."""

    __slots__ = ("_conversation", "item")

    def __init__(self, conversation: "Conversation", item: items.Call) -> None:
        self._conversation = conversation
        self.item = item
        """The call's header, as the fold keeps it."""

    @property
    def id(self) -> str:
        """The id that the API gave it (`toolu_…`)."""
        return self.item.tool_use_id

    @property
    def tool_use_id(self) -> str:
        """The same, under the name that records have for it."""
        return self.item.tool_use_id

    @property
    def name(self) -> str:
        """The tool."""
        return self.item.name

    @property
    def state(self) -> items.CallState:
        return self.item.state

    @property
    def decision(self) -> str | None:
        """`approved` or `denied`, where the record tells what was decided about the call."""
        return self.item.decision

    @property
    def decided_by(self) -> str | None:
        """Who or what decided, in words."""
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
        """What the tool was given, decoded; None when it is not known."""
        made = self._conversation.items.get(self.item.block or "")
        return decoded(made.block.input) if isinstance(made, items.Block) else None

    @property
    def result(self) -> ToolOutput | None:
        """What the tool gave back; None while it has not."""
        found = self._conversation.result(self.item)
        return ToolOutput(found, self._conversation.side_files.get(found.id)) if found else None

    def __repr__(self) -> str:
        return f"<ToolCall {self.name} {self.id}: {self.state.value}>"


def decoded(raw: Raw) -> Any:
    """The value of a JSON text; None where there is none, or it cannot be decoded."""
    if not is_present(raw):
        return None
    try:
        return msgspec.json.decode(raw)
    except _REFUSALS:
        return None
