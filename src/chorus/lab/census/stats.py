"""`Stats`: the figures of a whole corpus."""

from typing import Any

from chorus.core.records.record import Record
from chorus.keep.sources.reading import Advance, Reading
from chorus.lab.census.calls import Calls
from chorus.lab.census.conversations import Conversations
from chorus.lab.census.folding import StreamFold
from chorus.lab.census.names import ranked
from chorus.lab.census.sources import Readable
from chorus.lab.census.tally import Tally


class Stats:
    """Counts over files; the state of a file is dropped at its end, so memory does not grow with the bytes."""

    def __init__(self) -> None:
        self.files = 0
        self.size_bytes = 0
        self.lines = 0
        self.tally = Tally()
        self.conversations = Conversations()
        self.calls = Calls()
        """All calls, with those that records of a main thread contain of its sub-agents."""

    def take(self, name: str, advance: Advance | None = None) -> None:
        """Counts one stream; if it cannot be read to its end, raises `SourceUnreadable` and counts nothing of it."""
        self.take_from(Reading(name, advance))

    def take_from(self, reading: Readable) -> None:
        """Counts one stream from any kind of source."""
        fold = StreamFold(reading.name, reading.router())
        one = Stats()
        tally = one.tally
        for batch in reading.batches():
            for piece in batch:
                if isinstance(piece, Record):
                    tally.add(piece)
                    fold.feed(piece)
        fold.finish(tally.messages, one.conversations, one.calls)
        one.files, one.size_bytes, one.lines = 1, reading.size_bytes, reading.lines
        self.merge(one)

    def merge(self, other: "Stats") -> None:
        """Adds everything that another object counted."""
        self.files += other.files
        self.size_bytes += other.size_bytes
        self.lines += other.lines
        self.tally.merge(other.tally)
        self.conversations.merge(other.conversations)
        self.calls.merge(other.calls)

    def as_json(self) -> dict[str, Any]:
        """Returns the documented shape of `chorus stats --json`."""
        tally, calls = self.tally, self.tally.calls
        tokens, lower_bounds = self.conversations.tokens(tally.messages)
        return {
            "files": self.files,
            "bytes": self.size_bytes,
            "lines": self.lines,
            "records": tally.records.ranked(),
            "subtypes": tally.subtypes.ranked(),
            "blocks": tally.blocks.ranked(),
            "tools": tally.tool_list(),
            "models": ranked(tally.messages.models()),
            "versions": tally.versions.ranked(),
            "conversations": len(self.conversations),
            "messages": len(tally.messages),
            "tool_calls": calls.calls,
            "tool_results": calls.results,
            "calls_without_result": calls.without_result,
            "results_without_call": calls.without_call,
            "tokens": {
                "input": tokens.input,
                "output": tokens.output,
                "cache_creation": tokens.cache_creation,
                "cache_read": tokens.cache_read,
            },
            "lower_bounds": lower_bounds,
            "unknown": tally.unknown.ranked(),
            "unread": tally.unread,
            "calls": self.calls.by_tool(),
        }
