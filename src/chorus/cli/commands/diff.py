"""`chorus diff`: show what a conversation changed in files."""

import sys

import click

from chorus.cli.output import say
from chorus.cli.pager import paged
from chorus.cli.snapshot_places import snapshots_for
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.views.safe import safe
from chorus.keep.snapshots.edits import diff_parts, edits_of

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command()
@click.argument("what", metavar="ID|N|QUERY")
@click.option("--turn", type=click.IntRange(min=1), metavar="N", help="Only what turn N changed.")
@click.option("--call", metavar="ID", help="Only what one tool call changed: its id, or the beginning of it.")
@vault_option
@paged
def diff(*, what: str, turn: int | None, call: str | None, vault: str | None) -> None:
    """Show what the agents of a conversation changed in files, as a unified diff in the order in which it happened.

    What a person or another conversation changed in between is left out. In a pipe the output can be applied with
    `git apply`.
    """
    kept, snapshots = snapshots_for(what, open_vault(vault))
    edits = edits_of(snapshots.store, kept.id, turn=turn, call=call)
    if not edits:
        say("No file was changed there, as far as snapshots say.")
    is_terminal = sys.stdout.isatty()
    for part in diff_parts(snapshots.store, edits, is_for_git=not is_terminal):
        if is_terminal:
            for line in part.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n").split("\n"):
                click.secho(safe(line), fg=_COLOURS.get(line[:1]), bold=line.startswith(("diff ", "+++ ", "--- ")))
        else:
            sys.stdout.buffer.write(part)
