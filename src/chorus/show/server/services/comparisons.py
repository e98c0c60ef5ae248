"""Compares two recorded conversations. What was read of the last few is kept, so that further pages cost little."""

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from msgspec import structs

from chorus.core.comparisons.comparison import Comparison, Counts, Pair, compare
from chorus.core.comparisons.steps import Step, steps
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow
from chorus.keep.archive.listing import named
from chorus.keep.archive.opening import open_kept
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import is_safe_name
from chorus.show.server.errors import Refused, bad_request, not_found
from chorus.show.wire import (
    ComparedCounts,
    ComparedFile,
    ComparedPair,
    ComparedSide,
    ComparedStep,
    ComparisonAnswer,
)

if TYPE_CHECKING:
    from chorus.show.transcripts.summary import Summaries

MAX_BYTES = 256 << 20
"""A longer conversation is not compared by the server: all of it would be in memory."""
_MAX_KNOWN = 4
_MAX_FILES = 500
_Known = tuple[object, list[Step]]


class Comparisons:
    """Compares conversations of a vault; usable from any thread."""

    def __init__(self, vault: FileVault) -> None:
        self._vault = vault
        self._lock = threading.Lock()
        self._known: OrderedDict[str, _Known] = OrderedDict()

    def answer(
        self, index: Index, summaries: "Summaries", a: str, b: str, *, start: int, limit: int
    ) -> ComparisonAnswer:
        """Returns a page of the comparison of two conversations, each named `workspace/agent/conversation`."""
        rows = [_row(index, name) for name in (a, b)]
        compared = compare(*(self._steps(row) for row in rows))
        summary_a, summary_b = summaries.of(index, rows)
        return ComparisonAnswer(
            a=ComparedSide(summary=summary_a, counts=_counts(compared.a), after=_counts(compared.a_after)),
            b=ComparedSide(summary=summary_b, counts=_counts(compared.b), after=_counts(compared.b_after)),
            is_fork=compared.is_fork,
            is_equal=compared.is_equal,
            stem=compared.stem,
            files=_files(compared),
            start=start,
            pairs=tuple(map(_pair, compared.pairs[start : start + limit])),
            total=len(compared.pairs),
        )

    def _steps(self, row: ConversationRow) -> list[Step]:
        """Returns the steps of a conversation as of now; they are read again if the conversation has grown."""
        if row.size_bytes > MAX_BYTES:
            raise Refused(413, "too_large", f"{row.id} is too long for this page; `chorus compare` can compare it.")
        version = row.size_bytes, row.session.ended_at, row.calls, row.session.messages
        with self._lock:
            known = self._known.get(row.name)
            if known is not None and known[0] == version:
                self._known.move_to_end(row.name)
                return known[1]
        kept = named(self._vault, [row.name])
        if not kept:
            raise not_found("There is no such conversation; it may have been forgotten.")
        found = steps(open_kept(self._vault, kept[0]))
        with self._lock:
            self._known[row.name] = version, found
            self._known.move_to_end(row.name)
            while len(self._known) > _MAX_KNOWN:
                self._known.popitem(last=False)
        return found


def _row(index: Index, name: str) -> ConversationRow:
    parts = name.split("/")
    if len(parts) != 3 or not all(map(is_safe_name, parts)):
        raise bad_request("Name each conversation as workspace/agent/conversation.")
    row = index.conversation(name)
    if row is None:
        raise not_found("There is no such conversation; it may have been forgotten.")
    return row


def _files(compared: Comparison) -> tuple[ComparedFile, ...]:
    return tuple(
        ComparedFile(path=each.path, a=each.a, b=each.b, in_both=each.in_both) for each in compared.files[:_MAX_FILES]
    )


def _counts(counts: Counts) -> ComparedCounts:
    return ComparedCounts(**structs.asdict(counts))


def _pair(pair: Pair) -> ComparedPair:
    return ComparedPair(
        relation=pair.relation,
        has_other_result=pair.has_other_result,
        a=_step(pair.a) if pair.a else None,
        b=_step(pair.b) if pair.b else None,
    )


def _step(step: Step) -> ComparedStep:
    return ComparedStep(
        item=step.item,
        kind=step.kind,
        words=step.words,
        label=step.label,
        state=step.state,
        time=step.time,
        agent=step.agent,
        depth=step.depth,
        is_abandoned=step.is_abandoned,
    )
