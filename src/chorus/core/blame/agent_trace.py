"""Trace records of Agent Trace: one JSON object in one line for each commit.

The published schema asks for a version of two numbers, although the text of the specification calls itself 0.1.0.
"""

import uuid
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from chorus.core.blame.claims import Claim, LinesByEdit
from chorus.core.blame.line_ranges import Range
from chorus.core.blame.origins import Edit

VERSION = "0.1"
SOURCE = "Agent Trace"
FILE = ".agent-trace/traces.jsonl"
_MAX_MODEL = 250


class _Contributor(Struct):
    type: str = "unknown"
    model_id: str | None = None


class TracedRange(Struct):
    """The first and the last line, from 1."""

    start_line: int
    end_line: int
    contributor: _Contributor | None = None


class TracedConversation(Struct):
    """Lines of a file that come from one conversation."""

    ranges: list[TracedRange]
    url: str | None = None
    contributor: _Contributor | None = None


class _File(Struct):
    path: str
    conversations: list[TracedConversation]


class _Vcs(Struct):
    type: str = ""
    revision: str = ""


class _Tool(Struct):
    name: str = ""


class Trace(Struct):
    """A trace record, as far as Chorus reads it."""

    files: list[_File]
    vcs: _Vcs | None = None
    tool: _Tool | None = None


_trace = msgspec.json.Decoder(Trace)


def trace_of(commit: str, lines: LinesByEdit, *, time: str, version: str) -> bytes:
    """Returns the trace record of a commit as one line. The same commit always has the same id."""
    record: dict[str, Any] = {
        "version": VERSION,
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"chorus:{commit}")),
        "timestamp": time,
        "vcs": {"type": "git", "revision": commit},
        "tool": {"name": "chorus", "version": version},
        "files": [
            {"path": path, "conversations": [_conversation(edit, ranges) for edit, ranges in edits.items()]}
            for path, edits in lines.items()
        ],
    }
    return msgspec.json.encode(record) + b"\n"


def read_traces(data: bytes) -> Iterator[Trace]:
    """Yields the trace records of a file; lines that are none are skipped."""
    for line in data.split(b"\n"):
        try:
            yield _trace.decode(line)
        except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
            continue


def claims_of(trace: Trace, path: str, number: int) -> Iterator[Claim]:
    """Yields what a record says about a line of a file, at the commit of the record."""
    for file in trace.files:
        for conversation in file.conversations if file.path == path else ():
            for each in conversation.ranges:
                if each.start_line <= number <= each.end_line:
                    yield claim_of(trace, conversation, each)


def claim_of(trace: Trace, conversation: TracedConversation, lines: TracedRange) -> Claim:
    """Returns what a record says about a range of lines."""
    tool = trace.tool.name[:200] if trace.tool else ""
    who = lines.contributor or conversation.contributor or _Contributor()
    return Claim(SOURCE, who.type[:20], tool, (who.model_id or "")[:200], (conversation.url or "")[:200])


def _conversation(edit: Edit, ranges: list[Range]) -> dict[str, Any]:
    contributor = {"type": "ai"}
    if edit.model:
        name = edit.model if "/" in edit.model else f"anthropic/{edit.model}"
        contributor["model_id"] = name[:_MAX_MODEL]
    return {
        "url": f"urn:uuid:{edit.conversation}" if _is_uuid(edit.conversation) else f"urn:chorus:{_name(edit)}",
        "contributor": contributor,
        "ranges": [{"start_line": first, "end_line": last} for first, last in ranges],
    }


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def _name(edit: Edit) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in edit.conversation)
