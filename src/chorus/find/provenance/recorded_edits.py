"""What the records of conversations say about a file: its versions and patches, where no snapshot was taken."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from msgspec import Struct, field

from chorus.core.blame.origins import Edit, Evidence, Version
from chorus.core.blame.patches import Patch
from chorus.core.conversation import items
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import MAIN, Author
from chorus.core.file_versions import model
from chorus.core.file_versions.files import files_of
from chorus.core.file_versions.model import Cause, FileVersions
from chorus.core.query.tree import Field, Query
from chorus.core.records.model.file_results import EditResult
from chorus.core.records.model.tools import decode_output
from chorus.core.records.times import canonical_time
from chorus.errors import SourceUnreadable
from chorus.find.index.port import Index
from chorus.find.provenance.text_files import text_lines
from chorus.keep.archive.file_versions import backups_of
from chorus.keep.archive.listing import Kept, named
from chorus.keep.archive.opening import open_kept
from chorus.keep.vault.port import Vault

_MAX_CONVERSATIONS = 100
_MAX_BYTES = 128_000_000
"""Conversations are opened as a whole, so that not more than this is read for one file: the newest ones."""
_BY_PERSON = "a person changed it"
_BY_COMMAND = "the client said that a shell command changed it"
_CREATED = "create"
_EDITORS = ("Edit", "MultiEdit", "Write")


class DatedVersion(Struct, frozen=True):
    """A version, and when it was written."""

    version: Version
    time_ms: int


class RecordedFile(Struct):
    """What is recorded about a file, in the order in which it happened."""

    versions: list[DatedVersion] = field(default_factory=list)
    patches: list[Patch] = field(default_factory=list)
    """Changes after which the whole file is not known."""
    times_ms: dict[Edit, int] = field(default_factory=dict)


FindRecorded = Callable[[str], RecordedFile]
"""Returns what is recorded about the file with this absolute path."""


def recorded_in(index: Index, vault: Vault, workspace: str) -> FindRecorded:
    """Returns the function that finds what the conversations of a workspace recorded about a file."""
    opened: dict[str, Conversation | None] = {}
    followed: dict[tuple[str, ...], list[FileVersions]] = {}

    def find(path: str) -> RecordedFile:
        rows, _ = index.conversations(Query(Field("file", path)), limit=_MAX_CONVERSATIONS)
        names = [row.name for row in rows if row.name.startswith(f"{workspace}/")]
        kept = list(_affordable(named(vault, names), names))
        for each in kept:
            if each.name not in opened:
                opened[each.name] = _opened(vault, each)
        conversations = [found for each in kept if (found := opened[each.name]) is not None]
        key = tuple(each.name for each in kept)
        if key not in followed:
            # Files that were changed together are often asked for one after the other.
            followed.clear()
            followed[key] = files_of(conversations, backups_of(vault, kept))
        return recorded_file(conversations, followed[key], path)

    return find


def recorded_file(conversations: Sequence[Conversation], files: Iterable[FileVersions], path: str) -> RecordedFile:
    """Returns what conversations recorded about one of their files."""
    file = next((each for each in files if each.path == path), FileVersions(path))
    calls = {each.tool_use_id: (found, each) for found in conversations for each in found.all(items.Call)}
    made = {each.call for each in file.versions}
    patched = {
        call: output
        for call, (found, each) in calls.items()
        if each.name in _EDITORS and (output := _output(found, each)) and output.filePath == path
    }
    prompts = {each.id: _prompts(each) for each in conversations}
    edits = {
        call: _edit(found, each, prompts[found.id])
        for call, (found, each) in calls.items()
        if call in made or call in patched
    }
    result = RecordedFile()
    for version in _versions(file, calls, edits):
        result.versions.append(version)
        if version.version.edit is not None:
            result.times_ms[version.version.edit] = version.time_ms
    known = {each.call for each in file.versions if each.certainty is not model.Certainty.UNKNOWN}
    for call, output in patched.items():
        if call not in known:
            item = calls[call][1]
            result.patches += _patches(edits[call], output)
            result.times_ms[edits[call]] = time_ms_of(item.ended_at or item.started_at)
    return result


_Calls = dict[str, tuple[Conversation, items.Call]]


def _versions(file: FileVersions, calls: _Calls, edits: dict[str, Edit]) -> Iterator[DatedVersion]:
    """Yields the known versions. One that follows an unknown one is nobody's: others may have written its lines."""
    is_known_before = False
    for version in file.versions:
        content = file.content(version)
        time_ms = time_ms_of(version.time)
        if content is None and not version.is_absent:
            is_known_before = False
            continue
        edit = edits.get(version.call) if _is_edit(version) else None
        if edit is not None and version.number == 1 and _creates(*calls[version.call]):
            yield DatedVersion(Version((), None, evidence=Evidence.RECORDS), time_ms)
        elif not is_known_before:
            edit = None
        lines = text_lines(content or b"")
        yield DatedVersion(Version(lines, edit, follows=False, evidence=Evidence.RECORDS), time_ms)
        is_known_before = True


