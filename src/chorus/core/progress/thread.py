"""The progress of one thread: of the main agent, or of a sub-agent."""

from collections.abc import Iterator

from msgspec import Struct, field

from chorus.core.conversation.items import MAIN, Author, Block, Call, CallState, Message, Notice, Order, ToolResult
from chorus.core.conversation.todos import created_by
from chorus.core.conversation.tool_facts import facts_of
from chorus.core.progress.choosing import Stated, choose
from chorus.core.progress.commands import only_shows_text
from chorus.core.progress.counts import count_of
from chorus.core.progress.model import Progress, Source
from chorus.core.progress.plans import Plans
from chorus.core.progress.statements import Statement, Statements
from chorus.core.records.model import tools
from chorus.core.records.place import Place

NOWHERE: Order = ("", 0, "", 0, 0)
_MAX_CALLS, _MAX_MESSAGES, _MAX_STARTS = 64, 64, 8
_CLIENT_CONFIDENCE = 0.95


class KnownCall(Struct, gc=False):
    """What is known about a call."""

    order: Order
    name: str = ""
    is_quoting: bool = False
    """Whether its command only shows text that already exists."""
    is_open: bool = True
    task: str = ""
    """What the sub-agent that it starts is to do."""
    type: str | None = None
    """The type of that sub-agent."""


class ClientCount(Struct, gc=False):
    """A count that the client itself reported."""

    order: Order
    place: Place
    call: str
    step: str
    completed: int
    total: int | None


