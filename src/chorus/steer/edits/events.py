"""What a hook says about edits, whether it came over the control channel or from an installed hook. Pure."""

import re
from enum import StrEnum

import msgspec
from msgspec import Struct

from chorus.core.conversation.tool_facts import facts_of, is_foreign, kind_of
from chorus.core.records.session_ids import is_session_id

HOOK_EVENTS = (
    "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop",
)  # fmt: skip
"""The events of the client that matter for snapshots."""
SESSION_START = "SessionStart"
"""With this event of a hook, the workspace is looked at before anything happens in it."""
MAX_PATHS = 200
MAX_TEXT = 200
"""Characters of a prompt that are used as the message of a commit."""
_BACKGROUND = re.compile(
    r"(?<![&<>|])&(?![&>0-9])|\b(?:nohup|setsid|disown|daemonize|systemd-run|Start-Job|Start-Process)\b"
)
"""A command with one of these may leave a process that goes on."""
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class Stage(StrEnum):
    """The moment at which something is reported."""

    START = "start"
    """A session began; there is no prompt yet."""
    PROMPT = "prompt"
    """A person sent a prompt; the agent has not started yet."""
    BEFORE = "before"
    """A call is about to run."""
    AFTER = "after"
    """A call has run, or failed."""
    END = "end"
    """A turn, or the work of a sub-agent, has ended."""


class EditEvent(Struct, frozen=True, kw_only=True):
    """A moment in a session at which files may have changed."""

    stage: Stage
    session: str
    cwd: str = ""
    agent: str = ""
    call: str = ""
    tool: str = ""
    prompt: str = ""
    paths: tuple[str, ...] = ()
    """The files that the call names; empty for a command, which may change any file."""
    goes_on: bool = False
    """Whether what the call started may go on after its end."""
    is_failure: bool = False
    """Whether the call failed."""
    text: str = ""
    """The first line of the prompt, at the moment at which it is sent."""

    @property
    def is_whole(self) -> bool:
        """Whether any file of the workspace may have changed."""
        return self.stage in (Stage.PROMPT, Stage.END) or kind_of(self.tool) == "command" or is_foreign(self.tool)

    @property
    def matters(self) -> bool:
        """Whether a snapshot is taken: a call that only reads changes nothing."""
        return self.is_whole or (kind_of(self.tool) == "editor" and bool(self.paths))


class _Edit(Struct):
    file_path: str | None = None
    notebook_path: str | None = None


class _Input(Struct):
    file_path: str | None = None
    notebook_path: str | None = None
    edits: list[_Edit] | None = None
    command: str | None = None
    run_in_background: bool | None = None


class _Payload(Struct):
    hook_event_name: str
    session_id: str
    cwd: str = ""
    prompt_id: str | None = None
    agent_id: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None
    tool_input: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tool_response: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    prompt: str | None = None


class _Response(Struct):
    backgroundTaskId: str | None = None  # noqa: N815 - a name of the client


_payload = msgspec.json.Decoder(_Payload)
_response = msgspec.json.Decoder(_Response)
_input = msgspec.json.Decoder(_Input)
_STAGES = {
    SESSION_START: Stage.START,
    "UserPromptSubmit": Stage.PROMPT,
    "PreToolUse": Stage.BEFORE,
    "PostToolUse": Stage.AFTER,
    "PostToolUseFailure": Stage.AFTER,
    "Stop": Stage.END,
    "SubagentStop": Stage.END,
}


def read_event(data: bytes) -> EditEvent | None:
    """Returns what the payload of a hook says; None if it is not about edits, or cannot be read."""
    try:
        payload = _payload.decode(data)
    except _REFUSALS:
        return None
    stage = _STAGES.get(payload.hook_event_name)
    given = _input_of(payload.tool_input)
    if stage is None or not is_session_id(payload.session_id):
        return None
    return EditEvent(
        stage=stage,
        session=payload.session_id,
        cwd=payload.cwd,
        agent=payload.agent_id or "",
        call=payload.tool_use_id or "",
        tool=payload.tool_name or "",
        prompt=payload.prompt_id or "",
        paths=_paths(given),
        goes_on=_goes_on(payload.tool_name or "", given) or _went_on(payload.tool_response),
        is_failure=payload.hook_event_name == "PostToolUseFailure",
        text=_first_line(payload.prompt) if stage is Stage.PROMPT else "",
    )


def _first_line(text: str | None) -> str:
    return next((line.strip()[:MAX_TEXT] for line in (text or "")[: MAX_TEXT * 20].splitlines() if line.strip()), "")


def _input_of(given: msgspec.Raw | msgspec.UnsetType) -> _Input:
    if not isinstance(given, msgspec.Raw):
        return _Input()
    try:
        return _input.decode(given)
    except _REFUSALS:
        return _Input()


def _paths(known: _Input) -> tuple[str, ...]:
    named = [known.file_path, known.notebook_path]
    named += [path for edit in known.edits or () for path in (edit.file_path, edit.notebook_path)]
    return tuple(dict.fromkeys(path for path in named if path))[:MAX_PATHS]


def _goes_on(tool: str, known: _Input) -> bool:
    facts = facts_of(tool)
    if facts.kind != "command":
        return facts.starts_work and facts.kind != "agent"
    return bool(known.run_in_background) or _BACKGROUND.search(known.command or "") is not None


def _went_on(given: msgspec.Raw | msgspec.UnsetType) -> bool:
    """Whether the client moved a command to the background because it took long."""
    try:
        return isinstance(given, msgspec.Raw) and bool(_response.decode(given).backgroundTaskId)
    except _REFUSALS:
        return False
