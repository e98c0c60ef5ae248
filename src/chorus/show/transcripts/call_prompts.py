"""Finds the prompt that a tool call follows."""

from collections.abc import Iterable

from chorus.core.conversation.items import MAIN
from chorus.find.index.port import Index
from chorus.show.transcripts.outline import prompts_before
from chorus.show.transcripts.row_of_item import row_sketch
from chorus.show.transcripts.sketch import Sketch
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.show.wire import OutlineMark

_MAX_DEPTH = 20
"""Sub-agents that start sub-agents are followed so far up."""


def prompts_of(opened: OpenTranscript, index: Index, items: Iterable[str]) -> dict[str, OutlineMark]:
    """Returns item → the last prompt at it or before it; an item is the id of a tool call, of a message or of a row.

    For a call of a sub-agent it is the prompt before the call that started the sub-agent. An item on another branch is
    left out.
    """
    with opened.lock:
        rows = {item: row for item in items if (row := _main_row(opened, item)) is not None}
    return prompts_before(opened, index, rows)


def _main_row(opened: OpenTranscript, item: str) -> Sketch | None:
    row = row_sketch(opened, f"call:{item}") or row_sketch(opened, item)
    for _ in range(_MAX_DEPTH):
        if row is None or row.thread == MAIN:
            return row
        call = opened.links.started_by(row.thread)
        # Without the call that started it, its place in time has to do.
        above = row_sketch(opened, call.id) if call is not None else None
        if above is None:
            return row
        row = above
    return row
