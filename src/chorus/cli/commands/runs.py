"""`chorus runs`: list the running agents, and past runs."""

from datetime import UTC, datetime
from typing import Any

import click

from chorus.base import config
from chorus.cli.age import age
from chorus.cli.output import print_json, print_table, say
from chorus.cli.steering import status_of
from chorus.cli.table import Column
from chorus.cli.vault_ids import vault_option
from chorus.core.views.safe import safe_line
from chorus.errors import ChorusError
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.run_folders import LOST, Run, RunFolder, Runs

_COLUMNS = (
    Column("Id"),
    Column("Agent", drop_rank=2, min_width=12),
    Column("State", min_width=20),
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
    found = [_as_json(folder, run) for folder, run in Runs(config.home(vault))]
    now = datetime.now(UTC)
    shown = found if every else _not_over(found)
    if as_json:
        print_json(shown)
        return
    rows = [
        (
            each["run"],
            each["agent"] or "",
            _state(each),
            age(each["started_at"], now),
            each["workspace"],
            safe_line(each["title"]),
        )
        for each in shown
    ]
    print_table("Runs", _COLUMNS, rows)
    if not rows:
        say("No agent is running; `chorus run` starts one" + ("." if every else ", --all lists past runs."))


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
