"""Tokens and reported costs over many streams, counted as fast as files can be read.

Streams that are plain are read at a glance, the others go through the fold; both tell the same of a session.
"""

import os
from sys import intern
from typing import TYPE_CHECKING

from chorus.core.conversation.plausibility import MAX_TOKENS, doubt_cost
from chorus.core.records.session_ids import id_in
from chorus.lab.census.line_figures import Line, NotPlain
from chorus.lab.census.quick_reading import lines, opened, session_of
from chorus.lab.census.session_figures import (
    AT,
    COST,
    HAS_ENDED,
    MODEL,
    THREAD,
    TIER,
    Heard,
    Told,
    place_of,
    spoke_in,
    unheard,
)

if TYPE_CHECKING:
    from chorus.keep.sources.reading import Advance

_SYNTHETIC = "<synthetic>"
"""`conversation.usage.SYNTHETIC_MODEL`: workers load nothing but what they read with."""
_STDIN = "-"


class UsageCount:
    """Sessions by name over any number of streams; mergeable."""

    def __init__(self) -> None:
        self.sessions: dict[str, Told] = {}
        self.glanced: list[str] = []
        """Streams that were not folded: when their sessions started is not known."""

    def take(self, name: str, advance: "Advance | None" = None) -> None:
        """Count one stream. When it cannot be read to its end, `SourceUnreadable` is raised and none of it counts."""
        found = None if name == _STDIN else _glance(name)
        if found is None:
            from chorus.lab.census.accounting import fold_together

            found = fold_together([name])
        else:
            self.glanced.append(name)
        self.add(found)
        if advance is not None and name != _STDIN:
            advance(os.stat(name).st_size)  # noqa: PTH116 - called for every file there is

    def merge(self, other: "UsageCount") -> None:
        """Add all that another one counted."""
        self.glanced += other.glanced
        self.add(other.sessions)

    def add(self, found: dict[str, Told]) -> None:
        for session, told in found.items():
            known = self.sessions.get(session)
            if known is None:
                self.sessions[session] = told
            else:
                known.merge(told)


def _glance(name: str) -> dict[str, Told] | None:
    """What a plain stream tells; None for any other."""
    try:
        return _heard(name)
    except NotPlain:
        return None


def _heard(name: str) -> dict[str, Told]:
    file_id = id_in(name)
    found: dict[str, Told] = {}
    session, told = None, Told()
    with opened(name) as file:
        for line in lines(file):
            if (whose := session_of(line, file_id)) != session:
                session = whose
                told = found.get(session) or found.setdefault(session, Told(streams={name}))
                told.place = min(told.place, place_of(name, session, line.cwd))
            if line.type == "assistant":
                _hear(told.messages, line)
            elif line.totalCostUSD is not None:
                if doubt_cost(line.totalCostUSD):
                    raise NotPlain
                told.state_usd, told.state_streams = line.totalCostUSD, {name}
    return found


def _believable(count: int) -> int:
    """A figure that may be; what to make of any other is the fold's to say."""
    if count > MAX_TOKENS:
        raise NotPlain
    return count


def _hear(messages: dict[str, Heard], line: Line) -> None:
    """Add what one line says of its message. Called for every line there is, and written for that."""
    message = line.message
    own = message.id if message else None
    thread = line.thread
    name = own or (f"{thread}/{line.uuid}" if thread else line.uuid or "")
    heard = messages.get(name)
    if heard is None:
        heard = messages[name] = unheard(is_nameless=own is None)
    if heard[THREAD] != thread:
        spoke_in(heard, thread)
    time = line.time
    if time is not None and (heard[AT] is None or time < heard[AT]):
        heard[AT] = time
    if line.costUSD is not None:
        if doubt_cost(line.costUSD):
            raise NotPlain
        heard[COST] = line.costUSD
    if heard[MODEL] is None and (model := (message.model if message else None) or line.model):
        # The same object for all messages, so that it crosses between processes once.
        heard[MODEL] = intern(model)
    if message is None:
        return
    if message.stop_reason:
        heard[HAS_ENDED] = True
    used = message.usage
    if used is None or message.model == _SYNTHETIC:
        return
    if heard[TIER] is None and (tier := used.tier):
        heard[TIER] = intern(tier)
    if (
        (used.input_tokens or 0)
        | (used.output_tokens or 0)
        | (used.cache_creation_input_tokens or 0)
        | (used.cache_read_input_tokens or 0)
    ) < 0:
        # One of them is below 0.
        raise NotPlain
    if heard[0] < 0:
        heard[0] = 0
    if (count := used.input_tokens) is not None and count > heard[0]:
        heard[0] = _believable(count)
    if (count := used.output_tokens) is not None and count > heard[1]:
        heard[1] = _believable(count)
    if (count := used.cache_creation_input_tokens) is not None and count > heard[2]:
        heard[2] = _believable(count)
    if (count := used.cache_read_input_tokens) is not None and count > heard[3]:
        heard[3] = _believable(count)
    if (cache := used.cache_creation) is not None:
        if (count := cache.ephemeral_5m_input_tokens) is not None and count > heard[4]:
            heard[4] = _believable(count)
        if (count := cache.ephemeral_1h_input_tokens) is not None and count > heard[5]:
            heard[5] = _believable(count)
    if (server := used.server_tool_use) is not None:
        if (count := server.web_search_requests) is not None and count > heard[6]:
            heard[6] = count
        if (count := server.web_fetch_requests) is not None and count > heard[7]:
            heard[7] = count
