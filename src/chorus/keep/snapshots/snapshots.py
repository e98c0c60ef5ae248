"""Takes snapshots: of the files that a call touches, and of everything that changed in a workspace."""

import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from msgspec import Struct, structs

from chorus.keep.snapshots.commits import Commit, SnapshotFacts, SnapshotKind, encode_commit
from chorus.keep.snapshots.file_reading import FileContent, Skipped, followed, path_in, read_content
from chorus.keep.snapshots.nested_worktrees import worktree_around
from chorus.keep.snapshots.objects import EMPTY_TREE, ObjectWriter
from chorus.keep.snapshots.persons_head import Head, HeadWatch, read_head
from chorus.keep.snapshots.persons_repository import PersonsObjects, find_place, tracked_files
from chorus.keep.snapshots.repository import SnapshotRepository, ref_of
from chorus.keep.snapshots.stat_cache import CacheDamaged, FileChange, StatCache, name_of_look
from chorus.keep.snapshots.trees import TreeEntry, change_tree, changed_files, find_entry, walk_tree

MAX_FIRST_BYTES = 256_000_000
"""How much of the files that no repository tracks is stored at the first look; later changes of the rest are found,
but not what they were before."""
_RECENT = 100
"""How many snapshots are looked at to recognise a call that was seen before."""
_TOGETHER_MS = 600_000
"""Conversations that took a snapshot in this time before the first one of another work at the same time."""
_NO_ENTRY = TreeEntry("", "")
_MANY = 200
"""From this number of files on, one sync of the system is cheaper than one for each file."""
Files = Mapping[bytes, TreeEntry | None]
_FORMAT = b" \t\r\n'\"`,;()"
"""Formatters change blanks, ends of lines, quotes, final commas and brackets around a long line."""
_MAX_SKIPPED = 200
"""How many of the files that are left out a snapshot names; the others are counted."""


class FilesRead(Struct, frozen=True):
    """Files as they were at one moment."""

    contents: dict[bytes, FileContent | None]
    """Path in the workspace → content; None for a file that does not exist."""
    skipped: list[str]
    """Files that were left out, each with the reason."""


class _Look:
    """What is known from the last look at the workspace, or at a worktree of its repository in it."""

    def __init__(self, store: SnapshotRepository, workspace: Path, worktree: bytes) -> None:
        self.worktree = worktree
        self.above = worktree + b"/" if worktree else b""
        self.folder = workspace / os.fsdecode(worktree)
        self.name = name_of_look(worktree)
        self.cache = StatCache(store, workspace, worktree)
        self.heads = HeadWatch(store.git_dir, self.folder, f"{self.name}workspace.head")
        self.looked_ms = int(self.cache.looked_s * 1000)
        """When somebody looked the last time and left nothing for later, as snapshots state it."""

    def written_by_git(self, head: Head, files: Files, looked_s: float) -> dict[bytes, TreeEntry | None]:
        """Returns the files among these that git changed since the last look, with what git made of them."""
        inside = {path.removeprefix(self.above): entry for path, entry in files.items()}
        found = self.heads.written_by_git(head, inside, looked_s)
        return {self.above + path: entry for path, entry in found.items()}


