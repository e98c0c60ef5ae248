"""What a phone may say. Fields that this version does not know are ignored."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

_Name = Annotated[str, Meta(max_length=500)]
MAX_REF_CHARS = 100
_Ref = Annotated[str, Meta(max_length=MAX_REF_CHARS)]
MAX_PLACE_CHARS = 1_000
_Words = Annotated[str, Meta(max_length=20_000)]
_Place = Annotated[str, Meta(max_length=MAX_PLACE_CHARS)]
MAX_FOLLOWED, MAX_KNOWN = 8, 300


class MobileSaying(Struct, frozen=True, kw_only=True, tag_field="type", rename="camel"):
    """Base class of what a phone says."""

    ref: _Ref | None = None
    """A text of the phone's choice. The answer has the same one."""


class Subscribe(MobileSaying, frozen=True, tag="subscribe"):
    """Must come first, with a ticket. Later ones change which conversations are followed and need no ticket."""

    ticket: _Name | None = None
    epoch: _Name | None = None
    seq: int | None = None
    """With `epoch`: the last frame that the phone stored. Everything since then is sent."""
    conversations: Annotated[tuple[_Name, ...], Meta(max_length=MAX_FOLLOWED)] = ()
    """The names of the conversations whose messages are sent."""
    replay: Annotated[tuple[_Name, ...], Meta(max_length=MAX_FOLLOWED)] = ()
    """Those of them that are sent from their start, without what `known` names."""
    replay_after: Annotated[dict[_Name, _Place], Meta(max_length=MAX_FOLLOWED)] = {}
    """The last `replay_place` of conversations whose replay was interrupted: it continues there. Only for a phone that
    has followed the conversation since then, without a gap or a reset."""
    known: Annotated[dict[_Name, _Name], Meta(max_length=MAX_KNOWN)] = {}
    """Conversation and id of the last stored messages, with a space between them → `revision`. These are not sent
    again while they are the same."""
    board: bool = False
    """Whether the board is sent: `board`, and a `tile` for each conversation on it."""


class Send(MobileSaying, frozen=True, tag="send"):
    """Sends a message to a run."""

    run_id: _Name
    content: _Words


class Interrupt(MobileSaying, frozen=True, tag="interrupt"):
    """Ends the turn of a run; the agent waits for the next message."""

    run_id: _Name


class Stop(MobileSaying, frozen=True, tag="stop"):
    """Stops a run."""

    run_id: _Name


class StartRun(MobileSaying, frozen=True, tag="start"):
    """Starts an agent in a workspace with a first message."""

    project_id: _Name
    content: _Words


class ResumeRun(MobileSaying, frozen=True, tag="resume"):
    """Continues a recorded conversation with a message."""

    conversation: _Name
    content: _Words


class PermissionResponse(MobileSaying, frozen=True, tag="permission_response"):
    """Answers a permission request. To allow needs the signature of an approver over exactly this request."""

    request_id: _Name
    digest: _Name
    behavior: Literal["allow", "deny"]
    at: _Name
    message: _Words = ""
    input: Annotated[str, Meta(max_length=20_000)] | None = None
    """The input that is allowed instead of the requested one; part of what is signed."""
    suggestions: Annotated[tuple[int, ...], Meta(max_length=50)] = ()
    """The numbers of the suggestions that are taken; part of what is signed."""
    approver: _Name | None = None
    signature: _Name | None = None


class Ack(MobileSaying, frozen=True, tag="ack"):
    """The phone stored all frames up to this number. The server waits for it when many frames are on their way."""

    seq: int


MobileSaid = Subscribe | Send | Interrupt | Stop | StartRun | ResumeRun | PermissionResponse | Ack
