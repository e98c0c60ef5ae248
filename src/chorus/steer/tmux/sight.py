"""One look at a pane: what it shows and in which state it is, at the same moment."""

from msgspec import Struct

from chorus.errors import TmuxFailed
from chorus.steer.tmux.arguments import pane_target
from chorus.steer.tmux.connection import Connection
from chorus.steer.tmux.panes import Pane

_FACTS = (
    "pane_pid", "pane_dead", "pane_in_mode", "cursor_x", "cursor_y", "history_size", "pane_width", "pane_height",
    "window_zoomed_flag", "pane_active", "alternate_on", "pane_synchronized", "pane_input_off",
)  # fmt: skip
_FORMAT = " ".join(f"#{{{name}}}" for name in _FACTS)


class Sight(Struct, frozen=True):
    """What a pane showed at one moment. The text is untrusted and has no authority."""

    rows: tuple[str, ...]
    """The rows of the screen from top to bottom, without colours."""
    facts: tuple[int, ...]

    def fact(self, name: str) -> int:
        return self.facts[_FACTS.index(name)]

    @property
    def cursor_row(self) -> str:
        """The row in which the cursor is."""
        at = self.fact("cursor_y")
        return self.rows[at] if at < len(self.rows) else ""

    @property
    def is_covered(self) -> bool:
        """Whether another pane of the window is zoomed."""
        return bool(self.fact("window_zoomed_flag")) and not self.fact("pane_active")

    @property
    def unchanged(self) -> str:
        """A format that is 1 as long as the program, the mode, the size and the cursor are as they were."""
        names = _FACTS
        found = "1"
        for name, value in zip(names, self.facts, strict=True):
            found = f"#{{&&:{found},#{{==:#{{{name}}},{value}}}}}"
        return found


def look_into(connection: Connection, pane: Pane) -> Sight:
    """Returns what a pane shows now. Raises `TmuxFailed` if it is gone."""
    target = pane_target(pane.id)
    rows, facts = connection.run_with_facts("capture-pane", "-p", "-t", target, pane=target, facts=_FORMAT)
    words = facts.split(" ")
    if len(words) != len(_FACTS) or not all(word.isdigit() or not word for word in words):
        raise TmuxFailed(f"the pane {pane.id} is gone")
    return Sight(tuple(row.decode("utf-8", "replace") for row in rows), tuple(int(word or 0) for word in words))


class ScreenPicture(Struct, frozen=True):
    """What a pane shows, with colours, for a person to look at."""

    width: int
    height: int
    cursor: tuple[int, int] | None
    """Column and row, from 0; None if the program hides the cursor."""
    text: str


def picture_of(connection: Connection, pane: Pane) -> ScreenPicture:
    """Returns a picture of a pane. Raises `TmuxFailed` if it is gone."""
    target = pane_target(pane.id)
    facts = "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag}"
    rows, said = connection.run_with_facts("capture-pane", "-p", "-e", "-t", target, pane=target, facts=facts)
    words = said.split(" ")
    if len(words) != 5 or not all(map(str.isdigit, words)):
        raise TmuxFailed(f"the pane {pane.id} is gone")
    width, height, column, row, is_shown = map(int, words)
    text = b"\n".join(rows).decode("utf-8", "replace")
    return ScreenPicture(width, height, (column, row) if is_shown else None, text)


def objection_to_keys(pane: Pane, sight: Sight) -> str | None:
    """Returns why keys would not reach the program in a pane; None if they would."""
    if sight.fact("pane_dead") or sight.fact("pane_pid") != pane.pid:
        return "the program in the pane has ended"
    if sight.fact("pane_in_mode"):
        return "somebody scrolls or chooses something in the pane"
    if sight.is_covered:
        return "another pane of the window is zoomed"
    if sight.fact("pane_synchronized"):
        return "its keys also go to the other panes of the window (synchronize-panes)"
    if sight.fact("pane_input_off"):
        return "its input is switched off"
    return None
