"""What the sub-agents of a conversation are doing: from their records, the client's reports, and words of the model."""

from msgspec import Struct, field

from chorus.core.conversation.agent_ids import precedence
from chorus.core.conversation.items import Agent, Call, CallState, Change, Notice, Order, Remove
from chorus.core.conversation.lifecycle import RUNNING
from chorus.core.progress.counts import short
from chorus.core.progress.model import Source, SubAgentProgress
from chorus.core.progress.thread import NOWHERE, KnownCall, Thread

_RECORDED, _REPORTED, _MENTIONED = 1.0, 0.95, 0.3
_MAX_SHOWN = 50
_STARTING = "starting"


class AgentWork(Struct):
    """What is known about one sub-agent."""

    item: Agent | None = None
    thread: Thread = field(default_factory=Thread)
    calls: dict[str, None] = field(default_factory=dict)
    """The ids of its calls."""
    last: tuple[Order, str] = (NOWHERE, "")
    """Its last call: its place in the order, and the tool."""
    reported: tuple[Order, str | None, int] | None = None
    """The last report of the client: its place, the step, the number of calls."""


class SubAgentProgressMonitor(Struct):
    """Follows every sub-agent of a conversation. Its input are the changes of the fold."""

    agents: dict[str, AgentWork] = field(default_factory=dict)

    def take(self, change: Change) -> None:
        """Takes a change. Only those about sub-agents matter."""
        match change:
            case Agent():
                self._work(change.agent).item = change
            case Call() if change.agent:
                self._called(change)
            case Notice() if change.report and change.report.agent:
                self._reported(change)
            case Remove():
                self._remove(change.id)
            case _:
                pass

    def thread(self, agent: str) -> Thread:
        """Returns the thread of a sub-agent."""
        return self._work(agent).thread

    def at_work(self, main: Thread | None) -> tuple[SubAgentProgress, ...]:
        """Returns the sub-agents that work now, in the order in which they were started.

        A call in `main` that waits for a sub-agent counts before that wrote anything. None if the turn is over.
        """
        found: dict[str, AgentWork] = {}
        known_calls: set[str] = set()
        for work in self.agents.values():
            item = work.item
            if item is None:
                continue
            known_calls.add(item.call or "")
            if item.status != RUNNING:
                continue
            # One agent may have several ids: the most specific one is shown.
            name = item.call or item.id
            other = found.get(name)
            if other is None or other.item is None or precedence(item.agent) < precedence(other.item.agent):
                found[name] = work
        shown = [(work.item.order, _progress(work, work.item)) for work in found.values() if work.item]
        for call, started in main.open_agent_calls() if main else ():
            if call not in known_calls:
                shown.append((started.order, _starting(call, started)))
        shown.sort(key=lambda each: (each[0], each[1].id, each[1].call or ""))
        return tuple(each for _order, each in shown[:_MAX_SHOWN])

    def mentioned(self, main: Thread) -> tuple[SubAgentProgress, ...]:
        """Returns the sub-agents that only words of the model mention: the weakest source."""
        mention = main.mention()
        if mention is None:
            return ()
        return (
            SubAgentProgress(
                id="",
                call=None,
                parent="",
                type=None,
                description=mention[1],
                step=mention[1],
                calls=0,
                source=Source.PROSE,
                confidence=_MENTIONED,
                progress=None,
            ),
        )

    def _work(self, agent: str) -> AgentWork:
        known = self.agents.get(agent)
        if known is None:
            known = self.agents[agent] = AgentWork()
        return known

    def _remove(self, item_id: str) -> None:
        agent = item_id.partition("/")[0]
        # The id of an item of a sub-agent begins with that of the agent, except for calls and results.
        for work in self.agents.values() if agent == item_id else filter(None, (self.agents.get(agent),)):
            work.thread.remove(item_id)
            work.calls.pop(item_id.removeprefix("call:"), None)

    def _called(self, call: Call) -> None:
        work = self._work(call.agent)
        work.calls[call.tool_use_id] = None
        if call.state is not CallState.ORPHAN:
            work.last = max(work.last, (call.order, call.name))

    def _reported(self, notice: Notice) -> None:
        report = notice.report
        if report is None or report.agent is None or report.tool_uses is None:
            return
        work = self._work(report.agent)
        if work.reported is None or work.reported[0] <= notice.order:
            work.reported = notice.order, report.step or report.tool, report.tool_uses


def _starting(call: str, started: KnownCall) -> SubAgentProgress:
    """Returns a sub-agent of which only the call is known."""
    description = short(started.task) or started.type or "sub-agent"
    return SubAgentProgress(
        id="call:" + call,
        call=call,
        parent="",
        type=started.type,
        description=description,
        step=_STARTING,
        calls=0,
        source=Source.TASK,
        confidence=_RECORDED,
        progress=None,
    )


def _progress(work: AgentWork, item: Agent) -> SubAgentProgress:
    step, source, confidence = work.last[1], Source.TASK, _RECORDED
    if work.reported and work.reported[0] > work.last[0]:
        step, source, confidence = work.reported[1] or step, Source.CLIENT, _REPORTED
    description = item.description or item.type or "sub-agent"
    return SubAgentProgress(
        id=item.agent,
        call=item.call,
        parent=item.parent,
        type=item.type,
        description=description,
        step=step or _STARTING,
        calls=max(len(work.calls), work.reported[2] if work.reported else 0),
        source=source,
        confidence=confidence,
        progress=work.thread.progress(),
    )