def _is_edit(version: model.Version) -> bool:
    """Returns whether the call of a version certainly wrote it, and nobody else had a part in it."""
    if version.is_start or _BY_PERSON in version.reason:
        return False
    return version.cause is Cause.CALL or (version.cause is Cause.COMMAND and version.reason.startswith(_BY_COMMAND))


def _creates(conversation: Conversation, call: items.Call) -> bool:
    """Returns whether there was no file before the call."""
    output = _output(conversation, call)
    if output is None:
        return False
    return output.type == _CREATED if output.type else output.originalFile == "" and output.oldString == ""


def _output(conversation: Conversation, call: items.Call) -> EditResult | None:
    result = conversation.result(call)
    output = decode_output(call.name, result.structured) if result and not result.is_error else None
    return output if isinstance(output, EditResult) and not output.staged and not output.userModified else None


def _patches(edit: Edit, output: EditResult) -> Iterator[Patch]:
    for hunk in output.structuredPatch or ():
        lines = [line for line in hunk.lines or () if line[:1] in (" ", "+")]
        added = tuple(at for at, line in enumerate(lines) if line[0] == "+")
        if added:
            yield Patch(edit, tuple(line[1:] for line in lines), added)


def _edit(conversation: Conversation, call: items.Call, prompts: Sequence[items.Message]) -> Edit:
    message = conversation.items.get(call.message or "")
    turn = bisect_left(prompts, call.order, key=lambda each: each.order)
    return Edit(
        conversation=conversation.id,
        agent=call.agent,
        turn=turn,
        call=call.tool_use_id,
        tool=call.name,
        prompt=(prompts[turn - 1].uuid or prompts[turn - 1].id) if turn else "",
        model=(message.model or "") if isinstance(message, items.Message) else "",
    )


def _prompts(conversation: Conversation) -> list[items.Message]:
    """Returns the prompts of a person in order: their number before a call is the turn that it belongs to."""
    found = (each for each in conversation.all(items.Message, MAIN) if each.author is Author.HUMAN)
    return sorted(found, key=lambda each: each.order)


def _affordable(found: Iterable[Kept], names: Sequence[str]) -> Iterator[Kept]:
    """Yields conversations, the newest first, until there is more to read than one answer may cost."""
    left = _MAX_BYTES
    places = {name: at for at, name in enumerate(names)}
    for each in sorted(found, key=lambda kept: places[kept.name]):
        left -= each.size_bytes
        if left >= 0:
            yield each


def _opened(vault: Vault, kept: Kept) -> Conversation | None:
    try:
        return open_kept(vault, kept)
    except SourceUnreadable:
        return None


def time_ms_of(text: str | None) -> int:
    """Returns a time of a record in milliseconds since 1970; 0 if it has none."""
    found = canonical_time(text)
    try:
        return int(datetime.fromisoformat(found).timestamp() * 1000) if found else 0
    except (ValueError, OverflowError):
        return 0
