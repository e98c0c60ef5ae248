"""What all typed records share.

Every attribute is spelled as on the wire (session files say `sessionId`, stdout says `session_id`), so that a field
found in data is found here by the same name. Every field is optional: clients of all ages leave fields out.
"""

from types import FunctionType
from typing import Any, Literal

from msgspec import Raw, Struct

ABSENT = Raw()
"""The default of `Raw` fields; compare with `is_present`."""


class Lazy:
    """Marks a `Raw` field with the type its bytes decode to when somebody asks (`Annotated[Raw, Lazy(Usage)]`).

    A type that is not defined yet is given by a function. With `when=(field, value)` the type holds only if that
    field of the same object has that value.
    """

    __slots__ = ("_type", "when")

    def __init__(self, type: Any, *, when: tuple[str, str] | None = None) -> None:  # noqa: A002 - reads as a sentence
        self._type = type
        self.when = when

    @property
    def type(self) -> Any:
        return self._type() if isinstance(self._type, FunctionType) else self._type


class ToolBody:
    """Marks a `Raw` field that holds what a tool was given or gave: the tool's own format, not the client's."""

    __slots__ = ("side",)

    def __init__(self, side: Literal["input", "output"]) -> None:
        self.side = side


TOOL_INPUT = ToolBody("input")
TOOL_OUTPUT = ToolBody("output")


class AnyRecord:
    """Stands in `Lazy(...)` for a whole record, whose own `type` says which."""


class OpenNames(Struct, kw_only=True):
    """Base of objects whose keys are chosen by others; the struct names the common ones, more are no surprise."""


def is_present(raw: Raw) -> bool:
    """Whether a `Raw` field was there and is not `null`."""
    return raw not in (ABSENT, _NULL)


_NULL = Raw(b"null")


class Surroundings(Struct, kw_only=True, gc=False):
    """The fields around a record's own content, in both spellings."""

    subtype: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    logicalParentUuid: str | None = None
    timestamp: str | None = None
    sessionId: str | None = None
    session_id: str | None = None
    agentId: str | None = None
    agent_id: str | None = None
    parent_tool_use_id: str | None = None
    isSidechain: bool | None = None
    isMeta: bool | None = None
    userType: str | None = None
    entrypoint: str | None = None
    cwd: str | None = None
    version: str | None = None
    gitBranch: str | None = None
    slug: str | None = None
    teamName: str | None = None


class Envelope(Surroundings, tag_field="type"):
    """A record of a type that the model knows; each is a struct of its own below this one."""


class Other(Surroundings):
    """A record of a type (or without one) that the model does not know: kept, shown, never an error."""

    type: str | None = None
    hook_event_name: str | None = None
    """Set on what a hook was given; `hooks.HookPayload` is the whole of it."""
    display: str | None = None
    """Set on lines of the prompt history; `hooks.PromptHistory` is the whole of it."""
