"""The content of a record as keys and digests. Records with the same key and different digests contradict each other.

Only the content counts (text, calls and results), not the envelope: a client writes the same line with different
fields into its file and to its standard output.
"""

import hashlib

import msgspec
from msgspec import Raw

from chorus.core.records.model import Value, blocks
from chorus.core.records.model.base import is_present
from chorus.core.records.model.session import Attachment
from chorus.core.records.model.turns import Assistant, User

_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


NOT_COMPARED = 0
"""The digest of a line that is not a message. Such lines are not compared: clients write them in several ways."""


class QueuedCommand(msgspec.Struct):
    """Input that was typed while the agent was busy. Standard output repeats it as a separate line."""

    type: str | None = None
    prompt: str | list[blocks.Block] | None = None
    source_uuid: str | None = None


_command = msgspec.json.Decoder(QueuedCommand)
_BYTES = "bytes "


class RecordDigests(msgspec.Struct, gc=False):
    """The keys and digests of one record."""

    keys: list[tuple[str, int]]
    """Ids of the record, its calls and its results, each with a digest of the content under this id."""
    message: str | None = None
    """The API message that contains its blocks."""
    blocks: tuple[int, ...] = ()


def digests_of(value: Value) -> RecordDigests:
    """Returns the keys and digests of a record."""
    match value:
        case Assistant():
            return _model_digests(value)
        case User():
            return _user_digests(value)
        case Attachment():
            return RecordDigests([(f"line {value.uuid}", NOT_COMPARED), *_queued(value)] if value.uuid else [])
        case _:
            return RecordDigests([(f"line {value.uuid}", NOT_COMPARED)] if value.uuid else [])


def same_bytes(raw: bytes) -> tuple[str, int]:
    """Returns the key and digest of a record without ids: copies of it are the same record, byte for byte."""
    digest = hashlib.blake2b(raw, digest_size=16).hexdigest()
    return f"{_BYTES}{digest}", 1


def is_by_bytes(key: str) -> bool:
    """Returns whether a key comes from `same_bytes`."""
    return key.startswith(_BYTES)


def block_digest(block: blocks.Block) -> int:
    """Returns a digest of a content block. It does not depend on how a client writes the block."""
    match block.type:
        case "text":
            content = (block.text or "").strip()
        case "thinking":
            content = "thinking"
        case "tool_use":
            content = f"{block.id}\0{block.name}\0{_canonical(block.input)}"
        case "tool_result":
            content = f"{block.tool_use_id}\0{bool(block.is_error)}\0{_canonical(block.content)}"
        case _:
            source = block.source
            content = f"{block.id}\0{(source.data or source.url or '') if source else block.data}\0{block.text}"
    return _digest(f"{block.type}\0{content}")


def start_digest(message: blocks.Message, time: str | None) -> int:
    """Returns a digest of the first block, model and time of a message, which a fork copies; 0 without content."""
    parts = _parts(message)
    return _digest(f"{time}\0{message.model}\0{block_digest(parts[0])}") if parts else 0


def _model_digests(value: Assistant) -> RecordDigests:
    parts = _parts(value.message)
    digests = tuple(map(block_digest, parts))
    keys = [(f"line {value.uuid}", _joined(digests))] if value.uuid else []
    keys += [
        (f"call {block.id}", digest)
        for block, digest in zip(parts, digests, strict=True)
        if block.type == "tool_use" and block.id
    ]
    return RecordDigests(keys, value.message.id if value.message else None, digests)


def _user_digests(value: User) -> RecordDigests:
    parts = _parts(value.message)
    digests = tuple(map(block_digest, parts))
    keys = [(f"line {value.uuid}", _joined(digests))] if value.uuid else []
    keys += [
        (f"result {block.tool_use_id}", digest)
        for block, digest in zip(parts, digests, strict=True)
        if block.type == "tool_result" and block.tool_use_id
    ]
    return RecordDigests(keys)


def _queued(value: Attachment) -> list[tuple[str, int]]:
    if b"queued_command" not in bytes(value.attachment):
        return []
    try:
        command = _command.decode(value.attachment)
    except _DECODE_ERRORS:
        return []
    parts = _parts(blocks.Message(content=command.prompt))
    return [(f"line {command.source_uuid}", _joined(tuple(map(block_digest, parts))))] if command.source_uuid else []


def _joined(digests: tuple[int, ...]) -> int:
    return digests[0] if len(digests) == 1 else _digest("\0".join(map(str, digests)))


def _digest(text: str) -> int:
    """Returns a digest: long enough that nobody finds another text with the same one, short enough to store many."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) >> 1


def _parts(message: blocks.Message | None) -> list[blocks.Block]:
    content = message.content if message else None
    return content if isinstance(content, list) else [blocks.Block(type="text", text=content)] if content else []


def _canonical(raw: Raw) -> str:
    """Returns JSON in a canonical form. A text and a list with only texts become the same."""
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
    except _DECODE_ERRORS:
        return bytes(raw).decode("utf-8", "replace")
