"""The list of conversations."""

from chorus import wire
from chorus.finding.asking import conversations
from chorus.index.port import Index
from chorus.pages.summary import Summaries
from chorus.server.asking import Late, read
from chorus.store.port import Vault


def listed(
    index: Index, vault: Vault, summaries: Summaries, text: str, *, start: int, limit: int
) -> wire.ConversationList:
    """Conversations that have an entry which answers the query, the one with the newest first."""
    query = read(text)
    late = Late()
    # The place of the feed comes first: what changes while rows are read is told again, never missed.
    place = place_of(index)
    rows, has_more = conversations(index, vault, query, limit=limit, start=start, is_late=late)
    return wire.ConversationList(
        conversations=summaries.of(index, rows),
        has_more=has_more,
        is_partial=late.has_passed,
        epoch=index.epoch,
        seq=place,
    )


def place_of(index: Index) -> int:
    """Where the feed ends now: to ask for an epoch that never was tells only that."""
    return index.feed("", 0).seq
