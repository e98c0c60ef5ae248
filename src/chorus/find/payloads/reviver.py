"""Turns entries of the index back into a conversation for the renderer; loads their payloads from the vault."""

from collections.abc import Iterable, Iterator

from msgspec import structs

from chorus.core.conversation import items
from chorus.core.conversation.conversation import Conversation
from chorus.core.records.model import blocks
from chorus.core.records.place import Place
from chorus.find.index.rows import RESULT, ConversationRow, Entry, Note
from chorus.find.payloads.loader import Loader
from chorus.keep.archive.listing import named
from chorus.keep.archive.manifest import manifest_of
from chorus.keep.archive.opening import side_file
from chorus.keep.vault.port import Vault


def revive(
    row: ConversationRow,
    entries: Iterable[Entry],
    loader: Loader,
    vault: Vault,
    *,
    lost: dict[str, Place] | None = None,
) -> Conversation:
    """Returns a conversation of these entries only, with the facts of the whole conversation.

    What the vault lost is left out; or, with `lost`, added to it by its id, and lost blocks are returned without
    content.
    """
    conversation = Conversation(row.session.session_id)
    conversation.apply([row.session, *(item for entry in entries for item in items_of(entry, loader, lost))])
    _add_side_files(conversation, row, vault)
    return conversation


def items_of(entry: Entry, loader: Loader, lost: dict[str, Place] | None = None) -> Iterator[items.Item]:
    """Yields the items of an entry with their payloads. What the vault lost is treated as by `revive`."""
    match entry.item:
        case Note() as note:
            whole = loader.notice(entry)
            if whole is None and lost is not None:
                lost[entry.id] = note.place
            yield _notice(note, whole)
        case items.Turn(cost_since_last_usd=None) as turn:
            # A total accumulates over turns: without the turns before, it would look like the cost of this one.
            yield structs.replace(turn, total_cost_usd=None)
        case item:
            yield item
    for part in entry.parts:
        # A single line does not say where it belongs: its owner, agent and order are known here.
        here = {"id": part.id, "order": part.order, "agent": entry.item.agent}
        match loader.part(part):
            case items.Block() as block:
                yield structs.replace(block, of=entry.id, **here)
            case items.ToolResult() as result:
                yield structs.replace(result, tool_use_id=part.call or result.tool_use_id, **here)
            case None if lost is not None:
                lost[part.id] = part.place
                if part.kind != RESULT:
                    empty = blocks.Block(type=part.kind, id=part.call)
                    yield items.Block(of=entry.id, block=empty, place=part.place, **here)
            case None:
                pass


def _notice(note: Note, whole: items.Notice | None) -> items.Notice:
    if whole is not None:
        return structs.replace(whole, id=note.id, order=note.order, agent=note.agent, time=note.time)
    return items.Notice(
        id=note.id,
        order=note.order,
        agent=note.agent,
        type=note.type,
        kind=note.kind,
        place=note.place,
        is_internal=note.is_internal,
        time=note.time,
        text=note.text,
        reason=note.reason,
        level=note.level,
    )


def _add_side_files(conversation: Conversation, row: ConversationRow, vault: Vault) -> None:
    """Adds for each result in a separate file whether that file is stored."""
    results = [result for result in conversation.all(items.ToolResult) if result.side_file]
    kept = next(iter(named(vault, [row.name])), None) if results else None
    if kept is None:
        return
    manifest = manifest_of(vault, kept)
    for result in results:
        conversation.side_files[result.id] = side_file(vault, result.side_file or "", manifest)
