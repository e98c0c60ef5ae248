"""What the server sends to a phone: frames with messages. The names and keys of the messages are those of the SDK
schema that Chorus started from."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from chorus.core.conversation.tool_facts import ToolKind
from chorus.show.wire.mobile.board import MobileBoard, MobileTile
from chorus.show.wire.mobile.message import MobileMessage
from chorus.show.wire.runs import RunState

ToolState = Literal["started", "done", "failed", "refused"]
MobileScope = Literal["read", "steer", "approve"]


class MobileHello(MobileMessage, frozen=True, tag="hello"):
    """The answer to the first `subscribe`."""

    version: str
    scopes: tuple[MobileScope, ...]
    """What this login may do."""
    capabilities: tuple[str, ...]
    """The types of messages that the server accepts from this login."""
    epoch: str
    seq: int
    """The position in the change feed at which the frames that follow begin."""
    is_reset: bool
    """Whether what the phone missed is not sent: the position is too old, or of another epoch. Everything that it
    stored about conversations is to be asked for again."""
    pending: tuple[str, ...]
    """All permission requests that wait for an answer now. Others that the phone knows are resolved."""


class MobileProject(Struct, frozen=True, kw_only=True, rename="camel"):
    """A workspace."""

    project_id: str
    name: str


class ProjectList(MobileMessage, frozen=True, tag="project_list"):
    """The workspaces of the most recent conversations. It replaces the previous list."""

    projects: tuple[MobileProject, ...]


class MobileSession(Struct, frozen=True, kw_only=True, rename="camel"):
    """A conversation in a list."""

    conversation: str
    """The name of the conversation, by which a phone subscribes to it."""
    conversation_id: str
    """The session id of the client."""
    project_id: str
    title: str
    status: str
    started_at: str | None
    ended_at: str | None


class SessionList(MobileMessage, frozen=True, tag="session_list"):
    """Conversations that are new or changed, and the names of those that are gone."""

    sessions: tuple[MobileSession, ...]
    gone: tuple[str, ...]
    is_whole: bool
    """Whether these are the most recent conversations, so that the list replaces the previous one."""


class ClaudeResponse(MobileMessage, frozen=True, tag="claude_response"):
    """A text of the model in the main thread."""

    content: str
    conversation_id: str


class UserMessage(MobileMessage, frozen=True, tag="user_message"):
    """What a person said."""

    content: str
    conversation_id: str


class ToolActivity(MobileMessage, frozen=True, tag="tool_activity"):
    """A tool call started or ended."""

    call_id: str
    tool: str
    kind: ToolKind
    """What the tool does: `reader`, `editor`, `command` …"""
    subject: str
    """The command, or the file that it is about, when it started; empty when it ended."""
    state: ToolState
    files: tuple[str, ...]
    """The files that the call changed, when it ended."""
    agent_id: str
    """The sub-agent that made the call; empty for the main thread."""
    conversation_id: str


class ProgressUpdate(MobileMessage, frozen=True, tag="progress_update"):
    """How far the turn is. Without a total there is no percentage. When it is over, the step is empty."""

    current_step: str
    completed_steps: int | None
    total_steps: int | None
    percentage: float | None
    reason: str | UnsetType = UNSET
    """Why it is less than it was before. The key is absent if it is not."""


class SubAgentUpdate(MobileMessage, frozen=True, tag="sub_agent_progress"):
    """What a sub-agent at work does, and how far it is if it says so. When it has ended, the step is empty."""

    agent_id: str
    description: str
    current_step: str
    calls: int
    completed_steps: int | None
    total_steps: int | None
    percentage: float | None
    reason: str | UnsetType = UNSET
    """Why its progress is less than it was before. The key is absent if it is not."""


class PermissionAsked(MobileMessage, frozen=True, tag="permission_request"):
    """An agent waits for an answer. Texts for display are harmless; `input` and ids are exact."""

    request_id: str
    digest: str
    """What a signature is about, together with the decision."""
    tool: str
    kind: ToolKind
    title: str
    input: str
    """The whole input of the tool as JSON text."""
    hints: tuple[str, ...]
    """Possible risks, in words."""
    is_answerable: bool
    """Whether this login may allow it, with a signature of an approver."""
    why_not: str
    """Why it cannot be allowed here; empty if it can."""
    created_at: str
    deadline_at: str | None
    suggestions: tuple[str, ...]
    """What the client offers to change in its rules; a response takes one by its number from 0."""
    conversation_id: str


class PermissionResolved(MobileMessage, frozen=True, tag="permission_resolved"):
    """A permission request no longer waits: somebody answered it, or its process is gone."""

    request_id: str


class QuestionAsked(MobileMessage, frozen=True, tag="question"):
    """The model asks the person something."""

    call_id: str
    questions: tuple[str, ...]
    conversation_id: str


class PlanProposed(MobileMessage, frozen=True, tag="plan"):
    """The model proposes a plan."""

    call_id: str
    content: str
    conversation_id: str


class TaskCompletion(MobileMessage, frozen=True, tag="task_completion"):
    """The end of a turn, as the client reported it."""

    subtype: str | None
    is_error: bool
    num_turns: int | None
    duration_ms: float | None
    total_cost_usd: float | None
    conversation_id: str


class MobileError(MobileMessage, frozen=True, tag="error"):
    """What the phone said was not done. Nothing else is affected."""

    kind: str
    """`bad_message`, `unknown_type`, `unknown_version`, `too_large`, `out_of_order`, `not_allowed`, `not_found` …

    For an action also what the server's API would answer.
    """
    message: str
    ref: str | None
    """The `ref` of what the phone said."""


class SessionState(MobileMessage, frozen=True, tag="session_state"):
    """What an agent does now. `ended` means that no client has the conversation open."""

    conversation_id: str
    state: RunState | Literal["busy"]
    """A state of a run; `idle`, `busy` or `waiting` for a client that a person started."""
    run_id: str | None
    """The run that `send`, `interrupt` and `stop` name; None if Chorus did not start the agent."""


class ActionDone(MobileMessage, frozen=True, tag="done"):
    """What the phone said was done."""

    ref: str | None
    run_id: str | None
    """The run that `start` or `resume` began."""


class MobileGap(MobileMessage, frozen=True, tag="gap"):
    """Changes of this conversation were left out. Subscribe to it with `replay`."""

    conversation: str


class ReplayPlace(MobileMessage, frozen=True, tag="replay_place"):
    """How far the replay of a conversation is. A phone that stored the messages before it may continue here."""

    conversation: str
    place: str
    """For `replayAfter` of a `subscribe`. Only the server knows what it means."""
    ref: str | None
    """The `ref` of the `subscribe` that asked for the replay."""


MobileBody = (
    MobileHello
    | ProjectList
    | SessionList
    | ClaudeResponse
    | UserMessage
    | ToolActivity
    | ProgressUpdate
    | SubAgentUpdate
    | PermissionAsked
    | PermissionResolved
    | QuestionAsked
    | PlanProposed
    | TaskCompletion
    | MobileError
    | SessionState
    | ActionDone
    | MobileGap
    | ReplayPlace
    | MobileBoard
    | MobileTile
)


class MobileSent(Struct, frozen=True, kw_only=True, rename="camel"):
    """A message in a frame, with its address."""

    conversation: str | None
    """The name of the conversation that it belongs to."""
    id: str | None
    """A message replaces an earlier one with the same conversation and id. None if there is nothing to replace."""
    revision: str | None
    """A short digest of the message: it is equal if the message is."""
    is_partial: bool
    """Whether the text is still being written. Such a message is not recorded and is not sent again."""
    message: MobileBody


class MobileFrame(Struct, frozen=True, kw_only=True, rename="camel"):
    """Messages that belong together. With numbers, it takes the phone from `since` to `seq` in the change feed."""

    since: int | None
    seq: int | None
    """A phone that stores this frame names this number when it comes back. None if the frame is no step of the feed."""
    messages: tuple[MobileSent, ...]
