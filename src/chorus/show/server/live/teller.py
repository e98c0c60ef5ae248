"""What is told of a stretch of the feed: which conversations changed, and of those that somebody reads, which rows."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct, structs

from chorus.core.views.rows import MessageRow
from chorus.errors import ChorusError, IndexDamaged
from chorus.find.index.port import Index
from chorus.find.index.rows import FeedEvent
from chorus.show import wire
from chorus.show.server import log
from chorus.show.server.encoding import encode
from chorus.show.server.live.client import Outgoing
from chorus.show.transcripts.changes import changed_rows
from chorus.show.transcripts.open_transcripts import OpenTranscripts
from chorus.show.transcripts.summary import Summaries

STRETCH, MAX_OF_ONE = 1_000, 150
"""Events that one frame tells at most, and those of one conversation. Who is behind catches up in long stretches."""
LAST = 1_000
"""Entries at the end of a conversation by which it is told what is new: readers may follow many long ones."""


class Step(Struct):
    """A stretch of the feed as frames."""

    epoch: str
    since: int
    seq: int
    is_broken: bool = False
    """Whether the feed does not go on from there: everything is to be read again."""
    changed: Outgoing | None = None
    """None when nothing changed."""
    rows: dict[str, Outgoing] = {}
    """Of conversations that somebody reads; goes before `changed`."""
    partials: dict[str, list[wire.PageRow]] = {}
    """Rows that are being written still."""


class Teller:
    """Makes frames. Runs in a reader's thread."""

    def __init__(
        self, summaries: Summaries, transcripts: OpenTranscripts, give_way: Callable[[], None] = lambda: None
    ) -> None:
        """`give_way` is called between two conversations."""
        self._give_way = give_way
        self._summaries = summaries
        self._transcripts = transcripts
        self.encoded = 0
        """How many frames were made, to be held against how many were sent."""

    def frame(self, told: wire.Told, *, seq: int | None = None, key: str | None = None) -> Outgoing:
        """A frame as it is sent."""
        self.encoded += 1
        data = encode(told)
        return Outgoing(data.decode(), len(data), seq, key)

    def standing(self, told: wire.Told) -> Outgoing:
        """A frame that replaces the last of its type, and means the same whatever came before it."""
        return structs.replace(self.frame(told, key=type(told).__name__), is_standing=True)

    def step(self, index: Index, epoch: str, since: int, follows: Iterable[str], *, until: int | None = None) -> Step:
        """The next stretch after `since`, not beyond `until`."""
        feed = index.feed(epoch, since, limit=STRETCH)
        if feed.is_broken:
            return Step(feed.epoch, since, feed.seq, is_broken=True)
        events = list(_stretch(feed.events, until))
        if not events:
            return Step(epoch, since, since)
        seq = events[-1].seq
        step = Step(epoch, since, seq)
        names = list(dict.fromkeys(event.conversation for event in events))
        for name in names:
            if name in follows:
                self._give_way()
                self._tell_rows(index, step, name, [event.item for event in events if event.conversation == name])
        step.changed = self.frame(self._changed(index, since, seq, names), seq=seq)
        return step

    def _changed(self, index: Index, since: int, seq: int, names: list[str]) -> wire.Changed:
        rows = {name: index.conversation(name) for name in names}
        there = [row for row in rows.values() if row is not None]
        gone = tuple(name for name, row in rows.items() if row is None)
        told = self._summaries.of(index, there)
        return wire.Changed(since=since, seq=seq, conversations=told, gone=gone)

    def _tell_rows(self, index: Index, step: Step, name: str, ids: list[str | None]) -> None:
        try:
            opened = self._transcripts.of(index, name)
            rows, removed, is_whole = changed_rows(opened, index, dict.fromkeys(ids)) if opened else ((), (), True)
        except IndexDamaged:
            raise
        except ChorusError:
            rows, removed, is_whole = (), (), True
        except Exception as error:  # noqa: BLE001 - one conversation must not silence all others
            log.failure("LIVE", "", error)
            rows, removed, is_whole = (), (), True
        partial = [row for row in rows if isinstance(row.row, MessageRow) and row.row.is_partial]
        if partial:
            step.partials = {**step.partials, name: partial}
        # Also when no row of it changed: a reader knows by this that none were missed.
        told = wire.RowsChanged(
            seq=step.seq,
            conversation=name,
            rows=tuple(row for row in rows if row not in partial),
            removed=removed,
            is_whole=is_whole,
        )
        step.rows = {**step.rows, name: self.frame(told)}


def _stretch(events: list[FeedEvent], until: int | None) -> Iterator[FeedEvent]:
    """The events that are told together: rows of one conversation that are too many would have to be read again."""
    count = Counter[str]()
    for event in events:
        count[event.conversation] += 1
        if (until is not None and event.seq > until) or count[event.conversation] > MAX_OF_ONE:
            return
        yield event


def decode_said(text: str | bytes) -> wire.Said | None:
    """What an application says; None when that makes no sense."""
    try:
        return _said.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


_said: msgspec.json.Decoder[Any] = msgspec.json.Decoder(wire.Said)
