"""The snapshots of conversations, as *files over time* takes them: exact contents before and after each change."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from chorus.base import config
from chorus.core.file_versions.stored_files import StoredEdit, StoredEdits
from chorus.core.records.times import wire_time
from chorus.errors import ChorusError, GitFailed
from chorus.keep.snapshots.commits import SnapshotKind
from chorus.keep.snapshots.edits import FileEdit, files_of, reason_of
from chorus.keep.snapshots.repository import SnapshotRepository, refs_of
from chorus.keep.snapshots.snapshots import newest_first
from chorus.keep.snapshots.trees import TreeEntry

_BY_AGENT = (SnapshotKind.AFTER, SnapshotKind.TURN)
_SHOWN = (*_BY_AGENT, SnapshotKind.UNDO, SnapshotKind.SWITCH)
_LINK = "120000"


@contextmanager
def stored_edits(root: Path) -> Iterator[StoredEdits]:
    """Yields the function that returns what the snapshots of a conversation say. `root` is the vault's folder.

    Contents are read when they are asked for, until the end of the block. Without git, there are none.
    """
    with ExitStack() as stack:
        stores: list[tuple[SnapshotRepository, str, dict[str, str]]] = []
        for store, folder in _stores(root):
            stack.callback(store.reader.close)
            with suppress(GitFailed):
                stores.append((store, folder, store.refs()))

        def read(conversation: str) -> Iterator[StoredEdit]:
            for store, folder, refs in stores:
                tips = [tip for ref, tip in refs.items() if ref.startswith(refs_of(conversation))]
                with suppress(GitFailed):
                    yield from _edits(store, folder, tips)

        yield read


def mark_of(root: Path) -> tuple[str, ...]:
    """Returns a value that changes when snapshots are taken or removed."""
    found: list[str] = []
    for store, _ in _stores(root):
        with suppress(GitFailed):
            found += (f"{ref} {tip}" for ref, tip in store.refs().items())
    return tuple(found)


def _stores(root: Path) -> Iterator[tuple[SnapshotRepository, str]]:
    """Yields the repositories of the workspaces that a person named, with their folders."""
    home = config.home_of(root)
    with suppress(ChorusError):
        for each in config.load(home).workspaces:
            if each.is_named and (store := SnapshotRepository(home, each.id)).exists:
                yield store, each.path


def _edits(store: SnapshotRepository, folder: str, tips: Sequence[str]) -> Iterator[StoredEdit]:
    for commit in reversed(newest_first(store.log(tip) for tip in tips)):
        if commit.facts.kind in _SHOWN:
            yield from (_stored(store, folder, each) for each in files_of(store, commit) if _counts(each))


def _counts(edit: FileEdit) -> bool:
    """Returns whether both sides are files as they were on disk; a link has no content of its own."""
    return not reason_of(edit) and _LINK not in (edit.old and edit.old.mode, edit.new and edit.new.mode)


def _stored(store: SnapshotRepository, folder: str, edit: FileEdit) -> StoredEdit:
    facts = edit.commit.facts
    return StoredEdit(
        path=f"{folder}/{edit.path.decode('utf-8', 'backslashreplace')}",
        conversation=facts.conversation,
        agent=facts.agent,
        call=facts.call,
        tool=facts.tool,
        time=wire_time(datetime.fromtimestamp(facts.time_ms / 1000, UTC)),
        is_by_agent=facts.kind in _BY_AGENT,
        before=_reading(store, edit.old),
        after=_reading(store, edit.new),
    )


def _reading(store: SnapshotRepository, entry: TreeEntry | None) -> Callable[[], bytes | None]:
    return partial(_content, store, entry)


def _content(store: SnapshotRepository, entry: TreeEntry | None) -> bytes | None:
    try:
        return None if entry is None else store.reader.read(entry.id, "blob")
    except GitFailed as error:
        raise LookupError(entry) from error
