"""What is live on this machine, for the board in the terminal: clients, their panes, runs and requests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from chorus.base import config
from chorus.core.board.facts import RunFact
from chorus.errors import ChorusError
from chorus.keep.archive.listing import name_of
from chorus.keep.sources.discover import config_folder
from chorus.show.board.budget_alerts import client_works, run_work
from chorus.show.board.budget_meter import Work
from chorus.show.board.live_state import LiveState, SeenRun, live_state
from chorus.steer.approvals.asked_text import asked_by
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.clients.registry import Registry
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.run_folders import Run, RunFolder, Runs
from chorus.steer.tmux.open_servers import OpenServers
from chorus.steer.tmux.panes import go_command, go_to
from chorus.steer.tmux.placing import PlacedClient

_SOON_S = 1.0


class LiveSources:
    """Reads clients, panes, runs and requests again and again. A context manager."""

    def __init__(self, home: Path, vault: Path) -> None:
        self._registry = Registry([config_folder()])
        self._runs = Runs(home)
        self._vault = str(vault.absolute())
        self._ledger = Ledger(vault / "state")
        # What is wrong with a server of tmux is said by the commands about panes.
        self._servers = OpenServers(config.load(home))
        self._placed: Mapping[str, PlacedClient] = {}
        """The pane of each session, as of the last look."""
        self.works: list[Work] = []
        """What clients and runs work on, as of the last look."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._servers.close()

    def go_to(self, session: str) -> str | None:
        """Show the pane of a session in tmux and return where it is; if nobody is attached, the command that attaches.

        Returns None if the session runs in no pane.
        """
        found = self._placed.get(session)
        connection = self._servers.connections().get(Path(found.pane.socket)) if found is not None else None
        if found is None or connection is None:
            return None
        try:
            who = go_to(connection, found.pane)
        except ChorusError:
            return None
        return f"tmux now shows {found.pane.place}" if who is not None else go_command(found.pane)

    def asked_by(self, request_id: str) -> str | None:
        """Return what a pending request would do, without hidden characters; None if it does not wait."""
        try:
            return asked_by(self._ledger, request_id)
        except ChorusError:
            return None

    def look(self) -> LiveState:
        """Return what is live now. A source that cannot be read at this moment says nothing."""
        ours = [(run, _seen(folder, run)) for folder, run in self._runs if run.vault == self._vault]
        try:
            pending = self._ledger.pending()
        except ChorusError:
            pending = []
        clients = list(self._registry.look().values())
        self._placed = self._servers.place(clients)
        panes = {session: each.pane.place for session, each in self._placed.items()}
        # A run is a client, too: what is known about the run counts.
        self.works = client_works(clients, lambda session: name_of(Path(self._vault), session))
        self.works += [run_work(run, seen.conversation, seen.fact.state) for run, seen in ours if seen.fact.is_living]
        return live_state(clients, [seen for _, seen in ours], pending, panes)


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
