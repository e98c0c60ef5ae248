"""Tests that an answer in flat events, which comes in fragments and then as a whole, is shown once."""

from typing import Any

import pytest

from chorus.core.views.blocks import Note
from chorus.core.views.rows import MessageRow, NoticeRow, TurnRow
from chorus.core.views.transcript import rows
from chorus.testing.builders import Flat, text, tool_use
from tests.core.conversation.reading import conversation, conversations, kinds, words


@pytest.mark.parametrize("snake_case", [False, True])
def test_a_flat_conversation_reads_like_any_other(snake_case: bool) -> None:
    """Prompt, call, result, text and turn of a flat stream become a conversation, in both spellings."""
    flat = Flat(snake_case=snake_case)
    flat.start("s1")
    flat.user("Update it")
    flat.tool_use("t1", "Edit", {"file_path": "a.md"})
    flat.tool_result("t1", "no such file", is_error=True)
    flat.text("It is ")
    flat.text("gone.")
    flat.assistant("It is gone.")
    flat.result("s1")

    talk = conversation(flat)

    assert talk.id == "s1"
    assert words(talk) == ["human: Update it", "model: It is gone."]
    assert kinds(talk, talk.messages[1]) == ["tool_use", "text"]
    assert [(call.name, call.state.value, call.files) for call in talk.calls] == [("Edit", "failed", ("a.md",))]
    assert talk.status.value == "done"


def test_fragments_without_a_whole_message_stay() -> None:
    """If a stream is cut off before the whole message, the fragments stay."""
    flat = Flat()
    flat.text("Half a ")
    flat.text("sentence")

    assert words(conversation(flat)) == ["model: Half a sentence"]


def test_a_whole_message_that_repeats_everything_replaces_everything() -> None:
    """A whole message that repeats the text before and after a call replaces all of it."""
    flat = Flat()
    flat.text("First. ")
    flat.tool_use("t1", "Bash", {"command": "ls"})
    flat.tool_result("t1", "a")
    flat.text("Then.")
    flat.assistant(text("First. "), tool_use("Bash", {"command": "ls"}, id="t1"), text("Then."))

    talk = conversation(flat)

    assert words(talk) == ["model: First. \n\nThen."]
    assert len(talk.calls) == 1


def test_a_whole_message_that_repeats_the_last_stretch_leaves_the_rest() -> None:
    """A whole message that repeats only the text after the tool result leaves the earlier text."""
    flat = Flat()
    flat.text("First. ")
    flat.tool_use("t1", "Bash", {"command": "ls"})
    flat.tool_result("t1", "a")
    flat.text("Then.")
    flat.assistant("Then.")

    assert words(conversation(flat)) == ["model: First. \n\nThen."]


def test_a_result_closes_the_message() -> None:
    """After a turn result, text begins another message."""
    flat = Flat()
    flat.text("One.")
    flat.result("s")
    flat.text("Two.")

    assert words(conversation(flat)) == ["model: One.", "model: Two."]


def test_a_result_may_be_a_string() -> None:
    """If a flat result is a string, this is the text of the turn."""
    flat = Flat()
    flat.start("s")
    flat.event("result", sessionId="s", result="Finished")

    talk = conversation(flat)

    assert talk.text(talk.turns[0]) == "Finished"


def test_short_names_of_tool_events_are_understood() -> None:
    """Tool events with `name` and `input`, as in the API, are read; an event without an id is a call of its own."""
    flat = Flat()
    flat.event("tool_use", id="t1", name="Edit", input={"file_path": "a.md"})
    flat.event("tool_use", name="Bash")
    flat.event("tool_use", name="Bash")

    assert [(call.name, call.files) for call in conversation(flat).calls] == [
        ("Edit", ("a.md",)),
        ("Bash", ()),
        ("Bash", ()),
    ]


def test_text_around_a_call_is_two_blocks() -> None:
    """A call or its result ends the text block before it."""
    flat = Flat()
    flat.text("One.")
    flat.tool_use("t1", "Bash")
    flat.text("Two.")
    flat.tool_result("t1", "x")
    flat.text("Three.")
    flat.text("")

    talk = conversation(flat)

    assert kinds(talk, talk.messages[0]) == ["text", "tool_use", "text", "text"]
    assert talk.session.messages == 1


def test_a_whole_message_with_an_earlier_call_repeats_everything() -> None:
    """A whole message that contains an earlier call replaces everything from that call on, even with other words."""
    flat = Flat()
    flat.text("First, ")
    flat.tool_use("t1", "Bash")
    flat.tool_result("t1", "a")
    flat.text("then.")
    flat.assistant(text("First!"), tool_use("Bash", id="t1"), text("Then!"))

    talk = conversation(flat)

    assert words(talk) == ["model: First!\n\nThen!"]
    assert sorted(kinds(talk, talk.messages[0])) == ["text", "text", "tool_use"]


def test_a_whole_message_of_all_words_replaces_everything() -> None:
    """A whole message without the call replaces everything if its text is the text of all fragments."""
    flat = Flat()
    flat.text("First. ")
    flat.tool_use("t1", "Bash")
    flat.tool_result("t1", "a")
    flat.text("Th")
    flat.text("en.")
    flat.assistant("First. Then.")

    assert words(conversation(flat)) == ["model: First. Then."]


