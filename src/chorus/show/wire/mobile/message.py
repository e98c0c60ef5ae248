"""What the messages of a server to a phone have in common."""

from msgspec import Struct


class MobileMessage(Struct, frozen=True, kw_only=True, tag_field="type", rename="camel"):
    """Base class of the messages to a phone."""
