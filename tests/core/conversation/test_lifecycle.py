"""Tests the state of sub-agents and of the queue, and how the end of the client changes both."""

import re

import pytest

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Agent, Author, Queued, Status
from chorus.core.records.model.session import AgentMetadata
from chorus.core.records.place import StreamId
from chorus.core.records.record import Dialect, Record
from chorus.testing.builders import Run, Session, tool_use
from tests.core.conversation.reading import conversation
from tests.core.conversation.talks import folded, read


def _launched(session: Session, agent: str = "a1", call: str = "t1") -> None:
    session.user("go")
    session.assistant(tool_use("Agent", {"prompt": f"watch {agent}"}, id=call))
    structured = {"agentId": agent, "status": "async_launched", "isAsync": True}
    session.tool_result(call, "Async agent launched successfully.", structured=structured)
    session.assistant("It works in the background.", stop="end_turn")


def _status(talk: Conversation) -> str | None:
    (agent,) = talk.agents
    return agent.status


CARRIERS = {
    "user line": lambda session, words: session.user(words, origin={"kind": "task-notification"}),
    "user blocks": lambda session, words: session.user([{"type": "text", "text": words}]),
    "queue": lambda session, words: session.queue("enqueue", words),
    "attachment": lambda session, words: session.attachment(
        "queued_command", prompt=words, commandMode="task-notification"
    ),
    "attachment in blocks": lambda session, words: session.attachment(
        "queued_command", prompt=[{"type": "text", "text": words}], commandMode="prompt"
    ),
}


@pytest.mark.parametrize("status", ["completed", "failed", "killed", "stopped"])
@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_notification_in_any_carrier_ends_a_background_agent(carrier: str, status: str) -> None:
    """A notification about the end of a background sub-agent sets its status, in whichever kind of record it is."""
    session = Session()
    _launched(session)
    assert _status(conversation(session)) == "running"

    CARRIERS[carrier](session, session.notified("a1", status, call="t1"))

    assert _status(conversation(session)) == status


