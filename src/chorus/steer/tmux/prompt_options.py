"""Reads which key of a permission prompt means yes and which means no, from the screen of the client. Pure.

The screen decides nothing: the request comes from the client's own record. Where the screen does not show exactly one
plain prompt about that call, there is no key.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

_OPTION = re.compile(r"^\s{0,4}(?:[❯>]\s{1,2})?([1-9])\.\s+(\S.*)$")
_FIRST = re.compile(r"^\s{0,4}[❯>]\s{1,2}1\.\s+\S")
_QUESTION = re.compile(r"^\s*Do you want to .{1,200}\?\s*$")
_LINE = "─" * 10
_BAR = "│"
_FOOT = re.compile(r"^\s*Esc to cancel\b")
_YES = "Yes"
_NO = re.compile(r"No(?:, and tell Claude what to do differently(?: \(esc\))?)?")
_MAX_FOOT_ROWS = 6
_SHOWN_CHARS = 60


class Keys(Struct, frozen=True):
    """The keys of a prompt."""

    allow: str
    deny: str
    labels: tuple[str, ...]
    """All labels in order: if one of them changes, it is another prompt."""


def keys_of(rows: Sequence[str], tool: str, given: str) -> Keys | None:
    """Returns the keys of the prompt at the end of the screen; None if there is none, or if it is about another call.

    `given` is the JSON text of the call's input.
    """
    shown = [row.rstrip().replace("\u00a0", " ") for row in rows]
    while shown and not shown[-1]:
        shown.pop()
    question = _last(shown, _QUESTION)
    if question is None or sum(1 for row in shown if _FIRST.match(row)) != 1:
        return None
    labels = _labels(shown[question + 1 :])
    if labels is None:
        return None
    top = next((at for at in range(question, -1, -1) if _is_line(shown[at])), None)
    if top is None or not _is_about(shown[top + 1 : question + 1], tool, given):
        return None
    yes = [n for n, label in enumerate(labels, 1) if label == _YES]
    no = [n for n, label in enumerate(labels, 1) if _NO.fullmatch(label)]
    if yes != [1] or no != [len(labels)]:
        # The client asks in this order: another one is not its own.
        return None
    return Keys(str(yes[0]), str(no[0]), tuple(labels))


def _labels(rows: Sequence[str]) -> list[str] | None:
    """Returns the labels of options 1, 2, 3, …; rows that go on without a number belong to the option above."""
    labels: list[str] = []
    foot = 0
    for row in rows:
        found = _OPTION.match(row)
        if found is not None and not foot:
            if int(found[1]) != len(labels) + 1:
                return None
            labels.append(found[2].strip())
        elif _FOOT.match(row) or foot or not row.strip():
            if row.lstrip().startswith("❯"):
                # An input below the prompt: it is not open any more.
                return None
            foot += bool(row.strip())
        elif labels and row.startswith("     "):
            labels[-1] += " " + row.strip()
        else:
            return None
    return labels if len(labels) >= 2 and foot <= _MAX_FOOT_ROWS else None


def _is_about(rows: Sequence[str], tool: str, given: str) -> bool:
    """Returns whether the prompt shows what the call is about: its whole command, its file, or its address."""
    try:
        fields = msgspec.json.decode(given)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    if not tool or not isinstance(fields, dict):
        return False
    # Several rows of a command have a bar in front of them.
    shown = ["".join(row.split()).removeprefix(_BAR) for row in rows]
    command = fields.get("command")
    if isinstance(command, str) and command.strip():
        return _fills_rows(shown, "".join(command.split()))
    wanted = _shown_of(fields)
    return wanted is not None and wanted in "".join(shown)


def _fills_rows(shown: Sequence[str], wanted: str) -> bool:
    """Returns whether a text is some of the rows, from the beginning of one to the end of one: `a` is not `b; a`."""
    return any(_begins_with(shown[at:], wanted) for at in range(len(shown)))


def _begins_with(shown: Sequence[str], wanted: str) -> bool:
    at = 0
    for row in shown:
        if not wanted.startswith(row, at):
            return False
        at += len(row)
        if at == len(wanted):
            return True
    return False


def _shown_of(fields: dict[str, Any]) -> str | None:
    """Returns the beginning of what a prompt shows of an input, without blanks; None if that is not known."""
    for name in ("url", "query", "pattern"):
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return "".join(value.split())[:_SHOWN_CHARS]
    for name in ("file_path", "notebook_path", "path"):
        value = fields.get(name)
        if isinstance(value, str) and value.strip("/"):
            return "".join(value.rstrip("/").rpartition("/")[2].split())
    return None


def _is_line(row: str) -> bool:
    """Returns whether a row is the line above a prompt."""
    return _LINE in row and not row.strip(" ─")


def _last(rows: Sequence[str], pattern: re.Pattern[str]) -> int | None:
    return next((at for at in range(len(rows) - 1, -1, -1) if pattern.match(rows[at])), None)
