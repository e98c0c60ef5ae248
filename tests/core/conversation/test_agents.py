"""Tests that sub-agents appear below the call that started them, in every layout of the files."""

from functools import partial

import pytest

import chorus
from chorus.testing.builders import Run, Session, text, tool_use
from chorus.testing.work import steps
from tests.core.conversation.reading import conversation, words


def _started(session: Session, call: str = "t1", prompt: str = "look around") -> None:
    session.user("go")
    session.assistant(tool_use("Task", {"prompt": prompt, "description": "look", "subagent_type": "Explore"}, id=call))


def test_an_agent_file_hangs_below_the_call_its_result_names() -> None:
    """The structured result of a call names the sub-agent that the call started."""
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
    """While a call runs, no result names its sub-agent, so the prompt of the call finds the sub-agent."""
    session = Session()
    _started(session)
    agent = session.agent("a1", "t1")
    agent.user("look around")

    talk = conversation(session, **{"agent-a1": agent})

    assert talk.agents[0].call == "t1"
    assert talk.agents[0].description == "look"


def test_inline_sidechains_are_agents() -> None:
    """Lines of several sub-agents in the main file, as clients of version 1.0 wrote them, become several sub-agents."""
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
    """Messages of a sub-agent in progress records are shown and counted once, also if its file has them too."""
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
    """Lines of a sub-agent on stdout join the lines of its file, by the call or by the id that newer clients write."""
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
    """A sub-agent that another sub-agent started has that one as its parent."""
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
    """Task lines about a long command in the background do not create a sub-agent."""
    run = Run()
    run.init()
    run.assistant(tool_use("Bash", id="t1"))
    run.task("started", "b1", "t1", task_type="local_bash")
    run.task("notification", "b1", "t1", status="completed")

    assert conversation(run).agents == []


def test_a_line_that_names_its_agent_is_that_agents() -> None:
    """A line on stdout with the id of a sub-agent belongs to that sub-agent, even if nothing else names it."""
    run = Run()
    run.assistant("seen", agent_id="a1", parent_tool_use_id="t1", subagent_type="Explore", task_description="look")
    run.user("more", agent_id="a2", subagent_type="Plan", task_description="think")

    talk = conversation(run)

    assert words(talk, "a1") == ["model: seen"]
    assert {(agent.agent, agent.type, agent.description) for agent in talk.agents} == {
        ("a1", "Explore", "look"),
        ("a2", "Plan", "think"),
    }


def test_a_prompt_in_blocks_finds_its_call() -> None:
    """A prompt matches its call despite blanks around it, and as a string or as blocks."""
    session = Session()
    _started(session, prompt="look around\n")
    agent = session.agent("a1", "t1")
    agent.user([text("look around")])

    assert conversation(session, **{"agent-a1": agent}).agents[0].call == "t1"


def test_calls_with_the_same_prompt_are_distinguished_by_order() -> None:
    """Equal prompts are matched in the order of the calls; a call whose result names a sub-agent gets no other."""
    session = Session()
    for call in ("t1", "t2", "t3"):
        session.assistant(tool_use("Task", {"prompt": "look"}, id=call))
    agents = {name: session.agent(name, "") for name in ("a1", "a2", "a3")}
    for agent in agents.values():
        agent.user("look")
    session.tool_result("t2", "report", structured={"agentId": "a1"})
    files = {f"agent-{name}": agent for name, agent in agents.items()}

    for others in (files, dict(reversed(files.items()))):
        talk = conversation(session, **others)
        assert {agent.agent: agent.call for agent in talk.agents} == {"a1": "t2", "a2": "t1", "a3": "t3"}
        assert {call.tool_use_id: call.subagent for call in talk.calls} == {"t1": "a2", "t2": "a1", "t3": "a3"}


def test_words_in_the_middle_of_an_agents_thread_find_no_call() -> None:
    """Only the first prompt of a sub-agent is compared with the prompts of calls."""
    session = Session()
    agent = session.agent("a1", "t0")
    agent.user("something else")
    agent.user("look around")
    _started(session)

    assert conversation(session, **{"agent-a1": agent}).agents[0].call is None


def test_the_first_call_that_names_an_agent_started_it() -> None:
    """If several calls name a sub-agent, the first call started it, and a later call only wrote to it."""
    session = Session()
    for call in ("t1", "t2"):
        session.assistant(tool_use("Agent", {"prompt": call, "description": f"by {call}"}, id=call))
        session.tool_result(call, "report", structured={"agentId": "a1", "status": f"after {call}"})

    (agent,) = conversation(session).agents

    assert (agent.call, agent.description, agent.status) == ("t1", "by t1", "after t2")


