"""Loads payloads from the vault: reads the line that contains them, and separates its items with the fold."""

from collections import OrderedDict
from collections.abc import Iterable

from msgspec import Struct

from chorus.core.conversation import items, rewinds
from chorus.core.conversation.calls import side_file_of
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.messages import parts_of, shown_blocks, structured_of
from chorus.core.records.model import blocks
from chorus.core.records.model.session import LastPrompt
from chorus.core.records.model.turns import Assistant, User
from chorus.core.records.place import Place, StreamId
from chorus.core.records.record import Dialect, Record
from chorus.core.records.split import Splitter
from chorus.find.index.rows import PARTIAL, RESULT, Entry, Note, Part
from chorus.find.payloads.long_outputs import LongOutputs
from chorus.find.payloads.moved_lines import MovedLines
from chorus.find.payloads.partial_blocks import written_so_far
from chorus.find.payloads.searchable import searchable_block, searchable_result
from chorus.keep.archive.decision_stream import DECISIONS_STREAM, decision_record
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault
from chorus.keep.vault.records import stream_of

_MAX_FOUND = 500
_GAP_BYTES = 256 << 10
"""Lines that are closer together are read in one pass."""
_MAX_READ = 16
"""The number of decoded records in memory: a message with many blocks needs its record once for each."""


class _Read(Struct):
    """A decoded record, with its blocks after the first request."""

    record: Record | None
    shown: list[blocks.Block] | None = None
    results: dict[str, blocks.Block] | None = None

    def block(self, value: Assistant | User, number: int) -> blocks.Block | None:
        """Returns the block with this number that the record with this `value` shows."""
        if self.shown is None:
            self.shown = shown_blocks(value)
        return self.shown[number] if number < len(self.shown) else None

    def result(self, call: str, parts: list[blocks.Block]) -> blocks.Block | None:
        """Returns the first result of a call among the blocks of the record."""
        if self.results is None:
            self.results = {}
            for block in parts:
                if block.type == "tool_result" and block.tool_use_id:
                    self.results.setdefault(block.tool_use_id, block)
        return self.results.get(call)


