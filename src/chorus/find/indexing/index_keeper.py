"""Keeps the index up to date with the vault: reads what is new, and rebuilds what cannot be trusted."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from msgspec import structs

from chorus.core.query.tree import Query
from chorus.errors import IndexDamaged
from chorus.find.index.rows import Position, Writing
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.opening import FOLDER as FOLDER
from chorus.find.index.sqlite.searching import CostOf
from chorus.find.indexing.open_conversation import Heard, OpenConversation, can_continue
from chorus.find.indexing.workers import WORKERS, WORTH_BYTES, Workers
from chorus.keep.archive.listing import MANIFEST_STREAM, Kept, conversations, named
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.spill_file import SpillFile

_STALE = "stale"
"""A file with this name requests a rebuild of the index."""
_MAX_HELD = 250_000
"""The number of values of active conversations in memory, over all conversations."""
_MAX_READY = 100
"""The number of conversations that are opened before they continue."""
_BATCH_CHARS = 8 << 20
_BATCH_WRITINGS = 64
_LAST_JOBS = 4 * WORKERS
_WORTH_BEGINNING_BYTES = 4 << 20
"""Less than this is not given to workers while more is recorded: it may stay so little."""
Advance = Callable[[int], None]


def make_stale(vault: FileVault) -> None:
    """Requests that the next writer rebuilds the index, so that nothing of forgotten data remains in it."""
    folder = vault.root / FOLDER
    if folder.is_dir():
        (folder / _STALE).touch(mode=0o600)


def is_stale(vault: FileVault) -> bool:
    """Whether a rebuild was requested; costs one `stat`."""
    return (vault.root / FOLDER / _STALE).exists()


class IndexKeeper:
    """The writer of a vault's index. Only one may exist at a time: hold `lock.sole_writer` while it is used."""

    def __init__(self, vault: FileVault, *, saved_since: str, cost_of: CostOf | None = None) -> None:
        """`saved_since`: conversations with activity after this time are expected to continue."""
        self._vault = vault
        self._folder = vault.root / FOLDER
        self._saved_since = saved_since
        self._cost_of = cost_of
        self._open: OrderedDict[str, OpenConversation] = OrderedDict()
        """Conversations that are ready to continue; the one with the latest activity comes last."""
        self._held_values = 0
        self._aside = SpillFile(self._folder)
        """Where the parts of their state that were not used lately are stored."""
        self._workers: Workers | None = None
        self._held: set[str] = set()
        """Conversations that were reported and are not started yet."""
        self._postponed: set[str] = set()
        """Conversations that are ready, and too few for a worker."""
        self._begun: set[str] = set()
        """Conversations that workers are projecting."""
        self._is_building = False
        self.give_way: Callable[[], None] = lambda: None
        """Called between two conversations that grew: it may wait for a moment."""
        self.heard: Heard | None = None
        """Called with every record that this process reads; records may come again."""
        try:
            self.index = SqliteIndex(self._folder, cost_of=cost_of, is_writer=True)
            self._known = self.index.positions()
        except IndexDamaged:
            self._build()

    def rebuild(self, advance: Advance | None = None) -> None:
        """Rebuilds the index from the vault."""
        self.index.close()
        self._build()
        self.catch_up(advance=advance)

    def owed_bytes(self) -> int:
        """Returns the size of the conversations whose indexed state is out of date, including those in work."""
        return sum(each.size_bytes for each in conversations(self._vault) if not self._is_current(each))

    def catch_up(self, *, advance: Advance | None = None) -> int:
        """Indexes everything that is new in the vault; returns the number of conversations that changed.

        `advance` is called with the number of bytes of each conversation that was indexed.
        """
        if (self._folder / _STALE).exists() and not self._is_building:
            self.index.close()
            self._build()
        kept = list(conversations(self._vault))
        if self._workers is not None:
            # Workers start with the rest before this process waits for them.
            self._hand_out(each for each in kept if each.name not in self._begun and each.name not in self._known)
            self._take_all(advance)
        gone = self._known.keys() - {each.name for each in kept}
        moved = {name: positions for each in kept if (positions := self._packed(each)) for name in (each.name,)}
        if moved:
            self.index.move(moved)
            self._known |= moved
        changed = [each for each in kept if not self._is_current(each)]
        self._write(self._projected(changed, advance), gone=gone)
        self.finish()
        return len(changed) + len(gone)

    def begin(self, names: Iterable[str]) -> None:
        """Starts to index conversations while others are still being recorded; workers do the slow part.

        Conversations that were just reported may be incomplete (their sub-agents follow): they are started with the
        next call.
        """
        reported = set(names)
        ready, self._held = (self._held | self._postponed) - reported, reported
        kept = [each for each in named(self._vault, ready) if not self._is_current(each)]
        if self._workers is None and sum(each.size_bytes for each in kept) < _WORTH_BEGINNING_BYTES:
            self._postponed = {each.name for each in kept}
        else:
            self._postponed = set()
            self._hand_out(kept)
        if self._workers is not None:
            for _, writings in self._workers.results(waits=False):
                self._write(writings)

    def take(self, names: Iterable[str]) -> dict[str, int]:
        """Indexes what is new in these conversations now.

        Returns for each that changed how many parts the written entries have: an entry is written as a whole, so that
        one more line of a message costs as much as the message is long.
        """
        kept = [each for each in named(self._vault, names) if not self._is_current(each)]
        parts: dict[str, int] = {}

        def counted(writings: Iterable[Writing]) -> Iterator[Writing]:
            for writing in writings:
                written = sum([len(put.entry.parts) for put in writing.put])
                parts[writing.row.name] = parts.get(writing.row.name, 0) + written
                yield writing

        self._write(counted(chain.from_iterable(map(self._give_way_and_read, kept))))
        self.finish()
        return parts

    def make_ready(self, since: str) -> list[str]:
        """Opens conversations with activity after this time, so that their next line is indexed fast; returns their
        names.
        """
        newest, _ = self.index.conversations(Query(None), limit=_MAX_READY)
        names = [row.name for row in newest if (row.session.ended_at or "") >= since and row.name not in self._open]
        for kept in reversed(list(named(self._vault, names))):
            opened = self._resume(kept)
            if opened is not None:
                opened.spill(self._aside)
                self._hold(kept.name, opened)
        return list(self._open)

    def finish(self) -> None:
        """Returns when everything that was started is in the index."""
        self._take_all()
        if self._is_building:
            self.index.finish()
            self._is_building = False
            (self._folder / _STALE).unlink(missing_ok=True)

    def _hand_out(self, kept: Iterable[Kept]) -> None:
        some = list(kept)
        if some and self._workers is None:
            self._workers = Workers(self._vault.root, self._saved_since)
        if self._workers is not None:
            # Lines that this process wrote itself are known to be readable.
            own = {each.name for each in some if all(map(self._vault.has_begun, each.keys))}
            self._workers.submit(some, own)
            self._begun.update(each.name for each in some)

    def _take_all(self, advance: Advance | None = None) -> None:
        """Waits for the workers and writes their results."""
        if self._workers is not None:
            is_settled = False
            results = self._workers.results(waits=True)
            while self._workers.left:
                if self._workers.left <= _LAST_JOBS and not is_settled:
                    # Workers need about as long for the rest as this takes: at the end, everything would wait for it.
                    self.index.settle()
                    is_settled = True
                done, writings = next(results)
                self._write(writings)
                if advance:
                    advance(sum(each.size_bytes for each in done))
            self._workers.close()
            self._workers = None
        self._begun.clear()

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()
        self._aside.close()
        self.index.close()

    def _build(self) -> None:
        self.index = SqliteIndex.build(self._folder, cost_of=self._cost_of)
        self._known = {}
        self._open.clear()
        self._held_values = 0
        self._is_building = True

    def _is_current(self, kept: Kept) -> bool:
        known = self._known.get(kept.name)
        if known is None:
            return False
        sizes = kept.sizes
        return {key.stream: sizes[key.stream] for key in _indexed(kept)} == {
            stream: position.size_bytes for stream, position in known.items()
        }

    def _packed(self, kept: Kept) -> dict[str, Position] | None:
        """Returns the new positions of a conversation's streams, if they were packed since and nothing else changed."""
        known = self._known.get(kept.name)
        sizes = kept.sizes
        if known is None or known.keys() != {key.stream for key in _indexed(kept)}:
            return None
        differing = [key for key in _indexed(kept) if known[key.stream].size_bytes != sizes[key.stream]]
        if not differing or any(self._vault.packed_end(key) != known[key.stream].at for key in differing):
            return None
        return {name: structs.replace(position, size_bytes=sizes[name]) for name, position in known.items()}

    def _projected(self, changed: list[Kept], advance: Advance | None) -> Iterator[Writing]:
        """Yields what changed; many new conversations are projected by several processes."""
        fresh = [each for each in changed if each.name not in self._known]
        if sum(each.size_bytes for each in fresh) < WORTH_BYTES:
            fresh = []
        workers = Workers(self._vault.root, self._saved_since)
        workers.submit(fresh)
        try:
            for done, writings in workers.results(waits=True):
                yield from writings
                if advance:
                    advance(sum(each.size_bytes for each in done))
        finally:
            workers.close()
        begun = {each.name for each in fresh}
        for each in changed:
            if each.name not in begun:
                yield from self._read_new(each)
                if advance:
                    advance(each.size_bytes)

    def _give_way_and_read(self, kept: Kept) -> Iterator[Writing]:
        self.give_way()
        return self._read_new(kept)

    def _read_new(self, kept: Kept) -> Iterator[Writing]:
        """Yields what is new in a conversation: from where reading stopped, or from its start."""
        opened = self._release(kept.name) or self._resume(kept)
        if opened is None or not _extends(opened, kept) or opened.is_overtaken(kept):
            opened = OpenConversation(self._vault, kept)
        opened.heard = self.heard
        yield from opened.writings(kept, saved_since=self._saved_since)
        if opened.can_continue:
            opened.spill(self._aside)
            self._hold(kept.name, opened)

    def _hold(self, name: str, opened: OpenConversation) -> None:
        """Keeps a conversation open, and closes those without activity for longest where there are too many values."""
        self._open[name] = opened
        self._held_values += opened.values_in_memory
        while self._held_values > _MAX_HELD and len(self._open) > 1:
            self._release(next(iter(self._open)))

    def _release(self, name: str) -> OpenConversation | None:
        opened = self._open.pop(name, None)
        self._held_values -= opened.values_in_memory if opened else 0
        return opened

    def _resume(self, kept: Kept) -> OpenConversation | None:
        known = self._known.get(kept.name)
        if not known or not can_continue(kept) or self._is_building:
            return None
        state = self.index.state(kept.name)
        if state is None:
            return None
        return OpenConversation.resume(self._vault, kept, state, self.index.all_entries(kept.name))

    def _write(self, writings: Iterable[Writing], *, gone: Iterable[str] = ()) -> None:
        """Writes in batches of a good size: sorted inserts make the word index fast."""
        batch: list[Writing] = []
        chars = 0
        leaving = list(gone)
        for writing in writings:
            batch.append(writing)
            self._known[writing.row.name] = writing.positions
            chars += writing.chars + len(writing.state or b"")
            if chars > _BATCH_CHARS or len(batch) >= _BATCH_WRITINGS:
                self.index.write(batch, gone=leaving)
                batch, chars, leaving = [], 0, []
        if batch or leaving:
            self.index.write(batch, gone=leaving)


def _indexed(kept: Kept) -> list[StreamKey]:
    """Returns the streams that the index follows: the folded ones, and the manifest, which lists the side files."""
    content = set(kept.content)
    return [key for key in kept.keys if key in content or key.stream == MANIFEST_STREAM]


def _extends(opened: OpenConversation, kept: Kept) -> bool:
    """Whether the conversation still has all the streams that were read."""
    return opened.can_continue and {key.stream for key in opened.kept.content} <= {key.stream for key in kept.content}
