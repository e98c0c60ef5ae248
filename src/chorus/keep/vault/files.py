"""The vault as files: an open layout that other tools can read (docs/formats/vault.md).

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

from chorus.errors import VaultTooNew, VaultUnwritable
from chorus.keep.vault import format_version, safe_files, sealing
from chorus.keep.vault.appender import Appender, end_of_lines, last_line, tail_after
from chorus.keep.vault.digest import Measure, extended, lines_between
from chorus.keep.vault.format_version import FORMAT
from chorus.keep.vault.inventory import Entry, Inventory
from chorus.keep.vault.keys import MAIN_STREAM, StreamKey, is_safe_name
from chorus.keep.vault.line import StoredLine, decode
from chorus.keep.vault.port import Damaged, Tail
from chorus.keep.vault.reading import checked
from chorus.keep.vault.repair import Mended, Read, mended, renumbered
from chorus.keep.vault.revisions import encode_all, revised
from chorus.keep.vault.sealing import Packing

_OPEN_FILES = 64
_SHARE = 4
"""Of the files that a process may have open, the vault takes one in so many."""
_BLOB_PIECE_BYTES = 1 << 20
_PATIENCE_S = 60.0
_LOOK_AGAIN_S = 0.002
_PACKERS = min(4, os.cpu_count() or 1)
"""Threads: packing and waiting for the disk let others go on."""
_PACKED_TOGETHER = 16
_SYNCED_ALONE, _SYNCED_TOGETHER = 4, 16
"""Fewer streams than this are made durable one after the other, more of them so many at the same time."""
_LINE_BYTES = 16 << 10
"""Most lines are shorter: what to read at once where one is wanted."""


class FileVault:
    """A vault below `root`, which is made when something is first kept."""

    def __init__(self, root: Path, *, patience_s: float = _PATIENCE_S, is_trusted: bool = False) -> None:
        """`patience_s`: how long to wait for another process that writes the same stream.

        `is_trusted`: `lines` gives lines as they were written, without a look at checksums, for who reads what was
        kept a moment ago.
        """
        self.root = root
        self.format = format_version.format_of(root) or 0
        """0 when `vault.json` is there and cannot be understood."""
        self._patience_s = patience_s
        self._is_trusted = is_trusted
        self._mutex = RLock()
        self._appenders: dict[StreamKey, Appender] = {}
        self._revising: dict[StreamKey, int] = {}
        """Revisions that were announced and have no line yet: how many bytes hold of the one before."""
        self._told: dict[StreamKey, Tail] = {}
        """Ends that a caller knows, and may go on from, though the lock was let go since."""
        self._dirty_folders: set[str] = set()
        self._known_folders: set[str] = set()
        self._begun: set[StreamKey] = set()
        """Streams whose every line this object wrote."""
        self.inventory = Inventory(root, version=FORMAT)
        self._unlisted: dict[str, Entry] = {}
        """What is durable and not in the inventory yet."""
        self.cut: list[str] = []
        """Streams of which an end was set aside, because a crash had torn it before it was acknowledged."""

    @property
    def is_too_new(self) -> bool:
        """Whether a newer Chorus wrote it: then it can be read, not written."""
        return self.format > FORMAT

    def refuse_if_too_new(self) -> None:
        """`VaultTooNew` where nothing could be kept."""
        if self.is_too_new:
            raise VaultTooNew(f"{self.root} has format {self.format}, this Chorus writes {FORMAT}: upgrade Chorus")

    def keys(self) -> Iterator[StreamKey]:
        top = self.root / "conversations"
        for workspace in _folders(top):
            for agent in _folders(top / workspace):
                yield from sorted(self._keys_of(workspace, agent))

    def _keys_of(self, workspace: str, agent: str) -> Iterator[StreamKey]:
        folder = self.root / "conversations" / workspace / agent
        for name in {sealing.stream_name(file) for file in _files(folder)}:
            if name and is_safe_name(name):
                yield StreamKey(workspace, agent, name)
        for conversation in _folders(folder):
            for name in {sealing.stream_name(file) for file in _files(folder / conversation)} - {MAIN_STREAM}:
                if name and is_safe_name(name):
                    yield StreamKey(workspace, agent, conversation, name)

    def streams(self, owner: str) -> list[StreamKey]:
        workspace, agent, conversation = owner.split("/")
        main = StreamKey(workspace, agent, conversation)
        path = self.path(main)
        found = [main] if path.exists() or sealing.sealed(path).exists() else []
        folder = path.with_suffix("")
        if not safe_files.has_link(self.root, folder):
            names = {sealing.stream_name(file) for file in _files(folder)} - {MAIN_STREAM}
            found += [StreamKey(workspace, agent, conversation, name) for name in names if name and is_safe_name(name)]
        return sorted(found)

    def path(self, key: StreamKey) -> Path:
        """Where the stream lies while it is open; sealed, `.zst` is added."""
        owner = (self.root, "conversations", key.workspace, key.agent)
        if key.stream == MAIN_STREAM:
            return Path(*owner, f"{key.conversation}.jsonl")
        return Path(*owner, key.conversation, f"{key.stream}.jsonl")

    def tail(self, key: StreamKey) -> Tail:
        """As the port says. An open stream is held from here until `flush`, so that what is told stays true."""
        with self._mutex:
            known = self._appenders.get(key)
            path = self.path(key)
            if known is None and not self.is_too_new and os.path.exists(path):  # noqa: PTH110
                known = self._appender(key)
            self._told[key] = known.tail if known is not None else self._look_at_tail(key, path)
            return self._told[key]

    def append(self, key: StreamKey, data: bytes, *, seen_at: str) -> Tail:
        with self._mutex:
            if not data and key not in self._revising:
                return self.tail(key)
            appender = self._appender(key)
            if self._told.pop(key, appender.tail) != appender.tail:
                raise VaultUnwritable(f"{appender.path}: another process wrote to it; go on from its new end")
            lines, tail = encode_all(key, data, appender.tail, self._revising.get(key), seen_at)
            appender.write(lines, tail)
            self._revising.pop(key, None)
            return tail

    def revise(self, key: StreamKey, prefix: int) -> Tail:
        with self._mutex:
            appender = self._appender(key)
            appender.tail = revised(appender.tail, prefix, is_begun=key in self._revising)
            self._revising[key] = prefix
            self._told[key] = appender.tail
            return appender.tail

    def lines(self, key: StreamKey, start: int = 0) -> Iterator[StoredLine | Damaged]:
        path = self.path(key)
        if self._is_linked(path):
            yield Damaged(key, 1, "a link stands on the way to it, and links are not followed")
            return
        yield from checked(key, sealing.read_lines(path, start), start, is_trusted=self._is_trusted)

    def line_at(self, key: StreamKey, at: int) -> StoredLine | None:
        path = self.path(key)
        if at < 0 or self._is_linked(path):
            return None
        line = next(sealing.read_lines(path, at, piece_bytes=_LINE_BYTES), None)
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
        return f"its file is gone; {entry.measure.lines:,} lines were kept in it"

    def has_begun(self, key: StreamKey) -> bool:
        """Whether this object wrote the stream from its first line on."""
        return key in self._begun

    def packed_end(self, key: StreamKey) -> int | None:
        """Where the stream ends, as places are told, if it is packed; None when it is not."""
        path = self.path(key)
        if path.exists() or safe_files.has_link(self.root, sealing.sealed(path)):
            return None
        return sealing.packed_end(path)

    def put_blob(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        path = self._blob_path(name)
        with self._mutex:
            self._make_writable()
            try:
                self._make_folders(path.parent)
                if self.blob(name) is None:
                    safe_files.put_file(path, data)
                self._list_blob(name, path, len(data))
            except OSError as error:
                raise VaultUnwritable(f"{path}: {error.strerror or error}") from error
            # Who put it there may have died before its name was durable.
            self._dirty_folders.add(os.path.dirname(path))  # noqa: PTH120 - here and below, as in `places`
        return name

    def _list_blob(self, name: str, path: Path, size: int) -> None:
        file = blob_file(name)
        mtime_ns = path.lstat().st_mtime_ns
        known = self._unlisted.get(file) or self.inventory.get(file)
        if known is None or known.mtime_ns != mtime_ns:
            self._unlisted[file] = Entry(file, Measure(size), mtime_ns)

    def blob(self, name: str) -> bytes | None:
        path = self._blob_path(name)
        if safe_files.has_link(self.root, path):
            return None
        try:
            with os.fdopen(safe_files.open_file(path, safe_files.READ), "rb") as file:
                data = file.read()
        except OSError:
            return None
        return data if hashlib.sha256(data).hexdigest() == name else None

    def blob_pieces(self, name: str) -> Iterator[bytes] | None:
        path = self._blob_path(name)
        if safe_files.has_link(self.root, path):
            return None
        try:
            with os.fdopen(safe_files.open_file(path, safe_files.READ), "rb") as file:
                is_right = hashlib.file_digest(file, "sha256").hexdigest() == name
        except OSError:
            return None
        return _pieces(path, name) if is_right else None

    def forget_blobs(self, names: Iterable[str]) -> int:
        """Remove contents that nothing names any more; gives the number of those that were there."""
        gone: list[Entry] = []
        with self._mutex:
            self._make_writable()
            try:
                for name in names:
                    path = self._blob_path(name)
                    if not safe_files.has_link(self.root, path) and path.exists():
                        path.unlink()
                        gone.append(Entry(blob_file(name), is_gone=True))
                self.inventory.note(gone)
            except OSError as error:
                raise VaultUnwritable(f"{self.root}: {error.strerror or error}") from error
        return len(gone)

    def forget_traces(self) -> None:
        """Leave no name in the inventory of what was forgotten."""
        try:
            self.inventory.compact()
        except OSError as error:
            raise VaultUnwritable(f"{self.inventory.path}: {error.strerror or error}") from error

    def flush(self) -> None:
        """Make all durable and let go of the locks, so that others may append."""
        with self._mutex:
            self._told.clear()
            self._let_go()
            self._list()

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
            self._let_go()
            try:
                self._make_folders(path.parent)
                self._put_away({path: key}, [sealing.pack(path, self._wait)])
            except OSError as error:
                raise VaultUnwritable(f"{path}: {error.strerror or error}") from error

    def seal_all(self, keys: Iterable[StreamKey]) -> set[StreamKey]:
        """Pack many streams, on all cores; gives those that are packed. One that somebody writes is left as it is."""
        # Imported here: most commands pack nothing, and it takes longer to import than some of them run.
        from concurrent.futures import ThreadPoolExecutor

        done: set[StreamKey] = set()
        sweeps: dict[Path, bool] = {}
        with self._mutex, ThreadPoolExecutor(_PACKERS) as packers:
            self._make_writable()
            self._let_go()
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
        """Remove the open files of streams that were packed: when the names of the packed ones are durable."""
        packings = [each for each in found if each is not None]
        folders = {each.path.parent for each in packings}
        try:
            for folder in folders:
                safe_files.sync_folder(folder)
            for each in packings:
                self._list_packed(keys[each.path], each)
            # As long as the open files are there, nobody else can go on with these streams and list them.
            self._list()
            for each in packings:
                each.remove_open()
            for folder in folders:
                safe_files.sync_folder(folder)
        finally:
            for each in packings:
                each.close()
        return {keys[each.path] for each in packings}

    def mend(self, key: StreamKey, read: Read | None, *, seen_at: str, is_own: bool = False) -> Mended:
        """Put a damaged stream together again (`keep/vault/repair.py`), with what its source still has.

        `is_own`: Chorus wrote it for itself; then its whole lines become a stream without gaps. What the file was is
        set aside beside it unless it is now what was acknowledged.
        """
        with self._mutex:
            self._make_writable()
            self._let_go()
            self._begun.discard(key)
            path, file = self.path(key), stream_file(key)
            try:
                self._make_folders(path.parent)
                fd = sealing.open_for_appending(path, self._wait)
                try:
                    lines = list(lines_between(fd, 0, os.fstat(fd).st_size))
                    if is_own:
                        found = Mended(new := renumbered(key, lines), end=len(new))
                    else:
                        found = mended(key, lines, read, seen_at)
                    known, measure = self.inventory.get(file), extended(Measure(), found.lines)
                    if found.lines != lines:
                        is_proved = known is not None and known.measure == measure
                        sealing.replace(path, found.lines, is_kept=not is_proved)
                    mtime_ns = path.lstat().st_mtime_ns
                    self.inventory.note([Entry(file, measure, mtime_ns, lost=found.missing)])
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
            self._told.pop(key, None)
            self._begun.discard(key)
            try:
                if not safe_files.has_link(self.root, path.parent):
                    sealing.remove(path, self._wait)
                file = stream_file(key)
                self._unlisted.pop(file, None)
                if self.inventory.get(file) is not None:
                    self.inventory.note([Entry(file, is_gone=True)])
            except OSError as error:
                raise VaultUnwritable(f"{path}: {error.strerror or error}") from error

    def _appender(self, key: StreamKey) -> Appender:
        known = self._appenders.get(key)
        if known is not None:
            return known
        self._make_writable()
        if len(self._appenders) >= _most_open():
            self._let_go()
        path = self.path(key)
        try:
            self._make_folders(path.parent)
            fd = sealing.open_for_appending(path, self._wait)
        except OSError as error:
            raise VaultUnwritable(f"{path}: {error.strerror or error}") from error
        known = self._unlisted.get(file := stream_file(key)) or self.inventory.get(file)
        appender = Appender(path, fd, known, known.measure.bytes if known else self._acknowledged_of_unlisted(fd))
        if appender.cut:
            self.cut.append(f"{file}: {appender.cut}")
        if appender.is_empty:
            self._begun.add(key)
        # Whether this process made the file or one that died: its name is durable only after a sync of its folder.
        self._dirty_folders.add(os.path.dirname(path))  # noqa: PTH120
        self._appenders[key] = appender
        return appender

    def _acknowledged_of_unlisted(self, fd: int) -> int | None:
        """Of a stream that a sound inventory does not know, nothing was acknowledged."""
        is_sound = os.fstat(fd).st_size and self.inventory.is_there and not self.inventory.flaws
        return 0 if is_sound else None

    def _let_go(self) -> None:
        """Sync and release every stream; one that cannot be synced is kept, and tried again anew by the next call.

        A revision that was announced and has no line yet is remembered by nobody else: its stream is kept, too.
        """
        failures: list[VaultUnwritable] = []
        durable: list[StreamKey] = []
        held = list(self._appenders.items())
        for (key, appender), failure in zip(held, _synced([each for _, each in held]), strict=True):
            if failure is not None:
                failures.append(failure)
                continue
            if entry := appender.entry(file := stream_file(key)):
                self._unlisted[file] = appender.known = entry
            durable.append(key)
        try:
            # Before others can append, so that entries of a stream stand in the order of its lines.
            self._list()
        except VaultUnwritable as error:
            failures.append(error)
            durable = []
        for key in durable:
            if key not in self._revising:
                self._appenders.pop(key).close()
        for folder in list(self._dirty_folders):
            try:
                safe_files.sync_folder(folder)
            except OSError as error:
                failures.append(VaultUnwritable(f"{folder}: {error.strerror or error} while making it durable"))
                continue
            self._dirty_folders.discard(folder)
        if failures:
            raise failures[0]

    def _list(self) -> None:
        """Note what is durable."""
        try:
            self.inventory.note(self._unlisted.values())
        except OSError as error:
            raise VaultUnwritable(f"{self.inventory.path}: {error.strerror or error}; nothing kept was lost") from error
        self._unlisted = {}

    def _prove(self) -> None:
        try:
            self.inventory.settle()
        except OSError as error:
            raise VaultUnwritable(f"{self.inventory.path}: {error.strerror or error}; nothing kept was lost") from error

    def _list_packed(self, key: StreamKey, packing: Packing) -> None:
        file, place = stream_file(key), sealing.sealed(packing.path)
        known = self._unlisted.get(file) or self.inventory.get(file)
        if known is None:
            known = Entry(file, extended(Measure(), sealing.read_lines(packing.path)))
        self._unlisted[file] = structs.replace(known, packed=packing.packed, mtime_ns=place.lstat().st_mtime_ns)

    def _wait(self, fd: int, path: Path) -> None:
        """Lock a file. Who waits lets go of what it holds: two could wait for each other for ever."""
        if safe_files.can_lock(fd):
            return
        self._let_go()
        for _ in range(int(self._patience_s / _LOOK_AGAIN_S)):
            time.sleep(_LOOK_AGAIN_S)
            if safe_files.can_lock(fd):
                return
        raise VaultUnwritable(f"{path}: another process has been writing it for {self._patience_s:g} s; try again")

    def _look_at_tail(self, key: StreamKey, path: Path) -> Tail:
        """The end of a stream that is sealed, not there, or not ours to write: it is not locked for that."""
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
        """Whether a link stands on the way to a stream, open or sealed; asked for with every line that is read."""
        return safe_files.has_link(self.root, path) or os.path.islink(sealing.sealed(path))  # noqa: PTH114

    def _blob_path(self, name: str) -> Path:
        if not (name.isascii() and name.isalnum()):
            raise ValueError(f"not a blob's name: {name!r}")
        return self.root / "blobs" / name[:2] / name

    def _make_folders(self, folder: Path) -> None:
        name = os.fspath(folder)
        is_known = name in self._known_folders and os.path.isdir(name)  # noqa: PTH112
        above = safe_files.make_folders(self.root, folder)
        if not is_known:
            # Those that were there, too: who made them may have died before their names were durable.
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
    if not safe_files.can_lock(fd):
        raise BlockingIOError(errno.EAGAIN, f"{path}: somebody writes it")


def stream_file(key: StreamKey) -> str:
    """The path of a stream below the vault, as the inventory names it."""
    owner = f"conversations/{key.workspace}/{key.agent}/{key.conversation}"
    return f"{owner}.jsonl" if key.stream == MAIN_STREAM else f"{owner}/{key.stream}.jsonl"


def stream_at(file: str) -> StreamKey | None:
    """The stream that the inventory names so; None when that is no stream's name."""
    match file.removesuffix(".jsonl").split("/"):
        case ["conversations", workspace, agent, conversation]:
            parts = (workspace, agent, conversation, MAIN_STREAM)
        case ["conversations", workspace, agent, conversation, stream]:
            parts = (workspace, agent, conversation, stream)
        case _:
            return None
    return StreamKey(*parts) if file.endswith(".jsonl") and all(map(is_safe_name, parts)) else None


