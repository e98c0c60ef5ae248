"""Tests the to-do lists, tasks and plans of a conversation."""

from chorus.core.conversation.todos import Plan, Task, Todo, plans, tasks, todos
from chorus.testing.builders import Session, tool_use
from tests.core.views.talks import folded


def session_of(*calls):
    session = Session()
    session.user("Go")
    for number, (name, given, structured, is_error) in enumerate(calls):
        session.assistant(tool_use(name, given, id=f"c{number}"))
        session.tool_result(f"c{number}", "x", structured=structured, is_error=is_error)
    return session


def listed(*texts):
    return {"todos": [{"content": text, "status": "pending", "activeForm": text + "ing"} for text in texts]}


def test_the_last_list_holds():
    """The to-do list is the last one that was written, and a list that was refused changes nothing."""
    session = session_of(
        ("TodoWrite", listed("a"), None, None),
        ("TodoWrite", listed("b", "c"), None, None),
        ("TodoWrite", listed("d"), None, True),
    )

    assert todos(folded(session)) == [
        Todo(text="b", status="pending", active_form="bing"),
        Todo(text="c", status="pending", active_form="cing"),
    ]
    assert todos(folded(session_of())) == []


def test_tasks_are_followed():
    """A task has the id from the result of its creation, and later calls update it."""
    session = session_of(
        ("TaskCreate", {"subject": "a"}, {"task": {"id": "1"}}, None),
        ("TaskCreate", {"subject": "b", "description": "B"}, {"task": {"id": "2"}}, None),
        ("TaskCreate", {"subject": "refused"}, None, True),
        ("TaskUpdate", {"taskId": "1", "status": "completed", "owner": "o"}, {"success": True}, None),
        ("TaskUpdate", {"taskId": "2", "addBlockedBy": ["1"]}, {"success": True}, None),
        ("TaskUpdate", {"taskId": "2", "status": "completed"}, None, True),
        ("TaskUpdate", {"taskId": "3", "status": "deleted"}, {"success": True}, None),
    )

    assert tasks(folded(session)) == [
        Task(id="1", subject="a", status="completed", owner="o"),
        Task(id="2", subject="b", status="pending", description="B", blocked_by=["1"]),
    ]


def test_plans_have_a_state():
    """A plan is approved, rejected or waiting; a plan file adds its text, and a slug alone is no plan."""
    session = session_of(("ExitPlanMode", {"plan": "P"}, None, True), ("ExitPlanMode", {}, {"plan": "Q"}, None))
    session.assistant(tool_use("ExitPlanMode", {"plan": "R"}, id="last"))
    session.slug = "calm-quiet-lake"
    session.user("More")
    talk = folded(session)
    expected = [
        Plan(text="P", state="rejected", tool_use_id="c0"),
        Plan(text="Q", state="approved", tool_use_id="c1"),
        Plan(text="R", state="waiting", tool_use_id="last"),
    ]

    assert plans(talk) == expected
    talk.plan_file = "Q\n"
    assert plans(talk) == expected
    talk.plan_file = "S"
    assert plans(talk) == [*expected, Plan(text="S", state="file")]


def test_the_list_of_a_sub_agent_is_its_own():
    """The to-do list of a sub-agent is not part of the list of the conversation, but its tasks are."""
    session = session_of(("TodoWrite", listed("a"), None, None))
    agent = session.agent("a1", "t1")
    agent.assistant(tool_use("TodoWrite", listed("inner"), id="inner"))
    agent.assistant(tool_use("TaskCreate", {"subject": "shared"}, id="task"))
    agent.tool_result("task", "x", structured={"task": {"id": "1"}})
    talk = folded(session, agent)

    assert [todo.text for todo in todos(talk)] == ["a"]
    assert [task.subject for task in tasks(talk)] == ["shared"]


def test_words_of_a_list_come_from_where_they_are():
    """An entry without text has its active form, and a task without a subject has the one from its result."""
    session = session_of(
        ("TodoWrite", {"todos": [{"status": "pending", "activeForm": "Doing"}]}, None, None),
        ("TaskCreate", {}, {"task": {"id": "1", "subject": "given"}}, None),
        ("TaskUpdate", {"taskId": "1", "description": "D", "addBlockedBy": ["2"]}, {"success": True}, None),
        ("TaskUpdate", {"taskId": "1", "addBlockedBy": ["3", "2"]}, {"success": True}, None),
        ("TaskUpdate", {"taskId": "9", "subject": "late"}, {"success": True}, None),
    )

    assert [todo.text for todo in todos(folded(session))] == ["Doing"]
    assert tasks(folded(session)) == [
        Task(id="1", subject="given", description="D", blocked_by=["2", "3"]),
        Task(id="9", subject="late"),
    ]


def test_the_old_name_of_the_plan_tool():
    """A plan of the old tool name counts as a plan, and a plan file of blanks does not."""
    talk = folded(session_of(("exit_plan_mode", {"plan": "P"}, None, None)))
    talk.plan_file = " \n"

    assert [(plan.text, plan.state) for plan in plans(talk)] == [("P", "approved")]
