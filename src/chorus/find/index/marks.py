"""Turns the values that fields ask for into words, so that `tool:Bash` is a word like any other in the word index."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from chorus.core.conversation import items
from chorus.core.query.tree import VALUES
from chorus.find.index.rows import Entry, Note

ROLES = tuple("role" + role for role in VALUES["role"])
"""Every searchable entry has one of these marks."""
ERROR, SUBAGENT, PROMPT, CONFLICT = "iserror", "issubagent", "isprompt", "isconflict"
APPROVED_BY = "approved-by"
_DECIDED = {"approved": "isapproved", "denied": "isdenied"}
_LETTERS = {"conversation": "c", "tool": "t", "file": "f", "model": "m", "approved-by": "a"}
"""The first letter of the marks of each kind. Two kinds must not share a letter: their values would be mixed up."""
assert len(set(_LETTERS.values())) == len(_LETTERS)
CONVERSATION: Final = "conversation"
"""An internal field, never typed by a person: selects the entries of the one conversation with this name."""


def marks_of(entry: Entry, conversation: str, *, files: Sequence[str] = (), has: Sequence[str] = ()) -> tuple[str, ...]:
    """Returns the marks of an entry; `files` are the paths that a call names, `has` the content kinds of its parts."""
    item = entry.item
    found = {mark(CONVERSATION, conversation)}
    if item.agent:
        found.add(SUBAGENT)
    match item:
        case items.Message():
            found.add("role" + item.role)
            if item.author is items.Author.HUMAN:
                found.add(PROMPT)
            if item.model:
                found.add(mark("model", item.model))
            if item.error:
                found.add(ERROR)
        case items.Call():
            found |= {"roletool", mark("tool", item.name)}
            if item.state is items.CallState.FAILED:
                found.add(ERROR)
            if item.decision in _DECIDED:
                found.add(_DECIDED[item.decision])
        case items.Turn():
            found.add("rolesystem")
            if item.has_failed:
                found.add(ERROR)
        case Note():
            found.add("rolesystem")
            if item.kind in ("api_error", "error") or item.type == "error" or item.level == "error":
                found.add(ERROR)
            if item.tool is not None:
                found |= _decision_marks(item)
            if item.source is not None:
                # A log may contain only the end of a run, without anything that contradicts it. That is no conflict.
                is_conflict = item.against or item.type != "result"
                found = found - {ERROR} | ({CONFLICT} if is_conflict else set())
        case items.Queued():
            found |= {"roleuser", PROMPT} if item.author is items.Author.HUMAN else {"rolesystem"}
        case _:
            found.add("rolesystem")
    if has:
        found.update("has" + kind for kind in has if kind in ("image", "thinking"))
    if files:
        found.update(mark("file", path) for path in files)
    return tuple(sorted(found))


def _decision_marks(note: Note) -> set[str]:
    """Returns the marks of a decision on a permission request; only Chorus writes those
    (`core/records/model/decision.py`).
    """
    outcome = _DECIDED.get(note.kind)
    found = {outcome} if outcome else set[str]()
    if note.tool:
        found.add(mark("tool", note.tool))
    if note.kind == "approved" and note.by:
        found.add(mark(APPROVED_BY, note.by))
    return found


@lru_cache(1 << 14)
def mark(kind: str, value: str) -> str:
    """Returns a word for a value of a kind, whatever characters the value consists of."""
    digest = hashlib.blake2b(value.encode("utf-8", "replace"), digest_size=6).hexdigest()
    return f"{_LETTERS[kind]}{digest}"
