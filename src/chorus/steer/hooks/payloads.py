"""The data that a hook sends, and the answer that it gets. Pure; invalid data never raises."""

import json
from typing import Literal

import msgspec
from msgspec import Raw, Struct, field

from chorus.core.records.session_ids import is_session_id

ASKING = "PermissionRequest"
MAX_BYTES = 8 << 20
"""The most bytes of one payload; payloads of a client rarely have more than a few thousand."""
LONGEST_HEAD = 4_096
_REFUSALS = (msgspec.DecodeError, msgspec.ValidationError, UnicodeError, RecursionError)


class PayloadHead(Struct, frozen=True):
    """The header line before the payload."""

    key: str
    id: str
    """32 random hex digits from the hook: the request keeps them when it is asked again."""
    size: int
    run: str | None = None
    """The run of Chorus that the client claims to belong to."""
    source: Literal["hook", "prompt-tool"] = "hook"
    """What the client called."""


class Event(Struct, frozen=True):
    """An event of a session, with the fields that are needed here; the payload has all of them."""

    name: str = field(name="hook_event_name")
    session: str = field(name="session_id")
    cwd: str = ""
    transcript: str = field(name="transcript_path", default="")


class PermissionPayload(Struct, frozen=True):
    """A permission request in the payload of a hook; its input and suggestions are exact JSON texts."""

    session: str = field(name="session_id")
    cwd: str
    tool: str = field(name="tool_name")
    given: Raw = field(name="tool_input")
    suggested: list[Raw] = field(name="permission_suggestions", default_factory=list)
    agent: str | None = field(name="agent_id", default=None)

    @property
    def input(self) -> str:
        return bytes(self.given).decode()

    @property
    def suggestions(self) -> list[str]:
        return [bytes(each).decode() for each in self.suggested]


def read_head(line: bytes) -> PayloadHead | None:
    """Returns the header on a line; None if it is malformed, or announces too many bytes."""
    try:
        head = _head.decode(line)
    except _REFUSALS:
        return None
    is_id = len(head.id) == 32 and all(char in "0123456789abcdef" for char in head.id)
    return head if is_id and 0 <= head.size <= MAX_BYTES else None


def read_event(data: bytes) -> Event | None:
    """Returns the event in a payload; None if it is malformed or has no session."""
    try:
        event = _event.decode(data)
    except _REFUSALS:
        return None
    return event if is_session_id(event.session) and event.name else None


def read_permission_payload(data: bytes) -> PermissionPayload | None:
    """Returns the permission request in a payload; None if it is malformed."""
    try:
        request = _permission_payload.decode(data)
        request.input.encode()
        for each in request.suggestions:
            each.encode()
    except _REFUSALS:
        return None
    return request


def output_of(
    behaviour: str, *, message: str = "", input_text: str | None = None, suggestions: tuple[str, ...] = ()
) -> bytes:
    """Returns what the hook prints: a decision with the exact JSON texts, never encoded again."""
    parts = [f'"behavior":{json.dumps(behaviour)}']
    if behaviour == "deny":
        parts.append(f'"message":{json.dumps(message or "Denied in Chorus.")}')
    if input_text is not None:
        parts.append(f'"updatedInput":{input_text}')
    if suggestions:
        parts.append(f'"updatedPermissions":[{",".join(suggestions)}]')
    decision = "{" + ",".join(parts) + "}"
    return f'{{"hookSpecificOutput":{{"hookEventName":"{ASKING}","decision":{decision}}}}}'.encode()


_head = msgspec.json.Decoder(PayloadHead)
_event = msgspec.json.Decoder(Event)
_permission_payload = msgspec.json.Decoder(PermissionPayload)