class Snapshots:
    """The snapshots of one workspace."""

    def __init__(self, home: Path, workspace: str, folder: Path) -> None:
        """`folder` is the workspace's folder, which a person named."""
        self.store = SnapshotRepository(home, workspace)
        self.folder = folder
        self._looks: dict[bytes, _Look] = {}
        """Worktree in the workspace → what is known about it; the workspace itself has an empty name."""
        self._theirs = PersonsObjects(None, self.store.git_dir)
        self._looked_ms: dict[str, int] = {}
        """Ref → when its thread looked at the files the last time."""

    def close(self) -> None:
        self.store.reader.close()

    def _look(self, worktree: bytes) -> _Look:
        if worktree not in self._looks:
            self._looks[worktree] = _Look(self.store, self.folder, worktree)
        return self._looks[worktree]

    def take_files(self, paths: Iterable[str], facts: SnapshotFacts, subject: str) -> Commit | None:
        """Stores these files as they are now: `read_files`, then `store_files`."""
        return self.store_files(self.read_files(paths), facts, subject)

    def read_files(self, paths: Iterable[str]) -> FilesRead:
        """Returns these files as they are now. Writes nothing and waits for nothing.

        Paths outside of the workspace, also behind a link, secrets, large and special files are left out, with the
        reason.
        """
        found = FilesRead({}, [])
        for path in paths:
            relative = path_in(self.folder, path)
            if relative is None:
                found.skipped.append(f"{path}: it is outside of the workspace")
                continue
            # A tool that writes to a link, or behind one, changes the file to which it leads.
            target = followed(self.folder, relative) or relative
            for each in dict.fromkeys((target, relative)):
                content = read_content(self.folder, each)
                if not isinstance(content, Skipped):
                    found.contents[each] = content
                elif each == target:
                    found.skipped.append(f"{os.fsdecode(relative)}: {content.reason}")
        return found

    def store_files(self, files: FilesRead, facts: SnapshotFacts, subject: str) -> Commit | None:
        """Stores files that were read. Returns the new snapshot, or None if nothing differs from the last one.

        A snapshot of a call that exists already is not taken again: several feeds may report the same call.
        """
        above = {path.rpartition(b"/")[0] for path in files.contents}
        worktree = worktree_around(self.folder, os.fsdecode(above.pop())) if len(above) == 1 else b""
        facts = _with_head(facts, worktree, read_head(self._look(worktree).folder))
        with self.store.lock():
            if self._has_taken(facts):
                return None
            entries = {
                path: TreeEntry(content.mode, self.store.writer.write("blob", content.data)) if content else None
                for path, content in files.contents.items()
            }
            return self._commit(entries, _with_skipped(facts, files.skipped), subject)

    def earlier_contents(self, facts: SnapshotFacts, path: bytes) -> Iterator[FileContent | None]:
        """Yields what a file was when Chorus stored or saw it last: in this thread, in the main thread, in any."""
        for agent in dict.fromkeys((facts.agent, "")):
            tip = self.store.tip(ref_of(facts.conversation, agent))
            entry = find_entry(self.store.reader, self.store.commit(tip).tree, path) if tip else None
            if entry is not None:
                yield FileContent(entry.mode, self.store.reader.read(entry.id, "blob"))
        cache = self._look(b"").cache
        entry = cache.current([path]).get(path) if cache.exists else None
        with self._their_objects():
            data = self._old_data(entry) if entry is not None else None
        if entry is not None and data is not None:
            yield FileContent(entry.mode, data)

    @contextmanager
    def _their_objects(self) -> Iterator[None]:
        """Opens the repository of the person, for a short time: it may be replaced at any time."""
        self._theirs = PersonsObjects(find_place(self.folder), self.store.git_dir)
        try:
            yield
        finally:
            self._theirs.close()

    def _old_data(self, entry: TreeEntry) -> bytes | None:
        """Returns the content of an entry: from the repository of Chorus, else from that of the person."""
        found = self.store.reader.find(entry.id)
        if found is not None:
            return found[1]
        return self._theirs.blob(entry.id)

    def _has_taken(self, facts: SnapshotFacts) -> bool:
        if not facts.call:
            return False
        recent = islice(self.store.log(self.store.tip(ref_of(facts.conversation, facts.agent))), _RECENT)
        return any(each.facts.call == facts.call and each.facts.kind is facts.kind for each in recent)

    def look_early(self, time_ms: int, *, before_ms: int) -> None:
        """Looks at the workspace for the first time, if nobody has, so that nobody has to wait for it later.

        Files that changed at `before_ms` or later are left for the next look.
        """
        look = self._look(b"")
        if not look.cache.exists:
            with self.store.lock():
                if not look.cache.exists:
                    facts = SnapshotFacts(kind=SnapshotKind.BEFORE, conversation="", time_ms=time_ms)
                    self._look_first(look, facts, before_ms)

    def take_changes(
        self,
        facts: SnapshotFacts,
        subject: str,
        *,
        before_ms: int | None = None,
        began_ms: int | None = None,
        doubt_ms: int | None = None,
        since_ms: int | None = None,
        worktree: bytes = b"",
    ) -> Commit | None:
        """Stores every file that changed since the last look at the workspace, and returns the new snapshot.

        Returns None if nothing changed. The first look stores only what is needed to recognise later changes. With
        `before_ms`, files that changed at this time or later are left for the next look: a command may have begun to
        work before its files were looked at. With `began_ms`, a first look that should have come then takes what
        changed since for changes; where nobody knows what a file was before, it is nobody's. With `doubt_ms`, another
        agent of the conversation may have changed what changed at this time or later, and the snapshot says so. With
        `since_ms`, what changed before is nobody's, unless only a formatter ran. With `worktree`, only the files of
        this worktree in the workspace are looked at.
        """
        look = self._look(worktree)
        cache = look.cache
        if worktree and not look.folder.is_dir():
            # The client removes a worktree in which nothing was changed.
            return None
        with self.store.lock(), self._their_objects():
            head = read_head(look.folder)
            facts = _with_head(facts, worktree, head)
            looked_s = cache.looked_s
            try:
                found = cache.changes() if cache.exists else None
            except CacheDamaged:
                found = None
            is_late = found is None
            if found is None:
                if cache.exists:
                    began_ms = int(looked_s * 1000)
                bounds = [each for each in (before_ms, began_ms) if each is not None]
                self._look_first(look, facts, min(bounds, default=None))
                look.looked_ms = self._looked_ms[ref_of(facts.conversation, facts.agent)] = facts.time_ms
                if began_ms is None or facts.kind is SnapshotKind.BEFORE:
                    return None
                found = cache.changes()
            changes, skipped = found
            left: set[bytes] = set()
            if before_ms is not None:
                left = {each.path for each in changes if cache.has_changed_since(each, before_ms)}
                changes = [each for each in changes if each.path not in left]
            writer = self._writer(len(changes))
            known: dict[bytes, TreeEntry | None] = {}
            entries: dict[bytes, TreeEntry | None] = {}
            for change in changes:
                stored = None if change.is_gone else self._stored(change.path, writer)
                if before_ms is not None and cache.has_changed_since(change, before_ms):
                    # It changed while it was read.
                    left.add(change.path)
                elif isinstance(stored, Skipped):
                    skipped.append(f"{os.fsdecode(change.path)}: {stored.reason}")
                else:
                    entries[change.path] = stored
            changes = [each for each in changes if each.path not in left]
            self._add_old_content(changes, known, skipped)
            writer.settle()
            others = self._others(facts)
            made = [files.items() for files in others.values()]
            unknown = {each.path for each in changes if is_late and each.old is None}
            theirs = {
                path: entry
                for path, entry in entries.items()
                if path in unknown or any((path, entry) in each for each in made)
            }
            mine = {path: entry for path, entry in entries.items() if path not in theirs}
            self._catch_up(look, known, theirs, facts, {*entries, *left})
            if facts.kind is not SnapshotKind.BEFORE:
                switched = look.written_by_git(head, mine, looked_s)
                self._commit_switch(switched, facts, look.heads.last or Head())
                mine = {path: entry for path, entry in mine.items() if switched.get(path, _NO_ENTRY) != entry}
            if since_ms is not None:
                found_so = [
                    each for each in changes if each.path in mine and not cache.has_changed_since(each, since_ms)
                ]
                foreign = {
                    each.path: mine[each.path] for each in found_so if not self._is_reformatted(each, mine, facts)
                }
                self._commit(foreign, _as_before(facts), "Changed meanwhile, and not by a call")
                mine = {path: entry for path, entry in mine.items() if path not in foreign}
            is_doubtful = doubt_ms is not None and any(cache.has_changed_since(each, doubt_ms) for each in changes)
            unsure = {*facts.others, *others, *((facts.conversation,) if is_doubtful else ())}
            facts = structs.replace(facts, others=tuple(sorted(unsure)))
            taken = self._commit(mine, _with_skipped(facts, skipped), subject)
            # Last: if this process ends before, the same changes are found again.
            cache.put(entries.items())
            self._looked_ms[ref_of(facts.conversation, facts.agent)] = facts.time_ms
            if not left:
                look.heads.put(head)
                look.looked_ms = facts.time_ms
            return taken

    def _is_reformatted(self, change: FileChange, files: Files, facts: SnapshotFacts) -> bool:
        """Whether a file differs from the thread's own version only in what formatters change."""
        tip, new = self.store.tip(ref_of(facts.conversation, facts.agent)), files[change.path]
        old = find_entry(self.store.reader, self.store.commit(tip).tree, change.path) if tip else None
        if old is None or new is None or old.mode != new.mode:
            return False
        return _signs(self.store.reader.read(old.id, "blob")) == _signs(self.store.reader.read(new.id, "blob"))

    def _others(self, facts: SnapshotFacts) -> dict[str, dict[bytes, TreeEntry]]:
        """Returns the conversations that took a snapshot since this one did, each with the files that it has.

        A change that one of them stored already is theirs. Any other change may be theirs as well.
        """
        own = ref_of(facts.conversation, facts.agent)
        tips = self.store.refs()
        since_ms = self.store.commit(tips[own]).facts.time_ms if own in tips else facts.time_ms - _TOGETHER_MS
        since_ms = max(since_ms, self._looked_ms.get(own, 0))
        found: dict[str, dict[bytes, TreeEntry]] = {}
        for ref, tip in tips.items():
            commit = self.store.commit(tip)
            if ref != own and commit.facts.time_ms > since_ms:
                found.setdefault(commit.facts.conversation, {}).update(walk_tree(self.store.reader, commit.tree))
        return found

    def _look_first(self, look: _Look, facts: SnapshotFacts, before_ms: int | None) -> None:
        """Remembers the state of the workspace: the tracked files without their content, the others with it."""
        head = read_head(look.folder)
        place = find_place(look.folder)
        tracked = tracked_files(place, self.store.git_dir, look.folder) if place is not None else ()
        with look.cache.begun_again((look.above + path, entry) for path, entry in tracked) as cache:
            writer = self._writer(_MANY)
            entries: dict[bytes, TreeEntry | None] = {}
            left_bytes = MAX_FIRST_BYTES
            for change in cache.changes()[0]:
                if before_ms is not None and cache.has_changed_since(change, before_ms):
                    continue
                content = None if change.is_gone else read_content(self.folder, change.path)
                if before_ms is not None and cache.has_changed_since(change, before_ms):
                    continue
                if content is None:
                    entries[change.path] = None
                elif isinstance(content, FileContent) and len(content.data) <= left_bytes:
                    left_bytes -= len(content.data)
                    entries[change.path] = TreeEntry(content.mode, writer.write("blob", content.data))
            # Without a ref, packing would delete the content.
            tree = change_tree(self.store.reader, writer, EMPTY_TREE, entries)
            if tree != EMPTY_TREE:
                commit = writer.write("commit", encode_commit(tree, (), "The first look", _as_before(facts)))
                writer.settle()
                self.store.remember(commit, look.name)
            cache.put(entries.items())
        look.heads.put(head)

    def _stored(self, path: bytes, writer: ObjectWriter) -> TreeEntry | Skipped | None:
        content = read_content(self.folder, path)
        if content is None or isinstance(content, Skipped):
            return content
        return TreeEntry(content.mode, writer.write("blob", content.data))

    def _has_stored(self, entry: TreeEntry) -> bool:
        """Stores the content of an entry, if it is not there and the person's repository has it."""
        if self.store.reader.find(entry.id) is not None:
            return True
        data = self._old_data(entry)
        if data is not None:
            self.store.writer.write("blob", data)
        return data is not None

    def _add_old_content(
        self, changes: Iterable[FileChange], known: dict[bytes, TreeEntry | None], skipped: list[str]
    ) -> None:
        """Finds what changed files were before: in the repository of Chorus, else in that of the person."""
        for change in changes:
            if change.old is None:
                continue
            if self._has_stored(change.old):
                known[change.path] = change.old
            else:
                skipped.append(f"{os.fsdecode(change.path)}: what it was before is not known")

    def _catch_up(
        self,
        look: _Look,
        known: Files,
        theirs: Files,
        facts: SnapshotFacts,
        changed: AbstractSet[bytes],
    ) -> None:
        """Brings the thread up to what was known before these changes, as a snapshot of its own.

        Other threads and persons may have changed files that this thread has; that was not done by its agent. `known`
        is what changed files were at the last look, and `theirs` what other threads have made of them. What this thread
        has stored since that look is newer than what is known from it. Files that are there and that a look does not
        find, because they are ignored or in a worktree, are left alone.
        """
        tip = self.store.tip(ref_of(facts.conversation, facts.agent))
        tree = self.store.commit(tip).tree if tip else EMPTY_TREE
        mine = dict(walk_tree(self.store.reader, tree))
        others = [path for path in mine if path not in changed and path.startswith(look.above)]
        current = look.cache.current(others)
        late = {path: current.get(path) for path in others if current.get(path) != mine[path]}
        late = {path: entry for path, entry in late.items() if entry is not None or not self._is_there(path)}
        late = {path: entry for path, entry in late.items() if entry is None or self.store.reader.find(entry.id)}
        own = self._stored_since(tip, look.looked_ms) if any(path in mine for path in known) else ()
        early = {path: entry for path, entry in known.items() if path not in own}
        self._commit({**late, **early, **theirs}, _as_before(facts), "Before the next change")

    def _stored_since(self, tip: str | None, time_ms: int) -> set[bytes]:
        """Returns the files that a thread has stored at this time or later."""
        found: set[bytes] = set()
        for commit in self.store.log(tip):
            if commit.facts.time_ms < time_ms:
                break
            before = self.store.commit(commit.parents[0]).tree if commit.parents else EMPTY_TREE
            found.update(path for path, _, _ in changed_files(self.store.reader, before, commit.tree))
        return found

    def _is_there(self, path: bytes) -> bool:
        return os.path.lexists(os.fsencode(self.folder) + b"/" + path)

    def _commit_switch(self, switched: Files, facts: SnapshotFacts, last: Head) -> None:
        """Stores the files that git wrote when another commit was checked out, as a snapshot that nobody claims."""
        # A file that somebody changed after git wrote it: the difference is what they did.
        entries = {path: entry for path, entry in switched.items() if entry is None or self._has_stored(entry)}
        subject = f"Switch from {last.name or 'nothing'} to {facts.branch or facts.head[:10]}"
        self._commit(entries, structs.replace(_as_before(facts), kind=SnapshotKind.SWITCH), subject)

    def _commit(self, entries: Mapping[bytes, TreeEntry | None], facts: SnapshotFacts, subject: str) -> Commit | None:
        ref = ref_of(facts.conversation, facts.agent)
        tip = self.store.tip(ref)
        old = self.store.commit(tip).tree if tip else EMPTY_TREE
        writer = self._writer(len(entries))
        tree = change_tree(self.store.reader, writer, old, entries)
        if tree == old:
            return None
        data = encode_commit(tree, [tip] if tip else [], subject, facts)
        name = writer.write("commit", data)
        writer.settle()
        self.store.reader.remember(name, "commit", data)
        self.store.move(ref, name)
        return self.store.commit(name)

    def _writer(self, count: int) -> ObjectWriter:
        return ObjectWriter(self.store.git_dir, is_lazy=True) if count >= _MANY else self.store.writer


