"""Entries as plain text: for programs, and to be pasted."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from chorus.core.conversation import items
from chorus.core.conversation.conversation import Conversation
from chorus.find.index.rows import Entry
from chorus.find.payloads.texts import body_of_block, body_of_result, text_of_block, text_of_value
from chorus.find.search.entry_kinds import is_failed, kind_of


class EntryText(Struct, frozen=True, kw_only=True):
    """One entry as text; absent parts are empty."""

    id: str
    kind: str
    role: str
    tool: str | None
    is_failed: bool
    time: str | None
    thinking: str = ""
    text: str = ""
    asked: str = ""
    """The input of a tool, one line for each field."""
    given: str = ""
    """The output of a tool."""


def entry_text(conversation: Conversation, entry: Entry) -> EntryText:
    """Returns the text of an entry whose payloads are in the conversation."""
    kind, role = kind_of(entry)
    item = entry.item
    words = {"thinking": "", "text": "", "asked": "", "given": ""}
    if isinstance(item, items.Call):
        made = conversation.items.get(item.block or "")
        result = conversation.result(item)
        words["asked"] = "\n".join(_fields(body_of_block(made.block))) if isinstance(made, items.Block) else ""
        words["given"] = text_of_value(body_of_result(result)) if result else ""
    else:
        blocks = [part.block for part in conversation.blocks(item) if part.block.type != "tool_use"]
        words["thinking"] = _joined(block.thinking or "" for block in blocks if block.type == "thinking")
        spoken = [text_of_block(block, body_of_block(block)) for block in blocks if block.type != "thinking"]
        words["text"] = _joined([*spoken, *_item_texts(conversation, entry)])
    return EntryText(
        id=entry.id,
        kind=kind,
        role=role,
        tool=item.name if isinstance(item, items.Call) else None,
        is_failed=is_failed(entry),
        time=entry.time,
        **words,
    )


def _item_texts(conversation: Conversation, entry: Entry) -> Iterator[str]:
    """Yields the texts of the item itself."""
    match conversation.items.get(entry.id):
        case items.Message() as message:
            yield message.error or ""
        case items.Turn() as turn:
            yield from turn.errors
        case items.Notice() as notice:
            yield notice.text or notice.reason or ""
        case items.Compaction() as compaction:
            yield f"(compacted: {compaction.trigger or 'unknown trigger'})"
        case _:
            return


def _fields(body: Any) -> Iterator[str]:
    if not isinstance(body, dict):
        yield text_of_value(body)
        return
    for name, field in body.items():
        yield f"{name}: {field if isinstance(field, str) else msgspec.json.encode(field).decode()}"


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(text for text in texts if text)
