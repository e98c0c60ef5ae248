"""What a conversation set out to do: to-do lists, tasks and plans, read out of its tool calls."""

import re

from msgspec import Raw, Struct

from chorus.core.conversation.call_permissions import text_of
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Block, Call, CallState
from chorus.core.conversation.tool_facts import kind_of
from chorus.core.records.model import tool_results, tools
from chorus.core.records.model.base import ABSENT

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
    """What the result of a `TaskCreate` tells."""

    id: str
    subject: str | None = None


class Plan(Struct, frozen=True, kw_only=True):
    """A plan that was put to the person, or the one in the session's plan file."""

    text: str
    state: str
    """`waiting`, `approved`, `rejected`, or `file`."""
    tool_use_id: str | None = None


def todos(conversation: Conversation) -> list[Todo]:
    """The list as the main thread's last `TodoWrite` that did not fail has it; a sub-agent's list is its own."""
    for call in reversed(conversation.all(Call, "")):
        if call.name == "TodoWrite" and call.state not in (CallState.FAILED, CallState.REFUSED):
            asked = _input(conversation, call)
            if isinstance(asked, tools.TodoWrite) and asked.todos is not None:
                return [
                    Todo(text=one.content or one.activeForm or "", status=one.status or "", active_form=one.activeForm)
                    for one in asked.todos
                ]
    return []


def tasks(conversation: Conversation) -> list[Task]:
    """The task list, shared by all agents: created tasks with every update that went through, deleted ones left out."""
    known: dict[str, Task] = {}
    for call in conversation.all(Call):
        if call.state is not CallState.DONE:
            continue
        asked = _input(conversation, call)
        if isinstance(asked, tools.TaskCreate):
            created = _created(conversation, call)
            if created:
                subject = asked.subject or created.subject or ""
                known[created.id] = _made(known.get(created.id), created.id, subject, asked.description)
        elif isinstance(asked, tools.TaskUpdate) and asked.taskId:
            _update(known.setdefault(asked.taskId, Task(id=asked.taskId, subject="")), asked)
    return [task for task in known.values() if task.status != "deleted"]


def plans(conversation: Conversation) -> list[Plan]:
    """Every plan put to the person, in order, then the plan file if its text is another one."""
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
    asked = _input(conversation, call)
    if isinstance(asked, tools.ExitPlanMode) and asked.plan:
        return asked.plan
    told = _output(conversation, call)
    return told.plan if isinstance(told, tool_results.PlanResult) else None


def _update(task: Task, asked: tools.TaskUpdate) -> None:
    task.status = asked.status or task.status
    task.subject = asked.subject or task.subject
    task.description = asked.description or task.description
    task.owner = asked.owner or task.owner
    task.blocked_by = list(dict.fromkeys([*task.blocked_by, *(asked.addBlockedBy or ())]))


def _made(known: Task | None, task_id: str, subject: str, description: str | None) -> Task:
    """A task that was created; what updates said of it before its creation was read stays."""
    if known is None or known.subject:
        return Task(id=task_id, subject=subject, description=description)
    known.subject, known.description = subject, known.description or description
    return known


def _created(conversation: Conversation, call: Call) -> Created | None:
    """The id and subject of a new task; sub-agents' results have no structured form, and tell both in words."""
    told = _output(conversation, call)
    if isinstance(told, tool_results.TaskResult) and told.task and told.task.id:
        return Created(told.task.id, told.task.subject)
    result = conversation.result(call)
    found = _CREATED.match(text_of(result.content)) if result else None
    return Created(found[1], found[2]) if found else None


def _input(conversation: Conversation, call: Call) -> Struct | None:
    made = conversation.items.get(call.block or "")
    raw: Raw = made.block.input if isinstance(made, Block) else ABSENT
    return tools.decode_input(call.name, raw)


def _output(conversation: Conversation, call: Call) -> Struct | None:
    result = conversation.result(call)
    return tools.decode_output(call.name, result.structured) if result else None
