"""Notes of git-ai (`refs/notes/ai`, authorship/3.0.0): written, read and merged.

A note has lines with paths, below each of them lines with a key and ranges of lines, a line `---`, and a JSON object
that says what the keys mean: `s_…` is in `sessions`, `h_…` in `humans`, any other key in `prompts`.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from chorus.core.blame.claims import Claim, LinesByEdit
from chorus.core.blame.line_ranges import Range, contains, ranges_of, read_ranges, write_ranges
from chorus.core.blame.origins import Edit

SCHEMA = "authorship/3.0.0"
SOURCE = "git-ai"
_DIVIDER = "---"
_FAMILY = "authorship/3."


class Attestation(Struct, frozen=True):
    """Lines of a file under one key."""

    key: str
    ranges: list[Range]


class AuthorshipNote(Struct):
    """A note, with everything that it says, also what Chorus does not know."""

    files: dict[str, list[Attestation]] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)


def note_of(commit: str, lines: LinesByEdit, person: str) -> tuple[AuthorshipNote, list[str]]:
    """Returns the note of a commit, and the paths that the format cannot name."""
    note = AuthorshipNote(metadata={"schema_version": SCHEMA, "base_commit_sha": commit, "prompts": {}, "sessions": {}})
    left_out: list[str] = []
    for path, edits in lines.items():
        if not _can_be_named(path):
            left_out.append(path)
            continue
        numbers: dict[str, list[Range]] = {}
        for edit, ranges in edits.items():
            numbers.setdefault(key_of(edit), []).extend(ranges)
            agent = {"tool": "claude", "id": edit.conversation, "model": edit.model or "unknown"}
            note.metadata["sessions"][session_key(edit.conversation)] = {"agent_id": agent, "human_author": person}
        note.files[path] = [Attestation(key, ranges_of(_numbers(ranges))) for key, ranges in numbers.items()]
    return note, left_out


def session_key(conversation: str) -> str:
    return "s_" + hashlib.sha256(f"claude:{conversation}".encode("utf-8", "replace")).hexdigest()[:14]


def key_of(edit: Edit) -> str:
    """Returns the key of the turn of an edit."""
    turn = f"{edit.conversation}:{edit.agent}:{edit.turn or edit.call}"
    return f"{session_key(edit.conversation)}::t_{hashlib.sha256(turn.encode('utf-8', 'replace')).hexdigest()[:14]}"


def write_note(note: AuthorshipNote) -> str:
    """Returns the text of a note."""
    lines: list[str] = []
    for path, attestations in note.files.items():
        lines.append(f'"{path}"' if any(char.isspace() for char in path) else path)
        lines += [f"  {each.key} {write_ranges(each.ranges)}" for each in attestations]
    metadata = msgspec.json.format(msgspec.json.encode(note.metadata), indent=2).decode()
    return "\n".join([*lines, _DIVIDER, metadata]) + "\n"


def read_note(text: str) -> AuthorshipNote:
    """Returns what a note says. Raises `ValueError` if it is no note of a version that is known."""
    head, divider, tail = ("\n" + text).partition(f"\n{_DIVIDER}\n")
    if not divider:
        raise ValueError("it has no divider")
    try:
        metadata = msgspec.json.decode(tail)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise ValueError("its metadata is no JSON") from error
    version = metadata.get("schema_version") if isinstance(metadata, dict) else None
    if not isinstance(version, str) or not version.startswith(_FAMILY):
        raise ValueError("its version is not known")
    note = AuthorshipNote(metadata=metadata)
    current: list[Attestation] | None = None
    for line in head.split("\n"):
        if not line.strip():
            continue
        if not line.startswith("  "):
            current = note.files.setdefault(_unquoted(line), [])
            continue
        key, _, ranges = line.strip().partition(" ")
        if current is None or not ranges:
            raise ValueError(f"a line has no path above it: {line[:40]!r}")
        current.append(Attestation(key, read_ranges(ranges.strip())))
    return note


def merged(known: AuthorshipNote, ours: AuthorshipNote) -> AuthorshipNote:
    """Returns the known note with our lines added. What it says stays: a line that it has a key for keeps that key."""
    result = AuthorshipNote(
        files={path: list(each) for path, each in known.files.items()}, metadata=dict(known.metadata)
    )
    used: set[str] = set()
    for path, attestations in ours.files.items():
        taken = [each for other in known.files.get(path, ()) for each in other.ranges]
        for each in attestations:
            free = ranges_of(number for number in _numbers(each.ranges) if not contains(taken, number))
            if free:
                result.files.setdefault(path, []).append(Attestation(each.key, free))
                used.add(each.key.partition("::")[0])
    sessions = result.metadata.get("sessions")
    sessions = dict(sessions) if isinstance(sessions, dict) else {}
    for key in sorted(used):
        sessions.setdefault(key, ours.metadata["sessions"][key])
    if used:
        result.metadata["sessions"] = sessions
    return result


def claims_of(note: AuthorshipNote, path: str, number: int) -> Iterator[Claim]:
    """Yields what a note says about a line of a file."""
    for each in note.files.get(path, ()):
        if contains(each.ranges, number):
            yield claim_of(note, each.key)


def claim_of(note: AuthorshipNote, key: str) -> Claim:
    """Returns what a key of a note stands for."""
    if key.startswith("h_"):
        return Claim(SOURCE, "human", person=_text(_facts(note, "humans", key), "author"))
    facts = _facts(note, "sessions" if key.startswith("s_") else "prompts", key.partition("::")[0])
    agent = facts.get("agent_id")
    agent = agent if isinstance(agent, dict) else {}
    person = _text(facts, "human_author")
    return Claim(SOURCE, "ai", _text(agent, "tool"), _text(agent, "model"), _text(agent, "id"), person)


def _facts(note: AuthorshipNote, group: str, key: str) -> dict[str, Any]:
    known = note.metadata.get(group)
    found = known.get(key) if isinstance(known, dict) else None
    return found if isinstance(found, dict) else {}


def _text(facts: dict[str, Any], name: str) -> str:
    value = facts.get(name)
    return value[:200] if isinstance(value, str) else ""


def _numbers(ranges: Sequence[Range]) -> Iterator[int]:
    for first, last in ranges:
        yield from range(first, last + 1)


def _can_be_named(path: str) -> bool:
    return path.isprintable() and '"' not in path and path != _DIVIDER


def _unquoted(line: str) -> str:
    return line[1:-1] if len(line) > 1 and line[0] == line[-1] == '"' else line
