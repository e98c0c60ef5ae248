"""The base of all attachments."""

from msgspec import Struct


class Body(Struct, tag_field="type", kw_only=True):
    """Base of all kinds. `type` is the kind."""
