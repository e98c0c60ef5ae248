"""Which message continues which, along the client's `parentUuid` links.

The links form a forest of lines with dead ends: attachments, progress, hooks and parallel tool results all hang in it.
What matters to a reader is the thread of messages: a message continues the nearest message above it, reached through
lines that are none. Two messages that continue the same one are a branch (a rewind, a retry); parallel calls are not,
because their results carry no message of their own.
"""

from chorus.conversation.line import Line

ROOT = ""


def passes(line: Line) -> None:
    """A line that is no message: its children continue what it continues."""
    value = line.value
    if value.uuid:
        _anchor(line, value.uuid, value.parentUuid or value.logicalParentUuid)


def continues(line: Line, message: str) -> None:
    """A line of a message: its children continue that message, and the message continues what the line hangs on."""
    value = line.value
    if not value.uuid:
        return
    _settle(line, value.uuid, message)
    parent = value.parentUuid or value.logicalParentUuid
    if parent is None:
        return
    anchor = line.state.anchors.get(parent)
    if anchor is None:
        line.state.orphans.setdefault(parent, []).append((message, True))
    elif anchor and anchor != message and (item := line.state.messages[message].item).parent is None:
        item.parent = anchor


def _anchor(line: Line, uuid: str, parent: str | None) -> None:
    if parent is None:
        _settle(line, uuid, ROOT)
    elif (anchor := line.state.anchors.get(parent)) is not None:
        _settle(line, uuid, anchor)
    else:
        line.state.orphans.setdefault(parent, []).append((uuid, False))


def _settle(line: Line, uuid: str, anchor: str) -> None:
    """`uuid` is anchored; so is, step by step, everything that waited for it."""
    state = line.state
    if uuid not in state.orphans:
        state.anchors[uuid] = anchor
        return
    ready = [(uuid, anchor)]
    while ready:
        uuid, anchor = ready.pop()
        state.anchors[uuid] = anchor
        for child, is_message in state.orphans.pop(uuid, ()):
            if not is_message:
                ready.append((child, anchor))
            elif anchor and anchor != child and (known := state.messages.get(child)) and not known.item.parent:
                known.item.parent = anchor
                line.put(known.item)
