"""Rewrites the lines of a session for another folder: only what the client itself follows, and nothing that was said.

What the client needs was measured by resuming moved sessions (docs/formats/pack.md). Everything else stays byte for
byte: prompts, answers, inputs of tools, their output. The client tells the model by itself that its folder changed.

The client reads a session more generously than line by line (measured with 2.1.325): a record may go on in the next
line, a byte order mark may come first, and whatever follows a record in its line is ignored. So only lines that are
one JSON value are written: then the client reads what was judged here, and nothing else.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from chorus.keep.packs import json_strings
from chorus.keep.packs.json_strings import ITEM, encoded, replace_strings
from chorus.keep.packs.moves import Move, is_absolute, is_inside
from chorus.keep.sources.layout import is_file_name

MAX_LINE_BYTES = 256 << 20
WORKING_FOLDER, OUTPUT, PLAN, MEMORY = "working folder", "path of a long output", "path of a plan", "path of the memory"
BACKUP, WORKTREE = "file backup", "worktree"
_OUTPUT_MARK = "<persisted-output>"
_PATHS: dict[json_strings.Path, str] = {
    ("cwd",): WORKING_FOLDER,
    ("relocatedCwd",): WORKING_FOLDER,
    ("toolUseResult", "persistedOutputPath"): OUTPUT,
    ("attachment", "planFilePath"): PLAN,
}
"""Fields of a record that are a path which the client follows."""
_TEXTS: dict[json_strings.Path, str] = {
    ("message", "content", ITEM, "content"): OUTPUT,
    ("message", "content", ITEM, "content", ITEM, "text"): OUTPUT,
    ("attachment", "systemPrompt", ITEM): MEMORY,
}
"""Texts of the client, not of a tool, in which the model finds a path of the client's folder."""
_REWRITTEN = frozenset({*_PATHS, *_TEXTS})
_SNAPSHOT, _DELTA, _WORKTREE_STATE = "file-history-snapshot", "file-history-delta", "worktree-state"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPACE = " \t\r\n"
_FOLLOWED = frozenset({_SNAPSHOT, _DELTA, _WORKTREE_STATE})
"""Records that make the client write, delete or enter something. Those that lead out of the project are left out."""


class _Head(Struct):
    type: str | None = None
    session: str | None = msgspec.field(default=None, name="sessionId")
    session_id: str | None = None


