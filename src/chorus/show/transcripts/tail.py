"""The end of a long conversation held instead of all of it: enough to tell a reader what is new.

Nearly every row that changes is among the last ones and depends on nothing before them. Where one may, that is known,
and the reader is asked to read again. A conversation with branches or sub-agents is held as a whole: which messages
were left, and how much an agent said, is told by all of it.
"""

from collections.abc import Iterator

from chorus.core.conversation import items
from chorus.core.conversation.items import MAIN, Order
from chorus.find.index.port import MAX_ENTRIES, Index
from chorus.find.index.rows import ConversationRow, Entry, Key
from chorus.show.transcripts.keys import mode_order, place_of
from chorus.show.transcripts.sketch_list import Shelf

_END: Key = (("\U0010ffff", 0, "", 0, 0), "")


def entries(index: Index, row: ConversationRow, last: int) -> list[Entry] | None:
    """About so many entries of the end of a conversation, in order; None where that is all of it."""
    found: list[Entry] = []
    before, limit = _END, min(MAX_ENTRIES, last)
    while len(found) < last:
        page = index.page(row.name, before=before, limit=limit)
        found = [*page, *found]
        if len(page) < limit:
            return None
        before = page[0].key
    return found


def reaching_back(shelf: Shelf, begins_at: Order, found: dict[str, Entry], changed: dict[str, Order]) -> Iterator[str]:
    """The ids of changed entries whose rows may depend on what lies before the tail, which begins at `begins_at`.

    `shelf` is the tail before it takes in the changes, or a new one that has them.
    """
    for item_id, order in changed.items():
        entry = found.get(item_id)
        if entry is None:
            if item_id not in shelf.sketches:
                yield item_id
        elif order <= begins_at or entry.order <= begins_at or not _stands_alone(shelf, entry, found):
            yield item_id


def _stands_alone(shelf: Shelf, entry: Entry, found: dict[str, Entry]) -> bool:
    """Whether what an entry is told by is in the tail as well."""
    match entry.item:
        case items.Message(agent=agent, parent=parent):
            # A second beginning is a branch, too: what came before may have been left.
            return agent != MAIN or (parent is not None and (parent in shelf.sketches or parent in found))
        case items.Call(message=message):
            needed = message
        case items.Permission(tool_use_id=call):
            needed = f"call:{call}" if call else None
        case items.Agent():
            return False
        case items.Turn(agent=agent):
            return agent != MAIN or shelf.links.has_turn_before(entry.order)
        case items.ModeChange(agent=agent):
            thread = shelf.threads.get(agent)
            place = place_of(mode_order(entry.order), shelf.prefix)
            return thread is not None and any(mode.place < place for mode in thread.modes)
        case _:
            return True
    return needed is None or needed in shelf.sketches or needed in found
