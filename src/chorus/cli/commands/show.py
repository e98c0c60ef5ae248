"""`chorus show`: show a conversation."""

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Literal

import click

from chorus.cli.from_hit import from_hit, hit_of
from chorus.cli.output import complain, remark
from chorus.cli.pager import paged
from chorus.cli.vault_ids import named, open_vault, vault_option
from chorus.core.conversation.conversation import Conversation

if TYPE_CHECKING:
    from rich.console import Console

MAX_BYTES = 256 << 20
"""Maximum size of a tool output that is stored in a side file."""
_WIDTH = 100
"""Columns if the output is not a terminal."""


@click.command(short_help="Show a conversation in the terminal.")
@click.argument("source", metavar="SOURCE", type=click.Path(allow_dash=True))
@click.option("--markdown", "form", flag_value="markdown", help="Write Markdown.")
@click.option("--json", "form", flag_value="json", help="Write JSON, one conversation per line.")
@click.option("--all", "every", is_flag=True, help="Show all conversations of the source, not only the main one.")
@click.option("--internal", is_flag=True, help="Also show internal records of the client.")
@click.option("--thinking/--no-thinking", default=None, help="Show all thinking, or none; by default its first line.")
@click.option("--full", is_flag=True, help="Do not shorten long results.")
@click.option("--width", type=click.IntRange(min=20), metavar="N", help="Columns to use.")
@vault_option
@paged
def show(
    *,
    source: str,
    form: Literal["markdown", "json"] | None,
    every: bool,
    internal: bool,
    thinking: bool | None,
    full: bool,
    width: int | None,
    vault: str | None,
) -> None:
    """Show a conversation: a session file, a folder, - for standard input, or one in the vault.

    A conversation in the vault is named by four or more characters of its id (`chorus list` lists them), by the number
    of a hit of the last `chorus search` (it is then shown from that hit on), or by a query that only this conversation
    answers.

    Calls are shown with their results, sub-agents below the call that started them. Control characters in the data are
    shown as escapes.
    """
    chosen = _chosen(source, vault, every=every)
    if form == "json":
        from chorus.core.views.document import document

        for conversation in chosen:
            for piece in document(conversation):
                click.echo(piece, nl=False)
        return
    if form == "markdown":
        from chorus.core.views.markdown import markdown

        for conversation in chosen:
            for piece in markdown(conversation, internal=internal, thinking=thinking is not False):
                click.echo(piece, nl=False)
        return
    fold: Literal["fold", "full", "hide"] = "fold" if thinking is None else "full" if thinking else "hide"
    hit = hit_of(source, open_vault(vault))
    _draw(chosen, internal=internal, thinking=fold, full=full, width=width, hit=hit)
    if hit:
        remark(f"chorus: shown from hit {source} on; `chorus show {chosen[0].id[:8]}` shows everything")


def _chosen(source: str, vault: str | None, *, every: bool) -> list[Conversation]:
    """Return the conversations to show; without `every`, only the main one, with a note on standard error."""
    from chorus.library import files

    kept_in = open_vault(vault)
    if kept := named([source], kept_in).kept:
        from chorus.cli.given_titles import set_given_titles
        from chorus.cli.own_costs import set_own_costs
        from chorus.keep.archive.opening import open_kept

        opened = [open_kept(kept_in, each) for each in kept]
        by_name = dict(zip((each.name for each in kept), opened, strict=True))
        set_own_costs(kept_in, vault, by_name)
        set_given_titles(kept_in, by_name)
        return opened
    found = files.open_all(source, complain)
    main = files.main_of(found, source)
    if every or len(found) == 1:
        return found
    others = len(found) - 1
    noun = "conversation" if others == 1 else "conversations"
    remark(f"chorus: {others} other {noun} here; --all shows them")
    return [main]


def _draw(
    chosen: list[Conversation],
    *,
    internal: bool,
    thinking: Literal["fold", "full", "hide"],
    full: bool,
    width: int | None,
    hit: str,
) -> None:
    from chorus.core.views.heading import heading
    from chorus.core.views.plan import plan_rows
    from chorus.core.views.terminal import Look, Terminal
    from chorus.core.views.transcript import each_row

    console = open_console(width)
    for number, conversation in enumerate(chosen):
        if number:
            console.print()
            console.rule(characters="═", style="dim")
            console.print()
        look = Look(
            thinking=thinking,
            is_full=full,
            folder=conversation.session.cwd,
            read_side_file=partial(side_text, conversation),
            found=hit,
        )
        terminal = Terminal(console, look)
        terminal.heading(heading(conversation))
        rows = each_row(conversation, internal=internal)
        terminal.rows(from_hit(rows, look) if hit else rows)
        terminal.rows(plan_rows(conversation))


def side_text(conversation: Conversation, name: str) -> str | None:
    """Return the complete output from the side file of this name; None if the file does not exist."""
    from chorus.keep.sources.file_access import Bounds, look_at

    file = next((each for each in conversation.side_files.values() if each.name == name), None)
    if file is None or file.size_bytes is None:
        return None
    data = look_at(file.path, Bounds.exactly(file.path), MAX_BYTES)
    return data.decode("utf-8", "replace") if data is not None else None


def open_console(width: int | None) -> "Console":
    """Return the console for transcripts: standard output, with colour at a terminal."""
    from rich.console import Console

    class Passing(Console):
        """Raises an error for a closed pipe, so that the caller decides what to do."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    is_terminal = sys.stdout.isatty()
    return Passing(
        file=sys.stdout,
        width=width if width or is_terminal else _WIDTH,
        force_terminal=is_terminal,
        no_color=bool(os.environ.get("NO_COLOR")) or None,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
    )
