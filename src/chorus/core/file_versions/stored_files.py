"""Files as snapshots of Chorus have them: byte for byte what was on disk before and after an agent changed them."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from chorus.core.conversation.items import MAIN, Order

_LATE = 1 << 29
"""A rank after those of all streams: what has only a time comes after the records of that time."""


class StoredEdit(Struct, frozen=True, kw_only=True):
    """A file that an agent changed, or a person put back, according to a snapshot."""

    path: str
    """Absolute."""
    conversation: str
    agent: str = MAIN
    call: str = ""
    """The id of the tool call; "" for what changed until a turn ended, and for an undo."""
    tool: str = ""
    time: str
    is_by_agent: bool = True
    """False if a person undid something, and if git wrote the file because another branch was checked out."""
    before: Callable[[], bytes | None]
    """Returns the content before; None if there was no file. Raises LookupError if it is not stored any more."""
    after: Callable[[], bytes | None]


StoredEdits = Callable[[str], Iterable[StoredEdit]]
"""Returns what the snapshots of a conversation say, in order, by its id."""


class StoredFile(Struct, frozen=True, kw_only=True):
    """One side of a stored edit, as a step."""

    order: Order
    edit: StoredEdit
    is_after: bool

    @property
    def content(self) -> bytes | None:
        return self.edit.after() if self.is_after else self.edit.before()


def nothing_stored(_conversation: str) -> Iterable[StoredEdit]:
    """For conversations whose snapshots are not at hand."""
    return ()


def stored_steps(edits: Iterable[StoredEdit], calls: Mapping[str, Order]) -> Iterator[StoredFile]:
    """Yields the steps of stored edits. `calls` has the order key of each call's end."""
    for edit in edits:
        order = calls.get(edit.call) or (edit.time, _LATE, "", 0, 0)
        yield StoredFile(order=order, edit=edit, is_after=False)
        yield StoredFile(order=order, edit=edit, is_after=True)