def test_a_whole_message_brings_what_fragments_cannot() -> None:
    """A whole message adds calls that had no event, the model and the stop reason."""
    flat = Flat()
    flat.text("Hi")
    line = flat.assistant("Hi", tool_use("Bash", id="t1"))
    line["message"].update(model="claude-flat", stop_reason="tool_use")

    talk = conversation(flat)

    assert [(item.model, item.stop_reason) for item in talk.messages] == [("claude-flat", "tool_use")]
    assert [call.tool_use_id for call in talk.calls] == ["t1"]


def test_a_whole_message_ends_the_partial_message() -> None:
    """A whole message, a prompt and a new session each end the partial message; later text is another message."""
    flat = Flat()
    flat.start("s")
    flat.text("One.")
    flat.assistant("One.")
    flat.text("Two.")
    flat.user("and?")
    flat.text("Three.")
    flat.start("s")
    flat.text("Four.")
    flat.assistant("Four.")
    flat.assistant("Five.")

    assert words(conversation(flat)) == [
        "model: One.",
        "model: Two.",
        "human: and?",
        "model: Three.",
        "model: Four.",
        "model: Five.",
    ]


def test_flat_messages_have_the_times_of_their_events() -> None:
    """If events have times, the message starts at the time of its first event."""
    flat = Flat()
    flat.event("text", text="Hi", timestamp="2026-01-05T09:00:00.000Z")

    assert conversation(flat).messages[0].started_at == "2026-01-05T09:00:00.000Z"


def test_flat_messages_are_counted_as_they_begin() -> None:
    """Each message of the model in a flat stream is counted when it begins."""
    flat = Flat()
    flat.start("s")
    flat.text("One.")
    flat.user("and?")
    flat.text("Two.")

    assert conversation(flat).session.messages == 2


def test_a_result_under_another_id_ends_the_session_that_was_opened() -> None:
    """A flat result with another id belongs to the session that `session_start` opened; its id names what to resume."""
    flat = Flat()
    flat.start("11111111-0000-4000-8000-000000000000")
    flat.user("go")
    flat.text("Done.")
    flat.event("result", sessionId="22222222-0000-4000-8000-000000000000", result={"stopReason": "end_turn"})
    flat.user("more")

    (talk,) = conversations({"log.jsonl": bytes(flat)})

    assert talk.id == "11111111-0000-4000-8000-000000000000"
    assert len(talk.turns) == 1
    assert words(talk) == ["human: go", "model: Done.", "human: more"]


@pytest.mark.parametrize("with_whole", [True, False])
@pytest.mark.parametrize("kind", ["permission_request", "error"])
def test_what_comes_between_calls_stands_between_them(kind: str, with_whole: bool) -> None:
    """A permission request or an error between two calls is shown between them, not after the whole answer."""
    flat = Flat()
    flat.user("go")
    flat.text("One.")
    flat.tool_use("t1", "Read")
    more = {"prompt": "May I?"} if kind == "permission_request" else {"error": {"type": "x", "message": "May I?"}}
    flat.event(kind, **more)
    flat.tool_result("t1", "read")
    flat.text(" Two.")
    flat.tool_use("t2", "Bash")
    if with_whole:
        flat.assistant("One. Two.")
    talk = conversation(flat)
    seen = [row for row in rows(talk) if not isinstance(row, TurnRow)]

    assert [type(row).__name__ for row in seen] == ["MessageRow", "MessageRow", "NoticeRow", "MessageRow"]
    said = [row.pieces for row in seen if isinstance(row, MessageRow)][1:]
    told = [[getattr(piece, "markdown", None) or getattr(piece, "name", "") for piece in pieces] for pieces in said]
    assert [[text.strip() for text in row] for row in told] == [["One.", "Read"], ["Two.", "Bash"]]
    assert talk.session.messages == 1


def test_what_a_wrapper_notes_beside_a_prompt_is_shown() -> None:
    """The metadata of a permission request is shown line by line after its prompt."""
    flat = Flat()
    flat.event("permission_request", prompt="May I?", metadata={"tool": "Bash", "risk": {"level": 3}})
    (notice,) = conversation(flat).notices

    assert notice.text == 'May I?\ntool: Bash\nrisk: {"level":3}'


@pytest.mark.parametrize(
    ("fields", "level", "shown"),
    [
        ({"content": "Disk full", "level": "error"}, "error", "Disk full"),
        ({"message": "Slow", "level": "warning"}, "warning", "Slow"),
        ({"content": "Fine"}, "info", "Fine"),
        ({"content": {"free": "form"}}, None, "form"),
        ({"anything": ["else"]}, None, "else"),
    ],
)
def test_a_system_event_shows_what_it_holds(fields: dict[str, Any], level: str | None, shown: str) -> None:
    """A system event shows its text with its level, or all its content if it has another form."""
    flat = Flat()
    flat.text("Hm.")
    flat.event("system", **fields)
    (row,) = [row for row in rows(conversation(flat)) if isinstance(row, NoticeRow)]
    (block,) = row.blocks

    assert getattr(block, "level", None) == level
    assert shown in str(block)


def test_an_error_event_looks_like_one() -> None:
    """An error event of a flat stream is shown as an error."""
    flat = Flat()
    flat.event("error", error={"type": "overloaded", "message": "later"})
    (row,) = [row for row in rows(conversation(flat)) if isinstance(row, NoticeRow)]

    assert row.blocks == (Note(text="overloaded: later", level="error"),)
