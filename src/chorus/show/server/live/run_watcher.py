"""Watches the runs that Chorus started: reads the status that their holders send, and reports each change."""

import asyncio
import contextlib
import selectors
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast, get_args

from chorus.core.board.facts import RunFact
from chorus.core.records.times import wire_time
from chorus.errors import ChorusError, IndexDamaged
from chorus.show import wire
from chorus.show.server import log
from chorus.show.server.errors import Refused
from chorus.show.server.services.readers import Readers
from chorus.show.wire.runs import RunState
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.run_folders import Run, RunFolder, Runs

LOOK_S, QUIET_LOOK_S = 0.3, 1.0
"""How often the list of runs is read; the second value applies while none is attached."""
_PATIENCE_S = 2.0
"""How long to wait for a holder to accept the connection; the next look tries again."""
RECENT = timedelta(minutes=10)
"""How long a run is shown after its end."""
MAX_ENDED = 20
ALARM = timedelta(days=1)
"""How long every page warns of a run that was tampered with."""
_LOOK = "`chorus doctor` tells more."


class RunWatcher:
    """Watches the runs whose conversations are recorded in one vault. `runs` may be read from any thread."""

    def __init__(self, home: Path, vault: Path, readers: Readers) -> None:
        self._runs = Runs(home)
        self._vault = str(vault.absolute())
        self._readers = readers
        self._kept: set[str] = set()
        """The conversations of runs that are in the index."""
        self._attached: dict[str, Attached] = {}
        self._status: dict[str, messages.Status] = {}
        self.runs: dict[str, wire.RunShown] = {}
        """Runs by id; the dict is replaced as a whole and never changed."""
        self.past: dict[str, wire.RunShown] = {}
        """All runs that ended or were lost, by id, also long ago; the dict is replaced and never changed."""
        self.alarmed: Callable[[str | None], None] = lambda words: None
        """Called with the reason why a run was stopped for tampering, or with None if there is none."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change of `runs`."""
        self.past_changed: Callable[[], None] = lambda: None
        """Called after each change of `past`: conversations may have another status now."""
        self.budgets_of: Callable[[str], tuple[wire.BudgetUse, ...]] = lambda conversation: ()
        """Returns how much of its limits a conversation has used."""

    def all_runs(self) -> Iterable[wire.RunShown]:
        return self.runs.values()

    def last_runs(self) -> dict[str, RunFact]:
        """Returns the run of each session: a living one, else the newest. May be called from any thread."""
        runs = {**self.past, **self.runs}.values()
        ordered = sorted(runs, key=lambda run: (run.state not in ("ended", "lost"), run.started_at))
        return {run.session: fact_of(run) for run in ordered}

    def find(self, run_id: str) -> RunFolder | None:
        """Returns the folder of a run of this vault by its full id, or None."""
        return next((folder for folder, run in self._runs if run.id == run_id and run.vault == self._vault), None)

    def shown(self, folder: RunFolder) -> wire.RunShown:
        """Returns a run in the form that is sent to pages; one that was just started is read from its folder."""
        run = folder.read()
        if run is None:
            raise ChorusError("the run is gone; `chorus runs` tells of those there are")
        return self.runs.get(run.id) or self._shown(folder, run)

    async def run(self) -> None:
        """Watches until cancelled. Whatever fails is tried again: no run may stop a server."""
        try:
            while True:
                try:
                    await self._look()
                    await self._look_for_conversations()
                    if not self._attached:
                        await asyncio.sleep(QUIET_LOOK_S)
                except Exception as error:  # noqa: BLE001 - the next look may succeed
                    log.failure("RUNS", "", error)
                    await asyncio.sleep(LOOK_S)
        finally:
            for each in self._attached.values():
                each.close()

    async def _look(self) -> None:
        """Calls `look` in a thread. A cancellation waits for it, so that connections it still opens get closed too."""
        looking = asyncio.get_running_loop().run_in_executor(None, self.look)
        try:
            await asyncio.shield(looking)
        finally:
            await asyncio.wait([looking])

    def look(self, patience_s: float | None = None) -> None:
        """Reads the list of runs, then waits `patience_s` (or the usual time) for a message of a holder."""
        ours = [(folder, run) for folder, run in self._runs if run.vault == self._vault]
        living = {run.id for folder, run in ours if run.ending is None and self._is_attached(folder, run)}
        for gone in self._attached.keys() - living:
            self._detach(gone)
        self._show(ours)
        usual = LOOK_S if self._attached else 0.0
        self._listen(usual if patience_s is None else patience_s)

    async def _look_for_conversations(self) -> None:
        """Looks up which conversations of runs are in the index by now; the next look reports it."""
        names = {each.conversation for each in self.runs.values()}
        self._kept &= names
        if awaited := names - self._kept:
            with contextlib.suppress(IndexDamaged, Refused):
                self._kept |= await self._readers.run(
                    lambda index: {name for name in awaited if index.conversation(name) is not None}
                )

    def _is_attached(self, folder: RunFolder, run: Run) -> bool:
        if run.id in self._attached:
            return True
        if not folder.is_held():
            return False
        with contextlib.suppress(ChorusError):
            attached = Attached(folder, patience_s=_PATIENCE_S)
            try:
                attached.attach([])
            except ChorusError:
                attached.close()
                return False
            self._attached[run.id] = attached
            self._hear(run.id, attached)
            return True
        return False

    def _listen(self, patience_s: float) -> None:
        with selectors.DefaultSelector() as selector:
            for run_id, attached in self._attached.items():
                selector.register(attached, selectors.EVENT_READ, run_id)
            ready = [key.data for key, _ in selector.select(patience_s)]
        for run_id in ready:
            self._hear(run_id, self._attached[run_id])

    def _hear(self, run_id: str, attached: Attached) -> None:
        """Reads the messages of a holder; detaches from one that has ended."""
        with contextlib.suppress(TimeoutError):
            while (event := attached.next(0)) is not None:
                if isinstance(event, messages.Status):
                    self._status[run_id] = event
                if isinstance(event, messages.Ended):
                    break
            self._detach(run_id)

    def _detach(self, run_id: str) -> None:
        self._attached.pop(run_id).close()
        self._status.pop(run_id, None)

    def _show(self, ours: list[tuple[RunFolder, Run]]) -> None:
        since = wire_time(datetime.now(UTC) - RECENT)
        at_work = [(folder, run) for folder, run in ours if run.ending is None]
        ended = [(folder, run) for folder, run in ours if run.ending is not None and run.ending.at > since]
        shown = {run.id: self._shown(folder, run) for folder, run in [*at_work, *ended[:MAX_ENDED]]}
        lost = [each.id for each in shown.values() if each.state == "lost" and each.started_at <= since]
        self._note_past(ours, [shown[old] for old in lost])
        for old in lost:
            del shown[old]
        lately = wire_time(datetime.now(UTC) - ALARM)
        tampered = next((run for _, run in ours if run.tampering and _is_since(run, lately)), None)
        if tampered is not None:
            self.alarmed(f"TAMPERING with run {tampered.id}: {tampered.alarm}. It was stopped. {_LOOK}")
        else:
            self.alarmed(None)
        if shown != self.runs:
            self.runs = shown
            self.changed()

    def _note_past(self, ours: list[tuple[RunFolder, Run]], lost: list[wire.RunShown]) -> None:
        """Remembers the runs that are over. A run that has ended does not change, so each is looked at once."""
        ended = [(folder, run) for folder, run in ours if run.ending is not None]
        found = {run.id: self.past.get(run.id) or self._shown(folder, run) for folder, run in ended}
        found |= {each.id: each for each in lost}
        if found != self.past:
            self.past = found
            self.past_changed()

    def _shown(self, folder: RunFolder, run: Run) -> wire.RunShown:
        status, ending = self._status.get(run.id), run.ending
        phase = "starting" if run.id in self._attached else folder.phase(run)
        session = status.session if status else run.session
        conversation = f"{run.workspace}/{run.agent}/{session}"
        return wire.RunShown(
            id=run.id,
            session=session,
            conversation=conversation,
            # A run that continues a conversation has one to show, whatever the index was asked so far.
            is_kept=conversation in self._kept or (run.launch.resumes == session and not run.launch.is_fork),
            title=run.title,
            folder=run.path,
            agent=run.name or None,
            state=_state(status.state) if status else phase,
            queued=tuple(status.queued) if status else (),
            model=status.model if status else run.launch.model or "",
            mode=status.mode if status else run.launch.mode or "",
            trouble=status.trouble if status else "",
            advice=status.advice if status else "",
            started_at=run.started_at,
            ended_at=ending.at if ending else None,
            ending=ending.words if ending else "",
            is_failure=ending.is_failure if ending else False,
            budgets=self.budgets_of(conversation) if ending is None else (),
        )


def _is_since(run: Run, moment: str) -> bool:
    """Returns whether a run has not ended, or ended after that moment."""
    return run.ending is None or run.ending.at > moment


def _state(text: str) -> RunState:
    """Returns the state that a holder reported; a state that only a newer version knows becomes "running"."""
    return cast("RunState", text) if text in get_args(RunState) else "running"


def fact_of(run: wire.RunShown) -> RunFact:
    """Returns what decides about the board and the status of its conversation."""
    return RunFact(id=run.id, state=run.state, is_failure=run.is_failure, ended_at=run.ended_at)
