"""What happened at a moment: which steps it is for, and the marks on the timeline with a short label each."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from chorus.core.conversation import items
from chorus.core.conversation.items import MAIN, Author, CallState, Change
from chorus.core.conversation.tool_facts import facts_of, kind_of
from chorus.core.replay.steps import Step
from chorus.core.views.figures import outcome
from chorus.core.views.notices import failure_in_words
from chorus.core.views.safe import replace_surrogates

MarkKind = Literal["prompt", "edit", "error", "question", "compaction"]
_STEPS: dict[MarkKind, Step] = {
    "prompt": Step.PROMPT | Step.TURN,
    "edit": Step.EDIT,
    "error": Step.ERROR,
    "question": Step.QUESTION,
    "compaction": Step.COMPACTION,
}
_LABEL_CHARS = 80
_SEARCHED_CHARS = 400
_ANSWERED = (CallState.DONE, CallState.FAILED, CallState.REFUSED)


class Mark(Struct, frozen=True, kw_only=True):
    """Something on the timeline to jump to."""

    moment: int
    kind: MarkKind
    label: str
    item: str
    thread: str


class Marker:
    """Finds steps and marks in the changes of a fold. What was seen before is not new when it is sent again."""

    def __init__(self) -> None:
        self._rows: set[str] = set()
        self._authors: dict[str, tuple[Author, str]] = {}
        """The author and the thread of messages that have no row yet."""
        self._calls: dict[str, CallState] = {}
        self._marked: set[tuple[str, str]] = set()
        self._mode: dict[str, str] = {}

    def take(self, moment: int, changes: list[Change]) -> tuple[int, list[Mark]]:
        """Returns the steps of a moment, and its marks."""
        steps, marks = Step(0), list[Mark]()
        for change in changes:
            if isinstance(change, items.Item):
                if self._is_new_row(change):
                    steps |= Step.ROW
                if isinstance(change, items.Call) and self._calls.get(change.id) is not change.state:
                    self._calls[change.id] = change.state
                    steps |= Step.CALL
                if isinstance(change, items.Turn):
                    steps |= Step.TURN
                for kind, label, item in self._happened(change):
                    if (kind, item) in self._marked:
                        continue
                    self._marked.add((kind, item))
                    marks.append(Mark(moment=moment, kind=kind, label=label, item=item, thread=change.agent))
                    steps |= _STEPS[kind]
        return int(steps), marks

    def _is_new_row(self, item: items.Item) -> bool:
        row = item.id
        match item:
            case items.Message():
                if row not in self._rows:
                    self._authors[row] = item.author, item.agent
                if item.error is None:
                    return False
            case items.Block():
                row = item.of
            case items.Notice() if item.is_internal:
                return False
            case items.Queued() if not item.is_shown:
                return False
            case items.Call() if item.state is not CallState.ORPHAN:
                return False
            case items.ModeChange():
                before, self._mode[item.agent] = self._mode.get(item.agent), item.mode
                if before in (None, item.mode):
                    return False
            case items.Turn() | items.Compaction() | items.Notice() | items.Queued() | items.Call():
                pass
            case _:
                return False
        if row in self._rows:
            return False
        self._rows.add(row)
        return True

    def _happened(self, item: items.Item) -> Iterator[tuple[MarkKind, str, str]]:
        """Yields the marks of an item: kind, label, and the id of the item to jump to."""
        match item:
            case items.Block() if item.block.type == "text" and item.of in self._authors:
                author, thread = self._authors.pop(item.of)
                if author is Author.HUMAN and thread == MAIN:
                    yield "prompt", label(item.block.text or ""), item.of
            case items.Message() if item.error is not None:
                yield "error", label(item.error), item.id
            case items.Call():
                yield from _in_call(item)
            case items.Turn() if item.has_failed:
                yield "error", label(", ".join(item.errors) or item.subtype or "the turn failed"), item.id
            case items.Notice() if item.failure is not None:
                yield "error", label(failure_in_words(item.failure)), item.id
            case items.Notice() if item.level == "error" and not item.is_internal:
                yield "error", label(item.text or item.kind), item.id
            case items.Compaction():
                yield "compaction", label(f"compacted: {item.trigger}" if item.trigger else "compacted"), item.id
            case items.Permission() if item.state == "open":
                call = f"call:{item.tool_use_id}" if item.tool_use_id else item.id
                yield "question", label(f"may it use {item.tool_name or 'a tool'}?"), call
            case _:
                pass


def _in_call(call: items.Call) -> Iterator[tuple[MarkKind, str, str]]:
    if call.state is CallState.FAILED:
        yield "error", label(f"{call.name} {outcome(call.state, call.decided_by)}"), call.id
    elif call.state is CallState.DONE and call.files:
        yield "edit", label(f"{call.name} {', '.join(call.files)}"), call.id
    if facts_of(call.name).waits_for_person and call.state is not CallState.ORPHAN:
        yield "question", label("a plan" if kind_of(call.name) == "plan" else "a question"), call.id


def label(text: str) -> str:
    """Returns the beginning of a text on one line."""
    words = " ".join(replace_surrogates(text[:_SEARCHED_CHARS]).split())
    return words if len(words) <= _LABEL_CHARS else words[: _LABEL_CHARS - 1] + "…"
