"""A conversation on the board: what it does now, and why it needs a person. The same for the page, the terminal and
programs."""

from typing import Literal

from msgspec import Struct

from chorus.core.alerts.model import Alert
from chorus.core.board.columns import Column
from chorus.core.board.facts import LiveFacts
from chorus.core.conversation.context_window import ContextFill
from chorus.core.conversation.tool_facts import kind_of

ReasonKind = Literal["permission", "question", "plan", "client"]

_ASKED = {"question": "asks a question", "plan": "shows a plan"}
"""Why an agent needs a person, by the kind of a tool whose name says nothing to people."""


class Reason(Struct, frozen=True, kw_only=True):
    """Why a conversation needs a person."""

    kind: ReasonKind
    """A request of the ledger, a question or a plan of the agent, or the client says that it waits."""
    text: str
    """In words. It may contain the name of a tool, or what the client itself says."""
    request: str | None = None
    """The id of the request in the permission ledger."""
    call: str | None = None
    """The tool call that waits for an answer."""
    since: str | None = None


class OpenCall(Struct, frozen=True, kw_only=True):
    """A call that has no result yet."""

    call: str
    tool: str
    text: str
    """What it does, in words: the description of a command, a path. Untrusted text."""
    thread: str
    """The sub-agent that made the call; "" for the main agent."""
    since: str | None


class TileRun(Struct, frozen=True, kw_only=True):
    """The run of a conversation."""

    id: str
    state: str


class Tile(Struct, frozen=True, kw_only=True):
    """A conversation on the board."""

    name: str
    """The unique name: `workspace/agent/conversation`."""
    id: str
    title: str
    workspace: str
    workspace_name: str
    agent: str
    branch: str | None
    folder: str | None
    column: Column
    status: str
    """The value of a `Status`, or `damaged`."""
    run: TileRun | None
    pane: str | None
    """The terminal pane in which its client runs; None if that is not known."""
    reasons: tuple[Reason, ...]
    """Why it needs a person; empty in every column but the first."""
    calls: tuple[OpenCall, ...]
    """The open calls, oldest first; of many, the last ones."""
    progress: str | None
    """How far its turn is, on one line; None if nothing says so. Untrusted text."""
    alerts: tuple[Alert, ...]
    sub_agents: int
    sub_agents_at_work: int
    context: ContextFill | None
    """How full the context was at the last answer; None if that is not known."""
    cost_usd: float | None
    """The computed cost, or what the client reported; None if neither is known."""
    is_lower_bound: bool
    """Whether the real cost may be higher."""
    started_at: str | None
    last_at: str | None
    """The time of the last record: since then it is silent."""


def reasons_of(live: LiveFacts, calls: tuple[OpenCall, ...], last_at: str | None) -> tuple[Reason, ...]:
    """Returns why a conversation needs a person; never empty, for a conversation in the first column."""
    found = [
        Reason(
            kind="permission",
            text=_ASKED.get(kind_of(each.tool), f"asks for permission: {each.tool}"),
            request=each.id,
            since=each.since,
        )
        for each in live.requests
    ]
    if found:
        return tuple(found)
    for call in calls:
        kind = kind_of(call.tool)
        if kind == "question":
            found.append(Reason(kind="question", text=_ASKED[kind], call=call.call, since=call.since))
        elif kind == "plan":
            found.append(Reason(kind="plan", text=_ASKED[kind], call=call.call, since=call.since))
    if found:
        return tuple(found)
    client = live.client
    if client is not None and client.status == "waiting":
        said = f"waits: {client.waiting_for}" if client.waiting_for else "waits for you"
        return (Reason(kind="client", text=said, since=client.since or last_at),)
    return (Reason(kind="client", text="waits for you", since=last_at),)
