"""Converts entries to the rows of a page: loads their payloads, renders and cuts them, and adds the record places."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from chorus.core.conversation import items
from chorus.core.conversation.conversation import Conversation
from chorus.core.views.rows import BranchRow
from chorus.core.views.transcript import RowBuilder
from chorus.find.index.port import Index
from chorus.find.index.rows import RESULT, Entry, Note
from chorus.find.payloads.reviver import revive
from chorus.keep.vault.records import stream_of
from chorus.show.transcripts.cutting import cut
from chorus.show.transcripts.keys import branch_key
from chorus.show.transcripts.page_context import PageFacts
from chorus.show.transcripts.pictures import numbered
from chorus.show.transcripts.row_moments import row_moments
from chorus.show.transcripts.sketch import AGENT, FAILURE, MESSAGE, TURN, Sketch
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.show.wire import PageRow, RecordPlace

_MAX_FAILURES = 20
"""If one row shows a series of errors, the places of this many records are included."""


class Rendered(Struct):
    """The rows of one entry; empty if there is nothing to show."""

    sketch: Sketch
    rows: list[PageRow]
    chars: int
    """The approximate number of characters of the rows."""


def rendered(
    opened: OpenTranscript, index: Index, sketches: list[Sketch], thread: str, *, is_whole: bool = False
) -> Iterator[Rendered]:
    """Yields the rows of entries of a thread, in the given order."""
    with opened.lock:
        wanted = {sketch.id: sketch for sketch in (*sketches, *_dependencies(opened, sketches)) if sketch.kind != AGENT}
    entries = opened.read(index, wanted.values())
    loader = opened.loader()
    loader.read_ahead(entries.values())
    facts = PageFacts(opened)
    conversation = revive(opened.row, entries.values(), loader, opened.vault, lost=facts.lost_places)
    builder = RowBuilder(conversation, facts)
    for sketch in sketches:
        item: items.Item | None
        if sketch.kind == AGENT:
            item = opened.links.agents.get(sketch.id.removeprefix("agent:"))
        else:
            item = conversation.items.get(sketch.id)
        if item is None:
            yield Rendered(sketch, [], 0)
            continue
        key = opened.row_key(sketch)
        places = _places(entries, item.id, conversation)
        found, chars = [], 0
        with opened.lock:
            rows = list(builder.rows_of(item))
            series = opened.failures(sketch)[-_MAX_FAILURES:] if sketch.flags & FAILURE else []
        places |= {each.id: _own_place(entries[each.id]) for each in series if each.id in entries}
        for row in rows:
            shown, size = cut(numbered(row, entries, loader), is_whole=is_whole)
            chars += size
            is_branch = isinstance(row, BranchRow)
            found.append(
                PageRow(
                    key=branch_key(key) if is_branch else key,
                    thread=thread,
                    row=shown,
                    places={} if is_branch else places,
                    moments=row_moments(row, item.order, entries, builder.blocks_of.get(item.id, ())),
                )
            )
        yield Rendered(sketch, found, chars)


def _dependencies(opened: OpenTranscript, sketches: Iterable[Sketch]) -> Iterator[Sketch]:
    """Yields the other entries that the rows of these entries need."""
    for sketch in sketches:
        for call in sketch.calls:
            if (known := opened.sketches.get(call)) is not None:
                yield known
        if sketch.flags & FAILURE:
            yield from opened.failures(sketch)[-_MAX_FAILURES:]
        elif sketch.kind == MESSAGE:
            above = opened.sketches.get(opened.branching.continues(sketch.id) or "")
            if above is not None:
                yield above
        elif sketch.kind == TURN:
            last_message = opened.last_said(sketch.id)
            if last_message is not None:
                yield last_message


def _places(entries: dict[str, Entry], item_id: str, conversation: Conversation) -> dict[str, RecordPlace]:
    """Maps the ids of an entry, its parts, its calls' results, and their lines to the places of the records."""
    entry = entries.get(item_id)
    if entry is None:
        return {}
    found = {item_id: _own_place(entry)}
    for part in entry.parts:
        place = RecordPlace(stream=stream_of(part.place.stream)[0], at=part.at)
        found[part.id] = place
        found.setdefault(part.id.rpartition(":")[0] or part.id, place)
        call = entries.get(f"call:{part.call or part.id}") if part.kind == "tool_use" else None
        if call is not None and isinstance(call.item, items.Call) and call.item.block == part.id:
            found[call.item.tool_use_id] = found[call.item.id] = place
            for result in call.parts:
                if result.kind == RESULT:
                    there = found[result.id] = RecordPlace(stream=stream_of(result.place.stream)[0], at=result.at)
                    read = conversation.items.get(result.id)
                    if isinstance(read, items.ToolResult) and read.uuid:
                        found[read.uuid] = there
    return found


def _own_place(entry: Entry) -> RecordPlace:
    item = entry.item
    if isinstance(item, Note | items.Turn | items.Compaction | items.Queued) or not entry.parts:
        return RecordPlace(stream=stream_of(item.order[2])[0], at=entry.at)
    first = entry.parts[0]
    return RecordPlace(stream=stream_of(first.place.stream)[0], at=first.at)
