"""The context of an entry: what came before and after it in the same thread."""

from collections.abc import Iterable, Iterator

from msgspec import Struct, structs

from chorus.core.conversation import items
from chorus.core.conversation.conversation import Conversation
from chorus.errors import SourceUnreadable
from chorus.find.index.port import Index
from chorus.find.index.rows import RESULT, ConversationRow, Entry
from chorus.find.payloads.reviver import revive
from chorus.find.search.entry_texts import Texts
from chorus.find.search.plain_text import EntryText, entry_text
from chorus.keep.vault.port import Vault

_FIRST_LOOK = 16
_MAX_NAMED = 5


class Context(Struct, frozen=True):
    """An entry with its neighbours."""

    row: ConversationRow
    hit: Entry
    conversation: Conversation
    """These entries only, with their payloads: any view can draw them."""
    entries: list[EntryText]
    """What counts as an entry for a reader, in order; the hit is one of them."""

    @property
    def thread(self) -> str:
        """The sub-agent of the thread; "" for the main thread."""
        return self.hit.item.agent


def context(index: Index, vault: Vault, row: ConversationRow, hit: Entry, *, before: int, after: int) -> Context:
    """Returns the entry with at most this many entries of its thread before and after it."""
    found = [*reversed(list(_until(_backwards(index, row.name, hit), before))), hit]
    found += _until(_forwards(index, row.name, hit), after)
    texts = Texts(index, vault)
    framed = [*_frames(texts, row.name, found), *found]
    conversation = revive(row, framed, texts.loader(row.name), vault)
    return Context(
        row,
        hit,
        conversation,
        [entry_text(conversation, each) for each in found if counts_as_entry(each) or each is hit],
    )


def locate(index: Index, name: str, wanted: str) -> Entry:
    """Returns the entry with this id, or whose id or tool call id begins with it; else raises `SourceUnreadable`."""
    begin_so: list[Entry] = []
    for entry in index.all_entries(name):
        ids = [entry.id, *([entry.item.tool_use_id] if isinstance(entry.item, items.Call) else [])]
        if wanted in ids:
            return entry
        if any(each.startswith(wanted) for each in ids):
            begin_so.append(entry)
    if len(begin_so) == 1:
        return begin_so[0]
    conversation = name.rpartition("/")[2]
    if not begin_so:
        raise SourceUnreadable(
            f"{wanted}: no entry of {conversation} has this id; `chorus search --json` lists the ids"
        )
    ids = ", ".join(entry.id for entry in begin_so[:_MAX_NAMED])
    more = f" and {len(begin_so) - _MAX_NAMED} more" if len(begin_so) > _MAX_NAMED else ""
    raise SourceUnreadable(
        f"{wanted}: {len(begin_so)} entries of {conversation} have ids that begin with it: {ids}{more}"
    )


def counts_as_entry(entry: Entry) -> bool:
    """Whether it counts as an entry for a reader: it has content of its own besides the calls it makes."""
    match entry.item:
        case items.Message() as message:
            return message.error is not None or any(part.kind not in ("tool_use", RESULT) for part in entry.parts)
        case items.Compaction():
            return True
        case _:
            return entry.number > 0


def _until(entries: Iterable[Entry], wanted: int) -> Iterator[Entry]:
    """Yields entries until `wanted` of them count as entries; those that do not count are included."""
    for entry in entries if wanted > 0 else ():
        yield entry
        wanted -= counts_as_entry(entry)
        if not wanted:
            return


def _backwards(index: Index, name: str, start: Entry) -> Iterator[Entry]:
    key, limit = start.key, _FIRST_LOOK
    while page := index.page(name, before=key, limit=limit):
        yield from (entry for entry in reversed(page) if entry.item.agent == start.item.agent)
        key, limit = page[0].key, limit * 4


def _forwards(index: Index, name: str, start: Entry) -> Iterator[Entry]:
    key, limit = start.key, _FIRST_LOOK
    while page := index.page(name, after=key, limit=limit):
        yield from (entry for entry in page if entry.item.agent == start.item.agent)
        key, limit = page[-1].key, limit * 4


def _frames(texts: Texts, name: str, found: list[Entry]) -> Iterator[Entry]:
    """Yields the messages of calls that are outside of this context, reduced to the blocks of these calls."""
    known = {entry.id for entry in found}
    frames: dict[str, Entry] = {}
    blocks = {entry.item.block for entry in found if isinstance(entry.item, items.Call)}
    for entry in found:
        message = texts.message(name, entry)
        if message is not None and message.id not in known:
            frames[message.id] = message
    for message in frames.values():
        yield structs.replace(message, parts=tuple(part for part in message.parts if part.id in blocks))