def snapshots_of(store: SnapshotRepository, conversation: str | None) -> Iterator[Commit]:
    """Yields all snapshots of a conversation and its sub-agents, or of all conversations, the newest first."""
    yield from newest_first(store.log(tip) for tip in store.refs(conversation).values())


def newest_first(threads: Iterable[Iterable[Commit]]) -> list[Commit]:
    """Returns the snapshots of threads in one line. Each thread stays in its order, also if the clock was set back."""
    found: list[tuple[int, Commit]] = []
    for thread in threads:
        latest_ms: int | None = None
        for commit in thread:
            time_ms = commit.facts.time_ms
            latest_ms = time_ms if latest_ms is None else min(latest_ms, time_ms)
            found.append((latest_ms, commit))
    return [commit for _, commit in sorted(found, key=lambda pair: pair[0], reverse=True)]


def _signs(data: bytes) -> bytes:
    """Returns a text without what formatters add and remove."""
    return data.translate(None, _FORMAT)


def _with_head(facts: SnapshotFacts, worktree: bytes, head: Head) -> SnapshotFacts:
    return structs.replace(facts, worktree=os.fsdecode(worktree), head=head.commit, branch=head.branch)


def _with_skipped(facts: SnapshotFacts, skipped: Iterable[str]) -> SnapshotFacts:
    every = tuple(skipped)
    more = len(every) - _MAX_SKIPPED
    return structs.replace(facts, skipped=(*every[:_MAX_SKIPPED], f"{more:,} more files") if more > 0 else every)


def _as_before(facts: SnapshotFacts) -> SnapshotFacts:
    return structs.replace(facts, kind=SnapshotKind.BEFORE, skipped=(), rebuilt=(), others=())
