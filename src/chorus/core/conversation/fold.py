"""`feed(record)` is the only way to add to a conversation.

Live, stored, replayed and exported conversations all use it. The cost of a feed does not grow with the conversation.
The streams of a conversation may be interleaved in any way that keeps the order within each stream: the result is the
same, because each fact is stored with its order key and not with the time at which it was read.
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
    limits,
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
from chorus.core.conversation.authority import StreamAuthorities
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

    def __init__(
        self, session_id: str, state: State | None = None, *, authorities: StreamAuthorities | None = None
    ) -> None:
        """`authorities` says which stream wins when streams disagree. Without it all streams have equal authority."""
        self.authorities = authorities
        self.state = state or State(Session(id="session", order=("", 0, "", 0, 0), session_id=session_id))

    @property
    def session_id(self) -> str:
        return self.state.session.session_id

    @property
    def tokens_by_message(self) -> dict[str, Tokens]:
        """Message id → tokens of the message, each field at its maximum. Used to count over many conversations."""
        known = self.state.api_messages.items()
        return {name: message.tokens for name, message in known if message.tokens is not None}

    def dump(self) -> bytes:
        """Returns the state as bytes. `restore` continues from exactly this state."""
        return dump(self.state)

    @classmethod
    def restore(cls, data: bytes, *, authorities: StreamAuthorities | None = None) -> "Fold | None":
        """Returns the dumped fold, or None if another version of Chorus saved it (then fold all records again)."""
        state = load(data)
        return cls(state.session.session_id, state, authorities=authorities) if state else None

    def set_summary_title(self, at: Order, text: str) -> list[Change]:
        """Sets a title of this conversation that was found in another conversation's file, with order key `at`."""
        return naming.set_summary_title(self.state, at, text)

    def owns(self, uuid: str) -> bool:
        """Returns whether a line with this uuid is part of the conversation."""
        return uuid in self.state.lines or uuid in self.state.anchors

    @property
    def needs_refold(self) -> bool:
        """Whether a stream with more authority contradicted what was folded.

        If so, all records must be fed again, the streams with most authority first.
        """
        return self.state.comparison.needs_refold

    def feed(self, record: Record) -> list[Change]:
        """Feeds one record and returns the changes that it causes. Never raises because of the content of a record."""
        state = self.state
        known = state.streams.get(record.stream)
        if known is None:
            known = state.streams[record.stream] = StreamState(rank_of(record.dialect))
        authority = FILE if record.dialect is Dialect.SESSION else STDOUT
        context = FoldContext(state, record, record.value, known, authority, self.authorities)
        header = state.session
        state.records += 1
        if isinstance(record, Unread):
            context.id = f"{record.stream}@{record.offset}"
            if self.authorities is not None and self.authorities.of(record.stream).is_foreign:
                stream_gate.set_unread_aside(context, record)
            else:
                header.unread += 1
                context.session_changed = True
                notices.unread(context, record)
        else:
            _fold(context)
        _close(context)
        return context.changes


def _fold(context: FoldContext) -> None:
    value = context.value
    context.identify(agents.agent_of(context.stream, value, context.record.stream))
    if context.authorities is not None and not stream_gate.passes(context):
        context.is_set_aside = True
        return
    if context.agent:
        context.stream.has_agents = True
        agents.spoke(context)
    facts.envelope(context)
    _HANDLERS.get(type(value), _other)(context, value)


def _close(context: FoldContext) -> None:
    """Updates what every record may change: the times and the status of the session."""
    header = context.state.session
    time = context.time
    if context.is_set_aside:
        return
    if time and not context.is_foreign and (not context.agent or agents.is_part(context)):
        context.reach(time)
    if context.status_may_change and (doing := status.status_of(context.state)) is not header.status:
        header.status = doing
        context.session_changed = True
    if context.session_changed:
        context.put(header)


