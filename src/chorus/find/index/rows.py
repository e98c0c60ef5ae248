"""What the index keeps of a conversation: projections of the fold's changes, with places instead of payloads."""

from zlib import crc32

from msgspec import Struct, field

from chorus.core.conversation import items
from chorus.core.conversation.items import Order, Session
from chorus.core.records.place import Place
from chorus.core.spending.rows import Reported, Usage

RESULT = "result"
"""The kind of a part that is what a tool gave back; all others but one are kinds of content blocks."""
PARTIAL = "partial"
"""The kind of a part that was still being written when its stream ended: its text is in the events from there on."""


class Note(items.Item, tag="note"):
    """A notice without its body."""

    type: str
    kind: str
    place: Place
    is_internal: bool
    time: str | None = None
    text: str | None = None
    """The beginning of it."""
    reason: str | None = None
    tool: str | None = None
    by: str | None = None
    source: str | None = None
    against: str | None = None
    level: str | None = None


Header = (
    items.Message
    | items.Call
    | items.Turn
    | Note
    | items.Compaction
    | items.Queued
    | items.Permission
    | items.Agent
    | items.ModeChange
)
"""The items that are entries; blocks and results are parts of one."""


Key = tuple[Order, str]
"""The place of an entry in its conversation: its order, then its id."""


class Part(Struct, array_like=True, gc=False):
    """A block or result of an entry without its payload, and where to find that."""

    id: str
    order: Order
    place: Place
    at: int
    """Where the vault keeps the line of the record: what `Vault.line_at` takes."""
    kind: str
    """The type of a content block, or `RESULT`."""
    call: str | None = None
    """The tool call that a block makes, or a result answers."""


class Entry(Struct, array_like=True, gc=False):
    """An item in the order of its conversation, with its parts."""

    item: Header
    parts: tuple[Part, ...] = ()
    at: int = 0
    """Where the vault keeps the line of the item's own place, where it has one."""
    number: int = 0
    """The entry's number in the index: newer entries have higher ones. 0 when it cannot be searched for."""
    digest: int = 0
    """Of what can be searched for: as long as it stays, the words of the entry stay. 0 when there is nothing."""

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def order(self) -> Order:
        return self.item.order

    @property
    def key(self) -> Key:
        """Sorts entries: items of one record may share their order."""
        return self.item.order, self.item.id

    @property
    def time(self) -> str | None:
        """When it was, as its own records say; None where they do not. This is the time to show."""
        match self.item:
            case items.Message() as message:
                return message.started_at
            case items.Call() as call:
                return call.started_at or call.ended_at
            case items.Turn() as turn:
                return turn.ended_at
            case items.Agent():
                return None
            case item:
                return item.time

    @property
    def dated(self) -> str:
        """The time that `on:`, `before:` and `after:` ask for, and that newest-first goes by.

        An entry without a time of its own counts as of the latest time that its stream had stated before it.
        """
        return self.time or self.item.order[0]


class Document(Struct, gc=False):
    """What of an entry can be searched for."""

    text: str
    """Made ready by `query.words`."""
    parts: str
    marks: tuple[str, ...]
    """What fields ask for, as words; see `index.marks`."""

    def digest(self) -> int:
        """Tells whether a document changed; never 0."""
        beside = "\0".join((self.parts, *self.marks))
        return crc32(self.text.encode("utf-8", "replace"), crc32(beside.encode("utf-8", "replace"))) + 1


class Put(Struct, gc=False):
    """An entry as it is now."""

    entry: Entry
    document: Document | None
    was: Order | None = None
    """The order under which the index has it so far; None when it is new."""


