"""Follows all files through the steps of one or more conversations."""

from collections.abc import Iterable

from msgspec import structs

from chorus.core.conversation.items import CallState
from chorus.core.conversation.tool_facts import kind_of
from chorus.core.file_versions import changing
from chorus.core.file_versions.backup_steps import Backup, is_backup_name
from chorus.core.file_versions.encodings import text_of
from chorus.core.file_versions.model import Backups, Cause, Certainty, FileVersions, Source
from chorus.core.file_versions.shell_changes import apply_shell_changes
from chorus.core.file_versions.steps import Doubt, FileCall, HookRan, Step
from chorus.core.file_versions.stored_files import StoredFile
from chorus.core.file_versions.tracked_file import TrackedFile
from chorus.core.records.model import tools
from chorus.core.records.model.file_results import EditResult, ReadResult

_NO_FILE = "does not exist"
_NOT_WRITTEN = (
    "<tool_use_error>", "nothing was written", "Refusing to write", _NO_FILE, "has not been read", "modified since",
)  # fmt: skip
"""Parts of the texts with which the client says that a call changed nothing."""
_LONG_LINE = 2000
"""Older clients cut longer lines when they read a file."""


class Tracking:
    """The files so far."""

    def __init__(self, backups: Backups) -> None:
        self._backups = backups
        self._files: dict[str, TrackedFile] = {}
        self._running: dict[str, Doubt] = {}
        """Commands that run, by the id of their call."""
        self._files_of_calls: dict[str, TrackedFile] = {}

    def take(self, step: Step | Backup | StoredFile) -> None:
        """Follows one step."""
        match step:
            case Doubt():
                self._doubt(step)
            case FileCall():
                self._call(step)
            case HookRan():
                self._hook(step)
            case Backup():
                self._backup(step)
            case StoredFile():
                self._stored(step)
            case _:
                pass

    def finish(self) -> list[FileVersions]:
        """Returns all files with a version, in the order in which they were first touched."""
        for tracked in self._files.values():
            first = next((each for each in tracked.doubts if not each.is_pause), None)
            if first is not None and not tracked.is_gone:
                tracked.lose(first, first.reason)
        return [tracked.file for tracked in self._files.values() if tracked.file.versions or tracked.file.reads]

    def _file(self, path: str) -> TrackedFile:
        known = self._files.get(path)
        if known is None:
            known = self._files[path] = TrackedFile(path)
        return known

    def _doubt(self, step: Doubt) -> None:
        if step.lasts is True:
            self._running[step.call] = step
        elif step.lasts is False:
            started = self._running.pop(step.call, None)
            if not step.tool:
                if started is None:
                    return  # the end of something that was not a command
                step = structs.replace(step, tool=started.tool, agent=started.agent)
        for tracked in self._files.values():
            if not any(each.call == step.call and each.reason == step.reason for each in tracked.doubts):
                tracked.doubts.append(step)
        if step.result is not None and step.result.bashEditDiff is not None:
            apply_shell_changes(step, step.result.bashEditDiff, self._files, self._file)

    def _call(self, step: FileCall) -> None:
        tracked = self._file(step.path)
        self._files_of_calls[step.call] = tracked
        for doubt in self._running.values():
            if not any(each.call == doubt.call for each in tracked.doubts):
                tracked.doubts.append(doubt)
        if step.state is CallState.DONE:
            if isinstance(step.input, tools.Read):
                _read(tracked, step)
            elif not (isinstance(step.output, EditResult) and step.output.staged):
                changing.change(tracked, step)
        elif step.state in (CallState.FAILED, CallState.REFUSED):
            self._failed(tracked, step)
        elif step.state is CallState.PENDING and not isinstance(step.input, tools.Read):
            tracked.doubts.append(_doubt_of(step, "a call that changes it has no result"))

    def _failed(self, tracked: TrackedFile, step: FileCall) -> None:
        text = step.text[:2000]
        if _NO_FILE in text and step.state is CallState.FAILED:
            tracked.find_absent(step, Certainty.REBUILT, Cause.FOUND, "the client said that the file does not exist")
        elif step.state is CallState.REFUSED or isinstance(step.input, tools.Read):
            pass
        elif not any(part in text for part in _NOT_WRITTEN):
            tracked.doubts.append(_doubt_of(step, "a call that changes it failed, perhaps half-way"))

    def _hook(self, step: HookRan) -> None:
        tracked = self._files_of_calls.get(step.call)
        if tracked is not None and tracked.latest is not None and tracked.latest.call == step.call:
            reason = "a hook ran right after the call and may have changed it"
            tracked.weaken(reason)
            tracked.doubts.append(_doubt_of(step, reason))

    def _backup(self, step: Backup) -> None:
        path = next((path for path in step.paths if path in self._files), step.paths[0])
        tracked = self._file(path)
        if step.name is None:
            tracked.find_absent(step, Certainty.EXACT, Cause.BACKUP)
            return
        content = self._backups(step.conversation, step.name) if is_backup_name(step.name) else None
        if content is None:
            if step.message and tracked.latest is not None and step.is_new:
                reason = "the client saved a changed version, but its backup is not in the vault"
                tracked.doubts.append(_doubt_of(step, reason))
            return
        if content == tracked.content and tracked.latest is not None and tracked.latest.certainty is Certainty.EXACT:
            tracked.doubts = []
        elif not tracked.confirm(content, Source.BACKUP):
            tracked.add(step, content, Certainty.EXACT, Cause.BACKUP, is_start=tracked.latest is None)

    def _stored(self, step: StoredFile) -> None:
        """A snapshot is what was on disk. A version with the same content, or by the same call, is that one."""
        edit = step.edit
        try:
            content = step.content
        except LookupError:
            return
        tracked = self._file(edit.path)
        latest = tracked.latest
        is_known = latest is not None and latest.certainty is not Certainty.UNKNOWN
        is_same = is_known and tracked.content == content and tracked.is_gone == (content is None)
        if is_same:
            tracked.settle(content, Source.SNAPSHOT)
        elif latest is not None and step.is_after and edit.call and latest.call == edit.call:
            tracked.settle(content, Source.SNAPSHOT)
            tracked.recount()
        elif step.is_after or content is None or not tracked.confirm(content, Source.SNAPSHOT):
            is_agents = step.is_after and edit.is_by_agent
            cause = Cause.FOUND
            if is_agents:
                cause = Cause.CALL if kind_of(edit.tool) == "editor" else Cause.COMMAND
            made = Step(order=step.order, time=edit.time, conversation=edit.conversation)
            if is_agents:
                made = structs.replace(made, agent=edit.agent, call=edit.call, tool=edit.tool)
            tracked.add(
                made,
                content,
                Certainty.EXACT,
                cause,
                is_absent=content is None,
                is_start=latest is None and not step.is_after,
                source=Source.SNAPSHOT,
            )


