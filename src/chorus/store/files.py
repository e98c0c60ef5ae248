"""The vault as files: an open layout that other tools can read (docs/formats/vault.md).

vault.json                                               format version
conversations/{workspace}/{agent}/{conversation}.jsonl   the main stream (sealed: .jsonl.zst)
conversations/{workspace}/{agent}/{conversation}/{stream}.jsonl
blobs/{2 digits}/{sha256}                                side files, by content
"""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from chorus.errors import VaultTooNew, VaultUnwritable
from chorus.store import sealing
from chorus.store.appender import Appender, sync_folder
from chorus.store.keys import MAIN_STREAM, StreamKey, is_safe_name
from chorus.store.line import StoredLine, decode
from chorus.store.memory import encode_all
from chorus.store.port import Damaged, Tail

FORMAT = 1
_OPEN_FILES = 64


class FileVault:
    """A vault below `root`, which is made when something is first kept."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.format = _format_of(root)
        self._appenders: dict[StreamKey, Appender] = {}
        self._dirty_blobs: list[Path] = []

    @property
    def is_too_new(self) -> bool:
        """Whether a newer Chorus wrote it: then it can be read, not written."""
        return self.format > FORMAT

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
            for name in {sealing.stream_name(file) for file in _files(folder / conversation)}:
                if name and is_safe_name(name):
                    yield StreamKey(workspace, agent, conversation, name)

    def path(self, key: StreamKey) -> Path:
        """Where the stream lies while it is open; sealed, `.zst` is added."""
        folder = self.root / "conversations" / key.workspace / key.agent
        if key.stream == MAIN_STREAM:
            return folder / f"{key.conversation}.jsonl"
        return folder / key.conversation / f"{key.stream}.jsonl"

    def tail(self, key: StreamKey) -> Tail:
        known = self._appenders.get(key)
        if known is not None and known.is_open:
            return known.tail
        path = self.path(key)
        if not path.exists() and not sealing.sealed(path).exists():
            return Tail()
        return self._appender(key).tail

    def append(self, key: StreamKey, data: bytes, *, seen_at: str) -> Tail:
        appender = self._appender(key)
        lines, tail = encode_all(key, data, appender.tail, appender.follows, seen_at)
        appender.write(lines)
        appender.tail, appender.follows = tail, None
        return tail

    def revise(self, key: StreamKey, prefix: int) -> Tail:
        appender = self._appender(key)
        appender.tail = Tail(appender.tail.revision + 1, prefix, appender.tail.seq)
        appender.follows = prefix
        return appender.tail

    def lines(self, key: StreamKey) -> Iterator[StoredLine | Damaged]:
        for number, line in enumerate(sealing.read_lines(self.path(key)), 1):
            try:
                found = decode(line)
            except ValueError as error:
                yield Damaged(key, number, str(error))
                continue
            yield found if found.is_whole else Damaged(key, number, "its checksum does not match")

    def put_blob(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        path = self._blob_path(name)
        if path.exists():
            return name
        self._check_writable()
        _make_folder(path.parent)
        half = path.with_name(f"{name}.{os.getpid()}.tmp")
        try:
            fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(fd)
            half.replace(path)
        except OSError as error:
            half.unlink(missing_ok=True)
            raise VaultUnwritable(f"{path}: {error.strerror or error}") from error
        self._dirty_blobs.append(path.parent)
        return name

    def blob(self, name: str) -> bytes | None:
        try:
            data = self._blob_path(name).read_bytes()
        except OSError:
            return None
        return data if hashlib.sha256(data).hexdigest() == name else None

    def flush(self) -> None:
        """Make all durable and let go of the locks, so that others may append."""
        appenders, self._appenders = self._appenders, {}
        waiting = [appender for appender in appenders.values() if appender.follows is not None]
        try:
            for folder in set(self._dirty_blobs):
                sync_folder(folder)
            self._dirty_blobs = []
            for appender in appenders.values():
                if appender.is_open:
                    appender.sync()
        except OSError as error:
            raise VaultUnwritable(f"{self.root}: {error.strerror or error}") from error
        finally:
            for key, appender in appenders.items():
                # A revision that was announced and has no line yet is remembered by nobody else.
                if appender in waiting and appender.is_open:
                    self._appenders[key] = appender
                else:
                    appender.close()

    def close(self) -> None:
        self.flush()
        for appender in self._appenders.values():
            appender.close()
        self._appenders = {}

    def seal(self, key: StreamKey) -> None:
        self._check_writable()
        self._let_go(key)
        try:
            sealing.seal(self.path(key))
        except OSError as error:
            raise VaultUnwritable(f"{self.path(key)}: {error.strerror or error}") from error

    def forget(self, key: StreamKey) -> None:
        self._check_writable()
        self._let_go(key)
        path = self.path(key)
        for gone in (path, sealing.sealed(path)):
            gone.unlink(missing_ok=True)
        if path.parent.is_dir():
            sync_folder(path.parent)

    def _appender(self, key: StreamKey) -> Appender:
        known = self._appenders.get(key)
        if known is not None and known.is_open:
            return known
        self._check_writable()
        if len(self._appenders) >= _OPEN_FILES:
            self.flush()
        path = self.path(key)
        _make_folder(path.parent)
        try:
            sealing.unseal(path)
        except OSError as error:
            raise VaultUnwritable(f"{path}: {error.strerror or error}") from error
        self._appenders[key] = Appender(path)
        return self._appenders[key]

    def _let_go(self, key: StreamKey) -> None:
        known = self._appenders.pop(key, None)
        if known is not None and known.is_open:
            known.sync()
            known.close()

    def _blob_path(self, name: str) -> Path:
        if not name.isalnum():
            raise ValueError(f"not a blob's name: {name!r}")
        return self.root / "blobs" / name[:2] / name

    def _check_writable(self) -> None:
        if self.is_too_new:
            raise VaultTooNew(
                f"{self.root} has format {self.format}, this Chorus writes {FORMAT}: upgrade Chorus"
            )
        version = self.root / "vault.json"
        if not version.exists():
            try:
                _make_folder(self.root)
                half = self.root / f"vault.json.{os.getpid()}.tmp"
                half.write_text(json.dumps({"format": FORMAT}) + "\n")
                half.chmod(0o600)
                half.replace(version)
                sync_folder(self.root)
            except OSError as error:
                raise VaultUnwritable(f"{self.root}: {error.strerror or error}") from error


def _format_of(root: Path) -> int:
    try:
        found = json.loads((root / "vault.json").read_text())
    except (OSError, ValueError):
        return FORMAT
    version = found.get("format") if isinstance(found, dict) else None
    return version if isinstance(version, int) else FORMAT


def _files(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []


def _folders(path: Path) -> list[str]:
    """The folders in a folder that may be ours: real ones (no links) with names that we would give."""
    try:
        with os.scandir(path) as entries:
            return sorted(e.name for e in entries if e.is_dir(follow_symlinks=False) and is_safe_name(e.name))
    except OSError:
        return []


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, for this user alone, durably; one that is a link is refused."""
    if folder.is_dir() and not folder.is_symlink():
        return
    try:
        if folder.parent != folder and not folder.parent.is_dir():
            _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        is_link = folder.is_symlink()
        if not is_link:
            folder.chmod(0o700)
        sync_folder(folder.parent)
    except OSError as error:
        raise VaultUnwritable(f"{folder}: {error.strerror or error}") from error
    if is_link:
        raise VaultUnwritable(f"{folder}: is a link, and links are not followed")
