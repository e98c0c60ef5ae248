"""Finds rows by any id that appears in a transcript."""

from chorus.core.conversation import items
from chorus.core.conversation.messages import parts_of
from chorus.core.conversation.tool_facts import facts_of
from chorus.core.query.tree import And, Field, Phrase, Query
from chorus.core.query.words import tokens
from chorus.core.records.model.turns import User
from chorus.core.records.place import StreamId
from chorus.core.records.session_ids import is_session_id
from chorus.core.records.split import Splitter
from chorus.find.index.marks import CONVERSATION
from chorus.find.index.port import MAX_HITS, Index
from chorus.keep.vault.line import StoredLine
from chorus.show.transcripts.row_of_item import row_sketch
from chorus.show.transcripts.sketch import Sketch
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.show.wire import Located


def locate(opened: OpenTranscript, index: Index, wanted: str) -> Located | None:
    """Returns the position of the row that shows something, by any of its ids; None if there is no such row."""
    found = row_of(opened, index, wanted)
    return located(opened, found) if found is not None else None


def row_of(opened: OpenTranscript, index: Index, wanted: str) -> Sketch | None:
    """Returns the row that shows something, by the id of an entry, line, tool call, sub-agent or background task."""
    with opened.lock:
        for name in (wanted, f"note:{wanted}", f"turn:{wanted}", f"agent:{wanted}"):
            found = row_sketch(opened, name)
            if found is not None:
                return found
    return _by_line(opened, index, wanted) or _by_result_line(opened, wanted) or _by_task(opened, index, wanted)


def located(opened: OpenTranscript, row: Sketch) -> Located:
    """Returns the position of an entry's row."""
    return Located(id=row.id, key=opened.row_key(row), thread=opened.links.thread_of(row.thread))


def _by_line(opened: OpenTranscript, index: Index, wanted: str) -> Sketch | None:
    """Returns the message that a line belongs to. All entries are searched, because the index cannot look up lines."""
    start = f"{wanted}:"
    for entry in index.all_entries(opened.name):
        is_meant = isinstance(entry.item, items.Message) and entry.item.uuid == wanted
        if is_meant or any(part.id == wanted or part.id.startswith(start) for part in entry.parts):
            with opened.lock:
                return row_sketch(opened, entry.id)
    return None


def _by_result_line(opened: OpenTranscript, wanted: str) -> Sketch | None:
    """Returns the row of the call whose result is the only content of a line: the index has no ids of such lines."""
    if not is_session_id(wanted):
        return None
    named = f'"{wanted}"'.encode()
    for key in opened.vault.streams(opened.name):
        for line in opened.vault.lines(key):
            if not isinstance(line, StoredLine) or named not in line.body:
                continue
            record = Splitter(StreamId(key.stream), line.head.offset).feed_line(line.body, line.head.end.encode())
            value = record.value if record is not None else None
            if not isinstance(value, User) or value.uuid != wanted:
                continue
            calls = (part.tool_use_id for part in parts_of(value.message) if part.type == "tool_result")
            with opened.lock:
                shown = (row_sketch(opened, call) for call in calls if call)
                return next((row for row in shown if row is not None), None)
    return None


def _by_task(opened: OpenTranscript, index: Index, task: str) -> Sketch | None:
    """Returns the row of the first call that names a background task and may have started it."""
    if not tokens(task):
        return None
    query = Query(And((Phrase(task), Field("role", "tool"), Field(CONVERSATION, opened.name))))
    numbers: set[int] = set()
    below: int | None = None
    while True:
        answer = index.search(query, limit=MAX_HITS, below=below)
        numbers |= {hit.number for hit in answer.hits}
        below = answer.next
        if below is None:
            break
    if not numbers:
        return None
    with opened.lock:
        calls = [sketch for sketch in opened.all if sketch.number in numbers]
    entries = opened.read(index, calls[:MAX_HITS])
    for call in calls:
        entry = entries.get(call.id)
        if entry is not None and isinstance(entry.item, items.Call) and facts_of(entry.item.name).starts_work:
            with opened.lock:
                return row_sketch(opened, call.id)
    return None