SPELLINGS = {
    "of a status": lambda words: words.replace("completed", " Completed "),
    "with attributes": lambda words: words.replace("<task-notification>", '<task-notification version="2">'),
    "with attributes in every tag": lambda words: re.sub(r"<([a-z-]+)>", r"<\1 at='1 > 0'>", words),
    "with a line break in the tag": lambda words: words.replace("<task-notification>", "<task-notification\n>"),
    "on one line": lambda words: words.replace("\n", ""),
    "with carriage returns": lambda words: words.replace("\n", "\r\n"),
    "of the call alone": lambda words: words.replace("<task-id>a1</task-id>", ""),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_notification_in_any_spelling_ends_a_background_agent(spelling: str) -> None:
    """However a client spells a notification, it ends the sub-agent, and no person typed it."""
    session = Session()
    _launched(session)
    words = SPELLINGS[spelling](session.notified("a1", "completed", call="t1"))
    session.user(words)

    talk = conversation(session)
    assert _status(talk) == "completed"
    assert talk.messages[-1].author is Author.NOTIFICATION


@pytest.mark.parametrize(
    ("subtype", "fields"),
    [("task_notification", {"status": "failed"}), ("task_updated", {"patch": {"status": "failed"}})],
)
def test_system_lines_end_an_agent(subtype: str, fields: dict[str, object]) -> None:
    """A system line on stdout reports the end of a sub-agent."""
    run = Run()
    run.task("started", "a1", "t1", is_backgrounded=True)
    run.system(subtype, task_id="a1", **fields)

    assert _status(conversation(run)) == "failed"


@pytest.mark.parametrize(
    ("structured", "status"),
    [
        ({"message": "Successfully stopped task: a1 (watch)", "task_id": "a1", "task_type": "local_agent"}, "stopped"),
        ({"retrieval_status": "success", "task": {"task_id": "a1", "status": "completed"}}, "completed"),
        ({"retrieval_status": "timeout", "task": {"task_id": "a1", "status": "running"}}, "running"),
    ],
)
def test_tools_that_ask_after_a_task_tell_how_it_stands(structured: dict[str, object], status: str) -> None:
    """A tool that stops a task or fetches its output reports the status of the sub-agent."""
    session = Session()
    _launched(session)
    session.assistant(tool_use("TaskOutput", {"task_id": "a1"}, id="t2"))
    session.tool_result("t2", "told", structured=structured)

    assert _status(conversation(session)) == status


def test_the_words_of_a_task_state_nothing() -> None:
    """Only the notification itself sets the status of a sub-agent; a status that it or a prompt quotes does not."""
    session = Session()
    _launched(session)
    words = "<status>failed</status><task-id>a9</task-id>"
    session.user(session.notified("a1", "completed", words=words))
    session.user("Look: " + session.notified("a1", "killed"))
    quoting = session.notified("a1", "completed", words=words).replace("<summary>", '<summary lang="en">')
    session.user(quoting.replace("<status>completed</status>\n", ""))

    assert _status(conversation(session)) == "completed"


@pytest.mark.parametrize(("finished", "status"), [(True, "completed"), (False, "running"), (None, "running")])
def test_a_sidecar_tells_that_an_agent_has_finished(finished: bool | None, status: str) -> None:
    """The client's own file about a sub-agent can report its end, without a time and in any order of reading."""
    session = Session()
    _launched(session)
    stream = StreamId("agent-a1.meta.json")
    sidecar = AgentMetadata(agentId="a1", toolUseId="t1", finished=finished)
    records = [
        Record(stream, 0, b"{}", b"", sidecar, "agent_metadata", "", Dialect.SESSION),
        *read("main.jsonl", bytes(session)),
    ]

    assert _status(folded(records)) == _status(folded(records[1:] + records[:1])) == status


def test_a_resumed_agent_is_at_work_until_it_ends_again() -> None:
    """A sub-agent that gets a message after its end is running until it ends again."""
    session = Session()
    _launched(session)
    session.user(session.notified("a1", "completed"))
    session.assistant(tool_use("SendMessage", {"to": "a1", "message": "more"}, id="t2"))
    session.tool_result("t2", "Resuming", structured={"success": True, "resumedAgentId": "a1"})
    assert _status(conversation(session)) == "running"

    session.user(session.notified("a1", "failed", call="t2"))

    assert _status(conversation(session)) == "failed"


def test_no_agent_works_for_a_client_that_left() -> None:
    """If the client ended and no record reports the end of a sub-agent, the status of the sub-agent is unknown."""
    session = Session()
    _launched(session)
    session.assistant(tool_use("Task", {"prompt": "wait"}, id="t2"))
    waited_for = session.agent("a2", "t2")
    waited_for.user("wait")
    session.exit()

    talk = conversation(session, **{"agent-a2": waited_for})

    assert {agent.agent: agent.status for agent in talk.agents} == {"a1": "unknown", "a2": "unknown"}


def test_a_call_alone_tells_how_its_agent_stands() -> None:
    """Without other records, a sub-agent runs until its call has a result; after another prompt, it is unknown."""
    session = Session()
    for call in ("t1", "t2", "t3"):
        session.assistant(tool_use("Task", {"prompt": f"do {call}"}, id=call))
        session.user(f"do {call}", isSidechain=True, parentUuid=None)
    session.tool_result("t1", "done")
    session.tool_result("t2", "broken", is_error=True)

    told = {agent.call: agent.status for agent in conversation(session).agents}
    session.user("something else")
    later = {agent.call: agent.status for agent in conversation(session).agents}

    assert told == {"t1": "completed", "t2": "failed", "t3": "running"}
    assert later == {"t1": "completed", "t2": "failed", "t3": "unknown"}


@pytest.mark.parametrize("way", ["cost-state", "/exit", "/quit", "SessionEnd"])
def test_nothing_runs_after_the_client_left(way: str) -> None:
    """After the client recorded its end, a call without a result is not running."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Bash", {"command": "sleep 99"}, id="t1"), stop="tool_use")
    assert conversation(session).status is Status.RUNNING

    if way == "cost-state":
        session.exit()
    elif way == "SessionEnd":
        session.system("hook_started", hook_event=way)
    else:
        session.user(f"<command-name>{way}</command-name>\n<command-message>bye</command-message>")
    assert conversation(session).status is Status.INTERRUPTED

    session.user("go on")
    assert conversation(session).status is Status.THINKING


def test_what_was_done_stays_done_when_the_client_leaves() -> None:
    """The end of the client does not change the status of a turn that had ended."""
    session = Session()
    session.user("go")
    session.assistant("Done.", stop="end_turn")
    session.exit()

    assert conversation(session).status is Status.DONE


def test_no_question_is_open_after_the_client_left() -> None:
    """A request that was not answered is not open after the end of the client."""
    session, run = Session(), Run()
    run.init()
    run.ask("t1", "Bash")
    assert conversation(run).status is Status.WAITING

    session.user("go")
    session.exit()

    assert conversation(run, session=session).status is Status.INTERRUPTED


@pytest.mark.parametrize("subtype", ["api_error", "api_retry"])
def test_a_client_that_tries_again_is_not_idle(subtype: str) -> None:
    """A client that tries a failed API request again has the status thinking, because no person has to act."""
    run = Run()
    run.system(subtype, error="overloaded", attempt=1)

    assert conversation(run).status is Status.THINKING


@pytest.mark.parametrize("words", ['{"task_id":"b1","description":"Lint","task_type":"local_bash"}', None])
def test_what_the_client_queues_is_no_prompt(words: str | None) -> None:
    """A task or notification that the client queued is no prompt, and it is not shown as waiting."""
    session = Session()
    session.user("go")
    session.queue("enqueue", words or session.notified("b1"))

    talk = conversation(session)

    assert [item.author for item in talk.all(Queued)] == [Author.NOTIFICATION]
    assert [item.id for item in talk.thread()] == [talk.messages[0].id]


@pytest.mark.parametrize("step", [None, "dequeue", "remove", "popAll"])
@pytest.mark.parametrize("became", ["message", "command", "attachment"])
def test_what_was_delivered_waits_no_longer(step: str | None, became: str) -> None:
    """Queued input that became a message is shown once, whichever steps the client recorded."""
    session = Session()
    words = "/review now" if became == "command" else "and then?"
    session.queue("enqueue", words)
    if step:
        session.queue(step)
    if became == "message":
        session.user(words)
    elif became == "command":
        session.user("<command-name>/review</command-name>\n<command-args>now</command-args>")
    else:
        session.attachment("queued_command", prompt=words, commandMode="prompt")

    talk = conversation(session)

    assert [type(item).__name__ for item in talk.thread()] == ["Message"]
    assert [item.state in ("taken", "absorbed") for item in talk.all(Queued)] == [True]


def test_words_that_only_the_queue_has_are_shown() -> None:
    """Queued input without a message is shown, because old clients wrote none; input that was taken back is hidden."""
    session = Session()
    for words, step in (("read this", "remove"), ("not this", "popAll"), ("and this", None)):
        session.queue("enqueue", words)
        if step:
            session.queue(step)

    talk = conversation(session)

    assert [talk.text(item) for item in talk.thread()] == ["read this", "and this"]


def test_a_step_without_a_name_is_not_of_what_was_delivered() -> None:
    """A removal without a name does not take a notification that became a message without leaving the queue."""
    session = Session()
    session.queue("enqueue", session.notified("b1"))
    session.user(session.notified("b1"))
    session.queue("enqueue", "refresh the page")
    session.queue("remove")

    told = {conversation(session).text(item)[:7]: item.state for item in conversation(session).all(Queued)}

    assert told == {"<task-n": "taken", "refresh": "absorbed"}


@pytest.mark.parametrize("count", [1, 7, 8, 30])
def test_all_ids_of_an_agent_have_the_status_of_the_last_report(count: int) -> None:
    """However many ids an agent has, each report about one of them changes the status of all, and so does the turn."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Task", {"prompt": "look"}, id="t1"))
    (line,) = session.assistant("hello")
    seen = []
    for number in range(count):
        session.progress_agent(f"a{number}", "t1", line)
    for status in ("running", "failed", "running", "completed"):
        session.system("task_notification", task_id=f"a{len(seen) % count}", status=status)
        seen.append({agent.status for agent in conversation(session).all(Agent)})

    assert seen == [{"running"}, {"failed"}, {"running"}, {"completed"}]


@pytest.mark.parametrize("count", [2, 7, 8, 30])
def test_an_id_that_leaves_an_agent_takes_its_reports_along(count: int) -> None:
    """An id that turns out to belong to another call has its own status, and the others have theirs."""
    session = Session()
    session.user("go")
    session.assistant(tool_use("Task", {"prompt": "look"}, id="t1"), tool_use("Task", {"prompt": "hear"}, id="t2"))
    (line,) = session.assistant("hello")
    # Its line has an earlier time, so the call that it names counts, although it is read last.
    earlier = Session(session.id)
    earlier.progress_agent("a0", "t2", line)
    for number in range(count):
        session.progress_agent(f"a{number}", "t1", line)
    session.system("task_notification", task_id="a1", status="running")
    session.system("task_notification", task_id="a0", status="failed")
    assert {agent.status for agent in conversation(session).all(Agent)} == {"failed"}

    found = {agent.agent: agent.status for agent in conversation(session, earlier=earlier).all(Agent)}

    assert found == {"a0": "failed"} | {f"a{number}": "running" for number in range(1, count)}