def test_task_lines_tell_about_an_agent() -> None:
    """Task lines give type, description, depth, background and status of a sub-agent, even before its own lines."""
    run = Run()
    run.init()
    run.task("started", "a1", "t1", subagent_type="Explore", spawn_depth=2, is_backgrounded=True)
    running = conversation(run).agents
    run.task("notification", "a1", "t1", status="completed")
    run.task("notification", "a2", "t2", status="failed")
    before = conversation(run).agents
    run.assistant("late", agent_id="a2")

    (agent,) = before
    late = {agent.agent: agent.status for agent in conversation(run).agents}

    assert [agent.status for agent in running] == ["running"]
    assert (agent.call, agent.type, agent.description) == ("t1", "Explore", "Look")
    assert (agent.depth, agent.is_background) == (2, True)
    assert late == {"a1": "completed", "a2": "failed"}


def test_a_task_without_a_type_is_an_agent() -> None:
    """A task line without a type describes a sub-agent, because old clients wrote task lines for sub-agents only."""
    run = Run()
    run.init()
    run.system("task_started", task_id="a1", tool_use_id="t1", description="Look")

    assert [agent.agent for agent in conversation(run).agents] == ["a1"]


def test_the_result_tells_whether_an_agent_works_in_the_background() -> None:
    """The result of a call that returns at once says that the sub-agent works in the background."""
    session = Session()
    _started(session)
    session.tool_result("t1", "started", structured={"agentId": "a1", "isAsync": True, "agentType": "Plan"})

    (agent,) = conversation(session).agents

    assert (agent.is_background, agent.type) == (True, "Plan")


def test_what_a_record_says_of_an_agent_outweighs_its_call() -> None:
    """A description from a record wins over the call's, and of several records the first one counts."""
    session, run = Session(), Run()
    _started(session)
    run.task("started", "a1", "t1", description="said first", timestamp="2026-01-05T09:00:00.500Z")
    run.task("started", "a1", "t1", description="said later", timestamp="2026-01-05T09:00:09.000Z")

    for talk in (conversation(run, session=session), conversation(session, run=run)):
        assert [(agent.description, agent.type) for agent in talk.agents] == [("said first", "Explore")]


def test_an_agent_stands_where_its_call_stands() -> None:
    """Sub-agents are listed in the order of their calls; a sub-agent without a call is listed by its first line."""
    session = Session()
    late, early = session.agent("a1", "t2"), session.agent("a2", "t1")
    lost = session.agent("a0", "never")
    lost.user("nobody asked")
    late.user("two")
    for prompt, call in (("one", "t1"), ("two", "t2")):
        session.assistant(tool_use("Agent", {"prompt": prompt}, id=call))
    early.user("one")
    talk = conversation(session, **{"agent-a1": late, "agent-a2": early, "agent-a0": lost})

    assert [agent.agent for agent in talk.agents] == ["a0", "a2", "a1"]


def test_side_chains_give_way_to_the_agents_file() -> None:
    """Lines in both the main file and the file of a sub-agent are shown once, below the sub-agent with the id."""
    session = Session()
    session.assistant(tool_use("Task", {"prompt": "one"}, id="t1"))
    agent = session.agent("a1", "t1")
    lines = [agent.user("one"), *agent.assistant("seen")]
    for line in lines:
        session.add({name: field for name, field in line.items() if name != "agentId"})
    session.tool_result("t1", "r", structured={"agentId": "a1"})

    for talk in (conversation(session, agent=agent), conversation(agent, session=session)):
        assert words(talk, "a1") == ["agent: one", "model: seen"]
        assert [item.agent for item in talk.all(chorus.Message) if item.agent] == ["a1", "a1"]
        assert talk.calls[0].subagent == "a1"


def test_embedded_lines_bring_all_they_hold() -> None:
    """A line in a progress record keeps its request id and structured result, and its result completes the call."""
    session = Session()
    _started(session)
    agent = session.agent("a1", "t1")
    (line,) = agent.assistant(tool_use("Read", id="t2"))
    session.progress_agent("a1", "t1", line)
    result = agent.tool_result("t2", "text", structured={"type": "text"})
    held = session.progress_agent("a1", "t1", result)
    held["data"]["message"]["toolUseResult"] = result["toolUseResult"]
    session.progress("bash_progress", "t3", agentId="a9", message=line)

    talk = conversation(session)
    call = talk.call("t2")
    assert call is not None
    found = talk.result(call)

    assert [item.agent for item in talk.agents] == ["a1"]
    assert (talk.agents[0].call, call.agent, call.state.value) == ("t1", "a1", "done")
    assert found is not None
    assert bytes(found.structured) == b'{"type":"text"}'
    assert [item.request_id for item in talk.all(chorus.Message, "a1")] == [line["requestId"]]


def test_what_agents_do_is_not_the_status_of_the_conversation() -> None:
    """Later lines of a sub-agent do not change the status of the conversation."""
    session = Session()
    _started(session)
    agent = session.agent("a1", "t1")
    agent.user("look around")
    agent.assistant(tool_use("Bash", id="t2"))
    agent.tool_result("t2", "x")
    agent.assistant("seen", stop="end_turn")
    session.tool_result("t1", "report")
    session.assistant("done", stop="end_turn")
    agent.assistant("more")
    agent.tool_result("t2", "again")
    agent.user("even more")

    assert conversation(session, **{"agent-a1": agent}).status.value == "done"


