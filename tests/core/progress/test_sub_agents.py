"""Tests what is known about sub-agents at work."""

import pytest

from chorus.core.progress.mentions import agents_mentioned
from chorus.testing.builders import Run, Session, tool_use
from tests.core.progress.following import current, figures, followed


def started(session):
    session.user("Go")
    session.assistant(tool_use("Agent", {"description": "Find the bug", "prompt": "Find it"}, id="a1"))
    agent = session.agent("x1", "a1", description="Find the bug")
    agent.user("Find it")
    return agent


def test_a_sub_agent_shows_what_it_does():
    """A sub-agent at work has its task, its last tool, the number of its calls, and its own progress."""
    session = Session()
    agent = started(session)
    agent.assistant(tool_use("Grep", {"pattern": "x"}, id="g1"))
    agent.tool_result("g1", "found")
    agent.assistant(tool_use("Read", {"file_path": "/a"}, id="r1"))
    agent.assistant("Checking file 2 of 6.")

    (shown,) = current(followed(session, agent=agent)).sub_agents

    assert (shown.id, shown.call, shown.parent, shown.step, shown.calls) == ("x1", "a1", "", "Read", 2)
    assert shown.source == "task"
    assert figures(shown.progress) == ("Checking files", 2, 6, "prose")


def test_a_call_that_waits_for_its_sub_agent_counts():
    """A sub-agent is at work from its call on, before any of its own records was read."""
    session = Session()
    session.user("Go")
    session.assistant(tool_use("Agent", {"description": "look around", "prompt": "x"}, id="a1"))

    (shown,) = current(followed(session)).sub_agents

    assert (shown.id, shown.call, shown.description, shown.calls) == ("call:a1", "a1", "Look around", 0)
    session.tool_result("a1", "Done.")
    session.assistant(tool_use("Bash", {"command": "ls"}, id="b"))
    assert followed(session).current is None


def test_a_finished_sub_agent_is_not_shown():
    """After the result of its call, a sub-agent is no longer at work."""
    session = Session()
    agent = started(session)
    agent.assistant("Checking file 2 of 6.")
    session.tool_result("a1", "It is in line 3.", structured={"agentId": "x1", "status": "completed"})
    session.assistant(tool_use("Bash", {"command": "ls"}, id="b"))

    assert followed(session, agent=agent).current is None


def test_the_client_reports_about_a_sub_agent():
    """The client's own reports give the step and the number of calls, even if the thread is not recorded."""
    run = Run()
    run.init()
    run.assistant(tool_use("Agent", {"description": "Look", "prompt": "Look"}, id="a1"))
    run.task("started", "x1", "a1", description="Look", task_type="local_agent")
    usage = {"total_tokens": 9, "tool_uses": 4, "duration_ms": 5}
    run.task("progress", "x1", "a1", description="Running the linter", last_tool_name="Bash", usage=usage)

    (shown,) = current(followed(run)).sub_agents

    assert (shown.step, shown.calls, shown.source.value) == ("Running the linter", 4, "client")
    assert shown.progress is None


def test_the_lists_of_a_sub_agent_are_its_own():
    """The to-do list of a sub-agent is its own progress, and not that of the conversation."""
    session = Session()
    agent = started(session)
    listed = {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]}
    agent.assistant(tool_use("TodoWrite", listed, id="t1"))

    found = current(followed(session, agent=agent))

    assert found.main is None
    assert figures(found.sub_agents[0].progress) == ("B", 1, 2, "todos")


def test_words_of_the_model_are_the_weakest_source():
    """If no record shows a sub-agent, the model's own words about one are shown as such."""
    session = Session()
    session.user("Go")
    session.assistant("I'm launching three parallel agents to read the packages.", tool_use("Bash", {}, id="b"))

    (shown,) = current(followed(session)).sub_agents

    assert (shown.id, shown.source.value, shown.confidence) == ("", "prose", 0.3)
    assert shown.description == "Launching three parallel agents to read the packages"


@pytest.mark.parametrize(
    ("words", "is_mention"),
    [
        ("I'll launch three sub-agents to read the packages.", True),
        ("Let me use the explore agent for that.", True),
        ("You could launch sub-agents for that.", False),
        ("To launch sub-agents, set a flag.", False),
    ],
)
def test_an_intention_counts_and_advice_does_not(words, is_mention):
    """What the model says that it does now is a mention; what one could do is none."""
    assert (agents_mentioned(words) is not None) is is_mention
