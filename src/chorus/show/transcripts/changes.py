"""Finds the rows that display the changed items, so that only these are sent again."""

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
"""If more rows changed, the reader loads the conversation again."""
_FOLLOWERS = 8
"""The end of a turn follows closely after the last message of the turn."""


def changed_rows(
    opened: OpenTranscript, index: Index, item_ids: Iterable[str | None], *, internal: bool = False
) -> tuple[tuple[PageRow, ...], tuple[str, ...], bool]:
    """Returns the rows that show these items now, the ids of removed rows, and whether everything must be loaded again.

    The rows are those of a reader who selected no branch. `opened` must contain the changes (`OpenTranscripts.of`).
    """
    threads: dict[str, dict[str, Sketch]] = {}
    removed: dict[str, None] = {}
    with opened.lock:
        for item_id in item_ids:
            if item_id is None or opened.affects_others(item_id) or _may_have_affected_others(opened, item_id):
                return (), (), True
            if opened.reaches_back(item_id):
                return (), (), True
            # The item may have been a row before.
            removed[item_id] = None
            for sketch in _affected(opened, item_id):
                if isinstance(sketch, str):
                    removed[sketch] = None
                    continue
                is_seen = opened.is_row(sketch) and not opened.is_hidden(sketch, None)
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
    return tuple(found), tuple(row for row in removed if row not in there and not _is_never_a_row(row)), False


def _may_have_affected_others(opened: OpenTranscript, item_id: str) -> bool:
    """Returns whether an item is gone and was possibly a message that decided whether others are visible."""
    return item_id not in opened.sketches and opened.branching.abandoned > 0


def _is_never_a_row(item_id: str) -> bool:
    """Returns whether an item with such an id never has a separate row."""
    return item_id.startswith("permission:")


def _affected(opened: OpenTranscript, item_id: str) -> Iterator[Sketch | str]:
    """Yields the entries whose rows show an item or depend on it, and the ids of rows that may be gone."""
    known = opened.sketches.get(item_id)
    row = row_sketch(opened, item_id)
    if row is not None:
        yield row
    for thread in {opened.thread_before(item_id), *(each.thread for each in (row, known) if each is not None)}:
        yield from _starting_calls(opened, thread or MAIN)
    if item_id.startswith("agent:"):
        # The agent may have another name now.
        for call in opened.links.naming_calls():
            if (naming := row_sketch(opened, f"call:{call}")) is not None:
                yield naming
    if known is None:
        # The id of a removed item contains the name of its agent.
        name = item_id.rpartition("/")[0]
        for agent in {name, name.partition(":")[2]} & opened.links.agents.keys():
            yield from _starting_calls(opened, agent)
        return
    if known.kind == AGENT:
        yield from _starting_calls(opened, item_id.removeprefix("agent:"))
    if known.kind == CALL and (agent := opened.links.agent_of(item_id.removeprefix("call:"))):
        # If the call resumes an agent, the part that the earlier calls led to ends there.
        yield from _starting_calls(opened, agent)
    if known.flags & SHOWN:
        # It may have split a series of errors, or joined two: then the second error gets or loses its separate row.
        for each in opened.failures_beside(known):
            yield opened.first_failure(each)
            yield each
    if known.kind in (TURN, MODE) or known.flags & MODEL:
        yield from _dependents_after(opened, known)
    if known.kind == MESSAGE and known.thread == MAIN and opened.branching.abandoned:
        following = merged_walk.following(opened.lists(MAIN), known.key)
        yield from takewhile(lambda each: each.kind != MESSAGE, following)


def _starting_calls(opened: OpenTranscript, thread: str) -> Iterator[Sketch | str]:
    """Yields the calls that started and resumed the agent of a thread, because their rows show its number of entries.

    Also yields the id of the agent, which may have been a separate row before.
    """
    for name in opened.links.names_of(thread) if thread != MAIN else ():
        yield f"agent:{name}"
        for shown in (f"agent:{name}", *(f"call:{call}" for call in opened.links.calls_to(name))):
            if (row := row_sketch(opened, shown)) is not None:
                yield row


def _dependents_after(opened: OpenTranscript, known: Sketch) -> Iterator[Sketch]:
    """Yields the rows that depend on the difference to this one: the next end of a turn, the next mode."""
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
