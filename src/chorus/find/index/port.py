"""The `Index` port: conversations, entries, words and money, made from the vault and disposable.

Synchronous; one writer at a time, any number of readers, which see whole writings or nothing of them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from chorus.core.query.tree import Query
from chorus.core.spending.rows import Reported, Spent
from chorus.find.index.rows import Answer, ConversationRow, Entry, Feed, Key, Position, Writing

MAX_ENTRIES = 200
"""A page holds no more."""
MAX_HITS = 1_000
TextsOf = Callable[[Sequence[tuple[str, Entry]]], Sequence[str]]
"""The texts of entries, each with the name of its conversation, as they were written: a regex is asked of these."""
IsLate = Callable[[], bool]
"""Whether to stop and give what was found so far."""


class Index(Protocol):
    """What is known of a vault's conversations. Names of conversations are `workspace/agent/conversation`."""

    epoch: str
    """Changes when the index is made anew."""

    def write(self, writings: Iterable[Writing], *, gone: Iterable[str] = ()) -> int:
        """Take in what changed, and drop the conversations named in `gone`; gives the feed's new place.

        All or nothing, also for readers. Writing the same again changes nothing but the feed.
        """
        ...

    def move(self, positions: dict[str, dict[str, Position]]) -> None:
        """The streams of these conversations are elsewhere now; what they hold is the same."""
        ...

    def positions(self) -> dict[str, dict[str, Position]]:
        """Conversation → stream → how far it was indexed."""
        ...

    def state(self, name: str) -> bytes | None:
        """What was saved with the conversation's last writing."""
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
        """Those that have an entry which answers the query, the one with the newest first; and whether there are more.

        Where nothing is asked of entries, the one that went on last comes first. Where no entry answers a query of
        words alone, those that have each word somewhere.
        """
        ...

    def standings(self) -> list[tuple[str, str, str | None]]:
        """The name of every conversation that is listed, its status, and when it went on last."""
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
        """Entries that answer the query, newest first or, with `is_ranked`, the best of the newest.

        `below`: only entries with lower numbers, to go on from an answer. `texts_of` is needed by queries with a regex;
        these and sequences ask `is_late` as they go. However late it is, some entries are looked at, so that whoever
        goes on from answer to answer comes to an end.
        """
        ...

    def count(self, query: Query, *, since: int) -> int:
        """How many entries with this number or a higher one answer a query that needs no texts; no more than a search
        gives at most.
        """
        ...

    def entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """The entries of these numbers, as far as there are such."""
        ...

    def page(
        self, name: str, *, after: Key | None = None, before: Key | None = None, limit: int = MAX_ENTRIES
    ) -> list[Entry]:
        """Entries in order: the first after `after`, or the last before `before`; from the start without either."""
        ...

    def all_entries(self, name: str) -> Iterator[Entry]:
        """Every entry of the conversation, in order."""
        ...

    def spent(self, names: Iterable[str] | None = None) -> tuple[list[Spent], list[Reported], frozenset[str]]:
        """What was used and what the client said it cost, of all conversations or of these; and which are forks."""
        ...

    def feed(self, epoch: str, seq: int, *, limit: int = 10_000) -> Feed:
        """What changed since `seq` of `epoch`, in order; of several changes of one entry at least the last."""
        ...

    def files(self, name: str) -> dict[str, bool]:
        """Paths that the conversation's calls name → whether one writes it."""
        ...

    def names(self, kind: str) -> list[str]:
        """What there is to ask for: every `tool` or `model`, in order."""
        ...
