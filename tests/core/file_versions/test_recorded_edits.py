"""Tests of single calls as their records tell them: what the file was before and after."""

import pytest

from chorus.core.conversation.items import CallState
from chorus.core.file_versions.recorded_edits import (
    AFTER_FROM_RECORD,
    BEFORE_AS_TEXT,
    BEFORE_UNKNOWN,
    TAKEN_BACK,
    RecordedEdit,
    recorded_edit,
)
from chorus.core.file_versions.steps import FileCall
from chorus.core.records.model import tools
from chorus.core.records.model.file_results import EditResult, Hunk, NotebookResult

ORDER = ("2026-01-01T00:00:00.000Z", 0, "s", 0, 0)


def step(asked, output=None, *, text="", state=CallState.DONE) -> FileCall:
    return FileCall(
        order=ORDER, time=ORDER[0], conversation="c", call="toolu_1", tool=type(asked).__name__, path="/w/f",
        started=ORDER, state=state, input=asked, output=output, has_output=output is not None, text=text,
        writes_literally=True,
    )  # fmt: skip


def edit(old: str, new: str, before: str | None, **more) -> FileCall:
    """An Edit with the result that the client records: the text before it, and a patch."""
    lines = [f"-{old}", f"+{new}"]
    patch = [Hunk(oldStart=1, oldLines=1, newStart=1, newLines=1, lines=lines)] if before else None
    result = EditResult(filePath="/w/f", oldString=old, newString=new, originalFile=before, structuredPatch=patch)
    return step(tools.Edit(file_path="/w/f", old_string=old, new_string=new), result, **more)


def flat_edit(old: str, new: str, **more) -> FileCall:
    """An Edit in a stream that records only the input."""
    return step(tools.Edit(file_path="/w/f", old_string=old, new_string=new, **more))


def write(content: str, output: EditResult | None = None, **more) -> FileCall:
    return step(tools.Write(file_path="/w/f", content=content), output, **more)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_bytes_that_fit_the_record_are_exact(ending):
    """An earlier content with the recorded text is taken byte for byte, and others are passed over."""
    before, after = b"one" + ending + b"two" + ending, b"uno" + ending + b"two" + ending
    made = recorded_edit(edit("one", "uno", "one\ntwo\n"), [b"something else\n", None, before], after)

    assert made == RecordedEdit(before, after)


def test_the_recorded_text_is_before_if_no_bytes_fit():
    """Without fitting bytes, the text of the record gets the line endings of the file, and that is said."""
    made = recorded_edit(edit("one", "uno", "one\ntwo\n"), [], b"uno\r\ntwo\r\n")

    assert made == RecordedEdit(b"one\r\ntwo\r\n", b"uno\r\ntwo\r\n", reason=BEFORE_AS_TEXT)


def test_a_file_that_changed_again_is_not_taken_for_what_the_call_wrote():
    """If the file has other content now, only the recorded edit is attributed to the call."""
    made = recorded_edit(edit("one", "uno", "one\ntwo\n"), [b"one\ntwo\n"], b"uno\ntwo\nand lines of a person\n")

    assert made == RecordedEdit(b"one\ntwo\n", b"uno\ntwo\n", reason=AFTER_FROM_RECORD)


def test_a_created_file_was_not_there_before():
    """A Write that created the file has no file before it, whatever was stored earlier."""
    created = EditResult(type="create", filePath="/w/f", content="new\n", structuredPatch=[])
    assert recorded_edit(write("new\n", created), [b"stale\n"], b"new\n") == RecordedEdit(None, b"new\n")


def test_an_edit_without_the_text_before_is_taken_back():
    """Where only the replacement is recorded, the file without it is before, if there is one place for it."""
    assert recorded_edit(flat_edit("one", "uno"), [], b"a uno z\n") == RecordedEdit(
        b"a one z\n", b"a uno z\n", reason=TAKEN_BACK
    )


@pytest.mark.parametrize(
    ("call", "found"),
    [
        pytest.param(flat_edit("one", "uno"), b"uno uno\n", id="two places"),
        pytest.param(flat_edit("one", ""), b"rest\n", id="a deletion"),
        pytest.param(flat_edit("one", "uno", replace_all=True), b"uno\n", id="all places"),
        pytest.param(flat_edit("one", "uno"), b"something else\n", id="gone again"),
        pytest.param(write("whole\n"), b"whole\n", id="a whole file"),
        pytest.param(step(tools.NotebookEdit(notebook_path="/w/f")), b"{}", id="a notebook"),
    ],
)
def test_what_was_before_is_not_guessed(call, found):
    """If the record fits several states before, or none, it says that nothing is known."""
    assert recorded_edit(call, [], found) == RecordedEdit(None, found, is_before_known=False, reason=BEFORE_UNKNOWN)


def test_an_earlier_content_that_leads_to_the_file_is_before():
    """Without the text before, an earlier content counts only if the call turns it into the file as it is."""
    assert recorded_edit(flat_edit("one", "uno"), [b"one!\n", b"one one\n"], b"uno one\n") == RecordedEdit(
        b"one one\n", b"uno one\n"
    )
    assert recorded_edit(write("new\n"), [b"old\n"], b"new\n") == RecordedEdit(b"old\n", b"new\n")


def test_a_half_written_file_is_not_before():
    """A beginning of the new content may be the file while it was written."""
    made = recorded_edit(write("new content\n"), [b"new"], b"new content\n")
    assert made is not None
    assert not made.is_before_known


def test_a_notebook_has_both_texts_in_its_result():
    """The result of NotebookEdit has the whole file before and after."""
    result = NotebookResult(notebook_path="/w/f", original_file='{"a": 1}', updated_file='{"a": 2}')
    made = recorded_edit(step(tools.NotebookEdit(notebook_path="/w/f"), result), [b'{"a": 1}'], b'{"a": 2}')
    assert made == RecordedEdit(b'{"a": 1}', b'{"a": 2}')


def test_calls_that_changed_nothing_are_no_edits():
    """A failed or refused call, and a change that waits for a person, are no edits."""
    staged = EditResult(filePath="/w/f", oldString="a", newString="b", originalFile="a", staged=True)
    assert recorded_edit(edit("a", "b", "a", state=CallState.FAILED), [b"a"], b"b") is None
    assert recorded_edit(step(tools.Edit(file_path="/w/f", old_string="a", new_string="b"), staged), [], b"a") is None


def test_a_byte_order_mark_is_kept():
    """The record may leave out a byte order mark that the file has."""
    made = recorded_edit(edit("one", "uno", "one\n"), [], b"\xef\xbb\xbfuno\n")
    assert made == RecordedEdit(b"\xef\xbb\xbfone\n", b"\xef\xbb\xbfuno\n", reason=BEFORE_AS_TEXT)
