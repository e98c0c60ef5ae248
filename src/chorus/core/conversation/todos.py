"""The to-do lists, tasks and plans of a conversation, read from its tool calls."""

import re
from collections.abc import Iterable

from msgspec import Raw, Struct

from chorus.core.conversation.call_permissions import text_of
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Block, Call, CallState, ToolResult
from chorus.core.conversation.tool_facts import kind_of
from chorus.core.records.model import tool_results, tools
from chorus.core.records.model.base import ABSENT

TASK_TOOLS = frozenset({"TaskCreate", "TaskUpdate"})
"""The tools that change the task list."""
_CREATED = re.compile(r"Task #(\S{1,64}) created successfully: (.*)")


class Todo(Struct, frozen=True, kw_only=True):
    text: str
    status: str
    active_form: str | None = None


class Task(Struct, kw_only=True):
    id: str
    subject: str
    status: str = "pending"
    description: str | None = None
    owner: str | None = None
    blocked_by: list[str] = []


class Created(Struct, frozen=True):
    """The content of the result of a `TaskCreate`."""

    id: str
    subject: str | None = None


class Plan(Struct, frozen=True, kw_only=True):
    """A plan that was presented to the person, or the one in the session's plan file."""

    text: str
    state: str
    """`waiting`, `approved`, `rejected`, or `file`."""
    tool_use_id: str | None = None


def todos(conversation: Conversation) -> list[Todo]:
    """Returns the list of the main thread's last `TodoWrite` that did not fail. Lists of sub-agents are ignored."""
    for call in reversed(conversation.all(Call, "")):
        if call.name == "TodoWrite" and call.state not in (CallState.FAILED, CallState.REFUSED):
            found = todos_in(_input(conversation, call))
            if found is not None:
                return found
    return []


def todos_in(given: Struct | None) -> list[Todo] | None:
    """Returns the list in the input of a `TodoWrite`; None for another input."""
    if not isinstance(given, tools.TodoWrite) or given.todos is None:
        return None
    return [
        Todo(text=one.content or one.activeForm or "", status=one.status or "", active_form=one.activeForm)
        for one in given.todos
    ]


def tasks(conversation: Conversation) -> list[Task]:
    """Returns the task list that all agents share: created tasks with all successful updates, without deleted ones."""
    return tasks_after(
        (_input(conversation, call), created_by(call.name, conversation.result(call)))
        for call in conversation.all(Call)
        if call.state is CallState.DONE and call.name in TASK_TOOLS
    )


def tasks_after(calls: Iterable[tuple[Struct | None, Created | None]]) -> list[Task]:
    """Returns the task list after successful calls, given in order: the input of each, and what it created."""
    known: dict[str, Task] = {}
    for given, created in calls:
        if isinstance(given, tools.TaskCreate):
            if created:
                subject = given.subject or created.subject or ""
                known[created.id] = _new_task(known.get(created.id), created.id, subject, given.description)
        elif isinstance(given, tools.TaskUpdate) and given.taskId:
            _update(known.setdefault(given.taskId, Task(id=given.taskId, subject="")), given)
    return [task for task in known.values() if task.status != "deleted"]


def plans(conversation: Conversation) -> list[Plan]:
    """Returns every plan that was presented, in order, then the plan file if its text is different."""
    found = [
        Plan(text=text, state=_STATES.get(call.state, "waiting"), tool_use_id=call.tool_use_id)
        for call in conversation.all(Call)
        if kind_of(call.name) == "plan" and (text := _plan(conversation, call))
    ]
    written = conversation.plan_file
    if written and written.strip() and all(plan.text.strip() != written.strip() for plan in found):
        found.append(Plan(text=written, state="file"))
    return found


_STATES = {CallState.DONE: "approved", CallState.FAILED: "rejected", CallState.REFUSED: "rejected"}


def _plan(conversation: Conversation, call: Call) -> str | None:
    given = _input(conversation, call)
    if isinstance(given, tools.ExitPlanMode) and given.plan:
        return given.plan
    output = _output(conversation, call)
    return output.plan if isinstance(output, tool_results.PlanResult) else None


def _update(task: Task, given: tools.TaskUpdate) -> None:
    task.status = given.status or task.status
    task.subject = given.subject or task.subject
    task.description = given.description or task.description
    task.owner = given.owner or task.owner
    task.blocked_by = list(dict.fromkeys([*task.blocked_by, *(given.addBlockedBy or ())]))


def _new_task(known: Task | None, task_id: str, subject: str, description: str | None) -> Task:
    """Returns the created task. Updates that were read before its creation are kept."""
    if known is None or known.subject:
        return Task(id=task_id, subject=subject, description=description)
    known.subject, known.description = subject, known.description or description
    return known


def created_by(tool: str, result: ToolResult | None) -> Created | None:
    """Returns the id and subject of a new task. Results of sub-agents have no structured form, only text."""
    if result is None:
        return None
    output = tools.decode_output(tool, result.structured)
    if isinstance(output, tool_results.TaskResult) and output.task and output.task.id:
        return Created(output.task.id, output.task.subject)
    found = _CREATED.match(text_of(result.content))
    return Created(found[1], found[2]) if found else None


def _input(conversation: Conversation, call: Call) -> Struct | None:
    block = conversation.items.get(call.block or "")
    raw: Raw = block.block.input if isinstance(block, Block) else ABSENT
    return tools.decode_input(call.name, raw)


def _output(conversation: Conversation, call: Call) -> Struct | None:
    result = conversation.result(call)
    return tools.decode_output(call.name, result.structured) if result else None
