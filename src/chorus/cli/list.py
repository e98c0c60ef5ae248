"""`chorus list`: the conversations that are kept, newest first."""

from datetime import UTC, datetime
from typing import Any

import click

from chorus import config
from chorus.archive.kept import SHORTEST, Kept, conversations
from chorus.archive.summaries import Summaries, Summary
from chorus.cli.output import counted, print_json, print_table
from chorus.cli.progress import progress
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.views import figures

_MANY = 50
_TITLE = 48


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--workspace", metavar="W", help="Only those of one workspace: its id, a part of it, or its folder.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=_MANY, show_default=True, metavar="N", help="At most N; 0 for all."
)
@vault_option
def list_(*, as_json: bool, workspace: str | None, limit: int, vault: str | None) -> None:
    """List the conversations in the vault, newest first.

    The first eight characters of an id are enough to name it to other commands. Tokens and cost are as the client
    reported them.
    """
    kept_in = open_vault(vault)
    summaries = Summaries(kept_in, kept_in.root)
    folders = {each.id: each.path for each in config.load(kept_in.root).workspaces}
    every = list(conversations(kept_in))
    found = [kept for kept in every if workspace is None or _is_in(kept, workspace, folders)]
    found.sort(key=lambda kept: (summaries.span(kept).last_at or "", kept.id), reverse=True)
    chosen = found[:limit] if limit else found
    unknown = [str(kept_in.path(key)) for kept in chosen if not summaries.is_known(kept) for key in kept.content]
    listed: list[tuple[Kept, Summary]] = []
    with progress("Reading", unknown) as advance:
        for kept in chosen:
            is_new = not summaries.is_known(kept)
            listed.append((kept, summaries.summary(kept)))
            if is_new:
                advance(kept.size_bytes)
    for kept in every:
        # What is not listed this time stays remembered.
        summaries.span(kept)
    summaries.save()
    if as_json:
        print_json({"conversations": [_as_json(*each) for each in listed], "total": len(found)})
        return
    _print(listed, len(found), datetime.now(UTC))


def _as_json(kept: Kept, summary: Summary) -> dict[str, Any]:
    """The documented shape of one conversation in `chorus list --json`."""
    spent = summary.tokens
    return {
        "id": kept.id,
        "title": summary.title,
        "workspace": kept.workspace,
        "agent": kept.agent,
        "cwd": summary.cwd,
        "started_at": summary.started_at,
        "ended_at": summary.ended_at,
        "status": summary.status,
        "messages": summary.messages,
        "sub_agents": kept.agents,
        "tokens": {
            "input": spent.input,
            "output": spent.output,
            "cache_creation": spent.cache_creation,
            "cache_read": spent.cache_read,
        },
        "cost_usd": summary.cost_usd,
        "size_bytes": kept.size_bytes,
        "only_prompts": kept.is_stub,
        "streams": [key.stream for key in kept.keys],
    }


def _print(listed: list[tuple[Kept, Summary]], total: int, now: datetime) -> None:
    if not listed:
        click.echo("Nothing is kept here yet: `chorus sync` brings your sessions in.")
        return
    rows = [
        (
            kept.id[:SHORTEST],
            _cut(summary.title),
            kept.workspace,
            age(summary.ended_at, now),
            summary.messages,
            summary.status,
            figures.tokens(summary.tokens),
            figures.cost(summary.cost_usd) if summary.cost_usd is not None else "",
            figures.size(kept.size_bytes),
            _marks(kept),
        )
        for kept, summary in listed
    ]
    head = ["Id", "Title", "Workspace", "Age", "Messages", "Status", "Tokens", "Cost", "Size", ""]
    print_table("Conversations", head, rows)
    shown = counted(total, "conversation")
    click.echo(shown if len(listed) == total else f"{len(listed):,} of {shown}; --limit 0 lists all")


def age(time: str | None, now: datetime) -> str:
    """`5 m`, `3 h`, `12 d`: how long ago; empty when that is not known."""
    moment = figures.moment(time, UTC)
    if moment is None:
        return ""
    minutes = max(0, int((now - moment).total_seconds() // 60))
    if minutes < 60:
        return f"{minutes} m"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"


def _is_in(kept: Kept, workspace: str, folders: dict[str, str]) -> bool:
    return workspace in kept.workspace or folders.get(kept.workspace) == workspace.rstrip("/")


def _cut(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"


def _marks(kept: Kept) -> str:
    marks = ["only prompts kept"] if kept.is_stub else []
    if kept.agents:
        marks.append(counted(kept.agents, "sub-agent"))
    return ", ".join(marks)
