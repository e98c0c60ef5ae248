"""The rows that changed items are shown in: what a reader who has the others needs to be told."""

from collections.abc import Iterable, Iterator
from itertools import islice, takewhile

from chorus.core.conversation.items import MAIN
from chorus.find.index.port import Index
from chorus.show.transcripts import merged_walk
from chorus.show.transcripts.rendering import rendered
from chorus.show.transcripts.row_of_item import row_sketch
from chorus.show.transcripts.sketch import AGENT, CALL, INTERNAL, MESSAGE, MODE, MODEL, SHOWN, TURN, Sketch
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.show.wire import PageRow

MAX_ROWS = 200
"""When more changed, the conversation is read again."""
_FOLLOWERS = 8
"""The end of a turn stands right after what was said last in it."""


def changed_rows(
    opened: OpenTranscript, index: Index, item_ids: Iterable[str | None], *, internal: bool = False
) -> tuple[tuple[PageRow, ...], tuple[str, ...], bool]:
    """The rows that show these items now, the ids of rows that are gone, and whether all is to be read again.

    Rows are those of a reader who chose no branch. `opened` must know of the changes (`OpenTranscripts.of`).
    """
    threads: dict[str, dict[str, Sketch]] = {}
    removed: dict[str, None] = {}
    with opened.lock:
        for item_id in item_ids:
            if item_id is None or opened.has_turned(item_id) or _may_have_turned(opened, item_id):
                return (), (), True
            if opened.reaches_back(item_id):
                return (), (), True
            # It may have been a row until now.
            removed[item_id] = None
            for sketch in _touched(opened, item_id):
                if isinstance(sketch, str):
                    removed[sketch] = None
                    continue
                is_seen = opened.is_told(sketch) and not opened.is_hidden(sketch, None)
                if is_seen and (internal or not sketch.flags & INTERNAL):
                    threads.setdefault(opened.links.thread_of(sketch.thread), {})[sketch.id] = sketch
                else:
                    removed[sketch.id] = None
        if sum(map(len, threads.values())) > MAX_ROWS:
            return (), (), True
    found: list[PageRow] = []
    for thread, sketches in threads.items():
        for each in rendered(opened, index, sorted(sketches.values(), key=lambda sketch: sketch.key), thread):
            found += each.rows
            if not each.rows:
                removed[each.sketch.id] = None
    there = {row.row.id for row in found}
    return tuple(found), tuple(row for row in removed if row not in there and not _is_never_one(row)), False


def _may_have_turned(opened: OpenTranscript, item_id: str) -> bool:
    """Whether it is gone, and was perhaps a message that others were seen or not seen by."""
    return item_id not in opened.sketches and opened.branching.abandoned > 0


def _is_never_one(item_id: str) -> bool:
    """Whether no item of such an id is ever a row of its own."""
    return item_id.startswith("permission:")


def _touched(opened: OpenTranscript, item_id: str) -> Iterator[Sketch | str]:
    """The entries whose rows an item is shown in, or that are told by it; and ids of rows that may be gone."""
    known = opened.sketches.get(item_id)
    row = row_sketch(opened, item_id)
    if row is not None:
        yield row
    for thread in {opened.thread_before(item_id), *(each.thread for each in (row, known) if each is not None)}:
        yield from _above(opened, thread or MAIN)
    if known is None:
        # What is gone bears the name of its agent in its id.
        name = item_id.rpartition("/")[0]
        for agent in {name, name.partition(":")[2]} & opened.links.agents.keys():
            yield from _above(opened, agent)
        return
    if known.kind == AGENT:
        yield from _above(opened, item_id.removeprefix("agent:"))
    if known.kind == CALL and (agent := opened.links.agent_of(item_id.removeprefix("call:"))):
        # Where the call resumes an agent, what the calls before it led to ends there.
        yield from _above(opened, agent)
    if known.flags & SHOWN:
        # It may stand between two of a series now, or no longer: the second is a row then, or the first tells of it.
        for each in opened.failures_beside(known):
            yield opened.first_failure(each)
            yield each
    if known.kind in (TURN, MODE) or known.flags & MODEL:
        yield from _after(opened, known)
    if known.kind == MESSAGE and known.thread == MAIN and opened.branching.abandoned:
        following = merged_walk.following(opened.lists(MAIN), known.key)
        yield from takewhile(lambda each: each.kind != MESSAGE, following)


def _above(opened: OpenTranscript, thread: str) -> Iterator[Sketch | str]:
    """The calls that started and resumed the agent of a thread: their rows say how much there is of the agent.

    The agent may have been a row of its own until now.
    """
    for name in opened.links.names_of(thread) if thread != MAIN else ():
        yield f"agent:{name}"
        for told in (f"agent:{name}", *(f"call:{call}" for call in opened.links.calls_to(name))):
            if (row := row_sketch(opened, told)) is not None:
                yield row


def _after(opened: OpenTranscript, known: Sketch) -> Iterator[Sketch]:
    """What is told by its difference to this one: the next end of a turn, the next mode."""
    if known.kind == TURN:
        after = opened.links.turn_after(known)
        if after is not None:
            yield after
        return
    following = merged_walk.following(opened.lists(known.thread), known.key)
    if known.kind == MODE:
        modes = (each for each in following if each.kind == MODE)
        yield from islice(modes, 1)
        return
    for each in islice(following, _FOLLOWERS):
        if each.kind == TURN:
            yield each
        if each.kind == TURN or (each.kind == MESSAGE and each.flags & MODEL):
            return
