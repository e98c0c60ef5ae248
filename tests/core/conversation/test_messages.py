"""Tests that lines are merged into messages by id, that each message has its author, and that each is shown once."""

from typing import Any

import pytest

import chorus
from chorus.core.conversation.fold import Fold
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record
from chorus.core.records.split import Splitter
from chorus.testing.builders import Run, Session, encode, text, thinking, tool_result, tool_use
from tests.core.conversation.reading import conversation, kinds, words


def test_lines_of_one_message_are_merged_in_file_order() -> None:
    """Several lines with one message id and one block each make one message with all blocks."""
    session = Session()
    session.assistant(thinking("t"), "one", tool_use("Read"), stop="tool_use")

    (message,) = conversation(session).messages

    assert kinds(conversation(session), message) == ["thinking", "text", "tool_use"]
    assert message.stop_reason == "tool_use"


def test_lines_that_are_not_adjacent_are_merged_too() -> None:
    """Lines of one message are merged even if results and progress of parallel calls are between them."""
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
    """If a line has more than one block, the message has all of them."""
    session = Session()
    (line,) = session.assistant("one")
    line["message"]["content"].append(text("two"))

    talk = conversation(session)

    assert talk.text(talk.messages[0]) == "one\n\ntwo"


def test_messages_without_an_id_stand_for_themselves() -> None:
    """A line without a message id is a message of its own, identified by its uuid or by its place."""
    session = Session()
    for _ in range(2):
        (line,) = session.assistant("hi")
        del line["message"]["id"]
    bare = {"type": "assistant", "session_id": session.id, "message": {"role": "assistant", "content": [text("bare")]}}

    talk = conversation(bytes(session) + encode(bare) + encode(bare))

    assert words(talk) == ["model: hi", "model: hi", "model: bare", "model: bare"]


def test_the_same_message_id_below_another_agent_is_another_message() -> None:
    """Messages are merged per session, agent and message id, but the tokens of one message id count once."""
    session = Session()
    session.assistant("main says", message_id="m")
    agent = session.agent("a1", "t1")
    agent.assistant("agent says", message_id="m")

    talk = conversation(session, agent=agent)

    assert words(talk) == ["model: main says"]
    assert words(talk, "a1") == ["model: agent says"]
    assert talk.tokens.input == 10


def test_stdout_and_file_are_one_conversation() -> None:
    """A line of the session file replaces its provisional copy on stdout and has the final numbers."""
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
    """A later line without a stop reason does not remove the stop reason of an earlier line."""
    session = Session()
    session.assistant("a", message_id="m", stop="tool_use")
    session.assistant("b", message_id="m", stop=None)

    assert conversation(session).messages[0].stop_reason == "tool_use"


def test_the_model_comes_from_the_message_else_from_the_record() -> None:
    """If the message has no model, the model beside the message is used, as in the oldest descriptions."""
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
        ("This session is being continued from a previous conversation that ended.", {}, "synthetic"),
        ("go on", {"promptSource": "system"}, "synthetic"),
        ("<command-name>/cost</command-name>", {}, "command"),
        ("<local-command-stdout>0</local-command-stdout>", {}, "command"),
        ("\n<command-message>cost</command-message>", {}, "command"),
        ("<command-args>all</command-args>", {}, "command"),
        ("<bash-input>ls</bash-input>", {}, "command"),
        ("<bash-stdout>a.py</bash-stdout>", {}, "command"),
        ("<bash-stderr>no such file</bash-stderr>", {}, "command"),
        ("<task-notification><task-id>b1</task-id></task-notification>", {}, "notification"),
        ("done in the background", {"origin": {"kind": "task-notification"}}, "notification"),
        ("done in the background", {"turnOrigin": "task_notification"}, "notification"),
        ("done in the background", {"origin": {"kind": "task-notification"}, "isMeta": True}, "notification"),
        ("from a peer", {"origin": {"kind": "channel"}}, "notification"),
        ("from a peer", {"origin": "channel"}, "notification"),
    ],
)
def test_who_wrote_a_user_line(content: str, fields: dict[str, object], author: str) -> None:
    """The author of a user line follows from its fields and its text, and is not always a person."""
    session = Session()
    session.user(content, **fields)

    assert conversation(session).messages[0].author.value == author


