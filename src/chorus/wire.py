"""What crosses the wire between server and application: every answer, and every frame of the live socket.

The web application's types are generated from these (`./dev generate`), so a change here is a change there. Every
field is always present. Rows and blocks are those of `chorus.views`, as every other door draws them.
"""

from typing import Literal

from msgspec import Struct

from chorus.conversation.items import McpServer
from chorus.conversation.tokens import Tokens
from chorus.views.rows import Row

RowKey = tuple[str, int, str, int, int, str]
"""The place of a row in its conversation: compares element by element. As JSON text it is the cursor of a page."""


class Wire(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of what is sent and taken."""


class Problem(Wire, frozen=True):
    """The one shape of an error. The application branches on `kind`, never on the words."""

    kind: str
    """`bad_query`, `not_found`, `not_logged_in`, `too_many_tries`, `index_building`, `bad_request`, `internal` …"""
    message: str
    """What went wrong, where, and what to do next."""
    at: tuple[int, int] | None = None
    """The part of a query that is meant, in characters."""


# Logging in


class Login(Wire, frozen=True):
    token: str


class Ticket(Wire, frozen=True):
    """Good for one socket within 30 seconds."""

    ticket: str


# The whole


class Folder(Wire, frozen=True):
    """A place that is watched."""

    path: str
    sessions: int
    size_bytes: int


class AtRisk(Wire, frozen=True):
    """Sessions that the client will delete soon and that are not kept yet; and what the client's setting is."""

    sessions: int
    cleanup_days: int | None


class ServerStatus(Wire, frozen=True):
    version: str
    vault: str
    epoch: str
    seq: int
    conversations: int
    watched: tuple[Folder, ...]
    at_risk: AtRisk
    state: Literal["starting", "keeping", "watching", "failed"]
    """`keeping`: the first pass over all sources is under way."""
    done_bytes: int
    total_bytes: int
    """Of the pass under way."""
    trouble: str | None
    """What keeps new data from being kept or found, and what to do about it."""


# Conversations


class ConversationSummary(Wire, frozen=True):
    """A line of the list."""

    name: str
    """`workspace/agent/conversation`: what tells it from all others."""
    id: str
    workspace: str
    agent: str
    title: str
    status: str
    """A `conversation.items.Status`, or `damaged`. Whether it is at work now also depends on `ended_at`."""
    folder: str | None
    branch: str | None
    models: tuple[str, ...]
    started_at: str | None
    ended_at: str | None
    messages: int
    calls: int
    sub_agents: int
    sub_agents_at_work: int
    tokens: Tokens
    cost_usd: float | None
    """Computed; None when a price is unknown."""
    reported_usd: float | None
    """What the client said."""
    size_bytes: int
    damaged: int
    is_stub: bool


class ConversationList(Wire, frozen=True):
    conversations: tuple[ConversationSummary, ...]
    has_more: bool
    is_partial: bool
    epoch: str
    seq: int


class Context(Wire, frozen=True):
    """How full the model's window was when it answered last."""

    tokens: int
    window: int


class ThreadSummary(Wire, frozen=True):
    """A sub-agent's thread."""

    id: str
    kind: str
    description: str
    status: str | None
    call: str | None
    """The tool call that started it."""
    parent: str
    """The thread that call stands in; "" for the main one."""
    entries: int
    started_at: str | None
    ended_at: str | None


class ConversationDetail(Wire, frozen=True):
    """What stands above and beside a transcript."""

    summary: ConversationSummary
    tools: tuple[str, ...]
    mcp_servers: tuple[McpServer, ...]
    permission_mode: str | None
    versions: tuple[str, ...]
    api_key_source: str | None
    slug: str | None
    context: Context | None
    threads: tuple[ThreadSummary, ...]
    unread: int
    epoch: str
    seq: int


# Transcripts


class RecordPlace(Wire, frozen=True):
    """Where the vault keeps a record: what `…/records` and `…/images` take."""

    stream: str
    at: int


class PageRow(Wire, frozen=True):
    key: RowKey
    thread: str
    row: Row
    places: dict[str, RecordPlace]
    """Ids of the row, of its parts and of its calls' results → the record that says it."""


class Page(Wire, frozen=True):
    """Rows of one thread in order."""

    rows: tuple[PageRow, ...]
    before: str | None
    """The cursor for what comes before; None at the beginning."""
    after: str | None
    """The cursor for what follows; None at the end, where live rows go on."""
    branches: tuple[str, ...]
    """The continuations on display where the thread branches: those asked for, and those that lead to the item asked
    for; at all other places the one that goes on."""
    epoch: str
    seq: int
    """Changes after this place of the feed are not in it."""


class OutlineMark(Wire, frozen=True):
    """A place to jump to."""

    key: RowKey
    id: str
    kind: Literal["prompt", "turn", "error", "compaction", "plan"]
    text: str
    time: str | None
    at: float
    """0 at the beginning of the thread, 1 at its end, counted in entries."""


class BranchHead(Wire, frozen=True):
    id: str
    key: RowKey
    words: str
    time: str | None
    is_active: bool


class BranchPoint(Wire, frozen=True):
    """A message with several continuations."""

    at: str
    heads: tuple[BranchHead, ...]


class Outline(Wire, frozen=True):
    entries: int
    marks: tuple[OutlineMark, ...]
    branches: tuple[BranchPoint, ...]
    seq: int


class RawRecord(Wire, frozen=True):
    """A record as it was captured."""

    stream: str
    offset: int
    size_bytes: int
    text: str
    """Bytes that are no UTF-8 are shown as U+FFFD; the download has them."""
    is_cut: bool


class TextPiece(Wire, frozen=True):
    """A part of a long text."""

    text: str
    start: int
    size_bytes: int
    next: int | None


class Located(Wire, frozen=True):
    """Where an entry is, by its id or by that of a tool call or background task."""

    id: str
    key: RowKey
    thread: str


# Search


class Marked(Wire, frozen=True):
    """A line of text and what was found in it."""

    text: str
    marks: tuple[tuple[int, int], ...]


class SearchHit(Wire, frozen=True):
    number: int
    conversation: ConversationSummary
    id: str
    key: RowKey
    thread: str
    kind: str
    role: str
    author: str | None
    tool: str | None
    is_failed: bool
    time: str | None
    snippet: Marked
    also: tuple[str, ...]


class FacetValue(Wire, frozen=True):
    value: str
    label: str
    count: int
    term: str
    """What to add to the query to see only these."""


class Facet(Wire, frozen=True):
    """How hits divide; of many hits, the newest are counted (`SearchAnswer.counted`)."""

    field: str
    values: tuple[FacetValue, ...]


class SearchAnswer(Wire, frozen=True):
    hits: tuple[SearchHit, ...]
    next: int | None
    is_partial: bool
    is_spread: bool
    """Whether no entry has all the words, and these are conversations that have each somewhere."""
    facets: tuple[Facet, ...]
    """Empty on all pages but the first."""
    counted: int
    took_ms: float


class FoundInConversation(Wire, frozen=True):
    """Find in conversation: places in order of the conversation."""

    hits: tuple[Located, ...]
    has_more: bool


class Suggestion(Wire, frozen=True):
    text: str
    start: int
    end: int
    hint: str


class Completions(Wire, frozen=True):
    suggestions: tuple[Suggestion, ...]
    problem: Problem | None
    """What is wrong with the query as it stands."""
    meaning: str | None
    """The query in words, when it can be understood."""


# The live socket: what the application says


class Hello(Struct, frozen=True, kw_only=True, tag="hello", tag_field="type", forbid_unknown_fields=True):
    """The first frame. With `epoch` and `seq`, everything since then is told first."""

    ticket: str
    epoch: str | None = None
    seq: int | None = None
    follow: tuple[str, ...] = ()


class Follow(Struct, frozen=True, kw_only=True, tag="follow", tag_field="type", forbid_unknown_fields=True):
    """From now on exactly these conversations are told row by row; at most 8."""

    conversations: tuple[str, ...]


Said = Hello | Follow


# … and what it is told


class Frame(Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of the frames."""


class Welcome(Frame, frozen=True, tag="welcome"):
    """The place of the feed where this socket begins. Another epoch than the one asked for: read everything again."""

    epoch: str
    seq: int
    is_reset: bool
    """Whether what happened since the place asked for is not told: everything is to be read again."""


class Changed(Frame, frozen=True, tag="changed"):
    """The feed went on from `since` to `seq`: each frame begins where the one before it ended."""

    since: int
    seq: int
    conversations: tuple[ConversationSummary, ...]
    gone: tuple[str, ...]


class RowsChanged(Frame, frozen=True, tag="rows"):
    """Rows of a followed conversation, put or taken away; comes right before the `Changed` of the same `seq`.

    To put a row twice is to put it once. `is_whole`: so much changed that the conversation is to be read again.
    """

    seq: int
    conversation: str
    rows: tuple[PageRow, ...]
    removed: tuple[str, ...]
    is_whole: bool


class Partial(Frame, frozen=True, tag="partial"):
    """What a row looks like while it is being written: replaces the last such frame of the same row; not kept."""

    conversation: str
    row: PageRow


class Gap(Frame, frozen=True, tag="gap"):
    """The reader was too slow: frames from `since` to `seq` were left out. Read again what is on display."""

    since: int
    seq: int


class StatusChanged(Frame, frozen=True, tag="status"):
    status: ServerStatus


Told = Welcome | Changed | RowsChanged | Partial | Gap | StatusChanged
