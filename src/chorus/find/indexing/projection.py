"""The fold's changes as entries: which of them changed, with what can be searched for in them."""

from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Any

import msgspec
from msgspec import structs

from chorus.core.conversation import items
from chorus.core.conversation.items import Append, Change, Order, Reach, Remove
from chorus.core.conversation.lifecycle import RUNNING
from chorus.core.query.words import prepare
from chorus.find.index.marks import APPROVED_BY, marks_of
from chorus.find.index.rows import PARTIAL, RESULT, Document, Entry, Header, Note, Part, Put
from chorus.find.indexing.spilling_dict import decoder_of, spill, values_held
from chorus.find.payloads.searchable import Said, said_in_block, said_in_result
from chorus.keep.vault.spill_file import SpillFile

_LONG_NOTICE = 200
"""A notice's text beyond this is had from the vault again."""
_MANY_PARTS, _MAX_KEPT_CHARS = 32, 1 << 20
"""Of messages with so many parts what they say is kept for the next writing, and how much of it at most."""
Load = Callable[[Part], "items.Block | items.ToolResult | None"]
"""A part with its payload, from the vault; None when it cannot be had."""


class Projection:
    """The entries of one conversation. Payloads are let go of once they were written."""

    def __init__(
        self,
        name: str,
        load: Load,
        entries: Iterable[Entry] = (),
        being_written: Collection[str] = (),
        messages: Collection[str] | None = None,
        side_text: Callable[[items.ToolResult], str] = lambda _result: "",
    ) -> None:
        """`entries` are those that the index already has; of their partial blocks those `being_written` still hold.

        Of messages those hold that are among `messages`, if they are given: entries may be further than the fold, and
        in another order of reading a message may be shown elsewhere. What still stands is put again. `side_text` gives
        the whole output of a result that refers to a file.
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
        self._said: dict[str, Said] = {}
        self._said_before: dict[str, Said] = {}
        """What long messages said that were written last, so that a line more of one does not read all of it again."""
        self.session: items.Session | None = None
        self.text_chars = 0
        """Of the texts at hand."""
        self.files: dict[str, bool] = {}
        """Paths that calls name → whether one writes it; those met since the last writing."""
        self.names: set[tuple[str, str]] = set()
        """Tools and models met since the last writing."""
        for entry in entries:
            self._stored[entry.id] = entry.order
            if messages is not None and isinstance(entry.item, items.Message) and entry.id not in messages:
                self._touched[entry.id] = None
                continue
            self._hold(entry.item, entry.at)
            for part in entry.parts:
                if part.kind == PARTIAL and part.id not in being_written:
                    # Read on from an earlier place, its full line may come first: then nothing would take it back.
                    self._touched[entry.id] = None
                    continue
                self._parts.setdefault(entry.id, {})[part.id] = part
                self._owners[part.id] = entry.id

    def __len__(self) -> int:
        """How many items it has."""
        return len(self._headers) + len(self._owners)

    def spill(self, aside: SpillFile) -> None:
        """Put aside what was not touched lately."""
        spill(self, aside, _decoders())

    @property
    def held(self) -> int:
        """How many values are in memory."""
        return values_held(self, _decoders())

    def turns(self) -> list[items.Turn]:
        """The ends of turns of the main thread that tell what was used or what it cost, in order.

        The interactive client writes an end for every turn that tells neither: all are looked at with each writing.
        """
        return sorted(self._turns.values(), key=lambda turn: turn.order)

    def agents_at_work(self) -> int:
        """Sub-agents that are at work as far as the record tells; several ids of one call are one."""
        return len({agent.call or agent.id for agent in self._at_work.values()})

    def take(self, changes: Iterable[Change], at: int) -> None:
        """Apply what a record changed, whose line is kept at `at`."""
        # By the type itself: a chain of questions is asked for every change of every record.
        for change in changes:
            act = _ACTS.get(type(change))
            if act is None:
                self._take_header(change, at)  # type: ignore[arg-type]
            else:
                act(self, change, at)

    def _take_session(self, session: items.Session, _at: int) -> None:
        self.session = session

    def _reach(self, reach: Reach, _at: int) -> None:
        if self.session and (self.session.ended_at or "") < reach.time:
            self.session.ended_at = reach.time

    def _grow(self, _append: Append, _at: int) -> None:
        """What is still being said is not searched for."""

    def _hold(self, item: Header, at: int) -> None:
        if item.id not in self._headers:
            self.calls += isinstance(item, items.Call)
            self.agents += isinstance(item, items.Agent)
        if isinstance(item, items.Turn) and not item.agent:
            self._turns.pop(item.id, None)
            if _tells_usage(item):
                self._turns[item.id] = item
        elif isinstance(item, items.Agent):
            self._at_work.pop(item.id, None)
            if item.status == RUNNING:
                self._at_work[item.id] = item
        self._headers[item.id] = item, at

    def _take_notice(self, item: items.Notice, at: int) -> None:
        text = item.text
        if text and len(text) > _LONG_NOTICE:
            if not item.is_internal:
                self._say(item.id, Said(text))
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
        )
        self._take_header(note, at)

    def _take_header(self, item: Header, at: int) -> None:
        known = self._headers.get(item.id)
        # Facts that arrive later do not move an item; its own line stays the first that told of it.
        self._hold(item, known[1] if known and known[0].order == item.order else at)
        self._touched[item.id] = None
        if isinstance(item, items.Message) and item.model:
            self.names.add(("model", item.model))
        elif isinstance(item, items.Call):
            self.names.add(("tool", item.name))
            if item.files:
                self.files.update(dict.fromkeys(item.files, True))
        elif isinstance(item, Note) and item.tool is not None:
            self.names |= {(kind, value) for kind, value in (("tool", item.tool), (APPROVED_BY, item.by)) if value}

    def _take_block(self, item: items.Block, at: int) -> None:
        if item.is_partial:
            self._put_part(item.of, Part(item.id, item.order, item.place, at, PARTIAL))
            return
        block = item.block
        self._say(item.id, said_in_block(block))
        call = block.id if block.type == "tool_use" else None
        self._put_part(item.of, Part(item.id, item.order, item.place, at, block.type, call))

    def _take_result(self, item: items.ToolResult, at: int) -> None:
        self._say(item.id, said_in_result(item, self._side_text(item)))
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
            self._touched[item_id] = None

    def _say(self, item_id: str, said: Said) -> None:
        before = self._said.get(item_id)
        self.text_chars += len(said.text) - (len(before.text) if before else 0)
        self._said[item_id] = said
        for path in said.files:
            self.files.setdefault(path, False)

    def settle(self) -> tuple[list[Put], list[tuple[str, Order]]]:
        """What changed since the last time: entries as they are now, and those that are gone."""
        put: list[Put] = []
        gone: list[tuple[str, Order]] = []
        for name in self._touched:
            known = self._headers.get(name)
            was = self._stored.get(name)
            if known is None:
                if was is not None:
                    gone.append((name, self._stored.pop(name)))
                continue
            item, at = known
            held = self._parts.get(name)
            parts = (
                sorted(held.values(), key=lambda part: part.order) if held and len(held) > 1 else (held or {}).values()
            )
            if isinstance(item, items.Message) and item.request_id:
                # As random as an id can be, and nobody asks the index for it: its line has it.
                item = structs.replace(item, request_id=None)
            entry = Entry(item, tuple(parts), at)
            document = self._document(entry)
            entry.digest = document.digest() if document else 0
            put.append(Put(entry, document, was))
            self._stored[name] = item.order
        self._touched = {}
        self._said_before = self._said_in_long(put)
        self._said = {}
        self.text_chars = 0
        self.files, self.names = {}, set()
        return put, gone

    def _document(self, entry: Entry) -> Document | None:
        said: list[Said] = []
        match entry.item:
            case items.Message(is_partial=False):
                said = [self._said_of(part) for part in entry.parts if _is_message_text(part)]
                if entry.item.error:
                    said.append(Said(entry.item.error))
            case items.Call():
                made = self._parts.get(entry.item.message or "", {}).get(entry.item.block or "")
                said = [self._said_of(part) for part in (made, *entry.parts) if part]
            case items.Turn() if entry.item.is_error or entry.item.errors:
                said = [Said(error) for error in entry.item.errors]
            case Note(is_internal=False):
                said = [self._said.get(entry.id) or Said(entry.item.text or "")]
            case items.Queued(is_in_message=False, state="waiting" | "absorbed" | "removed"):
                said = [self._said_of(part) for part in entry.parts]
            case _:
                return None
        words = prepare("\n".join([each.text for each in said if each.text]))
        files = [path for each in said for path in each.files]
        has = [each.kind for each in said if each.kind]
        return Document(words.text, words.parts, marks_of(entry, self.name, files=files, has=has))

    def _said_in_long(self, put: list[Put]) -> dict[str, Said]:
        """What messages of many parts say, those that were touched last first; as much as may be kept."""
        kept: dict[str, Said] = {}
        room = _MAX_KEPT_CHARS
        for each in reversed(put):
            if not isinstance(each.entry.item, items.Message) or len(each.entry.parts) < _MANY_PARTS:
                continue
            for part in each.entry.parts:
                said = self._said.get(part.id) or self._said_before.get(part.id)
                if said is not None and (room := room - len(said.text)) >= 0:
                    kept[part.id] = said
        return kept

    def _said_of(self, part: Part) -> Said:
        known = self._said.get(part.id) or self._said_before.get(part.id)
        if known is not None:
            return known
        said = self._loaded(part)
        if len(self._parts.get(self._owners.get(part.id, ""), ())) >= _MANY_PARTS:
            self._said[part.id] = said
        return said

    def _loaded(self, part: Part) -> Said:
        loaded = self._load(part)
        match loaded:
            case items.Block():
                return said_in_block(loaded.block)
            case items.ToolResult():
                return said_in_result(loaded, self._side_text(loaded))
            case None:
                return Said("")


def _tells_usage(turn: items.Turn) -> bool:
    stated = (turn.tokens, turn.total_cost_usd, turn.cost_since_last_usd, turn.models_since_last, turn.doubt)
    return bool(turn.models) or any(each is not None for each in stated)


def _is_message_text(part: Part) -> bool:
    return part.kind not in ("tool_use", RESULT, PARTIAL)


_ACTS: dict[type, Callable[[Projection, Any, int], None]] = {
    items.Session: Projection._take_session,
    Reach: Projection._reach,
    items.Block: Projection._take_block,
    items.ToolResult: Projection._take_result,
    Remove: Projection._remove,
    Append: Projection._grow,
    items.Notice: Projection._take_notice,
}
"""What to do with each change that is not the header of an entry."""


@cache
def _decoders() -> dict[str, msgspec.msgpack.Decoder[Any]]:
    """Of what grows with the conversation, how it is read when it was put aside."""
    values = {
        "_headers": tuple[Header, int],
        "_parts": dict[str, Part],
        "_owners": str,
        "_stored": Order,
    }
    return {name: decoder_of(value) for name, value in values.items()}
