"""Messages: merged by id, told apart by author, shown once."""

import pytest

from chorus.testing.builders import Run, Session, encode, text, thinking, tool_result, tool_use
from tests.conversation.reading import conversation, kinds, words


def test_lines_of_one_message_are_merged_in_file_order() -> None:
    """One line per block with one message id makes one message with all its blocks."""
    session = Session()
    session.assistant(thinking("t"), "one", tool_use("Read"), stop="tool_use")

    (message,) = conversation(session).messages

    assert kinds(conversation(session), message) == ["thinking", "text", "tool_use"]
    assert message.stop_reason == "tool_use"


def test_lines_that_are_not_adjacent_are_merged_too() -> None:
    """Parallel calls have results and progress between the lines of their message."""
    session = Session()
    session.assistant(tool_use("Read", id="t1"), message_id="m")
    session.tool_result("t1", "a")
    session.progress("hook_progress", "t1")
    session.assistant(tool_use("Read", id="t2"), message_id="m")
    session.tool_result("t2", "b")

    talk = conversation(session)

    assert [message.message_id for message in talk.messages] == ["m"]
    assert [call.state.value for call in talk.calls] == ["done", "done"]


def test_a_line_with_several_blocks_gives_them_all() -> None:
    """Some lines hold more than one block."""
    session = Session()
    (line,) = session.assistant("one")
    line["message"]["content"].append(text("two"))

    talk = conversation(session)

    assert talk.text(talk.messages[0]) == "one\n\ntwo"


def test_messages_without_an_id_stand_for_themselves() -> None:
    """Without message.id a line is its own message: by uuid, else by its place."""
    session = Session()
    for _ in range(2):
        (line,) = session.assistant("hi")
        del line["message"]["id"]
    bare = {"type": "assistant", "session_id": session.id, "message": {"role": "assistant", "content": [text("bare")]}}

    talk = conversation(bytes(session) + encode(bare) + encode(bare))

    assert words(talk) == ["model: hi", "model: hi", "model: bare", "model: bare"]


def test_the_same_message_id_below_another_agent_is_another_message() -> None:
    """Messages are merged per session, agent and message id; their tokens count once all the same."""
    session = Session()
    session.assistant("main says", message_id="m")
    agent = session.agent("a1", "t1")
    agent.assistant("agent says", message_id="m")

    talk = conversation(session, agent=agent)

    assert words(talk) == ["model: main says"]
    assert words(talk, "a1") == ["model: agent says"]
    assert talk.tokens.input == 10


def test_stdout_and_file_are_one_conversation() -> None:
    """A line of the file replaces its provisional copy on stdout, and brings the final figures."""
    session, run = Session(), Run()
    run.init()
    session.user("go")
    (line,) = session.assistant("done", stop="end_turn", tokens={"input_tokens": 5, "output_tokens": 42})
    shown = {**line["message"], "stop_reason": None, "usage": {"input_tokens": 5, "output_tokens": 1}}
    run.line("assistant", uuid=line["uuid"], message=shown)
    run.result("done")

    talk = conversation(run, session=session)

    assert words(talk) == ["human: go", "model: done"]
    assert talk.messages[1].stop_reason == "end_turn"
    assert talk.tokens.output == 42


def test_the_last_stop_reason_that_is_set_holds() -> None:
    """Old clients leave all but the last line without one."""
    session = Session()
    session.assistant("a", message_id="m", stop="tool_use")
    session.assistant("b", message_id="m", stop=None)

    assert conversation(session).messages[0].stop_reason == "tool_use"


def test_the_model_comes_from_the_message_else_from_the_record() -> None:
    """The oldest descriptions put the model beside the message."""
    session = Session()
    (line,) = session.assistant("hi", model="claude-outside")
    del line["message"]["model"]

    assert conversation(session).messages[0].model == "claude-outside"
    assert conversation(session).session.models == ("claude-outside",)


@pytest.mark.parametrize(
    ("content", "fields", "author"),
    [
        ("fix the test", {}, "human"),
        ("fix the test", {"origin": {"kind": "human"}, "promptSource": "typed"}, "human"),
        ("a note", {"isMeta": True}, "synthetic"),
        ("a note", {"isSynthetic": True}, "synthetic"),
        ("what was said", {"isCompactSummary": True}, "synthetic"),
        ("[Request interrupted by user]", {}, "synthetic"),
        ("<system-reminder>mind</system-reminder>", {}, "synthetic"),
        ("<command-name>/cost</command-name>", {}, "command"),
        ("<local-command-stdout>0</local-command-stdout>", {}, "command"),
        ("<bash-input>ls</bash-input>", {}, "command"),
        ("<task-notification><task-id>b1</task-id></task-notification>", {}, "notification"),
        ("done in the background", {"origin": {"kind": "task-notification"}}, "notification"),
        ("done in the background", {"turnOrigin": "task_notification"}, "notification"),
    ],
)
def test_who_wrote_a_user_line(content: str, fields: dict[str, object], author: str) -> None:
    """A user line is not always the user's."""
    session = Session()
    session.user(content, **fields)

    assert conversation(session).messages[0].author.value == author


def test_words_beside_a_tool_result_are_a_message_of_their_own() -> None:
    """A person who amends an approval has their words in the line of the result."""
    session = Session()
    session.assistant(tool_use("Edit", id="t1"))
    session.user([tool_result("t1", "ok"), text("and then the docs")])

    talk = conversation(session)

    assert words(talk) == ["model: ", "human: and then the docs"]
    assert talk.calls[0].state.value == "done"


def test_stream_events_build_a_message_and_full_lines_replace_them() -> None:
    """While a message streams it is shown as far as it is; its full line takes that place."""
    run = Run()
    run.init()
    run.streamed("Hel", "lo", message_id="m")
    half = conversation(run)
    run.assistant("Hello!", message_id="m")
    run.event("content_block_stop", index=0)
    run.event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 7})
    run.event("message_stop")
    whole = conversation(run)

    assert (half.text(half.messages[0]), half.messages[0].is_partial) == ("Hello", True)
    assert words(whole) == ["model: Hello!"]
    assert not whole.messages[0].is_partial
    assert whole.messages[0].stop_reason == "end_turn"
    assert whole.tokens.output == 7


def test_a_message_cut_off_while_streaming_keeps_what_was_seen() -> None:
    """An interrupted message has no full line; its fragments stay, thinking and tool input included."""
    run = Run()
    run.streamed("A long", message_id="m")
    run.event(
        "content_block_start", index=1, content_block={"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    )
    run.event("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": '{"comm'})
    run.result(None, subtype="error_during_execution", terminal_reason="aborted_streaming")

    talk = conversation(run)
    parts = talk.blocks(talk.messages[0])

    assert [(part.block.type, part.block.text, part.is_partial) for part in parts] == [
        ("text", "A long", True),
        ("tool_use", '{"comm', True),
    ]
    assert talk.status.value == "interrupted"
