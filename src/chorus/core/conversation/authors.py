"""Who wrote a user line: a person, a tool, the client itself, a command, a notification, or a parent agent."""

import re

from chorus.core.conversation.items import Author
from chorus.core.records.model.turns import Origin, User

ATTRIBUTES = r"""(?:\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*)?"""
"""A pattern of what may be between the name of a tag and its end."""
INTERRUPTED = "[Request interrupted by user"
_COMMANDS = (
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
)
_SYNTHETIC = ("<system-reminder>", INTERRUPTED, "This session is being continued from a previous conversation")

_NOTIFICATION = re.compile(r"<task-notification[\s>]")
_EXIT = re.compile(r"<command-name>/(?:exit|quit)</command-name>")
_EXIT_CHARS = 400


def is_exit(text: str) -> bool:
    """Returns whether the text of a user line is the command that ends the client."""
    start = text[:_EXIT_CHARS].lstrip()
    return start.startswith("<command-") and _EXIT.search(start) is not None


def author_of(line: User, text: str, agent: str) -> Author:
    """Returns the author of the text in a user line (not of its tool results)."""
    start = text.lstrip()[:120]
    if _NOTIFICATION.match(start):
        return Author.NOTIFICATION
    if start.startswith(_COMMANDS):
        return Author.COMMAND
    kind = line.origin.kind if isinstance(line.origin, Origin) else line.origin
    if kind == "task-notification" or line.turnOrigin == "task_notification":
        return Author.NOTIFICATION
    if line.isMeta or line.isSynthetic or line.isCompactSummary or start.startswith(_SYNTHETIC):
        return Author.SYNTHETIC
    if kind and kind != "human":
        return Author.NOTIFICATION
    if line.promptSource == "system":
        return Author.SYNTHETIC
    return Author.AGENT if agent else Author.HUMAN
