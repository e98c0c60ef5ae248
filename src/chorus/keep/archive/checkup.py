"""Checks what the client will delete, how much of it is stored, and what in the vault is damaged.

Changes nothing: no lock is taken, nothing is unpacked, the client's files are opened read-only.
"""

import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct, field

from chorus.base.config import Config
from chorus.errors import SourceUnreadable
from chorus.keep.archive.listing import conversations
from chorus.keep.archive.stream_ends import ends
from chorus.keep.sources.comparison import compare
from chorus.keep.sources.conversation_of import ConversationLocator
from chorus.keep.sources.discover import Found, find
from chorus.keep.sources.file_access import Bounds, Skip, Skips, open_file, read_file, skip_of
from chorus.keep.sources.ownership import head_of
from chorus.keep.sources.plan_slug import slug_of
from chorus.keep.sources.side_files import SideFileBounds, report_skipped_side_files
from chorus.keep.sources.taken_notes import TakenNotes
from chorus.keep.vault import verification
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import MAIN_STREAM, SESSION_FILE, StreamKey
from chorus.keep.vault.layout import stream_at
from chorus.keep.vault.port import Damaged
from chorus.keep.vault.tombstones import readable_forgotten_ids

DEFAULT_CLEANUP_DAYS = 30
"""What the client does if its settings state nothing."""
WARN_DAYS = 7
"""A session that is not stored is at risk this many days before the client deletes it."""
_DAY_S = 86_400
_REST_BYTES = 1 << 20
_SETTINGS_BYTES = 8 << 20


class Missing(Struct, frozen=True):
    """A source of which not everything is stored."""

    path: str
    size_bytes: int
    missing_bytes: int
    age_days: int
    is_at_risk: bool


class Trouble(Struct, frozen=True):
    """A file that cannot be read, or a stream of the vault that is damaged."""

    where: str
    reason: str


class Checkup(Struct):
    """The result of a check of the client and the vault."""

    sources: int = 0
    kept_sources: int = 0
    ignored_sources: int = 0
    """Forgotten by a person, or matched by a pattern of `ignore`."""
    missing: list[Missing] = field(default_factory=list)
    unreadable: list[Trouble] = field(default_factory=list)
    skipped: list[Trouble] = field(default_factory=list)
    """What a pass leaves out: pipes, devices, links that lead out of the client's folder."""
    damaged: list[Trouble] = field(default_factory=list)
    conversations: int = 0
    stubs: int = 0
    vault_bytes: int = 0
    free_bytes: int | None = None

    @property
    def at_risk(self) -> list[Missing]:
        return [each for each in self.missing if each.is_at_risk]


class _ClientSettings(Struct):
    cleanupPeriodDays: float | None = None  # noqa: N815 - the client's name


_settings = msgspec.json.Decoder(_ClientSettings)


