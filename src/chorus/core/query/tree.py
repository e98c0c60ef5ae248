"""A query as a tree: what the parser makes of a text, and what every back end answers.

A query is asked of **entries**: messages, tool calls with their results, turn ends, notices. `Measure`, and the fields
`workspace`, `branch`, `agent`, `status` and `tag`, ask about the conversation that an entry is part of; so do
`is:starred` and `is:archived`.
"""

from msgspec import Struct

FIELDS = ("role", "tool", "file", "model", "workspace", "branch", "agent", "status", "tag", "is", "has", "approved-by")
"""What may stand before a colon, besides `before`, `after`, `on` and `regex`."""
CONVERSATION_FIELDS = ("workspace", "branch", "agent", "status", "tag")
MEASURES = ("cost", "tokens", "messages")
VALUES: dict[str, tuple[str, ...]] = {
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

    name: str
    value: str


class Measure(Struct, frozen=True, tag=True):
    """A figure of the conversation compared: `cost>1` (dollars), `tokens>=100k`, `messages<10`."""

    name: str
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
