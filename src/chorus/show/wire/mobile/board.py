"""The board for a phone: the tiles of `chorus.core.board` with the keys of the protocol, and progress in figures."""

from collections.abc import Iterable

from msgspec import Struct

from chorus.core.alerts.model import Alert, AlertKind
from chorus.core.board.columns import Column
from chorus.core.board.tiles import OpenCall, Reason, ReasonKind, Tile
from chorus.core.progress.model import ConversationProgress, Progress, SubAgentProgress
from chorus.show.wire.mobile.message import MobileMessage
from chorus.show.wire.progress import ProgressSource


class MobilePart(Struct, frozen=True, kw_only=True, rename="camel"):
    """Base class of the parts of a tile."""


class MobileReason(MobilePart, frozen=True):
    """Why a conversation needs a person."""

    kind: ReasonKind
    """`permission`: a permission request; `question` and `plan`: of the agent; `client`: the client says that it
    waits."""
    text: str
    request_id: str | None
    """The permission request, if it is one."""
    call_id: str | None
    since: str | None


class MobileOpenCall(MobilePart, frozen=True):
    """A call that has no result yet."""

    call_id: str
    tool: str
    subject: str
    """What it does, in words. Untrusted text."""
    agent_id: str
    """The sub-agent that made the call; empty for the main thread."""
    since: str | None


class MobileAlert(MobilePart, frozen=True):
    """A sign that an agent may be stuck, in words."""

    kind: AlertKind
    text: str
    agent_id: str
    """The sub-agent that it is about; empty for the main thread."""
    since: str | None
    item_id: str | None
    """The last item of the conversation that shows it."""
    count: int
    """How many records show it."""


class MobileProgress(MobilePart, frozen=True):
    """How far something is. Without a total there is no percentage."""

    current_step: str
    completed_steps: int | None
    total_steps: int | None
    percentage: float | None
    source: ProgressSource
    confidence: float
    """From 0 to 1."""
    reason: str | None
    """Why it is less than before; null if it is not."""


class MobileSubAgent(MobilePart, frozen=True):
    """A sub-agent at work."""

    agent_id: str
    """Empty if only words of the model mention it."""
    description: str
    current_step: str
    calls: int
    source: ProgressSource
    progress: MobileProgress | None
    """Its own progress, if it states any."""


class MobileContext(MobilePart, frozen=True):
    """How full the context of the model was at the last answer."""

    tokens: int
    window: int
    is_known: bool
    """Whether the size of the window is known; else it is the usual size."""


class MobileTile(MobileMessage, frozen=True, tag="tile"):
    """A conversation on the board: what it does now, and why it needs a person."""

    conversation: str
    """The name of the conversation."""
    conversation_id: str
    project_id: str
    project_name: str
    agent: str
    title: str
    folder: str | None
    branch: str | None
    column: Column
    status: str
    run_id: str | None
    """The run that `send`, `interrupt` and `stop` name; null if Chorus did not start the agent."""
    run_state: str | None
    pane: str | None
    reasons: tuple[MobileReason, ...]
    """Why it needs a person; empty in every column but the first."""
    calls: tuple[MobileOpenCall, ...]
    progress: MobileProgress | None
    sub_agents: tuple[MobileSubAgent, ...]
    """Those at work."""
    alerts: tuple[MobileAlert, ...]
    sub_agents_total: int
    """How many sub-agents the conversation had so far."""
    sub_agents_at_work: int
    context: MobileContext | None
    cost_usd: float | None
    is_lower_bound: bool
    """Whether the real cost may be higher."""
    started_at: str | None
    last_at: str | None
    """The time of the last record."""


class MobileColumn(MobilePart, frozen=True):
    """A column of the board."""

    column: Column
    count: int
    """How many conversations it has, whether they are shown or not."""
    conversations: tuple[str, ...]
    """The names of those with a `tile`, in the order in which they are shown."""


class MobileBoard(MobileMessage, frozen=True, tag="board"):
    """The columns of the board, from what needs a person to what failed. Tiles that no column names are gone."""

    columns: tuple[MobileColumn, ...]


def mobile_tile(tile: Tile, progress: ConversationProgress | None) -> MobileTile:
    """Returns a tile as a phone is sent it."""
    return MobileTile(
        conversation=tile.name,
        conversation_id=tile.id,
        project_id=tile.workspace,
        project_name=tile.workspace_name,
        agent=tile.agent,
        title=tile.title,
        folder=tile.folder,
        branch=tile.branch,
        column=tile.column,
        status=tile.status,
        run_id=tile.run.id if tile.run else None,
        run_state=tile.run.state if tile.run else None,
        pane=tile.pane,
        reasons=tuple(map(_reason, tile.reasons)),
        calls=tuple(map(_call, tile.calls)),
        progress=_progress(progress.main if progress else None),
        sub_agents=tuple(_sub_agents(progress.sub_agents if progress else ())),
        alerts=tuple(map(_alert, tile.alerts)),
        sub_agents_total=tile.sub_agents,
        sub_agents_at_work=tile.sub_agents_at_work,
        context=MobileContext(tokens=tile.context.tokens, window=tile.context.window, is_known=tile.context.is_known)
        if tile.context
        else None,
        cost_usd=tile.cost_usd,
        is_lower_bound=tile.is_lower_bound,
        started_at=tile.started_at,
        last_at=tile.last_at,
    )


def _reason(reason: Reason) -> MobileReason:
    return MobileReason(
        kind=reason.kind, text=reason.text, request_id=reason.request, call_id=reason.call, since=reason.since
    )


def _call(call: OpenCall) -> MobileOpenCall:
    return MobileOpenCall(call_id=call.call, tool=call.tool, subject=call.text, agent_id=call.thread, since=call.since)


def _alert(alert: Alert) -> MobileAlert:
    shown = alert.evidence[-1].item if alert.evidence else None
    return MobileAlert(
        kind=alert.kind,
        text=alert.text,
        agent_id=alert.thread,
        since=alert.since,
        item_id=shown,
        count=alert.count,
    )


def _progress(progress: Progress | None) -> MobileProgress | None:
    if progress is None:
        return None
    return MobileProgress(
        current_step=progress.step,
        completed_steps=progress.completed,
        total_steps=progress.total,
        percentage=progress.percentage,
        source=progress.source.value,
        confidence=progress.confidence,
        reason=progress.reason,
    )


def _sub_agents(agents: Iterable[SubAgentProgress]) -> Iterable[MobileSubAgent]:
    for each in agents:
        yield MobileSubAgent(
            agent_id=each.id,
            description=each.description,
            current_step=each.step,
            calls=each.calls,
            source=each.source.value,
            progress=_progress(each.progress),
        )
