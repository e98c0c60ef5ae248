"""The lanes of a timeline: when the main agent and each sub-agent worked, and when somebody waited for a person."""

from itertools import pairwise
from typing import Literal

from msgspec import Struct, structs

from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import MAIN, Author, Change, Item, Message, Status
from chorus.core.replay.fold_groups import PERSON
from chorus.core.replay.marks import label
from chorus.core.replay.panel import PanelChange
from chorus.core.views.figures import agent_name

MAX_LANES = 100
MAX_SPANS = 500
"""A lane with more spans gets those joined that lie closest together."""
_WORKING = frozenset({Status.THINKING, Status.READING, Status.EDITING, Status.RUNNING})
_LABELS = {
    "permission": "waits for permission",
    "question": "waits for an answer",
    "plan": "waits for a verdict about a plan",
    "prompt": "waits for the next prompt",
}


class Span(Struct, frozen=True, kw_only=True):
    """A part of a lane, in milliseconds since the start."""

    from_ms: int
    to_ms: int
    kind: str
    label: str
    count: int = 1


class Lane(Struct, frozen=True, kw_only=True):
    """The spans of one agent, or those in which somebody waited for a person."""

    kind: Literal["main", "agent", "person"]
    thread: str
    label: str
    spans: tuple[Span, ...]


class Lanes:
    """Collects the spans while a conversation is folded."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self._main: list[Span] = []
        self._main_since: int | None = None
        self._person: list[Span] = []
        self._waiting: dict[tuple[str, str | None, str], int] = {}
        self._agents: dict[str, list[Span]] = {}
        self._working: dict[str, int] = {}
        self._lines: dict[str, tuple[int, int]] = {}
        """Agent id → the times of its first and last item."""

    def take(self, at_ms: int, changes: list[Change], change: PanelChange | None) -> None:
        """Takes the changes of a record, and how they changed the panel."""
        for item in changes:
            if isinstance(item, Item) and item.agent != MAIN:
                first, last = self._lines.get(item.agent, (at_ms, at_ms))
                self._lines[item.agent] = min(first, at_ms), max(last, at_ms)
        is_working = self._fold.state.session.status in _WORKING
        goes_on = is_working and not any(map(_is_said_to_agent, changes))
        if is_working and self._main_since is None:
            # Old clients do not write why a message stopped: it seems to end the turn until the next line shows more.
            self._main_since = self._main.pop().from_ms if goes_on and self._main else at_ms
        elif not is_working and self._main_since is not None:
            self._main.append(_working(self._main_since, at_ms))
            self._main_since = None
        if change is not None and change.waits is not None:
            now = {(wait.kind, wait.call, wait.what) for wait in change.waits if wait.whom == PERSON}
            for key in [key for key in self._waiting if key not in now]:
                since = self._waiting.pop(key)
                if key[0] != "prompt" or not goes_on:
                    self._person.append(_waiting(key, since, at_ms))
            for key in now:
                self._waiting.setdefault(key, at_ms)
        if change is not None and change.agents is not None:
            names = {agent.id for agent in change.agents}
            for name in [name for name in self._working if name not in names]:
                self._agents.setdefault(name, []).append(_working(self._working.pop(name), at_ms))
            for name in names:
                self._working.setdefault(name, at_ms)

    def lanes(self, end_ms: int) -> tuple[list[Lane], int]:
        """Returns the lanes up to a time, and how many sub-agents are left out because there are too many."""
        main = [*self._main, *([_working(self._main_since, end_ms)] if self._main_since is not None else [])]
        person = [*self._person, *(_waiting(key, since, end_ms) for key, since in self._waiting.items())]
        person.sort(key=lambda span: (span.from_ms, span.to_ms))
        agents = self._agent_spans(end_ms)
        order = sorted(agents, key=lambda name: (agents[name][0].from_ms, name))
        found = [Lane(kind="main", thread=MAIN, label="main agent", spans=joined(main))]
        for name in order[:MAX_LANES]:
            item = self._fold.state.agents[name].item
            title = label(agent_name(item.type or "", item.description or "")) or "sub-agent"
            found.append(Lane(kind="agent", thread=name, label=title, spans=joined(agents[name])))
        found.append(Lane(kind="person", thread=MAIN, label="waiting for a person", spans=joined(person)))
        return found, max(0, len(order) - MAX_LANES)

    def _agent_spans(self, end_ms: int) -> dict[str, list[Span]]:
        """Maps each sub-agent to its spans. The lines of an agent that was never said to run make one span."""
        found: dict[str, list[Span]] = {name: list(spans) for name, spans in self._agents.items()}
        for name, since in self._working.items():
            found.setdefault(name, []).append(_working(since, end_ms))
        state = self._fold.state
        for name, (first, last) in self._lines.items():
            known = state.agents.get(name)
            if known is None:
                continue
            best = (state.agents_of_call.get(known.item.call or "") or [name])[0]
            if best not in found and best in state.agents:
                found[best] = [_working(first, last)]
        return {name: spans for name, spans in found.items() if name in state.agents}


def joined(spans: list[Span], most: int = MAX_SPANS) -> tuple[Span, ...]:
    """Returns at most `most` spans, given in order: the closest ones are joined, if they are of the same kind."""
    while len(spans) > most:
        gaps = sorted(
            (after.from_ms - before.to_ms, number)
            for number, (before, after) in enumerate(pairwise(spans))
            if before.kind == after.kind
        )
        chosen = {number for _, number in gaps[: max(1, len(spans) - most)]}
        if not chosen:
            break
        merged: list[Span] = []
        for number, span in enumerate(spans):
            if number - 1 in chosen and merged:
                before = merged[-1]
                to_ms = max(before.to_ms, span.to_ms)
                merged[-1] = structs.replace(before, to_ms=to_ms, count=before.count + span.count)
            else:
                merged.append(span)
        spans = merged
    return tuple(spans[:most])


def _is_said_to_agent(change: Change) -> bool:
    """Returns whether somebody said something to the main agent."""
    return isinstance(change, Message) and change.agent == MAIN and change.author is not Author.MODEL


def _working(from_ms: int, to_ms: int) -> Span:
    return Span(from_ms=from_ms, to_ms=max(from_ms, to_ms), kind="working", label="working")


def _waiting(key: tuple[str, str | None, str], from_ms: int, to_ms: int) -> Span:
    kind, _, what = key
    words = _LABELS.get(kind, kind)
    shown = f"{words}: {what}" if kind == "permission" and what else words
    return Span(from_ms=from_ms, to_ms=max(from_ms, to_ms), kind=kind, label=label(shown))
