"""Tests what one stream says twice under the same id."""

import itertools

import chorus
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Notice
from chorus.core.views.notices import conflict_row
from chorus.testing.builders import Flat, Run, Session, tool_result, tool_use
from chorus.testing.builders.lines import usage
from tests.core.conversation.reading import conversation, words
from tests.core.conversation.talks import read


def conflicts(talk):
    """Returns what each record that is set aside contradicts, and its text."""
    return [(each.against, each.text) for each in talk.all(Notice) if each.source is not None]


def test_a_second_result_of_a_call_is_a_conflict():
    """If a stream has two results of a call, the first is the result, and the second is a row of its own."""
    session = Session()
    session.assistant(tool_use("Bash", id="t1"))
    session.tool_result("t1", "what was kept first")
    session.tool_result("t1", "something else", is_error=True)
    session.assistant("Done.")

    talk = conversation(session)
    (call,) = talk.calls
    result = talk.result(call)

    assert (call.state.value, result and bytes(result.content)) == ("done", b'"what was kept first"')
    assert conflicts(talk) == [("result t1", '"something else"')]
    (notice,) = talk.all(Notice)
    assert conflict_row(notice).title == "the same source also says"
    assert words(talk)[-1] == "model: Done."


def test_a_second_line_with_a_known_id_is_a_conflict():
    """A line with a known id and other content is a row of its own; it states no usage, time, call or result."""
    session = Session()
    first = session.user("Say this.")
    (answer,) = session.assistant("This.", message_id="m", tokens=usage(said=5), stop="end_turn")
    session.add({**first, "message": {"role": "user", "content": "Say that."}})
    that = {"type": "text", "text": "That."}
    used = usage(said=90_000)
    late = "2031-01-01T00:00:00.000Z"
    session.add({**answer, "timestamp": late, "message": {**answer["message"], "content": [that], "usage": used}})

    talk = conversation(session)

    assert words(talk) == ["human: Say this.", "model: This."]
    assert [text for _, text in conflicts(talk)] == ["Say that.", "That."]
    assert [against for against, _ in conflicts(talk)] == [f"line {first['uuid']}", f"line {answer['uuid']}"]
    assert talk.tokens.output == 5
    assert talk.session.ended_at != late


def test_a_second_result_in_flat_events_is_a_conflict():
    """In flat events, the same result again is one result, and another is a row of its own."""
    flat = Flat()
    flat.user("go")
    flat.tool_use("t1", "Bash", {"command": "ls"})
    flat.tool_result("t1", "first")
    flat.tool_result("t1", "first")
    flat.tool_result("t1", "second")

    talk = conversation(flat)
    (call,) = talk.calls
    result = talk.result(call)

    assert result and bytes(result.content) == b'"first"'
    assert conflicts(talk) == [("result t1", '"second"')]


def test_a_contradicting_result_says_nothing_about_tasks():
    """A second result of a call does not change the status of a sub-agent that it names."""
    session = Session()
    session.assistant(tool_use("Agent", {"prompt": "go", "run_in_background": True}, id="t1"))
    session.tool_result("t1", "started", structured={"agentId": "a1", "status": "async_launched", "isAsync": True})
    session.agent("a1", "t1").user("go")
    session.assistant(tool_use("TaskOutput", {"task_id": "a1"}, id="t2"))
    for status in ("running", "failed"):
        session.tool_result("t2", status, structured={"task": {"task_id": "a1", "status": status}})

    (agent,) = conversation(session).agents

    assert agent.status == "running"


def test_the_same_again_is_no_conflict():
    """Repeated lines, results written in another way, merged results and parts of one message are no conflicts."""
    session = Session()
    lines = session.assistant("a", "b", tool_use("Bash", id="t1"), tool_use("Read", id="t2"), message_id="m")
    session.add(lines[0])
    (grown,) = session.assistant("a and more", message_id="m")
    session.add({**grown, "isMeta": False})
    result = session.tool_result("t1", "fine")
    session.add({**result, "timestamp": "2026-01-05T10:00:00.000Z"})
    session.user([tool_result("t1", [{"type": "text", "text": "fine"}]), tool_result("t2", "too")])

    talk = conversation(session)

    assert conflicts(talk) == []
    assert [call.state.value for call in talk.calls] == ["done", "done"]


def test_only_the_result_that_contradicts_is_set_aside():
    """Of a line with several results, those of other calls count; so does the first of two in one line."""
    session = Session()
    session.assistant(tool_use("Bash", id="t1"), tool_use("Bash", id="t2"))
    session.tool_result("t1", "first")
    session.user([tool_result("t1", "other"), tool_result("t2", "second"), tool_result("t2", "third")])

    talk = conversation(session)
    results = [talk.result(call) for call in talk.calls]

    assert [result and bytes(result.content) for result in results] == [b'"first"', b'"second"']
    assert [against for against, _ in conflicts(talk)] == ["result t1"]


def test_streams_may_be_read_in_any_order():
    """What a stream says twice is a conflict in every interleaving with other streams, and after a restore."""
    session = Session("5e551011-0000-4000-8000-000000000001")
    session.user("go")
    (line,) = session.assistant(tool_use("Bash", id="t1"), message_id="m1")
    result = session.tool_result("t1", "one")
    other = {**result, "uuid": "0a0a0a0a-0000-4000-8000-000000000001"}
    other["message"] = {"role": "user", "content": [tool_result("t1", "two")]}
    session.add(other)
    run = Run(session.id)
    run.add({**line})
    run.add({**result})
    streams = [list(read("main.jsonl", bytes(session))), list(read("run.jsonl", bytes(run)))]

    found = []
    for order in set(itertools.permutations([0] * len(streams[0]) + [1] * len(streams[1]))):
        left = [iter(stream) for stream in streams]
        fold, talk = Fold(session.id), chorus.Conversation(session.id)
        for which in order:
            talk.apply(fold.feed(next(left[which])))
            again = Fold.restore(fold.dump())
            assert again is not None
            fold = again
        (call,) = talk.calls
        shown = talk.result(call)
        found.append((conflicts(talk), shown and bytes(shown.content)))

    assert found and all(each == ([("result t1", '"two"')], b'"one"') for each in found)
