"""`chorus serve`: the web application on this machine, with every session kept as it is written."""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chorus.cli.first_pass import FirstPass
from chorus.cli.output import complain, counted, printable
from chorus.cli.vault_ids import vault_option

if TYPE_CHECKING:
    from chorus.show.server.edge.control import Running

PORT = 7717


@click.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]…", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="127.0.0.1 (or localhost, which means the same) or ::1.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    help=f"This port and no other; 0 takes a free one. Else {PORT}, or the next one that is free.",
)
@click.option(
    "--open/--no-open",
    "is_opening",
    default=None,
    help="Open the browser, or do not; by default where there is one to see.",
)
@click.option("--verbose", "is_verbose", is_flag=True, help="Say on standard error what goes into the log.")
@vault_option
def serve(
    *,
    sources: tuple[Path, ...],
    host: str,
    port: int | None,
    is_opening: bool | None,
    is_verbose: bool,
    vault: str | None,
) -> None:
    """Show all sessions of this machine in the browser, live, and keep them.

    Files and folders that are named as SOURCE are followed beside the client's own folder, whatever they are called.
    Prints a link that logs in once, within five minutes; `chorus open` prints another. Listens on this machine only.
    At a terminal, a line tells how far the first pass over all sessions is.
    Where a server runs already on the same vault, its link is printed instead.
    """
    from chorus.base import config
    from chorus.base.shield import raise_shield
    from chorus.errors import ChorusError
    from chorus.keep.sources.discover import config_folder
    from chorus.show.server import log
    from chorus.show.server.edge.binding import address_of, bind, bind_near
    from chorus.show.server.edge.control import running_server, sole_server

    raise_shield()
    address_of(host)
    root = config.vault_for(vault, Path.cwd()).absolute()
    with sole_server(root) as is_ours:
        if not is_ours:
            running = running_server(root)
            if running is None:
                raise ChorusError(f"{root}: another process serves this vault, and does not answer; end it first")
            click.echo(f"A server runs already (process {running.pid}).")
            if sources:
                complain("it does not follow the sources named here; end it first, or `chorus sync --watch SOURCE…`")
            _show(running, root, is_opening=is_opening)
            return
        folders = [config_folder(), *(source.absolute() for source in sources)]
        listener = bind_near(host, PORT) if port is None else bind(host, port)
        got = listener.getsockname()[1]
        if port is None and got != PORT:
            click.echo(f"Port {PORT} is taken by another program; this is on port {got}.")
        from chorus.show.server.lifecycle import Start
        from chorus.show.server.lifecycle import serve as serve_until_ended

        handlers = log.open_log(root, is_verbose=is_verbose)

        def ready(running: "Running", _server: object) -> None:
            _introduce(folders, root)
            _show(running, root, is_opening=is_opening)
            click.echo("Ctrl-C ends it.")
            first_pass.begin()

        first_pass = FirstPass(is_dumb=os.environ.get("TERM", "dumb") == "dumb")
        try:
            serve_until_ended(
                Start(vault=root, folders=folders, listener=listener, ready=ready, on_progress=first_pass.tell)
            )
        finally:
            first_pass.end()
            listener.close()
            log.close_log(handlers)
    click.echo("Ended.")


def _introduce(folders: list[Path], root: Path) -> None:
    """What is watched, and where it is kept."""
    from chorus.core.views import figures
    from chorus.show.recorder.survey import survey

    found = survey(root, folders, now_s=time.time())
    sessions = sum(each.sessions for each in found.watched)
    if sessions:
        what = f"{counted(sessions, 'session')}, {figures.size(found.size_bytes)}"
    else:
        what = "no sessions yet; they show up as Claude Code writes them"
    click.echo(printable(f"Watching  {', '.join(map(str, folders))}  ({what})"))
    click.echo(printable(f"Keeping   {root}"))
    if found.at_risk:
        soon = counted(found.at_risk, "session")
        click.echo(f"          {soon} would be deleted by Claude Code within days, and will be kept now")


def _show(running: "Running", root: Path, *, is_opening: bool | None) -> None:
    """The link, and the browser where there is one. Only here is a token ever shown."""
    click.echo(f"\n  {running.link}\n")
    click.echo("The link works once, within five minutes; `chorus open` prints a new one.")
    if is_opening if is_opening is not None else can_open():
        open_in_browser(running.link, root)


def can_open() -> bool:
    """Whether somebody sits at a terminal with a screen beside it."""
    if not sys.stdout.isatty() or os.environ.get("SSH_CONNECTION"):
        return False
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_in_browser(link: str, root: Path) -> None:
    """Show the link in a browser, without its token in any process' arguments."""
    import webbrowser

    from chorus.show.server.edge.control import STATE
    from chorus.show.server.edge.link_page import write_link_page

    try:
        is_open = webbrowser.open(write_link_page(root / STATE, link).as_uri())
    except (webbrowser.Error, OSError):
        is_open = False
    if not is_open:
        click.echo("No browser could be opened: copy the link.", err=True)
