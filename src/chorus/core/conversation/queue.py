"""Input that came while the agent was busy: it waits, becomes a prompt, or is shown to the model during a turn.

The client also queues its own notifications and tasks. Queued input that becomes a message no longer waits, whether or
not the client recorded that it left the queue.
"""

import hashlib
import re

import msgspec

from chorus.core.conversation import messages, tasks
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Author, Block, Queued
from chorus.core.records.model import blocks
from chorus.core.records.model.session import Attachment, QueueOperation

_MAX_TRACKED = 200
"""Maximum number of queue entries that are searched in a stream. A person queues only a few."""
_COMMAND = re.compile(r"<command-name>\s*(/[^<\s]{1,200})\s*</command-name>")
_ARGUMENTS = re.compile(r"<command-args>([^<]*)</command-args>")
_ABSORBED = (None, "absorbed_mid_turn")
"""Reasons of a removal after which the model has seen the input. Old clients gave no reason."""


class QueuedCommand(msgspec.Struct):
    """The attachment that shows queued input to the model."""

    type: str | None = None
    prompt: str | list[blocks.Block] | None = None
    mode: str | None = msgspec.field(default=None, name="commandMode")
    source_uuid: str | None = None


_command = msgspec.json.Decoder(QueuedCommand)


def operation(context: FoldContext, value: QueueOperation) -> None:
    """Folds one operation on the client's queue. Operations name no entry: the queue is first in, first out."""
    waiting = context.stream.waiting
    text = _text(value.content)
    digest = _digest(text or "")
    if value.operation == "enqueue":
        if text:
            tasks.in_text(context, text)
        _enqueue(context, f"queued:{value.timestamp}:{digest}", digest, text)
    elif not waiting:
        return
    elif value.operation == "dequeue":
        _leaves(context, 0, "taken")
    elif value.operation == "remove":
        named = next((n for n, (_, other) in enumerate(waiting) if text is not None and other == digest), 0)
        _leaves(context, named, "absorbed" if value.reason in _ABSORBED else "removed")
    elif value.operation == "popAll":
        while waiting:
            _leaves(context, len(waiting) - 1, "removed")


def delivered(context: FoldContext, text: str) -> None:
    """Registers the text of a message. If it was queued in this stream, the queue entry became this message."""
    stream = context.stream
    if not (stream.waiting or stream.withdrawn) or not text:
        return
    for digest in {_digest(text), _digest(_typed(text))}:
        for entries in (stream.waiting, stream.withdrawn):
            found = next((entry for entry in entries if entry[1] == digest), None)
            if found is None:
                continue
            entries.remove(found)
            item = context.state.queued[found[0]]
            item.is_in_message = True
            if item.state in ("waiting", "removed"):
                item.state = "taken"
            context.put(item)
            return


def absorbed(context: FoldContext, value: Attachment) -> None:
    """Folds a `queued_command` attachment: input of a person that has no user line."""
    try:
        command = _command.decode(value.attachment)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    prompt = command.prompt
    words = prompt if isinstance(prompt, list) else [blocks.Block(type="text", text=prompt)] if prompt else []
    if not words:
        return
    text = _text(prompt) or ""
    tasks.in_text(context, text)
    delivered(context, text)
    is_typed = command.mode in (None, "prompt") and not tasks.is_from_client(text)
    author = Author.HUMAN if is_typed else Author.NOTIFICATION
    # Stdout repeats the same input as a user line with its own uuid. The attachment itself is a notice.
    own = command.source_uuid or f"queued:{context.value.uuid}"
    context.id = f"{context.agent}/{own}" if context.agent else own
    # The message comes after the notice: the row that marks a branch is between them.
    context.order = context.part(2)
    if messages.claim(context, len(words), context.id):
        messages.put_user_message(context, context.id, author, words, is_queued=True)


def _enqueue(context: FoldContext, item_id: str, digest: str, text: str | None) -> None:
    waiting = context.stream.waiting
    waiting.append((item_id, digest))
    del waiting[:-_MAX_TRACKED]
    known = context.state.queued.get(item_id)
    if known is not None and context.order >= known.order:
        return
    item = Queued(id=item_id, order=context.order, place=context.place, state="waiting", time=context.time)
    if text and tasks.is_from_client(text):
        item.author = Author.NOTIFICATION
    if known is not None:
        item.state, item.is_in_message = known.state, known.is_in_message
    context.state.queued[item_id] = item
    context.put(item)
    if text:
        block = blocks.Block(type="text", text=text)
        context.changes.append(
            Block(id=item_id + ":0", order=context.part(1), of=item_id, block=block, place=context.place)
        )


def _leaves(context: FoldContext, place: int, state: str) -> None:
    """Removes an entry from the queue. It may still turn out to be part of a message."""
    stream = context.stream
    entry = stream.waiting.pop(place)
    stream.withdrawn.append(entry)
    del stream.withdrawn[:-_MAX_TRACKED]
    item = context.state.queued[entry[0]]
    if item.state == "waiting":
        item.state = state
        context.put(item)


def _typed(text: str) -> str:
    """Returns the text that a person typed for the command in a user line."""
    named = _COMMAND.search(text[:1000]) if text.lstrip().startswith("<command-") else None
    if named is None:
        return text
    given = _ARGUMENTS.search(text)
    return f"{named[1]} {given[1].strip() if given else ''}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.strip().encode("utf-8", "replace"), digest_size=8).hexdigest()


def _text(content: str | list[blocks.Block] | None) -> str | None:
    if isinstance(content, list):
        return "\n".join(block.text for block in content if block.text)
    return content
