"""An active conversation in the indexer: reads its records from the vault, folds them, and projects them to the index.

Most conversations are session files that grow; they are continued from where reading stopped. Logs that contain several
sessions, and prompts of deleted sessions, are small, rare and read as a whole: new records may change earlier ones.
"""

from collections.abc import Callable, Iterator
from math import fsum

import msgspec
from msgspec import Struct

from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Change, Message, Remove, Session
from chorus.core.conversation.model_usage import conversation_tokens, counts_by_turns
from chorus.core.conversation.partials import being_written
from chorus.core.conversation.route import Router
from chorus.core.conversation.state import dump
from chorus.core.conversation.stream_gate import revised_authorities
from chorus.core.progress.parser import ProgressParser, ProgressState
from chorus.core.records.bounded import encoded
from chorus.core.records.model.turns import Assistant
from chorus.core.records.record import Record
from chorus.core.records.session_ids import is_session_id
from chorus.core.spending.counting import usage_of, usages_of
from chorus.core.spending.prompts import Prompts
from chorus.core.spending.reported import MessageCosts, reported_of
from chorus.core.spending.reported_choice import choose_figures
from chorus.core.spending.rows import Usage
from chorus.find.index.rows import ConversationRow, Entry, Position, Writing
from chorus.find.indexing.projection import Projection
from chorus.find.indexing.saved_conversation import (
    VERSION,
    Saved,
    decoders_without_usage,
    growing_decoders,
    load_saved,
)
from chorus.find.indexing.spilling_dict import SpillingDict, count_in_memory, spill
from chorus.find.payloads.loader import Loader
from chorus.find.payloads.long_outputs import LongOutputs
from chorus.keep.archive.listing import HISTORY_STREAM, MANIFEST_STREAM, Kept
from chorus.keep.archive.manifest import Manifest, manifest_of
from chorus.keep.archive.opening import Sidecar, prepared, sidecar_record, sidecars
from chorus.keep.archive.stream_authority import authorities_in, best_first
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Vault
from chorus.keep.vault.records import StreamReading
from chorus.keep.vault.spill_file import SpillFile

SAVE_EVERY, SAVE_SHARE = 1_000, 2
"""An active conversation is saved again after `SAVE_EVERY` records, or after 1/`SAVE_SHARE` of all its records if that
is more. So only this many records are read twice when it is resumed, and a long conversation is not saved too often.
"""
MAX_CHARS, MAX_LIVE_CHARS = 24 << 20, 2 << 20
"""The amount of text in memory before it is written: of a new conversation, and of one that continues."""


Heard = Callable[[Kept, Fold, Record, list[Change]], None]
"""Called with a record that was folded, and what it changed in its conversation."""


class _Thread(Struct):
    """The session of a conversation, as far as it was read."""

    fold: Fold
    projection: Projection
    outputs: LongOutputs
    progress: ProgressParser


