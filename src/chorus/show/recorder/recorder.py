"""Records sessions while they are written: one pass over all sources, then watching, with the index kept up to date."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, time

from chorus.base import config
from chorus.core.records.times import wire_time
from chorus.errors import SourceUnreadable, VaultUnwritable
from chorus.find.indexing.index_keeper import is_stale, make_stale
from chorus.keep.sources.sync import Sync
from chorus.keep.sources.sync_report import Report
from chorus.keep.sources.watcher import Stop, follow
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.decisions import Decisions
from chorus.show.recorder.indexing import Indexing
from chorus.show.recorder.pane_sources import PaneSources
from chorus.show.recorder.pipes import Pipes, left_behind
from chorus.show.recorder.progress import Advance, Steps
from chorus.show.recorder.run_growth import RunGrowth
from chorus.show.recorder.snapshot_retention import SnapshotRetention
from chorus.show.recorder.wanted_sources import wanted
from chorus.show.recorder.workspaces import list_workspaces
from chorus.steer.edits.record_feed import RecordFeed
from chorus.steer.runs.run_folders import Runs

PATIENCE_S = 1.0
"""How long a log that comes through a pipe may take to name its session."""
_IN_PIPE = timedelta(minutes=1)
"""What a client wrote to a pipe before it was read is not older than this."""
_PIPES_S = 0.2
"""How long pipes are read before the folders have their turn again."""
Warn = Callable[[str], None]
Lock = Callable[[], AbstractContextManager[None]]
"""Returns the lock to hold while something is recorded, such as `chorus.keep.sources.lock.sole_sync`."""


class Recorder:
    """Records sources in one vault."""

    def __init__(self, vault: FileVault, folders: list[Path], lock: Lock, warn: Warn) -> None:
        """`lock` is held whenever something is recorded, because other processes may record too.

        `warn` is called with problems that do not end the work.
        """
        self._vault = vault
        self._folders = folders
        self._lock = lock
        self._warn = warn
        self._runs = Runs(config.home_of(vault.root))
        self._decisions = Decisions(vault)
        self._retention = SnapshotRetention(config.home_of(vault.root), warn)
        self._syncing: Sync | None = None

    def indexing(self, give_way: Callable[[], None] | None = None, *, max_owed_bytes: int | None = None) -> Indexing:
        """Returns the index for this vault; the caller enters it. The arguments are those of `Indexing`."""
        return Indexing(self._vault, self._warn, give_way, max_owed_bytes=max_owed_bytes)

    def first_pass(
        self,
        indexing: Indexing,
        advance: Advance | None = None,
    ) -> Report:
        """Records everything that is new, indexes it, and packs idle streams. The caller holds the lock.

        `advance` is called with bytes of sources that are completely done: their sum is complete when this returns.
        """
        steps = Steps(advance)
        root = self._vault.root
        also = [Path(each) for each in config.load(config.home_of(root)).follow_links_to]
        syncing = self._syncing = Sync(
            self._vault, root, _now, is_wanted=wanted(root), begun=self._runs.home_of, also=also
        )
        try:
            healed = syncing.heal(self._folders)
            if healed.conversations:
                # Indexed data may come from damaged files.
                make_stale(self._vault)
            if healed.has_lost_decisions:
                self._decisions.begin_again()
            report = syncing.run(self._folders, steps.kept, indexing.begin)
            report.mended, report.lost = [*healed.mended, *self._vault.cut], healed.lost
            if self._vault.cut:
                # Lines after a torn one may have been indexed.
                make_stale(self._vault)
                self._vault.cut = []
            if left := left_behind(root):
                report.add(syncing.look(*left, is_ended=True))
                for path in left:
                    path.unlink(missing_ok=True)
            self._take_decisions()
            # The index comes first: packed streams would have to be unpacked for it.
            indexing.catch_up(steps.indexed)
            if syncing.seal_idle(_idle_before_ns(root), steps.packed):
                indexing.catch_up()
            self._runs.prune(time())
            steps.end()
        except BaseException:
            # Failed or cancelled: the next process must not wait for what is still held.
            with suppress(VaultUnwritable):
                self._vault.close()
            raise
        return report

    def _take_decisions(self) -> list[str]:
        """Records the decisions, as far as the ledger can be read now, and returns the conversations that grew."""
        try:
            return self._decisions.take()
        except SourceUnreadable as error:
            self._warn(f"{error}; decisions are recorded once it can be read")
            return []

    def end_pass(self) -> None:
        """Releases what the pass held, and lists the workspaces it saw; under the same lock."""
        self._vault.close()
        if self._syncing is not None:
            list_workspaces(self._vault.root, self._syncing.workspaces)

    def take_pipes(self, indexing: Indexing, names: list[str]) -> Report:
        """Records what comes through pipes until they end; the lock is taken for each step."""
        total = Report(sources=len(names))
        with self._feeding(indexing, has_pipes=True), self._pipes(indexing, names, total) as pipes:
            while pipes.step(waits=True):
                pass
        return total

    @contextmanager
    def _feeding(self, indexing: Indexing, *, has_pipes: bool) -> Iterator[None]:
        """Takes snapshots of the files that agents change meanwhile, as far as the records tell."""
        began = datetime.now(UTC) - (_IN_PIPE if has_pipes else timedelta())
        feed = RecordFeed(config.home_of(self._vault.root), self._vault, wire_time(began), self._warn)
        indexing.listen(feed.hear)
        try:
            yield
        finally:
            feed.close()

    def _pipes(self, indexing: Indexing, names: list[str], total: Report) -> Pipes:
        """Returns pipes that are recorded and indexed while they are read; the results are added to `total`."""
        syncing = self._syncing
        assert syncing is not None, "a first pass comes before pipes"
        began: dict[Path, float] = {}

        def keep(paths: list[Path], is_ended: bool) -> None:  # noqa: FBT001 - as `Keep` has it
            # The first lines may not name their session; after a second the rest may never come.
            now = monotonic()
            is_patient = all(now - began.setdefault(path, now) < PATIENCE_S for path in paths)
            with self._lock():
                found = syncing.look(*paths, is_patient=is_patient, is_ended=is_ended)
                indexing.take(found.looked_at)
                self.end_pass()
            found.sources = 0
            total.add(found)

        return Pipes(self._vault.root, names, keep)

    def watch(
        self,
        indexing: Indexing,
        stop: Stop,
        *,
        changed: Callable[[], None] | None = None,
        cannot_watch: Warn | None = None,
        swept: Callable[[Report], None] | None = None,
        pipes: Sequence[str] = (),
    ) -> None:
        """Records what is written until `stop` is set, and what comes through `pipes` meanwhile.

        `swept` is called with the result of each pass over all sources. `changed` is called each time after something
        was read without a problem. `cannot_watch` (or `warn`) is called if the system has no watches left and sources
        are polled instead.
        """
        syncing = self._syncing
        assert syncing is not None, "a first pass comes before watching"
        indexing.make_ready()
        run_growth, decisions = RunGrowth(self._vault, self._runs), self._decisions
        pane_sources = PaneSources(self._vault.root)

        def safely(act: Callable[[], object]) -> None:
            try:
                with self._lock():
                    act()
            except VaultUnwritable as error:
                self._warn(f"{error}; will try again")
                return
            if changed:
                changed()

        def look(paths: list[Path]) -> None:
            # Also what another process recorded before this look: nothing else reports it.
            indexing.take(syncing.look(*(path for path in paths if path.exists())).looked_at)

        def end_panes(paths: list[Path]) -> None:
            indexing.take(syncing.look(*paths, is_ended=True).looked_at)
            self.end_pass()
            for path in paths:
                path.unlink(missing_ok=True)

        def tick() -> bool:
            end = monotonic() + _PIPES_S
            has_news = False
            try:
                while piped.step(waits=False) and monotonic() < end:
                    has_news = True
            except VaultUnwritable as error:
                self._warn(f"{error}; will try again")
            grown, over = pane_sources.look()
            if grown:
                has_news = True
                safely(lambda: look(grown))
            if over:
                safely(lambda: end_panes(over))
            # The holder of the run recorded them: that needs no lock here, only indexing.
            if names := run_growth.look():
                has_news = True
                indexing.take(names)
                if changed:
                    changed()
            if indexing.take_owed():
                has_news = True
                if changed:
                    changed()
            if is_stale(self._vault) and indexing.is_ours:
                # Something was forgotten: nobody should find it until the next sweep.
                safely(indexing.catch_up)
            if decisions.has_news():
                safely(lambda: indexing.take(self._take_decisions()))
            return has_news

        def sweep() -> bool:
            # A failure is tried again soon, so it counts as news.
            has_news = True

            def run() -> None:
                nonlocal has_news
                report = syncing.run(self._folders)
                if swept:
                    swept(report)
                self._take_decisions()
                self._runs.prune(time())
                self._retention.begin(time())
                syncing.seal_idle(_idle_before_ns(self._vault.root))
                # Other processes record, too.
                taken_in = indexing.catch_up()
                has_news = bool(report.conversations or report.failed or taken_in or indexing.has_failed)

            safely(run)
            return has_news

        with self._feeding(indexing, has_pipes=bool(pipes)), self._pipes(indexing, list(pipes), Report()) as piped:
            follow(
                self._folders,
                stop,
                look=lambda paths: safely(lambda: look(paths)),
                sweep=sweep,
                warn=cannot_watch or self._warn,
                tick=tick,
            )


def _idle_before_ns(root: Path) -> int:
    idle = datetime.now(UTC) - timedelta(days=config.load(root).seal_after_days)
    return int(idle.timestamp() * 1e9)


def _now() -> str:
    return wire_time(datetime.now(UTC))
