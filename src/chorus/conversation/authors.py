"""Who wrote a user line: a person, a tool, the client on its own, a command, a notification, or a parent agent."""

from chorus.conversation.items import Author
from chorus.records.model.turns import Origin, User

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


def author_of(line: User, text: str, agent: str) -> Author:
    """The author of the words in a user line (not of its tool results)."""
    start = text.lstrip()[:120]
    if start.startswith("<task-notification>"):
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
