"""One pass over the sources: everything new in them is stored durably, in batches.

The order makes it safe: first the lines go into the vault, then `flush`, then the note that they were taken. If the
process is killed in between, the next pass finds the vault ahead of its notes and continues from there.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import structs

from chorus.core.conversation.authority import OWN_PLACE
from chorus.errors import SourceUnreadable, VaultBlocked
from chorus.keep.sources.conversation_of import ConversationLocator
from chorus.keep.sources.discover import Found, agents_in_folder, bounds_of, classify, config_folder_of, walk
from chorus.keep.sources.file_access import Bounds, open_file, skip_of
from chorus.keep.sources.healing import Healed, Healing
from chorus.keep.sources.history import Prompts
from chorus.keep.sources.layout import session_bounds, session_file_of
from chorus.keep.sources.origin import origin_of
from chorus.keep.sources.ownership import head_of
from chorus.keep.sources.parts import LOG_PART, PART, Parts
from chorus.keep.sources.placement import StreamPlacement, note_log
from chorus.keep.sources.plan_slug import Slugs, slug_of
from chorus.keep.sources.side_files import (
    MANIFEST,
    SideFileBounds,
    has_new_outputs,
    has_new_sidecar,
    keep_side_files,
    note_source,
)
from chorus.keep.sources.stream import take
from chorus.keep.sources.sync_report import Report
from chorus.keep.sources.taken_notes import Taken, TakenNotes
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import LOG_NOTE, MAIN_STREAM, SESSION_FILE, StreamKey
from chorus.keep.vault.port import Vault

_BATCH_BYTES, _FIRST_BATCH_BYTES = 16 << 20, 1 << 20
"""How much is made durable together. The first batches of a pass are small, so that the next step can start early."""
_BATCH_FILES = 200
_PACKED_AT_ONCE = 64
_OWN_STREAMS = (MANIFEST, LOG_NOTE, "run-", LOG_PART, PART)
"""Streams that Chorus itself wrote, which are packed together with those of the conversation's sources."""

_ENDING = ".jsonl"
_PLACED_LATER = ("session", "log")
"""Sources whose first lines may not yet say where they belong."""

Clock = Callable[[], str]
"""Returns the current time in the client's format."""


