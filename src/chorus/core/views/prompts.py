"""Converts user lines that the client wrote with its own tags: commands, their output, notifications.

Tags are recognised only at the start of the text, so that text which only mentions a tag is left alone.
"""

import re
from collections.abc import Callable

from chorus.core.conversation.authors import ATTRIBUTES
from chorus.core.conversation.items import Author
from chorus.core.views.blocks import Block, Note, Output, Prose, Shell

_OPENING = re.compile(r"\s*<([a-z][a-z-]{1,40})>")
_WITH_ATTRIBUTES = re.compile(rf"\s*<([a-z][a-z-]{{1,40}}){ATTRIBUTES}>")
"""Tags of notifications: their attributes are not shown."""
OpeningAt = Callable[[str, int], re.Match[str] | None]
"""Finds the tag that begins at a place of a text."""
_SILENT = frozenset({"command-message", "local-command-caveat", "command-contents", "output-file", "tool-use-id"})
_OUTPUTS = {"local-command-stdout": False, "local-command-stderr": True, "bash-stdout": False, "bash-stderr": True}
_BULK_CHARS = 300


def prompt(author: Author, text: str) -> list[Block]:
    """Returns the view blocks for the text of a user line."""
    if author is Author.COMMAND:
        return _command(text)
    if author is Author.NOTIFICATION:
        return _notification(text)
    if author is Author.SYNTHETIC:
        return [Note(text=text, is_bulk=len(text) > _BULK_CHARS)] if text.strip() else []
    return [Prose(markdown=text)] if text.strip() else []


def _command(text: str) -> list[Block]:
    tagged, rest = _tagged(text)
    found: list[Block] = []
    words = dict(tagged)
    if name := words.get("command-name"):
        args = words.get("command-args", "").strip()
        called = name.strip() if name.strip().startswith("/") else "/" + name.strip()
        found.append(Prose(markdown=f"{called} {args}".strip()))
    for tag, body in tagged:
        if tag == "bash-input":
            found.append(Shell(command=body.strip()))
        elif tag in _OUTPUTS and body.strip():
            found.append(Output(text=body.strip("\n"), is_error=_OUTPUTS[tag]))
        elif tag not in _SILENT and tag not in _OUTPUTS and not tag.startswith("command-") and body.strip():
            found.append(Note(text=body.strip()))
    if rest.strip():
        found.append(Note(text=rest.strip(), is_bulk=True))
    return found


def _notification(text: str) -> list[Block]:
    tagged, rest = _tagged(text, _WITH_ATTRIBUTES.match)
    if tagged and tagged[0][0] == "task-notification":
        inner, after = _tagged(tagged[0][1], _WITH_ATTRIBUTES.match)
        facts = dict(inner)
        status = facts.get("status", "").strip()
        summary = facts.get("summary", "").strip() or f"task {facts.get('task-id', '').strip()} {status}"
        found: list[Block] = [Note(text=summary.strip(), level="info" if status in ("", "completed") else "warning")]
        if body := facts.get("result", "").strip():
            found.append(Prose(markdown=body))
        left = "\n".join(part for part in (after.strip(), rest.strip()) if part)
        return [*found, Note(text=left, is_bulk=True)] if left else found
    return [Prose(markdown=text)] if text.strip() else []


def _tagged(text: str, opening_at: OpeningAt = _OPENING.match) -> tuple[list[tuple[str, str]], str]:
    """Returns the tags at the start of a text with their bodies, and the text after them."""
    found: list[tuple[str, str]] = []
    at = 0
    while opening := opening_at(text, at):
        closing = f"</{opening.group(1)}>"
        end = text.find(closing, opening.end())
        if end < 0:
            break
        found.append((opening.group(1), text[opening.end() : end]))
        at = end + len(closing)
    return found, text[at:]
