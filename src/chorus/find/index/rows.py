"""What the index stores about a conversation: projections of the fold's changes, with places instead of payloads."""

from zlib import crc32

from msgspec import Struct, field

from chorus.core.conversation import items
from chorus.core.conversation.items import Order, Session
from chorus.core.progress.model import ConversationProgress
from chorus.core.records.place import Place
from chorus.core.spending.rows import Reported, Usage
from chorus.find.index.activities import Activity

RESULT = "result"
"""The kind of a part that is the result of a tool; all other kinds except `PARTIAL` are types of content blocks."""
PARTIAL = "partial"
"""The kind of a part that was incomplete when its stream ended: its text is in the events from that place on."""


class Note(items.Item, tag="note"):
    """A notice without its body."""

    type: str
    kind: str
    place: Place
    is_internal: bool
    time: str | None = None
    text: str | None = None
    """The beginning of the text."""
    reason: str | None = None
    tool: str | None = None
    by: str | None = None
    source: str | None = None
    against: str | None = None
    level: str | None = None
    call: str | None = None
    latency_ms: int | None = None


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
"""The items that are entries; blocks and results are parts of an entry."""


Key = tuple[Order, str]
"""The position of an entry in its conversation: its order, then its id."""


class Part(Struct, array_like=True, gc=False):
    """A block or result of an entry, with the place of its payload instead of the payload."""

    id: str
    order: Order
    place: Place
    at: int
    """Where the vault stores the line of the record: the argument of `Vault.line_at`."""
    kind: str
    """The type of a content block, or `RESULT`."""
    call: str | None = None
    """The tool call that a block makes, or that a result answers."""


class Entry(Struct, array_like=True, gc=False):
    """An item in the order of its conversation, with its parts."""

    item: Header
    parts: tuple[Part, ...] = ()
    at: int = 0
    """Where the vault stores the line of the item's own place, if it has one."""
    number: int = 0
    """The entry's number in the index: newer entries have higher numbers. 0 when the entry is not searchable."""
    digest: int = 0
    """The digest of the searchable content: while it is unchanged, the words of the entry are. 0 when there is none."""

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def order(self) -> Order:
        return self.item.order

    @property
    def key(self) -> Key:
        """Sorts entries. The id is needed because items of one record may share their order."""
        return self.item.order, self.item.id

    @property
    def time(self) -> str | None:
        """The time according to the entry's own records; None if they have none. This is the time to show."""
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
        """The time that `on:`, `before:` and `after:` compare, and that newest-first sorts by.

        An entry without a time of its own gets the latest time that its stream stated before it.
        """
        return self.time or self.item.order[0]


class Document(Struct, gc=False):
    """The searchable content of an entry."""

    text: str
    """Prepared by `core.query.words`."""
    parts: str
    marks: tuple[str, ...]
    """The values that fields ask for, as words; see `index.marks`."""

    def digest(self) -> int:
        """Returns a number that changes with the content; never 0."""
        beside = "\0".join((self.parts, *self.marks))
        return crc32(self.text.encode("utf-8", "replace"), crc32(beside.encode("utf-8", "replace"))) + 1


class Put(Struct, gc=False):
    """The current state of an entry."""

    entry: Entry
    document: Document | None
    was: Order | None = None
    """The order under which the index stores it at present; None when it is new."""


_CLIENT_SOURCES = ("custom", "ai", "summary")


