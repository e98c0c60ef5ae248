"""Which message continues which, by the client's `parentUuid` links.

The links form a forest of lines with dead ends: attachments, progress, hooks and parallel tool results are all part of
it. A reader needs the thread of messages: a message continues the nearest message above it, through lines that are not
messages. Two messages that continue the same message are a branch (a rewind, a retry). Parallel calls are not, because
their results are not messages.

If a person goes back before the first prompt, two prompts begin the conversation in the same place. They are a branch
as well, and continue that beginning.
"""

import re

from chorus.core.conversation import rewinds
from chorus.core.conversation.fold_context import FILE, FoldContext
from chorus.core.conversation.items import Author
from chorus.core.records.model.session import LastPrompt

START = "start:"
"""What the first message continues: this prefix, followed by the line to which the beginning is linked, if any."""
_NO_PARENT = re.compile(rb'"parentUuid"\s*:\s*null')


def add_other_line(context: FoldContext) -> None:
    """Registers a line that is not a message: its children continue what it continues."""
    value = context.value
    if value.uuid:
        _anchor(context, value.uuid, value.parentUuid or value.logicalParentUuid)


def add_message_line(context: FoldContext, message: str) -> None:
    """Registers a line of a message: its children continue the message, and the message continues the line's parent."""
    value = context.value
    if not value.uuid:
        return
    rewinds.reached(context, message)
    _set_anchor(context, value.uuid, message)
    parent = value.parentUuid or value.logicalParentUuid
    if parent is None:
        if context.authority == FILE and _NO_PARENT.search(context.record.raw):
            _begins(context, message, START)
        return
    anchor = context.state.anchors.get(parent)
    if anchor is None:
        context.state.orphans.setdefault(parent, []).append((message, True))
    elif anchor.startswith(START):
        _begins(context, message, anchor)
    elif anchor != message and (item := context.state.messages[message].item).parent is None:
        item.parent = anchor


def add_rewind(context: FoldContext, value: LastPrompt) -> None:
    """Folds the client's record of where the conversation ends. If a person chose that, what follows is abandoned."""
    if not value.explicit or context.agent:
        return
    leaf = value.leafUuid
    if leaf:
        rewinds.went_back(context, leaf, context.state.anchors.get(leaf))
        return
    start = min(context.state.starts, default=START)
    if (first := context.state.messages.get(context.state.starts.get(start, ""))) and first.item.parent is None:
        first.item.parent = start
        context.put(first.item)
    context.state.starts.setdefault(start, "")
    rewinds.went_back(context, None, start)


def _begins(context: FoldContext, message: str, start: str) -> None:
    """Registers a message that begins the conversation. It has no parent until a second prompt begins there too."""
    item = context.state.messages[message].item
    if item.author is not Author.HUMAN or item.parent is not None:
        return
    first = context.state.starts.setdefault(start, message)
    if first == message:
        return
    item.parent = start
    context.put(item)
    if (other := context.state.messages.get(first)) and other.item.parent is None:
        other.item.parent = start
        context.put(other.item)


def _anchor(context: FoldContext, uuid: str, parent: str | None) -> None:
    if parent is None:
        _set_anchor(context, uuid, START + uuid)
    elif (anchor := context.state.anchors.get(parent)) is not None:
        _set_anchor(context, uuid, anchor)
    else:
        context.state.orphans.setdefault(parent, []).append((uuid, False))


def _set_anchor(context: FoldContext, uuid: str, anchor: str) -> None:
    """Stores the anchor of `uuid`, and then of everything that waited for it."""
    state = context.state
    if uuid not in state.orphans:
        state.anchors[uuid] = anchor
        rewinds.set_anchor(context, uuid, anchor)
        return
    ready = [(uuid, anchor)]
    while ready:
        uuid, anchor = ready.pop()
        state.anchors[uuid] = anchor
        rewinds.set_anchor(context, uuid, anchor)
        for child, is_message in state.orphans.pop(uuid, ()):
            if not is_message:
                ready.append((child, anchor))
            elif anchor != child and (known := state.messages.get(child)) and not known.item.parent:
                if anchor.startswith(START):
                    _begins(context, child, anchor)
                else:
                    known.item.parent = anchor
                    context.put(known.item)
