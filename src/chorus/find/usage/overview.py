"""Everything that a usage page shows about a selection of conversations and days."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct, structs

from chorus.core.conversation.items import Limit
from chorus.core.query.usage_lines import Grouping
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.find.index.port import Index
from chorus.find.usage.figures import GroupLine, TurnLine
from chorus.find.usage.naming import with_prompts
from chorus.find.usage.report import TOP, Table, UsageReports, limit_json
from chorus.find.usage.tools import UsageSummary
from chorus.keep.vault.port import Vault


class Overview(Struct, kw_only=True):
    """A usage report with all its parts."""

    tables: dict[Grouping, Table]
    """By grouping, as asked for; `tool` is in `done`."""
    total: GroupLine
    conversations: int
    """Number of conversations that used something."""
    dearest: list[GroupLine]
    """The most expensive conversations."""
    turns: list[TurnLine]
    """The most expensive turns."""
    done: UsageSummary
    limits: list[Limit]
    prices: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Returns the documented JSON of `chorus usage --json`."""
        total = self.total.as_json()
        del total["key"], total["label"], total["query"]
        return {
            "total": {**total, "conversations": self.conversations, "prompts": self.done.prompts},
            "tables": [table.as_json() for table in self.tables.values()],
            "tools": [line.as_json() for line in self.done.tools],
            "waiting": [_without_query(line.as_json()) for line in self.done.waiting],
            "turns": _without_query(self.done.turns.as_json()),
            "dearest_conversations": [line.as_json() for line in self.dearest],
            "dearest_turns": [turn.as_json() for turn in self.turns],
            "limits": [limit_json(limit) for limit in self.limits],
            "prices": self.prices,
        }


def overview(
    reports: UsageReports,
    index: Index,
    vault: Vault,
    names: WorkspaceNames,
    groupings: tuple[Grouping, ...],
    title_of: Callable[[str], str],
) -> Overview:
    """Returns the whole report, with a table for each of these groupings. `title_of` names a conversation."""
    by_conversation = reports.table("conversation")
    tables: dict[Grouping, Table] = {
        by: by_conversation if by == "conversation" else reports.table(by) for by in groupings if by != "tool"
    }
    for by, table in tables.items():
        reports.with_terms(by, table.lines)
    dearest = [structs.replace(line) for line in by_conversation.lines[:TOP] if line.tokens or line.reported_usd]
    if "workspace" in tables:
        for line in tables["workspace"].lines:
            line.label = names.of(line.key)
    if "conversation" in tables:
        for line in by_conversation.lines:
            line.label = title_of(line.key)
    for line in reports.with_terms("conversation", dearest):
        line.label = title_of(line.key)
    return Overview(
        tables=tables,
        total=by_conversation.total,
        conversations=sum(bool(line.tokens or line.messages or line.turns) for line in by_conversation.lines),
        dearest=dearest,
        turns=with_prompts(index, vault, reports.dearest_turns(by_conversation.lines)),
        done=reports.done(),
        limits=reports.limits(),
        prices=reports.prices_json(),
    )


def _without_query(shown: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in shown.items() if key != "query"}
