"""Branches of the main thread: a person went back, or a message was tried again."""

from msgspec import Struct

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Message


class Branch(Struct, frozen=True):
    """A message with several continuations."""

    at: str
    """The id of the message that all of them continue."""
    heads: tuple[str, ...]
    """The first message of each continuation, oldest first. The last one is the thread that continues."""


def branches(conversation: Conversation) -> list[Branch]:
    """Returns every branch, in order."""
    return [
        Branch(parent, tuple(child.id for child in children))
        for parent, children in _children(conversation).items()
        if len(children) > 1
    ]


def active_thread(conversation: Conversation) -> list[Message]:
    """Returns the messages from the first one to the newest, without abandoned branches."""
    abandoned: set[str] = set()
    children = _children(conversation)
    leave = [child.id for branch in children.values() if len(branch) > 1 for child in branch[:-1]]
    while leave:
        left = leave.pop()
        if left not in abandoned:
            abandoned.add(left)
            leave.extend(child.id for child in children.get(left, ()))
    return [message for message in conversation.messages if message.id not in abandoned]


def _children(conversation: Conversation) -> dict[str, list[Message]]:
    found: dict[str, list[Message]] = {}
    for message in conversation.messages:
        if message.parent:
            found.setdefault(message.parent, []).append(message)
    return found
