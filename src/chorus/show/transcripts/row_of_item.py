"""Which row an item is shown in."""

from chorus.show.transcripts.sketch import AGENT, CALL, FAILURE, LISTED, PERMISSION, Sketch
from chorus.show.transcripts.transcript import OpenTranscript

_DEEPEST = 4
"""From a permission to its call, from there to its message: no way is longer."""


def row_sketch(opened: OpenTranscript, item_id: str) -> Sketch | None:
    """The entry whose row shows an item: itself, the message of a call, of the call that started an agent …

    `item_id` may be that of a row, of an entry, of a result, or of a tool call.
    """
    sketch = opened.sketches.get(item_id.removeprefix("branch:")) or opened.links.call(item_id.removeprefix("result:"))
    for _ in range(_DEEPEST):
        if sketch is None or sketch.flags & LISTED:
            return opened.first_failure(sketch) if sketch is not None and sketch.flags & FAILURE else sketch
        if sketch.kind == CALL:
            sketch = opened.sketches.get(sketch.link or "")
        elif sketch.kind == PERMISSION:
            sketch = opened.links.call(sketch.link or "")
        elif sketch.kind == AGENT:
            agent = sketch
            alone = next((each for each in opened.apart() if each.id == agent.id), None)
            sketch = alone or opened.links.started_by(agent.id.removeprefix("agent:"))
        else:
            return None
    return None
