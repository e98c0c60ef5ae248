"""What a line of the client can mean to its host."""

from msgspec import Struct

from chorus.core.protocol.evidence import Evidence


class ToolRequest(Struct, frozen=True, kw_only=True):
    """`can_use_tool`: may this call run?"""

    request: str
    tool: str
    input: str
    """The JSON text of the input, byte for byte as it came."""
    call: str
    """The tool_use that waits for the answer."""
    agent: str | None = None
    """The sub-agent that wants it."""
    suggestions: tuple[str, ...] = ()
    """What the client offers to remember; the JSON text of each."""
    description: str = ""
    plan: str | None = None
    """What the call says of a plan that the question does not repeat."""


class Wanted(Struct, frozen=True):
    """Anything else that the client asks of its host."""

    request: str
    subtype: str


class Reloads(Struct, frozen=True):
    """A settings file was changed, and the client asks whether it is to take what it says now."""

    request: str
    source: str
    """`user_settings`, `project_settings`, `local_settings`, `policy_settings`, `skills`."""
    path: str = ""


class Cancelled(Struct, frozen=True):
    """The client takes a question back."""

    request: str


class Replied(Struct, frozen=True):
    """An answer: the client's to one of our requests, or the echo of ours to one of its own."""

    request: str
    body: str = "null"
    error: str | None = None


class Called(Struct, frozen=True):
    """The model called tools: id and name of each."""

    calls: tuple[tuple[str, str], ...]
    session: str | None = None
    plans: tuple[tuple[str, str], ...] = ()
    """Of those that ask to leave plan mode: id and plan."""


class Returned(Struct, frozen=True):
    """Calls have their results."""

    calls: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()
    """Who let each of them run, or did not; in the same order."""


class Opened(Struct, frozen=True):
    """A turn begins (`init`), in this session."""

    session: str | None
    """None when it names none."""
    version: str = ""
    model: str = ""
    mode: str = ""


class Reset(Struct, frozen=True):
    """The session ends here, and another goes on (`/clear`)."""

    session: str


class Moved(Struct, frozen=True):
    """The session's own word on its state: `running`, `requires_action`, `idle`."""

    state: str


class Turned(Struct, frozen=True):
    """The permission mode is another one from now on."""

    mode: str


class Stepped(Struct, frozen=True):
    """What became of a message that was sent: `queued`, `started`, `completed`, `cancelled`."""

    uuid: str
    state: str


class Ended(Struct, frozen=True):
    """A turn has ended."""

    is_error: bool
    words: str = ""


class Spoke(Struct, frozen=True):
    """Any other line."""

    type: str


class Unheard(Struct, frozen=True):
    """A line that is refused, and why."""

    reason: str


Frame = (
    ToolRequest
    | Wanted
    | Reloads
    | Cancelled
    | Replied
    | Called
    | Returned
    | Opened
    | Reset
    | Moved
    | Turned
    | Stepped
    | Ended
    | Spoke
    | Unheard
)
