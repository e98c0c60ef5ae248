"""How many lines each snapshot added to its files and removed from them."""

from collections.abc import Iterable

from msgspec import Struct

from chorus.keep.snapshots.repository import SnapshotRepository

_BEGIN = b"\x01"
"""Marks a commit in the output: between NUL bytes, no count begins with it."""


class LineCount(Struct, frozen=True):
    """The lines that one snapshot added to a file and removed from it; None if the file is no text."""

    added: int | None
    removed: int | None


def line_counts(store: SnapshotRepository, tips: Iterable[str]) -> dict[tuple[str, bytes], LineCount]:
    """Returns the counts of all files of all snapshots of these refs: (commit, path) → count."""
    found: dict[tuple[str, bytes], LineCount] = {}
    for tip in tips:
        output = store.repository.run(
            "log", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--no-notes",
            "--no-show-signature", "--format=%x01%H", tip, "--",
        )  # fmt: skip
        commit = ""
        for piece in output.split(b"\0"):
            # Git writes a line end between a commit and its first count.
            part = piece.removeprefix(b"\n")
            if part.startswith(_BEGIN):
                commit = part[1:].decode("ascii", "replace")
                continue
            added, tab, rest = part.partition(b"\t")
            removed, second, path = rest.partition(b"\t")
            if tab and second:
                found[commit, path] = LineCount(_number(added), _number(removed))
    return found


def _number(text: bytes) -> int | None:
    return int(text) if text.isdigit() else None
