"""Search across everything and in one conversation, and help while a query is typed."""

from typing import Literal

from chorus.show.wire.base import Problem, RowKey, Wire
from chorus.show.wire.conversations import ConversationSummary
from chorus.show.wire.facets import FacetValue
from chorus.show.wire.transcripts import Located


class Marked(Wire, frozen=True):
    """A line of text and what was found in it."""

    text: str
    marks: tuple[tuple[int, int], ...]


class Stands(Wire, frozen=True):
    """Where in an entry the first of what is shown as found stands."""

    part: str
    """The id of the block or result that says it, or of the entry itself."""
    start: int
    end: int
    """In characters of what is searched of that part: without colours, and the numbers of a file's lines."""
    text: str
    """What stands there."""


class SearchHit(Wire, frozen=True):
    number: int
    conversation: ConversationSummary
    id: str
    key: RowKey
    thread: str
    kind: str
    role: str
    author: str | None
    tool: str | None
    is_failed: bool
    time: str | None
    snippet: Marked
    stands: Stands | None
    """None where nothing that can be pointed at was asked for, such as a tool."""
    also: tuple[str, ...]


class HitGroup(Wire, frozen=True):
    """The hits of one conversation."""

    conversation: str
    """Its name."""
    count: int
    """How many there are, on other pages too."""
    is_at_least: bool
    """Whether there may be more than were counted."""


class LookedFor(Wire, frozen=True):
    """One word, phrase or pattern of the query, and how it was looked for."""

    term: str
    """As it was typed."""
    how: Literal["words", "exactly", "beginning", "pattern", "not"]
    """By its words, exactly as it was typed, as the beginning of a word, as a pattern, or not at all."""
    words: tuple[str, ...]
    is_id: bool
    """Whether conversations whose id begins so are found too."""
    is_excluded: bool


class Facet(Wire, frozen=True):
    """How hits divide; of many hits, the newest are counted (`SearchAnswer.counted`)."""

    field: str
    values: tuple[FacetValue, ...]


class SearchAnswer(Wire, frozen=True):
    hits: tuple[SearchHit, ...]
    """Those of one conversation stand together."""
    groups: tuple[HitGroup, ...]
    """The conversations of the hits, in order."""
    described: tuple[ConversationSummary, ...]
    """Conversations that a person described with these words: by a title, a tag or a note."""
    next: int | None
    is_partial: bool
    """Whether time ran out before all was looked at: `next` goes on where it did."""
    looked_to: str | None
    """If time ran out, how far it went back."""
    is_spread: bool
    """Whether no entry has all the words, and these are conversations that have each somewhere."""
    is_loose: bool
    """Whether nothing has what was typed as it was typed, and these are entries that have its words."""
    looked_for: tuple[LookedFor, ...]
    facets: tuple[Facet, ...]
    """Empty on all pages but the first."""
    counted: int
    took_ms: float


class FoundInConversation(Wire, frozen=True):
    """Find in conversation: places in order of the conversation."""

    hits: tuple[Located, ...]
    has_more: bool
    next: str | None
    """Time ran out before all of the conversation was looked at: what to ask for the rest (`after`)."""


class Suggestion(Wire, frozen=True):
    text: str
    start: int
    end: int
    hint: str


class Completions(Wire, frozen=True):
    suggestions: tuple[Suggestion, ...]
    problem: Problem | None
    """What is wrong with the query as it stands."""
