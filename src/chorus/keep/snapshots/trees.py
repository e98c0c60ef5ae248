"""Trees of git: parsed, encoded, and changed file by file without reading more than the folders on the way."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from chorus.keep.snapshots.objects import EMPTY_TREE, ObjectReader, ObjectWriter

Mode = Literal["100644", "100755", "120000", "40000"]
FOLDER: Mode = "40000"


class TreeEntry(Struct, frozen=True):
    """A file, a link or a folder in a tree."""

    mode: str
    id: str

    @property
    def is_folder(self) -> bool:
        return self.mode == FOLDER


Folder = dict[bytes, TreeEntry]


def parse_tree(data: bytes) -> Folder:
    """Returns the entries of a tree object by name."""
    entries: Folder = {}
    at = 0
    while at < len(data):
        blank = data.index(b" ", at)
        end = data.index(b"\0", blank)
        entries[data[blank + 1 : end]] = TreeEntry(data[at:blank].decode(), data[end + 1 : end + 21].hex())
        at = end + 21
    return entries


def encode_tree(entries: Folder) -> bytes:
    """Returns the tree object with these entries, sorted as git sorts them."""
    ordered = sorted(entries.items(), key=lambda pair: pair[0] + b"/" if pair[1].is_folder else pair[0])
    return b"".join(b"%s %s\0" % (e.mode.encode(), name) + bytes.fromhex(e.id) for name, e in ordered)


def read_folder(reader: ObjectReader, tree: str) -> Mapping[bytes, TreeEntry]:
    return {} if tree == EMPTY_TREE else _parsed(reader.read(tree, "tree"))


@lru_cache(64)
def _parsed(data: bytes) -> Mapping[bytes, TreeEntry]:
    """Parses the trees that are read again and again, above all that of the workspace itself, only once."""
    return parse_tree(data)


def find_entry(reader: ObjectReader, tree: str, path: bytes) -> TreeEntry | None:
    """Returns the entry of a path in a tree, or None."""
    found: TreeEntry | None = TreeEntry(FOLDER, tree)
    for name in path.split(b"/"):
        if found is None or not found.is_folder:
            return None
        found = read_folder(reader, found.id).get(name)
    return found


def change_tree(
    reader: ObjectReader, writer: ObjectWriter, tree: str, changes: Mapping[bytes, TreeEntry | None]
) -> str:
    """Returns the id of a tree with these files replaced, or removed where the entry is None.

    A file that takes the name of a folder replaces the folder, and the other way round. A folder without files is gone.
    """
    known_entries = read_folder(reader, tree)
    entries = dict(known_entries)
    below: dict[bytes, dict[bytes, TreeEntry | None]] = {}
    for path, entry in changes.items():
        name, _, rest = path.partition(b"/")
        if rest:
            below.setdefault(name, {})[rest] = entry
        elif entry is not None:
            entries[name] = entry
        elif name in entries and not entries[name].is_folder:
            del entries[name]
    for name, inner in below.items():
        known = entries.get(name)
        is_folder = known is not None and known.is_folder
        changed = change_tree(reader, writer, known.id if known and is_folder else EMPTY_TREE, inner)
        if changed != EMPTY_TREE:
            entries[name] = TreeEntry(FOLDER, changed)
        elif is_folder:
            del entries[name]
    if entries == known_entries:
        return tree
    return writer.write("tree", encode_tree(entries)) if entries else EMPTY_TREE


def walk_tree(reader: ObjectReader, tree: str, above: bytes = b"") -> Iterator[tuple[bytes, TreeEntry]]:
    """Yields every file and link of a tree with its path."""
    for name, entry in read_folder(reader, tree).items():
        path = above + name
        if entry.is_folder:
            yield from walk_tree(reader, entry.id, path + b"/")
        else:
            yield path, entry


def changed_files(
    reader: ObjectReader, old: str, new: str, above: bytes = b""
) -> Iterator[tuple[bytes, TreeEntry | None, TreeEntry | None]]:
    """Yields the files that differ between two trees, with both entries, in order of their paths."""
    if old == new:
        return
    before, after = read_folder(reader, old), read_folder(reader, new)
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        path = above + name
        was_folder = was.id if was is not None and was.is_folder else EMPTY_TREE
        now_folder = now.id if now is not None and now.is_folder else EMPTY_TREE
        was_file = None if was is None or was.is_folder else was
        now_file = None if now is None or now.is_folder else now
        if was_file is not None or now_file is not None:
            yield path, was_file, now_file
        yield from changed_files(reader, was_folder, now_folder, path + b"/")
