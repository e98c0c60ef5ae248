"""The to-do list and the task list, kept up to date change by change."""

from msgspec import Struct

from chorus.core.conversation.items import MAIN, Block, Call, CallState, Change, Remove, ToolResult
from chorus.core.conversation.state import State
from chorus.core.conversation.todos import TASK_TOOLS, Created, Todo, created_by, tasks_after, todos_in
from chorus.core.records.model import tools
from chorus.core.replay.ordered import Ordered
from chorus.core.replay.panel import PanelTodo
from chorus.core.replay.panel_of_fold import entries

_CREATE, _WRITE = "TaskCreate", "TodoWrite"
_TOOLS = TASK_TOOLS | {_WRITE}
_FAILED = (CallState.FAILED, CallState.REFUSED)


class TodoTrack:
    """The calls that change the lists, with their inputs and what they created."""

    def __init__(self) -> None:
        self._inputs: dict[str, Struct | None] = {}
        self._created: dict[str, Created] = {}
        self._writes: Ordered[Call] = Ordered()
        """The calls of the main thread that wrote the to-do list."""
        self._updates: Ordered[Call] = Ordered()

    def take(self, change: Change, state: State) -> bool:
        """Takes a change; returns whether a list may have changed."""
        match change:
            case Call():
                return self._call(change)
            case Block() if change.block.type == "tool_use" and change.block.name in _TOOLS:
                self._inputs[change.id] = tools.decode_input(change.block.name or "", change.block.input)
                return True
            case ToolResult():
                return self._result(change, state)
            case Remove():
                known = self._writes.remove(change.id) or self._updates.remove(change.id)
                had = change.id in self._inputs
                self._inputs.pop(change.id, None)
                return had or known is not None
            case _:
                return False

    def entries(self) -> tuple[tuple[PanelTodo, ...], int]:
        """Returns the entries of both lists, and how many more there are."""
        updates = (call for call in self._updates.all() if call.state is CallState.DONE)
        done = ((self._inputs.get(call.block or ""), self._created.get(call.tool_use_id)) for call in updates)
        return entries(self._todos(), tasks_after(done))

    def _todos(self) -> list[Todo]:
        for call in reversed(self._writes.all()):
            if call.state not in _FAILED:
                found = todos_in(self._inputs.get(call.block or ""))
                if found is not None:
                    return found
        return []

    def _call(self, call: Call) -> bool:
        was = self._writes.remove(call.id) or self._updates.remove(call.id)
        if call.name == _WRITE and call.agent == MAIN:
            self._writes.put(call)
        elif call.name in TASK_TOOLS:
            self._updates.put(call)
        else:
            return was is not None
        return True

    def _result(self, result: ToolResult, state: State) -> bool:
        known = state.calls.get(result.tool_use_id)
        # The name is not known yet if the result was read before its call.
        if known is None or known.item.name not in (_CREATE, ""):
            return False
        created = created_by(_CREATE, result)
        if created is None:
            return self._created.pop(result.tool_use_id, None) is not None
        self._created[result.tool_use_id] = created
        return True
