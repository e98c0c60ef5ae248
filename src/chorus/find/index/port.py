"""The `Index` port: conversations, entries, words and costs. It is built from the vault and disposable.

Synchronous. One writer at a time and any number of readers; a reader sees a whole writing or nothing of it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from chorus.core.conversation.items import Limit
from chorus.core.query.tree import Query
from chorus.core.spending.rows import Reported, Spent
from chorus.find.index.activities import Done, Kind
from chorus.find.index.groups import Group, PeriodOf, Span
from chorus.find.index.rows import Answer, ConversationRow, Entry, Feed, Key, Position, Writing

MAX_ENTRIES = 200
"""The maximum number of entries of a page."""
MAX_HITS = 1_000
MAX_COUNTED = MAX_HITS + 1
"""Counts end here: a higher one means that there are more hits than an answer may have."""
TextsOf = Callable[[Sequence[tuple[str, Entry]]], Sequence[str]]
"""Returns the original texts of entries, each given with the name of its conversation. A regex is matched against
these.
"""
IsLate = Callable[[], bool]
"""Returns whether to stop and return what was found so far."""


class Index(Protocol):
    """What is known about the conversations of a vault. Names of conversations are `workspace/agent/conversation`."""

    epoch: str
    """Changes when the index is rebuilt."""

    def write(self, writings: Iterable[Writing], *, gone: Iterable[str] = ()) -> int:
        """Stores what changed, removes the conversations named in `gone`, and returns the new position of the feed.

        All or nothing, for readers too. Writing the same content again changes only the feed.
        """
        ...

    def move(self, positions: dict[str, dict[str, Position]]) -> None:
        """Updates the positions of the streams of these conversations; the content of the streams is unchanged."""
        ...

    def positions(self) -> dict[str, dict[str, Position]]:
        """Returns conversation → stream → how far the stream was indexed."""
        ...

    def state(self, name: str) -> bytes | None:
        """Returns the state that was saved with the last writing of the conversation."""
        ...

    def conversation(self, name: str) -> ConversationRow | None: ...

    def conversations(
        self,
        query: Query,
        *,
        limit: int,
        start: int = 0,
        texts_of: TextsOf | None = None,
        is_late: IsLate | None = None,
    ) -> tuple[list[ConversationRow], bool]:
        """Returns the conversations with an entry that answers the query, newest entry first; and whether there are
        more.

        Without conditions on entries, the conversation with the latest activity comes first. If no entry answers a
        query that consists only of words, returns the conversations that contain every word somewhere.
        """
        ...

    def statuses(self) -> list[tuple[str, str, str | None]]:
        """Returns the name, the status and the time of the latest activity of every listed conversation."""
        ...

    def client_titles(self) -> list[tuple[str, str, str | None]]:
        """Returns name, title and latest activity of every listed conversation that a client gave a title."""
        ...

    def search(
        self,
        query: Query,
        *,
        limit: int,
        below: int | None = None,
        is_ranked: bool = False,
        texts_of: TextsOf | None = None,
        is_late: IsLate | None = None,
    ) -> Answer:
        """Returns entries that answer the query, newest first or, with `is_ranked`, the best of the newest.

        `below`: only entries with lower numbers, to continue from an earlier answer. Queries with a regex need
        `texts_of`. Queries with a regex and sequences call `is_late` while they run. Some entries are examined even if
        `is_late` is true at once, so that a caller who continues from answer to answer reaches the end.
        """
        ...

    def count(self, query: Query, *, since: int) -> int:
        """Returns how many entries with this number or a higher one answer the query, at most `MAX_COUNTED`. The
        query must not need texts.
        """
        ...

    def entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """Returns the entries with these numbers; unknown numbers are left out."""
        ...

    def page(
        self, name: str, *, after: Key | None = None, before: Key | None = None, limit: int = MAX_ENTRIES
    ) -> list[Entry]:
        """Returns entries in order: the first after `after`, or the last before `before`; without either, from the
        start.
        """
        ...

    def all_entries(self, name: str) -> Iterator[Entry]:
        """Returns every entry of the conversation, in order."""
        ...

    def spent(self, names: Iterable[str] | None = None) -> tuple[list[Spent], list[Reported], frozenset[str]]:
        """Returns what was used, what the client reported as cost, of all or of these conversations; and which are
        forks.
        """
        ...

    def reported(self, names: Iterable[str] | None = None) -> tuple[list[Reported], frozenset[str]]:
        """Returns what the client reported as cost, of all or of these conversations; and which are forks."""
        ...

    def used(
        self,
        by: Group,
        *,
        names: Iterable[str] | None = None,
        span: Span | None = None,
        period_of: PeriodOf = str,
    ) -> dict[str, list[Spent]]:
        """Returns group → what was used, of all or of these conversations, at any time or in a span.

        Rows are merged as far as prices allow: their `quarter` is a day in UTC, and their conversation and thread are
        "". `period_of` is needed to group by period.
        """
        ...

    def users(self, by: Group, key: str, *, span: Span | None = None, period_of: PeriodOf = str) -> frozenset[str]:
        """Returns the conversations that used something in this group of `used`."""
        ...

    def turn_sums(self, name: str) -> dict[str, list[Spent]]:
        """Returns prompt → what was used in the turn that it began, merged as by `used`.

        A prompt is its time, a space and its id, as in `core.spending.prompts`.
        """
        ...

    def done(
        self,
        *,
        names: Iterable[str] | None = None,
        span: Span | None = None,
        label: tuple[Kind, str] | None = None,
        is_by_conversation: bool = False,
    ) -> list[Done]:
        """Returns how often what was done, of all or of these conversations, at any time or in a span.

        Rows are merged over quarters and, unless `is_by_conversation`, over conversations: `quarter` is `NO_TIME` and
        `conversation` is "". `label`: only activities of this kind and name.
        """
        ...

    def limits(self) -> list[Limit]:
        """Returns the last known state of each limit that a client reported, over all conversations, by type."""
        ...

    def feed(self, epoch: str, seq: int, *, limit: int = 10_000) -> Feed:
        """Returns the changes since `seq` of `epoch`, in order; of several changes of one entry at least the last."""
        ...

    def files(self, name: str) -> dict[str, bool]:
        """Returns path → whether a call writes it, for every path that the conversation's calls name."""
        ...

    def names(self, kind: str) -> list[str]:
        """Returns every known `tool` or `model`, sorted."""
        ...