def _other(context: FoldContext, value: Value) -> None:
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
    # Every copy of a line reports its facts, whichever copy is shown: the result must not depend on which came first.
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
        context.session_changed = True
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
    """Folds a sub-agent's line inside the main file like the line itself. Other progress records become notices."""
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
    _fold_embedded(context, embedded, EMBEDDED, 0)


def _last_prompt(context: FoldContext, value: session.LastPrompt) -> None:
    notices.note(context)
    threads.add_rewind(context, value)


def _mirror(context: FoldContext, value: stream.TranscriptMirror) -> None:
    """Folds lines of session files that are mirrored on stdout.

    They have more authority than stdout's own lines and less than the files.
    """
    notices.note(context)
    for n, raw in enumerate(value.entries or ()):
        try:
            entry = decode(bytes(raw))
        except Refused:
            continue
        if isinstance(entry, session.AgentMetadata) and entry.agentId is None:
            entry.agentId = agent_of_file(value.filePath or "")
        _fold_embedded(context, entry, MIRROR, n)


def agent_of_file(path: str) -> str | None:
    """Returns the agent id in the name of a sub-agent file (`agent-<id>.jsonl`, `agent-<id>.meta.json`), or None."""
    name = path.replace("\\", "/").rpartition("/")[2]
    if not name.startswith("agent-"):
        return None
    return name.removeprefix("agent-").removesuffix(".jsonl").removesuffix(".meta.json") or None


def _fold_embedded(outer: FoldContext, value: Value | None, authority: int, n: int) -> None:
    """Folds a record that is embedded in the record of `outer`."""
    if value is None or (not value.uuid and authority == MIRROR and not isinstance(value, _FACT_TYPES)):
        return
    inner = FoldContext(outer.state, outer.record, value, outer.stream, authority, outer.authorities)
    inner.changes = outer.changes
    inner.order = inner.part(_PARTS_PER_ENTRY * (n + 1))
    _fold(inner)
    outer.session_changed = outer.session_changed or inner.session_changed
    outer.status_may_change = outer.status_may_change or inner.status_may_change


def _agent_metadata(context: FoldContext, value: session.AgentMetadata) -> None:
    """Reads the sidecar of a sub-agent file, in which the client says which call started the agent."""
    agent = value.agentId
    if not agent:
        return
    agents.describe(context, agent, type=value.agentType, description=value.description, depth=value.spawnDepth)
    if value.toolUseId:
        agents.link(context, agent, value.toolUseId)
    lifecycle.finish(context, agent, is_finished=value.finished)


def _flat(handler: Callable[[FoldContext, Any], None]) -> Callable[[FoldContext, Any], None]:
    def handle(context: FoldContext, value: Value) -> None:
        context.session_changed = True
        handler(context, value)

    return handle


def _flat_error(context: FoldContext, value: flat_model.Error) -> None:
    flat.interrupt(context)
    notices.note(context)
    status.set_failed(context)


def _flat_permission(context: FoldContext, value: flat_model.PermissionRequest) -> None:
    """Shows a request that a wrapper reported as waiting. It has no control channel."""
    flat.interrupt(context)
    notices.note(context)
    status.set_waiting(context)


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
"""Number of order keys reserved for each record that is embedded in another one."""
_FACT_TYPES = (session.CustomTitle, session.AiTitle, session.PermissionMode, session.CostState, session.AgentMetadata)
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
    stream.ControlRequest: _control(permissions.requested),
    stream.ControlResponse: _control(permissions.answered),
    stream.ControlCancelRequest: _control(permissions.cancelled),
    flat_model.SessionStart: _session_start,
    flat_model.Text: _flat(flat.text),
    flat_model.ToolUse: _flat(flat.tool_use),
    flat_model.ToolResult: _flat(flat.tool_result),
    stream.RateLimitEvent: limits.reported,
    Decision: decisions.decided,
    flat_model.PermissionRequest: _flat_permission,
    flat_model.Error: _flat_error,
}
