"""Edits as the records of a conversation tell them: events for snapshots, out of the changes of the fold. Pure."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec import Struct

from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Author, Block, Call, CallState, Change, Message, Notice, Session, Status
from chorus.core.conversation.items import ToolResult as Result
from chorus.core.conversation.tool_facts import kind_of
from chorus.core.file_versions.backup_steps import backups_of
from chorus.core.file_versions.paths import full_path
from chorus.core.file_versions.steps import FileCall, file_call, writes_literally
from chorus.core.records.model.tools import decode_input
from chorus.core.records.model.turns import User
from chorus.core.records.record import Record
from chorus.keep.snapshots.commits import Feed
from chorus.steer.edits.events import EditEvent, Stage

_MAX_OPEN = 1_000
"""Calls without a result, and backups, that are remembered."""
_T = TypeVar("_T")
_ENDED = (Status.DONE, Status.FAILED, Status.INTERRUPTED)


class RecordedCall(Struct, frozen=True, kw_only=True):
    """What a record says about an event."""

    feed: Feed
    time_ms: int
    """When it happened, in milliseconds since 1970."""
    step: FileCall | None = None
    """The call that changed a file, when it is over."""
    earlier: tuple[bytes, ...] = ()
    """What the file may have been before, by other records."""


class RecordedEvent(Struct, frozen=True, kw_only=True):
    """An event, and what is recorded about it."""

    event: EditEvent
    record: RecordedCall
    model: str = ""
    backup: str | None = None
    """The name of the client's backup of the file that the call changed; None if there is none."""


class RecordedCalls:
    """The calls of one conversation while its records arrive. Every event is yielded once."""

    def __init__(self, began: str) -> None:
        """Nothing from before `began` counts: the files are not what they were then."""
        self._began = began
        self._inputs: OrderedDict[str, msgspec.Raw] = OrderedDict()
        self._backups: OrderedDict[str, str] = OrderedDict()
        self._seen_backups: set[tuple[str, str | None, int | None, str | None]] = set()
        self._done: set[tuple[Stage, str]] = set()
        self._prompt = ""
        self._is_working = False

    def events(self, fold: Fold, record: Record, changes: Sequence[Change], feed: Feed) -> Iterator[RecordedEvent]:
        """Yields what the changes that a record caused say about files."""
        value = record.value
        session = fold.state.session
        folder = getattr(value, "cwd", None) or session.cwd
        if isinstance(value, User) and value.promptId:
            self._prompt = value.promptId
        calls = {change.tool_use_id: change for change in changes if isinstance(change, Call)}
        for change in changes:
            match change:
                case Notice():
                    self._take_backups(change, session.session_id, folder)
                case Block() if change.block.type == "tool_use" and change.block.id:
                    _remember(self._inputs, change.block.id, change.block.input)
                case Call() if change.state is CallState.PENDING and self._is_new(Stage.BEFORE, change.tool_use_id,
                                                                                 change.started_at):  # fmt: skip
                    yield self._event(fold, change, Stage.BEFORE, folder, feed, change.started_at)
                case Result() if change.tool_use_id in calls:
                    yield from self._ended(fold, calls[change.tool_use_id], change, folder, feed)
                case Message() if change.author is Author.HUMAN and not change.agent:
                    if not (isinstance(value, User) and value.promptId):
                        self._prompt = change.uuid or change.id
                    if self._is_new(Stage.PROMPT, self._prompt, change.started_at):
                        yield self._moment(fold, Stage.PROMPT, folder, feed, change.started_at)
                case Session() if change.status in _ENDED and self._is_working:
                    self._is_working = False
                    if self._is_new(Stage.END, f"{record.stream}@{record.offset}", change.ended_at):
                        yield self._moment(fold, Stage.END, folder, feed, change.ended_at)
                case _:
                    pass

    def _ended(self, fold: Fold, call: Call, result: Result, folder: str | None, feed: Feed) -> Iterator[RecordedEvent]:
        asked = self._inputs.pop(call.tool_use_id, None)
        is_over = call.state is CallState.DONE or (call.state is CallState.FAILED and kind_of(call.name) == "command")
        if not is_over or not self._is_new(Stage.AFTER, call.tool_use_id, call.ended_at):
            return
        self._is_working = True
        step = None
        if asked is not None and kind_of(call.name) == "editor":
            is_literal = writes_literally(fold.state.session.versions)
            given = decode_input(call.name, asked)
            step = file_call(call, given, result, fold.session_id, folder, is_literal=is_literal)
        if step is not None or kind_of(call.name) == "command":
            yield self._event(fold, call, Stage.AFTER, folder, feed, call.ended_at, step)

    def _event(
        self,
        fold: Fold,
        call: Call,
        stage: Stage,
        folder: str | None,
        feed: Feed,
        time: str | None,
        step: FileCall | None = None,
    ) -> RecordedEvent:
        paths = tuple(full_path(each, folder) for each in call.files)
        known = fold.state.messages.get(call.message or "")
        event = EditEvent(
            stage=stage, session=fold.session_id, cwd=folder or "", agent=call.agent, call=call.tool_use_id,
            tool=call.name, prompt=self._prompt, paths=paths,
        )  # fmt: skip
        backup = next((self._backups[path] for path in paths if path in self._backups), None)
        record = RecordedCall(feed=feed, time_ms=_milliseconds(time), step=step)
        model = (known.item.model if known else None) or ""
        return RecordedEvent(event=event, record=record, model=model, backup=backup)

    def _moment(self, fold: Fold, stage: Stage, folder: str | None, feed: Feed, time: str | None) -> RecordedEvent:
        event = EditEvent(stage=stage, session=fold.session_id, cwd=folder or "", prompt=self._prompt)
        return RecordedEvent(event=event, record=RecordedCall(feed=feed, time_ms=_milliseconds(time)))

    def _is_new(self, stage: Stage, name: str, time: str | None) -> bool:
        """Returns whether something happened while somebody watched, and was not seen in another record."""
        if time is None or time < self._began or (stage, name) in self._done:
            return False
        self._done.add((stage, name))
        return True

    def _take_backups(self, notice: Notice, conversation: str, folder: str | None) -> None:
        for backup in backups_of(notice, conversation, folder, self._seen_backups):
            for path in backup.paths:
                if backup.name is None:
                    self._backups.pop(path, None)
                else:
                    _remember(self._backups, path, backup.name)


def _milliseconds(time: str | None) -> int:
    """Returns a time of a record in milliseconds since 1970; 0 if it is not one."""
    try:
        return int(datetime.fromisoformat(time or "").timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return 0


def _remember(known: OrderedDict[str, _T], name: str, value: _T) -> None:
    known[name] = value
    known.move_to_end(name)
    if len(known) > _MAX_OPEN:
        known.popitem(last=False)
