"""A line that the client wrote, as far as its host has to act on it: a `Frame`.

Frames of the control channel carry authority, so they are read strictly: a line that is no JSON object, that says a key
twice, or that lacks what its kind must have is `Unheard` and makes nothing happen. All other lines are only listened to
for what is going on. Nothing raises.
"""

import json
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from chorus.core.protocol.evidence import Evidence, of_result
from chorus.core.protocol.frames import (
    Called,
    Cancelled,
    Ended,
    Frame,
    Moved,
    Opened,
    Reloads,
    Replied,
    Reset,
    Returned,
    Spoke,
    Stepped,
    ToolRequest,
    Turned,
    Unheard,
    Wanted,
)
from chorus.core.protocol.outgoing import SETTINGS_CALLBACK
from chorus.core.records.session_ids import is_session_id


class _Line(Struct):
    type: str = ""
    subtype: str | None = None
    session_id: str | None = None
    request_id: str | None = None
    request: Raw | UnsetType = UNSET
    response: Raw | UnsetType = UNSET
    message: Raw | UnsetType = UNSET
    state: str | None = None
    command_uuid: str | None = None
    new_conversation_id: str | None = None
    is_error: bool | None = None
    result: Any = None
    errors: Any = None
    terminal_reason: Any = None
    claude_code_version: str | None = None
    model: str | None = None
    permissionMode: str | None = None  # noqa: N815 - the name is the wire's
    tool_result_meta: Any = None


class _Request(Struct):
    subtype: str
    tool_name: str = ""
    input: Raw | UnsetType = UNSET
    tool_use_id: str = ""
    agent_id: str | None = None
    permission_suggestions: list[Raw] | None = None
    description: str | None = None
    # Nobody needs these; a frame in which they are something else is still not believed.
    title: str | None = None
    decision_reason: str | None = None
    blocked_path: str | None = None
    requires_user_interaction: bool | None = None
    callback_id: str | None = None


class _Reload(Struct):
    hook_event_name: Literal["ConfigChange"]
    source: str
    file_path: str = ""


class _Response(Struct):
    subtype: str
    request_id: str
    response: Raw | UnsetType = UNSET
    error: str | None = None


class _Block(Struct):
    type: str = ""
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    is_error: Any = None
    content: Any = None
    input: Raw | UnsetType = UNSET


class _Message(Struct):
    content: list[_Block] | str | None = None


class _Planned(Struct):
    plan: str = ""


_planned = msgspec.json.Decoder(_Planned)
_line = msgspec.json.Decoder(_Line)
_request = msgspec.json.Decoder(_Request)
_reload = msgspec.json.Decoder(_Reload)
_response = msgspec.json.Decoder(_Response)
_message = msgspec.json.Decoder(_Message)
_TROUBLE = (msgspec.DecodeError, UnicodeError, RecursionError, ValueError)
_LONGEST_ID = 200
_PLANS = ("ExitPlanMode", "exit_plan_mode")


def hear(line: bytes) -> Frame:
    """What a line says to the host."""
    is_control = b'"control_' in line or b"\\u" in line
    try:
        found = _line.decode(line)
    except _TROUBLE as error:
        return Unheard(f"not to be read: {error}") if is_control else Spoke("")
    if found.type in ("control_request", "control_response", "control_cancel_request"):
        return _control(line, found)
    return _other(found)


def _control(line: bytes, found: _Line) -> Frame:
    try:
        _refuse_repeated_keys(line)
        match found.type:
            case "control_request":
                return _asked(_id(found.request_id), _request.decode(_present(found.request)))
            case "control_response":
                answer = _response.decode(_present(found.response))
                body = bytes(answer.response).decode() if isinstance(answer.response, Raw) else "null"
                is_error = answer.subtype != "success"
                return Replied(_id(answer.request_id), body, (answer.error or "refused") if is_error else None)
            case _:
                return Cancelled(_id(found.request_id))
    except _TROUBLE as error:
        return Unheard(f"{found.type}: {error}")


