"""`chorus replay`: play a conversation over time."""

import os
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import click

from chorus.cli.commands.show import open_console, side_text
from chorus.cli.output import complain, counted, is_at_terminal, remark, say
from chorus.cli.vault_ids import named, open_vault, vault_option
from chorus.core.conversation.conversation import Conversation
from chorus.core.records.record import Record
from chorus.core.replay.finding import find_or_since
from chorus.core.replay.player import Player
from chorus.core.replay.replay import Replay
from chorus.core.replay.rows_as_of import RowsAsOf
from chorus.errors import SourceUnreadable

if TYPE_CHECKING:
    from chorus.core.views.terminal import Look

_WIDTH, _HEIGHT = 100, 30
"""The size of an asciicast, unless a person says otherwise."""


@click.command(short_help="Play a conversation over time, or write an asciicast.")
@click.argument("source", metavar="SOURCE", type=click.Path(allow_dash=True))
@click.option(
    "--speed",
    type=click.FloatRange(min=0.1, max=1000),
    default=1.0,
    metavar="N",
    help="How much faster to play; 1 is as it was.",
)
@click.option(
    "--idle",
    type=click.FloatRange(min=0),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Play longer pauses as pauses of this length.",
)
@click.option("--no-idle", is_flag=True, help="Play all pauses as long as they were.")
@click.option(
    "--from", "start", metavar="MOMENT", help="Where to begin: 1:30 since the start, a time, or the id of a moment."
)
@click.option("--to", "end", metavar="MOMENT", help="Where to end.")
@click.option("--cast", metavar="FILE", type=click.Path(allow_dash=True), help="Write an asciicast instead of playing.")
@click.option("--force", is_flag=True, help="Replace the file of --cast if it exists.")
@click.option("--width", type=click.IntRange(min=20, max=1000), metavar="N", help="Columns to use.")
@click.option("--height", type=click.IntRange(min=4, max=1000), metavar="N", help="Lines of an asciicast.")
@vault_option
def replay(
    *,
    source: str,
    speed: float,
    idle: float,
    no_idle: bool,
    start: str | None,
    end: str | None,
    cast: str | None,
    force: bool,
    width: int | None,
    height: int | None,
    vault: str | None,
) -> None:
    """Play a conversation: a session file, a folder, - for standard input, or one in the vault (see `chorus show`).

    At a terminal: space stops and plays, the arrows go back and forward, . and , step by row, [ and ] by mark (prompt,
    edit, error, question, compaction), + and - change the speed, ? lists all keys, q ends.

    If the output is no terminal, the rows are printed with their times, without waiting.
    """
    conversation, found = _opened(source, vault)
    first = find_or_since(found, start).number if start else 0
    last = find_or_since(found, end).number if end else len(found) - 1
    if last < first:
        raise click.UsageError("--to is before --from.")
    player = Player(found, first=first, last=last, speed=speed, idle_ms=None if no_idle else round(idle * 1000))
    if cast is not None:
        _write(cast, conversation, player, width or _WIDTH, height or _HEIGHT, is_forced=force)
    elif is_at_terminal() and source != "-":
        _play(conversation, player, width)
    else:
        _print(conversation, player, width)
    _note_growing(conversation, is_whole=end is None)


def _opened(source: str, vault: str | None) -> tuple[Conversation, Replay]:
    """Return the conversation that `source` names, and its replay. Raises `SourceUnreadable` if there is none."""
    kept_in = open_vault(vault)
    if kept := named([source], kept_in).kept:
        from chorus.base import config
        from chorus.cli.given_titles import set_given_titles
        from chorus.find.costs.conversation_costs import Costs
        from chorus.keep.archive.opening import open_kept
        from chorus.keep.archive.replaying import KeptReplay

        prices = Costs(config.home(vault)).prices
        found = KeptReplay(kept_in, kept[0], prices).replay
        if not len(found):
            raise SourceUnreadable(f"{kept[0].id}: nothing in it can be played; `chorus read` prints its records")
        opened = open_kept(kept_in, kept[0])
        set_given_titles(kept_in, {kept[0].name: opened})
        return opened, found
    from chorus.library import files
    from chorus.library.costs import price_table

    records: list[list[Record]] = []
    opened = files.open_all(source, complain, records=records)
    conversation = files.main_of(opened, source)
    if len(opened) > 1:
        others = counted(len(opened) - 1, "other conversation")
        complain(f"{others} here; `chorus sync {source}` records all of them, `chorus replay ID` plays one")
    found = files.replay_of(conversation, records, price_table())
    if not len(found):
        raise SourceUnreadable(f"{os.fspath(source)}: nothing in it can be played; `chorus read` prints its records")
    return conversation, found


def _play(conversation: Conversation, player: Player, width: int | None) -> None:
    from chorus.cli.replay_player import play
    from chorus.cli.replay_screen import Screen

    rows, look = _rows(conversation, player)
    has_colour = not os.environ.get("NO_COLOR")
    play(
        player, lambda columns, lines: Screen(rows, look, width or columns, lines, has_colour=has_colour, has_keys=True)
    )
    if not player.is_at_end:
        moment = player.moment
        remark(f"chorus: stopped at {moment.id}; `chorus replay … --from '{moment.id}'` goes on there")


def _write(path: str, conversation: Conversation, player: Player, width: int, height: int, *, is_forced: bool) -> None:
    from chorus.cli.replay_cast import write_cast
    from chorus.cli.replay_screen import Screen
    from chorus.core.views.figures import size

    rows, look = _rows(conversation, player)
    screen = Screen(rows, look, width, height, has_colour=True, has_keys=False)
    written = write_cast(path, screen, player, conversation.title or conversation.id, is_forced=is_forced)
    if path != "-":
        say(f"Wrote {path} ({size(written)}). `asciinema play {path}` plays it.")


def _print(conversation: Conversation, player: Player, width: int | None) -> None:
    """Print the rows between two moments, each with the time since the start."""
    from rich.text import Text

    from chorus.cli.replay_screen import clock
    from chorus.core.views.terminal import Terminal

    rows, look = _rows(conversation, player)
    console = open_console(width)
    terminal = Terminal(console, look)
    found = player.replay
    now = found.moment(player.last)
    skipped = rows.count(found.moment(player.first).id) - 1 if player.first else 0
    for row in rows.rows(now.id, now.at_ms, first=max(0, skipped)):
        shown = rows.shown(row)
        at_ms = found.at_ms[max(0, found.position(shown))]
        console.print()
        console.print(Text(f"[{clock(at_ms)}]", "dim"), end="")
        terminal.row(row)


def _rows(conversation: Conversation, player: Player) -> tuple[RowsAsOf, "Look"]:
    from chorus.core.views.terminal import Look

    look = Look(folder=conversation.session.cwd, read_side_file=partial(side_text, conversation))
    return RowsAsOf(conversation, player.replay.growths), look


def _note_growing(conversation: Conversation, *, is_whole: bool) -> None:
    """Say so if the conversation is being written, so that there is more than was played."""
    from chorus.core.views.activity import activity

    session = conversation.session
    if is_whole and activity(session.status, session.ended_at, datetime.now(UTC)) == "working":
        complain(
            f"this conversation is still being written: it was played up to {session.ended_at}; play it again later"
        )
