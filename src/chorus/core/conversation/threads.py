"""Which message continues which, along the client's `parentUuid` links.

The links form a forest of lines with dead ends: attachments, progress, hooks and parallel tool results all hang in it.
What matters to a reader is the thread of messages: a message continues the nearest message above it, reached through
lines that are none. Two messages that continue the same one are a branch (a rewind, a retry); parallel calls are not,
because their results carry no message of their own.

Where a person goes back before the first prompt, nothing is continued: two prompts begin the conversation, in the same
place. They are a branch as well; what they continue is that beginning.
"""

import re

from chorus.core.conversation import rewinds
from chorus.core.conversation.fold_context import FILE, FoldContext
from chorus.core.conversation.items import Author
from chorus.core.records.model.session import LastPrompt

START = "start:"
"""What a message continues that begins the conversation, with the line that the beginning hangs on, if there is one."""
_NO_PARENT = re.compile(rb'"parentUuid"\s*:\s*null')


def passes(context: FoldContext) -> None:
    """A line that is no message: its children continue what it continues."""
    value = context.value
    if value.uuid:
        _anchor(context, value.uuid, value.parentUuid or value.logicalParentUuid)


def continues(context: FoldContext, message: str) -> None:
    """A line of a message: its children continue that message, and the message continues what the line hangs on."""
    value = context.value
    if not value.uuid:
        return
    rewinds.reached(context, message)
    _settle(context, value.uuid, message)
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


def goes_back(context: FoldContext, value: LastPrompt) -> None:
    """The client's note of where the conversation ends; where a person chose that, what follows it was left."""
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
    """A message begins the conversation: the first prompt to do so has no parent until another one begins there too."""
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
        _settle(context, uuid, START + uuid)
    elif (anchor := context.state.anchors.get(parent)) is not None:
        _settle(context, uuid, anchor)
    else:
        context.state.orphans.setdefault(parent, []).append((uuid, False))


def _settle(context: FoldContext, uuid: str, anchor: str) -> None:
    """`uuid` is anchored; so is, step by step, everything that waited for it."""
    state = context.state
    if uuid not in state.orphans:
        state.anchors[uuid] = anchor
        rewinds.settled(context, uuid, anchor)
        return
    ready = [(uuid, anchor)]
    while ready:
        uuid, anchor = ready.pop()
        state.anchors[uuid] = anchor
        rewinds.settled(context, uuid, anchor)
        for child, is_message in state.orphans.pop(uuid, ()):
            if not is_message:
                ready.append((child, anchor))
            elif anchor != child and (known := state.messages.get(child)) and not known.item.parent:
                if anchor.startswith(START):
                    _begins(context, child, anchor)
                else:
                    known.item.parent = anchor
                    context.put(known.item)
