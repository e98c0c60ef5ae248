"""Builds frames from a part of the change feed: which conversations changed, and the changed rows of those that
somebody reads."""

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
"""The maximum number of events in one step, and of events of one conversation. Large steps let a socket that is behind
catch up quickly."""
LAST = 1_000
"""How many entries at the end of a conversation are loaded to find changed rows: readers may follow many long
conversations."""


class Step(Struct):
    """A part of the change feed as frames."""

    epoch: str
    since: int
    seq: int
    is_broken: bool = False
    """Whether the feed has no continuation from `since`: then everything has to be loaded again."""
    changed: Outgoing | None = None
    """None when nothing changed."""
    rows: dict[str, Outgoing] = {}
    """The changed rows of each conversation that somebody reads; sent before `changed`."""
    partials: dict[str, list[wire.PageRow]] = {}
    """Rows that are still being written."""


class Teller:
    """Builds frames. Runs in a reader thread."""

    def __init__(
        self, summaries: Summaries, transcripts: OpenTranscripts, give_way: Callable[[], None] = lambda: None
    ) -> None:
        """`give_way` is called between two conversations."""
        self._give_way = give_way
        self._summaries = summaries
        self._transcripts = transcripts
        self.encoded = 0
        """How many frames were encoded; can be compared with how many were sent."""

    def frame(self, content: wire.ServerFrame, *, seq: int | None = None, key: str | None = None) -> Outgoing:
        """Returns the encoded frame."""
        self.encoded += 1
        data = encode(content)
        return Outgoing(data.decode(), len(data), seq, key)

    def snapshot(self, content: wire.ServerFrame) -> Outgoing:
        """Returns a frame that replaces a queued frame of its type and does not depend on earlier frames."""
        return structs.replace(self.frame(content, key=type(content).__name__), is_snapshot=True)

    def step(self, index: Index, epoch: str, since: int, follows: Iterable[str], *, until: int | None = None) -> Step:
        """Returns the next part of the feed after `since`, up to `until` at most."""
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
                self._add_rows(index, step, name, [event.item for event in events if event.conversation == name])
        step.changed = self.frame(self._changed(index, since, seq, names), seq=seq)
        return step

    def _changed(self, index: Index, since: int, seq: int, names: list[str]) -> wire.Changed:
        rows = {name: index.conversation(name) for name in names}
        there = [row for row in rows.values() if row is not None]
        gone = tuple(name for name, row in rows.items() if row is None)
        summaries = self._summaries.of(index, there)
        return wire.Changed(since=since, seq=seq, conversations=summaries, gone=gone)

    def _add_rows(self, index: Index, step: Step, name: str, ids: list[str | None]) -> None:
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
        # Sent even if no row changed: the reader then knows that it missed none.
        changed = wire.RowsChanged(
            seq=step.seq,
            conversation=name,
            rows=tuple(row for row in rows if row not in partial),
            removed=removed,
            is_whole=is_whole,
        )
        step.rows = {**step.rows, name: self.frame(changed)}


def _stretch(events: list[FeedEvent], until: int | None) -> Iterator[FeedEvent]:
    """Yields the events of one step. With too many of one conversation, its readers would have to load it again."""
    count = Counter[str]()
    for event in events:
        count[event.conversation] += 1
        if (until is not None and event.seq > until) or count[event.conversation] > MAX_OF_ONE:
            return
        yield event


def decode_said(text: str | bytes) -> wire.PageFrame | None:
    """Decodes a frame from the web application; returns None if it is invalid."""
    try:
        return _said.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


_said: msgspec.json.Decoder[Any] = msgspec.json.Decoder(wire.PageFrame)
