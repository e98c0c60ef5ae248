"""News of the board → notifications: grouped, and with no more content than the person chose. Pure."""

import hashlib
from collections.abc import Callable
from typing import get_args

from msgspec import Struct

from chorus.core.board.news import BoardEvent, BoardNews
from chorus.core.notifications.rules import Content

MAX_AT_ONCE = 3
"""If more conversations have news at the same time, one notification speaks of all of them."""
MAX_CHARS = 1_000
"""Push services take about 4 KB."""
_EVENTS: tuple[BoardEvent, ...] = get_args(BoardEvent)
"""The most urgent one first."""
_ONE: dict[BoardEvent, str] = {
    "needs-you": "An agent waits for you",
    "failed": "An agent failed",
    "limit": "A limit is nearly or completely used",
    "alert": "An agent may be stuck",
    "done": "An agent has finished",
}
_SEVERAL: dict[BoardEvent, str] = {
    "needs-you": "{} wait for you",
    "failed": "{} failed",
    "limit": "{} reached a limit",
    "alert": "{} may be stuck",
    "done": "{} finished",
}
_OF_ALL = "chorus"

CommandOf = Callable[[str], str | None]
"""Returns what a pending request would do, in one text without hidden characters; None if it is not known."""


class Notification(Struct, frozen=True, kw_only=True):
    """What a device shows."""

    event: BoardEvent
    title: str
    body: str
    """Text of agents is in it only if the person chose so. It is shown as text and has no authority. Whoever delivers
    it first replaces the secrets in it, and then shortens it."""
    tag: str
    """A later notification with the same tag replaces this one. It names nothing: it is a digest."""
    conversation: str | None
    """The name of the conversation that it leads to; None if it speaks of several."""


def notifications_of(news: list[BoardNews], content: Content, command_of: CommandOf) -> list[Notification]:
    """Returns one notification for each conversation, by its most urgent news, or a single one for many.

    The bodies are complete: secrets in them are not replaced yet.
    """
    by_name: dict[str, list[BoardNews]] = {}
    for each in news:
        by_name.setdefault(each.tile.name, []).append(each)
    groups = [sorted(group, key=lambda one: _EVENTS.index(one.event)) for group in by_name.values()]
    if len(groups) > MAX_AT_ONCE:
        return [_summary([group[0].event for group in groups])]
    return [_single(group, content, command_of) for group in groups]


def tag_of(name: str) -> str:
    """Returns the tag of a conversation: 32 characters, as many as a push service takes as a topic."""
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]


def _single(group: list[BoardNews], content: Content, command_of: CommandOf) -> Notification:
    first = group[0]
    body = ""
    if content != "none":
        body = f"{_line(first.tile.workspace_name)}: {_line(first.tile.title) or 'Untitled'}"
    if content == "command":
        asked = command_of(first.request) if first.request else None
        body = f"{body}\n{asked or _line(first.text)}"
    return Notification(
        event=first.event,
        title=_ONE[first.event],
        body=body,
        tag=tag_of(first.tile.name),
        conversation=first.tile.name,
    )


def _summary(events: list[BoardEvent]) -> Notification:
    parts = [_SEVERAL[event].format(events.count(event)) for event in _EVENTS if event in events]
    return Notification(
        event=min(events, key=_EVENTS.index),
        title=f"{len(events)} agents: {', '.join(parts)}",
        body="",
        tag=_OF_ALL,
        conversation=None,
    )


def _line(text: str) -> str:
    """Returns text on one line, without control characters and characters that are not drawn."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())


def shortened(text: str) -> str:
    """Returns the beginning of a body, as much as a push service takes."""
    return text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS - 20]} … (shortened)"