def test_words_beside_a_tool_result_are_a_message_of_their_own() -> None:
    """Text of a person in the line of a tool result is a message of its own."""
    session = Session()
    session.assistant(tool_use("Edit", id="t1"))
    session.user([tool_result("t1", "ok"), text("and then the docs")])

    talk = conversation(session)

    assert words(talk) == ["model: ", "human: and then the docs"]
    assert talk.calls[0].state.value == "done"


def test_stream_events_build_a_message_and_full_lines_replace_them() -> None:
    """Stream events build a partial message, and its full line replaces it."""
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
    """An interrupted message without a full line keeps its fragments, also those of tool input."""
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
    assert (parts[1].block.name, parts[1].block.id, bytes(parts[1].block.input)) == ("Bash", "t1", b"")
    assert talk.status.value == "interrupted"


def test_a_message_knows_how_it_was_made() -> None:
    """A message has request id, tier, cost, duration and the times of its first and last line."""
    session = Session()
    session.assistant("b", message_id="m", timestamp="2026-01-05T09:00:05.000Z", costUSD=0.5, durationMs=70)
    session.assistant("a", message_id="m", timestamp="2026-01-05T09:00:02.000Z", requestId="later")
    session.assistant("c", message_id="m", timestamp="2026-01-05T09:00:09.000Z")
    session.lines[0]["requestId"] = "first"
    session.lines[0]["message"]["usage"]["service_tier"] = "priority"

    (message,) = conversation(session).messages

    assert (message.request_id, message.service_tier) == ("first", "priority")
    assert (message.cost_usd, message.duration_ms) == (0.5, 70)
    assert (message.started_at, message.ended_at) == ("2026-01-05T09:00:02.000Z", "2026-01-05T09:00:09.000Z")


def test_the_request_id_has_two_spellings() -> None:
    """The request id is also read in snake case, as stdout writes it."""
    run = Run()
    run.assistant("hi", request_id="req")

    assert conversation(run).messages[0].request_id == "req"


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"error": "rate_limit"}, "rate_limit"),
        ({"isApiErrorMessage": True}, "api error"),
        ({"is_api_error_message": True}, "api error"),
        ({}, None),
    ],
)
def test_an_error_of_the_api_is_a_fact_of_its_message(fields: dict[str, Any], error: str | None) -> None:
    """An API error is recognised by the fields of the client and not by the text, and makes the conversation failed."""
    session = Session()
    session.user("go")
    session.assistant("it said no", stop="stop_sequence", **fields)

    talk = conversation(session)

    assert talk.messages[1].error == error
    assert (talk.status.value == "failed") is (error is not None)


def test_the_last_stop_reason_is_the_last_in_the_order() -> None:
    """The stop reason comes from the last line in the order of times, not from the line that was read last."""
    early, late = Run(), Session()
    late.assistant("b", message_id="m", stop="end_turn", timestamp="2026-01-05T09:00:09.000Z")
    early.assistant("a", message_id="m", stop="tool_use", timestamp="2026-01-05T09:00:01.000Z")

    for talk in (conversation(early, late=late), conversation(late, early=early)):
        assert talk.messages[0].stop_reason == "end_turn"


def test_a_message_stands_where_its_first_line_stands() -> None:
    """A message is placed at its first line, even if other messages are between its lines."""
    session = Session()
    (first, *_) = session.assistant("a", message_id="m")
    session.user("meanwhile")
    session.assistant("b", message_id="m")

    talk = conversation(session)

    assert words(talk) == ["model: a\n\nb", "human: meanwhile"]
    assert talk.messages[0].uuid == first["uuid"]