class Rewriter:
    """Rewrites the lines of one pack; counts what it changed, and what it left out."""

    def __init__(self, move: Move, *, allows_other_sessions: bool) -> None:
        self.rewritten: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        """Places outside of the project that the session would have led to."""
        self.unread: Counter[str] = Counter()
        """File → the number of its lines in which something was left out because it is no record."""
        self._move = move
        self._allows_other_sessions = allows_other_sessions
        folders = [each for each in (move.old_project, move.old_client) if each is not None]
        spellings = {json.dumps(each, ensure_ascii=is_ascii)[1:-1] for each in folders for is_ascii in (True, False)}
        # The last two: the same path can be written with escapes.
        self._signs = [each.encode("utf-8", "surrogatepass") for each in spellings] + [b"\\/", b"\\u"]
        self._head = msgspec.json.Decoder(_Head)

    def lines(self, name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the rewritten lines of a session or a sub-agent. Raises ValueError for a line that is not accepted."""
        for number, line in enumerate(_lines(pieces), 1):
            try:
                record = _one_value(line if number > 1 else line.removeprefix(_BYTE_ORDER_MARK))
                self.unread[name] += record != line
                yield self.line(record)
            except RecursionError as error:
                raise ValueError(f"line {number:,} is nested too deeply") from error
            except ValueError as error:
                raise ValueError(f"line {number:,} {error}") from error

    def sidecar(self, name: str, data: bytes) -> bytes:
        """Return the sidecar of a sub-agent without a worktree outside of the project, in which it would be resumed."""
        found = _loads(data)
        if not isinstance(found, dict):
            self.unread[name] += bool(data)
            return b""
        changed = self._without_outside(found)
        return data if changed == found else encoded(changed).encode()

    def line(self, line: bytes) -> bytes:
        """Return one line of one JSON value, rewritten; empty if it is left out."""
        head = self._head_of(line)
        if head is None:
            return line
        for session in (head.session, head.session_id):
            if session is not None and session != self._move.session and not self._allows_other_sessions:
                raise ValueError(
                    f"belongs to another session ({session[:80]!r}); --other-sessions accepts a file with several"
                )
        if head.type in _FOLLOWED:
            return self._followed(line)
        if not any(sign in line for sign in self._signs):
            return line
        text = line.decode("utf-8", "surrogateescape")
        return replace_strings(text, _REWRITTEN, self._changed).encode("utf-8", "surrogateescape")

    def _head_of(self, line: bytes) -> _Head | None:
        """Return what a line says about itself; None if it is no object, so that it has no effect."""
        try:
            return self._head.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            found = _loads(line)
        if not isinstance(found, dict):
            return None
        texts = (found.get(name) for name in ("type", "sessionId", "session_id"))
        return _Head(*(text if isinstance(text, str) else None for text in texts))

    def _changed(self, path: json_strings.Path, value: str) -> str | None:
        if rule := _PATHS.get(path):
            new = self._move.path(value)
        elif (rule := _TEXTS.get(path)) and (rule is not OUTPUT or value.startswith(_OUTPUT_MARK)):
            new = self._move.text(value)
        else:
            return None
        if new is None or new == value:
            return None
        self.rewritten[rule] += 1
        return new

    def _followed(self, line: bytes) -> bytes:
        record = _loads(line)
        if not isinstance(record, dict):
            return line
        match record.get("type"):
            case "file-history-snapshot":
                changed = self._snapshot(record)
            case "file-history-delta":
                changed = self._delta(record)
            case _:
                changed = self._worktree_state(record)
        if changed is None:
            return b""
        return line if changed == record else encoded(changed).encode() + b"\n"

    def _snapshot(self, record: dict[str, Any]) -> dict[str, Any] | None:
        snapshot = record.get("snapshot")
        if not isinstance(snapshot, dict):
            return record
        tracked = snapshot.get("trackedFileBackups")
        if not isinstance(tracked, dict):
            return record if tracked is None else None
        moved = [self._backup(path, backup) for path, backup in tracked.items()]
        return {**record, "snapshot": {**snapshot, "trackedFileBackups": dict(each for each in moved if each)}}

    def _delta(self, record: dict[str, Any]) -> dict[str, Any] | None:
        moved = self._backup(record.get("trackingPath"), record.get("backup"))
        return {**record, "trackingPath": moved[0], "backup": moved[1]} if moved else None

    def _backup(self, path: object, backup: object) -> tuple[str, dict[str, Any]] | None:
        """Return a tracked file at its new place; None if the client would write outside of the project."""
        new = self._tracked(path)
        if new is None or not isinstance(backup, dict):
            self.dropped[f"{BACKUP} {path}"] += 1
            return None
        moved = dict(backup)
        name, parent = moved.get("backupFileName"), moved.get("realParentDir")
        new_parent = self._move.project_path(parent) if isinstance(parent, str) else None
        is_safe_name = name is None or (isinstance(name, str) and is_file_name(name) and "\\" not in name)
        if not is_safe_name or (parent is not None and new_parent is None):
            self.dropped[f"{BACKUP} {path}"] += 1
            return None
        if new_parent is not None:
            moved["realParentDir"] = new_parent
        if moved != backup or new != path:
            self.rewritten[BACKUP] += 1
        return new, moved

    def _tracked(self, path: object) -> str | None:
        if not isinstance(path, str):
            return None
        return self._move.project_path(path) if is_absolute(path) else path if is_inside(path) else None

    def _worktree_state(self, record: dict[str, Any]) -> dict[str, Any] | None:
        worktree = record.get("worktreeSession")
        if worktree is None:
            return record
        if not isinstance(worktree, dict) or not isinstance(worktree.get("worktreePath"), str):
            return None
        changed = self._without_outside(worktree, ("worktreePath", "originalCwd", "extensionRoot"))
        return {**record, "worktreeSession": changed} if "worktreePath" in changed else None

    def _without_outside(self, found: dict[str, Any], names: Iterable[str] = ("worktreePath", "cwd")) -> dict[str, Any]:
        changed = dict(found)
        for name in names:
            if changed.get(name) is None:
                continue
            value = changed.pop(name)
            new = self._move.project_path(value) if isinstance(value, str) else None
            if new is None:
                self.dropped[f"{WORKTREE} {value}"] += 1
            else:
                changed[name] = new
                self.rewritten[WORKTREE] += new != value
        return changed


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines in pieces of any size, each with its newline. Raises ValueError if one is too long."""
    started: list[bytes] = []
    size_bytes = 0
    for piece in pieces:
        begin = 0
        while (end := piece.find(b"\n", begin) + 1) > 0:
            yield b"".join([*started, piece[begin:end]])
            started, size_bytes, begin = [], 0, end
        if begin < len(piece):
            started.append(piece[begin:])
            size_bytes += len(started[-1])
            if size_bytes > MAX_LINE_BYTES:
                raise ValueError(f"a line has more than {MAX_LINE_BYTES >> 20:,} MiB")
    if started:
        yield b"".join(started)


def _one_value(line: bytes) -> bytes:
    """Return a line without what follows its first JSON value; empty if it does not begin with a record."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass
    else:
        return line
    text = line.decode("utf-8", "surrogateescape")
    begin = len(text) - len(text.lstrip(_SPACE))
    if begin == len(text):
        return line
    try:
        value, end = _DECODER.raw_decode(text, begin)
    except ValueError:
        return b""
    if not text[end:].strip(_SPACE):
        return line
    return text[:end].encode("utf-8", "surrogateescape") + b"\n" if isinstance(value, dict) else b""


def _loads(data: bytes) -> object:
    """Return the value as the client reads it, which replaces invalid bytes; None if it is no JSON."""
    try:
        return json.loads(data.decode("utf-8", "replace"), parse_int=_number)
    except ValueError:
        return None


def _number(digits: str) -> float:
    # The client has no integers beyond 64 bits, and Python refuses to read very long ones.
    return int(digits) if len(digits) < 20 else float(digits)


_DECODER = json.JSONDecoder(parse_int=_number)
