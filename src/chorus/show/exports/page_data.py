"""Everything that the web application shows of a conversation, as one value for an exported file."""

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from chorus.core.conversation.items import MAIN
from chorus.core.views.blocks import Image, Output
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.memory import MemoryIndex
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.keep.archive.replaying import KeptReplay
from chorus.show import wire
from chorus.show.exports.copying import Copied
from chorus.show.exports.selection import Selection
from chorus.show.transcripts import merged_walk, places, replay_answers
from chorus.show.transcripts.detail import detail
from chorus.show.transcripts.open_transcripts import OpenTranscripts
from chorus.show.transcripts.outline import outline
from chorus.show.transcripts.rendering import rendered
from chorus.show.transcripts.sketch import AGENT, Sketch
from chorus.show.transcripts.transcript import OpenTranscript

VERSION = 1
_NEVER = "9999"
"""No state is saved for conversations that are not expected to grow."""
_BATCH = 1_000


def page_data(copied: Copied, selection: Selection, *, home: Path, made_with: str) -> wire.ExportedFile:
    """Returns the rows of all threads of a copied conversation, rendered as the server renders them."""
    index = MemoryIndex()
    index.write(OpenConversation(copied.vault, copied.kept).writings(copied.kept, saved_since=_NEVER))
    opened = OpenTranscripts(copied.vault, Costs(home)).of(index, copied.kept.name)
    assert opened is not None, "a conversation that was just copied is in its own index"
    facts = detail(opened, index)
    replay = KeptReplay(copied.vault, copied.kept, opened.costs.prices).replay
    timeline = replay_answers.timeline(replay)
    firsts = range(0, timeline.moments, timeline.chunk)
    threads = [_thread(opened, index, name) for name in (MAIN, *(each.id for each in facts.threads))]
    links, belongs = _links(opened, threads[0])
    rows = [row for thread in threads for row in thread.rows]
    return wire.ExportedFile(
        version=VERSION,
        made_with=made_with,
        detail=facts,
        thread=selection.thread or MAIN,
        threads=tuple(threads),
        branches=tuple(_branches(opened)),
        links=links,
        belongs=belongs,
        images=dict(_images(opened, rows)) if selection.has_images else {},
        side_files=dict(_side_files(opened, rows)),
        replaced=len(copied.hidden),
        timeline=timeline,
        moments=tuple(replay_answers.moments(replay, first) for first in firsts),
    )


def _thread(opened: OpenTranscript, index: MemoryIndex, thread: str) -> wire.ExportedThread:
    sketches = [each for each in merged_walk.following(opened.lists(thread), None) if opened.is_row(each)]
    rows: list[wire.PageRow] = []
    firsts: dict[str, int] = {}
    for start in range(0, len(sketches), _BATCH):
        for each in rendered(opened, index, sketches[start : start + _BATCH], thread, is_whole=True):
            firsts[each.sketch.id] = len(rows)
            rows.extend(each.rows)
    return wire.ExportedThread(
        id=thread,
        rows=tuple(rows),
        outline=outline(opened, index, thread),
        stretches=tuple(_stretches(opened, thread, sketches, firsts, len(rows))),
    )


def _stretches(
    opened: OpenTranscript, thread: str, sketches: list[Sketch], firsts: dict[str, int], end: int
) -> Iterator[wire.ExportedStretch]:
    for call in opened.links.calls_to(thread):
        stretch = opened.links.stretch(thread, call)
        if stretch == (None, None):
            continue
        part = merged_walk.within(sketches, stretch)
        if part:
            after = sketches.index(part[-1]) + 1
            last = firsts[sketches[after].id] if after < len(sketches) else end
            yield wire.ExportedStretch(call=call, first=firsts[part[0].id], last=last)


def _branches(opened: OpenTranscript) -> Iterator[wire.ExportedBranch]:
    for above in sorted(opened.branching.points):
        heads = opened.branching.heads(above)
        for head in heads:
            yield wire.ExportedBranch(head=head, above=above, is_active=head == heads[-1])


def _links(opened: OpenTranscript, main: wire.ExportedThread) -> tuple[dict[str, str], dict[str, str]]:
    """Returns which message each message continues, and to which message each other item belongs."""
    links: dict[str, str] = {}
    belongs: dict[str, str] = {}
    for row in main.rows if opened.branching.points else ():
        item = row.key[5]
        sketch = opened.sketches.get(item)
        message = opened.message_before(sketch) if sketch is not None and sketch.kind is not AGENT else None
        if message is None:
            continue
        if message.id != item:
            belongs[item] = message.id
        elif message.link is not None:
            links[item] = message.link
    return links, belongs


def _images(opened: OpenTranscript, rows: list[wire.PageRow]) -> Iterator[tuple[str, str]]:
    for row in rows:
        for block in _blocks(row.row):
            place = row.places.get(block.item) if isinstance(block, Image) else None
            if place is None or not isinstance(block, Image):
                continue
            picture = places.image(opened, place.stream, place.at, block.nth)
            if picture is not None:
                data = b64encode(picture.data).decode()
                yield f"{place.stream}:{place.at}:{block.nth}", f"data:{picture.media_type};base64,{data}"


def _side_files(opened: OpenTranscript, rows: list[wire.PageRow]) -> Iterator[tuple[str, str]]:
    for row in rows:
        for block in _blocks(row.row):
            name = block.side_file.name if isinstance(block, Output) and block.side_file else None
            data = places.side_file_bytes(opened, name) if name else None
            if name and data is not None:
                yield name, data.decode("utf-8", "replace")


def _blocks(value: Any) -> Iterator[Struct]:
    """Yields all structs of a row, at any depth."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Struct):
            yield each
            waiting.extend(getattr(each, name) for name in each.__struct_fields__)
        elif isinstance(each, tuple):
            waiting.extend(each)


def encoded(data: wire.ExportedFile) -> bytes:
    """Returns the value as JSON."""
    return msgspec.json.encode(data)