def versions_of(steps: Iterable[Step | Backup | StoredFile], backups: Backups) -> list[FileVersions]:
    """Returns the files and their versions; the steps must be in order."""
    tracking = Tracking(backups)
    for step in steps:
        tracking.take(step)
    return tracking.finish()


def _read(tracked: TrackedFile, step: FileCall) -> None:
    """A whole file that was read: its text, without the byte order mark."""
    tracked.file.reads += 1
    output = step.output
    if not isinstance(output, ReadResult) or output.type != "text" or output.file is None:
        return
    file = output.file
    if file.content is None or file.startLine not in (None, 1) or file.numLines != file.totalLines:
        return
    known = None if tracked.content is None else text_of(tracked.content)
    if known is not None and _as_read(known) == _as_read(file.content):
        tracked.find_text(step, known)
        return
    if any(len(line) >= _LONG_LINE for line in file.content.split("\n")) or (not file.content and known):
        return
    tracked.find_text(step, file.content)


def _as_read(text: str) -> str:
    return text.removeprefix("\ufeff").rstrip("\r")


def _doubt_of(step: Step | Backup, reason: str) -> Doubt:
    return Doubt(
        order=step.order,
        time=step.time,
        conversation=step.conversation,
        agent=step.agent if isinstance(step, Step) else "",
        call=step.call if isinstance(step, Step) else "",
        tool=step.tool if isinstance(step, Step) else "",
        reason=reason,
    )
