"""Builds the lines that Chorus writes to a client. Each is one JSON object on one line, whatever it contains.

Inputs and suggestions that are sent back to the client are inserted as their original JSON texts, never encoded again.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct

SETTINGS_CALLBACK = "chorus-settings"
"""The callback id that the client uses to ask whether changed settings may take effect."""
EDITS_CALLBACK = "chorus-edits"
"""The callback id that the client uses to report moments at which files may change."""
_encode = msgspec.json.encode


class Image(Struct, frozen=True, kw_only=True, rename="camel"):
    """An image that is part of a message."""

    media_type: str
    data: str
    """The bytes in Base64."""


def user(text: str, *, uuid: str, images: Sequence[Image] = (), is_later: bool = False) -> bytes:
    """Returns a message from a person. With `is_later` it waits for the end of the turn in any case."""
    words = _without_surrogates(text)
    content: str | list[Any] = words
    if images:
        pictures = [
            {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": image.data}}
            for image in images
        ]
        content = [*pictures, {"type": "text", "text": words}] if words else list(pictures)
    line: dict[str, Any] = {"type": "user", "uuid": uuid, "message": {"role": "user", "content": content}}
    if is_later:
        line["priority"] = "later"
    return _encode(line) + b"\n"


def request(request_id: str, subtype: str, **fields: Any) -> bytes:
    """Returns a request of the host to the client."""
    body = {"type": "control_request", "request_id": request_id, "request": {"subtype": subtype, **fields}}
    return _encode(body) + b"\n"


def allow(request_id: str, *, input_text: str | None, suggestions: Sequence[str] = ()) -> bytes | None:
    """Returns the response that a call may run, with another input if one is given, and with accepted suggestions.

    Returns None if one of these is not a JSON object: then nothing may be allowed.
    """
    body: dict[str, Any] = {"behavior": "allow"}
    if input_text is not None:
        changed = _object(input_text)
        if changed is None:
            return None
        body["updatedInput"] = changed
    if suggestions:
        chosen = [_object(text) for text in suggestions]
        if None in chosen:
            return None
        body["updatedPermissions"] = chosen
    return _response(request_id, body)


def deny(request_id: str, message: str) -> bytes:
    """Returns the response that a call must not run. The model receives `message`."""
    return _response(request_id, {"behavior": "deny", "message": _without_surrogates(message)})


def settings_hook() -> dict[str, Any]:
    """Returns the hook registration that makes the client ask before it applies changed settings."""
    return {"ConfigChange": [{"hookCallbackIds": [SETTINGS_CALLBACK]}]}


def edit_hooks(events: Sequence[str]) -> dict[str, Any]:
    """Returns the hook registrations that make the client report moments at which files may change."""
    return {event: [{"hookCallbackIds": [EDITS_CALLBACK]}] for event in events}


def proceed(request_id: str) -> bytes:
    """Returns the response to a report: it decides nothing, and the client goes on."""
    return _response(request_id, {})


def reload(request_id: str, objection: str) -> bytes:
    """Returns the response that changed settings may take effect or, with an objection, that the old ones stay."""
    return _response(request_id, {"decision": "block", "reason": _without_surrogates(objection)} if objection else {})


def fail(request_id: str, why: str) -> bytes:
    """Returns the response that the host cannot answer. The client treats it as a denial."""
    response = {"subtype": "error", "request_id": request_id, "error": _without_surrogates(why)}
    return _encode({"type": "control_response", "response": response}) + b"\n"


def _response(request_id: str, body: dict[str, Any]) -> bytes:
    response = {"subtype": "success", "request_id": request_id, "response": body}
    return _encode({"type": "control_response", "response": response}) + b"\n"


def _object(text: str) -> Raw | None:
    """Returns the text of a JSON object on one line: in JSON a line break is always white space between tokens."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return Raw(text.replace("\r", " ").replace("\n", " ").strip().encode()) if isinstance(value, dict) else None


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
