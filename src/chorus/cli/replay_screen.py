"""The screen of a replay: the last rows at a moment, the state, the bar of the player; and what to write to change it.

Every line is drawn by the views, whose text cannot control a terminal. The only escape sequences are those of this
module and the colours of the views.
"""

import io
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console

from chorus.core.replay.panel import Panel, PanelSpent
from chorus.core.replay.player import Player
from chorus.core.replay.rows_as_of import RowsAsOf
from chorus.core.views import figures
from chorus.core.views.rows import Row
from chorus.core.views.safe import safe_line
from chorus.core.views.terminal import Look, Terminal

CLEAR = "\x1b[2J\x1b[H"
_NARROWEST, _FEWEST_ROWS = 20, 4
_WIDE = 60
_BAR = 2
"""Lines below the rows: the state, and the bar of the player."""
_CACHED = 400
_WAITS = {
    "permission": "waits for permission",
    "question": "waits for an answer",
    "plan": "waits for a verdict about the plan",
    "prompt": "waits for a prompt",
    "agent": "waits for a sub-agent",
}


class Screen:
    """Draws a replay into lines of a given size."""

    def __init__(
        self, rows: RowsAsOf, look: Look, width: int, height: int, *, has_colour: bool, has_keys: bool
    ) -> None:
        """With `has_keys`, the bar says how to see the keys."""
        self.width, self.height = screen_size(width, height)
        self._rows = rows
        self._hint = "  ? keys" if has_keys and width >= _WIDE else ""
        self._console = Console(
            file=io.StringIO(),
            width=self.width,
            force_terminal=True,
            color_system="256" if has_colour else None,
            no_color=not has_colour,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        self._terminal = Terminal(self._console, look)
        self._drawn: dict[int, tuple[Row, list[str]]] = {}

    def lines(self, player: Player) -> list[str]:
        """Returns the lines of the screen for the current moment: as many as it has rows."""
        room = self.height - _BAR
        moment = player.moment
        shown: list[str] = []
        for row in self._rows.latest(moment.id, player.clock_ms):
            shown = [*self._draw(row), *shown]
            if len(shown) >= room:
                break
        shown = shown[-room:] if len(shown) > room else shown
        panel = player.replay.state(moment.number)
        return [*shown, *[""] * (room - len(shown)), self._state(panel), self._bar(player)]

    def _draw(self, row: Row) -> list[str]:
        known = self._drawn.get(id(row))
        if known is not None and known[0] is row:
            return known[1]
        with self._console.capture() as captured:
            self._console.print(self._terminal.as_renderable([row]), end="")
        lines = captured.get().removesuffix("\n").split("\n")
        if len(self._drawn) >= _CACHED:
            self._drawn.clear()
        self._drawn[id(row)] = row, lines
        return lines

    def _state(self, panel: Panel) -> str:
        work, spent = panel.work, panel.spent
        done = sum(todo.status == "completed" for todo in panel.todos)
        parts = [
            work.status,
            figures.model(work.model) if work.model else "",
            figures.in_words(work.permission_mode) if work.permission_mode else "",
            figures.tokens(spent.tokens, is_lower_bound=spent.is_lower_bound) if spent.tokens.total else "",
            _cost(spent),
            f"context {100 * spent.context_tokens // spent.context_window} %"
            if spent.context_tokens and spent.context_window
            else "",
            f"to-dos {done}/{len(panel.todos) + panel.todos_left_out}" if panel.todos else "",
            figures.several(len(panel.files), "file") if panel.files else "",
            figures.several(len(panel.calls), "open call") if panel.calls else "",
            figures.several(len(panel.agents), "sub-agent") if panel.agents else "",
            _WAITS.get(panel.waits[0].kind, "") if panel.waits else "",
        ]
        return self._dim(safe_line(" · ".join(part for part in parts if part)))

    def _bar(self, player: Player) -> str:
        sign = "▶" if player.is_playing else "■" if player.is_at_end else "⏸"
        real = player.replay.at_ms
        since = f"{clock(player.clock_ms)} / {clock(real[player.last])}"
        speed = f"{player.speed:g}×"
        pause = player.pause_ms
        end = f"pause of {figures.duration(pause)}" if pause is not None else ""
        head = f"{sign} {speed} {since} "
        tail = f" {end}".rstrip() + self._hint
        room = self.width - cell_len(head) - cell_len(tail)
        line = ""
        if room >= 8:
            share = player.position_ms / player.length_ms if player.length_ms else 1.0
            at = min(room - 1, int(share * (room - 1)))
            line = "━" * at + "●" + "─" * (room - 1 - at)
        return self._dim(head + line + tail)

    def _dim(self, text: str) -> str:
        cut = text if cell_len(text) <= self.width else set_cell_size(text, self.width - 1) + "…"
        return cut if self._console.no_color else f"\x1b[2m{cut}\x1b[0m"


def _cost(spent: PanelSpent) -> str:
    """Returns the cost in short, or `?` and why it is unknown; empty if no usage is known."""
    if spent.cost_usd is not None:
        return ("≥" if spent.is_lower_bound else "") + figures.cost(spent.cost_usd)
    return f"? {spent.why_no_cost}" if spent.why_no_cost else ""


def screen_size(width: int, height: int) -> tuple[int, int]:
    """Returns the size in which a replay is drawn: that of the terminal, if it is not too small."""
    return max(width, _NARROWEST), max(height, _FEWEST_ROWS)


def clock(since_ms: int) -> str:
    """Returns a time since the start: `1:02`, `1:00:02`."""
    seconds = since_ms // 1000
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def redraw(before: Sequence[str] | None, after: Sequence[str]) -> str:
    """Returns what to write to a terminal that shows `before`, so that it shows `after`: only the lines that changed.

    If the rows moved up, the terminal scrolls instead of being written again.
    """
    if before is None or len(before) != len(after):
        return CLEAR + "\r\n".join(after)
    written: list[str] = []
    shown = list(before)
    room = len(after) - _BAR
    moved = _moved(shown[:room], after[:room])
    if moved:
        written.append(f"\x1b[1;{room}r\x1b[{room};1H" + "\n" * moved + "\x1b[r")
        shown[:room] = [*shown[moved:room], *[""] * moved]
    for number, (old, new) in enumerate(zip(shown, after, strict=True), start=1):
        if old != new:
            written.append(f"\x1b[{number};1H{new}\x1b[K")
    return "".join(written)


def _moved(before: Sequence[str], after: Sequence[str]) -> int:
    """Returns by how many lines the rows moved up, if that leaves most lines as they were; else 0."""

    def same(moved: int) -> int:
        kept = zip(before[moved:], after, strict=False)
        return sum(one == other and one != "" for one, other in kept)

    best = max(range(len(before)), key=lambda moved: (same(moved), -moved), default=0)
    return best if best and same(best) > same(0) and same(best) * 2 >= len(before) - best else 0
