"""`feed(record)`: the only way a conversation grows.

Live, stored, replayed and exported conversations all come from here. The cost of a feed does not grow with the
conversation, and any interleaving of a conversation's streams that keeps each stream's own order ends in the same
conversation: facts are kept with their place in the order, never with the moment they were read.
"""

from collections.abc import Callable
from typing import Any

from chorus.core.conversation import (
    agents,
    authors,
    calls,
    decisions,
    facts,
    flat,
    lifecycle,
    messages,
    naming,
    notices,
    partials,
    permissions,
    queue,
    status,
    stream_gate,
    tasks,
    threads,
    turns,
)
from chorus.core.conversation.authority import Standings
from chorus.core.conversation.fold_context import EMBEDDED, FILE, MIRROR, STDOUT, FoldContext, rank_of
from chorus.core.conversation.items import MAIN, Change, Order, Session, Tokens
from chorus.core.conversation.state import State, StreamState, dump, load
from chorus.core.records.decode import Refused, decode
from chorus.core.records.model import Value, session, stream, system
from chorus.core.records.model import flat as flat_model
from chorus.core.records.model import turns as turn_model
from chorus.core.records.model.base import Other
from chorus.core.records.model.decision import Decision
from chorus.core.records.record import Dialect, Record, Unread


class Fold:
    """Folds the records of one conversation into changes."""

    def __init__(self, session_id: str, state: State | None = None, *, standings: Standings | None = None) -> None:
        """`standings` tell how much each stream's word counts; without them all count the same."""
        self.standings = standings
        self.state = state or State(Session(id="session", order=("", 0, "", 0, 0), session_id=session_id))

    @property
    def session_id(self) -> str:
        return self.state.session.session_id

    @property
    def tokens_by_message(self) -> dict[str, Tokens]:
        """Message id → its tokens, each field at its maximum; for counting over many conversations."""
        known = self.state.api_messages.items()
        return {name: message.tokens for name, message in known if message.tokens is not None}

    def dump(self) -> bytes:
        """The state as bytes; `restore` goes on from exactly here."""
        return dump(self.state)

    @classmethod
    def restore(cls, data: bytes, *, standings: Standings | None = None) -> "Fold | None":
        """The fold that was dumped; None when another version of Chorus saved it (then fold the records anew)."""
        state = load(data)
        return cls(state.session.session_id, state, standings=standings) if state else None

    def entitle(self, at: Order, text: str) -> list[Change]:
        """A title that another conversation's file holds for this one, stated at `at` there."""
        return naming.entitle(self.state, at, text)

    def owns(self, uuid: str) -> bool:
        """Whether a line of this uuid is part of the conversation."""
        return uuid in self.state.lines or uuid in self.state.anchors

    @property
    def is_overtaken(self) -> bool:
        """Whether a stream of better standing contradicted what was folded: all is to be fed again, best first."""
        return self.state.comparison.is_overtaken

    def feed(self, record: Record) -> list[Change]:
        """Take one record; gives the changes it makes. Never raises for what a record holds."""
        state = self.state
        known = state.streams.get(record.stream)
        if known is None:
            known = state.streams[record.stream] = StreamState(rank_of(record.dialect))
        authority = FILE if record.dialect is Dialect.SESSION else STDOUT
        line = FoldContext(state, record, record.value, known, authority, self.standings)
        header = state.session
        state.records += 1
        if isinstance(record, Unread):
            line.id = f"{record.stream}@{record.offset}"
            if self.standings is not None and self.standings.of(record.stream).is_foreign:
                stream_gate.put_unread_aside(line, record)
            else:
                header.unread += 1
                line.touched = True
                notices.unread(line, record)
        else:
            _fold(line)
        _close(line)
        return line.changes


