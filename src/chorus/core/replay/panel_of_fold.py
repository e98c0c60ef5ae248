"""What a panel is: the facts about a conversation, read from a fold and the conversation that it built.

This is the definition. `tracker.py` gives the same panels record by record, without reading the whole conversation.
"""

from collections.abc import Iterable

from msgspec import structs

from chorus.core.conversation import items
from chorus.core.conversation.context_window import context_of
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Author, CallState
from chorus.core.conversation.todos import Task, Todo, tasks, todos
from chorus.core.conversation.usage import SYNTHETIC_MODEL
from chorus.core.replay.fold_groups import agents_at_work, open_calls, waits
from chorus.core.replay.panel import Panel, PanelFile, PanelSpent, PanelTodo, PanelWork
from chorus.core.replay.spent import spent_on
from chorus.core.spending.counting import usages_of
from chorus.core.spending.rates import Prices

MAX_TODOS = 100
_TODO_CHARS = 300


def panel_of(fold: Fold, conversation: Conversation, prices: Prices) -> Panel:
    """Returns the panel of a conversation, as of all records that were fed so far."""
    calls, agents = open_calls(fold.state), agents_at_work(fold.state)
    session = conversation.session
    answers = [each for each in conversation.messages if each.author is Author.MODEL]
    listed, left_out = entries(todos(conversation), tasks(conversation))
    return Panel(
        work=PanelWork(
            status=session.status.value,
            model=next((each.model for each in reversed(answers) if names_model(each)), None),
            permission_mode=session.permission_mode,
        ),
        spent=with_context(spent_on(usages_of(fold, "", conversation.turns), prices), reversed(answers)),
        todos=listed,
        todos_left_out=left_out,
        files=_files(conversation),
        calls=calls,
        agents=agents,
        waits=waits(fold.state, calls, agents),
    )


def names_model(message: items.Message) -> bool:
    """Returns whether an answer names the model that wrote it; the client's own messages do not."""
    return bool(message.model) and message.model != SYNTHETIC_MODEL


def with_context(spent: PanelSpent, latest_first: Iterable[items.Message]) -> PanelSpent:
    """Returns the figures with the context of the latest answer that has token counts."""
    fill = next((found for each in latest_first if (found := context_of(each)) is not None), None)
    if fill is None:
        return spent
    return structs.replace(spent, context_tokens=fill.tokens, context_window=fill.window)


def entries(todo: list[Todo], task: list[Task]) -> tuple[tuple[PanelTodo, ...], int]:
    """Returns the entries of both lists, and how many more there are."""
    found = [PanelTodo(text=each.text[:_TODO_CHARS], status=each.status) for each in todo]
    found += [PanelTodo(text=each.subject[:_TODO_CHARS], status=each.status) for each in task]
    return tuple(found[:MAX_TODOS]), max(0, len(found) - MAX_TODOS)


def _files(conversation: Conversation) -> tuple[PanelFile, ...]:
    written: dict[str, list[items.Call]] = {}
    for call in sorted(conversation.all(items.Call), key=lambda call: (call.order, call.id)):
        if call.state is CallState.DONE:
            for path in call.files:
                written.setdefault(path, []).append(call)
    return tuple(file_of(path, len(written[path]), written[path][-1]) for path in sorted(written))


def file_of(path: str, versions: int, last: items.Call) -> PanelFile:
    """Returns the entry of a file that `versions` calls wrote; `last` is the last of them."""
    return PanelFile(path=path, versions=versions, call=last.tool_use_id, time=last.ended_at)
