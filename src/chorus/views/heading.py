"""The head of a transcript: what a conversation is, in facts."""

from msgspec import Struct

from chorus.conversation.conversation import Conversation
from chorus.conversation.items import Call, Tokens
from chorus.views import figures


class Heading(Struct, frozen=True, kw_only=True):
    """The facts above a transcript; plain data for any door."""

    id: str
    title: str
    status: str
    started_at: str | None
    ended_at: str | None
    cwd: str | None
    git_branch: str | None
    versions: tuple[str, ...]
    models: tuple[str, ...]
    messages: int
    calls: int
    agents: int
    unread: int
    tokens: Tokens
    cost_usd: float | None


def heading(conversation: Conversation) -> Heading:
    """The facts of a conversation; a title is never empty."""
    session = conversation.session
    cost = conversation.reported_cost_usd
    return Heading(
        id=session.session_id,
        title=session.title or session.session_id or "conversation",
        status=session.status.value,
        started_at=session.started_at,
        ended_at=session.ended_at,
        cwd=session.cwd,
        git_branch=session.git_branch,
        versions=session.versions,
        models=session.models,
        messages=session.messages,
        calls=len(conversation.all(Call)),
        agents=len(conversation.agents),
        unread=session.unread,
        tokens=conversation.tokens,
        cost_usd=cost if cost is not None else session.state_cost_usd,
    )


def facts(head: Heading, span: str) -> list[str]:
    """The facts in three lines of words; `span` is when, in the reader's time."""
    where = f"{head.cwd} ({head.git_branch})" if head.cwd and head.git_branch else head.cwd or ""
    client = f"Claude Code {', '.join(head.versions)}" if head.versions else ""
    sums = [
        ", ".join(figures.model(name) for name in head.models),
        figures.several(head.messages, "message"),
        figures.several(head.calls, "call"),
        figures.several(head.agents, "sub-agent") if head.agents else "",
        figures.tokens(head.tokens),
        figures.cost(head.cost_usd) if head.cost_usd is not None else "",
        figures.several(head.unread, "unread record") if head.unread else "",
    ]
    lines = ([head.id if head.id != head.title else "", head.status, span], [where, client], sums)
    return [" · ".join(part for part in line if part) for line in lines if any(line)]
