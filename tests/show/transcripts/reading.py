"""Conversations that are stored, indexed and read by pages, and the same rows from the fold."""

from typing import Any

from msgspec import structs

from chorus.core.conversation.branches import branches as branches_of
from chorus.core.conversation.items import MAIN
from chorus.core.views.blocks import Image
from chorus.core.views.rows import BranchRow, MessageRow, OrphanRow, ToolCall
from chorus.core.views.transcript import rows
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.memory import MemoryIndex
from chorus.find.indexing.open_conversation import OpenConversation
from chorus.keep.archive.listing import Kept
from chorus.keep.archive.opening import open_kept
from chorus.keep.vault.memory import MemoryVault
from chorus.show.transcripts.cutting import cut
from chorus.show.transcripts.open_transcripts import OpenTranscripts
from chorus.show.transcripts.page import page
from chorus.testing.indexes import NEVER, SEEN_AT, keep, kept_in
from tests.find.indexing.growing import pieces_of

CONVERSATION = "5e551011-0000-4000-8000-000000000001"


class Read:
    """A stored and indexed conversation that may grow, and its pages."""

    def __init__(self, vault, tmp_path, name=None):
        self.vault = vault
        self.index = MemoryIndex()
        self.transcripts = OpenTranscripts(vault, Costs(tmp_path))
        (self.kept,) = [each for each in kept_in(vault) if name in (None, each.name)]
        self._opened = OpenConversation(vault, self.kept)
        self.catch_up()

    def catch_up(self) -> Kept:
        """Indexes the new lines in the vault."""
        (self.kept,) = [each for each in kept_in(self.vault) if each.name == self.kept.name]
        if not self._opened.can_continue:
            self._opened = OpenConversation(self.vault, self.kept)
        self.index.write(self._opened.writings(self.kept, saved_since=NEVER))
        return self.kept

    @property
    def opened(self):
        found = self.transcripts.of(self.index, self.kept.name)
        assert found is not None
        return found

    @property
    def conversation(self):
        return open_kept(self.vault, self.kept)

    def page(self, **asked) -> Any:
        return page(self.opened, self.index, **asked)

    def forwards(self, limit=50, **asked) -> list[Any]:
        """Returns the rows of all pages from the start."""
        found, after = [], ""
        while after is not None:
            some = self.page(after=after, limit=limit, **asked)
            found += some.rows
            after = some.after
        return found

    def backwards(self, limit=50, **asked) -> list[Any]:
        """Returns the rows of all pages from the end, in the order of the conversation."""
        some = self.page(limit=limit, **asked)
        found = list(some.rows)
        while some.before is not None:
            some = self.page(before=some.before, limit=limit, **asked)
            found = [*some.rows, *found]
        return found


def kept_talk(talk):
    """Returns a vault with all streams of a random conversation."""
    vault = MemoryVault()
    for key, lines in pieces_of(talk, CONVERSATION).items():
        vault.append(key, b"".join(lines), seen_at=SEEN_AT)
    vault.flush()
    return vault


def read(tmp_path, *sessions):
    """Returns a conversation that is stored and indexed."""
    vault = MemoryVault()
    for session in sessions:
        keep(vault, session)
    return Read(vault, tmp_path)


def shown(conversation, thread=MAIN, *, internal=False, chosen=()):
    """Returns the rows that a reader of a thread sees with these chosen heads, from the whole conversation."""
    hidden = _hidden(conversation, chosen)
    told = []
    is_seen = True
    for row in rows(conversation, thread, internal=internal, nested=False):
        if thread == MAIN:
            match row:
                case BranchRow():
                    is_seen = row.id.removeprefix("branch:") not in hidden
                case MessageRow():
                    is_seen = row.id not in hidden
                case _ if row.id.startswith("agent:"):
                    is_seen = True
        if is_seen:
            told.append(unnumbered(cut(row)[0]))
    return told


def _hidden(conversation, chosen):
    points = {branch.at: branch.heads for branch in branches_of(conversation)}
    children = {}
    for message in conversation.messages:
        children.setdefault(message.parent, []).append(message.id)
    picked = {at: next((head for head in heads if head in chosen), heads[-1]) for at, heads in points.items()}
    left = [head for at, heads in points.items() for head in heads if head != picked[at]]
    found = set()
    while left:
        head = left.pop()
        if head not in found:
            found.add(head)
            left += children.get(head, ())
    return found


def plain(page_rows) -> list[Any]:
    """Returns the rows of a page without their places."""
    return [unnumbered(each.row) for each in page_rows]


def unnumbered(row):
    """Returns a row without numbers of pictures, because only a page knows the records that they come from."""
    match row:
        case MessageRow():
            return structs.replace(row, pieces=tuple(map(_unnumbered, row.pieces)))
        case OrphanRow():
            return structs.replace(row, call=_unnumbered(row.call))
        case _:
            return row


def _unnumbered(piece):
    match piece:
        case Image():
            return structs.replace(piece, nth=0)
        case ToolCall():
            return structs.replace(piece, given=tuple(map(_unnumbered, piece.given)))
        case _:
            return piece
