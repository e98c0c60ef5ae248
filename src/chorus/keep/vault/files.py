"""The vault as files, in an open layout that other tools can read (docs/formats/vault.md).

vault.json                                               format version
conversations/{workspace}/{agent}/{conversation}.jsonl   the main stream (sealed: .jsonl.zst)
conversations/{workspace}/{agent}/{conversation}/{stream}.jsonl
blobs/{2 digits}/{sha256}                                side files, by content
state/inventory.jsonl                                    what was acknowledged of each of these files
"""

import errno
import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import RLock

from msgspec import structs

from chorus.errors import VaultBlocked, VaultTooNew, VaultUnwritable
from chorus.keep.vault import format_version, safe_files, sealing
from chorus.keep.vault.appender import Appender, end_of_lines, last_line, sync_all, tail_after
from chorus.keep.vault.blobs import blob_pieces, read_blob
from chorus.keep.vault.digest import Measure, extended, lines_between
from chorus.keep.vault.format_version import FORMAT
from chorus.keep.vault.inventory import Inventory, InventoryEntry
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.layout import all_streams, blob_file, blob_path, stream_file, stream_path, streams_of
from chorus.keep.vault.line import StoredLine, decode
from chorus.keep.vault.port import Damaged, Tail
from chorus.keep.vault.reading import checked
from chorus.keep.vault.repair import Read, RepairedStream, renumbered, repaired
from chorus.keep.vault.revisions import encode_all, revised
from chorus.keep.vault.sealing import Packing

_OPEN_FILES = 64
_SHARE = 4
"""The vault uses at most one of this many files that a process may have open."""
_PATIENCE_S = 60.0
_LOOK_AGAIN_S = 0.002
_PACKERS = min(4, os.cpu_count() or 1)
"""The number of threads; packing and waiting for the disk let other threads run."""
_PACKED_TOGETHER = 16
_LINE_BYTES = 16 << 10
"""How much is read at once for a single line; most lines are shorter."""


