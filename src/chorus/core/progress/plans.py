"""The to-do lists and the task list as progress: how many of their entries are completed."""

from msgspec import Struct, field

from chorus.core.conversation.items import Call, CallState, Order
from chorus.core.conversation.todos import Created, Task, Todo, tasks_after
from chorus.core.progress.counts import Count, count_of
from chorus.core.records.model import tools
from chorus.core.records.place import Place

MAX_WRITES = 8
_DONE, _ACTIVE, _OPEN = "completed", "in_progress", "pending"
_WITHOUT_EFFECT = (CallState.FAILED, CallState.REFUSED)
_CERTAIN = 1.0


class PlanCall(Struct):
    """A call that writes or changes a plan."""

    order: Order
    place: Place
    state: CallState = CallState.PENDING
    todos: Count | None = None
    """The state of the to-do list that it writes."""
    is_create: bool = False
    task: str | None = None
    """The task that it creates or changes."""
    subject: str | None = None
    status: str | None = None


class Plans(Struct):
    """The to-do lists of one thread, the last ones only, and all calls that change the task list."""

    writes: dict[str, PlanCall] = field(default_factory=dict)
    updates: dict[str, PlanCall] = field(default_factory=dict)

    def add(self, call_id: str, order: Order, place: Place, given: Struct | None) -> None:
        """Takes the input of a call of a to-do tool."""
        match given:
            case tools.TodoWrite() if given.todos is not None:
                entries = [
                    Todo(text=one.content or "", status=one.status or "", active_form=one.activeForm)
                    for one in given.todos
                ]
                self.writes[call_id] = PlanCall(order, place, todos=_count_of_todos(entries))
                if len(self.writes) > MAX_WRITES:
                    del self.writes[min(self.writes, key=lambda each: (self.writes[each].order, each))]
            case tools.TaskCreate():
                known = self._update(call_id, order, place)
                known.is_create, known.subject = True, given.subject
            case tools.TaskUpdate():
                known = self._update(call_id, order, place)
                known.task, known.subject, known.status = given.taskId, given.subject, given.status
            case _:
                pass

    def settle(self, call: Call) -> None:
        """Takes the state of a call."""
        known = self.writes.get(call.tool_use_id) or self.updates.get(call.tool_use_id)
        if known:
            known.state = call.state

    def created(self, call_id: str, created: Created | None) -> None:
        """Takes the result of a `TaskCreate`."""
        known = self.updates.get(call_id)
        if known and known.is_create and created:
            known.task, known.subject = created.id, known.subject or created.subject

    def remove(self, call_id: str) -> None:
        self.writes.pop(call_id, None)
        self.updates.pop(call_id, None)

    def todo_states(self) -> list[tuple[PlanCall, Count]]:
        """Returns the states of the to-do list, in any order."""
        return [(each, each.todos) for each in self.writes.values() if each.todos and each.state not in _WITHOUT_EFFECT]

    def task_states(self, after: Order) -> list[tuple[PlanCall, Count]]:
        """Returns the states of the task list after the last two changes later than `after`."""
        done = [each for each in self.updates.values() if each.state is CallState.DONE]
        done.sort(key=lambda each: each.order)
        states = (
            (done[last], _count_of_tasks(tasks_after(map(_as_input, done[: last + 1]))))
            for last in range(max(0, len(done) - 2), len(done))
            if done[last].order > after
        )
        return [(call, count) for call, count in states if count]

    def _update(self, call_id: str, order: Order, place: Place) -> PlanCall:
        known = self.updates.get(call_id)
        if known is None:
            known = self.updates[call_id] = PlanCall(order, place)
        known.order, known.place = order, place
        return known


def _as_input(call: PlanCall) -> tuple[Struct | None, Created | None]:
    if call.is_create:
        return tools.TaskCreate(subject=call.subject), Created(call.task, call.subject) if call.task else None
    return tools.TaskUpdate(taskId=call.task, subject=call.subject, status=call.status), None


def _count_of_todos(entries: list[Todo]) -> Count | None:
    if not entries:
        return None
    current = next((each for each in entries if each.status == _ACTIVE), None)
    following = current or next((each for each in entries if each.status != _DONE), entries[-1])
    step = following.active_form or following.text if current else following.text
    return count_of(step or "To-do list", sum(each.status == _DONE for each in entries), len(entries), _CERTAIN)


def _count_of_tasks(tasks: list[Task]) -> Count | None:
    return _count_of_todos([Todo(text=each.subject, status=each.status) for each in tasks])
