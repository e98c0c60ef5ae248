"""The progress of the first pass of a server, on one line of the terminal."""

import sys
import threading
from typing import TYPE_CHECKING, TextIO

from chorus.cli.table import cut, printable, terminal_width
from chorus.core.views import figures

if TYPE_CHECKING:
    from chorus.show.server.live.progress import ProgressSnapshot

_CELLS = 24
_CLEAR = "\r\x1b[K"


class FirstPass:
    """Draws the progress that the server reports until the first pass is over. Thread-safe.

    Draws nothing if the output is no terminal. A terminal that cannot clear a line gets a new line for every tenth.
    """

    def __init__(self, on: TextIO | None = None, *, is_dumb: bool = False) -> None:
        self._on = on or sys.stderr
        self._is_dumb = is_dumb
        self._mutex = threading.Lock()
        self._snapshot: ProgressSnapshot | None = None
        self._drawn = ""
        self._is_shown = False
        self._is_over = not self._on.isatty()

    def begin(self) -> None:
        """Start drawing: everything that belongs above the line has been printed."""
        with self._mutex:
            self._is_shown = True
            self._draw()

    def tell(self, snapshot: "ProgressSnapshot") -> None:
        with self._mutex:
            self._snapshot = snapshot
            self._draw()

    def end(self) -> None:
        """Clear the line and draw no more."""
        with self._mutex:
            self._finish("")

    def _draw(self) -> None:
        snapshot = self._snapshot
        if self._is_over or not self._is_shown or snapshot is None:
            return
        if snapshot.state == "watching":
            size = figures.size(snapshot.total_bytes)
            self._finish(
                f"Recorded  {size}; new sessions are recorded while they are written.\n" if snapshot.total_bytes else ""
            )
            return
        if snapshot.state == "failed":
            self._finish(f"chorus: {printable(snapshot.trouble or 'sessions are not recorded')}\n")
            return
        line = cut(_line(snapshot, is_plain=self._is_dumb), (terminal_width(self._on) or 80) - 1)
        if line != self._drawn:
            self._on.write(f"{line}\n" if self._is_dumb else f"{_CLEAR}{line}")
            self._on.flush()
            self._drawn = line

    def _finish(self, text: str) -> None:
        if not self._is_over:
            clear = _CLEAR if self._drawn and not self._is_dumb else ""
            self._on.write(clear + text)
            self._on.flush()
        self._is_over = True


def _line(snapshot: "ProgressSnapshot", *, is_plain: bool) -> str:
    if not snapshot.total_bytes:
        return "Looking for sessions"
    total = snapshot.total_bytes
    if is_plain:
        return f"Recording {10 * (10 * snapshot.done_bytes // total)} %"
    filled = _CELLS * snapshot.done_bytes // total
    bar = "━" * filled + "─" * (_CELLS - filled)
    sizes = f"{figures.size(snapshot.done_bytes)} of {figures.size(snapshot.total_bytes)}"
    return f"Recorded  {bar} {100 * snapshot.done_bytes // total:3} %  {sizes}"
