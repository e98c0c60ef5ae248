"""Tests that the values of fields mean what docs/guide/queries.md says, and that both back ends find the same."""

import re
from pathlib import Path

import pytest

from chorus.core.query.tree import Field, Query
from chorus.find.index.memory import MemoryIndex
from chorus.find.index.patterns import is_match
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.testing.builders import Session, tool_use
from chorus.testing.indexes import writings_of

GUIDE = Path(__file__).parents[3] / "docs/guide/queries.md"
MEANT = {
    "main.py": {"/w/src/main.py", "/w/src/app/main.py", "C:\\w\\src\\main.py", "main.py"},
    "src/main.py": {"/w/src/main.py", "C:\\w\\src\\main.py"},
    "src\\main.py": {"/w/src/main.py", "C:\\w\\src\\main.py"},
    "SRC/Main.py": {"/w/src/main.py", "C:\\w\\src\\main.py"},
    "./src/main.py": {"/w/src/main.py", "C:\\w\\src\\main.py"},
    "src/*.py": {"/w/src/main.py", "C:\\w\\src\\main.py", "/w/src/ÄPFEL.py"},
    "src/**/*.py": {
        "/w/src/main.py",
        "/w/src/app/main.py",
        "/w/src/app/deep/x.py",
        "C:\\w\\src\\main.py",
        "/w/src/ÄPFEL.py",
    },
    "src/**": {
        "/w/src/main.py",
        "/w/src/app/main.py",
        "/w/src/app/deep/x.py",
        "C:\\w\\src\\main.py",
        "/w/src/ÄPFEL.py",
    },
    "src/app/": {"/w/src/app/main.py", "/w/src/app/deep/x.py"},
    "/w/*/main.py": {"/w/src/main.py"},
    "/src/main.py": set(),
    "C:/w/src/main.py": {"C:\\w\\src\\main.py"},
    "C:/**/*.py": {"C:\\w\\src\\main.py"},
    "~/.claude/settings.json": {"/home/me/.claude/settings.json", "C:\\Users\\me\\.claude\\settings.json"},
    ".claude/*": {"/home/me/.claude/settings.json", "C:\\Users\\me\\.claude\\settings.json"},
    "pages/[id].tsx": {"/w/pages/[id].tsx"},
    "äpfel.py": {"/w/src/ÄPFEL.py"},
    "mai?.py": {"/w/src/main.py", "/w/src/app/main.py", "C:\\w\\src\\main.py", "main.py"},
    "100%_done!.md": {"/w/100%_done!.md"},
    "*": None,
    "nothing.py": set(),
}
PATHS = sorted(set().union(*(each for each in MEANT.values() if each)))


@pytest.mark.parametrize("pattern", MEANT)
def test_files_are_named_by_the_end_of_their_path(pattern):
    """A slash and a backslash are the same, `*` stays in its folder, and `**` matches any folders."""
    expected = set(PATHS) if MEANT[pattern] is None else MEANT[pattern]

    assert {path for path in PATHS if is_match(pattern, path, kind="file")} == expected


def test_both_back_ends_find_the_files_that_are_meant(tmp_path):
    """Both back ends find the files that the pattern means, whatever the index narrows by."""
    talk = Session()
    for n, path in enumerate(PATHS):
        talk.assistant(tool_use("Read", {"file_path": path}, id=f"t{n}"))
        talk.tool_result(f"t{n}", "ok")
    indexes = [SqliteIndex.build(tmp_path), MemoryIndex()]
    for index in indexes:
        index.write(writings_of(talk))
        for pattern, meant in MEANT.items():
            hits = index.search(Query(Field("file", pattern)), limit=100).hits
            found = {entry.id for entry in index.entries(hit.number for hit in hits).values()}
            assert found == {f"call:t{PATHS.index(path)}" for path in (PATHS if meant is None else meant)}, pattern


def test_the_guide_tells_what_is_so():
    """In the guide's table of files, each pattern finds the paths that its row lists, and not the other path."""
    table = GUIDE.read_text().partition("## Files")[2].partition("\n## ")[0]
    rows = [re.findall(r"`([^`]+)`", row) for row in table.splitlines() if row.startswith("| `file:")]

    assert len(rows) >= 6
    for pattern, *paths in rows:
        *found, other = paths
        value = pattern.removeprefix("file:")
        assert [path for path in paths if is_match(value, path, kind="file")] == found, (pattern, other)
