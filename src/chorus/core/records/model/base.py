"""What all typed records share.

Every attribute has the same name as in the JSON (session files say `sessionId`, standard output says `session_id`), so
that a field in the data is found here under the same name. Every field is optional, because any client version may omit
it.
"""

from types import FunctionType
from typing import Any, ClassVar, Literal

from msgspec import Raw, Struct

ABSENT = Raw()
"""The default of `Raw` fields. Test for it with `is_present`."""


class Lazy:
    """Marks a `Raw` field with the type that its bytes decode to on demand: `Annotated[Raw, Lazy(Usage)]`.

    A type that is not defined yet is passed as a function. With `when=(field, value)` the type applies only if that
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
    """Marks a `Raw` field with the input or output of a tool. The tool, and not the client, defines its format."""

    __slots__ = ("side",)

    def __init__(self, side: Literal["input", "output"]) -> None:
        self.side = side


TOOL_INPUT = ToolBody("input")
TOOL_OUTPUT = ToolBody("output")


class AnyRecord:
    """Used in `Lazy(...)` for a whole record; its `type` says which."""


class OpenNames(Struct, kw_only=True):
    """Base of objects with arbitrary keys. The struct names the common ones; others are not drift."""


def is_present(raw: Raw) -> bool:
    """Returns whether a `Raw` field is present and not `null`."""
    return raw not in (ABSENT, _NULL)


_NULL = Raw(b"null")


class Surroundings(Struct, kw_only=True, gc=False):
    """The fields around the content of a record, in both spellings."""

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
    """Base of all record types that the model knows."""

    is_row: ClassVar[bool] = False
    """Whether a reader sees a record of this type. Others are internal: stored, counted, and shown on request only.

    A new type is internal until its struct says otherwise. Records of a type that the model does not know (`Other`) are
    shown.
    """


class Other(Surroundings):
    """A record without a type, or of a type that the model does not know. It is stored and shown; it is no error."""

    type: str | None = None
    hook_event_name: str | None = None
    """Set in the input of a hook. `hooks.HookPayload` has all its fields."""
    display: str | None = None
    """Set in lines of the prompt history. `hooks.PromptHistory` has all their fields."""
