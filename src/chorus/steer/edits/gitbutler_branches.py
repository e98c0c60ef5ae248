"""Commits files to a branch of GitButler 0.20 or newer, whose answers are spelled differently in each version."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from chorus.base.but import But
from chorus.errors import GitFailed
from chorus.keep.snapshots.persons_repository import find_repository

_PATIENCE_S = 60.0
_CHANGES = ("uncommittedChanges", "unassignedChanges", "assignedChanges", "changes")
"""The lists of changes, by the names of different versions."""
_IDS = ("cliId", "cli_id", "id")
_PATHS = ("filePath", "file_path", "path")
_COMMITS = ("commitId", "commit_id", "commit")
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._/@-]{0,99}")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]+")
_MAX_IDS = 5_000
_MAX_DEPTH = 8
_MAX_MESSAGE = 200


def commit_files(but: But, folder: Path, branch: str, message: str, paths: Sequence[str]) -> tuple[int, bytes]:
    """Commits what is uncommitted in these files, given relative to the workspace, to a branch, which may be new.

    Returns an exit code, and what `but` printed about an error, or the id of the commit, which is empty if there was
    nothing to commit. Raises `GitFailed` if `but` cannot run to its end, or if its answer cannot be read.
    """
    repository = find_repository(folder)
    top = repository.work_tree if repository is not None and repository.work_tree is not None else folder
    wanted = {os.path.relpath(folder / path, top) for path in paths}
    ids: list[str] = []
    for command in ("status", "diff"):
        answer = but.call(folder, command, "--json", patience_s=_PATIENCE_S)
        if answer.code:
            return answer.code, answer.error or answer.output
        ids = list(dict.fromkeys(name for path, name in _changes(_decode(command, answer.output)) if path in wanted))
        if ids:
            break
    if not ids:
        return 0, b""
    text = _UNSAFE.sub(" ", message).strip().lstrip("-").strip()[:_MAX_MESSAGE] or "Changes of an agent"
    answer = but.call(folder, "commit", "--json", "-b", branch, "-m", text, *ids[:_MAX_IDS], patience_s=_PATIENCE_S)
    if answer.code:
        return answer.code, answer.error or answer.output
    made = _decode("commit", answer.output)
    found = next((made[name] for name in _COMMITS if isinstance(made.get(name), str)), "")
    return 0, str(found).encode()


def _decode(command: str, output: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(output)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise GitFailed(f"`but {command} --json` printed no JSON that can be read") from error
    return found if isinstance(found, dict) else {"changes": found}


def _changes(document: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yields path and id of each uncommitted change, wherever the answer has them; commits are left out."""
    if depth > _MAX_DEPTH or not isinstance(document, dict):
        return
    for name in _CHANGES:
        for each in _list(document.get(name)):
            path, change = _first(each, _PATHS), _first(each, _IDS)
            if path and change and _SAFE_ID.fullmatch(change):
                yield path, change
    for stack in _list(document.get("stacks")):
        yield from _changes(stack, depth + 1)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _first(value: Any, names: Sequence[str]) -> str:
    if not isinstance(value, dict):
        return ""
    return next((value[name] for name in names if isinstance(value.get(name), str)), "")
