"""Pages of rows: entries of a thread after, before or around a position."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from chorus.find.index.port import Index
from chorus.show.transcripts import merged_walk
from chorus.show.transcripts.keys import cursor_of, read_cursor
from chorus.show.transcripts.locating import row_of
from chorus.show.transcripts.rendering import Rendered, rendered
from chorus.show.transcripts.row_of_item import row_sketch
from chorus.show.transcripts.sketch import Sketch
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.show.wire import Page, PageRow

MAX_ROWS = 200
_PAGE_CHARS = 4 << 20
"""A page that becomes longer than this ends early."""
Walk = Callable[[merged_walk.Key | None], Iterator[Sketch]]


def page(
    opened: OpenTranscript,
    index: Index,
    *,
    thread: str = "",
    after: str | None = None,
    before: str | None = None,
    around: str | None = None,
    at: str | None = None,
    limit: int = 50,
    internal: bool = False,
    branches: tuple[str, ...] = (),
    call: str | None = None,
) -> Page | None:
    """Returns rows of a thread after, before or around a cursor, or around an item (`at`); by default the last rows.

    An empty `after` starts at the beginning. Returns None if the item of `at` does not exist. Raises `BadCursor` for
    an invalid cursor. `branches` are the first messages of the branches that the reader selected. With `call`, only
    the part of an agent's thread that this call led to is used, if several calls started and resumed the agent.
    """
    limit = max(1, min(limit, MAX_ROWS))
    item: Sketch | None = None
    if at is not None:
        item = row_of(opened, index, at)
        if item is None:
            return None
        with opened.lock:
            thread, branches = opened.links.thread_of(item.thread), _with_branches_to(opened, item, branches)
    view = _View(opened, index, thread, internal=internal, branches=branches, call=call)
    if item is not None:
        found = view.around(item.key, limit)
    elif around is not None:
        found = view.around(opened.place(read_cursor(around)), limit)
    elif before is not None:
        found = view.before(opened.place(read_cursor(before)), limit)
    elif after is not None:
        found = view.after(opened.place(read_cursor(after)) if after else None, limit)
    else:
        found = view.before(None, limit)
    return view.page(found)


def whole_row(opened: OpenTranscript, index: Index, row_id: str) -> PageRow | None:
    """Returns a row without cuts, up to a limit that few rows reach; None if there is no such row."""
    with opened.lock:
        sketch = row_sketch(opened, row_id)
    if sketch is None:
        return None
    thread = opened.links.thread_of(sketch.thread)
    shown = [row for each in rendered(opened, index, [sketch], thread, is_whole=True) for row in each.rows]
    return next((row for row in shown if row.row.id == row_id), shown[-1] if shown else None)


class _View:
    """A thread with the filters of one request: selected branches, internal records, one call."""

    def __init__(
        self,
        opened: OpenTranscript,
        index: Index,
        thread: str,
        *,
        internal: bool,
        branches: tuple[str, ...],
        call: str | None,
    ) -> None:
        self._opened = opened
        self._index = index
        self._thread = thread
        self._internal = internal
        self._branches = branches
        self._seq = opened.seq
        with opened.lock:
            self._stretch = opened.links.stretch(thread, call)

    def after(self, place: merged_walk.Key | None, limit: int) -> list[Rendered]:
        return self._collect(self._following, place, limit)

    def before(self, place: merged_walk.Key | None, limit: int) -> list[Rendered]:
        return self._collect(self._preceding, place, limit)[::-1]

    def around(self, place: merged_walk.Key, limit: int) -> list[Rendered]:
        """Returns half of the rows before the position and half from it on; more of one half if the other is short."""
        earlier = self.before(place, limit // 2)
        later = self.after(earlier[-1].sketch.key if earlier else self._just_before(place), limit - len(earlier))
        missing = limit - len(earlier) - len(later)
        if missing > 0 and earlier:
            earlier = [*self.before(earlier[0].sketch.key, missing), *earlier]
        return [*earlier, *later]

    def page(self, found: list[Rendered]) -> Page:
        rows = [row for each in found for row in each.rows]
        before = self._cursor(found[0].sketch, self._preceding) if found else None
        after = self._cursor(found[-1].sketch, self._following) if found else None
        return Page(
            rows=tuple(rows),
            before=before,
            after=after,
            branches=self._branches,
            epoch=self._opened.epoch,
            seq=self._seq,
        )

    def _collect(self, walk: Walk, place: merged_walk.Key | None, limit: int) -> list[Rendered]:
        """Collects entries from a position on until `limit` of them have rows, or the page is too long."""
        found: list[Rendered] = []
        rows = chars = 0
        while rows < limit and chars < _PAGE_CHARS:
            with self._opened.lock:
                some = list(islice(walk(place), limit - rows))
            if not some:
                break
            for each in rendered(self._opened, self._index, some, self._thread):
                found.append(each)
                rows += bool(each.rows)
                chars += each.chars
                if chars >= _PAGE_CHARS:
                    break
            place = some[-1].key
        return found

    def _following(self, place: merged_walk.Key | None) -> Iterator[Sketch]:
        return self._seen(merged_walk.following(self._lists(), place))

    def _preceding(self, place: merged_walk.Key | None) -> Iterator[Sketch]:
        return self._seen(merged_walk.preceding(self._lists(), place))

    def _lists(self) -> list[Sequence[Sketch]]:
        lists = self._opened.lists(self._thread, internal=self._internal)
        return [merged_walk.within(each, self._stretch) for each in lists]

    def _seen(self, sketches: Iterator[Sketch]) -> Iterator[Sketch]:
        opened = self._opened
        hidden = opened.hidden(self._branches)
        return (each for each in sketches if opened.is_row(each) and not opened.is_hidden(each, hidden))

    def _just_before(self, place: merged_walk.Key) -> merged_walk.Key | None:
        with self._opened.lock:
            return next((each.key for each in self._preceding(place)), None)

    def _cursor(self, sketch: Sketch, walk: Walk) -> str | None:
        with self._opened.lock:
            if next(walk(sketch.key), None) is None:
                return None
            return cursor_of(self._opened.row_key(sketch))


def _with_branches_to(opened: OpenTranscript, item: Sketch, branches: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the selected branches, plus those that lead to an item if it would be hidden otherwise."""
    if not opened.is_hidden(item, opened.hidden(branches)):
        return branches
    message = opened.message_before(item)
    way = opened.branching.leading_to(message.id) if message else ()
    return (*branches, *reversed(list(way)))
