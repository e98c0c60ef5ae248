"""`chorus board`: all conversations in five columns, live."""

import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from msgspec import structs

from chorus.base import config
from chorus.base.zone import local_zone
from chorus.cli.board_budgets import BoardBudgets
from chorus.cli.board_live import LiveSources
from chorus.cli.board_next import KEYS, NextOne
from chorus.cli.board_text import board_text
from chorus.cli.output import is_at_terminal, print_json, say
from chorus.cli.query_options import ask
from chorus.cli.table import cut
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.board.board import in_order, needing_you
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.port import Index
from chorus.keep.vault.files import FileVault
from chorus.show.board.board_reader import BoardReader, BoardState

if TYPE_CHECKING:
    from chorus.cli.desktop import Desktop

_LOOK_S = 1.0
_HOME, _TO_END = "\x1b[H", "\x1b[K\r\n"


@click.command()
@click.option("--once", is_flag=True, help="Print the board once, and end.")
@click.option("--all", "is_all", is_flag=True, help="Print all conversations of every column that the board shows.")
@click.option("--notify", is_flag=True, help="Show notifications on the desktop, by your settings (notifyOn, …).")
@click.option("--json", "as_json", is_flag=True, help="Print the board once as one JSON object.")
@vault_option
def board(*, once: bool, is_all: bool, notify: bool, as_json: bool, vault: str | None) -> None:
    """Show what every agent does: which need you, work, are idle, are done today, or failed.

    At a terminal the board is drawn again as it changes; n leads to the next conversation that needs you, q ends it.
    Records come from `chorus serve` or `chorus sync --watch`; what clients, runs, panes and requests say is read
    directly.
    """
    kept_in = open_vault(vault)
    costs = Costs(config.home(vault))
    reader = BoardReader(kept_in, costs)
    live = LiveSources(config.home(vault), kept_in.root)
    zone = local_zone()

    budgets = BoardBudgets(kept_in, costs)

    def look(index: Index) -> BoardState:
        now, seen = datetime.now(zone), live.look()
        alerts = budgets.alerts(index, live.works, now)
        return reader.look(index, structs.replace(seen, alerts=alerts) if alerts else seen, now)

    def state() -> BoardState:
        return ask(kept_in, look, cost_of=costs.cost_of) or BoardState()

    with live:
        if as_json:
            print_json(_as_json(state()))
        elif once or not is_at_terminal():
            found = state()
            text = board_text(found, datetime.now(zone), is_all=is_all)
            click.echo(text, nl=False) if text else say(
                "There is no conversation yet: `chorus sync` records your sessions."
            )
        else:
            desktop = _desktop(config.home(vault), live) if notify else None
            _watch(kept_in, state, NextOne(live.go_to), lambda: datetime.now(zone), is_all=is_all, desktop=desktop)


def _desktop(home: Path, live: LiveSources) -> "Desktop":
    from chorus.cli.desktop import Desktop

    return Desktop(lambda: config.load(home).notification_rules, live.asked_by)


def _as_json(state: BoardState) -> dict[str, object]:
    """Return the documented form of `chorus board --json`."""
    return {
        "tiles": msgspec.to_builtins(in_order(state.tiles.values())),
        "next": [tile.id for tile in needing_you(state.tiles.values())],
        "counts": {each.column.value: each.count for each in state.counts},
        "workspaces": msgspec.to_builtins(state.workspaces),
    }


def _watch(
    vault: FileVault,
    state: Callable[[], BoardState],
    next_one: NextOne,
    now: Callable[[], datetime],
    *,
    is_all: bool,
    desktop: "Desktop | None",
) -> None:
    """Draw the board until the person ends it."""
    from chorus.cli.full_screen import full_screen, write
    from chorus.cli.replay_keys import QUIT, keys

    before = said = ""
    with full_screen(), keys() as pressed:
        while True:
            found = state()
            if desktop is not None:
                desktop.tell(found.tiles, now())
            size = shutil.get_terminal_size()
            lines = board_text(found, now(), is_all=is_all).splitlines() or ["There is no conversation yet."]
            foot = cut(said or f"q ends  n next that needs you  {vault.root}", size.columns)
            room = max(1, size.lines - 1)
            shown = lines if len(lines) <= room else [*lines[: room - 1], f"… {len(lines) - room + 1} more lines"]
            drawn = _HOME + _TO_END.join([*shown, *[""] * (room - len(shown))]) + _TO_END + foot + "\x1b[K"
            if drawn != before:
                write(drawn)
                before = drawn
            for key in pressed(_LOOK_S):
                if key in QUIT:
                    return
                said = next_one.go(found.tiles.values()) if key in KEYS else ""
