"""The recorder in a thread of the server: sessions are kept and indexed while they are served."""

import contextlib
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from chorus.errors import ChorusError
from chorus.keep.sources.lock import sole_sync
from chorus.keep.sources.sync import Report
from chorus.keep.sources.watcher import SWEEP_S, Stop
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.indexing import Indexing
from chorus.show.recorder.recorder import Recorder
from chorus.show.recorder.survey import survey
from chorus.show.server import log
from chorus.show.server.live.progress import Progress

WHO = "chorus serve"
AGAIN_S = 30.0
"""After a failure, such as a full disk, all is tried again."""
_MAX_TOLD = 50
"""Files of the vault of which it is told that they were damaged; `chorus doctor` knows all that are."""
_LOOK_AGAIN_S = 0.2
_TURN_S = 0.02
"""How often it is tried to get a turn: who watches beside us holds it for a moment only."""
_PATIENCE_S = 2.0
"""How long another process is waited for without a word."""


class _Busy(Exception):  # noqa: N818 - no error
    """Somebody else keeps things just now."""


class _Stopped(Exception):  # noqa: N818 - no error
    """The server ends."""


class RecorderThread:
    """Keeps one vault and its index up to date, until it is stopped."""

    def __init__(
        self,
        vault: FileVault,
        folders: list[Path],
        progress: Progress,
        went_on: Callable[[], None],
        give_way: Callable[[], None],
    ) -> None:
        """`went_on` is called in our thread when the index went on, `give_way` between two conversations that grew."""
        self._give_way = give_way
        self._vault = vault
        self._folders = folders
        self._progress = progress
        self._went_on = went_on
        self._stop = Stop()
        self._surveyed_at = 0.0
        self._left_out: str | None = None
        """What could not be read or was left out, as the last pass found it."""
        self._unwatched: str | None = None
        """Why sources are looked at now and then, instead of watched."""
        self._is_troubled = False
        """Whether something else is wrong just now."""
        self._thread = threading.Thread(target=self._run, name="chorus-recorder", daemon=True)
        self.is_writer = False
        """Whether it is this process that writes the index."""

    def start(self) -> None:
        self._thread.start()

    def stop(self, patience_s: float = 2.0) -> bool:
        """Ask it to end, and wait; tells whether it did. What was acknowledged is safe either way."""
        self._stop.set()
        if self._thread.ident is None:
            return True
        self._thread.join(patience_s)
        if self._thread.is_alive():
            # It waits for its workers; what they make is disposable.
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
                self._progress.tell(state="failed", trouble=f"{error}; this is tried again every half minute")
                log.logger.error("recording failed: %s", type(error).__name__)
            except Exception as error:  # noqa: BLE001 - whatever it was, the server still serves
                log.failure("RECORD", "", error)
                self._progress.tell(state="failed", trouble="New sessions are not kept; the server's log says where")
            with contextlib.suppress(_Stopped):
                self._pause(AGAIN_S if self._progress.standing.state == "failed" else 0)

    def _record(self) -> None:
        self._look_around()
        total = self._progress.standing.survey.size_bytes
        self._progress.tell(state="keeping", done_bytes=0, total_bytes=total, trouble=None)
        recorder = Recorder(self._vault, self._folders, self._turn, self._says)
        with recorder.indexing(self._give_way) as indexing:
            self.is_writer = indexing.is_ours
            with self._turn():
                report = recorder.first_pass(indexing, self._advance)
                recorder.end_pass()
            self._look_around()
            self._tell_left_out(report)
            self._tell_healed(report)
            self._progress.tell(state="watching", done_bytes=total, total_bytes=total)
            if not self._is_troubled:
                self._calm()
            log.logger.info("the first pass is done: %d sources, %d bytes kept", report.sources, report.kept_bytes)
            self._went_on()
            # A folder that is not there cannot be watched; the client makes it when it is first run.
            while not any(folder.exists() for folder in self._folders):
                self._pause(_LOOK_AGAIN_S)
            recorder.watch(
                indexing,
                self._stop,
                changed=lambda: self._changed(indexing),
                cannot_watch=self._says_for_good,
                swept=self._swept,
            )

    def _swept(self, report: Report) -> None:
        before = self._left_out
        self._tell_left_out(report)
        if before != self._left_out and not self._is_troubled:
            self._calm()

    def _tell_left_out(self, report: Report) -> None:
        """What could not be read or was left out. A client that was never run has no folder, and that is no fault."""
        failed = [text for text in report.failed if not any(text.startswith(f"{each}: ") for each in self._folders)]
        told = [*(f"Cannot be read: {text}" for text in failed), *(f"Left out: {text}" for text in report.skipped)]
        more = f" ({len(told)} in all; `chorus doctor` lists them)" if len(told) > 1 else ""
        self._left_out = told[0] + more if told else None

    def _tell_healed(self, report: Report) -> None:
        """What was wrong with the vault: what was mended stays told, what is lost is found anew by each first pass."""
        mended = dict.fromkeys((*self._progress.standing.mended, *report.mended))
        self._progress.tell(mended=tuple(mended)[:_MAX_TOLD], lost=tuple(report.lost[:_MAX_TOLD]))

    def _changed(self, indexing: Indexing) -> None:
        self.is_writer = indexing.is_ours
        self._went_on()
        if self._is_troubled and not indexing.has_failed:
            self._calm()
        if time.monotonic() - self._surveyed_at > SWEEP_S:
            self._look_around()

    def _look_around(self) -> None:
        self._progress.tell(survey=survey(self._vault.root, self._folders, now_s=time.time()))
        self._surveyed_at = time.monotonic()

    def _advance(self, size_bytes: int) -> None:
        if self._stop.is_set():
            raise _Stopped
        self._progress.advance(size_bytes)

    def _says(self, text: str) -> None:
        self._is_troubled = True
        self._progress.tell(trouble=text)

    def _says_for_good(self, text: str) -> None:
        self._unwatched = text
        self._calm()

    def _calm(self) -> None:
        self._is_troubled = False
        told = [each for each in (self._unwatched, self._left_out) if each]
        self._progress.tell(trouble="; ".join(told) or None)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """The vault's sync lock. Waits for others in a way that the end of the server ends."""

        def is_taken(whom: str) -> None:
            raise _Busy(whom)

        since = time.monotonic()
        is_told = False
        with ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(sole_sync(self._vault.root, WHO, is_taken))
                    break
                except _Busy as busy:
                    if not is_told and time.monotonic() - since > _PATIENCE_S:
                        self._says(f"{busy} keeps sessions just now; this server goes on when that is done")
                        is_told = True
                self._pause(_TURN_S)
            if is_told:
                self._calm()
            yield

    def _pause(self, seconds: float) -> None:
        """Wait; `_Stopped` as soon as the server ends."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._stop.is_set():
                raise _Stopped
            time.sleep(min(_LOOK_AGAIN_S, seconds))
