"""Parses a line of the client into a `Frame`: what its host has to act on.

Frames of the control channel carry authority, so they are parsed strictly: a line that is not a JSON object, that
repeats a key, or that lacks a required field is a `RejectedLine` and has no effect. All other lines are only observed.
Nothing raises.
"""

import json
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from chorus.core.conversation.tool_facts import kind_of
from chorus.core.protocol.evidence import Evidence, of_result
from chorus.core.protocol.frames import (
    Frame,
    HookCall,
    MessageState,
    ModeChanged,
    OtherLine,
    OtherRequest,
    PermissionRequest,
    RejectedLine,
    RequestCancelled,
    Response,
    SessionReset,
    SettingsChange,
    StateChanged,
    ToolCalls,
    ToolResults,
    TurnEnded,
    TurnStarted,
)
from chorus.core.protocol.outgoing import EDITS_CALLBACK, SETTINGS_CALLBACK
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
    permissionMode: str | None = None  # noqa: N815 - the name is part of the protocol
    tool_result_meta: Any = None


class _Request(Struct):
    subtype: str
    tool_name: str = ""
    input: Raw | UnsetType = UNSET
    tool_use_id: str = ""
    agent_id: str | None = None
    permission_suggestions: list[Raw] | None = None
    description: str | None = None
    # These are not used; but a frame in which they have another type is still rejected.
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


class _PlanInput(Struct):
    plan: str = ""


_plan_input = msgspec.json.Decoder(_PlanInput)
_line = msgspec.json.Decoder(_Line)
_request = msgspec.json.Decoder(_Request)
_reload = msgspec.json.Decoder(_Reload)
_response = msgspec.json.Decoder(_Response)
_message = msgspec.json.Decoder(_Message)
_PARSE_ERRORS = (msgspec.DecodeError, UnicodeError, RecursionError, ValueError)
_MAX_ID_CHARS = 200


def parse_line(line: bytes) -> Frame:
    """Returns what a line means for the host."""
    is_control = b'"control_' in line or b"\\u" in line
    try:
        found = _line.decode(line)
    except _PARSE_ERRORS as error:
        return RejectedLine(f"cannot be parsed: {error}") if is_control else OtherLine("")
    if found.type in ("control_request", "control_response", "control_cancel_request"):
        return _control(line, found)
    return _other(found)


def _control(line: bytes, found: _Line) -> Frame:
    try:
        _refuse_repeated_keys(line)
        match found.type:
            case "control_request":
                return _host_request(_id(found.request_id), _request.decode(_required(found.request)))
            case "control_response":
                answer = _response.decode(_required(found.response))
                body = bytes(answer.response).decode() if isinstance(answer.response, Raw) else "null"
                is_error = answer.subtype != "success"
                return Response(_id(answer.request_id), body, (answer.error or "refused") if is_error else None)
            case _:
                return RequestCancelled(_id(found.request_id))
    except _PARSE_ERRORS as error:
        return RejectedLine(f"{found.type}: {error}")


def _host_request(request_id: str, request: _Request) -> Frame:
    if request.subtype == "hook_callback" and request.callback_id == SETTINGS_CALLBACK:
        reload = _reload.decode(_required(request.input))
        return SettingsChange(request_id, reload.source, reload.file_path)
    if request.subtype == "hook_callback" and request.callback_id == EDITS_CALLBACK:
        # Whatever it contains, it is answered: a hook that gets no answer would keep the client waiting.
        return HookCall(request_id, bytes(request.input).decode() if isinstance(request.input, Raw) else "null")
    if request.subtype != "can_use_tool":
        return OtherRequest(request_id, request.subtype)
    text = bytes(_required(request.input)).decode()
    if not text.startswith("{"):
        raise ValueError("the input is not an object")
    if not request.tool_name:
        raise ValueError("it names no tool")
    return PermissionRequest(
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
            return _message_frame(found)
        case "system", "init" if found.session_id:
            version, model, mode = found.claude_code_version, found.model, found.permissionMode
            # It becomes the name of a file: anything that is not a valid id is dropped.
            session = found.session_id if is_session_id(found.session_id) else None
            return TurnStarted(session, version or "", model or "", mode or "")
        case "system", "session_state_changed" if found.state:
            return StateChanged(found.state)
        case "system", "status" if found.permissionMode:
            return ModeChanged(found.permissionMode)
        case "conversation_reset", _ if found.new_conversation_id and is_session_id(found.new_conversation_id):
            return SessionReset(found.new_conversation_id)
        case "command_lifecycle", _ if found.command_uuid and found.state:
            return MessageState(found.command_uuid, found.state)
        case "result", _:
            return TurnEnded(bool(found.is_error), _result_text(found))
        case _:
            return OtherLine(found.type)


def _message_frame(found: _Line) -> Frame:
    try:
        content = _message.decode(_required(found.message)).content
    except _PARSE_ERRORS:
        return OtherLine(found.type)
    blocks = content if isinstance(content, list) else []
    if found.type == "assistant":
        calls = tuple(
            (block.id, block.name) for block in blocks if block.type == "tool_use" and block.id and block.name
        )
        plans = tuple(
            (block.id, plan)
            for block in blocks
            if block.id and kind_of(block.name or "") == "plan" and (plan := _plan(block.input))
        )
        return ToolCalls(calls, found.session_id, plans) if calls else OtherLine(found.type)
    results = {block.tool_use_id: block for block in blocks if block.type == "tool_result" and block.tool_use_id}
    meta = found.tool_result_meta if isinstance(found.tool_result_meta, list) else []
    facts = {str(each.get("id")): each for each in meta if isinstance(each, dict)}
    evidence = tuple(_evidence(block, facts.get(call, {})) for call, block in results.items())
    return ToolResults(tuple(results), evidence) if results else OtherLine(found.type)


def _plan(given: Raw | UnsetType) -> str:
    try:
        return _plan_input.decode(_required(given)).plan
    except _PARSE_ERRORS:
        return ""


def _evidence(block: _Block, facts: dict[str, Any]) -> Evidence:
    result_block = {"is_error": block.is_error, "content": block.content}
    return of_result(result_block, facts.get("permission_decision"), facts.get("non_execution_kind"))


def _result_text(found: _Line) -> str:
    if isinstance(found.terminal_reason, str) and found.terminal_reason.startswith("aborted"):
        # The client's own text is only diagnostics.
        return "the last turn was interrupted"
    if isinstance(found.result, str):
        return found.result
    errors = found.errors if isinstance(found.errors, list) else []
    return "\n".join(each for each in errors if isinstance(each, str))


def _required(part: Raw | UnsetType) -> Raw:
    if not isinstance(part, Raw):
        raise ValueError("a required field is missing")  # noqa: TRY004 - the data is wrong, not a type in the code
    return part


def _id(text: str | None) -> str:
    if not text or len(text) > _MAX_ID_CHARS or not text.isprintable():
        raise ValueError("an id is missing or not usable")
    return text


def _refuse_repeated_keys(line: bytes) -> None:
    """Raises `ValueError` if an object repeats a key: parsers differ in which value they use."""

    def distinct(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise ValueError("a key is repeated")

    json.loads(line, object_pairs_hook=distinct)