def _fold(context: FoldContext) -> None:
    value = context.value
    context.identify(agents.agent_of(context.stream, value, context.record.stream))
    if context.standings is not None and not stream_gate.passes(context):
        context.is_aside = True
        return
    if context.agent:
        context.stream.has_agents = True
        agents.spoke(context)
    facts.envelope(context)
    _HANDLERS.get(type(value), _any)(context, value)


def _close(context: FoldContext) -> None:
    """What holds after every record: the session's times and status."""
    header = context.state.session
    time = context.time
    if context.is_aside:
        return
    if time and (not context.agent or agents.is_part(context)):
        context.reach(time)
    if context.stirred and (doing := status.status_of(context.state)) is not header.status:
        header.status = doing
        context.touched = True
    if context.touched:
        context.put(header)


def _any(context: FoldContext, value: Value) -> None:
    if isinstance(value, Other) and value.hook_event_name == status.END_EVENT:
        status.client_left(context)
    notices.note(context)


def _assistant(context: FoldContext, value: turn_model.Assistant) -> None:
    if context.agent and value.subagent_type:
        agents.describe(context, context.agent, type=value.subagent_type, description=value.task_description)
    if context.record.dialect is Dialect.FLAT:
        flat.assistant(context, value)
    else:
        messages.assistant(context, value)


def _user(context: FoldContext, value: turn_model.User) -> None:
    if context.stream.flat:
        flat.close(context)
    if context.agent and value.subagent_type:
        agents.describe(context, context.agent, type=value.subagent_type, description=value.task_description)
    # Whichever copy of the line is shown, each states what it states: the outcome must not depend on who came first.
    text = messages.words_of(value)
    tasks.in_user_line(context, value, text)
    queue.delivered(context, text)
    if context.agent == MAIN and authors.is_exit(text):
        status.client_left(context)
    messages.user(context, value)


def _result(context: FoldContext, value: turn_model.Result) -> None:
    flat.close(context)
    partials.ended(context)
    if messages.claim(context, 0, None):
        context.touched = True
        turns.result(context, value)


def _attachment(context: FoldContext, value: session.Attachment) -> None:
    notices.note(context)
    if b"queued_command" in context.record.raw:
        queue.absorbed(context, value)
    elif b"task_status" in context.record.raw:
        tasks.in_attachment(context, value.attachment)


def _queue_operation(context: FoldContext, value: session.QueueOperation) -> None:
    queue.operation(context, value)
    notices.note(context)


def _progress(context: FoldContext, value: session.Progress) -> None:
    """A sub-agent's line inside the main file counts as that line; other progress is book-keeping."""
    notices.note(context)
    data = value.data
    if data is None or data.type != "agent_progress" or not data.agentId:
        return
    inner = data.message
    call = value.parentToolUseID
    embedded: Value | None = None
    if isinstance(inner, session.EmbeddedLine) and inner.type in ("user", "assistant"):
        kind = turn_model.Assistant if inner.type == "assistant" else turn_model.User
        embedded = kind(uuid=inner.uuid, timestamp=inner.timestamp, agentId=data.agentId, message=inner.message)
        if isinstance(embedded, turn_model.Assistant):
            embedded.requestId = inner.requestId
        else:
            embedded.toolUseResult = inner.toolUseResult
    if call:
        agents.link(context, data.agentId, call)
    _inside(context, embedded, EMBEDDED, 0)


def _last_prompt(context: FoldContext, value: session.LastPrompt) -> None:
    notices.note(context)
    threads.goes_back(context, value)


def _mirror(context: FoldContext, value: stream.TranscriptMirror) -> None:
    """Lines of session files, mirrored on stdout: worth more than stdout's own, less than the files."""
    notices.note(context)
    for n, raw in enumerate(value.entries or ()):
        try:
            entry = decode(bytes(raw))
        except Refused:
            continue
        if isinstance(entry, session.AgentMetadata) and entry.agentId is None:
            entry.agentId = agent_of_file(value.filePath or "")
        _inside(context, entry, MIRROR, n)


