"""Finds the row that shows an item."""

from chorus.show.transcripts.sketch import AGENT, CALL, FAILURE, LISTED, PERMISSION, Sketch
from chorus.show.transcripts.transcript import OpenTranscript

_MAX_STEPS = 4
"""The longest path leads from a permission to its call and from there to the message."""


def row_sketch(opened: OpenTranscript, item_id: str) -> Sketch | None:
    """Returns the entry whose row shows an item: the item itself, the message of a call, and so on.

    `item_id` may be the id of a row, an entry, a result or a tool call. Returns None if no row shows the item.
    """
    sketch = opened.sketches.get(item_id.removeprefix("branch:")) or opened.links.call(item_id.removeprefix("result:"))
    for _ in range(_MAX_STEPS):
        if sketch is None or sketch.flags & LISTED:
            return opened.first_failure(sketch) if sketch is not None and sketch.flags & FAILURE else sketch
        if sketch.kind == CALL:
            sketch = opened.sketches.get(sketch.link or "")
        elif sketch.kind == PERMISSION:
            sketch = opened.links.call(sketch.link or "")
        elif sketch.kind == AGENT:
            agent = sketch
            separate = next((each for each in opened.separate_agents() if each.id == agent.id), None)
            sketch = separate or opened.links.started_by(agent.id.removeprefix("agent:"))
        else:
            return None
    return None