def test_content_may_be_a_string() -> None:
    """The content of a message may be a string, for a person and for the model."""
    session = Session()
    session.user("hi")
    (line,) = session.assistant("x")
    line["message"]["content"] = "hello"

    assert words(conversation(session)) == ["human: hi", "model: hello"]


def test_the_author_depends_on_all_words_of_a_line() -> None:
    """If a line begins with an empty text, the tag in the next text decides the author."""
    session = Session()
    session.user([text(""), text("<command-name>/cost</command-name>")])

    assert conversation(session).messages[0].author.value == "command"


def test_a_user_line_of_the_file_replaces_its_copy() -> None:
    """A user line of the file replaces its copy on stdout, also if the copy has more blocks, and gives the time."""
    session, run = Session(), Run()
    line = session.user("go")
    run.line("user", uuid=line["uuid"], message={"role": "user", "content": [text("go"), text("more")]})

    for talk in (conversation(run, session=session), conversation(session, run=run)):
        assert words(talk) == ["human: go"]
        assert talk.messages[0].uuid == line["uuid"]
        assert talk.messages[0].started_at == line["timestamp"]


def test_a_line_of_the_file_may_belong_to_another_message() -> None:
    """If stdout gives a line another message id, the id in the file counts, and no empty message stays."""
    session, run = Session(), Run()
    (line,) = session.assistant("hi", message_id="final")
    run.line("assistant", uuid=line["uuid"], message={**line["message"], "id": "provisional"})

    for talk in (conversation(run, session=session), conversation(session, run=run)):
        assert [message.id for message in talk.messages] == ["final"]
        assert talk.session.messages == 1
        assert words(talk) == ["model: hi"]


def test_an_agents_stream_events_build_its_own_message() -> None:
    """Stream events of a sub-agent build a message of that sub-agent, not one of the main thread."""
    run = Run()
    run.streamed("main", message_id="m")
    for event in Run().streamed("in", "side", message_id="m"):
        run.line("stream_event", event=event["event"], parent_tool_use_id="t1")

    talk = conversation(run)

    assert words(talk) == ["model: main"]
    assert words(talk, "call:t1") == ["model: inside"]


def test_events_name_their_message_or_follow_the_open_one() -> None:
    """An event belongs to the message that it names or to the open one; after its end, an event belongs to none."""
    run = Run()
    run.streamed("a", message_id="m")
    run.event("message_stop")
    run.event("content_block_delta", index=0, delta={"type": "text_delta", "text": "lost"})
    late = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "b"}}
    run.line("stream_event", event=late, api_message_id="m")
    run.event("content_block_delta", index=7, delta={"type": "text_delta", "text": "never begun"})

    assert words(conversation(run)) == ["model: ab"]


def test_thinking_grows_as_thinking() -> None:
    """Fragments of thinking extend the thinking of the block and not its text."""
    run = Run()
    run.streamed(message_id="m")
    run.event("content_block_start", index=1, content_block=thinking("so "))
    run.event("content_block_delta", index=1, delta={"type": "thinking_delta", "thinking": "hm "})
    half = conversation(run)
    run.event("content_block_delta", index=1, delta={"type": "thinking_delta", "thinking": "ok"})
    part = conversation(run).blocks(conversation(run).messages[0])[1]

    assert half.blocks(half.messages[0])[1].block.thinking == "so hm "
    assert (part.block.type, part.block.thinking, part.block.text) == ("thinking", "so hm ok", None)


def test_a_full_line_replaces_only_what_it_covers() -> None:
    """A full line replaces only its own block, and the next block, which still grows, is shown once."""
    run = Run()
    run.streamed("on", message_id="m")
    run.assistant("one", message_id="m")
    run.event("content_block_delta", index=0, delta={"type": "text_delta", "text": "late"})
    run.event("content_block_start", index=0, content_block=text("again"))
    run.event("content_block_start", index=1, content_block=text("tw"))
    talk = conversation(run)
    talk.blocks(talk.messages[0])
    run.event("content_block_delta", index=1, delta={"type": "text_delta", "text": "o"})

    talk = conversation(run)

    assert [part.block.text for part in talk.blocks(talk.messages[0])] == ["one", "two"]
    assert [part.is_partial for part in talk.blocks(talk.messages[0])] == [False, True]


