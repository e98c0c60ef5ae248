"""Views of to-do lists: `TodoWrite`, and the task tools that replaced it."""

from chorus.core.records.model import tool_results, tools
from chorus.core.records.model.prompt import Todo
from chorus.core.views import figures
from chorus.core.views.blocks import Block, Note, Prose, TodoItem, Todos
from chorus.core.views.tools.call import MadeCall, View


def todo_write(call: MadeCall) -> View | None:
    """Shows the new list."""
    if not isinstance(call.input, tools.TodoWrite) or call.input.todos is None:
        return None
    done = sum(one.status == "completed" for one in call.input.todos)
    items = tuple(_item(one) for one in call.input.todos)
    return View(f"{done} of {len(items)} done", (Todos(items=items),), call.failure or ())


def _item(todo: Todo) -> TodoItem:
    return TodoItem(text=todo.content or todo.activeForm or "", status=todo.status or "", id=todo.id)


def task_create(call: MadeCall) -> View | None:
    if not isinstance(call.input, tools.TaskCreate) or call.input.subject is None:
        return None
    output = _task_result(call)
    number = f"#{output.task.id} " if output and output.task and output.task.id else ""
    asked = call.input.description
    about: tuple[Block, ...] = (Prose(markdown=asked),) if asked and asked != call.input.subject else ()
    return View(number + call.input.subject, about, _unstructured_result(call, output))


def task_update(call: MadeCall) -> View | None:
    """Shows how a task was changed."""
    if not isinstance(call.input, tools.TaskUpdate) or call.input.taskId is None:
        return None
    asked, output = call.input, _task_result(call)
    changes = [f"→ {figures.in_words(asked.status)}"] if asked.status else []
    changes.extend(f"{name}: {value}" for name, value in (("subject", asked.subject), ("owner", asked.owner)) if value)
    changes.extend(f"blocks #{other}" for other in asked.addBlocks or ())
    changes.extend(f"blocked by #{other}" for other in asked.addBlockedBy or ())
    error = (Note(text=output.error, level="error"),) if output and output.error else _unstructured_result(call, output)
    return View(" ".join([f"#{asked.taskId}", *changes]), (), error)


def task_list(call: MadeCall) -> View | None:
    """Shows `TaskList` and `TaskGet`: the tasks at that time."""
    if not isinstance(call.input, tools.TaskRef):
        return None
    output = _task_result(call)
    title = f"#{call.input.taskId}" if call.input.taskId else ""
    if output is None or (output.tasks is None and output.task is None):
        return View(title, (), call.results())
    tasks = output.tasks if output.tasks is not None else [output.task] if output.task else []
    return View(title, (), (Todos(items=tuple(_task(one) for one in tasks)),) if tasks else (Note(text="no tasks"),))


def _task(task: tool_results.TaskItem) -> TodoItem:
    waits = ", ".join("#" + other for other in task.blockedBy or ())
    notes = [f"blocked by {waits}"] if waits else []
    notes.extend([task.owner] if task.owner else [])
    return TodoItem(
        text=task.subject or task.description or "",
        status=task.status or "",
        id=task.id or task.task_id,
        note=", ".join(notes) or None,
    )


def _task_result(call: MadeCall) -> tool_results.TaskResult | None:
    output = call.result.structured if call.result else None
    return output if isinstance(output, tool_results.TaskResult) else None


def _unstructured_result(call: MadeCall, output: tool_results.TaskResult | None) -> tuple[Block, ...]:
    return call.results() if output is None or (call.result and call.result.is_error) else ()
