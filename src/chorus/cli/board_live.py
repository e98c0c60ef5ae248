"""What is live on this machine, for the board in the terminal: clients, runs and requests."""

from pathlib import Path

from chorus.core.board.facts import RunFact
from chorus.errors import ChorusError
from chorus.keep.sources.discover import config_folder
from chorus.show.board.live_state import LiveState, SeenRun, live_state
from chorus.steer.approvals.asked_text import asked_by
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.clients.registry import Registry
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.run_folders import Run, RunFolder, Runs

_SOON_S = 1.0


class LiveSources:
    """Reads clients, runs and requests again and again."""

    def __init__(self, home: Path, vault: Path) -> None:
        self._registry = Registry([config_folder()])
        self._runs = Runs(home)
        self._vault = str(vault.absolute())
        self._ledger = Ledger(vault / "state")

    def asked_by(self, request_id: str) -> str | None:
        """Return what a pending request would do, without hidden characters; None if it does not wait."""
        try:
            return asked_by(self._ledger, request_id)
        except ChorusError:
            return None

    def look(self) -> LiveState:
        """Return what is live now. A source that cannot be read at this moment says nothing."""
        ours = [(folder, run) for folder, run in self._runs if run.vault == self._vault]
        try:
            pending = self._ledger.pending()
        except ChorusError:
            pending = []
        return live_state(self._registry.look().values(), [_seen(folder, run) for folder, run in ours], pending)


def _seen(folder: RunFolder, run: Run) -> SeenRun:
    phase = folder.phase(run)
    status = _status(folder) if phase in ("starting", "running") else None
    fact = RunFact(
        id=run.id,
        state=status.state if status else phase,
        is_failure=run.ending.is_failure if run.ending else False,
        ended_at=run.ending.at if run.ending else None,
    )
    return SeenRun(
        fact=fact,
        conversation=f"{run.workspace}/{run.agent}/{status.session if status else run.session}",
        title=run.title,
        folder=run.path,
        started_at=run.started_at,
    )


def _status(folder: RunFolder) -> messages.Status | None:
    try:
        with Attached(folder) as attached:
            attached.do(messages.Ask())
            event = attached.next(_SOON_S)
    except (ChorusError, TimeoutError):
        return None
    return event if isinstance(event, messages.Status) else None
