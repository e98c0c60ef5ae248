"""The facts about each of two compared conversations."""

from typing import Any

from msgspec import Struct, structs

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.tokens import Tokens
from chorus.core.views import figures
from chorus.core.views.heading import heading


class Side(Struct, frozen=True, kw_only=True):
    """One of the two conversations, as a whole."""

    id: str
    title: str
    cwd: str | None
    git_branch: str | None
    models: tuple[str, ...]
    started_at: str | None
    ended_at: str | None
    duration_ms: float | None
    """From its first to its last record, with everything that waited in between."""
    sub_agents: int
    tokens: Tokens
    """Without the tokens of history that a fork copied."""
    is_lower_bound: bool
    cost: str
    """In short, such as `$0.12`; empty if nothing is known."""

    def as_json(self) -> dict[str, Any]:
        """Returns the fields as plain values."""
        return {**structs.asdict(self), "models": list(self.models), "tokens": structs.asdict(self.tokens)}


def side(conversation: Conversation, cost: str) -> Side:
    """Returns the facts about a conversation. `cost` is what its cost ledger says."""
    head = heading(conversation)
    return Side(
        id=head.id,
        title=head.title,
        cwd=head.cwd,
        git_branch=head.git_branch,
        models=head.models,
        started_at=head.started_at,
        ended_at=head.ended_at,
        duration_ms=figures.elapsed_ms(head.started_at, head.ended_at),
        sub_agents=head.agents,
        tokens=head.tokens,
        is_lower_bound=head.is_lower_bound,
        cost=cost,
    )
