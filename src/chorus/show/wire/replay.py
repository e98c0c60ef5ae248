"""A conversation over time: its moments, lanes and marks, and the state at each moment.

A **moment** is a record of the conversation at which something visible changed. Its id is a text such as
`2026-03-01T10:00:00.000Z!0!session!000000001234`: the time, the rank, the name and the offset of the record. Ids are
stable, also when the conversation grows. Two ids are compared as texts: the lower one came first. A moment also has a
number, which is its position in the timeline. Numbers are valid for one `version` of a timeline.
"""

from typing import Literal

from chorus.core.replay.panel import Panel, PanelChange
from chorus.show.wire.base import Wire

MarkKind = Literal["prompt", "edit", "error", "question", "compaction"]
StepKind = Literal["row", "call", "turn", "prompt", "edit", "error", "question", "compaction"]


class ReplaySpan(Wire, frozen=True):
    """A part of a lane during which something went on."""

    from_ms: int
    to_ms: int
    """Both in milliseconds since the start of the timeline."""
    kind: str
    """`working` for an agent. For a person: `permission`, `question`, `plan` or `prompt`, which is what was awaited."""
    label: str
    count: int
    """How many spans it stands for: short spans that lie close together are joined in a long conversation."""


class ReplayLane(Wire, frozen=True):
    """The spans of one agent, or those in which somebody waited for a person."""

    kind: Literal["main", "agent", "person"]
    thread: str
    """The thread of the agent; "" for the main agent and the person."""
    label: str
    spans: tuple[ReplaySpan, ...]


class ReplayMark(Wire, frozen=True):
    """A place on the timeline to jump to."""

    moment: int
    id: str
    """The id of the moment."""
    at_ms: int
    kind: MarkKind
    label: str
    item: str
    """The id of the item, which `…/locate` and `rows?at=` accept."""
    thread: str


class ReplayMoment(Wire, frozen=True):
    """One moment."""

    id: str
    number: int
    at_ms: int
    time: str | None


class ReplayTimeline(Wire, frozen=True):
    """The timeline of a conversation without its moments, which `…/replay/moments` returns in chunks."""

    version: str
    """Changes when moments are added or get other numbers."""
    started_at: str | None
    duration_ms: int
    moments: int
    """How many moments there are, numbered from 0."""
    chunk: int
    """How many moments a chunk has."""
    last: ReplayMoment | None
    """None if the conversation has no moment."""
    lanes: tuple[ReplayLane, ...]
    """The main agent, then the sub-agents in the order in which they began, then the person."""
    lanes_left_out: int
    marks: tuple[ReplayMark, ...]
    marks_left_out: int
    """If there are very many marks, an even selection of them is sent. `…/replay/step` finds all of them."""
    has_streamed_text: bool
    """Whether chunks have growths: partial messages were recorded."""


class ReplayGrowth(Wire, frozen=True):
    """How the text of one block of a message came, from its partial messages."""

    item: str
    """The id of the message, which is the id of its row."""
    block: int
    """The number of the block in the message, as in `PieceMoment.block`."""
    moment: str
    """The id of the record with which the block began. From then on the piece is shown."""
    at_ms: tuple[int, ...]
    chars: tuple[int, ...]
    """At each of these times, how many characters of the text there were: UTF-16 units, as in JavaScript."""


class ReplayMoments(Wire, frozen=True):
    """A chunk of moments, with the states at each of them."""

    version: str
    first: int
    """The number of the first moment of the chunk."""
    ids: tuple[str, ...]
    at_ms: tuple[int, ...]
    """Milliseconds since the start of the timeline. They never decrease."""
    steps: tuple[int, ...]
    """What each moment is a step for: a sum of 1 row, 2 call, 4 turn, 8 prompt, 16 edit, 32 error, 64 question,
    128 compaction. 0 if only the state changed."""
    panel: Panel
    """The state before the first moment of the chunk."""
    changes: tuple[PanelChange, ...]
    """The state at a moment is `panel` with all changes up to this moment."""
    growths: tuple[ReplayGrowth, ...]
    """The texts that began to grow in this chunk."""


class ReplayState(Wire, frozen=True):
    """The state at one moment."""

    version: str
    moment: ReplayMoment
    panel: Panel


class PieceMoment(Wire, frozen=True):
    """When a piece of a row was there."""

    shown: str
    """The id of the moment from which on it is shown."""
    ended: str | None
    """For a call: the id of the moment at which its result came; before it, the call is open and has no result. None if
    there is no result."""
    block: int
    """The number of the block in the message; -1 if the piece is no block."""


class RowMoments(Wire, frozen=True):
    """When a row and its pieces were there."""

    shown: str
    """The id of the moment from which on the row is shown."""
    pieces: tuple[PieceMoment, ...]
    """One for each of the `pieces` of a message, or for the one call of an orphan; empty for other rows."""
