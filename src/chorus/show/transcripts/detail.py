"""The facts that are shown around a transcript."""

from collections.abc import Iterator
from itertools import islice

from chorus.core.conversation import items
from chorus.core.conversation.context_window import context_of
from chorus.core.conversation.items import MAIN
from chorus.core.views import figures
from chorus.core.views.blocks import Plan
from chorus.find.index.port import Index
from chorus.keep.archive.listing import named
from chorus.keep.archive.manifest import manifest_of
from chorus.keep.archive.opening import plan_text
from chorus.show.transcripts import merged_walk
from chorus.show.transcripts.sketch import MODEL
from chorus.show.transcripts.summary import Summaries
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.show.wire import Context, ConversationDetail, ThreadSummary

_PLAN_CHARS = 64 << 10
_LOOK_BACK = 20
"""Messages that the client wrote itself are among the model's messages and have no tokens."""


def detail(opened: OpenTranscript, index: Index, summaries: Summaries | None = None) -> ConversationDetail:
    """Returns the facts about a conversation, and its sub-agents' threads."""
    row, session = opened.row, opened.row.session
    (summary,) = (summaries or Summaries(opened.costs)).of(index, [row])
    with opened.lock:
        threads = tuple(_threads(opened))
    return ConversationDetail(
        summary=summary,
        tools=session.tools,
        mcp_servers=session.mcp_servers,
        permission_mode=session.permission_mode,
        versions=session.versions,
        api_key_source=session.api_key_source,
        slug=session.slug,
        plan=_plan(opened),
        context=context(opened, index),
        threads=threads,
        unread=session.unread,
        epoch=opened.epoch,
        seq=opened.seq,
    )


def context(opened: OpenTranscript, index: Index) -> Context | None:
    """Returns how full the context window was at the model's last answer; None if no answer has token counts."""
    with opened.lock:
        rows = merged_walk.preceding(opened.lists(MAIN), None)
        answers = list(islice((each for each in rows if each.flags & MODEL), _LOOK_BACK))
    entries = opened.read(index, answers)
    for sketch in answers:
        item = entries[sketch.id].item if sketch.id in entries else None
        fill = context_of(item) if isinstance(item, items.Message) else None
        if fill is not None:
            return Context(tokens=fill.tokens, window=fill.window)
    return None


def _plan(opened: OpenTranscript) -> Plan | None:
    slug = opened.row.session.slug
    kept = named(opened.vault, [opened.name]) if slug else []
    text = plan_text(opened.vault, slug, manifest_of(opened.vault, kept[0])) if kept else None
    if not text:
        return None
    return Plan(markdown=text[:_PLAN_CHARS], cut_chars=max(0, len(text) - _PLAN_CHARS))


def _threads(opened: OpenTranscript) -> Iterator[ThreadSummary]:
    for agent in opened.links.best_agents():
        call = opened.links.call(agent.call) if agent.call else None
        ends = [sketch for rows in opened.lists(agent.agent) if rows for sketch in (rows[0], rows[-1])]
        times = [sketch.time for sketch in ends if sketch.time]
        yield ThreadSummary(
            id=agent.agent,
            kind=agent.type or "",
            description=agent.description or "",
            status=figures.agent_status(agent.status),
            call=agent.call if call else None,
            parent=opened.links.thread_of(call.thread) if call else MAIN,
            entries=opened.entries(agent.agent),
            started_at=min(times, default=None),
            ended_at=max(times, default=None),
        )
