"""Two conversations next to each other."""

from typing import Literal

from chorus.show.wire.base import Wire
from chorus.show.wire.conversations import ConversationSummary


class ComparedStep(Wire, frozen=True):
    """A prompt, an answer, a call, a compaction or a failure of one conversation."""

    item: str
    """The id of the item that shows it; `…/locate` accepts it."""
    kind: Literal["prompt", "answer", "call", "compaction", "failure"]
    words: str
    """The beginning of its text, or the title of the call."""
    label: str
    """The display name of the tool; empty if it is no call."""
    state: str
    """The state of a call; empty if it is no call."""
    time: str | None
    agent: str
    """The name of the sub-agent whose step it is; empty for the main thread."""
    depth: int
    """How many sub-agents are above it."""
    is_abandoned: bool


class ComparedPair(Wire, frozen=True):
    """A step of each conversation. One of them may be missing."""

    relation: Literal["shared", "same", "different", "only"]
    """`shared`: the same record. `same`: the same content. `different`: the same kind of step. `only`: on one side."""
    has_other_result: bool
    """Whether both made the same call and got different results."""
    a: ComparedStep | None
    b: ComparedStep | None


class ComparedCounts(Wire, frozen=True):
    """How many steps of each kind a conversation has."""

    steps: int
    prompts: int
    answers: int
    calls: int
    failed_calls: int
    files: int


class ComparedSide(Wire, frozen=True):
    """One of the two conversations, as a whole."""

    summary: ConversationSummary
    counts: ComparedCounts
    after: ComparedCounts
    """The steps after the point where the conversations part."""


class ComparedFile(Wire, frozen=True):
    """A file that calls wrote, with the number of these calls in each conversation and in both."""

    path: str
    a: int
    b: int
    in_both: int


class ComparisonAnswer(Wire, frozen=True):
    """Two conversations, aligned step by step, with a page of the pairs."""

    a: ComparedSide
    b: ComparedSide
    is_fork: bool
    """Whether they contain the same records, because history was copied."""
    is_equal: bool
    stem: int
    """The number of pairs before the point where the conversations part."""
    files: tuple[ComparedFile, ...]
    """At most 500 files."""
    start: int
    """The position of the first pair of `pairs`."""
    pairs: tuple[ComparedPair, ...]
    total: int
    """The number of all pairs."""