class ConversationRow(Struct, kw_only=True):
    """What a list shows about a conversation, and what a page shows above its items."""

    name: str
    """`workspace/agent/conversation`: unique."""
    id: str
    workspace: str
    agent: str
    session: Session
    sub_agents: int = 0
    sub_agents_at_work: int = 0
    """Sub-agents without a recorded end; if the conversation itself was abandoned, they were as well."""
    calls: int = 0
    tokens: items.Tokens = items.Tokens()
    """Tokens of the whole content, including what was copied from another conversation. For its own use see
    `Index.spent`.
    """
    is_per_turn: bool = False
    """Whether its tokens come from turn results and not from messages."""
    reported_usd: float | None = None
    size_bytes: int = 0
    """Its size in the vault."""
    damaged: int = 0
    """The number of vault lines that could not be read."""
    records: int = 0
    """The number of records that could be read."""
    is_stub: bool = False
    """Whether only prompts of the conversation are stored."""
    progress: ConversationProgress | None = None
    """How far its turn and its sub-agents are; None if nothing is at work, or nobody said anything about progress."""
    given_title: str | None = None
    """The title that a person gave it. No index stores this; `find.search.annotations` adds it."""

    @property
    def is_empty(self) -> bool:
        """Whether its streams contain only records of other sessions; such a conversation is not listed."""
        return not self.records and not self.damaged

    @property
    def title(self) -> str:
        """The title to show; never empty."""
        return self.given_title or self.own_title

    @property
    def own_title(self) -> str:
        """The title from its records; never empty."""
        return "(nothing readable)" if self._is_lost else self.session.title or self.id

    @property
    def client_title(self) -> str:
        """The title that a client wrote; "" if there is none. Words of a prompt are no such title."""
        return self.session.title or "" if self.session.title_source in _CLIENT_SOURCES else ""

    @property
    def status(self) -> str:
        """The status of the session, or "damaged" if nothing of it is readable."""
        return "damaged" if self._is_lost else self.session.status.value

    @property
    def _is_lost(self) -> bool:
        return self.damaged > 0 and not self.records

    @property
    def is_lower_bound(self) -> bool:
        """Whether more tokens may have been used: the end of some message is not recorded."""
        return self.session.messages_unended > 0 and not self.is_per_turn


class Position(Struct, array_like=True):
    """How far a stream of the vault was indexed."""

    size_bytes: int
    """The size of the stream in the vault, open or packed, when it was read to its end."""
    at: int
    """Where the vault continues with the next line."""
    revision: int
    seq: int


class Writing(Struct, kw_only=True):
    """Everything that changes about one conversation, written as one unit."""

    row: ConversationRow
    is_whole: bool
    """Whether this is the whole conversation: what the index had is replaced."""
    put: list[Put] = field(default_factory=list)
    removed: list[tuple[str, Order]] = field(default_factory=list)
    """Ids of entries, with the order under which the index stores them."""
    usages: list[Usage] = field(default_factory=list)
    usages_gone: list[str] = field(default_factory=list)
    """Messages for which the conversation no longer reports a usage."""
    reported: list[Reported] = field(default_factory=list)
    """All of them, every time."""
    files: dict[str, bool] = field(default_factory=dict)
    """Paths that calls name → whether a call writes it. Only new ones, or all with `is_whole`."""
    names: set[tuple[str, str]] = field(default_factory=set)
    """New (kind, value) pairs that fields can ask for: tools and models."""
    activities: list[Activity] = field(default_factory=list)
    """New and changed ones, or all with `is_whole`."""
    activities_gone: list[str] = field(default_factory=list)
    """Ids of activities that the conversation no longer contains."""
    agent_types: dict[str, str] = field(default_factory=dict)
    """Sub-agent → its type. Only new and changed ones, or all with `is_whole`."""
    positions: dict[str, Position] = field(default_factory=dict)
    """Stream → how far it was read; all streams, every time."""
    state: bytes | None = None
    """The state to continue from, for active conversations; None leaves the saved state, unless `is_whole`."""

    @property
    def chars(self) -> int:
        """The number of characters of the searchable texts."""
        return sum(len(put.document.text) for put in self.put if put.document)


class Hit(Struct, frozen=True):
    """An entry that answers a query."""

    number: int
    conversation: str
    also: tuple[int, ...] = ()
    """The other calls of a sequence."""
    time_ms: int | None = None
    """Its time in milliseconds since 1970; unknown for sequences and for words that are spread over a conversation."""


class Answer(Struct):
    """The result of a search."""

    hits: list[Hit]
    next: int | None = None
    """The value of `below` for the following hits; None when there are none."""
    is_partial: bool = False
    """Whether time ran out before all candidates were checked: `next` continues from there."""
    looked_to: str | None = None
    """If time ran out, the time of the entry that was checked last."""
    is_spread: bool = False
    """Whether no entry has all the words, and the hits are conversations that contain each word somewhere."""


class FeedEvent(Struct, frozen=True, array_like=True):
    """A change of an entry or, with `item` None, of so much that the conversation must be read again."""

    seq: int
    conversation: str
    item: str | None = None
    order: Order | None = None
    """Where the entry is now, or was before it was removed: together with its id the key to read it."""


class Feed(Struct):
    """What changed since a position in the feed."""

    epoch: str
    """A different epoch means that the index was rebuilt: everything must be read again."""
    seq: int
    """The position after these events."""
    events: list[FeedEvent] = field(default_factory=list)
    is_broken: bool = False
    """Whether earlier events are no longer stored: everything must be read again."""