class OpenConversation:
    """One conversation: `writings` returns what is new since the last call."""

    heard: Heard | None = None
    """Called with every record that is read."""

    def __init__(self, vault: Vault, kept: Kept) -> None:
        self._vault = vault
        self.kept = kept
        self._session: _Thread | None = None
        self._routers: dict[str, Router] = {}
        self._waiting: dict[tuple[str, int], int] = {}
        """Vault positions of the records that wait for a session, by stream and offset."""
        self._positions: dict[str, Position] = {}
        self._sidecars: dict[str, str] = {}
        self._manifest: Manifest | None = None
        self._authorities: StreamAuthorities | None = None
        self._touched: set[str] = set()
        """Messages whose usage may have changed."""
        self._usages: set[str] = set()
        """Messages whose usage the index has; only used while all of them may be replaced."""
        self._is_per_turn = True
        """Whether the usages in the index are those of turns."""
        self._message_reports: MessageCosts | None = None
        self._unsaved = 0
        """Records since it was last saved."""
        self._damaged = 0
        self._is_whole = True
        self._was_continued = False
        """Whether it was read in several steps, so that a stream with less authority may have come before one with
        more.
        """
        self._is_unfinished = False

    @classmethod
    def resume(
        cls, vault: Vault, kept: Kept, saved: bytes | None, entries: Iterator[Entry]
    ) -> "OpenConversation | None":
        """Restores the conversation from its saved state; None when it must be read from its start.

        `entries` are those of the index, which may be further: reading records again does not change them.
        """
        state = load_saved(saved)
        fold = Fold.restore(state.fold) if state else None
        if state is None or fold is None or not can_continue(kept):
            return None
        for name, packed in state.aside.items():
            setattr(fold.state, name, packed.whole(growing_decoders()[name]))
        opened = cls(vault, kept)
        opened._authorities = state.authorities
        thread = opened._begin(fold, entries, state.progress)
        thread.outputs.read = dict(state.outputs)
        thread.projection.session = msgspec.structs.replace(fold.state.session)
        opened._routers = {name: kept.router(name, router) for name, router in state.routers.items()}
        opened._positions = dict(state.positions)
        opened._sidecars = dict(state.sidecars)
        opened._is_per_turn = state.is_per_turn
        if state.is_per_turn:
            opened._usages = {usage.message for usage in usages_of(fold, kept.name, thread.projection.turns())}
        thread.projection.prompts.take_change()
        opened._is_whole = False
        opened._was_continued = True
        return opened

    def is_overtaken(self, kept: Kept) -> bool:
        """Whether something that was read has changed since, so that everything must be read from the start."""
        found = self._sidecar_notes(kept)
        if self._authorities is not None and not self._authorities.can_continue_as(self._found_authority(kept)):
            return True
        files = self._manifest.side_files if self._manifest is not None else {}
        if self._session is not None and self._session.outputs.is_outdated(files):
            return True
        return any(self._sidecars.get(note.stream, note.blob) != note.blob for note in found)

    @property
    def values_in_memory(self) -> int:
        """The number of values of its state in memory."""
        if self._session is None:
            return 0
        return count_in_memory(self._session.fold.state, growing_decoders()) + self._session.projection.values_in_memory

    def spill(self, aside: SpillFile) -> None:
        """Keeps only recently used state in memory, however long the conversation is."""
        if self._session is None:
            return
        state = self._session.fold.state
        # While usage is that of turns, all messages are read for each writing.
        is_counted = state.session.has_message_usage and not self._is_per_turn
        spill(state, aside, growing_decoders() if is_counted or not state.api_messages else decoders_without_usage())
        self._session.projection.spill(aside)

    @property
    def can_continue(self) -> bool:
        """Whether new records can be added to the current state."""
        heard = self._authorities is not None and any(each.may_add for each in self._authorities.by_stream.values())
        return can_continue(self.kept) and not heard and not self._is_unfinished and self._session is not None

    def save(self) -> bytes | None:
        """Returns the input of `resume`; None when the conversation must be read from its start next time."""
        routers = {name: router.save() for name, router in self._routers.items()}
        known = {name: state for name, state in routers.items() if state is not None}
        if self._session is None or not self.can_continue or len(known) < len(routers):
            return None
        fold = self._session.fold
        self._unsaved = 0
        aside = {
            name: spilled.packed()
            for name in growing_decoders()
            if isinstance(spilled := getattr(fold.state, name), SpillingDict)
        }
        state = Saved(
            version=VERSION,
            fold=dump(msgspec.structs.replace(fold.state, **{name: {} for name in aside})),
            aside=aside,
            routers=known,
            sidecars=self._sidecars,
            positions=self._positions,
            is_per_turn=self._is_per_turn,
            outputs=self._session.outputs.read,
            authorities=self._authorities or StreamAuthorities(),
            progress=self._session.progress.save(),
        )
        return encoded(state)

    def writings(self, kept: Kept, *, saved_since: str) -> Iterator[Writing]:
        """Reads what is new and yields what changed, in several writings if it is much.

        A conversation with activity after `saved_since` is saved, so that another process can continue it.
        """
        self.kept = kept
        notes = self._sidecar_notes(kept)
        if (
            self._was_continued
            and self._authorities
            and not self._authorities.can_continue_as(self._found_authority(kept))
        ):
            self.__init__(self._vault, kept)  # type: ignore[misc]
            notes = self._sidecar_notes(kept)
        authorities = self._update_authority(kept)
        for note in notes:
            if note.stream not in self._sidecars and (record := sidecar_record(self._vault, kept, note)):
                self._sidecars[note.stream] = note.blob
                self._take(record, 0)
        sizes = kept.sizes
        for key in best_first(kept, authorities):
            yield from self._read(key, sizes[key.stream])
        self._close()
        if (again := self._reconsidered(authorities)) is not None:
            self.__init__(self._vault, kept)  # type: ignore[misc]
            self._authorities = again
            yield from self.writings(kept, saved_since=saved_since)
            return
        main = self._session or self._begin(self._new_fold(self.kept.id), iter(()))
        session = main.projection.session
        is_at_work = session is not None and (session.ended_at or "") >= saved_since
        is_due = self._is_whole or self._unsaved >= max(SAVE_EVERY, main.fold.state.records // SAVE_SHARE)
        writing = self._writing(main)
        writing.state = self.save() if is_at_work and is_due else None
        yield writing
        self._was_continued = True

    def _sidecar_notes(self, kept: Kept) -> list[Sidecar]:
        """Returns the metadata of sub-agents' files; reads the manifest only when it has grown."""
        size = kept.sizes.get(MANIFEST_STREAM)
        known = self._positions.get(MANIFEST_STREAM)
        if size is not None and (self._manifest is None or known is None or known.size_bytes != size):
            self._manifest = manifest_of(self._vault, kept)
            self._positions[MANIFEST_STREAM] = Position(size, self._manifest.next_at, 0, 0)
        return sidecars(kept, self._manifest) if self._manifest else []

    def _found_authority(self, kept: Kept) -> StreamAuthorities:
        return authorities_in(kept, self._manifest or Manifest())

    def _update_authority(self, kept: Kept) -> StreamAuthorities:
        """Returns the authority of each stream: as it was when the conversation was opened, plus later streams."""
        found = self._found_authority(kept)
        known = self._authorities
        if known is None:
            known = self._authorities = found
        else:
            known.by_stream |= {name: each for name, each in found.by_stream.items() if name not in known.by_stream}
            known.has_main = found.has_main
        if self._session is not None:
            self._session.fold.authorities = self._needed_authority()
        return known

    def _needed_authority(self) -> StreamAuthorities | None:
        """Returns the authorities that the fold needs: None where there is only one stream."""
        return self._authorities if self._authorities is not None and len(self._authorities.by_stream) > 1 else None

    def _reconsidered(self, authorities: StreamAuthorities) -> StreamAuthorities | None:
        """Returns the authorities with which everything must be read again; None when what was read is still valid."""
        if self._session is None:
            return None
        fold = self._session.fold
        if fold.needs_refold and authorities.is_comparing:
            return self._found_authority(self.kept) if self._was_continued else None
        return revised_authorities(fold.state.comparison, authorities)

    def _read(self, key: StreamKey, size_bytes: int) -> Iterator[Writing]:
        known = self._positions.get(key.stream)
        reading = StreamReading(self._vault, key, known.at if known else 0)
        if known:
            reading.revision, reading.next_seq = known.revision, known.seq
        for record in prepared(self._vault, self.kept, key, reading):
            self._take(record, reading.at)
            main = self._session
            most = MAX_CHARS if self._is_whole else MAX_LIVE_CHARS
            if main is not None and main.projection.text_chars > most and can_continue(self.kept):
                yield self._writing(main)
        self._damaged += reading.damaged
        self._is_unfinished = self._is_unfinished or reading.is_unfinished
        self._positions[key.stream] = Position(size_bytes, reading.next_at, reading.revision, reading.next_seq)

    def _take(self, record: Record, at: int) -> None:
        router = self._routers.get(record.stream)
        if router is None:
            router = self._routers[record.stream] = self.kept.router(record.stream)
        routed = router.route(record)
        if not routed or routed[-1][1] is not record:
            self._waiting[record.stream, record.offset] = at
        for session_id, each in routed:
            self._feed(session_id, each, at if each is record else self._position_of(each))

    def _close(self) -> None:
        for router in self._routers.values():
            for session_id, record in router.close():
                self._feed(session_id, record, self._position_of(record))
                self._is_unfinished = True

    def _position_of(self, record: Record) -> int:
        """Returns the vault position of a record that had to wait for its session."""
        return self._waiting.pop((record.stream, record.offset), 0)

    def _feed(self, session_id: str, record: Record, at: int) -> None:
        if not self.kept.holds(session_id):
            # It belongs to another session, whose own conversation contains it as a part.
            return
        thread = self._session or self._begin(self._new_fold(session_id), iter(()))
        self._unsaved += 1
        changes = thread.fold.feed(record)
        thread.projection.take(changes, at)
        thread.progress.take(changes)
        if self.heard is not None:
            self.heard(self.kept, thread.fold, record, changes)
        # For a whole conversation, all usages are written anyway.
        if not self._is_whole:
            self._touch(record, changes)

    def _touch(self, record: Record, changes: list[Change]) -> None:
        """Collects the messages whose usage a record may have changed, shown or not."""
        value = record.value
        if isinstance(value, Assistant) and value.message and value.message.id:
            self._touched.add(value.message.id)
        for change in changes:
            if isinstance(change, Message):
                self._touched.add(change.message_id or change.id)
            elif isinstance(change, Remove):
                # In a sub-agent, the agent's id precedes that of the message.
                self._touched |= {change.id, change.id.rpartition("/")[2]}

    def _begin(self, fold: Fold, entries: Iterator[Entry], progress: ProgressState | None = None) -> _Thread:
        kept = self.kept
        loader = Loader(self._vault, kept.workspace, kept.agent, kept.id)
        projection = Projection(
            kept.name,
            loader.part,
            entries,
            being_written(fold.state),
            fold.state.messages,
            loader.outputs.text,
        )
        found = self._session = _Thread(fold, projection, loader.outputs, ProgressParser(progress))
        return found

    def _new_fold(self, session_id: str) -> Fold:
        return Fold(session_id, authorities=self._needed_authority())

    def _writing(self, main: _Thread) -> Writing:
        is_whole, self._is_whole = self._is_whole, False
        projection, fold, name = main.projection, main.fold, self.kept.name
        session = projection.session or Session(
            id="session", order=("", 0, "", 0, 0), session_id=fold.session_id, title=fold.session_id
        )
        files, names, agent_types = dict(projection.files), set(projection.names), dict(projection.agent_types)
        put, removed = projection.settle()
        activities, activities_gone = projection.counted.settle()
        turns = projection.turns()
        is_per_turn = counts_by_turns(session, turns)
        prompts = projection.prompts
        have_turns_moved = self._have_turns_moved(prompts)
        only = None if is_whole or is_per_turn or self._is_per_turn or have_turns_moved else self._touched
        usages = usages_of(fold, name, turns, prompts) if only is None else self._changed(fold, name, prompts)
        now = {usage.message for usage in usages}
        gone = self._usages - now if only is None else set()
        if is_per_turn and not self._is_per_turn and not is_whole:
            # From now on turns report the usage: what messages reported no longer counts.
            earlier = (usage_of(fold, name, message) for message in fold.state.api_messages)
            gone |= {usage.message for usage in earlier if usage is not None} - now
        self._usages = now if only is None else set()
        self._is_per_turn = is_per_turn
        if is_whole or self._message_reports is None:
            self._message_reports = MessageCosts(fold)
        else:
            self._message_reports.update(self._touched)
        self._touched = set()
        reports = reported_of(fold, turns, name, self._message_reports)
        reported = choose_figures(reports, frozenset())[0]
        return Writing(
            row=ConversationRow(
                name=name,
                id=self.kept.id,
                workspace=self.kept.workspace,
                agent=self.kept.agent,
                session=msgspec.structs.replace(session),
                sub_agents=projection.agents,
                sub_agents_at_work=projection.agents_at_work(),
                calls=projection.calls,
                tokens=conversation_tokens(session, turns),
                is_per_turn=is_per_turn,
                reported_usd=fsum(figure.usd for figure in reported) if reported else None,
                size_bytes=self.kept.size_bytes,
                damaged=self._damaged,
                records=fold.state.records,
                is_stub=self.kept.is_stub,
                progress=main.progress.current,
            ),
            is_whole=is_whole,
            put=put,
            removed=removed,
            usages=usages,
            usages_gone=sorted(gone),
            reported=reports,
            files=files,
            names=names,
            activities=activities,
            activities_gone=activities_gone,
            agent_types=agent_types,
            positions=dict(self._positions),
        )

    def _changed(self, fold: Fold, name: str, prompts: Prompts) -> list[Usage]:
        found = (usage_of(fold, name, message, prompts) for message in sorted(self._touched))
        return [usage for usage in found if usage is not None]

    def _have_turns_moved(self, prompts: Prompts) -> bool:
        """Whether a prompt appeared, moved or vanished before a message whose turn the index may already have."""
        changed_at, known = prompts.take_change(), self._message_reports
        return changed_at is not None and (known is None or changed_at <= (known.last_at or ""))


def can_continue(kept: Kept) -> bool:
    """Whether a conversation is of the kind that can be continued."""
    return is_session_id(kept.id) and not any(
        kept.is_log(key.stream) or key.stream == HISTORY_STREAM for key in kept.content
    )
