"""`chorus open`: print a new login link of the running server."""

from pathlib import Path

import click

from chorus.cli.vault_ids import vault_option


@click.command("open")
@vault_option
def open_(*, vault: str | None) -> None:
    """Print a link that logs one browser in to the running server. It works once, within five minutes."""
    from chorus.base import config
    from chorus.base.processes import supervisor
    from chorus.errors import ChorusError
    from chorus.show.server.edge.control import STATE, request_link

    if (why := supervisor()) is not None:
        raise ChorusError(f"an agent gets no login link ({why}); use your own terminal")
    root = config.vault_for(vault, Path.cwd()).absolute()
    running = request_link(root / STATE)
    if running is None:
        raise ChorusError(f"{root}: no server runs on this vault; `chorus serve` starts one")
    click.echo(running.link)
