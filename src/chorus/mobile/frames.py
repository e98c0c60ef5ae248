"""What a server sends, as far as a client must understand it. Messages stay as they are, with unknown fields."""

from typing import Any

import msgspec
from msgspec import Struct


class Received(Struct, frozen=True, kw_only=True, rename="camel"):
    """A message with its address."""

    conversation: str | None
    """The name of the conversation that it belongs to."""
    id: str | None
    """It replaces an earlier message with the same conversation and id; None if there is nothing to replace."""
    revision: str | None
    is_partial: bool
    """Whether its text is still being written. Such a message is shown, and not stored."""
    message: dict[str, Any]
    """The message, with its `type`."""

    @property
    def key(self) -> str:
        """What names the message to the server: conversation, space, id."""
        return f"{self.conversation or ''} {self.id}"


class Frame(Struct, frozen=True, kw_only=True, rename="camel"):
    """Messages that belong together. With numbers, they are a step of the change feed."""

    since: int | None
    seq: int | None
    messages: tuple[Received, ...]


decode_frame = msgspec.json.Decoder(Frame).decode
"""Returns the frame in a text; raises `msgspec.MsgspecError` if it is none."""
