"""What every attachment has: its kind."""

from msgspec import Struct


class Body(Struct, tag_field="type", kw_only=True):
    """Base of all kinds; `type` names the kind."""
