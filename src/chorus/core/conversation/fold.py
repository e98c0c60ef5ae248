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
from chorus.core.conversation.fold_context import EMBEDDED, FILE, MIRROR, STDOUT, Line, rank_of
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
        line = Line(state, record, record.value, known, authority, self.standings)
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


def _fold(line: Line) -> None:
    value = line.value
    line.identify(agents.agent_of(line.stream, value, line.record.stream))
    if line.standings is not None and not stream_gate.passes(line):
        line.is_aside = True
        return
    if line.agent:
        line.stream.has_agents = True
        agents.spoke(line)
    facts.envelope(line)
    _HANDLERS.get(type(value), _any)(line, value)


def _close(line: Line) -> None:
    """What holds after every record: the session's times and status."""
    header = line.state.session
    time = line.time
    if line.is_aside:
        return
    if time and (not line.agent or agents.is_part(line)):
        line.reach(time)
    if line.stirred and (doing := status.status_of(line.state)) is not header.status:
        header.status = doing
        line.touched = True
    if line.touched:
        line.put(header)


def _any(line: Line, value: Value) -> None:
    if isinstance(value, Other) and value.hook_event_name == status.END_EVENT:
        status.client_left(line)
    notices.note(line)


def _assistant(line: Line, value: turn_model.Assistant) -> None:
    if line.agent and value.subagent_type:
        agents.describe(line, line.agent, type=value.subagent_type, description=value.task_description)
    if line.record.dialect is Dialect.FLAT:
        flat.assistant(line, value)
    else:
        messages.assistant(line, value)


def _user(line: Line, value: turn_model.User) -> None:
    if line.stream.flat:
        flat.close(line)
    if line.agent and value.subagent_type:
        agents.describe(line, line.agent, type=value.subagent_type, description=value.task_description)
    # Whichever copy of the line is shown, each states what it states: the outcome must not depend on who came first.
    text = messages.words_of(value)
    tasks.in_user_line(line, value, text)
    queue.delivered(line, text)
    if line.agent == MAIN and authors.is_exit(text):
        status.client_left(line)
    messages.user(line, value)


def _result(line: Line, value: turn_model.Result) -> None:
    flat.close(line)
    partials.ended(line)
    if messages.claim(line, 0, None):
        line.touched = True
        turns.result(line, value)


def _attachment(line: Line, value: session.Attachment) -> None:
    notices.note(line)
    if b"queued_command" in line.record.raw:
        queue.absorbed(line, value)
    elif b"task_status" in line.record.raw:
        tasks.in_attachment(line, value.attachment)


def _queue_operation(line: Line, value: session.QueueOperation) -> None:
    queue.operation(line, value)
    notices.note(line)


def _progress(line: Line, value: session.Progress) -> None:
    """A sub-agent's line inside the main file counts as that line; other progress is book-keeping."""
    notices.note(line)
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
        agents.link(line, data.agentId, call)
    _inside(line, embedded, EMBEDDED, 0)


def _last_prompt(line: Line, value: session.LastPrompt) -> None:
    notices.note(line)
    threads.goes_back(line, value)


def _mirror(line: Line, value: stream.TranscriptMirror) -> None:
    """Lines of session files, mirrored on stdout: worth more than stdout's own, less than the files."""
    notices.note(line)
    for n, raw in enumerate(value.entries or ()):
        try:
            entry = decode(bytes(raw))
        except Refused:
            continue
        if isinstance(entry, session.AgentMetadata) and entry.agentId is None:
            entry.agentId = agent_of_file(value.filePath or "")
        _inside(line, entry, MIRROR, n)


def agent_of_file(path: str) -> str | None:
    """The agent id in a sub-agent file's name (`agent-<id>.jsonl`, `agent-<id>.meta.json`)."""
    name = path.replace("\\", "/").rpartition("/")[2]
    if not name.startswith("agent-"):
        return None
    return name.removeprefix("agent-").removesuffix(".jsonl").removesuffix(".meta.json") or None


def _inside(outer: Line, value: Value | None, authority: int, n: int) -> None:
    """Fold a record that is embedded in the one in hand."""
    if value is None or (not value.uuid and authority == MIRROR and not isinstance(value, _FACTS)):
        return
    inner = Line(outer.state, outer.record, value, outer.stream, authority, outer.standings)
    inner.changes = outer.changes
    inner.order = inner.part(_PARTS_PER_ENTRY * (n + 1))
    _fold(inner)
    outer.touched = outer.touched or inner.touched
    outer.stirred = outer.stirred or inner.stirred


def _agent_metadata(line: Line, value: session.AgentMetadata) -> None:
    """The sidecar of a sub-agent file: the client's own word on which call started it."""
    agent = value.agentId
    if not agent:
        return
    agents.describe(line, agent, type=value.agentType, description=value.description, depth=value.spawnDepth)
    if value.toolUseId:
        agents.link(line, agent, value.toolUseId)
    lifecycle.finish(line, agent, is_finished=value.finished)


def _flat(handler: Callable[[Line, Any], None]) -> Callable[[Line, Any], None]:
    def handle(line: Line, value: Value) -> None:
        line.touched = True
        handler(line, value)

    return handle


def _flat_error(line: Line, value: flat_model.Error) -> None:
    flat.breaks(line)
    notices.note(line)
    status.failed(line)


def _flat_permission(line: Line, value: flat_model.PermissionRequest) -> None:
    """Seen by a wrapper, not asked through a channel: shown as waiting, never answerable."""
    flat.breaks(line)
    notices.note(line)
    status.is_asking(line)


def _session_start(line: Line, value: flat_model.SessionStart) -> None:
    flat.close(line)
    notices.note(line)


def _control(handler: Callable[[Line, Any], str | None]) -> Callable[[Line, Any], None]:
    def handle(line: Line, value: Value) -> None:
        if call := handler(line, value):
            calls.reconsider(line, call)
        notices.note(line)

    return handle


_PARTS_PER_ENTRY = 1000
"""Order keys kept apart for each of the records embedded in one."""
_FACTS = (session.CustomTitle, session.AiTitle, session.PermissionMode, session.CostState, session.AgentMetadata)
_HANDLERS: dict[type, Callable[[Line, Any], None]] = {
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
