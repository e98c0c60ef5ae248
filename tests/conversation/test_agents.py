"""Sub-agents: below the call that started them, in every layout."""

import pytest

from chorus.testing.builders import Run, Session, tool_use
from tests.conversation.reading import conversation, words


def _started(session: Session, call: str = "t1", prompt: str = "look around") -> None:
    session.user("go")
    session.assistant(tool_use("Task", {"prompt": prompt, "description": "look", "subagent_type": "Explore"}, id=call))


def test_an_agent_file_hangs_below_the_call_its_result_names() -> None:
    """The structured result tells which agent a call started."""
    session = Session()
    _started(session)
    agent = session.agent("a1", "t1")
    agent.user("look around")
    agent.assistant("seen", stop="end_turn")
    session.tool_result("t1", "report", structured={"agentId": "a1", "status": "completed", "agentType": "Explore"})

    talk = conversation(session, **{"agent-a1": agent})
    (found,) = talk.agents

    assert (found.call, found.type, found.status) == ("t1", "Explore", "completed")
    assert talk.calls[0].subagent == "a1"
    assert words(talk, "a1") == ["agent: look around", "model: seen"]
    assert words(talk) == ["human: go", "model: "]


def test_an_agent_is_found_by_its_prompt_when_nothing_else_links_it() -> None:
    """While the call runs, no result names the agent; its first words are those of the call."""
    session = Session()
    _started(session)
    agent = session.agent("a1", "t1")
    agent.user("look around")

    talk = conversation(session, **{"agent-a1": agent})

    assert talk.agents[0].call == "t1"
    assert talk.agents[0].description == "look"


def test_inline_sidechains_are_agents() -> None:
    """Clients of 1.0 wrote the lines of sub-agents into the main file, several at once."""
    session = Session()
    session.assistant(
        tool_use("Task", {"prompt": "one"}, id="t1"),
        tool_use("Task", {"prompt": "two"}, id="t2"),
    )
    main = session.leaf
    threads: dict[str, str | None] = {"one": None, "two": None}
    for said in ("one", "two"):
        session.leaf = threads[said]
        session.user(said, isSidechain=True)
        threads[said] = session.leaf
    for said in ("two", "one"):
        session.leaf = threads[said]
        session.assistant(f"{said} done", isSidechain=True)
    session.leaf = main
    session.tool_result("t1", "r1")

    talk = conversation(session)
    below = {call.tool_use_id: words(talk, call.subagent or "?") for call in talk.calls}

    assert below == {"t1": ["agent: one", "model: one done"], "t2": ["agent: two", "model: two done"]}


def test_embedded_lines_count_until_the_agents_file_has_them() -> None:
    """Progress records hold a sub-agent's messages; with its file they are shown and counted once."""
    session = Session()
    _started(session)
    agent = session.agent("a1", "t1")
    lines = [agent.user("look around"), *agent.assistant("seen", tokens={"input_tokens": 3, "output_tokens": 4})]
    for line in lines:
        session.progress_agent("a1", "t1", line)

    alone, both = conversation(session), conversation(session, **{"agent-a1": agent})

    assert words(alone, "a1") == words(both, "a1") == ["agent: look around", "model: seen"]
    assert alone.tokens.output == both.tokens.output == 24


@pytest.mark.parametrize("by_id", [True, False])
def test_stdout_lines_of_an_agent_join_its_file(by_id: bool) -> None:
    """Stdout names the call, newer clients the agent too; either way its lines are those of the file."""
    session, run = Session(), Run()
    _started(session)
    agent = session.agent("a1", "t1")
    lines = [agent.user("look around"), *agent.assistant("seen")]
    run.init()
    run.task("started", "a1", "t1", subagent_type="Explore")
    for line in lines:
        more = {"agent_id": "a1"} if by_id else {}
        run.line(line["type"], uuid=line["uuid"], message=line["message"], parent_tool_use_id="t1", **more)

    live = conversation(run)
    both = conversation(run, session=session, **{"agent-a1": agent})

    assert words(live, "a1" if by_id else "call:t1") == ["agent: look around", "model: seen"]
    assert words(both, "a1") == ["agent: look around", "model: seen"]
    assert [item.agent for item in both.agents] == ["a1"]


def test_agents_of_agents_hang_below_their_parent() -> None:
    """A sub-agent may start another; the tree follows the calls."""
    session = Session()
    session.assistant(tool_use("Agent", {"prompt": "outer"}, id="t1"))
    outer = session.agent("a1", "t1")
    outer.user("outer")
    outer.assistant(tool_use("Agent", {"prompt": "inner"}, id="t2"))
    inner = session.agent("a2", "t2")
    inner.user("inner")

    talk = conversation(session, **{"agent-a1": outer, "agent-a2": inner})
    parents = {agent.agent: agent.parent for agent in talk.agents}

    assert parents == {"a1": "", "a2": "a1"}


def test_a_background_command_is_no_agent() -> None:
    """Task lines are written for long commands as well."""
    run = Run()
    run.init()
    run.assistant(tool_use("Bash", id="t1"))
    run.task("started", "b1", "t1", task_type="local_bash")
    run.task("notification", "b1", "t1", status="completed")

    assert conversation(run).agents == []
