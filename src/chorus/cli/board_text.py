"""The board as text: a table for each column that is not empty."""

from collections.abc import Sequence
from datetime import datetime

import click

from chorus.cli.age import age
from chorus.cli.short_ids import short_ids
from chorus.cli.table import Cell, Column, Forms, cut, table, terminal_width
from chorus.core.board import columns as board_columns
from chorus.core.board.board import in_order
from chorus.core.board.tiles import Tile
from chorus.core.views import figures
from chorus.core.views.activity import current_status
from chorus.core.views.safe import safe_line
from chorus.show.board.board_reader import BoardState

_TITLES = {
    board_columns.Column.NEEDS_YOU: ("Needs you", "yellow"),
    board_columns.Column.WORKING: ("Working", "green"),
    board_columns.Column.IDLE: ("Idle", None),
    board_columns.Column.DONE: ("Done today", None),
    board_columns.Column.FAILED: ("Failed", "red"),
}
_COLUMNS = (
    Column("Id", is_brief=True),
    Column("Silent", drop_rank=2, is_right=True),
    Column("Workspace", drop_rank=3, min_width=10),
    Column("Branch", drop_rank=13, min_width=8),
    Column("Where", drop_rank=12, min_width=8),
    Column("Context", drop_rank=11, is_right=True),
    Column("Cost", drop_rank=4, is_right=True),
    Column("Sub-agents", drop_rank=14, is_right=True),
    Column("Now", min_width=30, preferred_width=40),
    Column("Title", drop_rank=1, min_width=16, preferred_width=30),
)
_FEW = 5
"""How many conversations of the last three columns are printed, unless all were asked for."""


def board_text(state: BoardState, now: datetime, *, is_all: bool) -> str:
    """Return the tables of the columns, for the width of the terminal; in a pipe nothing is cut."""
    tiles = in_order(state.tiles.values())
    names = short_ids(tile.id for tile in tiles)
    counts = {each.column: each.count for each in state.counts}
    parts: list[str] = []
    for column, (title, colour) in _TITLES.items():
        mine = [tile for tile in tiles if tile.column is column]
        is_short = not is_all and column not in (board_columns.Column.NEEDS_YOU, board_columns.Column.WORKING)
        shown = mine[:_FEW] if is_short else mine
        heading = f"{title} ({counts.get(column, 0):,})"
        if not shown:
            continue
        more = counts.get(column, 0) - len(shown)
        drawn = table(heading, _COLUMNS, [_row(tile, names[tile.id], now) for tile in shown])
        first, _, rest = drawn.partition("\n")
        if colour and terminal_width() is not None:
            first = click.style(cut(heading, terminal_width() or 0), bold=True, fg=colour)
        parts.append(f"{first}\n{rest}" + (f"  and {more:,} more\n" if more > 0 else ""))
        if column is board_columns.Column.NEEDS_YOU:
            parts[-1] += _by_workspace(state)
    return "\n".join(parts)


def _by_workspace(state: BoardState) -> str:
    """Return how many conversations of each workspace need a person, if there are several workspaces."""
    waiting = [each for each in state.workspaces if each.needs_you]
    text = "  " + ", ".join(f"{safe_line(each.name)} {each.needs_you:,}" for each in waiting)
    return cut(text, terminal_width() or len(text)) + "\n" if len(waiting) > 1 else ""


def _row(tile: Tile, short: str, now: datetime) -> Sequence[Cell]:
    where = safe_line(tile.pane) if tile.pane else f"run {tile.run.state}" if tile.run else ""
    cost = "" if tile.cost_usd is None else ("≥" if tile.is_lower_bound else "") + figures.cost(tile.cost_usd)
    fill = tile.context
    context = f"{round(100 * fill.tokens / fill.window)} %" if fill and fill.window > 0 else ""
    at_work = f"{tile.sub_agents_at_work}/{tile.sub_agents}" if tile.sub_agents else ""
    return (
        Forms(tile.id, short),
        age(tile.last_at, now),
        safe_line(tile.workspace_name),
        safe_line(tile.branch or ""),
        where,
        context,
        cost,
        at_work,
        doing(tile, now),
        "(no title)" if tile.title == tile.id else safe_line(tile.title),
    )


def doing(tile: Tile, now: datetime) -> str:
    """Return what a conversation does now, in words: why it needs a person, its alerts, its open calls, its status."""
    parts = [f"! {alert.text}" for alert in tile.alerts]
    for reason in tile.reasons:
        since = age(reason.since, now)
        parts.insert(0, reason.text + (f" (for {since})" if since else ""))
    if not tile.reasons:
        parts += [f"{call.tool}: {call.text}" if call.text else call.tool for call in tile.calls]
        parts += [tile.progress] if tile.progress else []
    return safe_line(" · ".join(parts)) if parts else current_status(tile.status, tile.last_at, now)