def test_an_agent_that_was_another_calls_leaves_it() -> None:
    """If a record names another call for a sub-agent, the call with the same prompt has no sub-agent any more."""
    session, run = Session(), Run()
    outer = session.agent("a0", "t0")
    outer.user("outer")
    outer.assistant(tool_use("Agent", {"prompt": "look"}, id="t1"))
    inner = session.agent("a1", "t1")
    inner.user("look")
    run.task("started", "a1", "t9")
    files = {"agent-a0": outer, "agent-a1": inner}

    before = {agent.agent: agent for agent in conversation(session, **files).agents}
    talk = conversation(session, **files, run=run)
    after = {agent.agent: agent for agent in talk.agents}

    assert (before["a1"].call, before["a1"].parent) == ("t1", "a0")
    assert (after["a1"].call, after["a1"].parent) == ("t9", "")
    assert [call.subagent for call in talk.calls] == [None]


def test_an_agent_known_by_two_ids_is_one_thread() -> None:
    """Lines that only stdout has, under the call, are shown with the file of the sub-agent, under its best id."""
    session, run = Session(), Run()
    _started(session)
    agent = session.agent("a1", "t1")
    agent.user("look around")
    run.assistant("only on stdout", parent_tool_use_id="t1", timestamp="2026-01-05T10:00:00.000Z")

    talk = conversation(run, session=session, agent=agent)

    assert [item.agent for item in talk.agents] == ["a1"]
    assert words(talk, "a1") == words(talk, "call:t1") == ["agent: look around", "model: only on stdout"]


def test_the_agents_file_outweighs_lines_inside_progress_records() -> None:
    """If the file of a sub-agent and a progress record differ, the file wins, whichever is read first."""
    session = Session()
    _started(session)
    agent = session.agent("a1", "t1")
    (line,) = agent.assistant("final")
    embedded = {**line, "message": {**line["message"], "content": [text("embedded")]}}
    held = session.progress_agent("a1", "t1", embedded)
    held["timestamp"] = line["timestamp"]

    for talk in (conversation(session, zagent=agent), conversation(agent, session=session)):
        assert words(talk, "a1") == ["model: final"]


def test_the_turn_of_an_agent_is_not_a_turn_of_the_conversation() -> None:
    """A turn result that names a call ends the turn of that sub-agent and not a turn of the conversation."""
    run = Run()
    run.assistant("hi")
    run.result("inner", parent_tool_use_id="t1")
    run.result("outer")

    talk = conversation(run)

    assert [talk.text(turn) for turn in talk.turns] == ["outer"]


@pytest.mark.parametrize("kind", ["side chain", "progress"])
def test_a_call_that_two_sources_hold_under_different_uuids_is_shown_once(kind: str) -> None:
    """A call that has other uuids on stdout or in a progress record than in the file is shown once."""
    session, run = Session(), Run()
    session.assistant(tool_use("Task", {"prompt": "one"}, id="t1"))
    agent = session.agent("a1", "t1")
    lines = [agent.user("one"), *agent.assistant(tool_use("Read", id="t2"), message_id="m")]
    others: dict[str, Session | Run] = {}
    if kind == "side chain":
        for line in lines:
            session.add({name: field for name, field in line.items() if name != "agentId"})
        run.assistant(tool_use("Read", id="t2"), message_id="m", parent_tool_use_id="t1")
        others["run"] = run
    else:
        session.progress_agent("a1", "t1", {**lines[1], "uuid": "another"})
        others["agent"] = agent

    for talk in (conversation(session, **others), conversation(*others.values(), session=session)):
        blocks = [part for item in talk.all(chorus.Message) for part in talk.blocks(item)]
        assert [part.block.id for part in blocks if part.block.type == "tool_use"] == ["t1", "t2"]


def _repeated_call(count: int) -> dict[str, Session]:
    """Builds a sub-agent whose lines all have the same call id, as a broken or hostile client could write them."""
    session = Session()
    _started(session)
    agent = session.agent("a1", "t1")
    for _ in range(count):
        agent.assistant(tool_use("Bash", {"command": "ls"}, id="t2"))
    return {"main": session, "agent-a1": agent}


def _agents_of_one_call(count: int) -> dict[str, Session]:
    """Builds many sub-agents that progress records name as started by the same call."""
    session = Session()
    _started(session)
    (line,) = session.assistant("hello")
    for number in range(count):
        session.progress_agent(f"a{number}", "t1", line, prompt="look around")
    return {"main": session}


@pytest.mark.parametrize(("build", "growth"), [(_repeated_call, 5), (_agents_of_one_call, 5)])
def test_lines_with_the_same_ids_do_not_slow_down_the_fold(build, growth) -> None:
    """Four times the lines or sub-agents of one call take about four times the steps."""
    few, many = (steps(partial(conversation, built.pop("main"), **built)) for built in (build(60), build(240)))

    assert many < growth * few
