"""Tests of the rows of a part of a conversation, and of the facts that need the whole conversation."""

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.conversation import items
from chorus.core.views.blocks import Image, Prose
from chorus.core.views.conversation_facts import agents_without_call
from chorus.core.views.rows import AgentRow, MessageRow, ToolCall, TurnRow
from chorus.core.views.tools import view
from chorus.core.views.transcript import rows
from chorus.testing.builders import Run, Session, image, tool_use
from tests.core.views.talks import folded, tour

ORDER = ("", 0, "", 0, 0)


def agent(name):
    return items.Agent(id="agent:" + name, order=ORDER, agent=name)


def calls(shown):
    return [
        piece for row in shown if isinstance(row, MessageRow) for piece in row.pieces if isinstance(piece, ToolCall)
    ]


def test_a_sub_agent_by_its_facts():
    """Without nesting, the rows of a sub-agent are not below its call, and the call shows how many there are."""
    talk = folded(*tour())
    (nested,) = [call.agent for call in calls(rows(talk)) if call.agent]
    (flat,) = [call for call in calls(rows(talk, nested=False)) if call.agent]

    # The call shows the prompt and the last message of the sub-agent, so the nested rows do not repeat them.
    assert len(nested.rows) == 2 and nested.entries == 0
    assert flat.agent is not None and (flat.agent.rows, flat.agent.entries) == ((), 3)
    assert Prose(markdown="All found.") in flat.given
    assert len(rows(talk, "a1", nested=False)) == 3


def test_an_agent_without_a_call():
    """A sub-agent without a call has a row after the main thread, but only if it has something to show."""
    session = Session()
    session.user("hello")
    lost = session.agent("a1", "nowhere")
    lost.user("look")
    run = Run(ids=session.ids)
    run.task("started", "a2", "nowhere-2")
    talk = folded(session, lost, run)

    shown = [row for row in rows(talk, nested=False) if isinstance(row, AgentRow)]

    assert [(row.agent.id, row.agent.entries) for row in shown] == [("a1", 1)]


def test_who_is_apart():
    """Agents without a call are listed; of a circle of agents exactly one is listed, so that each can be reached."""
    known = [agent(name) for name in ("a", "b", "c", "d", "e")]

    def found(started):
        return [each.agent for each in agents_without_call(known, started)]

    assert found({"a": "", "b": "a", "c": "b"}) == ["d", "e"]
    assert found({"a": "b", "b": "a", "c": "", "d": "", "e": "a"}) == ["a"]
    assert found({"a": "a", "b": "", "c": "", "d": "unknown", "e": ""}) == ["a"]
    assert agents_without_call([], {"a": "b"}) == []


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["", *"abcdef"])))
def test_every_agent_can_be_reached(started):
    """From the main thread and the listed agents, calls lead to every agent, no matter which agent started which."""
    known = [agent(name) for name in "abcdef"]
    reached = {"", *(each.agent for each in agents_without_call(known, started))}
    for _ in known:
        reached |= {name for name, thread in started.items() if thread in reached}

    assert {each.agent for each in known} <= reached
    assert all(
        each.agent not in started or _is_in_circle(each.agent, started) for each in agents_without_call(known, started)
    )


def _is_in_circle(name, started):
    seen = set()
    at = started.get(name)
    while at and at not in seen:
        seen.add(at)
        at = started.get(at)
    return name in seen


def test_a_turn_repeats_only_the_last_words():
    """The row of a turn does not repeat the last text of the model, but it shows an earlier text."""
    run = Run()
    run.assistant("early")
    run.assistant("late")
    run.result("late")
    run.result("early")

    turns = [row for row in rows(folded(run)) if isinstance(row, TurnRow)]

    assert [turn.blocks for turn in turns] == [(), (Prose(markdown="early"),)]


def test_what_a_call_is_about():
    """A call about a background shell or task names that shell or task."""
    for name, given_, wanted in (
        ("BashOutput", b'{"bash_id":"b1"}', "b1"),
        ("KillShell", b'{"shell_id":"b2"}', "b2"),
        ("TaskOutput", b'{"task_id":"t1"}', "t1"),
        ("TaskStop", b'{"task_id":"t2"}', "t2"),
        ("Bash", b'{"command":"ls"}', None),
        ("BashOutput", b"{}", None),
    ):
        assert view(name, _raw(given_), None, None).refers == wanted


def _raw(data):
    from msgspec import Raw

    return Raw(data)


def test_pictures_say_where_they_are():
    """An image names the item that contains it and its number within that item."""
    session = Session()
    session.user([image()])
    session.assistant(tool_use("Read", {"file_path": "a.png"}, id="read"))
    session.tool_result("read", [image(), image()])
    prompt, answer = [row for row in rows(folded(session)) if isinstance(row, MessageRow)]

    (picture,) = prompt.pieces
    assert isinstance(picture, Image) and (picture.item, picture.nth) == (f"{prompt.id}:0", 0)
    (call,) = calls([answer])
    shown = [block for block in call.given if isinstance(block, Image)]
    assert [(block.item, block.nth) for block in shown] == [("result:read", 0), ("result:read", 1)]