class Thread(Struct):
    """Everything that is known about the progress of a thread. It can be stored and read back."""

    statements: Statements = field(default_factory=Statements)
    plans: Plans = field(default_factory=Plans)
    calls: dict[str, KnownCall] = field(default_factory=dict)
    authors: dict[str, tuple[Order, bool]] = field(default_factory=dict)
    """The last messages → whether the model wrote them."""
    starts: dict[str, Order] = field(default_factory=dict)
    """The last places at which a turn began or ended."""
    reports: dict[str, ClientCount] = field(default_factory=dict)

    def message(self, item: Message) -> None:
        _keep(self.authors, item.id, (item.order, item.author is Author.MODEL), _MAX_MESSAGES)
        if item.agent == MAIN and item.author in (Author.HUMAN, Author.NOTIFICATION) and not item.is_queued:
            self.pass_turn(item.id, item.order)

    def pass_turn(self, item_id: str, order: Order) -> None:
        """Registers that a turn began or ended: what was said before is no progress any more."""
        self.starts[item_id] = order
        if len(self.starts) > _MAX_STARTS:
            del self.starts[min(self.starts, key=lambda each: (self.starts[each], each))]

    def block(self, item: Block) -> None:
        block = item.block
        if item.is_partial:
            return
        if block.type == "text":
            if block.text:
                self.statements.add_prose(item)
        elif block.type == "tool_use" and block.id:
            name = block.name or ""
            known = self._call(block.id, item.order)
            known.name = name
            kind = facts_of(name).kind
            if kind == "todo":
                self.plans.add(block.id, item.order, item.place, tools.decode_input(name, block.input))
            elif kind == "agent":
                given = tools.decode_input(name, block.input)
                if isinstance(given, tools.Agent):
                    known.task, known.type = given.description or "", given.subagent_type
            elif kind == "command":
                given = tools.decode_input(name, block.input)
                known.is_quoting = isinstance(given, tools.Bash) and only_shows_text(given.command or "")

    def call(self, item: Call) -> None:
        known = self._call(item.tool_use_id, item.order)
        known.name = item.name or known.name
        known.is_open = item.state is CallState.PENDING
        self.plans.settle(item)

    def result(self, item: ToolResult) -> None:
        known = self.calls.get(item.tool_use_id)
        name = known.name if known else ""
        if not name or facts_of(name).kind == "todo":
            self.plans.created(item.tool_use_id, created_by("TaskCreate", item))
        if not name or (_runs_program(name) and not (known and known.is_quoting)):
            self.statements.add_result(item, is_live=_shows_running(name))

    def report(self, item: Notice) -> None:
        """Takes what the client reports about a call of this thread."""
        report = item.report
        if report is None or not report.call:
            return
        if report.output:
            self.statements.add_output(item.id, item.order, item.place, report.call, report.output)
        elif report.completed is not None:
            count = ClientCount(item.order, item.place, report.call, report.step or "", report.completed, report.total)
            self.reports[item.id] = count
            if len(self.reports) > _MAX_STARTS:
                del self.reports[min(self.reports, key=lambda each: (self.reports[each].order, each))]

    def remove(self, item_id: str) -> None:
        self.statements.remove(item_id)
        self.starts.pop(item_id, None)
        self.authors.pop(item_id, None)
        call_id = item_id.removeprefix("call:")
        if call_id != item_id:
            self.plans.remove(call_id)
            self.calls.pop(call_id, None)

    def progress(self) -> Progress | None:
        """Returns the progress since the last place at which a turn began or ended."""
        after = max(self.starts.values(), default=NOWHERE)
        return choose([*self._plan(after), *self._reported(after), *self._programs(after), *self._prose(after)])

    def mention(self) -> tuple[Order, str, Place] | None:
        """Returns the last mention of sub-agents in this turn."""
        after = max(self.starts.values(), default=NOWHERE)
        said = [(each.order, each.mention, each.place) for each in self._texts(after) if each.mention]
        return max(said) if said else None

    def open_agent_calls(self) -> list[tuple[str, KnownCall]]:
        """Returns the calls of this turn that started a sub-agent and wait for it."""
        after = max(self.starts.values(), default=NOWHERE)
        found = [(call_id, known) for call_id, known in self.calls.items() if known.is_open and known.order > after]
        return [(call_id, known) for call_id, known in found if facts_of(known.name).kind == "agent"]

    def _plan(self, after: Order) -> list[Stated]:
        found = [(Source.TODOS, *each) for each in self.plans.todo_states() if each[0].order > after]
        found += [(Source.TASK, *each) for each in self.plans.task_states(after)]
        return [Stated(call.order, source, count, call.place) for source, call, count in found]

    def _reported(self, after: Order) -> list[Stated]:
        found: list[Stated] = []
        for each in self.reports.values():
            count = count_of(each.step or "Working", each.completed, each.total, _CLIENT_CONFIDENCE)
            if each.order > after and count:
                found.append(Stated(each.order, Source.CLIENT, count, each.place, self._has_ended(each.call)))
        return found

    def _programs(self, after: Order) -> list[Stated]:
        found: list[Stated] = []
        for item_id, statement in self.statements.outputs.items():
            known = self.calls.get(statement.of)
            if statement.order <= after or known is None or known.is_quoting or not _runs_program(known.name):
                continue
            if (count := self.statements.read_output(item_id).count) is not None:
                is_live = statement.is_live and (known.is_open or _shows_running(known.name))
                found.append(Stated(statement.order, Source.PROGRAM, count, statement.place, not is_live))
        return found

    def _texts(self, after: Order) -> Iterator[Statement]:
        for item_id, statement in self.statements.prose.items():
            author = self.authors.get(statement.of)
            if statement.order > after and author and author[1]:
                yield self.statements.read_prose(item_id)

    def _prose(self, after: Order) -> list[Stated]:
        return [Stated(each.order, Source.PROSE, each.count, each.place) for each in self._texts(after) if each.count]

    def _has_ended(self, call: str) -> bool:
        known = self.calls.get(call)
        return known is not None and not known.is_open

    def _call(self, call_id: str, order: Order) -> KnownCall:
        known = self.calls.get(call_id)
        if known is None:
            known = self.calls[call_id] = KnownCall(order)
            if len(self.calls) > _MAX_CALLS:
                del self.calls[min([(each.order, name) for name, each in self.calls.items()])[1]]
        known.order = order
        return known


def _runs_program(name: str) -> bool:
    return facts_of(name).kind == "command" or _shows_running(name)


def _shows_running(name: str) -> bool:
    """Returns whether a tool reads the output of a program in the background, which may still be running."""
    facts = facts_of(name)
    return facts.kind == "reader" and facts.icon == "output"


def _keep(table: dict[str, tuple[Order, bool]], item_id: str, value: tuple[Order, bool], most: int) -> None:
    table[item_id] = value
    if len(table) > most:
        del table[min([(each[0], name) for name, each in table.items()])[1]]
