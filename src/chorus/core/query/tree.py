"""The tree of a query: the result of the parser, and the input of every back end.

A query is asked of **entries**: messages, tool calls with their results, ends of turns, notices. `Measure`, the fields
in `ConversationField`, and `is:starred` and `is:archived` ask about the conversation that contains the entry.
"""

import typing

from msgspec import Struct

EntryField = typing.Literal["role", "tool", "file", "model", "is", "has", "approved-by", "conversation"]
"""Fields that ask about an entry. `conversation` cannot be typed: the code uses it to ask for one conversation."""
ConversationField = typing.Literal["workspace", "branch", "agent", "status", "tag", "usage", "commit"]
"""Fields that ask about the conversation of an entry."""
FieldName = EntryField | ConversationField
"""Every field. Code that branches on it ends with `assert_never`, so a new field must be handled everywhere."""
TypedField = typing.Literal[
    "role",
    "tool",
    "file",
    "model",
    "workspace",
    "branch",
    "agent",
    "status",
    "tag",
    "usage",
    "commit",
    "is",
    "has",
    "approved-by",
]
"""Fields that a person may type, in the order in which help lists them."""
FIELDS: tuple[TypedField, ...] = typing.get_args(TypedField)
"""The keys before a colon, in addition to `before`, `after`, `on` and `regex`."""
CONVERSATION_FIELDS: tuple[ConversationField, ...] = typing.get_args(ConversationField)
MeasureName = typing.Literal["cost", "tokens", "messages"]
MEASURES: tuple[MeasureName, ...] = typing.get_args(MeasureName)
VALUES: dict[FieldName, tuple[str, ...]] = {
    "role": ("user", "assistant", "tool", "system"),
    "status": ("working", "waiting", "quiet", "idle", "done", "failed", "interrupted", "damaged"),
    "is": ("error", "subagent", "prompt", "approved", "denied", "conflict", "starred", "archived"),
    "has": ("image", "thinking"),
}
"""Fields with a fixed set of values. The others take any text, in which `*` matches any characters."""


class Word(Struct, frozen=True, tag=True):
    """A word, path or identifier as typed. Its parts must follow each other in the text of the entry."""

    text: str
    is_prefix: bool = False
    """Whether the last part may continue (`word*`)."""


class Phrase(Struct, frozen=True, tag=True):
    """Words in quotes, which must follow each other."""

    text: str
    is_prefix: bool = False


class Field(Struct, frozen=True, tag=True):
    """`name:value`. The name is one of `FIELDS`, in lower case."""

    name: FieldName
    value: str


class Measure(Struct, frozen=True, tag=True):
    """Compares a number of the conversation: `cost>1` (dollars), `tokens>=100k`, `messages<10`."""

    name: MeasureName
    sign: str
    """`<`, `<=`, `>`, `>=` or `=`."""
    value: float


class Time(Struct, frozen=True, tag=True):
    """Entries from `since` (inclusive) to `until` (exclusive), both in the format of the client (UTC, milliseconds)."""

    since: str | None = None
    until: str | None = None


class Regex(Struct, frozen=True, tag=True):
    """The original text of the entry contains a match of the pattern."""

    pattern: str
    ignores_case: bool = False


class Literal(Struct, frozen=True, tag=True):
    """The entry's text contains this text, ignoring case. It cannot be typed: `query.exact` creates it from words."""

    text: str
    is_prefix: bool = False


class Among(Struct, frozen=True, tag=True):
    """The conversation is one of these. It cannot be typed: it replaces a field that the index cannot answer."""

    names: frozenset[str]


class Not(Struct, frozen=True, tag=True):
    of: "Node"


class And(Struct, frozen=True, tag=True):
    of: "tuple[Node, ...]"


class Or(Struct, frozen=True, tag=True):
    of: "tuple[Node, ...]"


class Step(Struct, frozen=True):
    """One step of a sequence of tool calls."""

    of: "Node"
    within: int | None = None
    """Maximum number of calls after the previous step; None for any number, and on the first step."""


class Sequence(Struct, frozen=True, tag=True):
    """Tool calls of one thread of one conversation that match the steps in this order. It is always the whole query."""

    steps: tuple[Step, ...]


Node = Word | Phrase | Field | Measure | Time | Regex | Literal | Among | Not | And | Or


class Query(Struct, frozen=True):
    """A valid query."""

    root: Node | Sequence | None
    """None asks for everything."""
    text: str = ""
    """The text as typed."""
