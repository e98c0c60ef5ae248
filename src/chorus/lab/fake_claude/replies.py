"""Replies to requests of the host: the recorded reply if there is one, else a reply like that of the client."""

from collections.abc import Sequence

from msgspec import Struct

from chorus.lab.fake_claude.arguments import MODES
from chorus.lab.fake_claude.lines import ScriptLine, Value, at, text_at

_NAMES = """
initialize interrupt set_permission_mode set_model set_max_thinking_tokens mcp_status mcp_message mcp_set_servers
mcp_reconnect mcp_toggle get_context_usage get_settings get_session_cost rewind_files stop_task reload_plugins
generate_session_title rename_session side_question end_session
"""
KNOWN = frozenset(_NAMES.split())
"""Requests that the client supports."""
_DATA_MODES = sorted((set(MODES) - {"manual"}) | {"default"})
_SIGNS = (
    ("still_queued", "interrupt"),
    ("commands", "initialize"),
    ("mcpServers", "mcp_status"),
    ("canRewind", "rewind_files"),
    ("mode", "set_permission_mode"),
    ("model", "set_model"),
    ("categories", "get_context_usage"),
    ("effective", "get_settings"),
)
_UNSUPPORTED = "Unsupported control request subtype: "


class Reply(Struct):
    """A recorded reply to a request of the host, with the lines that it caused."""

    subtype: str
    request: Value | None
    """The request that was answered; None if the input of the host was not recorded."""
    line: ScriptLine
    before: list[ScriptLine]
    gap: int
    """The number of the gap between turns it was in; -1 inside a turn."""
    after: list[ScriptLine] = []
    is_used: bool = False


def subtype_of(response: Value) -> str:
    """Returns the subtype of the request according to its reply: for recordings without the input of the host."""
    error = text_at(response, "response", "error")
    if error.startswith(_UNSUPPORTED):
        return error.removeprefix(_UNSUPPORTED)
    body = at(response, "response", "response")
    if not isinstance(body, dict):
        return ""
    return next((subtype for sign, subtype in _SIGNS if sign in body), "")


def find(replies: Sequence[Reply], request: Value) -> Reply | None:
    """Returns the unused reply to exactly this request, else a successful one to a request of the same kind."""
    unused = [reply for reply in replies if not reply.is_used]
    same = next((reply for reply in unused if reply.request == request), None)
    if same is not None or is_wrong_mode(request):
        return same
    subtype = text_at(request, "subtype")
    return next((reply for reply in unused if reply.subtype == subtype and _went_well(reply, request)), None)


def synthesized_body(request: Value) -> Value:
    """Returns the body of a reply that is not in the recording, without its `request_id`."""
    subtype = text_at(request, "subtype")
    if subtype not in KNOWN:
        error = f"{_UNSUPPORTED}{subtype}"
        return {"subtype": "error", "error": error, "error_code": "unsupported_request"}
    if is_wrong_mode(request):
        error = f"Cannot set permission mode: must be one of {', '.join(_DATA_MODES)}"
        return {"subtype": "error", "error": error, "error_code": "invalid_mode"}
    bodies = {
        "initialize": {"commands": [], "agents": [], "models": [], "account": {}, "output_style": "default"},
        "interrupt": {"still_queued": []},
        "set_permission_mode": {"mode": text_at(request, "mode")},
        "set_model": {"model": text_at(request, "model")},
        "mcp_status": {"mcpServers": []},
    }
    return {"subtype": "success", "response": bodies.get(subtype, {})}


def is_wrong_mode(request: Value) -> bool:
    return text_at(request, "subtype") == "set_permission_mode" and text_at(request, "mode") not in _DATA_MODES


def _went_well(reply: Reply, request: Value) -> bool:
    """Whether the reply fits: it succeeded, and has the same mode or model as the request."""
    response = at(reply.line.value, "response")
    requested = [key for key in ("mode", "model") if key in request]
    return at(response, "subtype") == "success" and all(
        at(response, "response", key) == request[key] for key in requested
    )
