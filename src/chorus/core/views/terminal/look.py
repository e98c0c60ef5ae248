"""How a reader wants a transcript drawn, and how much of a long text that leaves."""

from collections.abc import Callable
from datetime import date, tzinfo
from typing import Literal

from msgspec import Struct

from chorus.core.views import figures
from chorus.core.views.safe import safe, safe_line

_LINE_CHARS = 600
_TITLE_CHARS = 300


class Look(Struct, frozen=True, kw_only=True):
    """A reader's choices."""

    zone: tzinfo | None = None
    """Where the reader is; None is the zone of the machine."""
    thinking: Literal["fold", "full", "hide"] = "fold"
    is_full: bool = False
    """Nothing is cut."""
    whole: Callable[[str], str | None] = lambda _name: None
    """Gives the long output that lies in a file of this name, where nothing is to be cut."""
    folder: str | None = None
    """Where the session worked; paths below it are shown without it."""
    day: date | None = None
    """The day that what is drawn belongs to; a time of another day is shown with its date."""
    is_live: bool = False
    """Whether what is drawn still goes on: a call without a result is at work."""

    found: str = ""
    """The id of the entry that was searched for: it is marked."""

    def is_found(self, call: str) -> bool:
        """Whether it is this call that was searched for."""
        kind, _, rest = self.found.partition(":")
        return kind == "call" and rest.rpartition("/")[2] == call

    def clock(self, time: str | None) -> str:
        """A record's time of day, with the date where it is not the day that the reader is in; empty without one."""
        when = figures.moment(time, self.zone)
        if when is None:
            return ""
        is_elsewhere = self.day is not None and when.date() != self.day
        return f"{figures.day(when)} {when:%H:%M:%S}" if is_elsewhere else f"{when:%H:%M:%S}"

    def title(self, text: str) -> str:
        """The title of a call, on one safe line."""
        line = safe_line(text)
        if self.folder:
            line = f" {line}".replace(f" {self.folder.rstrip('/')}/", " ")[1:]
        return line if self.is_full or len(line) <= _TITLE_CHARS else line[:_TITLE_CHARS] + "…"

    def cut(self, text: str, *, head: int, tail: int = 0) -> tuple[list[str], int, list[str]]:
        """The safe lines of `text` to show first, how many are left out, and those to show after them."""
        lines = safe(text).split("\n")
        if self.is_full or len(lines) <= head + tail + 1:
            return [self._short(line) for line in lines], 0, []
        last = lines[len(lines) - tail :]
        shown = [self._short(line) for line in lines[:head]]
        return shown, len(lines) - head - tail, [self._short(line) for line in last]

    def _short(self, line: str) -> str:
        if self.is_full or len(line) <= _LINE_CHARS:
            return line
        return f"{line[:_LINE_CHARS]} … {figures.count(len(line) - _LINE_CHARS)} more characters"
