"""Tests that the trees and objects that Chorus writes are those that git writes."""

import subprocess
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from chorus.keep.snapshots.objects import EMPTY_TREE
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.trees import TreeEntry, change_tree, changed_files, find_entry, walk_tree

NAMES = st.sampled_from([b"a", b"b", b"a.b", b"a-b", b"a0", "ä".encode(), b"-x", b"two words"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(b"/".join)
CONTENTS = st.sampled_from([b"", b"one\n", b"two\r\n", bytes(range(256))])
MODES = st.sampled_from(["100644", "100755", "120000"])


def only_files(files: dict[bytes, tuple[str, bytes]]) -> dict[bytes, tuple[str, bytes]]:
    """Leaves out files whose name another file uses as a folder."""
    return {path: value for path, value in files.items() if not any(other.startswith(path + b"/") for other in files)}


@given(st.dictionaries(PATHS, st.tuples(MODES, CONTENTS), max_size=8), st.lists(PATHS, max_size=4))
@settings(max_examples=25, deadline=None)
def test_a_tree_that_was_changed_in_steps_is_the_tree_that_git_makes(files, removed):
    """Files that are added and removed in any steps give the tree object that git writes for the remaining files."""
    files = only_files(files)
    with tempfile.TemporaryDirectory() as place:
        store = SnapshotRepository(Path(place), "w-1")
        store.create()
        tree = EMPTY_TREE
        entries = {}
        for path, (mode, data) in files.items():
            entries[path] = TreeEntry(mode, store.writer.write("blob", data))
            tree = change_tree(store.reader, store.writer, tree, {path: entries[path]})
        kept = {path: entry for path, entry in entries.items() if path not in removed}
        after = change_tree(store.reader, store.writer, tree, dict.fromkeys(removed))
        listed = b"".join(b"%s %s\t%s\0" % (e.mode.encode(), e.id.encode(), path) for path, e in kept.items())
        index = store.git_dir / "test.index"
        git = ["git", "--git-dir", str(store.git_dir)]
        environment = {"GIT_INDEX_FILE": str(index), "PATH": "/usr/bin:/bin:/usr/local/bin"}
        subprocess.run([*git, "update-index", "-z", "--index-info"], input=listed, env=environment, check=True)
        wanted = subprocess.run([*git, "write-tree"], env=environment, check=True, capture_output=True).stdout

        assert after == wanted.decode().strip()
        assert dict(walk_tree(store.reader, after)) == kept
        assert {path for path, _, _ in changed_files(store.reader, tree, after)} == entries.keys() - kept.keys()
        for path in files:
            assert find_entry(store.reader, after, path) == kept.get(path)
        store.reader.close()


def test_a_file_takes_the_place_of_a_folder_and_the_other_way_round(workspace):
    """A file with the name of a folder replaces all files in the folder, and a folder replaces the file."""
    workspace.write("thing/inner.txt", "in")
    workspace.edit("thing/inner.txt", "inside")
    for place in (workspace.folder / "thing").iterdir():
        place.unlink()
    (workspace.folder / "thing").rmdir()
    taken = workspace.edit("thing", "a file now", call="toolu_2")

    assert dict(walk_tree(workspace.store.reader, taken.tree)).keys() == {b"thing"}