def test_reading_a_growing_block_does_not_change_it() -> None:
    """A block that still grows can be read several times without changing."""
    run = Run()
    run.streamed("a", "b", message_id="m")
    talk = conversation(run)

    assert [words(talk), words(talk)] == [["model: ab"], ["model: ab"]]
    assert talk.blocks(talk.messages[0])[0].is_partial


def _mirrored(path: str, *entries: object) -> dict[str, object]:
    return {"type": "transcript_mirror", "filePath": path, "entries": list(entries)}


def test_mirrored_lines_count_more_than_stdout_and_less_than_the_file() -> None:
    """A line is shown once; its mirror wins over stdout, and the session file wins over the mirror."""
    session, run = Session(), Run()
    (line,) = session.assistant("final")
    mirrored = {**line, "message": {**line["message"], "content": [text("mirrored")]}}
    shown = {**line["message"], "content": [text("provisional")]}
    run.line("assistant", uuid=line["uuid"], message=shown)
    run.add({**_mirrored("/p/s.jsonl", mirrored, {"not": "a line"}), "session_id": run.id})

    live, both = conversation(run), conversation(session, run=run)

    assert words(live) == ["model: mirrored"]
    assert words(both) == ["model: final"]
    assert [notice.type for notice in live.notices] == ["transcript_mirror"]


def test_mirrored_facts_count_and_stand_in_their_order() -> None:
    """Titles and messages in a mirror count in their order; of several titles in one record, the last one counts."""
    run = Run()
    titles = [{"type": "custom-title", "customTitle": name, "sessionId": run.id} for name in ("one", "two")]
    lines = Session().assistant("a", "b", message_id="m")
    run.add({**_mirrored("/p/s.jsonl", *titles, *lines), "session_id": run.id})

    talk = conversation(run)

    assert talk.title == "two"
    assert words(talk) == ["model: a\n\nb"]
    assert talk.status.value == "done"
    orders = [item.order for item in (*talk.messages, *talk.blocks(talk.messages[0]), *talk.notices)]
    assert len(set(orders)) == len(orders) == 4


@pytest.mark.parametrize("path", ["/p/s/subagents/agent-a1.meta.json", "C:\\p\\s\\subagents\\agent-a1.jsonl"])
def test_a_mirrored_sidecar_describes_the_agent_of_its_file(path: str) -> None:
    """A mirrored metadata record describes the sub-agent that its file name names, on every operating system."""
    run = Run()
    run.assistant(tool_use("Agent", {"prompt": "look"}, id="t1"))
    meta = {"type": "agent_metadata", "agentType": "Explore", "toolUseId": "t1", "spawnDepth": 2}
    run.add({**_mirrored(path, meta), "session_id": run.id})
    run.add({**_mirrored("/p/s.jsonl", {**meta, "agentType": "Other"}), "session_id": run.id})

    (agent,) = conversation(run).agents

    assert (agent.agent, agent.type, agent.call, agent.depth) == ("a1", "Explore", "t1", 2)


def test_a_block_that_begins_again_begins_empty() -> None:
    """If a block begins again after a retry, the text of the first attempt is removed."""
    run = Run()
    run.streamed("first", message_id="m")
    run.streamed("second", message_id="m")

    assert words(conversation(run)) == ["model: second"]


def test_conversations_differ_while_their_text_grows() -> None:
    """Two conversations are equal only if all fragments are equal."""
    one, two = Run(), Run()
    one.streamed("a", message_id="m")
    two.streamed("b", message_id="m")

    for script, said in ((three := Session(), "a"), (four := Session(), "b")):
        script.system("informational", content=said)

    assert conversation(one) == conversation(one)
    assert conversation(one) != conversation(two)
    assert conversation(three) != conversation(four)


