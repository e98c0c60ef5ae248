"""Loads only the end of a long conversation, which is enough to send changed rows to a reader.

Nearly every changed row is one of the last rows and depends on no earlier entry. If a row may depend on one, this is
detected, and the reader is asked to load the conversation again. A conversation with branches or sub-agents is always
loaded completely: which messages were abandoned, and how long an agent's thread is, depends on all entries.
"""

from collections.abc import Iterator

from chorus.core.conversation import items
from chorus.core.conversation.items import MAIN, Order
from chorus.find.index.port import MAX_ENTRIES, Index
from chorus.find.index.rows import ConversationRow, Entry, Key
from chorus.show.transcripts.keys import mode_order, place_of
from chorus.show.transcripts.sketch_list import SketchList

_END: Key = (("\U0010ffff", 0, "", 0, 0), "")


def entries(index: Index, row: ConversationRow, last: int) -> list[Entry] | None:
    """Returns about the `last` entries of a conversation, in order; None if the conversation has no more than these."""
    found: list[Entry] = []
    before, limit = _END, min(MAX_ENTRIES, last)
    while len(found) < last:
        page = index.page(row.name, before=before, limit=limit)
        found = [*page, *found]
        if len(page) < limit:
            return None
        before = page[0].key
    return found


def reaching_back(
    loaded: SketchList, begins_at: Order, found: dict[str, Entry], changed: dict[str, Order]
) -> Iterator[str]:
    """Yields the ids of changed entries whose rows may depend on entries before the tail, which begins at `begins_at`.

    `loaded` is the tail before the changes are applied, or a new one that already contains them.
    """
    for item_id, order in changed.items():
        entry = found.get(item_id)
        if entry is None:
            if item_id not in loaded.sketches:
                yield item_id
        elif order <= begins_at or entry.order <= begins_at or not _is_self_contained(loaded, entry, found):
            yield item_id


def _is_self_contained(loaded: SketchList, entry: Entry, found: dict[str, Entry]) -> bool:
    """Returns whether everything that the row of an entry depends on is in the tail too."""
    match entry.item:
        case items.Message(agent=agent, parent=parent):
            # A second first message is a branch too: the earlier messages may be abandoned.
            return agent != MAIN or (parent is not None and (parent in loaded.sketches or parent in found))
        case items.Call(message=message):
            needed = message
        case items.Permission(tool_use_id=call):
            needed = f"call:{call}" if call else None
        case items.Agent():
            return False
        case items.Turn(agent=agent):
            return agent != MAIN or loaded.links.has_turn_before(entry.order)
        case items.ModeChange(agent=agent):
            thread = loaded.threads.get(agent)
            place = place_of(mode_order(entry.order), loaded.prefix)
            return thread is not None and any(mode.place < place for mode in thread.modes)
        case _:
            return True
    return needed is None or needed in loaded.sketches or needed in found