class FileVault:
    """A vault below `root`. The folder is created when something is first stored."""

    def __init__(self, root: Path, *, patience_s: float = _PATIENCE_S, is_trusted: bool = False) -> None:
        """`patience_s`: how long to wait for another process that writes the same stream.

        `is_trusted`: `lines` does not compare checksums, for callers that read what was stored a moment ago.
        """
        self.root = root
        self.format = format_version.format_of(root) or 0
        """0 if `vault.json` exists and cannot be understood."""
        self._patience_s = patience_s
        self._is_trusted = is_trusted
        self._mutex = RLock()
        self._appenders: dict[StreamKey, Appender] = {}
        self._revising: dict[StreamKey, int] = {}
        """Revisions that were announced and have no line yet: how many bytes of the previous one are still valid."""
        self._returned_tails: dict[StreamKey, Tail] = {}
        """Tails that were returned to a caller, which may append there although the lock has been released."""
        self._dirty_folders: set[str] = set()
        self._known_folders: set[str] = set()
        self._begun: set[StreamKey] = set()
        """Streams of which this object wrote every line."""
        self.inventory = Inventory(root, version=FORMAT)
        self._unlisted: dict[str, InventoryEntry] = {}
        """Entries that are durable and not in the inventory yet."""
        self.cut: list[str] = []
        """Streams whose end was moved to another file, because a crash had torn it before it was acknowledged."""

    @property
    def is_too_new(self) -> bool:
        """Whether a newer Chorus wrote the vault: then it can be read, but not written."""
        return self.format > FORMAT

    def refuse_if_too_new(self) -> None:
        """Raise VaultTooNew if the vault cannot be written."""
        if self.is_too_new:
            raise VaultTooNew(f"{self.root} has format {self.format}, this Chorus writes {FORMAT}: upgrade Chorus")

    def keys(self) -> Iterator[StreamKey]:
        return all_streams(self.root)

    def streams(self, owner: str) -> list[StreamKey]:
        return streams_of(self.root, owner)

    def path(self, key: StreamKey) -> Path:
        """Return the path of the stream while it is open; a sealed one has `.zst` added."""
        return stream_path(self.root, key)

    def tail(self, key: StreamKey) -> Tail:
        """See the port. An open stream stays locked from here until `flush`, so that the returned tail stays valid."""
        with self._mutex:
            known = self._appenders.get(key)
            path = self.path(key)
            if known is None and not self.is_too_new and os.path.exists(path):  # noqa: PTH110
                known = self._appender(key)
            self._returned_tails[key] = known.tail if known is not None else self._look_at_tail(key, path)
            return self._returned_tails[key]

    def append(self, key: StreamKey, data: bytes, *, seen_at: str) -> Tail:
        with self._mutex:
            if not data and key not in self._revising:
                return self.tail(key)
            appender = self._appender(key)
            if self._returned_tails.pop(key, appender.tail) != appender.tail:
                raise VaultUnwritable(f"{appender.path}: another process wrote to it; continue from its new end")
            lines, tail = encode_all(key, data, appender.tail, self._revising.get(key), seen_at)
            appender.write(lines, tail)
            self._revising.pop(key, None)
            return tail

    def revise(self, key: StreamKey, prefix: int) -> Tail:
        with self._mutex:
            appender = self._appender(key)
            appender.tail = revised(appender.tail, prefix, is_begun=key in self._revising)
            self._revising[key] = prefix
            self._returned_tails[key] = appender.tail
            return appender.tail

    def lines(self, key: StreamKey, start: int = 0) -> Iterator[StoredLine | Damaged]:
        path = self.path(key)
        if self._is_linked(path):
            yield Damaged(key, 1, "its path contains a link, and links are not followed")
            return
        try:
            yield from checked(key, sealing.read_lines(path, start), start, is_trusted=self._is_trusted)
        except OSError:
            reason = safe_files.special(path) or safe_files.special(sealing.sealed(path))
            if reason is None:
                raise
            yield Damaged(key, 1, reason)

    def line_at(self, key: StreamKey, at: int) -> StoredLine | None:
        path = self.path(key)
        if at < 0 or self._is_linked(path):
            return None
        try:
            line = next(sealing.read_lines(path, at, piece_bytes=_LINE_BYTES), None)
        except OSError:
            if safe_files.special(path) or safe_files.special(sealing.sealed(path)):
                return None
            raise
        if not line:
            return None
        try:
            found = decode(line)
        except ValueError:
            return None
        found.at, found.next_at = at, at + len(line)
        return found

    def missing(self, key: StreamKey, revision: int) -> str | None:
        entry = self.inventory.get(stream_file(key))
        if entry is None:
            return None
        if entry.lost and (entry.whole_from is None or revision < entry.whole_from):
            return f"{entry.lost:,} of its lines are lost"
        path = self.path(key)
        for place, size in ((path, entry.measure.bytes), (sealing.sealed(path), (entry.packed or (0, ""))[0])):
            try:
                there = place.lstat().st_size
            except OSError:
                continue
            if there or place != path:
                return f"its file ends at byte {there:,} of {size:,}" if there < size else None
        return f"its file is gone; it had {entry.measure.lines:,} lines"

    def has_begun(self, key: StreamKey) -> bool:
        """Return whether this object wrote the stream from its first line on."""
        return key in self._begun

    def packed_end(self, key: StreamKey) -> int | None:
        """Return the offset at which a packed stream ends, counted as in the open file, or None if it is not packed."""
        path = self.path(key)
        if path.exists() or safe_files.has_link(self.root, sealing.sealed(path)):
            return None
        return sealing.packed_end(path)

    def put_blob(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        path = blob_path(self.root, name)
        with self._mutex:
            self._make_writable()
            try:
                self._make_folders(path.parent)
                if self.blob(name) is None:
                    safe_files.put_file(path, data)
                self._list_blob(name, path, len(data))
            except OSError as error:
                raise VaultUnwritable(f"{path}: {error.strerror or error}") from error
            # The process that wrote it may have died before its name was durable.
            self._dirty_folders.add(os.path.dirname(path))  # noqa: PTH120 - here and below, as in `safe_files`
        return name

    def _list_blob(self, name: str, path: Path, size: int) -> None:
        file = blob_file(name)
        mtime_ns = path.lstat().st_mtime_ns
        known = self._unlisted.get(file) or self.inventory.get(file)
        if known is None or known.mtime_ns != mtime_ns:
            self._unlisted[file] = InventoryEntry(file, Measure(size), mtime_ns)

    def blob(self, name: str) -> bytes | None:
        return read_blob(self.root, name)

    def blob_pieces(self, name: str) -> Iterator[bytes] | None:
        return blob_pieces(self.root, name)

    def forget_blobs(self, names: Iterable[str]) -> int:
        """Remove blobs that nothing refers to any more, and return how many of them existed."""
        gone: list[InventoryEntry] = []
        with self._mutex:
            self._make_writable()
            try:
                for name in names:
                    path = blob_path(self.root, name)
                    if not safe_files.has_link(self.root, path) and path.exists():
                        path.unlink()
                        gone.append(InventoryEntry(blob_file(name), is_gone=True))
                self.inventory.note(gone)
            except OSError as error:
                raise VaultUnwritable(f"{self.root}: {error.strerror or error}") from error
        return len(gone)

    def forget_traces(self) -> None:
        """Remove the names of forgotten files from the inventory."""
        try:
            self.inventory.compact()
        except OSError as error:
            raise VaultUnwritable(f"{self.inventory.path}: {error.strerror or error}") from error

    def flush(self) -> None:
        """Make everything durable and release the locks, so that other processes can append."""
        with self._mutex:
            self._returned_tails.clear()
            self._release_all()
            self._update_inventory()

    def close(self) -> None:
        try:
            self.flush()
            self._prove()
        finally:
            for appender in self._appenders.values():
                appender.close()
            self._appenders = {}
            self._revising = {}

    def seal(self, key: StreamKey) -> None:
        with self._mutex:
            self._make_writable()
            path = self.path(key)
            if not path.exists() or key in self._revising:
                return
            self._release_all()
            try:
                self._make_folders(path.parent)
                self._put_away({path: key}, [sealing.pack(path, self._wait)])
            except OSError as error:
                raise VaultUnwritable(f"{path}: {error.strerror or error}") from error

    def seal_all(self, keys: Iterable[StreamKey]) -> set[StreamKey]:
        """Pack many streams on all cores, and return those that are packed.

        A stream that is being written is left as it is.
        """
        # Imported here: most commands pack nothing, and the import takes longer than some of them run.
        from concurrent.futures import ThreadPoolExecutor

        done: set[StreamKey] = set()
        sweeps: dict[Path, bool] = {}
        with self._mutex, ThreadPoolExecutor(_PACKERS) as packers:
            self._make_writable()
            self._release_all()
            rest = [key for key in keys if key not in self._revising]
            try:
                while batch := rest[:_PACKED_TOGETHER]:
                    rest = rest[_PACKED_TOGETHER:]
                    paths = [path for key in batch if (path := self.path(key)).exists()]
                    for folder in {path.parent for path in paths}:
                        if folder not in sweeps:
                            self._make_folders(folder)
                            sweeps[folder] = sealing.has_leftovers(folder)
                    tasks = [packers.submit(_packed, path, sweeps=sweeps[path.parent]) for path in paths]
                    found = [task.result() for task in tasks if task.exception() is None]
                    done |= self._put_away(dict(zip(map(self.path, batch), batch, strict=True)), found)
                    for task in tasks:
                        task.result()
            except OSError as error:
                raise VaultUnwritable(f"{self.root}: {error.strerror or error}") from error
        return done

    def _put_away(self, keys: dict[Path, StreamKey], found: list[Packing | None]) -> set[StreamKey]:
        """Remove the open files of packed streams, once the names of the packed files are durable."""
        packings = [each for each in found if each is not None]
        folders = {each.path.parent for each in packings}
        try:
            for folder in folders:
                safe_files.sync_folder(folder)
            for each in packings:
                self._list_packed(keys[each.path], each)
            # While the open files exist, no other process can append to these streams and list them.
            self._update_inventory()
            for each in packings:
                each.remove_open()
            for folder in folders:
                safe_files.sync_folder(folder)
        finally:
            for each in packings:
                each.close()
        return {keys[each.path] for each in packings}

    def repair(self, key: StreamKey, read: Read | None, *, seen_at: str, is_own: bool = False) -> RepairedStream:
        """Repair a damaged stream (`keep/vault/repair.py`) with the lines that its source still has.

        `is_own`: Chorus itself wrote the stream; its undamaged lines then become a stream without gaps. The old file is
        kept next to the new one unless the new content is what was acknowledged.
        """
        with self._mutex:
            self._make_writable()
            self._release_all()
            self._begun.discard(key)
            path, file = self.path(key), stream_file(key)
            try:
                self._make_folders(path.parent)
                fd = sealing.open_for_appending(path, self._wait)
                try:
                    lines = list(lines_between(fd, 0, os.fstat(fd).st_size))
                    if is_own:
                        found = RepairedStream(new := renumbered(key, lines), end=len(new))
                    else:
                        found = repaired(key, lines, read, seen_at)
                    known, measure = self.inventory.get(file), extended(Measure(), found.lines)
                    if found.lines != lines:
                        is_proved = known is not None and known.measure == measure
                        sealing.replace(path, found.lines, is_kept=not is_proved)
                    mtime_ns = path.lstat().st_mtime_ns
                    self.inventory.note([InventoryEntry(file, measure, mtime_ns, lost=found.missing)])
                finally:
                    os.close(fd)
            except OSError as error:
                raise VaultUnwritable(f"{path}: {error.strerror or error}") from error
            return found

    def forget(self, key: StreamKey) -> None:
        with self._mutex:
            self._make_writable()
            path = self.path(key)
            known = self._appenders.pop(key, None)
            if known is not None:
                known.close()
            self._revising.pop(key, None)
            self._returned_tails.pop(key, None)
            self._begun.discard(key)
            try:
                if not safe_files.has_link(self.root, path.parent):
                    sealing.remove(path, self._wait)
                file = stream_file(key)
                self._unlisted.pop(file, None)
                if self.inventory.get(file) is not None:
                    self.inventory.note([InventoryEntry(file, is_gone=True)])
            except OSError as error:
                raise VaultUnwritable(f"{path}: {error.strerror or error}") from error

    def _appender(self, key: StreamKey) -> Appender:
        known = self._appenders.get(key)
        if known is not None:
            return known
        self._make_writable()
        if len(self._appenders) >= _most_open():
            self._release_all()
        path = self.path(key)
        try:
            self._make_folders(path.parent)
            fd = sealing.open_for_appending(path, self._wait)
        except OSError as error:
            is_blocked = safe_files.special(path) or safe_files.special(sealing.sealed(path))
            failure = VaultBlocked if is_blocked or safe_files.has_link(self.root, path) else VaultUnwritable
            raise failure(f"{path}: {error.strerror or error}") from error
        known = self._unlisted.get(file := stream_file(key)) or self.inventory.get(file)
        appender = Appender(path, fd, known, known.measure.bytes if known else self._acknowledged_of_unlisted(fd))
        if appender.cut:
            self.cut.append(f"{file}: {appender.cut}")
        if appender.is_empty:
            self._begun.add(key)
        # This process or one that died created the file: its name is durable only after a sync of its folder.
        self._dirty_folders.add(os.path.dirname(path))  # noqa: PTH120
        self._appenders[key] = appender
        return appender

    def _acknowledged_of_unlisted(self, fd: int) -> int | None:
        """Return 0 for a stream that an undamaged inventory does not list (nothing was acknowledged), else None."""
        is_sound = os.fstat(fd).st_size and self.inventory.is_there and not self.inventory.flaws
        return 0 if is_sound else None

    def _release_all(self) -> None:
        """Sync and release every stream; a stream that cannot be synced stays open, and the next call tries again.

        A stream whose revision was announced and has no line yet stays open, too: no other place remembers that
        revision.
        """
        failures: list[VaultUnwritable] = []
        durable: list[StreamKey] = []
        held, folders = list(self._appenders.items()), list(self._dirty_folders)
        unsynced, unnamed = sync_all([each for _, each in held], folders)
        for (key, appender), failure in zip(held, unsynced, strict=True):
            if failure is not None:
                failures.append(failure)
                continue
            if entry := appender.entry(file := stream_file(key)):
                self._unlisted[file] = appender.known = entry
            durable.append(key)
        try:
            # Done before others can append, so that the entries of a stream are in the order of its lines.
            self._update_inventory()
        except VaultUnwritable as error:
            failures.append(error)
            durable = []
        for key in durable:
            if key not in self._revising:
                self._appenders.pop(key).close()
        for folder, error in zip(folders, unnamed, strict=True):
            if error is None:
                self._dirty_folders.discard(folder)
            else:
                failures.append(VaultUnwritable(f"{folder}: {error.strerror or error} while making it durable"))
        if failures:
            raise failures[0]

    def _update_inventory(self) -> None:
        """Add what is durable to the inventory."""
        try:
            self.inventory.note(self._unlisted.values())
        except OSError as error:
            raise VaultUnwritable(
                f"{self.inventory.path}: {error.strerror or error}; nothing stored was lost"
            ) from error
        self._unlisted = {}

    def _prove(self) -> None:
        try:
            self.inventory.settle()
        except OSError as error:
            raise VaultUnwritable(
                f"{self.inventory.path}: {error.strerror or error}; nothing stored was lost"
            ) from error

    def _list_packed(self, key: StreamKey, packing: Packing) -> None:
        file, place = stream_file(key), sealing.sealed(packing.path)
        known = self._unlisted.get(file) or self.inventory.get(file)
        if known is None:
            known = InventoryEntry(file, extended(Measure(), sealing.read_lines(packing.path)))
        self._unlisted[file] = structs.replace(known, packed=packing.packed, mtime_ns=place.lstat().st_mtime_ns)

    def _wait(self, fd: int, path: Path) -> None:
        """Lock a file. Release all other files while waiting: two processes could wait for each other forever."""
        if safe_files.try_lock(fd):
            return
        self._release_all()
        for _ in range(int(self._patience_s / _LOOK_AGAIN_S)):
            time.sleep(_LOOK_AGAIN_S)
            if safe_files.try_lock(fd):
                return
        raise VaultUnwritable(f"{path}: another process has been writing it for {self._patience_s:g} s; try again")

    def _look_at_tail(self, key: StreamKey, path: Path) -> Tail:
        """Return the end of a stream that is sealed, missing or not writable, without locking it."""
        if not sealing.is_there(path) or safe_files.has_link(self.root, path):
            return Tail()
        try:
            fd = safe_files.open_file(path, safe_files.READ)
        except OSError:
            last = None
            for line in self.lines(key):
                last = line if isinstance(line, StoredLine) else last
            return tail_after(last)
        try:
            return tail_after(last_line(fd, end_of_lines(fd)))
        finally:
            os.close(fd)

    def _is_linked(self, path: Path) -> bool:
        """Return whether the path of a stream, open or sealed, contains a link. Called for every line that is read."""
        return safe_files.has_link(self.root, path) or os.path.islink(sealing.sealed(path))  # noqa: PTH114

    def _make_folders(self, folder: Path) -> None:
        name = os.fspath(folder)
        is_known = name in self._known_folders and os.path.isdir(name)  # noqa: PTH112
        above = safe_files.make_folders(self.root, folder)
        if not is_known:
            # Existing folders, too: the process that created them may have died before their names were durable.
            self._dirty_folders.update(above)
            self._known_folders.add(name)

    def _make_writable(self) -> None:
        self.refuse_if_too_new()
        try:
            if self.format != FORMAT:
                format_version.upgrade(self.root)
                self.format = FORMAT
            elif not os.path.exists(f"{self.root}/vault.json"):  # noqa: PTH110
                self._make_folders(self.root)
                is_new = not os.path.exists(f"{self.root}/conversations")  # noqa: PTH110
                if is_new:
                    self.inventory.begin()
                format_version.write_format(self.root, FORMAT, is_listed=is_new or self.inventory.is_there)
        except OSError as error:
            raise VaultUnwritable(f"{self.root}: {error.strerror or error}") from error


def _packed(path: Path, *, sweeps: bool) -> Packing | None:
    try:
        return sealing.pack(path, _at_once, sweeps=sweeps)
    except BlockingIOError:
        return None


def _at_once(fd: int, path: Path) -> None:
    if not safe_files.try_lock(fd):
        raise BlockingIOError(errno.EAGAIN, f"{path}: another process is writing it")


def _most_open() -> int:
    """Return how many streams are kept open at once: sources, folders and the index need file descriptors, too."""
    try:
        import resource
    except ImportError:
        return _OPEN_FILES
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _OPEN_FILES if limit < 0 else max(1, min(_OPEN_FILES, limit // _SHARE))