class ConversationRow(Struct, kw_only=True):
    """What a list says about a conversation, and what a page needs above its items."""

    name: str
    """`workspace/agent/conversation`: what tells it from all others."""
    id: str
    workspace: str
    agent: str
    session: Session
    sub_agents: int = 0
    sub_agents_at_work: int = 0
    """Those whose end is not told; if the conversation itself was left, they were as well."""
    calls: int = 0
    tokens: items.Tokens = items.Tokens()
    """Of all that it holds, what was copied from another conversation included. What it spent itself: `Index.spent`."""
    is_per_turn: bool = False
    """Whether results tell its tokens, and not its messages."""
    reported_usd: float | None = None
    size_bytes: int = 0
    """What it takes in the vault."""
    damaged: int = 0
    """Lines of the vault that could not be read."""
    records: int = 0
    """Records that could."""
    is_stub: bool = False
    """Whether only prompts of it are kept."""
    given_title: str | None = None
    """What a person calls it. No index keeps this; see `finding.resolving`."""

    @property
    def is_empty(self) -> bool:
        """Whether all its streams hold belongs to other sessions; such a one is not listed."""
        return not self.records and not self.damaged

    @property
    def title(self) -> str:
        """What to call it; never empty."""
        return self.given_title or self.own_title

    @property
    def own_title(self) -> str:
        """What its records call it; never empty."""
        return "(nothing readable)" if self._is_lost else self.session.title or self.id

    @property
    def status(self) -> str:
        """What it is doing, or that nothing of it is left to tell."""
        return "damaged" if self._is_lost else self.session.status.value

    @property
    def _is_lost(self) -> bool:
        return self.damaged > 0 and not self.records

    @property
    def is_lower_bound(self) -> bool:
        """Whether there may have been more tokens: a message does not say how it ended."""
        return self.session.messages_unended > 0 and not self.is_per_turn


class Position(Struct, array_like=True):
    """How far a stream of the vault was indexed."""

    size_bytes: int
    """What the stream took in the vault, open or packed, when it was read to its end."""
    at: int
    """Where the vault goes on with the line that comes next."""
    revision: int
    seq: int


class Writing(Struct, kw_only=True):
    """Everything that changes about one conversation, written as one."""

    row: ConversationRow
    is_whole: bool
    """Whether this is all of it: what the index had is gone."""
    put: list[Put] = field(default_factory=list)
    removed: list[tuple[str, Order]] = field(default_factory=list)
    """Ids of entries, with the order under which the index has them."""
    usages: list[Usage] = field(default_factory=list)
    usages_gone: list[str] = field(default_factory=list)
    """Messages that the conversation no longer tells the usage of."""
    reported: list[Reported] = field(default_factory=list)
    """All of them, each time."""
    files: dict[str, bool] = field(default_factory=dict)
    """Paths that calls name → whether one writes it. Those that are new, or all with `is_whole`."""
    names: set[tuple[str, str]] = field(default_factory=set)
    """New (kind, value) pairs that fields can ask for: tools and models."""
    positions: dict[str, Position] = field(default_factory=dict)
    """Stream → how far it was read; all of them, each time."""
    state: bytes | None = None
    """What to go on from, for conversations that are at work; None leaves what was saved before, if it is not whole."""

    @property
    def chars(self) -> int:
        """Of the texts that can be searched for."""
        return sum(len(put.document.text) for put in self.put if put.document)


class Hit(Struct, frozen=True):
    """An entry that answers a query."""

    number: int
    conversation: str
    also: tuple[int, ...] = ()
    """The other calls of a sequence."""
    time_ms: int | None = None
    """When it was, in milliseconds since 1970; not known for sequences and for words that stand apart."""


class Answer(Struct):
    """What a search found."""

    hits: list[Hit]
    next: int | None = None
    """What to ask for the hits that follow; None when there are none."""
    is_partial: bool = False
    """Whether time ran out before all candidates were looked at: `next` goes on where it did."""
    looked_to: str | None = None
    """If time ran out, the time of the entry that was looked at last."""
    is_spread: bool = False
    """Whether no entry has all the words, and these are conversations that have each somewhere."""


class FeedEvent(Struct, frozen=True, array_like=True):
    """Something changed: an entry, or (with `item` None) so much that the conversation is to be read anew."""

    seq: int
    conversation: str
    item: str | None = None
    order: Order | None = None
    """Where the entry is now, or was before it was removed: with its id, the key to read it by."""


class Feed(Struct):
    """What changed since a place in the feed."""

    epoch: str
    """Another one means that the index was built anew: everything is to be read again."""
    seq: int
    """The place after these events."""
    events: list[FeedEvent] = field(default_factory=list)
    is_broken: bool = False
    """Whether events before these are no longer kept: everything is to be read again."""