def test_a_line_that_two_agents_have_is_shown_in_both_threads() -> None:
    """A line that is in the main thread and, with the same uuid, in a forked sub-agent is shown in both threads."""
    session = Session()
    line = session.user("go")
    agent = session.agent("a1", "t1")
    agent.add({**line, "agentId": "a1", "isSidechain": True})

    talk = conversation(session, agent=agent)

    assert (words(talk), words(talk, "a1")) == (["human: go"], ["agent: go"])
    assert [talk.text(message) for message in talk.messages] == ["go"]


def test_a_message_without_lines_is_not_counted() -> None:
    """A message whose last line moved to another message is not counted."""
    first, last, run = Session(), Session(), Run()
    (_, line) = first.assistant("a", "b", message_id="final")
    last.add(first.lines.pop())
    run.line("assistant", uuid=line["uuid"], message={**line["message"], "id": "provisional"})

    talk = conversation(first, run=run, last=last)

    assert words(talk) == ["model: a\n\nb"]
    assert talk.session.messages == 1


def test_the_header_is_put_only_when_a_fact_changed() -> None:
    """The fold returns the session header only if a fact changed, so it is not stored more often than needed."""
    session = Session()
    for _ in range(2):
        session.user("go")
    fold = chorus.Fold(session.id)
    first, second = (fold.feed(record) for record in chorus.read(bytes(session)))

    assert any(isinstance(change, chorus.Session) for change in first)
    assert not any(isinstance(change, chorus.Session) for change in second)
    assert [change.time for change in second if isinstance(change, chorus.Reach)] == ["2026-01-05T09:00:01.000Z"]


def test_the_end_of_a_session_never_moves_back() -> None:
    """A `Reach` with an earlier time does not move the end of the session back."""
    talk = chorus.Conversation("s")
    talk.apply([chorus.Reach("2026-01-05T09:00:09.000Z"), chorus.Reach("2026-01-05T09:00:01.000Z")])

    assert talk.session.ended_at == "2026-01-05T09:00:09.000Z"


def test_a_change_that_was_given_stays_as_it_was() -> None:
    """A change that the fold returned is never modified later, because consumers store it."""
    session = Session()
    session.user("go")
    session.assistant("done", stop="end_turn")
    fold = chorus.Fold(session.id)
    first, _ = (fold.feed(record) for record in chorus.read(bytes(session)))
    (header,) = (change for change in first if isinstance(change, chorus.Session))

    assert (header.status.value, header.messages) == ("thinking", 0)


def test_a_fragment_of_nothing_changes_nothing() -> None:
    """A fragment of a block that never began is ignored."""
    run = Run()
    run.streamed("a", message_id="m")
    run.event("content_block_delta", index=7, delta={"type": "text_delta", "text": "never begun"})
    fold = chorus.Fold(run.id)

    *_, last = (fold.feed(record) for record in chorus.read(bytes(run)))

    assert not any(isinstance(change, chorus.Append) for change in last)


def test_a_line_costs_the_same_however_many_its_message_has() -> None:
    """A new line of a message does not search all earlier lines while the lines come in order."""

    class Watched(dict[str, Any]):
        looked_through = 0

        def values(self) -> Any:
            Watched.looked_through += 1
            return super().values()

    session = Session()
    lines = session.assistant(*(f"block {n}" for n in range(40)))
    records = [
        piece for piece in Splitter(StreamId("file")).feed(b"".join(map(encode, lines))) if isinstance(piece, Record)
    ]
    fold = Fold(session.id)
    fold.feed(records[0])
    (known,) = fold.state.messages.values()
    known.shown = Watched(known.shown)
    for record in records[1:]:
        fold.feed(record)

    assert Watched.looked_through == 0
    assert known.first == min(known.shown.values())
    assert len(known.shown) == 40
