"""Turns the fold's changes into entries: which of them changed, and their searchable text."""

from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Any

import msgspec
from msgspec import structs

from chorus.core.conversation import items
from chorus.core.conversation.items import Append, Change, Order, Reach, Remove
from chorus.core.conversation.lifecycle import RUNNING
from chorus.core.query.words import prepare
from chorus.core.spending.prompts import Prompts
from chorus.find.index.marks import APPROVED_BY, marks_of
from chorus.find.index.rows import PARTIAL, RESULT, Document, Entry, Header, Note, Part, Put
from chorus.find.indexing.counted import Counted
from chorus.find.indexing.spilling_dict import count_in_memory, decoder_of, spill
from chorus.find.payloads.searchable import Searchable, searchable_block, searchable_result
from chorus.keep.vault.spill_file import SpillFile

_LONG_NOTICE = 200
"""A longer text of a notice is loaded from the vault again."""
_MANY_PARTS, _MAX_KEPT_CHARS = 32, 1 << 20
"""Messages with this many parts keep their texts for the next writing, up to this many characters."""
Load = Callable[[Part], "items.Block | items.ToolResult | None"]
"""Returns a part with its payload, from the vault; None when it is unavailable."""


class Projection:
    """The entries of one conversation. Payloads are dropped after they were written."""

    def __init__(
        self,
        name: str,
        load: Load,
        entries: Iterable[Entry] = (),
        being_written: Collection[str] = (),
        messages: Collection[str] | None = None,
        side_text: Callable[[items.ToolResult], str] = lambda _result: "",
    ) -> None:
        """`entries` are those of the index; partial blocks among them are kept only if they are in `being_written`.

        If `messages` is given, only messages in it are kept: the index may be further than the fold, and in another
        order of reading a message may be shown elsewhere. What is still valid is written again. `side_text` returns the
        whole output of a result that refers to a file.
        """
        self.name = name
        self._load = load
        self._side_text = side_text
        self.calls = self.agents = 0
        self._turns: dict[str, items.Turn] = {}
        self._at_work: dict[str, items.Agent] = {}
        self._headers: dict[str, tuple[Header, int]] = {}
        self._parts: dict[str, dict[str, Part]] = {}
        self._owners: dict[str, str] = {}
        self._stored: dict[str, Order] = {}
        self._touched: dict[str, None] = {}
        self._texts: dict[str, Searchable] = {}
        self._earlier_texts: dict[str, Searchable] = {}
        """Texts of long messages of the last writing, so that one more line does not cause all of the message to be
        read again.
        """
        self.session: items.Session | None = None
        self.text_chars = 0
        """The number of characters of the texts in memory."""
        self.files: dict[str, bool] = {}
        """Paths that calls name → whether a call writes it; those since the last writing."""
        self.names: set[tuple[str, str]] = set()
        """Tools and models since the last writing."""
        self.counted = Counted(name)
        self.agent_types: dict[str, str] = {}
        """The types of sub-agents since the last writing."""
        self.prompts = Prompts()
        """The prompts of people in the main thread."""
        for entry in entries:
            self._stored[entry.id] = entry.order
            self.counted.restore(entry)
            if messages is not None and isinstance(entry.item, items.Message) and entry.id not in messages:
                self._touched[entry.id] = None
                continue
            self._hold(entry.item, entry.at)
            for part in entry.parts:
                if part.kind == PARTIAL and part.id not in being_written:
                    # If reading resumes from an earlier place, the complete line may come first. Then nothing would
                    # remove the partial.
                    self._touched[entry.id] = None
                    continue
                self._parts.setdefault(entry.id, {})[part.id] = part
                self._owners[part.id] = entry.id

    def __len__(self) -> int:
        """The number of items."""
        return len(self._headers) + len(self._owners)

    def spill(self, aside: SpillFile) -> None:
        """Spills what was not used lately."""
        spill(self, aside, _decoders())

    @property
    def values_in_memory(self) -> int:
        """The number of values in memory."""
        return count_in_memory(self, _decoders())

    def turns(self) -> list[items.Turn]:
        """Returns the ends of turns of the main thread that report usage or cost, in order.

        The interactive client writes an end for every turn without either; those are left out, because all are read for
        each writing.
        """
        return sorted(self._turns.values(), key=lambda turn: turn.order)

    def agents_at_work(self) -> int:
        """Returns the number of sub-agents that are at work according to the record; several ids of one call count
        once.
        """
        return len({agent.call or agent.id for agent in self._at_work.values()})

    def take(self, changes: Iterable[Change], at: int) -> None:
        """Applies the changes of a record whose line is stored at `at`."""
        # Dispatches by type: this runs for every change of every record, where a chain of checks would be slow.
        for change in changes:
            handler = _HANDLERS.get(type(change))
            if handler is None:
                self._take_header(change, at)  # type: ignore[arg-type]
            else:
                handler(self, change, at)

    def _take_session(self, session: items.Session, _at: int) -> None:
        self.session = session

    def _reach(self, reach: Reach, _at: int) -> None:
        if self.session and (self.session.ended_at or "") < reach.time:
            self.session.ended_at = reach.time

    def _grow(self, _append: Append, _at: int) -> None:
        """Ignored: text that is still being written is not searchable."""

    def _hold(self, item: Header, at: int) -> None:
        if item.id not in self._headers:
            self.calls += isinstance(item, items.Call)
            self.agents += isinstance(item, items.Agent)
        if isinstance(item, items.Turn) and not item.agent:
            self._turns.pop(item.id, None)
            if _reports_usage(item):
                self._turns[item.id] = item
        elif isinstance(item, items.Message):
            if item.author is items.Author.HUMAN and not item.agent and item.started_at:
                self.prompts.put(item.id, item.started_at)
            else:
                self.prompts.remove(item.id)
        elif isinstance(item, items.Agent):
            self._at_work.pop(item.id, None)
            if item.status == RUNNING:
                self._at_work[item.id] = item
        self._headers[item.id] = item, at

    def _take_notice(self, item: items.Notice, at: int) -> None:
        text = item.text
        if text and len(text) > _LONG_NOTICE:
            if not item.is_internal:
                self._add_text(item.id, Searchable(text))
            text = text[:_LONG_NOTICE]
        note = Note(
            id=item.id,
            order=item.order,
            agent=item.agent,
            type=item.type,
            kind=item.kind,
            place=item.place,
            is_internal=item.is_internal,
            time=item.time,
            text=text,
            reason=item.reason,
            tool=item.tool,
            by=item.by,
            source=item.source,
            against=item.against,
            level=item.level,
            call=item.call,
            latency_ms=item.latency_ms,
        )
        self._take_header(note, at)

    def _take_header(self, item: Header, at: int) -> None:
        known = self._headers.get(item.id)
        # Later facts do not move an item; its own line remains the first one that mentioned it.
        self._hold(item, known[1] if known and known[0].order == item.order else at)
        self._touched[item.id] = None
        if isinstance(item, items.Message) and item.model:
            self.names.add(("model", item.model))
        elif isinstance(item, items.Call):
            self.names.add(("tool", item.name))
            if item.files:
                self.files.update(dict.fromkeys(item.files, True))
        elif isinstance(item, items.Agent):
            self.agent_types[item.agent] = item.type or ""
        elif isinstance(item, Note) and item.tool is not None:
            self.names |= {(kind, value) for kind, value in (("tool", item.tool), (APPROVED_BY, item.by)) if value}

    def _take_block(self, item: items.Block, at: int) -> None:
        if item.is_partial:
            self._put_part(item.of, Part(item.id, item.order, item.place, at, PARTIAL))
            return
        block = item.block
        self._add_text(item.id, searchable_block(block))
        call = block.id if block.type == "tool_use" else None
        self._put_part(item.of, Part(item.id, item.order, item.place, at, block.type, call))

    def _take_result(self, item: items.ToolResult, at: int) -> None:
        self._add_text(item.id, searchable_result(item, self._side_text(item)))
        part = Part(item.id, item.order, item.place, at, RESULT, item.tool_use_id)
        self._put_part("call:" + item.tool_use_id, part)

    def _put_part(self, owner: str, part: Part) -> None:
        before = self._owners.get(part.id)
        if before is not None and before != owner:
            self._parts[before].pop(part.id, None)
            self._touched[before] = None
        self._parts.setdefault(owner, {})[part.id] = part
        self._owners[part.id] = owner
        self._touched[owner] = None

    def _remove(self, remove: Remove, _at: int) -> None:
        item_id = remove.id
        owner = self._owners.pop(item_id, None)
        if owner is not None:
            self._parts.get(owner, {}).pop(item_id, None)
            self._touched[owner] = None
        elif known := self._headers.pop(item_id, None):
            self.calls -= isinstance(known[0], items.Call)
            self.agents -= isinstance(known[0], items.Agent)
            self._turns.pop(item_id, None)
            self._at_work.pop(item_id, None)
            self.prompts.remove(item_id)
            self._touched[item_id] = None

    def _add_text(self, item_id: str, searchable: Searchable) -> None:
        before = self._texts.get(item_id)
        self.text_chars += len(searchable.text) - (len(before.text) if before else 0)
        self._texts[item_id] = searchable
        for path in searchable.files:
            self.files.setdefault(path, False)

    def settle(self) -> tuple[list[Put], list[tuple[str, Order]]]:
        """Returns what changed since the last call: current entries, and those that were removed."""
        put: list[Put] = []
        gone: list[tuple[str, Order]] = []
        for name in self._touched:
            known = self._headers.get(name)
            was = self._stored.get(name)
            if known is None:
                if was is not None:
                    gone.append((name, self._stored.pop(name)))
                    self.counted.remove(name)
                continue
            item, at = known
            own_parts = self._parts.get(name)
            parts = (
                sorted(own_parts.values(), key=lambda part: part.order)
                if own_parts and len(own_parts) > 1
                else (own_parts or {}).values()
            )
            if isinstance(item, items.Message) and item.request_id:
                # It is random, so it compresses badly, and the index is never searched for it: its line contains it.
                item = structs.replace(item, request_id=None)
            entry = Entry(item, tuple(parts), at)
            document = self._document(entry)
            entry.digest = document.digest() if document else 0
            put.append(Put(entry, document, was))
            self.counted.take(entry, is_new=was is None)
            self._stored[name] = item.order
        self._touched = {}
        self._earlier_texts = self._texts_of_long(put)
        self._texts = {}
        self.text_chars = 0
        self.files, self.names, self.agent_types = {}, set(), {}
        return put, gone

    def _document(self, entry: Entry) -> Document | None:
        texts: list[Searchable] = []
        match entry.item:
            case items.Message(is_partial=False):
                texts = [self._text_of(part) for part in entry.parts if _is_message_text(part)]
                if entry.item.error:
                    texts.append(Searchable(entry.item.error))
            case items.Call():
                made = self._parts.get(entry.item.message or "", {}).get(entry.item.block or "")
                texts = [self._text_of(part) for part in (made, *entry.parts) if part]
            case items.Turn() if entry.item.is_error or entry.item.errors:
                texts = [Searchable(error) for error in entry.item.errors]
            case Note(is_internal=False):
                texts = [self._texts.get(entry.id) or Searchable(entry.item.text or "")]
            case items.Queued(is_in_message=False, state="waiting" | "absorbed" | "removed"):
                texts = [self._text_of(part) for part in entry.parts]
            case _:
                return None
        words = prepare("\n".join([each.text for each in texts if each.text]))
        files = [path for each in texts for path in each.files]
        has = [each.kind for each in texts if each.kind]
        return Document(words.text, words.parts, marks_of(entry, self.name, files=files, has=has))

    def _texts_of_long(self, put: list[Put]) -> dict[str, Searchable]:
        """Returns the texts of messages with many parts, most recently changed first, up to the limit."""
        kept: dict[str, Searchable] = {}
        room = _MAX_KEPT_CHARS
        for each in reversed(put):
            if not isinstance(each.entry.item, items.Message) or len(each.entry.parts) < _MANY_PARTS:
                continue
            for part in each.entry.parts:
                searchable = self._texts.get(part.id) or self._earlier_texts.get(part.id)
                if searchable is not None and (room := room - len(searchable.text)) >= 0:
                    kept[part.id] = searchable
        return kept

    def _text_of(self, part: Part) -> Searchable:
        known = self._texts.get(part.id) or self._earlier_texts.get(part.id)
        if known is not None:
            return known
        searchable = self._loaded(part)
        if len(self._parts.get(self._owners.get(part.id, ""), ())) >= _MANY_PARTS:
            self._texts[part.id] = searchable
        return searchable

    def _loaded(self, part: Part) -> Searchable:
        loaded = self._load(part)
        match loaded:
            case items.Block():
                return searchable_block(loaded.block)
            case items.ToolResult():
                return searchable_result(loaded, self._side_text(loaded))
            case None:
                return Searchable("")


def _reports_usage(turn: items.Turn) -> bool:
    stated = (turn.tokens, turn.total_cost_usd, turn.cost_since_last_usd, turn.models_since_last, turn.doubt)
    return bool(turn.models) or any(each is not None for each in stated)


def _is_message_text(part: Part) -> bool:
    return part.kind not in ("tool_use", RESULT, PARTIAL)


_HANDLERS: dict[type, Callable[[Projection, Any, int], None]] = {
    items.Session: Projection._take_session,
    Reach: Projection._reach,
    items.Block: Projection._take_block,
    items.ToolResult: Projection._take_result,
    Remove: Projection._remove,
    Append: Projection._grow,
    items.Notice: Projection._take_notice,
}
"""How to apply each change that is not the header of an entry."""


@cache
def _decoders() -> dict[str, msgspec.msgpack.Decoder[Any]]:
    """Returns decoders for the fields that grow with the conversation, for their spilled parts."""
    values = {
        "_headers": tuple[Header, int],
        "_parts": dict[str, Part],
        "_owners": str,
        "_stored": Order,
    }
    return {name: decoder_of(value) for name, value in values.items()}
