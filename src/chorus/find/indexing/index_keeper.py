"""The index kept up to date with the vault: what changed is read on, what cannot be trusted is made anew."""

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
from chorus.find.indexing.open_conversation import Opened, can_go_on
from chorus.find.indexing.workers import WORKERS, WORTH_BYTES, Workers
from chorus.keep.archive.listing import MANIFEST_STREAM, Kept, conversations, named
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.spill_file import SpillFile

_STALE = "stale"
"""A file of this name asks for a new index."""
_MAX_HELD = 250_000
"""Values of conversations at work that are held in memory, however many conversations that are."""
_MAX_READY = 100
"""Conversations that are opened before they go on."""
_BATCH_CHARS = 8 << 20
_BATCH_WRITINGS = 64
_LAST_JOBS = 4 * WORKERS
Advance = Callable[[int], None]


def make_stale(vault: FileVault) -> None:
    """See to it that the index is made anew by who writes it next, so that nothing stays in it of what is forgotten."""
    folder = vault.root / FOLDER
    if folder.is_dir():
        (folder / _STALE).touch(mode=0o600)


def is_stale(vault: FileVault) -> bool:
    """Whether the index is to be made anew; costs one `stat`."""
    return (vault.root / FOLDER / _STALE).exists()


class IndexKeeper:
    """The writer of a vault's index. One at a time: hold `lock.sole_writer` around it."""

    def __init__(self, vault: FileVault, *, saved_since: str, cost_of: CostOf | None = None) -> None:
        """`saved_since`: conversations that went on after this time are likely to go on."""
        self._vault = vault
        self._folder = vault.root / FOLDER
        self._saved_since = saved_since
        self._cost_of = cost_of
        self._open: OrderedDict[str, Opened] = OrderedDict()
        """RunWatcher ready; the one that went on last comes last."""
        self._held_values = 0
        self._aside = SpillFile(self._folder)
        """Where what they did not use lately is put."""
        self._workers: Workers | None = None
        self._held: set[str] = set()
        """Conversations that were told and not begun with yet."""
        self._begun: set[str] = set()
        """Those that workers have."""
        self._is_building = False
        self.give_way: Callable[[], None] = lambda: None
        """Called between two conversations that grew: it may wait for a moment."""
        try:
            self.index = SqliteIndex(self._folder, cost_of=cost_of, is_writer=True)
            self._known = self.index.positions()
        except IndexDamaged:
            self._build()

    def rebuild(self, advance: Advance | None = None) -> None:
        """Make the index anew, from the vault alone."""
        self.index.close()
        self._build()
        self.catch_up(advance=advance)

    def owed_bytes(self) -> int:
        """What the conversations take that are not in the index as they are kept, those begun with included."""
        return sum(each.size_bytes for each in conversations(self._vault) if not self._is_current(each))

    def catch_up(self, *, advance: Advance | None = None) -> int:
        """Take in all that is new in the vault; gives the number of conversations that changed.

        `advance` is told of the bytes of each conversation that was taken in.
        """
        if (self._folder / _STALE).exists() and not self._is_building:
            self.index.close()
            self._build()
        kept = list(conversations(self._vault))
        if self._workers is not None:
            # Workers go on with the rest before anyone waits for them.
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
        """Take in conversations while others are still being kept; what takes long is left to workers.

        Those that were just told may not be whole yet (their sub-agents follow): they are begun with the next ones.
        """
        told = set(names)
        ready, self._held = self._held - told, told
        self._hand_out(each for each in named(self._vault, ready) if not self._is_current(each))
        if self._workers is not None:
            for _, writings in self._workers.results(waits=False):
                self._write(writings)

    def take(self, names: Iterable[str]) -> None:
        """Take in what is new in these conversations, now."""
        kept = [each for each in named(self._vault, names) if not self._is_current(each)]
        self._write(chain.from_iterable(map(self._go_on_politely, kept)))
        self.finish()

    def make_ready(self, since: str) -> list[str]:
        """Open what went on after this time, so that its next line need not wait for what came before; gives names."""
        newest, _ = self.index.conversations(Query(None), limit=_MAX_READY)
        names = [row.name for row in newest if (row.session.ended_at or "") >= since and row.name not in self._open]
        for kept in reversed(list(named(self._vault, names))):
            opened = self._resumed(kept)
            if opened is not None:
                opened.spill(self._aside)
                self._hold(kept.name, opened)
        return list(self._open)

    def finish(self) -> None:
        """Whatever was begun is in the index when this returns."""
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
            # Who writes a line need not ask whether it can be read.
            own = {each.name for each in some if all(map(self._vault.has_begun, each.keys))}
            self._workers.submit(some, own)
            self._begun.update(each.name for each in some)

    def _take_all(self, advance: Advance | None = None) -> None:
        """Wait for the workers, and write what they give."""
        if self._workers is not None:
            is_settled = False
            results = self._workers.results(waits=True)
            while self._workers.left:
                if self._workers.left <= _LAST_JOBS and not is_settled:
                    # Workers take about as long for the rest as this does: at the end, all would wait for it.
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
        """Where the streams of a conversation are now, if they were packed away since and nothing else changed."""
        known = self._known.get(kept.name)
        sizes = kept.sizes
        if known is None or known.keys() != {key.stream for key in _indexed(kept)}:
            return None
        differing = [key for key in _indexed(kept) if known[key.stream].size_bytes != sizes[key.stream]]
        if not differing or any(self._vault.packed_end(key) != known[key.stream].at for key in differing):
            return None
        return {name: structs.replace(position, size_bytes=sizes[name]) for name, position in known.items()}

    def _projected(self, changed: list[Kept], advance: Advance | None) -> Iterator[Writing]:
        """What changed: in many conversations by several processes."""
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
                yield from self._go_on(each)
                if advance:
                    advance(each.size_bytes)

    def _go_on_politely(self, kept: Kept) -> Iterator[Writing]:
        self.give_way()
        return self._go_on(kept)

    def _go_on(self, kept: Kept) -> Iterator[Writing]:
        """What is new in a conversation: from where it was left, or from its start."""
        opened = self._let_go(kept.name) or self._resumed(kept)
        if opened is None or not _extends(opened, kept) or opened.is_overtaken(kept):
            opened = Opened(self._vault, kept)
        yield from opened.writings(kept, saved_since=self._saved_since)
        if opened.can_go_on:
            opened.spill(self._aside)
            self._hold(kept.name, opened)

    def _hold(self, name: str, opened: Opened) -> None:
        """Hold a conversation ready, and let go of those that were quiet for longest where that is too much."""
        self._open[name] = opened
        self._held_values += opened.held
        while self._held_values > _MAX_HELD and len(self._open) > 1:
            self._let_go(next(iter(self._open)))

    def _let_go(self, name: str) -> Opened | None:
        opened = self._open.pop(name, None)
        self._held_values -= opened.held if opened else 0
        return opened

    def _resumed(self, kept: Kept) -> Opened | None:
        known = self._known.get(kept.name)
        if not known or not can_go_on(kept) or self._is_building:
            return None
        state = self.index.state(kept.name)
        if state is None:
            return None
        return Opened.resume(self._vault, kept, state, self.index.all_entries(kept.name))

    def _write(self, writings: Iterable[Writing], *, gone: Iterable[str] = ()) -> None:
        """Write in batches of a good size: sorted inserts are what makes the index of words fast."""
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
    """The streams that the index follows: what is folded, and the manifest that tells what lies beside it."""
    content = set(kept.content)
    return [key for key in kept.keys if key in content or key.stream == MANIFEST_STREAM]


def _extends(opened: Opened, kept: Kept) -> bool:
    """Whether the streams of a conversation are those it had, and more."""
    return opened.can_go_on and {key.stream for key in opened.kept.content} <= {key.stream for key in kept.content}