def _pieces(path: Path, name: str) -> Iterator[bytes]:
    """A blob piece by piece; ValueError when it no longer is what its name says."""
    digest = hashlib.sha256()
    try:
        with os.fdopen(safe_files.open_file(path, safe_files.READ), "rb") as file:
            while piece := file.read(_BLOB_PIECE_BYTES):
                digest.update(piece)
                yield piece
    except OSError as error:
        raise ValueError(f"{blob_file(name)}: {error.strerror or error}") from error
    if digest.hexdigest() != name:
        raise ValueError(f"{blob_file(name)} changed while it was read")


def blob_file(name: str) -> str:
    """The path of a blob below the vault, as the inventory names it."""
    return f"blobs/{name[:2]}/{name}"


def _files(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []


def _most_open() -> int:
    """How many streams are held open at once: sources, folders and the index need files, too."""
    try:
        import resource
    except ImportError:
        return _OPEN_FILES
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _OPEN_FILES if limit < 0 else max(1, min(_OPEN_FILES, limit // _SHARE))


def _folders(path: Path) -> list[str]:
    """The folders in a folder that may be ours: real ones (no links) with names that we would give."""
    if path.is_symlink():
        return []
    try:
        with os.scandir(path) as entries:
            return sorted(e.name for e in entries if e.is_dir(follow_symlinks=False) and is_safe_name(e.name))
    except OSError:
        return []


def _synced(appenders: list[Appender]) -> list[VaultUnwritable | None]:
    """Make streams durable; what failed of each.

    Many are synced at the same time: a file system then writes its journal for all of them at once, not for each.
    """
    if len(appenders) < _SYNCED_ALONE:
        return [_failure_to_sync(each) for each in appenders]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_SYNCED_TOGETHER) as threads:
        return list(threads.map(_failure_to_sync, appenders))


def _failure_to_sync(appender: Appender) -> VaultUnwritable | None:
    try:
        appender.sync()
    except VaultUnwritable as error:
        return error
    return None
