"""What a record says, as keys and digests: two records of the same key and another digest contradict each other.

Only what was said is looked at (the words, calls and results), not the envelope: a client writes the same line with
other fields into its file and to its standard output.
"""

import hashlib

import msgspec
from msgspec import Raw

from chorus.core.records.model import Value, blocks
from chorus.core.records.model.base import is_present
from chorus.core.records.model.session import Attachment
from chorus.core.records.model.turns import Assistant, User

_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


UNTOLD = 0
"""The digest of a line that is no message: clients write such lines in several ways."""


class QueuedCommand(msgspec.Struct):
    """Input that was typed while the agent was busy: standard output repeats it as a line of its own."""

    type: str | None = None
    prompt: str | list[blocks.Block] | None = None
    source_uuid: str | None = None


_command = msgspec.json.Decoder(QueuedCommand)


class Said(msgspec.Struct, gc=False):
    """What one record says."""

    keys: list[tuple[str, int]]
    """Ids of the record, its calls and its results, each with a digest of what is said under it."""
    message: str | None = None
    """The API message that its blocks are part of."""
    blocks: tuple[int, ...] = ()


def said_in(value: Value) -> Said:
    """What a record says under which ids."""
    match value:
        case Assistant():
            return _said_by_model(value)
        case User():
            return _said_to_model(value)
        case Attachment():
            return Said([(f"line {value.uuid}", UNTOLD), *_queued(value)] if value.uuid else [])
        case _:
            return Said([(f"line {value.uuid}", UNTOLD)] if value.uuid else [])


def block_digest(block: blocks.Block) -> int:
    """A digest of a content block; the same however a client writes it."""
    match block.type:
        case "text":
            said = (block.text or "").strip()
        case "thinking":
            said = "thinking"
        case "tool_use":
            said = f"{block.id}\0{block.name}\0{_canonical(block.input)}"
        case "tool_result":
            said = f"{block.tool_use_id}\0{bool(block.is_error)}\0{_canonical(block.content)}"
        case _:
            source = block.source
            said = f"{block.id}\0{(source.data or source.url or '') if source else block.data}\0{block.text}"
    return _digest(f"{block.type}\0{said}")


def begins(message: blocks.Message, time: str | None) -> int:
    """A digest of how a message begins, and when: a fork copies both."""
    parts = _parts(message)
    return _digest(f"{time}\0{message.model}\0{block_digest(parts[0])}") if parts else 0


def _said_by_model(value: Assistant) -> Said:
    parts = _parts(value.message)
    digests = tuple(map(block_digest, parts))
    keys = [(f"line {value.uuid}", _joined(digests))] if value.uuid else []
    keys += [
        (f"call {block.id}", digest)
        for block, digest in zip(parts, digests, strict=True)
        if block.type == "tool_use" and block.id
    ]
    return Said(keys, value.message.id if value.message else None, digests)


def _said_to_model(value: User) -> Said:
    parts = _parts(value.message)
    digests = tuple(map(block_digest, parts))
    keys = [(f"line {value.uuid}", _joined(digests))] if value.uuid else []
    keys += [
        (f"result {block.tool_use_id}", digest)
        for block, digest in zip(parts, digests, strict=True)
        if block.type == "tool_result" and block.tool_use_id
    ]
    return Said(keys)


def _queued(value: Attachment) -> list[tuple[str, int]]:
    if b"queued_command" not in bytes(value.attachment):
        return []
    try:
        command = _command.decode(value.attachment)
    except _REFUSALS:
        return []
    parts = _parts(blocks.Message(content=command.prompt))
    return [(f"line {command.source_uuid}", _joined(tuple(map(block_digest, parts))))] if command.source_uuid else []


def _joined(digests: tuple[int, ...]) -> int:
    return digests[0] if len(digests) == 1 else _digest("\0".join(map(str, digests)))


def _digest(text: str) -> int:
    """Long enough that nobody finds another text of the same digest, short enough to keep many."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) >> 1


def _parts(message: blocks.Message | None) -> list[blocks.Block]:
    content = message.content if message else None
    return content if isinstance(content, list) else [blocks.Block(type="text", text=content)] if content else []


def _canonical(raw: Raw) -> str:
    """JSON of one spelling: text alone and a list of one text are the same."""
    if not is_present(raw):
        return ""
    try:
        value = msgspec.json.decode(raw)
        if isinstance(value, list):
            parts = [part for part in value if isinstance(part, dict) and part.get("type") == "text"]
            texts = [text for part in parts if isinstance(text := part.get("text"), str)]
            value = "\n".join(texts) if len(texts) == len(value) else value
        if isinstance(value, str):
            return value.strip()
        return msgspec.json.encode(value, order="sorted").decode("utf-8", "replace")
    except _REFUSALS:
        return bytes(raw).decode("utf-8", "replace")
