"""Builds the outline of a thread: prompts, ends of turns, errors, compactions, plans, and branches."""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from chorus.core.conversation import items
from chorus.core.conversation.failures import is_failure
from chorus.core.conversation.items import MAIN
from chorus.core.views.notices import failure_in_words
from chorus.core.views.safe import replace_surrogates
from chorus.find.index.port import Index
from chorus.find.index.rows import Entry, Note
from chorus.find.payloads.loader import Loader
from chorus.show.transcripts import merged_walk
from chorus.show.transcripts.sketch import COMPACTION, ERROR, FAILURE, PLAN, PROMPT, TURN, Sketch
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.show.wire import BranchHead, BranchPoint, Outline, OutlineMark

MAX_MARKS = 400
"""A scrollbar has no room for more. If there are more marks, an even selection is returned."""
_WORDS = 120
_MAX_WORDS = 5_000
Kind = Literal["prompt", "turn", "error", "compaction", "plan"]
_Marked = tuple[int, Sketch, Kind]
"""A sketch with its place among all that are shown."""
_Key = TypeVar("_Key", bound=Hashable)


def outline(opened: OpenTranscript, index: Index, thread: str = MAIN) -> Outline:
    """Returns the places to jump to in a thread, as shown to a reader who selected no branch."""
    with opened.lock:
        shown = _shown(opened, thread)
        found = [(n, each, kind) for n, each in enumerate(shown) if (kind := _kind(opened, each)) is not None]
        marked = _thinned(found)
        points = {at: opened.branching.heads(at) for at in opened.branching.points} if thread == MAIN else {}
        heads = [opened.sketches[head] for each in points.values() for head in each]
        seq = opened.seq
    marks = _marks(opened, index, marked, len(shown), heads)
    branches = [_branch(opened, at, heads) for at, heads in points.items()]
    branches.sort(key=lambda branch: branch.heads[0].key)
    return Outline(entries=len(shown), marks=tuple(marks), branches=tuple(branches), seq=seq)


def prompts_before(opened: OpenTranscript, index: Index, rows: Mapping[_Key, Sketch]) -> dict[_Key, OutlineMark]:
    """Returns for each row the last prompt of the main thread at it or before it, as shown without a selected branch.

    Rows on other branches are left out. All prompts count, however many there are.
    """
    with opened.lock:
        shown = _shown(opened, MAIN)
        prompts = [(n, each) for n, each in enumerate(shown) if _kind(opened, each) == "prompt"]
        keys = [opened.row_key(each) for _, each in prompts]
        wanted = {key: row for key, row in rows.items() if not opened.is_hidden(row, None)}
        at = {key: bisect_right(keys, opened.row_key(row)) - 1 for key, row in wanted.items()}
    numbers = sorted({number for number in at.values() if number >= 0})
    marked: list[_Marked] = [(*prompts[number], "prompt") for number in numbers]
    marks = dict(zip(numbers, _marks(opened, index, marked, len(shown)), strict=True))
    return {key: marks[number] for key, number in at.items() if number >= 0}


def _shown(opened: OpenTranscript, thread: str) -> list[Sketch]:
    walk = merged_walk.following(opened.lists(thread), None)
    return [each for each in walk if opened.is_row(each) and not opened.is_hidden(each, None)]


def _marks(
    opened: OpenTranscript, index: Index, marked: Sequence[_Marked], count: int, more: Iterable[Sketch] = ()
) -> list[OutlineMark]:
    """Returns the marks of these sketches with their words, and loads the words of `more` sketches as well."""
    with opened.lock:
        worded = {each.id: opened.failures(each)[-1] if each.flags & FAILURE else each for _, each, _ in marked}
    _load_words(opened, index, [*worded.values(), *more])
    return [
        OutlineMark(
            key=opened.row_key(each),
            id=each.id,
            kind=kind,
            text=opened.words.get(worded[each.id].id, ""),
            time=each.time,
            at=n / count,
        )
        for n, each, kind in marked
    ]


def _kind(opened: OpenTranscript, sketch: Sketch) -> Kind | None:
    if sketch.flags & ERROR:
        return "error"
    if sketch.flags & PROMPT:
        return "prompt"
    if sketch.kind == TURN:
        return "turn"
    if sketch.kind == COMPACTION:
        return "compaction"
    calls = (opened.sketches.get(call) for call in sketch.calls)
    return "plan" if any(call is not None and call.flags & PLAN for call in calls) else None


def _thinned(found: list[_Marked]) -> list[_Marked]:
    """Limits the number of marks: ends of turns are removed first, then the rest is reduced evenly."""
    if len(found) > MAX_MARKS:
        found = [mark for mark in found if mark[2] != "turn"]
    step = len(found) / MAX_MARKS
    return found if step <= 1 else [found[int(n * step)] for n in range(MAX_MARKS)]


def _load_words(opened: OpenTranscript, index: Index, sketches: list[Sketch]) -> None:
    """Loads the first words of entries and caches them, because every outline needs all of them again."""
    if len(opened.words) > _MAX_WORDS:
        opened.words = {}
    entries = opened.read(index, [each for each in sketches if each.id not in opened.words])
    loader = opened.loader()
    loader.read_ahead(entries.values())
    opened.words |= {entry.id: _line(_words(entry, loader)) for entry in entries.values()}


def _words(entry: Entry, loader: Loader) -> str:
    match entry.item:
        case items.Message() as message:
            text = loader.text(entry)
            return text.removesuffix(message.error or "").strip() or text
        case items.Turn() as turn:
            if turn.is_interrupted:
                return "interrupted"
            return turn.terminal_reason or turn.subtype or " ".join(turn.errors)
        case Note() as note:
            notice = loader.notice(entry) if is_failure(note.type, note.kind) else None
            if notice is not None and notice.failure is not None:
                return failure_in_words(notice.failure)
            return note.text or note.reason or note.kind or note.type
        case items.Compaction() as compaction:
            return compaction.trigger or ""
        case _:
            return ""


def _branch(opened: OpenTranscript, at: str, heads: Iterable[str]) -> BranchPoint:
    known = [opened.sketches[head] for head in heads if head in opened.sketches]
    return BranchPoint(
        at=at,
        heads=tuple(
            BranchHead(
                id=head.id,
                key=opened.row_key(head),
                words=opened.words.get(head.id, ""),
                time=head.time,
                is_active=head is known[-1],
            )
            for head in known
        ),
    )


def _line(text: str) -> str:
    return replace_surrogates(" ".join(text[: _WORDS * 4].split())[:_WORDS])
