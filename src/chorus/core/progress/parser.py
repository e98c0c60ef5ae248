"""The progress of a conversation, from the changes of the fold."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct, field

from chorus.core.conversation import items
from chorus.core.conversation.items import Change, Remove, Status
from chorus.core.progress.model import ConversationProgress, Progress
from chorus.core.progress.sub_agents import SubAgentProgressMonitor
from chorus.core.progress.thread import Thread

ENDED = frozenset({Status.IDLE, Status.DONE, Status.FAILED, Status.INTERRUPTED})
"""The statuses of a conversation whose turn is over: nothing progresses."""


class ProgressState(Struct):
    """What a parser stores between two changes."""

    main: Thread = field(default_factory=Thread)
    monitor: SubAgentProgressMonitor = field(default_factory=SubAgentProgressMonitor)
    status: Status = Status.IDLE


class ProgressParser:
    """Follows the progress of a conversation. Its input are the changes of the fold, in any order of the streams."""

    def __init__(self, state: ProgressState | None = None) -> None:
        self._state = state or ProgressState()

    def take(self, changes: Iterable[Change]) -> None:
        """Takes what one record changed. No text is read yet."""
        for change in changes:
            handler = _HANDLERS.get(type(change))
            if handler is not None:
                handler(self, change)

    @property
    def progress(self) -> Progress | None:
        """The progress of the main thread in the current turn; None if nobody said anything about it."""
        return self._state.main.progress()

    @property
    def monitor(self) -> SubAgentProgressMonitor:
        """The sub-agents of the conversation."""
        return self._state.monitor

    @property
    def current(self) -> ConversationProgress | None:
        """What readers see: None if nothing is at work, or nothing is known about its progress."""
        is_over = self._state.status in ENDED
        main = None if is_over else self.progress
        agents = self.monitor.at_work(None if is_over else self._state.main)
        if not agents and not is_over:
            agents = self.monitor.mentioned(self._state.main)
        return ConversationProgress(main=main, sub_agents=agents) if main or agents else None

    def save(self) -> ProgressState:
        """Returns the state, from which another parser can continue. Texts are read first, so that none is stored."""
        state = self._state
        for thread in (state.main, *(work.thread for work in state.monitor.agents.values())):
            thread.statements.read_all()
        return state

    def _thread(self, agent: str) -> Thread:
        return self._state.monitor.thread(agent) if agent else self._state.main

    def _session(self, item: items.Session) -> None:
        self._state.status = item.status

    def _message(self, item: items.Message) -> None:
        self._thread(item.agent).message(item)

    def _turn(self, item: items.Turn) -> None:
        if not item.agent:
            self._state.main.pass_turn(item.id, item.order)

    def _block(self, item: items.Block) -> None:
        self._thread(item.agent).block(item)

    def _call(self, item: items.Call) -> None:
        self._thread(item.agent).call(item)
        self.monitor.take(item)

    def _result(self, item: items.ToolResult) -> None:
        self._thread(item.agent).result(item)

    def _agent(self, item: items.Agent) -> None:
        self.monitor.take(item)

    def _notice(self, item: items.Notice) -> None:
        if item.report is not None:
            self._thread(item.agent).report(item)
            self.monitor.take(item)

    def _remove(self, change: Remove) -> None:
        self._state.main.remove(change.id)
        self.monitor.take(change)


_HANDLERS: dict[type, Callable[[ProgressParser, Any], None]] = {
    items.Session: ProgressParser._session,
    items.Message: ProgressParser._message,
    items.Turn: ProgressParser._turn,
    items.Block: ProgressParser._block,
    items.Call: ProgressParser._call,
    items.ToolResult: ProgressParser._result,
    items.Agent: ProgressParser._agent,
    items.Notice: ProgressParser._notice,
    Remove: ProgressParser._remove,
}
"""How each change is taken. The others say nothing about progress."""
