"""A query as a tree: what the parser makes of a text, and what every back end answers.

A query is asked of **entries**: messages, tool calls with their results, turn ends, notices. `Measure`, and the fields
`workspace`, `branch`, `agent`, `status` and `tag`, ask about the conversation that an entry is part of; so do
`is:starred` and `is:archived`.
"""

import typing

from msgspec import Struct

EntryField = typing.Literal["role", "tool", "file", "model", "is", "has", "approved-by", "conversation"]
"""Fields that ask about an entry. Nobody types `conversation`: it asks for the entries of the one of that name."""
ConversationField = typing.Literal["workspace", "branch", "agent", "status", "tag"]
"""Fields that ask about the conversation of an entry."""
FieldName = EntryField | ConversationField
"""Every field. Code that branches on it ends with `assert_never`, so a new field must be handled everywhere."""
TypedField = typing.Literal[
    "role", "tool", "file", "model", "workspace", "branch", "agent", "status", "tag", "is", "has", "approved-by"
]
"""Fields that a person may type, in the order in which help lists them."""
FIELDS: tuple[TypedField, ...] = typing.get_args(TypedField)
"""What may stand before a colon, besides `before`, `after`, `on` and `regex`."""
CONVERSATION_FIELDS: tuple[ConversationField, ...] = typing.get_args(ConversationField)
MeasureName = typing.Literal["cost", "tokens", "messages"]
MEASURES: tuple[MeasureName, ...] = typing.get_args(MeasureName)
VALUES: dict[FieldName, tuple[str, ...]] = {
    "role": ("user", "assistant", "tool", "system"),
    "status": ("working", "waiting", "quiet", "idle", "done", "failed", "interrupted", "damaged"),
    "is": ("error", "subagent", "prompt", "approved", "denied", "conflict", "starred", "archived"),
    "has": ("image", "thinking"),
}
"""Fields that take one of a few values; the others take any text, in which `*` stands for any characters."""


class Word(Struct, frozen=True, tag=True):
    """A word, path or identifier as it was typed; its parts must follow each other in the entry's text."""

    text: str
    is_prefix: bool = False
    """Whether the last part may go on (`word*`)."""


class Phrase(Struct, frozen=True, tag=True):
    """Words in quotes: they must follow each other."""

    text: str
    is_prefix: bool = False


class Field(Struct, frozen=True, tag=True):
    """`name:value`, the name out of `FIELDS`, in lower case."""

    name: FieldName
    value: str


class Measure(Struct, frozen=True, tag=True):
    """A figure of the conversation compared: `cost>1` (dollars), `tokens>=100k`, `messages<10`."""

    name: MeasureName
    sign: str
    """`<`, `<=`, `>`, `>=` or `=`."""
    value: float


class Time(Struct, frozen=True, tag=True):
    """Entries from `since` (inclusive) to `until` (exclusive), both as the client writes times (UTC, milliseconds)."""

    since: str | None = None
    until: str | None = None


class Regex(Struct, frozen=True, tag=True):
    """The entry's text, as it was written, matches the pattern somewhere."""

    pattern: str
    ignores_case: bool = False


class Literal(Struct, frozen=True, tag=True):
    """The entry's text has this as it was typed, in either case. Nobody types it: `query.exact` makes it of words."""

    text: str
    is_prefix: bool = False


class Among(Struct, frozen=True, tag=True):
    """The conversation is one of these. Nobody types it: it stands for a field that the index cannot answer."""

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
    """At most so many calls after the step before; None for any number. None on the first step."""


class Sequence(Struct, frozen=True, tag=True):
    """Tool calls of one thread of one conversation that meet the steps in this order; only ever the whole query."""

    steps: tuple[Step, ...]


Node = Word | Phrase | Field | Measure | Time | Regex | Literal | Among | Not | And | Or


class Query(Struct, frozen=True):
    """A query that can be answered."""

    root: Node | Sequence | None
    """None asks for everything."""
    text: str = ""
    """As it was typed."""
