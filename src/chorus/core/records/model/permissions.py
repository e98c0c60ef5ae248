"""Rules about what tools may do, in the form used by the control protocol and by hooks."""

from msgspec import Struct


class Rule(Struct, kw_only=True):
    toolName: str | None = None
    ruleContent: str | None = None


class PermissionUpdate(Struct, kw_only=True):
    """A change of the rules, offered by the client or returned with a decision."""

    type: str | None = None
    rules: list[Rule] | None = None
    behavior: str | None = None
    destination: str | None = None
    directories: list[str] | None = None
    mode: str | None = None
