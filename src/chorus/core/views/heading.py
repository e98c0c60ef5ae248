"""The heading of a transcript: facts about the conversation."""

from collections.abc import Iterator

from msgspec import Struct

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Call, Tokens
from chorus.core.views import figures


class Heading(Struct, frozen=True, kw_only=True):
    """The facts above a transcript, as plain data for any front end."""

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
    """What the client reported."""
    computed: str | None = None
    """The cost computed from tokens, in words, if it was requested."""
    is_lower_bound: bool = False
    """Whether the real number of tokens may be higher."""
    copied: Tokens | None = None
    """Tokens of history that a fork copied from another conversation. They are not included in `tokens`."""


def heading(conversation: Conversation) -> Heading:
    """Returns the facts about a conversation. The title is never empty."""
    session, own = conversation.session, conversation.own
    return Heading(
        id=session.session_id,
        title=conversation.title or session.session_id or "conversation",
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
        tokens=own.tokens if own else conversation.tokens,
        cost_usd=conversation.reported_cost_usd,
        computed=own.cost if own and not own.cost.endswith("reported") else None,
        is_lower_bound=own.is_lower_bound if own else conversation.is_lower_bound,
        copied=own.copied if own else None,
    )


def _cost(head: Heading) -> Iterator[str]:
    """Yields the computed cost and the cost that the client reported."""
    if head.computed:
        yield head.computed
    if head.cost_usd is not None:
        yield f"{figures.cost(head.cost_usd)} reported"


def _tokens(head: Heading) -> str:
    own = figures.tokens(head.tokens, is_lower_bound=head.is_lower_bound)
    copied = figures.tokens(head.copied) if head.copied else ""
    return f"{own or 'no tokens'} (plus {copied} copied)" if copied else own


def facts(head: Heading, span: str) -> list[str]:
    """Returns the facts as up to three lines of text. `span` is the period in the reader's time zone."""
    where = f"{head.cwd} ({head.git_branch})" if head.cwd and head.git_branch else head.cwd or ""
    client = f"Claude Code {', '.join(head.versions)}" if head.versions else ""
    sums = [
        ", ".join(figures.model(name) for name in head.models),
        figures.several(head.messages, "message"),
        figures.several(head.calls, "call"),
        figures.several(head.agents, "sub-agent") if head.agents else "",
        _tokens(head),
        *_cost(head),
        figures.several(head.unread, "unread record") if head.unread else "",
    ]
    lines = ([head.id if head.id != head.title else "", head.status, span], [where, client], sums)
    return [" · ".join(part for part in line if part) for line in lines if any(line)]
