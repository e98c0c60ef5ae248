"""`chorus runs`: list the running agents, and past runs."""

import sys
from datetime import UTC, datetime
from typing import Any

import click

from chorus.base import config
from chorus.cli.age import age
from chorus.cli.output import print_json, print_table, say
from chorus.cli.steering import status_of
from chorus.cli.table import Cell, Column
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.progress.model import ConversationProgress
from chorus.core.views.progress import current_progress, progress_json, progress_line, sub_agent_line
from chorus.core.views.safe import safe_line
from chorus.errors import ChorusError
from chorus.find.search.opening import look
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.run_folders import LOST, Run, RunFolder, Runs

_AT_WORK = frozenset({"starting", "running", "waiting", "idle", "ending"})
"""The states of a run whose progress may be shown."""
_COLUMNS = (
    Column("Id"),
    Column("Agent", drop_rank=2, min_width=12),
    Column("State", min_width=20),
    Column("Progress", drop_rank=1, min_width=20, preferred_width=36),
    Column("Started", is_right=True),
    Column("Workspace", drop_rank=1, min_width=16, keeps_end=True),
    Column("First message", min_width=20),
)


@click.command()
@click.option("--all", "every", is_flag=True, help="Also list runs that have ended.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
def runs(*, every: bool, as_json: bool, vault: str | None) -> None:
    """List the running agents: what each does, and which of them wait for you."""
    found = [_as_json(folder, run) for folder, run in Runs(config.guarded_home(vault))]
    now = datetime.now(UTC)
    shown = found if every else _not_over(found)
    progress = _progress(vault, [each["conversation"] for each in shown if each["state"] in _AT_WORK], now)
    if as_json:
        print_json([{**each, "progress": progress_json(progress.get(each["conversation"]))} for each in shown])
        return
    rows = [line for each in shown for line in _lines(each, progress.get(each["conversation"]), now)]
    print_table("Runs", _COLUMNS, rows)
    if not rows:
        say("No agent is running; `chorus run` starts one" + ("." if every else ", --all lists past runs."))


def _progress(vault: str | None, names: list[str], now: datetime) -> dict[str, ConversationProgress]:
    """Return the progress of conversations, as far as the index knows it."""
    if not names:
        return {}
    rows = look(open_vault(vault), lambda index: [row for name in names if (row := index.conversation(name))]) or []
    known = ((row.name, current_progress(row.progress, row.status, row.session.ended_at, now)) for row in rows)
    return {name: progress for name, progress in known if progress is not None}


def _lines(each: dict[str, Any], progress: ConversationProgress | None, now: datetime) -> list[tuple[Cell, ...]]:
    """Return the row of a run and, at a terminal, one row for each of its sub-agents."""
    main = progress.main if progress else None
    row = (
        each["run"],
        each["agent"] or "",
        _state(each),
        progress_line(main) if main else "",
        age(each["started_at"], now),
        each["workspace"],
        safe_line(each["title"]),
    )
    agents = progress.sub_agents if progress and sys.stdout.isatty() else ()
    return [row, *(("", "", "", sub_agent_line(one), "", "", f"↳ {safe_line(one.description)}") for one in agents)]


def _not_over(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the runs that are not over. A lost run is listed until its session is resumed."""
    shown: list[dict[str, Any]] = []
    later: set[str] = set()
    for each in found:
        if each["state"] != "ended" and not (each["state"] == "lost" and each["session"] in later):
            shown.append(each)
        later.add(each["session"])
    return shown


def _state(run: dict[str, Any]) -> str:
    queued = f", {len(run['queued'])} queued" if run["queued"] else ""
    return f"{run['state']}{queued}" + (f": {run['words']}" if run["words"] else "")


def _as_json(folder: RunFolder, run: Run) -> dict[str, Any]:
    """Return the documented form of a run in `chorus runs --json`."""
    phase = folder.phase(run)
    status = _status(folder) if phase in ("starting", "running") else None
    words = run.ending.words if run.ending else LOST if phase == "lost" else ""
    if status and status.questions:
        words = ", ".join(f"{each.tool} ({each.id[:8]})" for each in status.questions)
    return {
        "run": run.id,
        "session": run.session,
        "workspace": run.path,
        "agent": run.name or None,
        "conversation": f"{run.workspace}/{run.agent}/{run.session}",
        "started_at": run.started_at,
        "title": run.title,
        "state": status.state if status else phase,
        "words": words,
        "questions": [each.id for each in status.questions] if status else [],
        "queued": list(status.queued) if status else [],
        "model": status.model if status else None,
        "mode": status.mode if status else None,
        "exit_code": run.ending.code if run.ending else None,
        "failed": run.ending.is_failure if run.ending else phase == "lost",
    }


def _status(folder: RunFolder) -> messages.Status | None:
    try:
        with Attached(folder) as attached:
            return status_of(attached)
    except ChorusError:
        return None