class Sync:
    """Stores sources in a vault. It keeps its state between passes, so that the next pass of a watcher is fast."""

    def __init__(
        self,
        vault: Vault,
        root: Path,
        clock: Clock,
        *,
        is_wanted: Callable[[StreamKey, Path], bool] | None = None,
        begun: Callable[[str], tuple[str, str] | None] | None = None,
        also: Sequence[Path] = (),
    ) -> None:
        """`begun` returns the workspace and agent of a session that a run of Chorus started.

        `also` are folders that links may lead into, in addition to the folder of each source.
        """
        self._also = tuple(also)
        self._bounds: dict[Path, Bounds | None] = {}
        """Source → where its files may be located."""
        self._vault = vault
        self._clock = clock
        self._notes = TakenNotes(root)
        keys = list(vault.keys())
        self._locator = ConversationLocator(keys, begun)
        self._prompts = Prompts(vault, self._locator, self._notes)
        self._owners = {StreamKey(*note.key): path for path, note in self._notes.by_path.items() if note.key}
        """Stream → the source it is stored from."""
        self._placement = StreamPlacement(vault, keys, self._owners)
        self._is_wanted = is_wanted or (lambda _key, _path: True)
        self._waiting_bytes = 0
        self._waiting_files = 0
        self._batch_bytes = _BATCH_BYTES
        self._pending: list[Taken] = []
        self._slugs = Slugs()
        self._parts = Parts(vault, self._locator, self._is_wanted)
        self._unreported: set[str] = set()
        """Conversations of which parts or side files were stored and not reported yet."""
        self._settled: Callable[[set[str]], None] | None = None

    def run(
        self,
        sources: Iterable[Path],
        advance: Callable[[int], None] | None = None,
        settled: Callable[[set[str]], None] | None = None,
    ) -> Report:
        """Look at every source below the given files and folders.

        `advance` is called with the size of each source that is done, `settled` with conversations that are durably
        stored.
        """
        report = Report()
        self._refresh()
        self._settled = settled
        self._batch_bytes = _FIRST_BATCH_BYTES
        agents_by_folder: dict[Path, dict[str, list[str]]] = {}
        done: set[str] = set()
        sessions: set[str] = set()
        configs: set[Path] = set()
        self._name_sources(sources := list(sources))
        for source in sources:
            bounds = self._bounds[source]
            if (source / "projects").is_dir():
                configs.add(source)
            for name, status in walk(source, report.skip, self._also):
                report.sources += 1
                known = self._notes.by_path.get(name)
                is_known = known is not None and known.is_routed and status is not None and known.is_unchanged(status)
                if is_known and known is not None and self._has_new_outputs(known):
                    self._look_at_side_files(known, report, bounds)
                if name not in done and not is_known:
                    found = classify(Path(name))
                    folder = found.path.parent
                    self._look(found, known, report, bounds)
                    if found.kind == "session" and settled:
                        # A conversation is complete only with its sub-agents, which come last in a walk.
                        if folder not in agents_by_folder:
                            agents_by_folder[folder] = agents_in_folder(folder, bounds)
                        for agent in agents_by_folder[folder].get(found.path.stem, ()):
                            done.add(agent)
                            self._look(classify(Path(agent)), self._notes.by_path.get(agent), report, bounds)
                    if config := config_folder_of(found.path):
                        configs.add(config)
                self._look_at_sidecar(name, report, bounds, sessions)
                if advance and status:
                    advance(status.st_size)
        self._settle()
        for config in sorted(configs):
            report.stubs += self._prompts.keep(
                config,
                self._bounds_of_config(config),
                report.skip,
                is_wanted=self._is_wanted,
                seen_at=self._clock(),
            )
        self._settle()
        self._settled = None
        return report

    def heal(self, sources: Iterable[Path] = ()) -> Healed:
        """Take again what the vault lost, if the sources still have it. The caller must hold the vault's sync lock.

        `sources` are those that a person named now. Files that were taken at other times are used only if their path
        contains no link: whoever created a link since then may want Chorus to read another file.
        """
        if not isinstance(self._vault, FileVault):
            return Healed()
        report = Report()
        self._name_sources(sources)

        def look(path: str) -> None:
            self._notes.drop([path])
            self._look(classify(Path(path)), self._notes.by_path.get(path), report, self._bounds_now(Path(path)))
            self._settle()

        def source_of(key: StreamKey, path: str) -> None:
            note_source(self._vault, key, classify(Path(path)), None, seen_at=self._clock(), is_once=True)

        healing = Healing(
            self._vault,
            self._notes,
            self._owners,
            self._parts,
            look=look,
            bounds_of=self._bounds_now,
            note_source=source_of,
            seen_at=self._clock(),
        )
        return healing.run()

    def _name_sources(self, sources: Iterable[Path]) -> None:
        for source in sources:
            self._bounds[source] = bounds_of(source, self._also)

    def _bounds_now(self, path: Path) -> Bounds | None:
        """Return where a file that was found earlier may be located now."""
        for source, bounds in self._bounds.items():
            if path.is_relative_to(source):
                return bounds
        return Bounds.exactly(str(path))

    def _bounds_of_config(self, config: Path) -> Bounds:
        """Return where the files of a client's folder may be located; if it is part of a source, inside that source."""
        for source, bounds in self._bounds.items():
            if bounds is not None and config.is_relative_to(source):
                return bounds
        return Bounds(config, *self._also)

    def seal_idle(self, before_ns: int, packed: Callable[[int, int], None] | None = None) -> int:
        """Pack the conversations of which no source changed since then, and return the number of packed streams.

        `packed` is called with the number of streams that are done, and the total.
        """
        idle: dict[str, list[Taken]] = {}
        busy: set[str] = set()
        for note in self._notes.by_path.values():
            if note.key is None:
                continue
            if note.mtime_ns >= before_ns:
                busy.add(note.key[2])
            elif not note.is_sealed:
                idle.setdefault(note.key[2], []).append(note)
        quiet = {name: notes for name, notes in idle.items() if name not in busy}
        keys: set[StreamKey] = set()
        for notes in quiet.values():
            for owner in {StreamKey(*note.key).owner for note in notes if note.key}:
                keys |= {each for each in self._vault.streams(owner) if each.stream.startswith(_OWN_STREAMS)}
            keys |= {StreamKey(*note.key) for note in notes if note.key}
        ordered = sorted(keys)
        for start in range(0, len(ordered), _PACKED_AT_ONCE):
            self._vault.seal_all(ordered[start : start + _PACKED_AT_ONCE])
            if packed:
                packed(min(start + _PACKED_AT_ONCE, len(ordered)), len(ordered))
        sealed = 0
        for note in [note for notes in quiet.values() for note in notes]:
            self._notes.add(structs.replace(note, is_sealed=True))
            sealed += 1
        self._notes.save()
        return sealed

    @property
    def workspaces(self) -> dict[str, str]:
        """Workspaces that this object saw for the first time: id → folder."""
        return self._locator.workspaces

    def look(self, *paths: Path, is_patient: bool = True, is_ended: bool = False) -> Report:
        """Look at files that were reported as changed, and make their new lines durable together.

        The client creates a session's file a moment before it writes the working folder, and the location of a
        conversation in the vault is fixed when it is first stored. Such a file is left until it changes again or `run`
        finds it; so is a log that names no session yet. Without `is_patient` it is taken as it is. `is_ended`: nothing
        more will be written, so the last line is stored even if it is incomplete.
        """
        report = Report(sources=len(paths))
        sessions: set[str] = set()
        self._refresh()
        for path in paths:
            found, known = classify(path), self._notes.by_path.get(str(path))
            bounds = next((each for source, each in self._bounds.items() if path.is_relative_to(source)), None)
            waits = known is None and is_patient and not is_ended and found.kind in _PLACED_LATER
            if waits and not self._is_placed(found, bounds):
                continue
            if known is not None and known.key is not None and _is_unchanged(path, known) and not is_ended:
                # Another process was faster, or a side file changed.
                report.looked_at.add(StreamKey(*known.key).owner)
                if self._has_new_outputs(known):
                    self._look_at_side_files(known, report, bounds)
            else:
                self._look(found, known, report, bounds, is_ended=is_ended)
            self._look_at_sidecar(str(path), report, bounds, sessions)
        self._settle()
        return report

    def _refresh(self) -> None:
        """Read what other processes took: a stream that is longer than its note has to be compared completely."""
        for note in self._notes.refresh():
            if note.key is not None:
                key = StreamKey(*note.key)
                self._placement.learn(key, note.path)
                self._locator.learn(key)

    def _is_placed(self, found: Found, bounds: Bounds | None) -> bool:
        try:
            with open_file(found.path, bounds) as file:
                return self._locator.is_placed(found, head_of(file))
        except (OSError, SourceUnreadable):
            # The error is reported when the source is taken.
            return True

    def _look(
        self,
        found: Found,
        known: Taken | None,
        report: Report,
        bounds: Bounds | None,
        *,
        is_ended: bool = False,
    ) -> None:
        try:
            self._take(found, known, report, bounds, is_ended=is_ended)
        except VaultBlocked as error:
            # Only this source cannot be stored. The next start repairs its place in the vault.
            report.failed.append(f"{found.path}: {error}")

    def _take(
        self, found: Found, known: Taken | None, report: Report, bounds: Bounds | None, *, is_ended: bool
    ) -> None:
        try:
            with open_file(found.path, bounds) as file:
                if known is None and found.kind == "log" and not os.fstat(file.fileno()).st_size:
                    # Its future content decides where it belongs; there is nothing to store yet.
                    return
                key = StreamKey(*known.key) if known and known.key else self._key_of(found, head_of(file))
                is_main_log = key.stream == MAIN_STREAM and found.kind == "log"
                if not self._is_wanted(key, found.path):
                    report.forgotten += 1
                    return
                report.looked_at.add(key.owner)
                is_new = self._vault.tail(key).seq == 0
                if is_main_log and known is None:
                    note_log(self._vault, key, found.path, seen_at=self._clock())
                outcome = take(self._vault, key, found.path, file, known, seen_at=self._clock(), is_ended=is_ended)
                is_session = key.stream in (MAIN_STREAM, SESSION_FILE) and not is_main_log
                has_side_files = is_session or (found.kind == "session" and origin_of(found) == OWN_PLACE)
                has_grown = known is not None and not outcome.is_revised
                slug = self._slugs.of(str(found.path), file, has_grown=has_grown) if has_side_files else None
        except OSError as error:
            report.failed.append(f"{found.path}: {error.strerror or error}")
            return
        except SourceUnreadable as error:
            report.skip(skip_of(found.path, error))
            return
        if known is None:
            folder = self._locator.folders.pop(found.path, None)
            note_source(self._vault, key, found, folder, seen_at=self._clock())
        if outcome.appended_bytes or outcome.is_revised:
            report.new += is_new
            report.grown += not is_new and not outcome.is_revised
            report.revised += outcome.is_revised
            report.kept_bytes += outcome.appended_bytes
            report.conversations.add(key.owner)
        if outcome.appended_bytes or outcome.has_others:
            parts = self._parts.keep(
                key,
                found,
                is_new=known is None or not known.is_routed,
                has_others=outcome.has_others,
                seen_at=self._clock(),
            )
            report.conversations |= parts
            report.looked_at |= parts
            self._unreported |= parts
        if has_side_files:
            self._store_side_files(key, found.path, slug, report, bounds)
        self._pending.append(outcome.note)
        self._waiting_bytes += outcome.appended_bytes
        self._waiting_files += 1
        if self._waiting_bytes > self._batch_bytes or self._waiting_files >= _BATCH_FILES:
            self._batch_bytes = min(self._batch_bytes * 2, _BATCH_BYTES)
            self._settle()

    def _store_side_files(
        self, key: StreamKey, session_file: Path, slug: str | None, report: Report, bounds: Bounds | None
    ) -> int:
        config = config_folder_of(session_file) or session_file.parent
        side_bounds = SideFileBounds(
            bounds or session_bounds(session_file), self._bounds_of_config(config), report.skip
        )
        kept = keep_side_files(self._vault, key, session_file, slug, self._notes, side_bounds, seen_at=self._clock())
        report.side_files += kept
        return kept

    def _has_new_outputs(self, known: Taken) -> bool:
        """Return whether a session that has not changed got a new long output; costs a `stat`."""
        if known.key is None or not known.path.endswith(_ENDING) or known.key[3] not in (MAIN_STREAM, SESSION_FILE):
            return False
        return has_new_outputs(known.path.removesuffix(_ENDING), self._notes)

    def _look_at_sidecar(self, path: str, report: Report, bounds: Bounds | None, done: set[str]) -> None:
        """Store the sidecar of a sub-agent's file if it changed: the client may say there last that it has finished.

        Each session is looked at once, and added to `done`.
        """
        session_file = session_file_of(path)
        if session_file is None or session_file in done or not has_new_sidecar(path, self._notes):
            return
        done.add(session_file)
        known = self._notes.by_path.get(session_file)
        if known is not None and known.key is not None and known.key[3] in (MAIN_STREAM, SESSION_FILE):
            self._look_at_side_files(known, report, bounds)

    def _look_at_side_files(self, known: Taken, report: Report, bounds: Bounds | None) -> None:
        """Store new side files of a session that has not changed itself."""
        assert known.key is not None
        key, path = StreamKey(*known.key), Path(known.path)
        if not self._is_wanted(key, path):
            return
        try:
            with open_file(path, bounds) as file:
                slug = slug_of(file)
        except (OSError, SourceUnreadable):
            # The error is reported when the source is taken.
            return
        if self._store_side_files(key, path, slug, report, bounds):
            report.conversations.add(key.owner)
            report.looked_at.add(key.owner)
            self._unreported.add(key.owner)

    def _key_of(self, found: Found, head: Iterable[bytes]) -> StreamKey:
        """Return the stream of a source that is seen for the first time."""
        return self._placement.stream_of(self._locator.key_of(found, head), found)

    def _settle(self) -> None:
        """Make everything durable, and then write the notes."""
        self._vault.flush()
        for note in self._pending:
            self._notes.add(note)
        conversations = {StreamKey(*note.key).owner for note in self._pending if note.key} | self._unreported
        self._unreported = set()
        self._pending, self._waiting_bytes, self._waiting_files = [], 0, 0
        self._notes.save()
        if self._settled:
            self._settled(conversations)


def _is_unchanged(path: Path, known: Taken) -> bool:
    try:
        return known.is_unchanged(path.stat())
    except OSError:
        return False
