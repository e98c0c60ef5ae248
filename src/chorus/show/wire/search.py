"""Search in all conversations or in one, and completion of queries."""

from typing import Literal

from chorus.show.wire.base import Problem, RowKey, Wire
from chorus.show.wire.conversations import ConversationSummary
from chorus.show.wire.facets import FacetValue
from chorus.show.wire.transcripts import Located


class Marked(Wire, frozen=True):
    """A line of text with the ranges that matched."""

    text: str
    marks: tuple[tuple[int, int], ...]


class Stands(Wire, frozen=True):
    """The position of the first displayed match in an entry."""

    part: str
    """The id of the block or result that contains the match, or of the entry itself."""
    start: int
    end: int
    """Counted in characters of the searched text of that part, which has no colour codes and no line numbers."""
    text: str
    """The matched text."""


class SearchHit(Wire, frozen=True):
    """An entry that answers a query, with its conversation and a snippet."""

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
    """None if the query has no text to point at, for example if it only asks for a tool."""
    also: tuple[str, ...]


class HitGroup(Wire, frozen=True):
    """The hits of one conversation."""

    conversation: str
    """The name of the conversation."""
    count: int
    """The number of hits on all pages."""
    is_at_least: bool
    """Whether there may be more hits than `count`."""


class LookedFor(Wire, frozen=True):
    """One word, phrase or pattern of the query, and how it was searched for."""

    term: str
    """The term as typed."""
    how: Literal["words", "exactly", "beginning", "pattern", "not"]
    """By its words, exactly as typed, as the beginning of a word, as a pattern, or not at all."""
    words: tuple[str, ...]
    is_id: bool
    """Whether conversations whose id begins with the term are found too."""
    is_excluded: bool


class Facet(Wire, frozen=True):
    """How many hits have each value. If there are many hits, only the newest are counted (`SearchAnswer.counted`)."""

    field: str
    values: tuple[FacetValue, ...]


class SearchAnswer(Wire, frozen=True):
    """The answer to a search: hits, groups, facets, and how far the search looked."""

    hits: tuple[SearchHit, ...]
    """The hits of one conversation are next to each other."""
    groups: tuple[HitGroup, ...]
    """The conversations of the hits, in order."""
    described: tuple[ConversationSummary, ...]
    """Conversations with these words in a title, tag or note; without hits, if only a client wrote them."""
    next: int | None
    is_partial: bool
    """Whether time ran out before everything was searched; `next` continues from there."""
    looked_to: str | None
    """If time ran out, how far back the search got."""
    is_spread: bool
    """Whether no entry has all the words, and the results are conversations that have each word somewhere."""
    is_loose: bool
    """Whether nothing matches exactly as typed, and the results are entries that have the words."""
    looked_for: tuple[LookedFor, ...]
    facets: tuple[Facet, ...]
    """Empty on all pages except the first."""
    counted: int
    took_ms: float


class FoundInConversation(Wire, frozen=True):
    """The result of find in conversation: hits in the order of the conversation."""

    hits: tuple[Located, ...]
    has_more: bool
    next: str | None
    """If time ran out, the value of `after` that continues the search; otherwise None."""


class Suggestion(Wire, frozen=True):
    """One completion of a query."""

    text: str
    start: int
    end: int
    hint: str


class Completions(Wire, frozen=True):
    """What can be typed at a position of a query, and what is wrong with the query."""

    suggestions: tuple[Suggestion, ...]
    problem: Problem | None
    """What is wrong with the current query."""