def _asked(request_id: str, request: _Request) -> Frame:
    if request.subtype == "hook_callback" and request.callback_id == SETTINGS_CALLBACK:
        reload = _reload.decode(_present(request.input))
        return Reloads(request_id, reload.source, reload.file_path)
    if request.subtype != "can_use_tool":
        return Wanted(request_id, request.subtype)
    text = bytes(_present(request.input)).decode()
    if not text.startswith("{"):
        raise ValueError("the input is no object")
    if not request.tool_name:
        raise ValueError("it names no tool")
    return ToolRequest(
        request=request_id,
        tool=request.tool_name,
        input=text,
        call=_id(request.tool_use_id),
        agent=request.agent_id,
        suggestions=tuple(bytes(each).decode() for each in request.permission_suggestions or ()),
        description=request.description or "",
    )


def _other(found: _Line) -> Frame:
    match found.type, found.subtype:
        case ("assistant" | "user", _):
            return _spoken(found)
        case "system", "init" if found.session_id:
            version, model, mode = found.claude_code_version, found.model, found.permissionMode
            # It becomes the name of a file: what is no id is not taken for one.
            session = found.session_id if is_session_id(found.session_id) else None
            return Opened(session, version or "", model or "", mode or "")
        case "system", "session_state_changed" if found.state:
            return Moved(found.state)
        case "system", "status" if found.permissionMode:
            return Turned(found.permissionMode)
        case "conversation_reset", _ if found.new_conversation_id and is_session_id(found.new_conversation_id):
            return Reset(found.new_conversation_id)
        case "command_lifecycle", _ if found.command_uuid and found.state:
            return Stepped(found.command_uuid, found.state)
        case "result", _:
            return Ended(bool(found.is_error), _words(found))
        case _:
            return Spoke(found.type)


def _spoken(found: _Line) -> Frame:
    try:
        content = _message.decode(_present(found.message)).content
    except _TROUBLE:
        return Spoke(found.type)
    blocks = content if isinstance(content, list) else []
    if found.type == "assistant":
        calls = tuple(
            (block.id, block.name) for block in blocks if block.type == "tool_use" and block.id and block.name
        )
        plans = tuple(
            (block.id, plan) for block in blocks if block.id and block.name in _PLANS and (plan := _plan(block.input))
        )
        return Called(calls, found.session_id, plans) if calls else Spoke(found.type)
    results = {block.tool_use_id: block for block in blocks if block.type == "tool_result" and block.tool_use_id}
    meta = found.tool_result_meta if isinstance(found.tool_result_meta, list) else []
    facts = {str(each.get("id")): each for each in meta if isinstance(each, dict)}
    evidence = tuple(_evidence(block, facts.get(call, {})) for call, block in results.items())
    return Returned(tuple(results), evidence) if results else Spoke(found.type)


def _plan(given: Raw | UnsetType) -> str:
    try:
        return _planned.decode(_present(given)).plan
    except _TROUBLE:
        return ""


def _evidence(block: _Block, facts: dict[str, Any]) -> Evidence:
    said = {"is_error": block.is_error, "content": block.content}
    return of_result(said, facts.get("permission_decision"), facts.get("non_execution_kind"))


def _words(found: _Line) -> str:
    if isinstance(found.terminal_reason, str) and found.terminal_reason.startswith("aborted"):
        # The client's own words are diagnostics.
        return "the last turn was interrupted"
    if isinstance(found.result, str):
        return found.result
    errors = found.errors if isinstance(found.errors, list) else []
    return "\n".join(each for each in errors if isinstance(each, str))


def _present(part: Raw | UnsetType) -> Raw:
    if not isinstance(part, Raw):
        raise ValueError("a part of it is missing")  # noqa: TRY004 - it is the data that is wrong
    return part


def _id(text: str | None) -> str:
    if not text or len(text) > _LONGEST_ID or not text.isprintable():
        raise ValueError("an id is missing, or none that can be used")
    return text


def _refuse_repeated_keys(line: bytes) -> None:
    """`ValueError` when an object in it says a key twice: readers differ in which one they believe."""

    def distinct(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise ValueError("a key is said twice")

    json.loads(line, object_pairs_hook=distinct)
