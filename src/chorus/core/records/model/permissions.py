"""Rules about what tools may do, as the control protocol and hooks exchange them."""

from msgspec import Struct


class Rule(Struct, kw_only=True):
    toolName: str | None = None
    ruleContent: str | None = None


class PermissionUpdate(Struct, kw_only=True):
    """A change of the rules: offered by the client, or sent back by who decides."""

    type: str | None = None
    rules: list[Rule] | None = None
    behavior: str | None = None
    destination: str | None = None
    directories: list[str] | None = None
    mode: str | None = None
