"""The meanings that a line of the client can have for its host."""

from msgspec import Struct

from chorus.core.protocol.evidence import Evidence


class PermissionRequest(Struct, frozen=True, kw_only=True):
    """`can_use_tool`: the client asks whether this call may run."""

    request: str
    tool: str
    input: str
    """The JSON text of the input, byte for byte as received."""
    call: str
    """The id of the tool call that waits for the decision."""
    agent: str | None = None
    """The sub-agent that made the call."""
    suggestions: tuple[str, ...] = ()
    """The JSON texts of the changes of settings that the client offers."""
    description: str = ""
    plan: str | None = None
    """The plan in the call, which the request does not repeat."""


class OtherRequest(Struct, frozen=True):
    """Any other request of the client to its host."""

    request: str
    subtype: str


class SettingsChange(Struct, frozen=True):
    """A settings file was changed, and the client asks whether to apply its new content."""

    request: str
    source: str
    """`user_settings`, `project_settings`, `local_settings`, `policy_settings`, `skills`."""
    path: str = ""


class HookCall(Struct, frozen=True):
    """The client reports an event to a hook that was registered at its start, and waits for the answer."""

    request: str
    payload: str
    """The JSON text of the hook's input."""


class RequestCancelled(Struct, frozen=True):
    """The client withdraws a request."""

    request: str


class Response(Struct, frozen=True):
    """A response: the client's to one of our requests, or the echo of ours to one of its requests."""

    request: str
    body: str = "null"
    error: str | None = None


class ToolCalls(Struct, frozen=True):
    """The model called tools: id and name of each."""

    calls: tuple[tuple[str, str], ...]
    session: str | None = None
    plans: tuple[tuple[str, str], ...] = ()
    """Id and plan of each call that asks to leave plan mode."""


class ToolResults(Struct, frozen=True):
    """Tool calls have their results."""

    calls: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()
    """Who allowed or denied each call; in the same order."""


class TurnStarted(Struct, frozen=True):
    """A turn starts (`init`) in this session."""

    session: str | None
    """None if the line has no valid session id."""
    version: str = ""
    model: str = ""
    mode: str = ""


class SessionReset(Struct, frozen=True):
    """The session ends, and the run continues in another one (`/clear`)."""

    session: str


class StateChanged(Struct, frozen=True):
    """The state that the client reports: `running`, `requires_action`, `idle`."""

    state: str


class ModeChanged(Struct, frozen=True):
    """The permission mode has changed."""

    mode: str


class MessageState(Struct, frozen=True):
    """The state of a message that was sent: `queued`, `started`, `completed`, `cancelled`."""

    uuid: str
    state: str


class TurnEnded(Struct, frozen=True):
    """A turn has ended."""

    is_error: bool
    words: str = ""


class OtherLine(Struct, frozen=True):
    """Any other line."""

    type: str


class RejectedLine(Struct, frozen=True):
    """A line that is rejected, and the reason."""

    reason: str


Frame = (
    PermissionRequest
    | OtherRequest
    | SettingsChange
    | HookCall
    | RequestCancelled
    | Response
    | ToolCalls
    | ToolResults
    | TurnStarted
    | SessionReset
    | StateChanged
    | ModeChanged
    | MessageState
    | TurnEnded
    | OtherLine
    | RejectedLine
)