def cleanup_days(client: Path) -> int | None:
    """Return after how many days the client deletes sessions according to its settings; None if they do not say."""
    try:
        # A link is allowed here, for settings that are stored elsewhere: only one number is read from them.
        found = _settings.decode(read_file(client / "settings.json", None, _SETTINGS_BYTES) or b"{}").cleanupPeriodDays
    except (SourceUnreadable, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return int(found) if found is not None and 0 <= found < 1e6 else None


def cleanup_in_words(days: int | None) -> str:
    """Describe what the client does with old sessions; `days` comes from `cleanup_days`."""
    source = "its default" if days is None else "`cleanupPeriodDays` in its settings"
    after = DEFAULT_CLEANUP_DAYS if days is None else days
    return f"deletes sessions after {after:,} {'day' if after == 1 else 'days'} ({source})"


def check(vault: FileVault, client: Path, config: Config, *, now_s: float, is_full: bool = False) -> Checkup:
    """Check everything; `is_full` reads every line of the vault instead of only the ends of streams."""
    found = Checkup(free_bytes=_free(vault.root), vault_bytes=_size_below(vault.root))
    for kept in conversations(vault):
        found.conversations += 1
        found.stubs += kept.is_stub
        for key in kept.keys:
            found.damaged.extend(_every_damage(vault, key) if is_full else _damage_at_the_end(vault, key))
    found.damaged += [Trouble(each.file, each.reason) for each in verification.state_findings(vault)]
    reported = {each.where for each in found.damaged}
    for entry, each in verification.findings(vault, is_full=is_full):
        key = stream_at(entry.file)
        where = _name(key) if key else each.file
        where = where if each.line is None else f"{where}, line {each.line}"
        if where not in reported:
            found.damaged.append(Trouble(where, each.reason))
    cleanup = cleanup_days(client)
    horizon = (DEFAULT_CLEANUP_DAYS if cleanup is None else cleanup) - WARN_DAYS
    also = [Path(each) for each in config.follow_links_to]

    def skip(skip: Skip) -> None:
        known, trouble = found.unreadable if skip.is_failure else found.skipped, Trouble(skip.path, skip.reason)
        if trouble not in known:
            known.append(trouble)

    side_bounds = SideFileBounds(Bounds(client, client / "projects", *also), Bounds(client, *also), skip)
    look = _SourceCheck(vault, config, now_s, horizon, side_bounds)
    if (client / "projects").is_dir():
        for source in find(client, skip, also):
            look.at(source, found)
    _look_at_small_files(client, Bounds(client, *also), skip)
    found.missing.sort(key=lambda each: (not each.is_at_risk, -each.age_days, each.path))
    return found


class _SourceCheck:
    """Compares sources with the ends of the streams in which they are stored."""

    def __init__(
        self, vault: FileVault, config: Config, now_s: float, horizon_days: int, side_bounds: SideFileBounds
    ) -> None:
        self._side_bounds = side_bounds
        self._vault = vault
        self._now_s = now_s
        self._horizon_days = horizon_days
        self._locator = ConversationLocator(vault.keys())
        self._notes = TakenNotes(vault.root).by_path
        self._forgotten = readable_forgotten_ids(vault.root)
        self._ignored = [pattern for each in config.workspaces for pattern in each.ignore]

    def at(self, source: Found, found: Checkup) -> None:
        found.sources += 1
        try:
            with open_file(source.path, None) as file:
                status = os.fstat(file.fileno())
                key = self._key_of(source, file)
                if key.conversation in self._forgotten or any(fnmatch(str(source.path), one) for one in self._ignored):
                    found.ignored_sources += 1
                    return
                missing_bytes = self._missing(key, status, source.path, file)
                if source.kind == "session" and key.stream in (MAIN_STREAM, SESSION_FILE):
                    report_skipped_side_files(source.path, key.conversation, slug_of(file), self._side_bounds)
        except OSError as error:
            found.unreadable.append(Trouble(str(source.path), error.strerror or str(error)))
            return
        except SourceUnreadable as error:
            found.unreadable.append(Trouble(str(source.path), skip_of(source.path, error).reason))
            return
        if not missing_bytes:
            found.kept_sources += 1
            return
        age_days = max(0, int((self._now_s - status.st_mtime) // _DAY_S))
        is_at_risk = age_days >= self._horizon_days
        found.missing.append(Missing(str(source.path), status.st_size, missing_bytes, age_days, is_at_risk))

    def _key_of(self, source: Found, file: BinaryIO) -> StreamKey:
        """Return the stream in which the source is or would be stored. The note knows the stream of a second copy."""
        note = self._notes.get(str(source.path))
        if note is not None and note.key is not None:
            return StreamKey(*note.key)
        return self._locator.key_of(source, head_of(file) if source.session_id is None else ())

    def _missing(self, key: StreamKey, status: os.stat_result, path: Path, file: BinaryIO) -> int:
        note = self._notes.get(str(path))
        if note is not None and note.is_unchanged(status) and ends(self._vault, key).tail.offset == note.offset:
            return 0
        kept = compare(self._vault, key, file)
        if kept.common < kept.end:
            # It was cut or rewritten since then; a pass would store this as a revision.
            return max(1, status.st_size - kept.common)
        rest = os.pread(file.fileno(), _REST_BYTES, kept.end)
        if kept.end and b"\n" not in rest and len(rest) < _REST_BYTES:
            # The client is still writing this line; incomplete lines are not stored yet.
            return 0
        return status.st_size - kept.end


def _damage_at_the_end(vault: FileVault, key: StreamKey) -> list[Trouble]:
    damage = None if _is_sealed(vault, key) else ends(vault, key).damage
    return [Trouble(_name(key), damage)] if damage else []


def _every_damage(vault: FileVault, key: StreamKey) -> Iterator[Trouble]:
    try:
        for line in vault.lines(key):
            if isinstance(line, Damaged):
                yield Trouble(f"{_name(key)}, line {line.number}", line.reason)
    except OSError as error:
        yield Trouble(_name(key), f"cannot be read: {error.strerror or error}")


def _is_sealed(vault: FileVault, key: StreamKey) -> bool:
    return not vault.path(key).exists()


def _name(key: StreamKey) -> str:
    return f"{key.workspace}/{key.agent}/{key.conversation}/{key.stream}"


def _look_at_small_files(client: Path, bounds: Bounds, skip: Skips) -> None:
    """Report the history or the settings of the client if they exist and cannot be opened."""
    for name, within in (("history.jsonl", bounds), ("settings.json", None)):
        try:
            open_file(client / name, within).close()
        except SourceUnreadable as error:
            if not isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)):
                skip(skip_of(client / name, error))


def _size_below(root: Path) -> int:
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                status = Path(folder, name).lstat()
            except OSError:
                continue
            total += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return total


def _free(root: Path) -> int | None:
    """Return how many bytes this user may still write where the vault is or will be located."""
    place = root
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        found = os.statvfs(place)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize
