"""The status of listed conversations after the runs of Chorus that ended."""

from collections.abc import Iterable
from pathlib import Path

from chorus.core.board.ended_runs import is_unfinished, status_after
from chorus.core.board.facts import RunFact
from chorus.find.index.rows import ConversationRow
from chorus.keep.sources.discover import config_folder
from chorus.steer.clients.registry import Registry
from chorus.steer.runs.run_folders import Runs


def statuses_after_runs(home: Path, vault: Path, rows: Iterable[ConversationRow]) -> dict[str, str]:
    """Return the statuses, by name, that are different because a run ended later than the last record.

    A session that some client has open says by its records what it does.
    """
    unfinished = {row.id: row for row in rows if is_unfinished(row.status)}
    if not unfinished:
        return {}
    of_vault = str(vault.absolute())
    last: dict[str, RunFact] = {}
    for folder, run in Runs(home):  # Newest first.
        known = last.get(run.session)
        if run.session not in unfinished or run.vault != of_vault or (known is not None and known.is_living):
            continue
        phase = folder.phase(run)
        if known is None or phase not in ("ended", "lost"):
            ending = run.ending
            is_failure, at = (ending.is_failure, ending.at) if ending else (False, None)
            last[run.session] = RunFact(id=run.id, state=phase, is_failure=is_failure, ended_at=at)
    last = {session: run for session, run in last.items() if not run.is_living}
    clients = Registry([config_folder()]).look() if last else {}
    found = {
        row.name: status_after(run, row.status, row.session.ended_at)
        for session, run in last.items()
        if session not in clients and (row := unfinished[session])
    }
    return {name: status for name, status in found.items() if not is_unfinished(status)}
