"""Input typed while the agent was busy: waiting, taken as a prompt, or shown to the model in the middle of a turn."""

import hashlib

import msgspec

from chorus.conversation import messages
from chorus.conversation.items import Author, Block, Queued
from chorus.conversation.line import Line
from chorus.records.model import blocks
from chorus.records.model.session import Attachment, QueueOperation


class QueuedCommand(msgspec.Struct):
    """The attachment that shows queued input to the model."""

    type: str | None = None
    prompt: str | list[blocks.Block] | None = None
    mode: str | None = msgspec.field(default=None, name="commandMode")
    source_uuid: str | None = None


_command = msgspec.json.Decoder(QueuedCommand)


def operation(line: Line, value: QueueOperation) -> None:
    """One step of the client's queue. Steps name no entry: the queue is first in, first out."""
    waiting = line.stream.waiting
    text = _text(value.content)
    digest = hashlib.blake2b((text or "").encode("utf-8", "replace"), digest_size=8).hexdigest()
    if value.operation == "enqueue":
        item = Queued(id=f"queued:{value.timestamp}:{digest}", order=line.order, place=line.place, state="waiting")
        item.time = line.time
        waiting.append((item.id, digest))
        known = line.state.queued.get(item.id)
        if known is None or line.order < known.order:
            item.state = known.state if known else "waiting"
            line.state.queued[item.id] = item
            line.put(item)
            if text:
                block = blocks.Block(type="text", text=text)
                line.changes.append(
                    Block(id=item.id + ":0", order=line.part(1), of=item.id, block=block, place=line.place)
                )
    elif value.operation == "dequeue":
        if waiting:
            _becomes(line, waiting.pop(0)[0], "taken")
    elif value.operation == "remove":
        named = next((n for n, (_, other) in enumerate(waiting) if text is not None and other == digest), 0)
        if waiting:
            absorbed = value.reason == "absorbed_mid_turn"
            _becomes(line, waiting.pop(named)[0], "absorbed" if absorbed else "removed")
    elif value.operation == "popAll":
        while waiting:
            _becomes(line, waiting.pop()[0], "removed")


def absorbed(line: Line, value: Attachment) -> None:
    """A `queued_command` attachment: what the person typed, with no user line of its own."""
    try:
        command = _command.decode(value.attachment)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    prompt = command.prompt
    words = prompt if isinstance(prompt, list) else [blocks.Block(type="text", text=prompt)] if prompt else []
    author = Author.HUMAN if command.mode in (None, "prompt") else Author.NOTIFICATION
    if not words:
        return
    # Stdout replays the same input as a user line of its own uuid; the attachment itself is a notice.
    own = command.source_uuid or f"queued:{line.value.uuid}"
    line.id = f"{line.agent}/{own}" if line.agent else own
    if messages.claim(line, len(words), line.id):
        messages.say(line, line.id, author, words, is_queued=True)


def _becomes(line: Line, item_id: str, state: str) -> None:
    item = line.state.queued[item_id]
    if item.state == "waiting":
        item.state = state
        line.put(item)


def _text(content: str | list[blocks.Block] | None) -> str | None:
    if isinstance(content, list):
        return "\n".join(block.text for block in content if block.text)
    return content
