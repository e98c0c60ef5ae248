"""The version that a call made: what it wrote, and whether every byte of it is certain."""

from chorus.core.file_versions.edits import Edited, Replacement, edited, is_certain
from chorus.core.file_versions.encodings import MARK, encoded_like, encoded_plainly, has_mark, written_over
from chorus.core.file_versions.model import Cause, Certainty
from chorus.core.file_versions.steps import FileCall, notebook_texts
from chorus.core.file_versions.tracked_file import SAME_TEXT, TrackedFile
from chorus.core.records.model import tools
from chorus.core.records.model.file_results import EditResult

_CREATED = "File created"
_BY_PERSON = "a person changed it before it was written"
_NOT_RECORDED = "what the file was before is not recorded"
_UNCHECKED = "the record does not say exactly what was written"
_BYTES_BEFORE = "the line endings and the encoding of the file are not recorded"
_OLD_CLIENT = "this version of the client may have changed line endings"
_NOT_READABLE = "the recorded result of the call cannot be read"
_GONE = "the file was not there, or was empty, when the next call wrote it"


def change(tracked: TrackedFile, step: FileCall) -> None:
    """Adds the version that a call made."""
    if step.has_output and step.output is None:
        tracked.lose(step, _NOT_READABLE)
        return
    match step.input:
        case tools.Write():
            _write(tracked, step, step.input)
        case tools.Edit() | tools.MultiEdit():
            _edit(tracked, step, step.input)
        case tools.NotebookEdit():
            _notebook(tracked, step)
        case _:
            tracked.lose(step, _NOT_READABLE)


def is_creation(step: FileCall) -> bool:
    """Returns whether the record says that the call created the file, or filled an empty one."""
    output = step.output if isinstance(step.output, EditResult) else None
    match step.input:
        case tools.Write():
            return output.type == "create" if output else step.text.startswith(_CREATED)
        case tools.Edit() | tools.MultiEdit():
            return any(not each.old for each in replacements_of(step.input, output)) and not _text_before(output)
        case _:
            return False


def _text_before(output: EditResult | None) -> str | None:
    if output is None:
        return None
    return output.originalFile if output.originalFile is not None else output.originalFileContents


def _write(tracked: TrackedFile, step: FileCall, asked: tools.Write) -> None:
    output = step.output if isinstance(step.output, EditResult) else None
    is_new = is_creation(step)
    before = output.originalFile if output else None
    if before is not None and not is_new:
        tracked.find_text(step, before)
    elif is_new and tracked.content:
        tracked.find_absent(step, Certainty.REBUILT, Cause.FOUND, _GONE)
    elif tracked.doubts and not tracked.is_settled and not tracked.is_gone:
        tracked.lose(tracked.doubts[0], tracked.doubt)
    text = output.content if output else asked.content
    # In a shortened record the content is empty, and the original as well.
    if output and not text and not is_new and before is None:
        text, output = asked.content, None
    if text is None:
        tracked.lose(step, _NOT_READABLE)
        return
    base = b"" if is_new else tracked.content if tracked.is_exact else None
    content = written_over(text, base)
    reason = ""
    if not step.writes_literally and not _has_plain_ends(text, base):
        reason = _OLD_CLIENT
    elif output and output.userModified:
        reason = _BY_PERSON
    elif not output and not is_new and (base is None or has_mark(base)):
        reason = tracked.doubt or _NOT_RECORDED
    elif not output and "user modified" in step.text:
        reason = _BY_PERSON
    elif content is None or (not is_new and _may_lose_mark(text, before, base)):
        reason = _BYTES_BEFORE
    _add(tracked, step, content or encoded_plainly(text), reason)


def _may_lose_mark(text: str, before: str | None, base: bytes | None) -> bool:
    """Returns whether a file with a byte order mark may have been replaced by a text without one.

    Newer clients put the mark in front of the text. Older ones kept only the encoding, which may be UTF-16.
    """
    if text.startswith(MARK):
        return False
    if base is not None:
        return has_mark(base)
    return before is None or before.startswith(MARK)


def _has_plain_ends(text: str, base: bytes | None) -> bool:
    """Returns whether also an old client writes a text as it is: one line, or over a file without `\\r`."""
    return "\n" not in text or (base is not None and b"\n" in base and b"\r" not in base and "\r" not in text)


def _edit(tracked: TrackedFile, step: FileCall, asked: tools.Edit | tools.MultiEdit) -> None:
    output = step.output if isinstance(step.output, EditResult) else None
    replacements = replacements_of(asked, output)
    before = _text_before(output)
    is_new = is_creation(step)
    if before is not None and not (is_new and tracked.content is None):
        tracked.find_text(step, before)
    base = before if before is not None else tracked.text
    if is_new and base is None:
        base = ""
    if base is None:
        tracked.lose(step, tracked.doubt or _NOT_RECORDED)
        return
    done = edited(base, replacements, output.structuredPatch if output else None)
    if done is None:
        tracked.lose(step, tracked.doubt or _UNCHECKED)
        return
    is_sure = done.is_checked or (not output and is_certain(base, replacements)) or is_new
    if not output and tracked.is_overtaken(step):
        is_sure = False
    reason = "" if is_sure else _UNCHECKED
    if (output and output.userModified) or (not output and "user modified" in step.text):
        reason = _BY_PERSON
    _add_edited(tracked, step, done, reason, is_new=is_new)


def _notebook(tracked: TrackedFile, step: FileCall) -> None:
    before, after = notebook_texts(step.output)
    if after is None:
        tracked.lose(step, _NOT_READABLE)
        return
    if before is not None:
        tracked.find_text(step, before)
    _add_edited(tracked, step, Edited(after, is_checked=True), "", is_new=False)


def _add_edited(tracked: TrackedFile, step: FileCall, done: Edited, reason: str, *, is_new: bool) -> None:
    """Adds an edited text in the form that the file had."""
    content = None
    if is_new and not tracked.content:
        content = encoded_plainly(done.text)
    elif tracked.content is not None:
        content = encoded_like(done.text, tracked.content)
        if content is None:
            reason = reason or _BYTES_BEFORE
        elif not tracked.is_exact:
            earlier = tracked.latest.reason if tracked.latest else ""
            reason = reason or tracked.doubt or earlier or SAME_TEXT
    _add(tracked, step, content or encoded_plainly(done.text), reason)


def _add(tracked: TrackedFile, step: FileCall, content: bytes | None, reason: str) -> None:
    if content is None:
        tracked.lose(step, "the text of the call cannot be written as bytes")
        return
    certainty = Certainty.REBUILT if reason else Certainty.EXACT
    tracked.add(step, content, certainty, Cause.CALL, reason)


def replacements_of(asked: tools.Edit | tools.MultiEdit, output: EditResult | None) -> list[Replacement]:
    """Returns what was replaced: as the client did it if it says so, else as it was asked for."""
    if output and output.edits:
        return [
            Replacement(each.old_string or "", each.new_string or "", bool(each.replace_all)) for each in output.edits
        ]
    if output and output.oldString is not None and output.newString is not None:
        return [Replacement(output.oldString, output.newString, bool(output.replaceAll))]
    if isinstance(asked, tools.MultiEdit):
        return [
            Replacement(each.old_string or "", each.new_string or "", bool(each.replace_all))
            for each in asked.edits or ()
        ]
    return [Replacement(asked.old_string or "", asked.new_string or "", bool(asked.replace_all))]