def agent_of_file(path: str) -> str | None:
    """The agent id in a sub-agent file's name (`agent-<id>.jsonl`, `agent-<id>.meta.json`)."""
    name = path.replace("\\", "/").rpartition("/")[2]
    if not name.startswith("agent-"):
        return None
    return name.removeprefix("agent-").removesuffix(".jsonl").removesuffix(".meta.json") or None


def _inside(outer: FoldContext, value: Value | None, authority: int, n: int) -> None:
    """Fold a record that is embedded in the one in hand."""
    if value is None or (not value.uuid and authority == MIRROR and not isinstance(value, _FACTS)):
        return
    inner = FoldContext(outer.state, outer.record, value, outer.stream, authority, outer.standings)
    inner.changes = outer.changes
    inner.order = inner.part(_PARTS_PER_ENTRY * (n + 1))
    _fold(inner)
    outer.touched = outer.touched or inner.touched
    outer.stirred = outer.stirred or inner.stirred


def _agent_metadata(context: FoldContext, value: session.AgentMetadata) -> None:
    """The sidecar of a sub-agent file: the client's own word on which call started it."""
    agent = value.agentId
    if not agent:
        return
    agents.describe(context, agent, type=value.agentType, description=value.description, depth=value.spawnDepth)
    if value.toolUseId:
        agents.link(context, agent, value.toolUseId)
    lifecycle.finish(context, agent, is_finished=value.finished)


def _flat(handler: Callable[[FoldContext, Any], None]) -> Callable[[FoldContext, Any], None]:
    def handle(context: FoldContext, value: Value) -> None:
        context.touched = True
        handler(context, value)

    return handle


def _flat_error(context: FoldContext, value: flat_model.Error) -> None:
    flat.breaks(context)
    notices.note(context)
    status.failed(context)


def _flat_permission(context: FoldContext, value: flat_model.PermissionRequest) -> None:
    """Seen by a wrapper, not asked through a channel: shown as waiting, never answerable."""
    flat.breaks(context)
    notices.note(context)
    status.is_asking(context)


def _session_start(context: FoldContext, value: flat_model.SessionStart) -> None:
    flat.close(context)
    notices.note(context)


def _control(handler: Callable[[FoldContext, Any], str | None]) -> Callable[[FoldContext, Any], None]:
    def handle(context: FoldContext, value: Value) -> None:
        if call := handler(context, value):
            calls.reconsider(context, call)
        notices.note(context)

    return handle


_PARTS_PER_ENTRY = 1000
"""Order keys kept apart for each of the records embedded in one."""
_FACTS = (session.CustomTitle, session.AiTitle, session.PermissionMode, session.CostState, session.AgentMetadata)
_HANDLERS: dict[type, Callable[[FoldContext, Any], None]] = {
    turn_model.Assistant: _assistant,
    turn_model.User: _user,
    turn_model.Result: _result,
    system.System: facts.system_line,
    session.Summary: facts.summary,
    session.Attachment: _attachment,
    session.QueueOperation: _queue_operation,
    session.Progress: _progress,
    session.LastPrompt: _last_prompt,
    session.CustomTitle: facts.session_record,
    session.AiTitle: facts.session_record,
    session.PermissionMode: facts.session_record,
    session.CostState: facts.session_record,
    session.AgentMetadata: _agent_metadata,
    stream.StreamEvent: partials.stream_event,
    stream.TranscriptMirror: _mirror,
    stream.ControlRequest: _control(permissions.asked),
    stream.ControlResponse: _control(permissions.answered),
    stream.ControlCancelRequest: _control(permissions.cancelled),
    flat_model.SessionStart: _session_start,
    flat_model.Text: _flat(flat.text),
    flat_model.ToolUse: _flat(flat.tool_use),
    flat_model.ToolResult: _flat(flat.tool_result),
    Decision: decisions.decided,
    flat_model.PermissionRequest: _flat_permission,
    flat_model.Error: _flat_error,
}
