"""Sub-agents: below the call that started them, in every layout."""

import pytest

import chorus
from chorus.testing.builders import Run, Session, text, tool_use
from tests.core.conversation.reading import conversation, words


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


def test_a_line_that_names_its_agent_is_that_agents() -> None:
    """Newer clients put the agent's id on stdout; nothing else is needed to know whose line it is."""
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
    """Blanks around the words and their form do not matter."""
    session = Session()
    _started(session, prompt="look around\n")
    agent = session.agent("a1", "t1")
    agent.user([text("look around")])

    assert conversation(session, **{"agent-a1": agent}).agents[0].call == "t1"


def test_calls_with_one_prompt_are_told_apart_by_order() -> None:
    """The first agent to get the words is that of the first call; a call whose agent is named has no other."""
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
    """Only what an agent was first told can be a call's prompt."""
    session = Session()
    agent = session.agent("a1", "t0")
    agent.user("something else")
    agent.user("look around")
    _started(session)

    assert conversation(session, **{"agent-a1": agent}).agents[0].call is None


def test_the_first_call_that_names_an_agent_started_it() -> None:
    """An agent may be written to again; that call did not start it."""
    session = Session()
    for call in ("t1", "t2"):
        session.assistant(tool_use("Agent", {"prompt": call, "description": f"by {call}"}, id=call))
        session.tool_result(call, "report", structured={"agentId": "a1", "status": f"after {call}"})

    (agent,) = conversation(session).agents

    assert (agent.call, agent.description, agent.status) == ("t1", "by t1", "after t2")


def test_task_lines_tell_about_an_agent() -> None:
    """Type, words, depth, background and status come from the task's lines, even before the agent's own."""
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
    """Old clients had task lines for agents only."""
    run = Run()
    run.init()
    run.system("task_started", task_id="a1", tool_use_id="t1", description="Look")

    assert [agent.agent for agent in conversation(run).agents] == ["a1"]


def test_the_result_tells_whether_an_agent_works_in_the_background() -> None:
    """A call that returns at once says so."""
    session = Session()
    _started(session)
    session.tool_result("t1", "started", structured={"agentId": "a1", "isAsync": True, "agentType": "Plan"})

    (agent,) = conversation(session).agents

    assert (agent.is_background, agent.type) == (True, "Plan")


def test_what_a_record_says_of_an_agent_outweighs_its_call() -> None:
    """The call's words describe an agent only where nothing else does; of several records the first holds."""
    session, run = Session(), Run()
    _started(session)
    run.task("started", "a1", "t1", description="said first", timestamp="2026-01-05T09:00:00.500Z")
    run.task("started", "a1", "t1", description="said later", timestamp="2026-01-05T09:00:09.000Z")

    for talk in (conversation(run, session=session), conversation(session, run=run)):
        assert [(agent.description, agent.type) for agent in talk.agents] == [("said first", "Explore")]


def test_an_agent_stands_where_its_call_stands() -> None:
    """Agents are listed in the order of their calls; without one, by their first line."""
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
    """Lines that both the main file and an agent's file hold are shown below the agent that has a name."""
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
    """A request id and the structured result of a tool are kept, and calls are told to be done."""
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
    """While a sub-agent answers, its parent still waits for it."""
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
    """Words led to one call until a record named another; the first one has no agent then."""
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
    """Lines that only stdout has, under the call, are shown with those of the agent's file, below its best id."""
    session, run = Session(), Run()
    _started(session)
    agent = session.agent("a1", "t1")
    agent.user("look around")
    run.assistant("only on stdout", parent_tool_use_id="t1", timestamp="2026-01-05T10:00:00.000Z")

    talk = conversation(run, session=session, agent=agent)

    assert [item.agent for item in talk.agents] == ["a1"]
    assert words(talk, "a1") == words(talk, "call:t1") == ["agent: look around", "model: only on stdout"]


def test_the_agents_file_outweighs_lines_inside_progress_records() -> None:
    """Where they differ, the file is right, whichever is read first."""
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
    """A result that names a call ends the turn of that agent."""
    run = Run()
    run.assistant("hi")
    run.result("inner", parent_tool_use_id="t1")
    run.result("outer")

    talk = conversation(run)

    assert [talk.text(turn) for turn in talk.turns] == ["outer"]


@pytest.mark.parametrize("kind", ["side chain", "progress"])
def test_a_call_that_two_sources_hold_under_different_uuids_is_shown_once(kind: str) -> None:
    """Clients of 1.0 gave lines on stdout other uuids than in the file; the call inside is the same."""
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
