"""`chorus completion`: the script with which a shell completes commands and options."""

import click
from click.shell_completion import get_completion_class

COMPLETE_VARIABLE = "_CHORUS_COMPLETE"


@click.command()
@click.argument("shell", metavar="SHELL", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL.

    \b
    bash   eval "$(chorus completion bash)"
    zsh    eval "$(chorus completion zsh)"
    fish   chorus completion fish | source
    """
    script = get_completion_class(shell)
    if script is None:
        raise click.UsageError(f"click has no completion for {shell}.", ctx)
    click.echo(script(ctx.find_root().command, {}, "chorus", COMPLETE_VARIABLE).source())
