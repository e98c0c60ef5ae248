"""`chorus attach`: watch a run of the background in this terminal."""

import click

from chorus.cli.output import is_at_terminal
from chorus.cli.steering import refuse_inside_a_run, the_run
from chorus.cli.vault_ids import vault_option
from chorus.errors import ChorusError
from chorus.steer.runs.attached import Attached


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--json", "as_json", is_flag=True, help="Print the client's records, one JSON object per line.")
@vault_option
@click.pass_context
def attach(ctx: click.Context, run: str, *, as_json: bool, vault: str | None) -> None:
    """Show RUN from its beginning, and then live.

    In a terminal you are asked for the next message when a turn is done. Press Ctrl-C twice to detach; the run
    continues.
    """
    from chorus.cli.after_run import take_in
    from chorus.cli.run_screen import print_records, watch

    refuse_inside_a_run()
    folder, known = the_run(run, vault)
    if known.ending is not None:
        raise ChorusError(
            f"run {known.id} has ended; `chorus show {known.session}` shows it, `chorus resume` continues it"
        )
    with Attached(folder) as attached:
        attached.attach(["out"])
        is_interactive = not as_json and is_at_terminal()
        if as_json:
            code = print_records(attached)
        else:
            code = watch(folder, attached, is_interactive=is_interactive, replies=is_interactive)
    take_in(folder)
    ctx.exit(code)
