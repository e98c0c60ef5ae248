"""Flat events: an answer told in fragments, then as a whole, shown once."""

import pytest

from chorus.testing.builders import Flat, text, tool_use
from tests.conversation.reading import conversation, kinds, words


@pytest.mark.parametrize("snake_case", [False, True])
def test_a_flat_conversation_reads_like_any_other(snake_case: bool) -> None:
    """Prompt, call, result, text, turn: in both spellings."""
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
    """A stream that is cut off keeps what it said."""
    flat = Flat()
    flat.text("Half a ")
    flat.text("sentence")

    assert words(conversation(flat)) == ["model: Half a sentence"]


def test_a_whole_message_that_repeats_everything_replaces_everything() -> None:
    """Text before and after a call, repeated with the call as one message."""
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
    """What was said before the tool result is not part of what is repeated after it."""
    flat = Flat()
    flat.text("First. ")
    flat.tool_use("t1", "Bash", {"command": "ls"})
    flat.tool_result("t1", "a")
    flat.text("Then.")
    flat.assistant("Then.")

    assert words(conversation(flat)) == ["model: First. \n\nThen."]


def test_a_result_closes_the_message() -> None:
    """After a turn, text begins another message."""
    flat = Flat()
    flat.text("One.")
    flat.result("s")
    flat.text("Two.")

    assert words(conversation(flat)) == ["model: One.", "model: Two."]


def test_a_result_may_be_a_string() -> None:
    """The simple form of a flat result is its text."""
    flat = Flat()
    flat.start("s")
    flat.event("result", sessionId="s", result="Finished")

    talk = conversation(flat)

    assert talk.text(talk.turns[0]) == "Finished"
