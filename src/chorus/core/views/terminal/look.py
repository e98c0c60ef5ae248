"""The display options of a reader, and how they cut long texts."""

from collections.abc import Callable
from datetime import date, tzinfo
from typing import Literal

from msgspec import Struct

from chorus.core.views import figures
from chorus.core.views.safe import safe, safe_line

_LINE_CHARS = 600
_TITLE_CHARS = 300


class Look(Struct, frozen=True, kw_only=True):
    """The display options of a reader."""

    zone: tzinfo | None = None
    """The reader's time zone; None means the zone of the machine."""
    thinking: Literal["fold", "full", "hide"] = "fold"
    is_full: bool = False
    """Whether everything is shown without cuts."""
    read_side_file: Callable[[str], str | None] = lambda _name: None
    """Returns the text of the side file with this name; used only with `is_full`."""
    folder: str | None = None
    """The working folder of the session; paths inside it are shown relative to it."""
    day: date | None = None
    """The day of the current rows; a time on another day is shown with its date."""
    is_live: bool = False
    """Whether the conversation is still running: then a call without a result is running too."""

    found: str = ""
    """The id of the entry that a search found; it is marked."""

    def is_found(self, call: str) -> bool:
        """Returns whether the search found this call."""
        kind, _, rest = self.found.partition(":")
        return kind == "call" and rest.rpartition("/")[2] == call

    def clock(self, time: str | None) -> str:
        """Returns the time of day of a record, with the date if it is not on `day`; empty if there is no time."""
        when = figures.moment(time, self.zone)
        if when is None:
            return ""
        is_elsewhere = self.day is not None and when.date() != self.day
        return f"{figures.day(when)} {when:%H:%M:%S}" if is_elsewhere else f"{when:%H:%M:%S}"

    def title(self, text: str) -> str:
        """Returns the title of a call as one safe line."""
        line = safe_line(text)
        if self.folder:
            line = f" {line}".replace(f" {self.folder.rstrip('/')}/", " ")[1:]
        return line if self.is_full or len(line) <= _TITLE_CHARS else line[:_TITLE_CHARS] + "…"

    def cut(self, text: str, *, head: int, tail: int = 0) -> tuple[list[str], int, list[str]]:
        """Returns the first safe lines of `text`, how many lines are left out, and the last lines."""
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
