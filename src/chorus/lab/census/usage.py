"""Counts tokens and reported costs over many streams, as fast as files can be read.

Plain streams are read fast, the others are folded; both give the same figures for a session.
"""

import os
from sys import intern
from typing import TYPE_CHECKING

from chorus.core.conversation.plausibility import MAX_TOKENS, doubt_cost
from chorus.core.records.session_ids import id_in
from chorus.lab.census.line_figures import CountedLine, NotPlain
from chorus.lab.census.quick_reading import lines, opened, session_of
from chorus.lab.census.session_figures import (
    AT,
    COST,
    HAS_ENDED,
    MODEL,
    THREAD,
    TIER,
    MessageFigures,
    SessionFigures,
    add_thread,
    empty_figures,
    place_of,
)

if TYPE_CHECKING:
    from chorus.keep.sources.reading import Advance

_SYNTHETIC = "<synthetic>"
"""`SYNTHETIC_MODEL` of `core.conversation.usage`: workers import only what they need for reading."""
_STDIN = "-"


class UsageCount:
    """Sessions by name over any number of streams; mergeable."""

    def __init__(self) -> None:
        self.sessions: dict[str, SessionFigures] = {}
        self.read_quickly: list[str] = []
        """Streams that were not folded: the start of their sessions is unknown."""

    def take(self, name: str, advance: "Advance | None" = None) -> None:
        """Counts one stream; if it cannot be read to its end, raises `SourceUnreadable` and counts nothing of it."""
        found = None if name == _STDIN else _quick_figures(name)
        if found is None:
            from chorus.lab.census.accounting import fold_together

            found = fold_together([name])
        else:
            self.read_quickly.append(name)
        self.add(found)
        if advance is not None and name != _STDIN:
            advance(os.stat(name).st_size)  # noqa: PTH116 - called for every file there is

    def merge(self, other: "UsageCount") -> None:
        """Adds everything that another object counted."""
        self.read_quickly += other.read_quickly
        self.add(other.sessions)

    def add(self, found: dict[str, SessionFigures]) -> None:
        for session, session_figures in found.items():
            known = self.sessions.get(session)
            if known is None:
                self.sessions[session] = session_figures
            else:
                known.merge(session_figures)


def _quick_figures(name: str) -> dict[str, SessionFigures] | None:
    """Returns the figures of a plain stream; None for any other."""
    try:
        return _figures_of_plain(name)
    except NotPlain:
        return None


def _figures_of_plain(name: str) -> dict[str, SessionFigures]:
    file_id = id_in(name)
    found: dict[str, SessionFigures] = {}
    session, session_figures = None, SessionFigures()
    with opened(name) as file:
        for line in lines(file):
            if (whose := session_of(line, file_id)) != session:
                session = whose
                session_figures = found.get(session) or found.setdefault(session, SessionFigures(streams={name}))
                session_figures.place = min(session_figures.place, place_of(name, session, line.cwd))
            if line.type == "assistant":
                _add_line(session_figures.messages, line)
            elif line.totalCostUSD is not None:
                if doubt_cost(line.totalCostUSD):
                    raise NotPlain
                session_figures.state_usd, session_figures.state_streams = line.totalCostUSD, {name}
    return found


def _believable(count: int) -> int:
    """Returns a plausible figure; for any other the stream must be folded."""
    if count > MAX_TOKENS:
        raise NotPlain
    return count


def _add_line(messages: dict[str, MessageFigures], line: CountedLine) -> None:
    """Adds the figures of one line to its message. This runs for every line and is written for speed."""
    message = line.message
    own = message.id if message else None
    thread = line.thread
    name = own or (f"{thread}/{line.uuid}" if thread else line.uuid or "")
    figures = messages.get(name)
    if figures is None:
        figures = messages[name] = empty_figures(is_nameless=own is None)
    if figures[THREAD] != thread:
        add_thread(figures, thread)
    time = line.time
    if time is not None and (figures[AT] is None or time < figures[AT]):
        figures[AT] = time
    if line.costUSD is not None:
        if doubt_cost(line.costUSD):
            raise NotPlain
        figures[COST] = line.costUSD
    if figures[MODEL] is None and (model := (message.model if message else None) or line.model):
        # The same object for all messages, so that it is pickled once.
        figures[MODEL] = intern(model)
    if message is None:
        return
    if message.stop_reason:
        figures[HAS_ENDED] = True
    used = message.usage
    if used is None or message.model == _SYNTHETIC:
        return
    if figures[TIER] is None and (tier := used.tier):
        figures[TIER] = intern(tier)
    if (
        (used.input_tokens or 0)
        | (used.output_tokens or 0)
        | (used.cache_creation_input_tokens or 0)
        | (used.cache_read_input_tokens or 0)
    ) < 0:
        # One of them is negative.
        raise NotPlain
    if figures[0] < 0:
        figures[0] = 0
    if (count := used.input_tokens) is not None and count > figures[0]:
        figures[0] = _believable(count)
    if (count := used.output_tokens) is not None and count > figures[1]:
        figures[1] = _believable(count)
    if (count := used.cache_creation_input_tokens) is not None and count > figures[2]:
        figures[2] = _believable(count)
    if (count := used.cache_read_input_tokens) is not None and count > figures[3]:
        figures[3] = _believable(count)
    if (cache := used.cache_creation) is not None:
        if (count := cache.ephemeral_5m_input_tokens) is not None and count > figures[4]:
            figures[4] = _believable(count)
        if (count := cache.ephemeral_1h_input_tokens) is not None and count > figures[5]:
            figures[5] = _believable(count)
    if (server := used.server_tool_use) is not None:
        if (count := server.web_search_requests) is not None and count > figures[6]:
            figures[6] = count
        if (count := server.web_fetch_requests) is not None and count > figures[7]:
            figures[7] = count
