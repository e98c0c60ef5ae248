"""Runs the recorder in a thread of the server: sessions are recorded and indexed while the server answers requests."""

import contextlib
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from chorus.errors import ChorusError
from chorus.keep.sources.lock import sole_sync
from chorus.keep.sources.sync_report import Report
from chorus.keep.sources.watcher import SWEEP_S, Stop
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.indexing import Indexing
from chorus.show.recorder.recorder import Recorder
from chorus.show.recorder.survey import survey
from chorus.show.server import log
from chorus.show.server.live.progress import Progress

WHO = "chorus serve"
AGAIN_S = 30.0
"""How long to wait after a failure, such as a full disk, before the next try."""
_MAX_REPORTED = 50
"""The maximum number of damaged vault files that are reported; `chorus doctor` lists all of them."""
_LOOK_AGAIN_S = 0.2
_TURN_S = 0.02
"""How often to try to get the sync lock: another process that watches holds it for a moment only."""
_PATIENCE_S = 2.0
"""How long to wait for another process before this is reported."""


class _Busy(Exception):  # noqa: N818 - no error
    """Another process holds the sync lock."""


class _Stopped(Exception):  # noqa: N818 - no error
    """The server is stopping."""


class RecorderThread:
    """Keeps one vault and its index up to date until it is stopped."""

    def __init__(
        self,
        vault: FileVault,
        folders: list[Path],
        progress: Progress,
        index_changed: Callable[[], None],
        give_way: Callable[[], None],
    ) -> None:
        """Both are called in the recorder's thread: `index_changed` after the index changed, `give_way` between two
        conversations that grew."""
        self._give_way = give_way
        self._vault = vault
        self._folders = folders
        self._progress = progress
        self._index_changed = index_changed
        self._stop = Stop()
        self._surveyed_at = 0.0
        self._left_out: str | None = None
        """What the last pass could not read or left out."""
        self._unwatched: str | None = None
        """Why sources are polled instead of watched, if they are."""
        self._is_troubled = False
        """Whether there is another problem at present."""
        self._thread = threading.Thread(target=self._run, name="chorus-recorder", daemon=True)
        self.is_writer = False
        """Whether this process writes the index."""

    def start(self) -> None:
        self._thread.start()

    def stop(self, patience_s: float = 2.0) -> bool:
        """Asks the thread to end and waits; returns whether it ended. Acknowledged data is safe in both cases."""
        self._stop.set()
        if self._thread.ident is None:
            return True
        self._thread.join(patience_s)
        if self._thread.is_alive():
            # It waits for its worker processes, whose results can be computed again.
            for child in multiprocessing.active_children():
                child.terminate()
            self._thread.join(patience_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._record()
            except _Stopped:
                return
            except ChorusError as error:
                self._progress.update(state="failed", trouble=f"{error}; Chorus tries again every half minute")
                log.logger.error("recording failed: %s", type(error).__name__)
            except Exception as error:  # noqa: BLE001 - the server continues to serve
                log.failure("RECORD", "", error)
                self._progress.update(state="failed", trouble="New sessions are not recorded; see the server's log")
            with contextlib.suppress(_Stopped):
                self._pause(AGAIN_S if self._progress.snapshot.state == "failed" else 0)

    def _record(self) -> None:
        self._update_survey()
        total = self._progress.snapshot.survey.size_bytes
        self._progress.update(state="keeping", done_bytes=0, total_bytes=total, trouble=None)
        recorder = Recorder(self._vault, self._folders, self._turn, self._report_trouble)
        with recorder.indexing(self._give_way) as indexing:
            self.is_writer = indexing.is_ours
            with self._turn():
                report = recorder.first_pass(indexing, self._advance)
                recorder.end_pass()
            self._update_survey()
            self._note_left_out(report)
            self._report_damage(report)
            self._progress.update(state="watching", done_bytes=total, total_bytes=total)
            if not self._is_troubled:
                self._clear_trouble()
            log.logger.info("the first pass is done: %d sources, %d bytes recorded", report.sources, report.kept_bytes)
            self._index_changed()
            # A missing folder cannot be watched; the client creates it when it is first run.
            while not any(folder.exists() for folder in self._folders):
                self._pause(_LOOK_AGAIN_S)
            recorder.watch(
                indexing,
                self._stop,
                changed=lambda: self._changed(indexing),
                cannot_watch=self._report_unwatched,
                swept=self._swept,
            )

    def _swept(self, report: Report) -> None:
        before = self._left_out
        self._note_left_out(report)
        if before != self._left_out and not self._is_troubled:
            self._clear_trouble()

    def _note_left_out(self, report: Report) -> None:
        """Notes what could not be read or was left out. A client that never ran has no folder; that is no problem."""
        failed = [text for text in report.failed if not any(text.startswith(f"{each}: ") for each in self._folders)]
        problems = [*(f"Cannot be read: {text}" for text in failed), *(f"Left out: {text}" for text in report.skipped)]
        more = f" ({len(problems)} in all; `chorus doctor` lists them)" if len(problems) > 1 else ""
        self._left_out = problems[0] + more if problems else None

    def _report_damage(self, report: Report) -> None:
        """Reports damage of the vault. Repairs are reported until the server ends; losses as the last first pass found
        them."""
        mended = dict.fromkeys((*self._progress.snapshot.mended, *report.mended))
        self._progress.update(mended=tuple(mended)[:_MAX_REPORTED], lost=tuple(report.lost[:_MAX_REPORTED]))

    def _changed(self, indexing: Indexing) -> None:
        self.is_writer = indexing.is_ours
        self._index_changed()
        if self._is_troubled and not indexing.has_failed:
            self._clear_trouble()
        if time.monotonic() - self._surveyed_at > SWEEP_S:
            self._update_survey()

    def _update_survey(self) -> None:
        self._progress.update(survey=survey(self._vault.root, self._folders, now_s=time.time()))
        self._surveyed_at = time.monotonic()

    def _advance(self, size_bytes: int) -> None:
        if self._stop.is_set():
            raise _Stopped
        self._progress.advance(size_bytes)

    def _report_trouble(self, text: str) -> None:
        self._is_troubled = True
        self._progress.update(trouble=text)

    def _report_unwatched(self, text: str) -> None:
        self._unwatched = text
        self._clear_trouble()

    def _clear_trouble(self) -> None:
        """Ends the report of a passing problem; lasting ones are still reported."""
        self._is_troubled = False
        lasting = [each for each in (self._unwatched, self._left_out) if each]
        self._progress.update(trouble="; ".join(lasting) or None)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Holds the sync lock of the vault. Waits for other processes; raises `_Stopped` if the server ends first."""

        def is_taken(holder: str) -> None:
            raise _Busy(holder)

        since = time.monotonic()
        is_reported = False
        with ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(sole_sync(self._vault.root, WHO, is_taken))
                    break
                except _Busy as busy:
                    if not is_reported and time.monotonic() - since > _PATIENCE_S:
                        self._report_trouble(f"{busy} keeps sessions just now; this server goes on when that is done")
                        is_reported = True
                self._pause(_TURN_S)
            if is_reported:
                self._clear_trouble()
            yield

    def _pause(self, seconds: float) -> None:
        """Waits for `seconds`; raises `_Stopped` as soon as the server ends."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._stop.is_set():
                raise _Stopped
            time.sleep(min(_LOOK_AGAIN_S, seconds))
