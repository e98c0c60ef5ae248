"""The content of a conversation: pages of rows, outline, raw records, and positions of entries."""

from typing import Literal

from chorus.core.views.rows import Row
from chorus.show.wire.base import RowKey, Wire
from chorus.show.wire.replay import RowMoments


class RecordPlace(Wire, frozen=True):
    """Where the vault stores a record. `…/records` and `…/images` accept it."""

    stream: str
    at: int


class PageRow(Wire, frozen=True):
    """A row of a transcript with its position and the places of its records."""

    key: RowKey
    thread: str
    row: Row
    places: dict[str, RecordPlace]
    """Maps the ids of the row, its parts and its calls' results to their records."""
    moments: RowMoments
    """When the row and its pieces were there, for the replay."""


class Page(Wire, frozen=True):
    """Rows of one thread, in order."""

    rows: tuple[PageRow, ...]
    before: str | None
    """The cursor of the previous page; None at the beginning."""
    after: str | None
    """The cursor of the next page; None at the end, where live rows are added."""
    branches: tuple[str, ...]
    """The branches that are shown: those that were requested, and those that lead to the requested item. At all other
    branch points the active branch is shown."""
    epoch: str
    seq: int
    """The position in the change feed: later changes are not included."""


class OutlineMark(Wire, frozen=True):
    """A place to jump to."""

    key: RowKey
    id: str
    kind: Literal["prompt", "turn", "error", "compaction", "plan"]
    text: str
    time: str | None
    at: float
    """The relative position in the thread, from 0 to 1, counted in entries."""


class BranchHead(Wire, frozen=True):
    """The first message of a branch."""

    id: str
    key: RowKey
    words: str
    time: str | None
    is_active: bool


class BranchPoint(Wire, frozen=True):
    """A message that several messages continue."""

    at: str
    heads: tuple[BranchHead, ...]


class Outline(Wire, frozen=True):
    """The places of a thread to jump to, and its branches."""

    entries: int
    marks: tuple[OutlineMark, ...]
    branches: tuple[BranchPoint, ...]
    seq: int


class RawRecord(Wire, frozen=True):
    """A record as it was captured."""

    stream: str
    offset: int
    size_bytes: int
    text: str
    """Bytes that are not valid UTF-8 are shown as U+FFFD; the download contains them unchanged."""
    is_cut: bool


class TextPiece(Wire, frozen=True):
    """A part of a long text."""

    text: str
    start: int
    size_bytes: int
    next: int | None


class Located(Wire, frozen=True):
    """The position of an entry that was requested by its id, or by the id of a tool call or background task."""

    id: str
    key: RowKey
    thread: str
