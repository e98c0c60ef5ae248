"""Finds the prompt that a tool call follows."""

from bisect import bisect_right
from collections.abc import Iterable

from chorus.find.index.port import Index
from chorus.show.transcripts.outline import MAX_MARKS, outline
from chorus.show.transcripts.row_of_item import row_sketch
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.show.wire import OutlineMark


def prompts_of(opened: OpenTranscript, index: Index, calls: Iterable[str]) -> dict[str, OutlineMark]:
    """Returns call → the last prompt before it, for calls of the main thread.

    A call without an answer is left out: one on another branch, and any in a conversation whose outline is thinned.
    """
    marks = outline(opened, index).marks
    if len(marks) >= MAX_MARKS:
        return {}
    prompts = [mark for mark in marks if mark.kind == "prompt"]
    keys = [mark.key for mark in prompts]
    found: dict[str, OutlineMark] = {}
    with opened.lock:
        for call in calls:
            row = row_sketch(opened, f"call:{call}")
            if row is None or opened.is_hidden(row, None):
                continue
            number = bisect_right(keys, opened.row_key(row))
            if number:
                found[call] = prompts[number - 1]
    return found