class Loader:
    """Reads the records of one conversation by their places; caches some of them."""

    def __init__(
        self, vault: Vault, workspace: str, agent: str, conversation: str, *, moved_lines: MovedLines | None = None
    ) -> None:
        """`elsewhere` remembers where damaged streams have their lines; pass it to share it between loaders."""
        self._vault = vault
        self._moved_lines = moved_lines or MovedLines(vault)
        self._owner = (workspace, agent, conversation)
        self.outputs = LongOutputs(vault, workspace, agent, conversation)
        """Outputs that are stored in separate files."""
        self._keys: dict[str, tuple[StreamKey, int]] = {}
        self._ahead: dict[tuple[str, int], StoredLine] = {}
        self._read: OrderedDict[tuple[Place, int], _Read] = OrderedDict()
        self._found: dict[Place, dict[str, items.Item]] = {}
        self._fold = Fold(conversation)

    def read_ahead(self, entries: Iterable[Entry]) -> None:
        """Reads the lines of many entries at once, neighbouring lines in one pass; cached until the next call."""
        self.read_parts_ahead(part for entry in entries for part in entry.parts)

    def read_parts_ahead(self, parts: Iterable[Part]) -> None:
        """Like `read_ahead`, for parts."""
        wanted: dict[StreamKey, set[int]] = {}
        for part in parts:
            wanted.setdefault(self._key(part.place)[0], set()).add(part.at)
        self._ahead = {}
        self._read.clear()
        for key, places in wanted.items():
            stream = key.stream
            waiting = sorted(places, reverse=True)
            while waiting:
                for line in self._vault.lines(key, waiting[-1]):
                    if isinstance(line, StoredLine) and line.at in places:
                        self._ahead[stream, line.at] = line
                    end = getattr(line, "next_at", 0)
                    while waiting and waiting[-1] < end:
                        waiting.pop()
                    if not waiting or waiting[-1] - end > _GAP_BYTES:
                        break
                else:
                    break

    def part(self, part: Part) -> items.Block | items.ToolResult | None:
        """Returns a part with its payload; None when its line is damaged or missing."""
        if part.kind == PARTIAL:
            so_far = written_so_far(self._vault, self._key(part.place)[0], part.at)
            return items.Block(id=part.id, order=part.order, of="", block=so_far, place=part.place, is_partial=True)
        read = self._result(part) if part.kind == RESULT else self._block(part)
        if read is not None:
            return read
        found = self._items(part.place, part.at).get(_without_agent(part.id))
        return found if isinstance(found, (items.Block, items.ToolResult)) else None

    def _key(self, place: Place) -> tuple[StreamKey, int]:
        """Returns the stream of a place in the vault, and its revision."""
        known = self._keys.get(place.stream)
        if known is None:
            stream, revision = stream_of(place.stream)
            known = self._keys[place.stream] = StreamKey(*self._owner, stream), revision
        return known

    def _block(self, part: Part) -> items.Block | None:
        """Returns a block of a session's own line, for which no fold is needed; None for any other."""
        read = self._read_at(part.place, part.at)
        record = read.record
        value = record.value if record else None
        if isinstance(value, LastPrompt):
            return items.Block(id=part.id, order=part.order, of="", block=rewinds.WORDS, place=part.place)
        line, _, index = _without_agent(part.id).rpartition(":")
        if record is None or not isinstance(value, (Assistant, User)) or value.uuid != line or not index.isdecimal():
            return None
        block = read.block(value, int(index)) if record.dialect is not Dialect.FLAT else None
        if block is None or block.type != part.kind:
            return None
        return items.Block(id=part.id, order=part.order, of="", block=block, place=part.place)

    def _result(self, part: Part) -> items.ToolResult | None:
        """Returns a result in a session's own line, without a fold; None for any other."""
        read = self._read_at(part.place, part.at)
        record = read.record
        value = record.value if record else None
        if record is None or not isinstance(value, User) or record.dialect is Dialect.FLAT or not part.call:
            return None
        parts = parts_of(value.message)
        found = read.result(part.call, parts)
        if found is None:
            return None
        return items.ToolResult(
            id=part.id,
            order=part.order,
            tool_use_id=part.call,
            place=part.place,
            content=found.content,
            structured=structured_of(value, parts),
            is_error=bool(found.is_error),
            side_file=side_file_of(found.content),
            uuid=value.uuid,
        )

    def notice(self, entry: Entry) -> items.Notice | None:
        """Returns a notice with its full text and body."""
        if not isinstance(entry.item, Note):
            return None
        found = self._items(entry.item.place, entry.at).get(_without_agent(entry.id))
        return found if isinstance(found, items.Notice) else None

    def text(self, entry: Entry, made: Part | None = None) -> str:
        """Returns the original text of an entry; for a call, whose block is `made`, its input and output."""
        return "\n".join(text for _, text in self.texts(entry, made))

    def texts(self, entry: Entry, made: Part | None = None) -> list[tuple[str, str]]:
        """Like `text`, by parts: the id of each part with a text, or of the entry itself, and the text."""
        match entry.item:
            case items.Message():
                found = [(part.id, self._text(part)) for part in entry.parts if part.kind != "tool_use"]
                found += [(entry.id, entry.item.error)] if entry.item.error else []
            case items.Call():
                found = [(part.id, self._text(part)) for part in (made, *entry.parts) if part]
            case items.Turn():
                found = [(entry.id, error) for error in entry.item.errors]
            case Note():
                whole = self.notice(entry)
                found = [(entry.id, (whole or entry.item).text or "")]
            case _:
                found = [(part.id, self._text(part)) for part in entry.parts]
        return [(part, text) for part, text in found if text]

    def record(self, place: Place, at: int) -> Record | None:
        """Returns the record at a place; None when it cannot be read any more."""
        return self._read_at(place, at).record

    def _read_at(self, place: Place, at: int) -> _Read:
        known = self._read.get((place, at))
        if known is None:
            known = self._read[place, at] = _Read(self._record(place, at))
            if len(self._read) > _MAX_READ:
                self._read.popitem(last=False)
        return known

    def _record(self, place: Place, at: int) -> Record | None:
        key, revision = self._key(place)
        line = self._ahead.get((key.stream, at)) or self._vault.line_at(key, at)
        if line is None or line.head.revision != revision or not _contains(line, place):
            line = self._moved_lines.line(key, revision, place)
        if line is None:
            return None
        splitter = Splitter(StreamId(place.stream), line.head.offset)
        whole = splitter.feed_line(line.body, line.head.end.encode())
        if whole is not None and whole.offset == place.offset:
            return whole
        splitter = Splitter(StreamId(place.stream), line.head.offset)
        pieces = list(splitter.feed(line.bytes))
        offset = line.head.offset + len(line.bytes)
        while offset < place.offset + place.length and (line := self._vault.line_at(key, line.next_at)):
            pieces += splitter.feed(line.bytes)
            offset += len(line.bytes)
        pieces += splitter.close()
        return next((piece for piece in pieces if isinstance(piece, Record) and piece.offset == place.offset), None)

    def _text(self, part: Part) -> str:
        match self.part(part):
            case items.Block() as block:
                return searchable_block(block.block).text
            case items.ToolResult() as result:
                return searchable_result(result, self.outputs.text(result)).text
            case _:
                return ""

    def _items(self, place: Place, at: int) -> dict[str, items.Item]:
        known = self._found.get(place)
        if known is not None:
            return known
        if len(self._found) >= _MAX_FOUND:
            self._found.clear()
            self._fold = Fold(self._owner[2])
        record = self.record(place, at)
        if record is not None and self._key(place)[0].stream == DECISIONS_STREAM:
            record = decision_record(record)
        # A fold accepts a line once. It compares flat events with earlier ones, which are not available here.
        is_apart = record is not None and record.dialect is Dialect.FLAT
        fold = Fold(self._owner[2]) if is_apart else self._fold
        changes = fold.feed(record) if record else []
        found = {_without_agent(change.id): change for change in changes if isinstance(change, items.Item)}
        self._found[place] = found
        return found


def _contains(line: StoredLine, place: Place) -> bool:
    start = line.head.offset
    return start == place.offset or start < place.offset < start + len(line.bytes)


def _without_agent(item_id: str) -> str:
    """Returns an id without the agent in front: a single line does not say which agent it belongs to."""
    kind, colon, rest = item_id.partition(":")
    if colon and kind in ("call", "result", "note", "turn", "queued", "agent"):
        return f"{kind}:{rest.rpartition('/')[2]}"
    return item_id.rpartition("/")[2]
