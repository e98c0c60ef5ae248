"""`chorus show`: a conversation as people read it."""

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Literal

import click

from chorus.cli.from_hit import from_hit, hit_of
from chorus.cli.output import complain
from chorus.cli.pager import paged
from chorus.cli.vault_ids import named, open_vault, vault_option
from chorus.core.conversation.conversation import Conversation

if TYPE_CHECKING:
    from rich.console import Console

MAX_BYTES = 256 << 20
"""Of an output that lies in a file of its own."""
_WIDTH = 100
"""Columns when the output is no terminal."""


@click.command(short_help="Show a conversation in the terminal.")
@click.argument("source", metavar="SOURCE", type=click.Path(allow_dash=True))
@click.option("--markdown", "form", flag_value="markdown", help="Write Markdown.")
@click.option("--json", "form", flag_value="json", help="Write JSON, one conversation a line.")
@click.option("--all", "every", is_flag=True, help="Show every conversation of the source, not only the main one.")
@click.option("--internal", is_flag=True, help="Also show what the client writes for itself.")
@click.option("--thinking/--no-thinking", default=None, help="Show all of the thinking, or none; else its first line.")
@click.option("--full", is_flag=True, help="Cut no long results.")
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

    That one is named by four characters of its id (`chorus list` names those kept), by the number of a hit of the last
    `chorus search` (it is shown from that hit on), or by a query that it alone answers.

    Calls stand with their results, sub-agents below the call that started them. Nothing in the data can act on your
    terminal.
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
        click.echo(f"chorus: from hit {source} on; `chorus show {chosen[0].id[:8]}` shows all of it", err=True)


def _chosen(source: str, vault: str | None, *, every: bool) -> list[Conversation]:
    """The conversations to show; of several, the main one, and a word on the others on standard error."""
    from chorus.library import files

    kept_in = open_vault(vault)
    if kept := named([source], kept_in).kept:
        from chorus.cli.own_costs import lay_over
        from chorus.keep.archive.opening import open_kept

        opened = [open_kept(kept_in, each) for each in kept]
        lay_over(kept_in, vault, dict(zip((each.name for each in kept), opened, strict=True)))
        return opened
    found = files.open_all(source, complain)
    main = files.main_of(found, source)
    if every or len(found) == 1:
        return found
    others = len(found) - 1
    noun = "conversation" if others == 1 else "conversations"
    click.echo(f"chorus: {others} other {noun} here; --all shows them", err=True)
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
    """The whole output that lies in a side file of this name; None when it is not there (any more)."""
    from chorus.keep.sources.file_access import Bounds, look_at

    file = next((each for each in conversation.side_files.values() if each.name == name), None)
    if file is None or file.size_bytes is None:
        return None
    data = look_at(file.path, Bounds.exactly(file.path), MAX_BYTES)
    return data.decode("utf-8", "replace") if data is not None else None


def open_console(width: int | None) -> "Console":
    """Where transcripts are drawn: standard output, with colour where a person looks at it."""
    from rich.console import Console

    class Passing(Console):
        """Leaves a reader who is gone to those who know whether that matters."""

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
