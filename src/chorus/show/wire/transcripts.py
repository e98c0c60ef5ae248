"""What is inside a conversation: pages of rows, its outline, raw records, and where things are."""

from typing import Literal

from chorus.core.views.rows import Row
from chorus.show.wire.base import RowKey, Wire


class RecordPlace(Wire, frozen=True):
    """Where the vault keeps a record: what `…/records` and `…/images` take."""

    stream: str
    at: int


class PageRow(Wire, frozen=True):
    key: RowKey
    thread: str
    row: Row
    places: dict[str, RecordPlace]
    """Ids of the row, of its parts and of its calls' results → the record that says it."""


class Page(Wire, frozen=True):
    """Rows of one thread in order."""

    rows: tuple[PageRow, ...]
    before: str | None
    """The cursor for what comes before; None at the beginning."""
    after: str | None
    """The cursor for what follows; None at the end, where live rows go on."""
    branches: tuple[str, ...]
    """The continuations on display where the thread branches: those asked for, and those that lead to the item asked
    for; at all other places the one that goes on."""
    epoch: str
    seq: int
    """Changes after this place of the feed are not in it."""


class OutlineMark(Wire, frozen=True):
    """A place to jump to."""

    key: RowKey
    id: str
    kind: Literal["prompt", "turn", "error", "compaction", "plan"]
    text: str
    time: str | None
    at: float
    """0 at the beginning of the thread, 1 at its end, counted in entries."""


class BranchHead(Wire, frozen=True):
    id: str
    key: RowKey
    words: str
    time: str | None
    is_active: bool


class BranchPoint(Wire, frozen=True):
    """A message with several continuations."""

    at: str
    heads: tuple[BranchHead, ...]


class Outline(Wire, frozen=True):
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
    """Bytes that are no UTF-8 are shown as U+FFFD; the download has them."""
    is_cut: bool


class TextPiece(Wire, frozen=True):
    """A part of a long text."""

    text: str
    start: int
    size_bytes: int
    next: int | None


class Located(Wire, frozen=True):
    """Where an entry is, by its id or by that of a tool call or background task."""

    id: str
    key: RowKey
    thread: str
