"""What `but claude …` of GitButler up to 0.19.13 reads from its standard input, made from the payload of a hook. Pure.

These versions are strict: a field of another type, or a session that is no UUID, makes them fail. So only the fields
that they know are passed on.
"""

from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

MAX_TEXT_BYTES = 1_000_000
"""Larger old and new texts are left out; they are optional."""
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class _Hunk(Struct):
    oldStart: int  # noqa: N815 - as the client writes it
    oldLines: int  # noqa: N815
    newStart: int  # noqa: N815
    newLines: int  # noqa: N815
    lines: list[str]


class _Response(Struct):
    structuredPatch: list[_Hunk] = []  # noqa: N815 - as the client writes it


class _Input(Struct):
    file_path: str | None = None
    notebook_path: str | None = None
    old_string: Any = None
    new_string: Any = None
    replace_all: Any = None


class _Payload(Struct):
    session_id: str
    hook_event_name: str
    transcript_path: str = ""
    tool_name: str = ""
    tool_input: _Input | None = None
    tool_response: msgspec.Raw = msgspec.Raw(b"{}")
    stop_hook_active: Any = None


_payload = msgspec.json.Decoder(_Payload)
_response = msgspec.json.Decoder(_Response)


def tool_input(data: bytes, path: str, *, is_after: bool) -> bytes | None:
    """Returns the input of `pre-tool`, or with `is_after` of `post-tool`, for the file at the absolute `path`.

    Returns None if the payload is not about a file, or names no session that GitButler accepts.
    """
    payload = _read(data)
    if payload is None or payload.tool_input is None or not payload.tool_name:
        return None
    given = payload.tool_input
    edit: dict[str, Any] = {"file_path": path}
    for name in ("old_string", "new_string"):
        text = getattr(given, name)
        if isinstance(text, str) and len(text) <= MAX_TEXT_BYTES:
            edit[name] = text
    if isinstance(given.replace_all, bool):
        edit["replace_all"] = given.replace_all
    event = "PostToolUse" if is_after else "PreToolUse"
    made = {**_head(payload), "hook_event_name": event, "tool_name": payload.tool_name, "tool_input": edit}
    if is_after:
        made["tool_response"] = {"filePath": path, "structuredPatch": _patch(payload.tool_response)}
    return msgspec.json.encode(made)


def stop_input(data: bytes) -> bytes | None:
    """Returns the input of `stop`; None if the payload names no session that GitButler accepts."""
    payload = _read(data)
    if payload is None:
        return None
    made: dict[str, Any] = {**_head(payload), "hook_event_name": "Stop"}
    if isinstance(payload.stop_hook_active, bool):
        made["stop_hook_active"] = payload.stop_hook_active
    return msgspec.json.encode(made)


def _read(data: bytes) -> _Payload | None:
    try:
        payload = _payload.decode(data)
        UUID(payload.session_id)
    except (*_REFUSALS, ValueError):
        return None
    return payload if payload.transcript_path else None


def _head(payload: _Payload) -> dict[str, Any]:
    return {"session_id": payload.session_id, "transcript_path": payload.transcript_path}


def _patch(response: msgspec.Raw) -> list[_Hunk]:
    """Returns the hunks that the client reports; none if there are none: that means the whole file."""
    try:
        return _response.decode(response).structuredPatch
    except _REFUSALS:
        return []
