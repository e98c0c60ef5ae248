"""One editing call, as its record tells it: what the file was before it and after it.

For callers that look at a file when the call is over. The record says which text the call found and what it wrote. The
bytes come from the disk, or from an earlier state of the file, where they fit the record.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from chorus.core.conversation.items import CallState
from chorus.core.file_versions.changing import change, is_creation, replacements_of
from chorus.core.file_versions.edits import Replacement
from chorus.core.file_versions.encodings import MARK, encoded_like, encoded_plainly, text_of
from chorus.core.file_versions.model import Cause, Certainty, Version
from chorus.core.file_versions.steps import FileCall, Step, notebook_texts
from chorus.core.file_versions.tracked_file import TrackedFile
from chorus.core.records.model import tools
from chorus.core.records.model.file_results import EditResult

BEFORE_UNKNOWN = "what it was before is not known"
BEFORE_AS_TEXT = "what it was before is known as text; its line endings and its encoding are not"
TAKEN_BACK = "what it was before is the file without the recorded replacement"
AFTER_FROM_RECORD = "it had changed again when Chorus looked; what the call wrote is taken from the record"


class RecordedEdit(Struct, frozen=True):
    """A file before and after a call; None where there was no file."""

    before: bytes | None
    after: bytes | None
    is_before_known: bool = True
    """Whether `before` means anything: if not, nothing can be said about what the call changed."""
    reason: str = ""
    """What is not byte for byte as it was on disk, and why; "" if everything is."""


def recorded_edit(step: FileCall, earlier: Iterable[bytes | None], found: bytes | None) -> RecordedEdit | None:
    """Returns what a call did to its file; None if it changed nothing, or failed.

    `earlier` are contents that the file may have had before the call, the most likely first; `found` is what it is now.
    """
    is_staged = isinstance(step.output, EditResult) and bool(step.output.staged)
    if step.state is not CallState.DONE or is_staged or isinstance(step.input, tools.Read):
        return None
    has_before = _records_before(step)
    for content in earlier:
        done = _applied(step, content, is_given=True)
        is_right = done is not None and (has_before or (_is_same(done.after, found) and not _is_part(content, found)))
        if done is not None and done.is_before_known and is_right:
            return _settled(done, found, is_exact=True)
    done = _applied(step, None, is_given=False) if has_before else None
    return _settled(done, found, is_exact=False) if done is not None else _taken_back(step, found)


def _records_before(step: FileCall) -> bool:
    """Returns whether the record says what the call found: a text, or no file."""
    if is_creation(step):
        return True
    if isinstance(step.input, tools.NotebookEdit):
        return notebook_texts(step.output)[0] is not None
    output = step.output
    return isinstance(output, EditResult) and (output.originalFile or output.originalFileContents) is not None


def _applied(step: FileCall, content: bytes | None, *, is_given: bool) -> RecordedEdit | None:
    """Applies the call to a content, or to what the record says. The content is wrong if the record contradicts it."""
    tracked = TrackedFile(step.path)
    if is_given:
        start = Step(order=step.order, time=step.time, conversation=step.conversation)
        tracked.add(start, content, Certainty.EXACT, Cause.FOUND, is_absent=content is None, is_start=True)
    change(tracked, step)
    versions = tracked.file.versions
    last = versions[-1] if versions else None
    if last is None or last.call != step.call or last.certainty is Certainty.UNKNOWN:
        return None
    before: Version | None = versions[-2] if len(versions) > 1 else None
    is_contradicted = is_given and len(versions) != 2
    return RecordedEdit(
        before=tracked.file.content(before) if before else None,
        after=tracked.file.content(last),
        is_before_known=not is_contradicted and (before is not None or is_creation(step)),
    )


def _settled(done: RecordedEdit, found: bytes | None, *, is_exact: bool) -> RecordedEdit:
    """Compares the result with the disk, which has the bytes, unless somebody changed the file since."""
    if not done.is_before_known:
        return RecordedEdit(None, found, is_before_known=False, reason=BEFORE_UNKNOWN)
    before, reasons = done.before, []
    is_there = _is_same(done.after, found)
    if not is_exact and before is not None:
        before = _encoded(text_of(before), found if is_there else None) or before
        reasons.append(BEFORE_AS_TEXT)
    if not is_there:
        reasons.append(AFTER_FROM_RECORD)
    return RecordedEdit(before, found if is_there else done.after, reason="; ".join(reasons))


def _taken_back(step: FileCall, found: bytes | None) -> RecordedEdit | None:
    """For a record without the text before: takes the replacement back, where it can be only one place."""
    if found is None:
        return None
    text = text_of(found)
    if text is not None and isinstance(step.input, (tools.Edit, tools.MultiEdit)):
        output = step.output if isinstance(step.output, EditResult) else None
        before = _reversed(text, replacements_of(step.input, output))
        content = None if before is None else _encoded(before, found)
        if content is not None:
            return RecordedEdit(content, found, reason=TAKEN_BACK)
    return RecordedEdit(None, found, is_before_known=False, reason=BEFORE_UNKNOWN)


def _reversed(text: str, replacements: Sequence[Replacement]) -> str | None:
    for each in reversed(replacements):
        if not each.new or not each.old or each.is_everywhere or text.count(each.new) != 1:
            return None
        text = text.replace(each.new, each.old)
    return text


def _encoded(text: str | None, like: bytes | None) -> bytes | None:
    """Returns a text in the encoding and with the line endings of a content, as far as that is possible."""
    if text is None:
        return None
    if like is None:
        return encoded_plainly(text)
    has_mark = (text_of(like) or "").startswith(MARK)
    whole = MARK + text if has_mark and not text.startswith(MARK) else text
    return encoded_like(whole, like) or encoded_plainly(text)


def _is_same(one: bytes | None, other: bytes | None) -> bool:
    """Returns whether two contents are equal, or the same text for the client's tools."""
    if one is None or other is None or one == other:
        return one == other
    texts = text_of(one), text_of(other)
    return texts[0] is not None and texts[1] is not None and texts[0].strip(MARK) == texts[1].strip(MARK)


def _is_part(content: bytes | None, found: bytes | None) -> bool:
    """Returns whether a content may be the file while the call wrote it, or after that."""
    return content is not None and found is not None and found.startswith(content)
