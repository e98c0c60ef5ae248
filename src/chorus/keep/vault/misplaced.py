"""Moves away what stands in the place of a file or folder of the vault and is something else: a link, a pipe, a folder.

Such a thing is never followed or opened. In its place it would stop every pass, so it gets another name, and what it
hides is repaired like a file that is gone.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from chorus.keep.vault import format_version, safe_files, sealing

_FOLDERS = {"conversations": 3, "blobs": 1}
"""The folders of streams and blobs, and how many levels of folders are below them."""
_REBUILT = (format_version.NAME, "state/inventory.jsonl", "state/sources.jsonl", "state/decisions.json")
"""The files about a vault that Chorus can write again. What people decided stays where it is, and is reported."""


def set_aside_misplaced(root: Path, listed: Iterable[str]) -> list[str]:
    """Rename what is misplaced, and return a line of text for each. `listed` are the files that the vault should have.

    The caller holds the lock of the vault. What cannot be renamed stays.
    """
    messages: list[str] = []
    for place, reason in list(_found(root, listed)):
        aside = sealing.unused_aside(Path(place))
        try:
            Path(place).rename(aside)
            safe_files.sync_folder(aside.parent)
        except OSError:
            continue
        messages.append(f"{os.path.relpath(place, root)}: {reason}; set aside as {aside.name}")
    return messages


def _found(root: Path, listed: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the path of what is misplaced, and what it is."""
    for name in _REBUILT:
        if reason := safe_files.special(root / name):
            yield f"{root}/{name}", reason
    for name in sorted({above for file in listed for above in _folders_of(file)}):
        folder = root / name
        if folder.is_file() and not folder.is_symlink():
            yield f"{root}/{name}", "is not a folder"
    for name, levels in _FOLDERS.items():
        folder = root / name
        if folder.is_dir() and not folder.is_symlink():
            yield from _misplaced_below(f"{root}/{name}", levels)
        elif reason := safe_files.special(folder):
            yield f"{root}/{name}", reason


def _folders_of(file: str) -> Iterator[str]:
    while file := file.rpartition("/")[0]:
        yield file


def _misplaced_below(folder: str, levels: int) -> Iterator[tuple[str, str]]:
    """Yield what is misplaced in a folder; `levels` is how many levels of folders may be below it."""
    try:
        with os.scandir(folder) as entries:
            there = list(entries)
    except OSError:
        return
    for each in there:
        if each.is_file(follow_symlinks=False) or sealing.is_aside(each.name):
            continue
        if levels and each.is_dir(follow_symlinks=False) and sealing.stream_name(each.name) is None:
            yield from _misplaced_below(each.path, levels - 1)
        elif reason := safe_files.special(each.path):
            yield each.path, reason
