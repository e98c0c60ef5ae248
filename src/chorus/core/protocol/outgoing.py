"""Lines that Chorus writes to a client: each one JSON object, and one line whatever it holds.

Inputs and suggestions that go back to the client are spliced in as the JSON texts they are, never written anew.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct

SETTINGS_CALLBACK = "chorus-settings"
"""The name by which the client asks whether it is to take settings that were changed."""
_encode = msgspec.json.encode


class Image(Struct, frozen=True, kw_only=True, rename="camel"):
    """A picture that goes with a message."""

    media_type: str
    data: str
    """Base 64."""


def user(text: str, *, uuid: str, images: Sequence[Image] = (), is_later: bool = False) -> bytes:
    """A message of the person; `is_later` has it wait for the end of the turn in any case."""
    words = _whole(text)
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
    """Something that the host asks of the client."""
    body = {"type": "control_request", "request_id": request_id, "request": {"subtype": subtype, **fields}}
    return _encode(body) + b"\n"


def allow(request_id: str, *, input_text: str | None, suggestions: Sequence[str] = ()) -> bytes | None:
    """The call may run, with another input if one is given, and these of the client's suggestions are accepted.

    None when one of these is not the JSON object that it has to be: then nothing may be allowed.
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
    """The call must not run; the model is told `message`."""
    return _response(request_id, {"behavior": "deny", "message": _whole(message)})


def settings_hook() -> dict[str, Any]:
    """What the client is told at the start so that it asks before it takes settings that were changed."""
    return {"ConfigChange": [{"hookCallbackIds": [SETTINGS_CALLBACK]}]}


def reload(request_id: str, objection: str) -> bytes:
    """Changed settings may count, or, with an objection, the client goes on with those from before."""
    return _response(request_id, {"decision": "block", "reason": _whole(objection)} if objection else {})


def fail(request_id: str, why: str) -> bytes:
    """The host cannot answer. The client takes it for a denial."""
    response = {"subtype": "error", "request_id": request_id, "error": _whole(why)}
    return _encode({"type": "control_response", "response": response}) + b"\n"


def _response(request_id: str, body: dict[str, Any]) -> bytes:
    response = {"subtype": "success", "request_id": request_id, "response": body}
    return _encode({"type": "control_response", "response": response}) + b"\n"


def _object(text: str) -> Raw | None:
    """A JSON object's own text, on one line: in JSON a line break is only ever white space between tokens."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return Raw(text.replace("\r", " ").replace("\n", " ").strip().encode()) if isinstance(value, dict) else None


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
